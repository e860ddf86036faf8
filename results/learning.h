/*
 * What the database keeps of learning: tapes, replays on them, their curves and figures, and the state of
 * replays that were broken off.
 *
 *   tape(run, bytes)                                      one a run, encoded; the bytes say their version
 *   replay(id, run, learning, learning_sha256, status)    one learning variant replayed on a run's tape
 *   metric(run, replay, …)                                figures of the replay, replay not null
 *   series(run, replay, name, t_s, step, tokens, value)   name "loss", in the order of the curve
 *   replay_state(run, learning_sha256, state)             of a replay broken off, to go on with; gone when it
 *                                                         ends
 */
#ifndef RESULTS_LEARNING_H
#define RESULTS_LEARNING_H

#include "models/tape/tape.h"
#include "results/store.h"

/* A run as the database knows it; free with stored_run_free. */
struct stored_run {
    int64_t id, study; /* the newest study that used it */
    char *strategy;
    char *point; /* JSON */
    int64_t replication;
    uint64_t seed;
    char *scenario; /* the resolved text of the study that ran it */
};

/* Run ID. ERROR_INPUT when there is none. Free RUN only after success. */
bool store_read_run(struct store *store, int64_t id, struct stored_run *run, struct error *error);
void stored_run_free(struct stored_run *run);

/* Whether run ID was one by STRATEGY; ERROR_INPUT when there is no such run. */
bool store_run_is_by(struct store *store, int64_t id, const char *strategy, bool *is, struct error *error);

/* What a metric of run ID that grows with time, such as its cost, comes to in a second, the warm-up left out;
 * NAN where the run has none. */
bool store_run_rate(struct store *store, int64_t id, const char *metric, double *rate, struct error *error);

/* The runs that STUDY used and that have a tape, by point, strategy and replication; those with a replay of
 * the learning LEARNING_SHA256 are left out unless it is NULL. The caller frees IDS. */
bool store_taped_runs(struct store *store, int64_t study, const char *learning_sha256, int64_t **ids,
                      size_t *count, struct error *error);

/* The run of STUDY by STRATEGY at POINT in REPLICATION that has a tape; *ID is -1 when there is none. */
bool store_find_taped_run(struct store *store, int64_t study, const char *strategy, const char *point,
                          int64_t replication, int64_t *id, struct error *error);

/* Whether RUN has a replay of the learning LEARNING_SHA256. */
bool store_has_replay(struct store *store, int64_t run, const char *learning_sha256, bool *has,
                      struct error *error);

/* The run's tape, encoded; the caller frees BYTES. ERROR_INPUT when none was kept. */
bool store_read_tape(struct store *store, int64_t run, void **bytes, size_t *length, struct error *error);

/* The same decoded and checked (models/tape/); a damaged one is the database's fault, ERROR_SYSTEM. The
 * caller destroys it. */
struct tape *store_load_tape(struct store *store, int64_t run, struct error *error);

/* A broken-off replay's state: kept (replacing an older one), read (*BYTES NULL when there is none; the
 * caller frees). */
bool store_keep_replay_state(struct store *store, int64_t run, const char *learning_sha256, const void *bytes,
                             size_t length, struct error *error);
bool store_read_replay_state(struct store *store, int64_t run, const char *learning_sha256, void **bytes,
                             size_t *length, struct error *error);

struct replay_point {
    double time_s, step, tokens, value; /* a value that is not finite is kept as null, and read as NAN */
};

struct replay_metric {
    const char *name, *unit;
    double value; /* a value that is not finite has no row */
};

struct replay_record {
    int64_t run;
    const char *learning; /* the variant's name */
    const char *learning_sha256;
    const char *status;              /* "done", "unfinished", "diverged" */
    const struct replay_point *loss; /* the curve */
    size_t point_count;
    const struct replay_metric *metrics;
    size_t metric_count;
};

/* Adds a replay with its curve and figures in one transaction, replacing one of the same learning on the same
 * run, and drops its kept state. Tables and figures show it once its study was summarised again. */
bool store_add_replay(struct store *store, const struct replay_record *replay, struct error *error);

/* The loss curve of RUN's replay of LEARNING_SHA256 (NULL: the newest). *COUNT 0 when there is none. The
 * caller frees POINTS. */
bool store_read_curve(struct store *store, int64_t run, const char *learning_sha256,
                      struct replay_point **points, size_t *count, struct error *error);

#endif
