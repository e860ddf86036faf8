/*
 * Reading tapes, kept states and curves, and keeping states. What a replay leaves is written in
 * learning_record.c.
 */
#include "results/learning.h"
#include "results/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void stored_run_free(struct stored_run *run)
{
    free(run->strategy);
    free(run->point);
    free(run->scenario);
    *run = (struct stored_run){0};
}

static bool copy_run(sqlite3_stmt *query, struct stored_run *run, struct error *error)
{
    *run = (struct stored_run){
        .id = database_column_integer(query, 0),
        .study = database_column_integer(query, 1),
        .strategy = database_copy_text(query, 2),
        .point = database_copy_text(query, 3),
        .replication = database_column_integer(query, 4),
        .seed = (uint64_t)database_column_integer(query, 5),
        .scenario = database_copy_text(query, 6),
    };
    if (run->strategy && run->point && run->scenario)
        return true;
    stored_run_free(run);
    error_out_of_memory(error, "a run");
    return false;
}

/* ERROR_INPUT: there is no run RUN. */
static void fail_without_run(const struct database *database, int64_t run, struct error *error)
{
    error_set(error, ERROR_INPUT, "%s: there is no run %" PRId64, database->path, run);
}

bool store_read_run(struct store *store, int64_t id, struct stored_run *run, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(id);
    sqlite3_stmt *query = database_query(
        database,
        "select run.id, (select max(study) from study_run where study_run.run = run.id), run.strategy,"
        " run.point, run.replication, run.seed, study.scenario"
        " from run join study on study.id = run.study where run.id = ?1",
        1, &key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    bool read = step == DATABASE_ROW && copy_run(query, run, error);
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        fail_without_run(database, id, error);
    return read;
}

bool store_run_rate(struct store *store, int64_t id, const char *metric, double *rate, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(id), database_text(metric)};
    sqlite3_stmt *query =
        database_query(database,
                       "select (select value from metric where run = ?1 and replay is null and name = ?2)"
                       "  / (simulated_s * (1 - ifnull((select value from run_figure"
                       "                                where run = ?1 and name = 'share:warm_up'), 0)))"
                       " from run where id = ?1",
                       2, key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    *rate = step == DATABASE_ROW ? database_column_real(query, 0) : NAN;
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        fail_without_run(database, id, error);
    return step == DATABASE_ROW;
}

bool store_run_is_by(struct store *store, int64_t id, const char *strategy, bool *is, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(id), database_text(strategy)};
    sqlite3_stmt *query =
        database_query(database, "select strategy = ?2 from run where id = ?1", 2, key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    *is = step == DATABASE_ROW && database_column_integer(query, 0) != 0;
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        fail_without_run(database, id, error);
    return step == DATABASE_ROW;
}

/* Room for one more element of SIZE behind COUNT of them, doubling; NULL when out of memory. */
static void *make_room(void *elements, size_t count, size_t size)
{
    if (count & (count - 1))
        return elements;
    return realloc(elements, (count ? 2 * count : 1) * size);
}

/* Appends the query's first column; false when out of memory. */
static bool append_id(sqlite3_stmt *query, int64_t **ids, size_t *count)
{
    int64_t *more = make_room(*ids, *count, sizeof *more);
    if (!more)
        return false;
    *ids = more;
    more[(*count)++] = database_column_integer(query, 0);
    return true;
}

bool store_taped_runs(struct store *store, int64_t study, const char *learning_sha256, int64_t **ids,
                      size_t *count, struct error *error)
{
    const struct database *database = store_database(store);
    *ids = NULL;
    *count = 0;
    if (study < 0 && (study = store_latest_study(store, error)) < 0)
        return false;
    const struct database_value key[] = {database_integer(study), database_text(learning_sha256)};
    sqlite3_stmt *query = database_query(
        database,
        "select run.id from study_run join run on run.id = study_run.run join tape on tape.run = run.id"
        " where study_run.study = ?1 and not exists (select 1 from replay"
        "  where replay.run = run.id and replay.learning_sha256 = ?2)"
        " order by run.point, run.strategy, run.replication, run.seed, run.id",
        2, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!append_id(query, ids, count)) {
            error_out_of_memory(error, "the list of runs");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        return true;
    free(*ids);
    *ids = NULL;
    return false;
}

/* The first column of the first row that SQL gives for VALUES, or -1 when there is none. */
static bool read_id(const struct database *database, const char *sql, size_t count,
                    const struct database_value *values, int64_t *id, struct error *error)
{
    sqlite3_stmt *query = database_query(database, sql, count, values, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    *id = step == DATABASE_ROW ? database_column_integer(query, 0) : -1;
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

bool store_find_taped_run(struct store *store, int64_t study, const char *strategy, const char *point,
                          int64_t replication, int64_t *id, struct error *error)
{
    const struct database_value key[] = {
        database_integer(study),
        database_text(strategy),
        database_text(point),
        database_integer(replication),
    };
    return read_id(store_database(store),
                   "select run.id from study_run join run on run.id = study_run.run"
                   " join tape on tape.run = run.id where study_run.study = ?1 and run.strategy = ?2"
                   " and run.point = ?3 and run.replication = ?4 order by run.id",
                   4, key, id, error);
}

bool store_has_replay(struct store *store, int64_t run, const char *learning_sha256, bool *has,
                      struct error *error)
{
    const struct database_value key[] = {database_integer(run), database_text(learning_sha256)};
    int64_t id;
    bool read = read_id(store_database(store),
                        "select id from replay where run = ?1 and learning_sha256 = ?2", 2, key, &id, error);
    *has = id >= 0;
    return read;
}

/* The blob that SQL gives for RUN and TEXT; *BYTES NULL when there is no row. The caller frees. */
static bool read_blob(const struct database *database, const char *sql, int64_t run, const char *text,
                      void **bytes, size_t *length, struct error *error)
{
    const struct database_value key[] = {database_integer(run), database_text(text)};
    sqlite3_stmt *query = database_query(database, sql, text ? 2 : 1, key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    *bytes = NULL;
    *length = 0;
    if (step == DATABASE_ROW && !(*bytes = database_copy_blob(query, 0, length))) {
        error_out_of_memory(error, "a blob of the database");
        step = DATABASE_FAILED;
    }
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

bool store_read_tape(struct store *store, int64_t run, void **bytes, size_t *length, struct error *error)
{
    const struct database *database = store_database(store);
    if (!read_blob(database, "select bytes from tape where run = ?1", run, NULL, bytes, length, error))
        return false;
    if (*bytes)
        return true;
    struct stored_run known;
    if (!store_read_run(store, run, &known, error))
        return false;
    error_set(error, ERROR_INPUT, "%s: run %" PRId64 " (%s, replication %" PRId64 ") was kept without a tape",
              database->path, run, known.strategy, known.replication);
    stored_run_free(&known);
    return false;
}

struct tape *store_load_tape(struct store *store, int64_t run, struct error *error)
{
    struct error fault = {.kind = ERROR_NONE};
    void *bytes;
    size_t length;
    if (!store_read_tape(store, run, &bytes, &length, error))
        return NULL;
    struct tape *tape = tape_decode(bytes, length, &fault);
    free(bytes);
    if (tape && tape_check(tape, &fault))
        return tape;
    tape_destroy(tape);
    error_set(error, ERROR_SYSTEM, "%s: the tape of run %" PRId64 ": %s", store_database(store)->path, run,
              fault.message);
    return NULL;
}

bool store_keep_replay_state(struct store *store, int64_t run, const char *learning_sha256, const void *bytes,
                             size_t length, struct error *error)
{
    const struct database_value values[] = {
        database_integer(run),
        database_text(learning_sha256),
        database_blob(bytes, length),
    };
    return database_run(store_database(store),
                        "insert or replace into replay_state (run, learning_sha256, state)"
                        " values (?1, ?2, ?3)",
                        3, values, error);
}

bool store_read_replay_state(struct store *store, int64_t run, const char *learning_sha256, void **bytes,
                             size_t *length, struct error *error)
{
    return read_blob(store_database(store),
                     "select state from replay_state where run = ?1 and learning_sha256 = ?2", run,
                     learning_sha256, bytes, length, error);
}

static bool append_point(sqlite3_stmt *query, struct replay_point **points, size_t *count)
{
    struct replay_point *more = make_room(*points, *count, sizeof *more);
    if (!more)
        return false;
    *points = more;
    more[(*count)++] = (struct replay_point){
        .time_s = database_column_real(query, 0),
        .step = database_column_real(query, 1),
        .tokens = database_column_real(query, 2),
        .value = database_column_real(query, 3),
    };
    return true;
}

bool store_read_curve(struct store *store, int64_t run, const char *learning_sha256,
                      struct replay_point **points, size_t *count, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(run), database_text(learning_sha256)};
    sqlite3_stmt *query =
        database_query(database,
                       "select t_s, step, tokens, value from series where name = 'loss' and run = ?1"
                       " and replay = (select max(id) from replay where replay.run = ?1"
                       "  and (?2 is null or learning_sha256 = ?2)) order by series.rowid",
                       2, key, error);
    enum database_step step = DATABASE_FAILED;
    *points = NULL;
    *count = 0;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!append_point(query, points, count)) {
            error_out_of_memory(error, "a loss curve");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        return true;
    free(*points);
    *points = NULL;
    *count = 0;
    return false;
}
