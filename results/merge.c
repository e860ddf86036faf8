/*
 * The source is attached to the connection; three temporary tables say what its studies, runs and replays are
 * called here. A number of NULL is one that is yet to be given.
 */
#include "results/merge.h"
#include "results/database.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOOD "('done', 'unfinished', 'stalled')"

static const char maps_sql[] =
    "create temp table if not exists merged_study (old integer primary key, new integer, created integer);"
    "create temp table if not exists merged_run (old integer primary key, new integer, created integer);"
    "create temp table if not exists merged_replay (old integer primary key, new integer);"
    "delete from merged_study; delete from merged_run; delete from merged_replay;";

/* The study here that study ?1 of the source is, or is a shard of. */
static const char same_study_sql[] =
    "select here.id from main.study here join source.study there on there.id = ?1"
    " where here.name = there.name and here.scenario_sha256 = there.scenario_sha256"
    "  and here.version = there.version and here.strategies = there.strategies"
    "  and here.shards is there.shards and (there.shards is not null or"
    "   (here.command_line = there.command_line and here.host = there.host"
    "    and here.started_utc = there.started_utc))"
    " order by here.id limit 1";

static const char add_study_sql[] =
    "insert into main.study (name, scenario, scenario_sha256, version, command_line, host, started_utc,"
    " strategies, learning, shards) select name, scenario, scenario_sha256, version, command_line, host,"
    " started_utc, strategies, learning, shards from source.study where id = ?1";

/* Once joined, a study is no longer one shard; and what failed here may come whole from there. */
static const char open_studies_sql[] =
    "update main.study set shard = null where id in (select new from merged_study);"
    "create temp table merged_failed as select run.id from main.run join merged_study on new = run.study"
    " where status not in " GOOD ";"
    "delete from main.study_run where run in (select id from merged_failed);"
    "delete from main.metric where run in (select id from merged_failed);"
    "delete from main.budget where run in (select id from merged_failed);"
    "delete from main.link where run in (select id from merged_failed);"
    "delete from main.series where run in (select id from merged_failed);"
    "delete from main.tape where run in (select id from merged_failed);"
    "delete from main.run where id in (select id from merged_failed);"
    "drop table merged_failed;";

static const char map_runs_sql[] =
    "insert into merged_run select there.id, coalesce("
    "  (select here.id from main.run here where here.identity = there.identity"
    "    and here.replication = there.replication and here.version is there.version"
    "    and here.status in " GOOD " order by here.id desc limit 1),"
    "  (select here.id from main.run here where here.study = merged_study.new"
    "    and here.strategy = there.strategy and here.point = there.point"
    "    and here.replication = there.replication and here.seed = there.seed)), 0"
    " from source.run there join merged_study on merged_study.old = there.study"
    " where there.status in " GOOD ";"
    /* Of runs that the source has twice the first will do. */
    "create temp table merged_first as select run.id, min(run.id) over (partition by"
    "   ifnull(identity, run.id), replication, version) first"
    "  from merged_run join source.run on run.id = old where new is null;"
    "update merged_run set created = 1, new = (select ifnull(max(id), 0) from main.run) + numbered.number"
    " from (select id, row_number() over (order by id) number from merged_first where id = first) numbered"
    " where numbered.id = merged_run.old;"
    "update merged_run set new = twin.new from merged_first join merged_run twin on twin.old = first"
    " where merged_first.id = merged_run.old and merged_run.new is null;"
    "drop table merged_first;";

static const char copy_runs_sql[] =
    "insert into main.run (id, study, strategy, point, replication, seed, status, simulated_s, wall_s, "
    "events,"
    "  identity, version, series_kept)"
    " select merged_run.new, merged_study.new, strategy, point, replication, seed, status, simulated_s, "
    "wall_s,"
    "  events, identity, version, series_kept from source.run join merged_run on merged_run.old = run.id"
    "  join merged_study on merged_study.old = run.study where merged_run.created order by merged_run.new;"
    "insert or ignore into main.study_run (study, run) select merged_study.new, merged_run.new"
    " from source.study_run join merged_study on merged_study.old = study_run.study"
    "  join merged_run on merged_run.old = study_run.run;"
    /* The same run has the same tape, if it was kept. */
    "insert or ignore into main.tape (run, bytes) select new, bytes from source.tape"
    " join merged_run on old = run;";

static const char copy_replays_sql[] =
    "insert into merged_replay select there.id, (select ifnull(max(id), 0) from main.replay) +"
    "  row_number() over (order by there.id) from source.replay there"
    " join merged_run on merged_run.old = there.run where not exists (select 1 from main.replay here"
    "  where here.run = merged_run.new and here.learning_sha256 = there.learning_sha256)"
    " and there.id = (select min(other.id) from source.replay other join merged_run twin on twin.old = "
    "other.run"
    "  where twin.new = merged_run.new and other.learning_sha256 = there.learning_sha256);"
    "insert into main.replay (id, run, learning, learning_sha256, status)"
    " select merged_replay.new, merged_run.new, learning, learning_sha256, status from source.replay"
    "  join merged_replay on merged_replay.old = replay.id join merged_run on merged_run.old = replay.run;"
    "insert or ignore into main.replay_state (run, learning_sha256, state)"
    " select new, learning_sha256, state from source.replay_state join merged_run on old = run;";

/* What there is of a run or of a replay in tables of which nothing else need be known: statements that copy
 * them, in the order of their rows where these have one. */
static const char plain_tables_sql[] =
    "select 'insert into main.' || list.name || ' select ' || (select group_concat(case column.name"
    "   when 'run' then 'merged_run.new' when 'replay' then 'merged_replay.new' else 'there.' || column.name "
    "end)"
    "   from pragma_table_info(list.name) column) || ' from source.' || list.name || ' there"
    "  join merged_run on merged_run.old = there.run left join merged_replay on merged_replay.old = ' ||"
    "  iif(has_replay, 'there.replay', 'null') || ' where merged_replay.old is not null or created' ||"
    "  iif(has_replay, ' and there.replay is null', '') || iif(list.wr, '', ' order by there.rowid')"
    " from (select listed.name, wr, exists (select 1 from pragma_table_info(listed.name) column"
    "   where column.name = 'replay') has_replay from pragma_table_list listed"
    "  where listed.schema = 'main' and listed.type = 'table') list"
    " where exists (select 1 from pragma_table_info(list.name) column where column.name = 'run')"
    "  and list.name not in ('study_run', 'replay', 'tape', 'replay_state') order by list.name";

static bool copy_plain_tables(const struct database *database, struct error *error)
{
    sqlite3_stmt *query = database_query(database, plain_tables_sql, 0, NULL, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        char *sql = database_copy_text(query, 0);
        if (!sql)
            error_out_of_memory(error, "merging databases");
        bool copied = sql && database_execute(database, sql, error);
        free(sql);
        if (!copied) {
            step = DATABASE_FAILED;
            break;
        }
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* Verdicts are of whole studies. */
static const char copy_verdicts_sql[] =
    "insert into main.expectation (study, strategy, point, metric, wanted, tolerance, got, met, source,"
    "  against, bound, low, high, confidence, until, unit)"
    " select new, strategy, point, metric, wanted, tolerance, got, met, source, against, bound, low, high,"
    "  confidence, until, unit from source.expectation join merged_study on old = study"
    " where created order by expectation.rowid;"
    "insert into main.baseline_change (study, strategy, point, metric, baseline, paired, n, n_before, mean,"
    "  mean_before, change, ci95_low, ci95_high, allowed, confidence, verdict)"
    " select new, strategy, point, metric, baseline, paired, n, n_before, mean, mean_before, change, "
    "ci95_low,"
    "  ci95_high, allowed, confidence, verdict from source.baseline_change join merged_study on old = study"
    " where created order by baseline_change.rowid;";

static bool map_study(const struct database *database, int64_t old, struct error *error)
{
    const struct database_value key = database_integer(old);
    sqlite3_stmt *same = database_query(database, same_study_sql, 1, &key, error);
    enum database_step step = same ? database_next(database, same, error) : DATABASE_FAILED;
    bool found = step == DATABASE_ROW;
    int64_t new = found ? database_column_integer(same, 0) : -1;
    sqlite3_finalize(same);
    if (step == DATABASE_FAILED)
        return false;
    if (!found) {
        if (!database_run(database, add_study_sql, 1, &key, error))
            return false;
        new = sqlite3_last_insert_rowid(database->connection);
    }
    const struct database_value values[] = {key, database_integer(new), database_integer(!found)};
    return database_run(database, "insert into merged_study (old, new, created) values (?1, ?2, ?3)", 3,
                        values, error);
}

/* In their order, so that the newest stays the newest. */
static bool map_studies(const struct database *database, struct error *error)
{
    sqlite3_stmt *query = database_query(database, "select id from source.study order by id", 0, NULL, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!map_study(database, database_column_integer(query, 0), error)) {
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static bool count(const struct database *database, struct merge_outcome *outcome, struct error *error)
{
    return database_read_integer(database, "select count(*) from merged_study", &outcome->studies, error) &&
           database_read_integer(database, "select count(*) from merged_run where created", &outcome->runs,
                                 error) &&
           database_read_integer(database, "select count(*) from merged_run where not created",
                                 &outcome->known, error) &&
           database_read_integer(database, "select count(*) from source.run where status not in " GOOD,
                                 &outcome->left, error);
}

static bool merge(const struct database *database, struct merge_outcome *outcome, struct error *error)
{
    if (!database_begin(database, error))
        return false;
    if (database_execute(database, maps_sql, error) && map_studies(database, error) &&
        database_execute(database, open_studies_sql, error) &&
        database_execute(database, map_runs_sql, error) && database_execute(database, copy_runs_sql, error) &&
        database_execute(database, copy_replays_sql, error) && copy_plain_tables(database, error) &&
        database_execute(database, copy_verdicts_sql, error) && count(database, outcome, error) &&
        database_commit(database, error))
        return true;
    database_roll_back(database);
    return false;
}

/* Looks at SOURCE as a reader does, and so finds what is wrong with it. *NAME, which the caller frees, is
 * what to attach it by. */
static bool check_source(const struct database *database, const char *source, char **name,
                         struct error *error)
{
    struct stat here, there;
    if (stat(database->path, &here) == 0 && stat(source, &there) == 0 && here.st_dev == there.st_dev &&
        here.st_ino == there.st_ino) {
        error_set(error, ERROR_INPUT, "%s: this is the database that the others are merged into", source);
        return false;
    }
    struct store *store = store_open_read_only(source, error);
    if (!store)
        return false;
    *name = store_name_to_attach(store);
    if (!*name)
        error_out_of_memory(error, "a database's name");
    store_close(store);
    return *name != NULL;
}

static bool attach(const struct database *database, const char *source, struct error *error)
{
    char *name = NULL;
    if (!check_source(database, source, &name, error))
        return false;
    const struct database_value value = database_text(name);
    bool attached = database_run(database, "attach ?1 as source", 1, &value, error);
    free(name);
    return attached;
}

/* All studies that the source touched, the newest number last. */
static bool summarise(struct store *store, struct error *error)
{
    const struct database *database = store_database(store);
    int64_t study = -1;
    for (;;) {
        const struct database_value after = database_integer(study);
        sqlite3_stmt *query =
            database_query(database, "select min(new) from merged_study where new > ?1", 1, &after, error);
        bool read = query && database_next(database, query, error) == DATABASE_ROW;
        bool last = read && sqlite3_column_type(query, 0) == SQLITE_NULL;
        study = read ? database_column_integer(query, 0) : -1;
        sqlite3_finalize(query);
        if (!read || last)
            return read;
        if (!store_summarise(store, study, error))
            return false;
    }
}

/* Whether SQLite finds the attached source as it should be; not for what is merged, which may be large. */
static bool is_source_sound(const struct database *database)
{
    sqlite3_stmt *query = database_query(database, "pragma source.quick_check(1)", 0, NULL, NULL);
    bool sound = query && database_next(database, query, NULL) == DATABASE_ROW &&
                 sqlite3_column_text(query, 0) &&
                 strcmp((const char *)sqlite3_column_text(query, 0), "ok") == 0;
    sqlite3_finalize(query);
    return sound;
}

/* SQLite's messages don't say which of the two databases they are about. */
static void blame(const struct database *database, const char *source, const struct error *cause,
                  struct error *error)
{
    if (is_source_sound(database))
        error_set(error, cause->kind, "%s (while %s was merged into it)", cause->message, source);
    else
        error_set(error, ERROR_SYSTEM, "%s: the database is damaged; nothing of it is merged", source);
}

bool store_merge(struct store *store, const char *source, struct merge_outcome *outcome, struct error *error)
{
    const struct database *database = store_database(store);
    *outcome = (struct merge_outcome){0};
    if (!attach(database, source, error))
        return false;
    struct error cause = {.kind = ERROR_NONE};
    bool merged = merge(database, outcome, &cause);
    if (!merged)
        blame(database, source, &cause, error);
    merged = merged && summarise(store, error);
    database_execute(database, "detach source", merged ? error : NULL);
    return merged;
}
