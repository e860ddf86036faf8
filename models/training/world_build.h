/*
 * Building the world of a run (world.h), and tearing it down. For simulation.c, which lets it live between.
 */
#ifndef MODELS_TRAINING_WORLD_BUILD_H
#define MODELS_TRAINING_WORLD_BUILD_H

#include "models/training/world.h"

/* The world in which STRATEGY trains on CONFIG, a pair that simulation_check accepts, at time 0: everything
 * is there, the learners have not started, nobody writes a tape or watches. All draws follow from SEED and
 * REPLICATION. CONFIG, STRATEGY and STOP (NULL: nothing stops it) outlive it. NULL with ERROR when out of
 * memory. */
struct world *world_create(const struct simulation_config *config, const struct strategy_config *strategy,
                           uint64_t seed, uint32_t replication, const atomic_bool *stop, struct error *error);

/* Frees all of WORLD, its observer and its tape, if they are still there, with it; NULL is allowed. */
void world_destroy(struct world *world);

#endif
