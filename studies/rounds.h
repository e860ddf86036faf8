/*
 * Which of a plan's runs are run: all, a shard of them, or as many replications as it takes.
 *
 * A shard I of N is every N-th unit of the plan, from the I-th. Where something is learned a unit is one
 * replication of all strategies at one point, because they are held against each other; where replications
 * depend on what comes out it is a point; else a run.
 *
 * Replications until a precision: a point gets a few of all its strategies, then half as many again, and
 * again, until the 95 % interval of the metric's mean is within the wanted share of it for each strategy, or
 * there are as many as the scenario has replications. All strategies of a point have equally many, so that
 * pairs stay pairs. Looking at the interval again and again makes it somewhat narrower than the truth.
 */
#ifndef STUDIES_ROUNDS_H
#define STUDIES_ROUNDS_H

#include "studies/runner.h"

/* The first round; fewer have no interval worth the name. */
#define ROUNDS_FIRST 5

struct rounds_options {
    size_t shard, shards; /* the first is 1; 0, 0: all */
    double precision;     /* half of the interval over the mean; 0: all replications */
    const char *metric;   /* of the precision; NULL: goodput */
};

struct rounds_outcome {
    struct runner_outcome runs;
    size_t figures, wide; /* strategies at points, and of these those whose interval stayed too wide */
};

/* Marks in CHOSEN, by the plan's runs and all false before, those of the shard. The count of them. */
size_t rounds_choose(const struct plan *plan, const struct rounds_options *options, bool *chosen);

/* Runs what OPTIONS choose of PLAN as part of STUDY, see runner_run; the runner's own choice does not count.
 */
bool rounds_run(const struct plan *plan, struct store *store, int64_t study,
                const struct runner_options *runner, const struct rounds_options *options,
                struct rounds_outcome *outcome, struct error *error);

#endif
