/*
 * Runs the runs of a plan on several cores and keeps what they leave. A run is a pure function of its
 * scenario, seed and replication, so the figures don't depend on how many workers there are, nor on whether
 * they are in this process or, under mpirun, in others (ranks.h).
 *
 * What the database has already, from whichever study, is not run again: a run is known by what steers it,
 * its replication and the program's version. Workers simulate; the thread that calls runner_run writes. It
 * commits what is finished at least every second, so that a killed study loses the runs in flight and at most
 * the last second's.
 */
#ifndef STUDIES_RUNNER_H
#define STUDIES_RUNNER_H

#include "results/store.h"
#include "studies/plan.h"
#include <stdatomic.h>

struct ranks;

struct runner_progress {
    size_t finished, total; /* runs */
    double events_per_second;
    double seconds_left; /* NAN until there is something to judge by */
};

struct runner_options {
    const char *version;     /* of the program; NULL: none, and no run is found again */
    bool force;              /* run again what is there */
    bool tapes;              /* keep every run's event tape, not only where a scenario learns */
    const bool *chosen;      /* by the plan's runs, those that are wanted; NULL: all */
    size_t workers;          /* 0: one for each processor that the process may use */
    struct ranks *ranks;     /* processes that take runs, too, with this one the first; NULL: none */
    const atomic_bool *stop; /* the caller's wish to end early; NULL: none */
    void (*progress)(void *context, const struct runner_progress *progress); /* NULL: none. Called from the */
    void *context;                                                           /* caller's thread */
};

struct runner_outcome {
    size_t total;         /* runs that were wanted */
    size_t finished;      /* of these, that the database now has, failed ones included */
    size_t reused;        /* of these, that it had before */
    size_t failed;        /* and that ran out of memory or the like */
    size_t others;        /* wanted, and there by another version of the program alone */
    bool interrupted;     /* STOP came before the last run was finished; runs in flight are dropped */
    struct error failure; /* of the first run that failed */
};

/* Runs PLAN as part of STUDY. False (ERROR_SYSTEM): the database or the threads failed; what was committed
 * stays. A run that fails is stored with status "failed" and the others go on. */
bool runner_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *options, struct runner_outcome *outcome, struct error *error);

/* Adds what came of MORE runs to OUTCOME. */
void runner_outcome_add(struct runner_outcome *outcome, const struct runner_outcome *more);

/* Processors that this process may use. */
size_t runner_processors(void);

#endif
