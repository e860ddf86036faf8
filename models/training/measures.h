/*
 * The figures of a run, read off the world that it left. Nothing here changes the world: whoever asks has
 * settled its books (ledgers, waste, trouble, spares) up to the end first.
 */
#ifndef MODELS_TRAINING_MEASURES_H
#define MODELS_TRAINING_MEASURES_H

#include "models/training/result.h"

struct world;

/* Fills all of RESULT but its status and wall_seconds; of the metrics those that training has (result.h), NAN
 * where one has no value in this run. */
void measures_take(const struct world *world, struct run_result *result);

#endif
