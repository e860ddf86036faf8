/*
 * Laws as scenarios write them: a default law with its parameters, which hold only as long as no other law
 * is picked.
 */
#ifndef SCENARIOS_LAWS_H
#define SCENARIOS_LAWS_H

#include "scenarios/loader.h"

/* Completes the laws among the fields of READING, whose given parts are filled, with their defaults, and
 * checks each by building it. False only when out of memory. */
bool laws_complete(struct loader *loader, const struct reading *reading);

#endif
