/*
 * The spans of one lane, in fewer.
 *
 * Spans come one after another, without gaps. Neighbours of one state become one. A span that is shorter than
 * the resolution is put aside, and its time is owed to its state; once a resolution's worth is put aside it
 * becomes one span, of the state to which most is owed, which is then owed so much less. What is left over
 * goes before the next long span, likewise. So spans stay disjoint and cover the same time, long ones stay as
 * they are, and a state's time is wrong by no more than what it is owed.
 */
#ifndef MODELS_TRAINING_CONDENSER_H
#define MODELS_TRAINING_CONDENSER_H

#include "models/training/activity.h"

struct condenser {
    sim_time resolution;
    struct activity_span *spans; /* owned */
    size_t count, room;
    struct activity_span run; /* neighbours of one state, the last of which may still come */
    bool running;
    sim_time aside; /* time put aside: the sum of what is owed */
    sim_time owed[BUDGET_CATEGORIES];
    int32_t causes[BUDGET_CATEGORIES]; /* the last of each state's */
    bool failed;                       /* memory ran out */
};

void condenser_add(struct condenser *condenser, const struct activity_span *span);

/* SPANS are all there, up to the last one that came; more may come. */
void condenser_finish(struct condenser *condenser);

/* Does it over again, up to now, at a coarser RESOLUTION. */
void condenser_coarsen(struct condenser *condenser, sim_time resolution);
void condenser_free(struct condenser *condenser);

#endif
