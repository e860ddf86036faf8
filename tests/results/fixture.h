/*
 * Studies made up for tests of the database: runs with chosen figures in a store in a folder of the test's
 * own.
 */
#ifndef TESTS_RESULTS_FIXTURE_H
#define TESTS_RESULTS_FIXTURE_H

#include "results/store.h"

/* A fresh folder, and the path of NAME in it; both are removed with their files by fixture_remove. */
struct fixture {
    char folder[64];
    char path[128];
};

struct fixture fixture_create(const char *name);
void fixture_remove(const struct fixture *fixture);

/* One made-up run: chips × seconds of chip time, so much of it useful, the rest down. */
struct fixture_run {
    const char *strategy, *point;
    int64_t replication;
    uint64_t seed;
    int64_t chips, seconds;
    double goodput;
    double uptime;
    double steps;
    double failures;
    int loss; /* budget category of what is not useful; 0: down */
    enum run_status status;
};

/* Opens the fixture's path; the test fails if that doesn't work. */
struct store *fixture_open(const struct fixture *fixture);

int64_t fixture_add_study(struct store *store, const char *name);

/* The run's result: goodput × chips × seconds is useful to the nanosecond, tokens are 4 194 304 a step, MTBF
 * is seconds over failures (none without failures). */
struct run_result fixture_result(const struct fixture_run *run);
void fixture_add_runs(struct store *store, int64_t study, const struct fixture_run *runs, size_t count);

/* A run with what was seen of it, series and timeline of replication 0 alone. */
void fixture_add_observed(struct store *store, int64_t study, const struct fixture_run *run,
                          const struct observation *observation);

/* What was seen of a run of SECONDS: a link NAME of 1 Gbit/s that carried SHARE of it in the first half and
 * nothing after, one of 10 Gbit/s that carried as much, and one without a limit; a series of each. The caller
 * destroys it. */
struct observation *fixture_observation(const char *name, int64_t seconds, double share);

/* A run of SECONDS in which LEARNERS and a syncer are up but for the third quarter, in which learner 0 is
 * down for a fault that struck it at its beginning, and the others wait; a merge in the middle of each half.
 */
void fixture_add_activity(struct store *store, int64_t study, const char *strategy, const char *point,
                          int64_t learners, int64_t seconds);

/* A run of a GPU's kernels at a point: its time RATIO to one after another, the BOUND of that, and what it
 * SAVED of the baseline; two products of 1 ms on 80 multiprocessors, and two collectives of 1 ms on 4 that
 * begin when a product ends.
 */
void fixture_add_kernels(struct store *store, int64_t study, const char *strategy, const char *point,
                         double ratio, double bound, double saved);

/* A made-up replay of a run: the curve falls from START to FINAL as a power of the progress, in POINTS points
 * over the run's simulated time. Metrics final_loss, and of those that aren't 0 floor_loss with excess_loss,
 * and statistical_goodput. */
struct fixture_replay {
    const char *strategy, *point; /* of the run; NULL: {} */
    int64_t replication;
    const char *learning, *sha256; /* NULL: "learning" and a digest of its own */
    double start, final, floor, statistical_goodput;
    double tokens; /* trained at the end; 0: the run's metric */
    size_t points; /* 0: 3 */
    bool diverged; /* the last loss is no number, and there is no final_loss */
};

void fixture_add_replay(struct store *store, const struct fixture_replay *replay);

/* The integer, or the real, that SQL gives. */
int64_t fixture_integer(struct store *store, const char *sql);
double fixture_real(struct store *store, const char *sql);

#endif
