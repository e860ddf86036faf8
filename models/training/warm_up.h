/*
 * The warm-up: what happens before its end counts in no figure. Its chip time is in the ledger, under
 * BUDGET_WARM_UP; tallies and counts begin anew at its end, and totals remember what they were then.
 */
#ifndef MODELS_TRAINING_WARM_UP_H
#define MODELS_TRAINING_WARM_UP_H

#include "sim/error.h"
#include <stdbool.h>

struct world;

/* The warm-up of WORLD will end when its scenario says; without one nothing happens. False with ERROR when
 * out of memory. */
bool warm_up_schedule(struct world *world, struct error *error);

/* It ends now: because its time is over, or because the run is, before that. */
void warm_up_end(struct world *world);

#endif
