/*
 * Finding runs again. A run that was broken off or failed is none; one that is there twice (two processes had
 * it in hand at once, or it was forced) counts by its newest.
 */
#include "results/database.h"
#include "results/store.h"

static const char find_sql[] =
    "select id, ifnull(version = ?1, 0) from run where identity = ?2 and replication = ?3"
    " and status in ('done', 'unfinished', 'stalled')"
    " and (not ?4 or exists (select 1 from tape where tape.run = run.id)) and series_kept >= ?5"
    " order by 2 desc, id desc limit 1";

static bool find_run(const struct database *database, sqlite3_stmt *query, const char *version,
                     const struct run_wanted *wanted, int64_t *id, size_t *others, struct error *error)
{
    const struct database_value key[] = {
        database_text(version),
        database_text(wanted->identity),
        database_integer(wanted->replication),
        database_integer(wanted->tape),
        database_integer(wanted->timeline ? 2 : wanted->series),
    };
    *id = -1;
    if (!database_bind(database, query, 5, key, error))
        return false;
    enum database_step step = database_next(database, query, error);
    if (step == DATABASE_ROW && database_column_integer(query, 1))
        *id = database_column_integer(query, 0);
    else if (step == DATABASE_ROW)
        ++*others;
    sqlite3_reset(query);
    return step != DATABASE_FAILED;
}

bool store_find_runs(struct store *store, const char *version, const struct run_wanted *wanted, size_t count,
                     int64_t *ids, size_t *others, struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = database_query(database, find_sql, 0, NULL, error);
    bool found = query != NULL;
    *others = 0;
    for (size_t i = 0; i < count && found; i++)
        found = find_run(database, query, version, &wanted[i], &ids[i], others, error);
    sqlite3_finalize(query);
    return found;
}

static bool use_runs(const struct database *database, sqlite3_stmt *insert, int64_t study, const int64_t *ids,
                     size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct database_value values[] = {database_integer(study), database_integer(ids[i])};
        if (ids[i] >= 0 && !database_write(database, insert, 2, values, error))
            return false;
    }
    return true;
}

bool store_use_runs(struct store *store, int64_t study, const int64_t *ids, size_t count, struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *insert = database_query(
        database, "insert or ignore into study_run (study, run) values (?1, ?2)", 0, NULL, error);
    bool used = insert && database_begin(database, error) &&
                use_runs(database, insert, study, ids, count, error) && database_commit(database, error);
    sqlite3_finalize(insert);
    if (!used)
        database_roll_back(database);
    return used;
}
