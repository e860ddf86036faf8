/*
 * Runs the runs of a plan on several cores and keeps what they leave. A run is a pure function of its
 * scenario, seed and replication, so the figures don't depend on how many workers there are.
 *
 * Workers simulate; the thread that calls runner_run writes. It commits what is finished at least every
 * second, so that a killed study loses the runs in flight and at most the last second's.
 */
#ifndef STUDIES_RUNNER_H
#define STUDIES_RUNNER_H

#include "results/store.h"
#include "studies/plan.h"
#include <stdatomic.h>

struct runner_progress {
    size_t finished, total; /* runs */
    double events_per_second;
    double seconds_left; /* NAN until there is something to judge by */
};

struct runner_options {
    bool tapes;              /* keep every run's event tape, not only where a scenario learns */
    size_t workers;          /* 0: one for each processor that the process may use */
    const atomic_bool *stop; /* the caller's wish to end early; NULL: none */
    void (*progress)(void *context, const struct runner_progress *progress); /* NULL: none. Called from the */
    void *context;                                                           /* caller's thread */
};

struct runner_outcome {
    size_t finished;      /* runs that the database now has, failed ones included */
    size_t failed;        /* of these, runs that ran out of memory or the like */
    bool interrupted;     /* STOP came before the last run was finished; runs in flight are dropped */
    struct error failure; /* of the first run that failed */
};

/* Runs PLAN as part of STUDY. False (ERROR_SYSTEM): the database or the threads failed; what was committed
 * stays. A run that fails is stored with status "failed" and the others go on. */
bool runner_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *options, struct runner_outcome *outcome, struct error *error);

/* Processors that this process may use. */
size_t runner_processors(void);

#endif
