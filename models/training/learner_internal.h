/*
 * What learner.c and learner_faults.c do to a learner together. Private to them.
 */
#ifndef MODELS_TRAINING_LEARNER_INTERNAL_H
#define MODELS_TRAINING_LEARNER_INTERNAL_H

#include "models/training/learner.h"

/* Every change of state goes through here; LENGTH < 0 is a state that ends by something else than time. */
void learner_enter(struct learner *learner, enum learner_state state, int category, sim_time length);

/* LEARNER is at a boundary: nothing is under way any more, and it does what has to be done next. */
void learner_proceed(struct learner *learner);

/* Whether a step is under way, held and hung ones included. */
bool learner_is_in_step(const struct learner *learner);

/* Of a step under way: it stands still for good. */
void learner_freeze_step(struct learner *learner);

/* Ends a step under way, which counts for nothing because of CAUSE. */
void learner_abort_step(struct learner *learner, int32_t cause);

/* LEARNER has lost its state because of CAUSE, and restarts as soon as it can, to get another. */
void learner_restart_without_state(struct learner *learner, int32_t cause);

/* FAULT, a corruption, has been found out: no checkpoint from after it struck is of use. To be said before
 * anything is made of the slices that go down for it, since LEARNER may go back at once. */
void learner_distrust(struct learner *learner, const struct fault *fault);

/* What a mark says of a slice that was given notice (outages.h); other marks count admissions. */
bool learner_mark_is_notice(uint64_t mark);
bool learner_mark_is_released(const struct learner *learner, uint64_t mark);
int32_t learner_mark_cause(uint64_t mark);

#endif
