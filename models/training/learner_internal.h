/*
 * What the parts of a learner ask of each other: learner.c (its life, recovery and what it does next),
 * learner_books.c, learner_steps.c, learner_slices.c and learner_faults.c. Private to them.
 */
#ifndef MODELS_TRAINING_LEARNER_INTERNAL_H
#define MODELS_TRAINING_LEARNER_INTERNAL_H

#include "models/training/learner.h"
#include "models/training/world.h"

static inline sim_time learner_now(const struct learner *learner)
{
    return sim_engine_now(learner->world->engine);
}

/* Its life (learner.c). */

/* LEARNER is at a boundary: nothing is under way any more, and it does what has to be done next. */
void learner_proceed(struct learner *learner);

/* LEARNER has lost its state because of CAUSE, and restarts as soon as it can, to get another. */
void learner_restart_without_state(struct learner *learner, int32_t cause);

/* The restart begins, all slices being there, or as soon as they are. */
void learner_enter_restart(struct learner *learner);
void learner_restart_when_complete(struct learner *learner);

/* A failure through CAUSE is to be looked at; of several, the first is what LEARNER stops for. */
void learner_look_later(struct learner *learner, int32_t cause);

/* Its books (learner_books.c). */

/* Every change of state goes through here; LENGTH < 0 is a state that ends by something else than time. */
void learner_enter(struct learner *learner, enum learner_state state, int category, sim_time length);

/* Whether a step is under way, held and hung ones included. */
bool learner_is_in_step(const struct learner *learner);

/* Whether failed slices are replaced from outside, so that they never are down here. */
bool learner_replaces_slices(const struct learner *learner);

bool learner_is_restarting(const struct learner *learner);

/* CHIPS more of the learner's are in CATEGORY because of CAUSE. */
void learner_stand(struct learner *learner, int32_t cause, int category, int64_t chips);

/* Steps (learner_steps.c). */

void learner_begin_step(struct learner *learner);

/* Begins a step, or goes on with it, at part step_stop. */
void learner_go_on(struct learner *learner);

/* The part under way is over, and the step if that was the last. */
void learner_end_parts(struct learner *learner);

/* How much of the step's length is behind LEARNER. */
sim_time learner_step_progress(const struct learner *learner);

/* The share of the step that has been done since the end of the warm-up. */
double learner_counted_fraction(const struct learner *learner);

/* Books FRACTION of a step as one that counts, or as one that is lost because of CAUSE. */
void learner_keep_step(struct learner *learner, double fraction);
void learner_lose_step(struct learner *learner, double fraction, int32_t cause);

/* A step of LENGTH is done, of which FRACTION comes after the warm-up. */
void learner_count_step(struct learner *learner, double fraction, sim_time length);

/* Whether the step under way will be lost, and because of what, if it is not aborted before. */
bool learner_step_is_lost(const struct learner *learner);
int32_t learner_cause_of_loss(const struct learner *learner);

/* Of a step under way: it stands still for good. */
void learner_freeze_step(struct learner *learner);

/* Ends a step under way, which counts for nothing because of CAUSE. */
void learner_abort_step(struct learner *learner, int32_t cause);

/* Whether failures are noticed within steps. */
bool learner_notices_at_once(const struct learner *learner);

/* Faults (learner_faults.c). */

/* FAULT, a corruption, has been found out: no checkpoint from after it struck is of use. To be said before
 * anything is made of the slices that go down for it, since LEARNER may go back at once. */
void learner_distrust(struct learner *learner, const struct fault *fault);

/* What a mark says of a slice that was given notice (outages.h); other marks count admissions. */
bool learner_mark_is_notice(uint64_t mark);
bool learner_mark_is_released(const struct learner *learner, uint64_t mark);
int32_t learner_mark_cause(uint64_t mark);

#endif
