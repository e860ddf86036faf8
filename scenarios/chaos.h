/*
 * What a scenario's chaos must hold to, found at its place.
 */
#ifndef SCENARIOS_CHAOS_H
#define SCENARIOS_CHAOS_H

#include "scenarios/loader.h"
#include "scenarios/scenario.h"

/* Holds chaos, its limits and schedule against cluster and network; faults go to LOADER's. Only where there
 * are no faults yet. */
void chaos_complete(struct loader *loader, const struct reading *root, const struct scenario *scenario);

#endif
