/*
 * Fixed work: a run that ends when so much has been trained instead of when its time is up.
 *
 * What counts are tokens, or steps weighed by the learner's share of the chips, in steps that count, from the
 * very start of the run and less all that was thrown away since. The work is done at the end of the step that
 * completes it; where the strategy writes checkpoints, once a last one is complete that has it all: what
 * nobody could load again is no result. A failure before that throws work back that has to be done again.
 */
#ifndef MODELS_TRAINING_GOAL_H
#define MODELS_TRAINING_GOAL_H

#include "models/parameter.h"
#include "sim/clock.h"

struct world;

/* Which work; NAN: not given. At most one of them is. */
struct goal_config {
    double tokens, steps;
    double loss; /* found out when the run is replayed; it does not end the run */
};

extern const struct parameter_table goal_parameters; /* section "until" */

/* How far a world has come. */
struct goal {
    double tokens, steps; /* done */
    sim_time finished;    /* when all was; 0: it is not yet */
};

/* Whether CONFIG fixes work that ends a run. */
bool goal_is_fixed(const struct goal_config *config);

/* So many TOKENS and STEPS more (below 0: fewer) are done. */
void goal_count(struct world *world, double tokens, double steps);

/* Whether enough has been trained. */
bool goal_is_reached(const struct world *world);

/* All is done, and kept: the run ends. */
void goal_finish(struct world *world);

/* Share of the work that one step of the whole cluster, of so many tokens, is; NAN without fixed work. */
double goal_share_of_step(const struct goal_config *config, double tokens_per_step);

#endif
