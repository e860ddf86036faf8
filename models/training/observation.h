/*
 * What a run shows beside its figures: what every link carried, and how traffic and learners went over time;
 * of one GPU, which of its streaming multiprocessors were at what ("sms:product", "sms:collective") and its
 * kernels. Nothing of the run depends on whether it is observed.
 */
#ifndef MODELS_TRAINING_OBSERVATION_H
#define MODELS_TRAINING_OBSERVATION_H

#include "models/failures/chaos.h"
#include "models/failures/fault.h"
#include "models/network/network.h"
#include "models/network/route.h"
#include "models/training/activity.h"
#include "models/training/budget.h"
#include "sim/clock.h"
#include "sim/engine.h"
#include "sim/ledger.h"
#include <stddef.h>

struct traffic;
struct causes;
struct waste;

enum {
    OBSERVATION_LINKS = 1000,    /* most that are told apart */
    OBSERVATION_TRACKED = 4096,  /* links whose traffic is followed: those used first */
    OBSERVATION_SERIES = 12,     /* links whose traffic over time is kept: the busiest of those */
    OBSERVATION_INTERVALS = 200, /* equal parts of the duration */
    OBSERVATION_NAME = ROUTE_NAME
};

/* A link that was used, or all that are not told apart. The warm-up is left out of all but the peak. */
struct observed_link {
    char name[OBSERVATION_NAME]; /* "uplink of A" (models/network/route.h); "12 others" */
    const char *kind;            /* "access", "uplink", "pair", …; "others" */
    double bytes;
    double mean;     /* bit/s, over all the time */
    double peak;     /* bit/s, the greatest that lasted for a nanosecond; NAN of others */
    double capacity; /* bit/s, before its profile; NAN: no limit, or others */
    double price;    /* of those bytes; NAN: they have none */
};

/* A mean over each interval. */
struct observed_series {
    char name[OBSERVATION_NAME + 8]; /* "learners_up"; "link:NAME", in bit/s */
    double values[OBSERVATION_INTERVALS];
};

/* Something that began and ended, the NUMBER-th of its name. */
struct observed_span {
    const char *name; /* "kernel:product", not owned */
    int64_t number;
    sim_time begin, end;
};

/* What one of the run's causes (models/failures/causes.h) did and cost. */
struct observed_cause {
    struct fault_cause cause;
    uint64_t struck, ignored;            /* faults, since the warm-up */
    sim_time first, last;                /* when the first and the last of those struck; of none, 0 */
    sim_time cost_since;                 /* when it first cost anything; WASTE_NEVER */
    sim_amount waste[BUDGET_CATEGORIES]; /* chip-nanoseconds that are charged to it */
};

struct observation {
    struct observed_cause *causes; /* by number; over all of them, waste is at most the ledger's */
    size_t cause_count;
    struct observed_link *links;          /* the busiest first: by share of capacity used, then by bytes */
    size_t link_count;                    /* at most OBSERVATION_LINKS + 1, the last one the others */
    sim_time ends[OBSERVATION_INTERVALS]; /* of the intervals that were over when the run was */
    size_t interval_count;
    struct observed_series *series; /* learners_up unless it never changed; links where there are sites */
    size_t series_count;
    struct observed_span *spans; /* of kind gpu-overlap: its kernels */
    size_t span_count;
    struct activity activity;     /* where it was wished for */
    struct chaos_schedule *chaos; /* that was played, and what became of it; NULL: the scenario has none */
};

void observation_destroy(struct observation *observation); /* NULL is allowed */

/* What is wanted of an observation that is not had for nothing. Of kinds that train nothing, all is there. */
struct observation_wish {
    bool activity;                            /* what learners and syncer did is kept */
    const struct activity_listener *listener; /* is told of it as it happens; NULL: nobody */
};

/* One run's observer. */
struct observer;

/* Watches a run on ENGINE over NETWORK; all outlive it. PLAN (activity.h) says for how long, and what else is
 * to be watched. NULL when memory runs out; the caller destroys it. */
struct observer *observer_create(struct sim_engine *engine, const struct network_config *network,
                                 struct traffic *traffic, const struct activity_plan *plan,
                                 struct error *error);
void observer_destroy(struct observer *observer); /* NULL is allowed */

/* So many learners are up from now on. NULL is allowed: nobody watches. */
void observer_learners_up(struct observer *observer, double up);

/* Whom to tell what learners and syncer do; NULL: nobody wants to know. */
struct activity_recorder *observer_activity(const struct observer *observer);

/* Events of the engine that were the observer's own; 0 for NULL. */
uint64_t observer_events(const struct observer *observer);

/* What was seen, of figures that count since COUNTING_SINCE, and what failures came to. NULL when memory ran
 * out; the caller destroys it. */
struct observation *observer_finish(struct observer *observer, sim_time counting_since,
                                    const struct causes *causes, const struct waste *waste,
                                    struct error *error);

#endif
