/*
 * What the learners of a run and its syncer do over time, lane by lane, and what strikes them.
 *
 * A lane's spans follow each other without a gap and cover the run, from its start to its end. A listener is
 * told of every one of them, and of each step apart, at the moment at which it ends. What is kept is bounded:
 * neighbours of one state are one span; where there are too many all the same, what is shorter than a
 * resolution is put together, and the time put together goes to its states in turns (condenser.h), so that a
 * lane's time by state is right to about a resolution a state; and of many lanes those that lost most are
 * kept.
 */
#ifndef MODELS_TRAINING_ACTIVITY_H
#define MODELS_TRAINING_ACTIVITY_H

#include "models/failures/fault.h"
#include "models/training/budget.h"
#include "sim/clock.h"
#include "sim/engine.h"
#include "sim/ledger.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct causes;

enum {
    ACTIVITY_SYNCER = -1,    /* lanes that are no learners */
    ACTIVITY_NETWORK = -2,   /* which has no spans, only marks */
    ACTIVITY_FOLLOWED = 256, /* learners that are watched where there are more: the first */
    ACTIVITY_LANES = 32,     /* learners that are kept: those of them that lost most time */
    ACTIVITY_PARTS = 2000,   /* of the time so far: the first resolution, if there has to be one */
    ACTIVITY_SPANS = 2000,   /* most that are kept */
    ACTIVITY_MARKS = 1000,
    ACTIVITY_MERGES = 400 /* more than that are only counted */
};

struct activity_span {
    int64_t lane;  /* a learner's number, or ACTIVITY_SYNCER */
    int category;  /* enum budget_category of the chips at work; "useful": in steps, be they lost later */
    int32_t cause; /* why, or FAULT_NO_CAUSE */
    sim_time begin, end;
    sim_amount chip_time; /* of the chips in that state; of what is kept, and of the syncer, 0 */
};

/* Faults of one cause that strike a lane at one moment. */
struct activity_mark {
    int64_t lane;
    sim_time at;
    enum fault_kind kind;
    int32_t cause;
    int64_t
        count; /* slices struck, or faults of links or of the syncer; within a resolution of what is kept */
};

struct activity_plan;

/* Any function may be NULL. Times never fall from one call to the next of a function, where a span's is that
 * of its end. */
struct activity_listener {
    void *context;
    void (*begin)(void *context, const struct activity_plan *plan); /* before all else */
    void (*span)(void *context, const struct activity_span *span);
    void (*mark)(void *context, const struct activity_mark *mark);
    void (*merge)(void *context, sim_time at);
    void (*learners_up)(void *context, sim_time at, int64_t up);
    void (*end)(void *context); /* after all else; not of a run that fails */
};

/* What is kept. */
struct activity {
    int64_t learners;            /* of the run; 0: nothing was kept */
    sim_time resolution;         /* 0: nothing was put together */
    struct activity_span *spans; /* by lane, the syncer first, then by time */
    size_t span_count;
    struct activity_mark *marks; /* by time; of lanes that are kept */
    size_t mark_count;
    sim_time *merges;
    size_t merge_count; /* 0: there were none, or more than ACTIVITY_MERGES */
    uint64_t all_merges;
};

void activity_free(struct activity *activity);

/* What a run tells. */
struct activity_recorder;

struct activity_plan {
    int64_t learners;
    bool syncer; /* which can fail */
    sim_time duration;
    const struct causes *causes;              /* causes.h; NULL: nobody asks */
    bool keeps;                               /* what activity_finish is to hand over */
    const struct activity_listener *listener; /* NULL: nobody */
};

/* NULL when memory runs out; the caller destroys it. ENGINE outlives it. */
struct activity_recorder *activity_create(const struct sim_engine *engine, const struct activity_plan *plan);
void activity_destroy(struct activity_recorder *recorder); /* NULL is allowed */

/* LANE is in CATEGORY because of CAUSE from now on. */
void activity_enter(struct activity_recorder *recorder, int64_t lane, int category, int32_t cause);

/* AMOUNT of chip time belongs to what LANE is at. */
void activity_book(struct activity_recorder *recorder, int64_t lane, sim_amount amount);

/* FAULT strikes a slice of LANE, the syncer or the network. */
void activity_strike(struct activity_recorder *recorder, int64_t lane, const struct fault *fault);
void activity_merge(struct activity_recorder *recorder);
void activity_learners_up(struct activity_recorder *recorder, int64_t up);

/* The run is over: what every lane was at ends now. What is kept is handed over in ACTIVITY, which the caller
 * frees. False when memory ran out at any time. */
bool activity_finish(struct activity_recorder *recorder, struct activity *activity);

#endif
