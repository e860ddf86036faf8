/*
 * The results database: SQLite, one file, many studies. Several processes may write at once (WAL, busy
 * time-out); a run is never split over transactions.
 *
 * Tables (STRICT, foreign keys; PRAGMA user_version counts migrations):
 *   study(id, name, scenario, scenario_sha256, version, command_line, host, started_utc, strategies,
 *     learning, shard, shards)            shard, shards: of a study of which this is but a share (merge.h)
 *   run(id, study, strategy, point, replication, seed, status, simulated_s, wall_s, events, identity,
 *     version, series_kept)               identity, version: see store_find_runs; series_kept: 0 none, 1
 *                                         those of the study's first points, 2 its first point's timeline too
 *   study_run(study, run)                 which runs a study used, its own and those of others
 *   replay(id, run, learning, learning_sha256, status)
 *   metric(run, replay, name, value, unit)
 *   budget(run, category, chip_s, chip_ns)
 *   series(run, replay, name, t_s, step, tokens, value)   of a replay: loss; of some runs:
 *                                         learners_up and link:NAME (bit/s), means of the time up to t_s;
 *                                         of one GPU sms:product and sms:collective (SMs) likewise, and
 *                                         kernel:product and kernel:collective, from t_s for value seconds,
 *                                         numbered by step
 *   link(run, name, kind, bytes, mean_bit_s, peak_bit_s, capacity_bit_s, price)   see observation.h
 *   cause(run, number, name, source, fault, domain, struck, ignored, first_ns, last_ns, cost_since_ns)
 *                                         whom failures are charged to: a process, a trace's kind, a fault on
 *                                         purpose (SOURCE: its entry); when it struck first and last, and
 *                                         first cost anything; null: never, or an earlier version kept it
 *   waste(run, cause, category, chip_s, chip_ns)   what of the budget each of them cost, if anything
 *   timeline(run, learners, resolution_ns, merges)   of some runs, what learners and syncer did, see
 *   span(run, lane, begin_ns, end_ns, category, cause)       models/training/activity.h: lane -1 is the
 *   mark(run, lane, at_ns, kind, cause, count)               syncer, -2 the network; KIND: a fault's, or
 *                                         "merge"
 *   chaos(run, at_ns, cause, kind, domain, unit, for_ns, detection_ns, notice_ns, factor, outcome)
 *                                         faults on purpose (models/failures/chaos.h); outcome: struck,
 *                                         ignored, spared
 *   tape(run, bytes), replay_state(run, learning_sha256, state)
 *   summary(study, strategy, point, replay, metric, n, mean, sd, ci95_low, ci95_high)
 *   summary_replay(study, replay)         which replays the summary is of
 *   expectation(study, strategy, point, metric, wanted, tolerance, got, met, source,
 *     against, bound, low, high, confidence, until, unit)   until, unit: of the value of a field that meets
 *                                         a target; metric is then the field's path
 *   baseline_change(study, strategy, point, metric, baseline, paired, n, n_before, mean, mean_before, change,
 *     ci95_low, ci95_high, allowed, confidence, verdict)    see baseline.h
 * and the view run_figure(run, replay, name, value) of all metrics and of the budget as shares of the run's
 * chip time, named "share:CATEGORY", and of waste, "waste:SOURCE"; and study_replay(study, strategy, point,
 * run, replay, learning, status) of the replays that the summary is of. study.learning is the learning
 * variant that is shown where only one can be; both are there after summarising.
 *
 * Failures of the database are ERROR_SYSTEM and name its path. A study of -1 means the newest one wherever a
 * study is asked for.
 */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include "models/training/observation.h"
#include "models/training/result.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stdint.h>

struct store;
struct sqlite3;
struct database;

/* Opens or creates PATH and brings its schema up to date. NULL: not writable, not a database, or one of a
 * newer version or of another program (ERROR_SYSTEM, naming PATH). A file that this call created and that
 * stays without a study is removed again by store_close. */
struct store *store_open(const char *path, struct error *error);

/* Opens an existing database for reading only; a missing file is ERROR_INPUT. One that lies in a folder
 * which can not be written is read as it stands. */
struct store *store_open_read_only(const char *path, struct error *error);
void store_close(struct store *store);

/* The connection, for the queries of results/ (database.h) and of tests. */
struct database *store_database(struct store *store);

/* What another connection attaches STORE by, which was opened to be read: a URI where nothing can be written
 * beside it. The caller frees; NULL when out of memory. */
char *store_name_to_attach(struct store *store);
struct sqlite3 *store_connection(struct store *store);

struct study_record {
    const char *name;
    const char *scenario; /* resolved text */
    const char *scenario_sha256;
    const char *version;
    const char *command_line;
    const char *host;
    /* Their names in the order in which they are shown, a JSON list; NULL: as they come. A strategy called
     * "reference" that isn't among them is the run that learning is held against, see outline.h. */
    const char *strategies;
    int64_t shard, shards; /* the first of so many is 1; 0: the study is whole */
};

/* Adds a study, started now; its id, or -1. */
int64_t store_add_study(struct store *store, const struct study_record *study, struct error *error);

struct run_record {
    const char *strategy;
    const char *point; /* JSON, see scenarios/axis.h */
    int64_t replication;
    uint64_t seed;
    const struct run_result *result;
    const struct observation *observation; /* NULL: nothing was seen */
    bool series;                           /* keep those of the observation, some 20 kB each */
    bool timeline;                         /* and what learners and syncer did, up to some 200 kB */
    const void *tape;                      /* encoded (models/tape/tape.h), or NULL: none is kept */
    size_t tape_length;
    const char *identity, *version; /* see store_find_runs; NULL: it is not to be found again */
};

/* Adds COUNT runs with their metrics, budgets, links, series and tapes to STUDY in one transaction: all or
 * none. A metric that is not finite has no row; every budget category has one, and every link, the busiest
 * first. Strategies that the study doesn't name are shown after those it does, in the order of their first
 * runs. */
bool store_add_runs(struct store *store, int64_t study, const struct run_record *runs, size_t count,
                    struct error *error);

/* What is asked of a run that may be there already. */
struct run_wanted {
    const char *identity; /* a digest of all that steers the run but the replication */
    int64_t replication;
    bool tape, series, timeline; /* only one of which these were kept */
};

/* The newest runs that came to an end (done, unfinished or stalled) and are what is wanted, by this VERSION
 * of the program: their ids in IDS, -1 where there is none. *OTHERS counts those of which there is one by
 * another version alone. */
bool store_find_runs(struct store *store, const char *version, const struct run_wanted *wanted, size_t count,
                     int64_t *ids, size_t *others, struct error *error);

/* STUDY uses these runs too, other studies' or its own: all in one transaction. Ids below 0 are passed over.
 */
bool store_use_runs(struct store *store, int64_t study, const int64_t *ids, size_t count,
                    struct error *error);

/* Fills `summary` for STUDY from its runs of status done, unfinished and stalled: per strategy, point and
 * metric the mean, standard deviation and Student-t interval over replications; budget shares too, as metrics
 * "share:CATEGORY", and what failures cost as shares of chip time, "waste:SOURCE". Figures of replays have
 * the learning variant's name in the column replay; the figures of a replay that diverged are those it has.
 * Where replays of one strategy, point and name differ in their learning's digest, those count of which there
 * are most, or else the newest. The variant that is shown is that with most replays. */
bool store_summarise(struct store *store, int64_t study, struct error *error);

/* The summary's mean of METRIC, over the simulation or, where that has no such metric, over the replays of
 * the learning variant that is shown (outline.h), with its count and interval; false when there is none (no
 * error). Of one observation, deviation and interval are NAN. */
struct store_mean {
    int64_t count;
    double mean, deviation, low, high;
};
bool store_mean(struct store *store, int64_t study, const char *strategy, const char *point,
                const char *metric, struct store_mean *mean);

enum expectation_bound { EXPECTATION_FIGURE, EXPECTATION_MINIMUM, EXPECTATION_MAXIMUM };

struct expectation_record {
    const char *strategy, *point, *metric;
    const char *against; /* a strategy, whose mean the figures are shares of; NULL: none */
    enum expectation_bound bound;
    double wanted;
    double tolerance;  /* absolute, in the unit of WANTED; NAN: of a bound, or where there is no interval */
    double got;        /* NAN: the metric has no value */
    double low, high;  /* the interval of GOT; NAN: none */
    double confidence; /* of the interval, which decides; NAN: the interval is at 95 % and GOT decides */
    bool met;
    const char *source; /* or NULL */
    /* Of the value of a field (METRIC is its path): the target that it meets, and the unit of the figures.
     * Else NULL. */
    const char *until, *unit;
};
bool store_add_expectation(struct store *store, int64_t study, const struct expectation_record *expectation,
                           struct error *error);

/* The newest study's id, or -1 with ERROR_INPUT when the database has none. */
int64_t store_latest_study(struct store *store, struct error *error);

#endif
