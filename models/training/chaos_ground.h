/*
 * What chaos aims at in a scenario: the domain tree of its cluster and network, with each site a run of
 * slices by its share, as one learner over all sites would have them. So it is the same for every strategy.
 */
#ifndef MODELS_TRAINING_CHAOS_GROUND_H
#define MODELS_TRAINING_CHAOS_GROUND_H

#include "models/failures/chaos.h"
#include "models/failures/units.h"
#include "models/training/simulation.h"

struct chaos_ground_owner {
    struct units units;
    struct chaos_ground ground;
};

/* False with ERROR when out of memory; destroy it either way. CONFIG outlives it; it must not be moved. */
bool chaos_ground_create(struct chaos_ground_owner *owner, const struct simulation_config *config,
                         struct error *error);
void chaos_ground_destroy(struct chaos_ground_owner *owner);

#endif
