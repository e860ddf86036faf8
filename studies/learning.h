/*
 * Replays of a study's tapes on several cores: what the runs would have learned.
 *
 * Replays are made from the database alone: the run's tape and its study's scenario. Those of the reference
 * come first, since the others' statistical goodput is measured against it. A replay that is broken off
 * leaves its state, from which the next attempt goes on.
 */
#ifndef STUDIES_LEARNING_H
#define STUDIES_LEARNING_H

#include "results/learning.h"
#include "scenarios/scenario.h"
#include "sim/error.h"
#include <stdatomic.h>

struct learning_progress {
    size_t finished, total;
    double share;        /* of all the work, done */
    double seconds_left; /* NAN until there is something to judge by */
};

struct learning_options {
    size_t workers;                            /* 0: one a processor */
    const atomic_bool *stop;                   /* or NULL */
    const struct scenario_override *overrides; /* laid over each run's scenario: another way to learn */
    size_t override_count;
    bool again; /* replay runs that have this learning's replay too; else they count as finished */
    void (*progress)(void *context, const struct learning_progress *progress); /* or NULL; from any thread */
    void (*note)(void *context, const char *text); /* or NULL: remarks for people */
    void *context;
};

struct learning_outcome {
    size_t finished, total;
    size_t diverged; /* of those finished: a result, not a failure */
    bool interrupted;
};

/* Replays run RUN, or with RUN -1 all runs of STUDY. ERROR_INPUT: no such run, no tape, a scenario without
 * learning, data that can't be read. */
bool learning_replay(struct store *store, int64_t study, int64_t run, const struct learning_options *options,
                     struct learning_outcome *outcome, struct error *error);

#endif
