/*
 * Writing what a replay leaves, in one transaction: whoever reads sees all of it or the one before.
 */
#include "results/database.h"
#include "results/learning.h"

#include <math.h>

/* Runs SQL for RUN and LEARNING_SHA256. */
static bool run_for(const struct database *database, const char *sql, const struct replay_record *replay,
                    struct error *error)
{
    const struct database_value key[] = {
        database_integer(replay->run),
        database_text(replay->learning_sha256),
    };
    return database_run(database, sql, 2, key, error);
}

#define REPLACED "(select id from replay where run = ?1 and learning_sha256 = ?2)"

static bool remove_older(const struct database *database, const struct replay_record *replay,
                         struct error *error)
{
    return run_for(database, "delete from metric where replay = " REPLACED, replay, error) &&
           run_for(database, "delete from series where replay = " REPLACED, replay, error) &&
           run_for(database, "delete from replay where run = ?1 and learning_sha256 = ?2", replay, error) &&
           run_for(database, "delete from replay_state where run = ?1 and learning_sha256 = ?2", replay,
                   error);
}

static bool add_metrics(const struct database *database, int64_t id, const struct replay_record *replay,
                        struct error *error)
{
    for (size_t i = 0; i < replay->metric_count; i++) {
        const struct replay_metric *metric = &replay->metrics[i];
        const struct database_value values[] = {
            database_integer(replay->run), database_integer(id),        database_text(metric->name),
            database_real(metric->value),  database_text(metric->unit),
        };
        if (isfinite(metric->value) &&
            !database_run(database,
                          "insert into metric (run, replay, name, value, unit) values (?1, ?2, ?3, ?4, ?5)",
                          5, values, error))
            return false;
    }
    return true;
}

static bool add_point(const struct database *database, sqlite3_stmt *insert, int64_t run, int64_t id,
                      const struct replay_point *point, struct error *error)
{
    const struct database_value values[] = {
        database_integer(run),        database_integer(id),
        database_real(point->time_s), database_real(point->step),
        database_real(point->tokens), database_real(isfinite(point->value) ? point->value : NAN),
    };
    return database_write(database, insert, 6, values, error);
}

static bool add_curve(const struct database *database, int64_t id, const struct replay_record *replay,
                      struct error *error)
{
    sqlite3_stmt *insert = database_query(database,
                                          "insert into series (run, replay, name, t_s, step, tokens, value)"
                                          " values (?1, ?2, 'loss', ?3, ?4, ?5, ?6)",
                                          0, NULL, error);
    bool added = insert != NULL;
    for (size_t i = 0; added && i < replay->point_count; i++)
        added = add_point(database, insert, replay->run, id, &replay->loss[i], error);
    sqlite3_finalize(insert);
    return added;
}

static bool add(const struct database *database, const struct replay_record *replay, struct error *error)
{
    const struct database_value values[] = {
        database_integer(replay->run),
        database_text(replay->learning),
        database_text(replay->learning_sha256),
        database_text(replay->status),
    };
    if (!remove_older(database, replay, error) ||
        !database_run(database,
                      "insert into replay (run, learning, learning_sha256, status) values (?1, ?2, ?3, ?4)",
                      4, values, error))
        return false;
    int64_t id = sqlite3_last_insert_rowid(database->connection);
    return add_metrics(database, id, replay, error) && add_curve(database, id, replay, error);
}

bool store_add_replay(struct store *store, const struct replay_record *replay, struct error *error)
{
    const struct database *database = store_database(store);
    if (!database_begin(database, error))
        return false;
    if (add(database, replay, error) && database_commit(database, error))
        return true;
    database_roll_back(database);
    return false;
}
