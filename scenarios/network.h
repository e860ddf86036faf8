/*
 * The network of a scenario as a whole: the defaults that depend on whether there are sites, and the names
 * that lead from one list to another, at their places.
 */
#ifndef SCENARIOS_NETWORK_H
#define SCENARIOS_NETWORK_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* Completes the network of SCENARIO, whose fields have been read as ROOT, and holds its parts against each
 * other. */
void network_complete(struct loader *loader, const struct reading *root, struct scenario *scenario);

#endif
