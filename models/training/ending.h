/*
 * How a run ended: whether its work was done, and if not, why.
 */
#ifndef MODELS_TRAINING_ENDING_H
#define MODELS_TRAINING_ENDING_H

#include "models/training/result.h"
#include <stdbool.h>

struct world;

/* Whether WORLD, whose engine has stopped, stands still for good: nobody has been in a step for the second
 * half of the time that counts; all learners wait, and nothing that they wait for is on its way. To be asked
 * before learner_finish, which ends the learners' last states. */
bool ending_stands_still(const struct world *world);

/* The status of WORLD's run, in which steps of so many TOKENS count; STANDS_STILL is the answer of above.
 * Never RUN_FAILED. */
enum run_status ending_status(const struct world *world, double tokens, bool stands_still);

#endif
