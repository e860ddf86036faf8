/*
 * Reductions one after another, as one stream of collectives: what learners release, layer by layer or all at
 * once, is reduced among them in the order of steps and, within one, of the backward pass, from the highest
 * layer down.
 *
 * A reduction begins when the one before it is over and nobody is awaited any more who has not released its
 * part. It is among those who have. Who is lost in the middle of it has sent its part: the others pass that
 * on, and the collective ends when it would have ended anyway.
 */
#ifndef MODELS_TRAINING_REDUCER_H
#define MODELS_TRAINING_REDUCER_H

#include "models/training/world.h"

struct reducer;

/* Called by the reducer. */
struct reducer_user {
    /* Whether LEARNER, which has not released its part of STEP, will. */
    bool (*awaits)(void *context, int64_t learner, int64_t step);
    /* Of a reduction everybody's part is there, it has begun, or it is over: learners that wait may look
     * again.
     */
    void (*changed)(void *context, int64_t step, int64_t layer);
    void *context;
};

/* A reducer for at most ROOM reductions at a time, in WORLD, whose traffic outlives it. NULL with ERROR when
 * out of memory; the caller destroys it. */
struct reducer *reducer_create(struct world *world, int64_t algorithm, size_t room,
                               const struct reducer_user *user, struct error *error);
void reducer_destroy(struct reducer *reducer); /* NULL is allowed */

/* LEARNER's part of LAYER (0: of all layers in one) in STEP is there, BITS of it. What is over already is
 * not reduced again. */
void reducer_release(struct reducer *reducer, int64_t learner, int64_t step, int64_t layer, double bits);

/* Somebody may not be awaited any more. */
void reducer_look(struct reducer *reducer);

/* Takes back what LEARNER has released of STEP, as far as the reduction has not begun. */
void reducer_withdraw(struct reducer *reducer, int64_t learner, int64_t step);

/* Takes back all from STEP on, what is under way or over included. */
void reducer_clear(struct reducer *reducer, int64_t step);

enum reducer_progress {
    REDUCER_GATHERS, /* somebody's part is missing */
    REDUCER_RUNS,    /* it is under way, or others are before it */
    REDUCER_OVER,
};

/* The worst fault of a link that the reduction under way crosses; those after it wait for it. */
struct traffic_blame reducer_blame(const struct reducer *reducer);

/* How far the reduction of LAYER in STEP is. */
enum reducer_progress reducer_progress(const struct reducer *reducer, int64_t step, int64_t layer);

#endif
