/*
 * The longest stretches in which learners stood still because of something, from what is kept of a run
 * (tables timeline, span and mark). A stretch lies between two of a learner's steps. What the learner waited
 * for before the first cause struck, and after all that is charged to one, is no part of it. Learners for
 * which it begins and ends at the same time, for the same reason, share it.
 */
#ifndef RESULTS_STRETCHES_H
#define RESULTS_STRETCHES_H

#include "models/training/activity.h"
#include "results/store.h"

struct database;

enum { STRETCHES_SHOWN = 5 };

struct stretch {
    double begin, end;     /* seconds */
    int32_t cause;         /* the first within it */
    char name[FAULT_NAME]; /* of that */
    size_t learner_count;
    int64_t learners[ACTIVITY_LANES];
    double by[BUDGET_CATEGORIES]; /* seconds of the first of them */
};

struct stretches {
    bool kept;                 /* false: nothing is known */
    int64_t learners, watched; /* of the run, and of those that are told apart */
    double resolution;         /* seconds; what is shorter is not in its place */
    size_t count;
    struct stretch longest[STRETCHES_SHOWN]; /* the longest first */
};

bool stretches_read(const struct database *database, int64_t run, struct stretches *stretches,
                    struct error *error);

#endif
