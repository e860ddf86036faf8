/*
 * One pass over the study's figures, sorted so that the replications of one figure follow one another in a
 * fixed order: the sums, and so the last bits of the means, don't depend on which run was finished first.
 */
#include "results/database.h"
#include "results/inference.h"
#include "results/store.h"
#include "sim/tally.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The replays that stand for the study: of those that share strategy, point and name but not the learning,
 * those of the learning that most runs were replayed with, or else of the newest. */
static const char replays_sql[] =
    "insert into summary_replay (study, replay)"
    " select ?1, id from (select id, rank() over (partition by strategy, point, learning"
    "   order by replays desc, newest desc) place from ("
    "  select replay.id, run.strategy, run.point, replay.learning, count(*) over same replays,"
    "    max(replay.id) over same newest"
    "   from study_run join run on run.id = study_run.run join replay on replay.run = run.id"
    "   where study_run.study = ?1 and run.status in ('done', 'unfinished', 'stalled')"
    "   window same as (partition by run.strategy, run.point, replay.learning, replay.learning_sha256)))"
    " where place = 1";

/* Of several variants that with most replays is shown, or else the newest. */
static const char learning_sql[] =
    "update study set learning = (select learning from study_replay where study = ?1 group by 1"
    "  order by count(*) desc, max(replay) desc limit 1) where id = ?1";

/* What the view run_figure has, from the study's runs and the replays that stand for it alone. */
static const char figures_sql[] =
    "with used as (select run.id, strategy, point, replication, seed"
    "  from study_run join run on run.id = study_run.run"
    "  where study_run.study = ?1 and status in ('done', 'unfinished', 'stalled')),"
    " replayed as materialized (select run, replay, learning from study_replay where study = ?1)"
    " select strategy, point, null, name, value, replication, seed, used.id"
    "  from used join metric on metric.run = used.id where metric.replay is null"
    " union all"
    " select strategy, point, learning, name, value, replication, seed, used.id"
    "  from replayed join used on used.id = replayed.run join metric on metric.replay = replayed.replay"
    " union all"
    " select strategy, point, null, 'share:' || category, (chip_s + 1e-9 * chip_ns) / total.chip_time,"
    "  replication, seed, used.id from used join budget on budget.run = used.id join"
    "  (select run, sum(chip_s) + 1e-9 * sum(chip_ns) chip_time from budget"
    "   where run in (select id from used) group by run) total on total.run = used.id"
    " where total.chip_time > 0"
    " union all"
    " select strategy, point, null, 'waste:' || source,"
    "  ifnull(sum(chip_s) + 1e-9 * sum(chip_ns), 0) / total.chip_time, replication, seed, used.id"
    "  from used join cause on cause.run = used.id"
    "  left join waste on waste.run = used.id and waste.cause = cause.number join"
    "  (select run, sum(chip_s) + 1e-9 * sum(chip_ns) chip_time from budget"
    "   where run in (select id from used) group by run) total on total.run = used.id"
    " where total.chip_time > 0 group by used.id, source"
    " order by 1, 2, 3, 4, 6, 7, 8";

enum { KEY_COLUMNS = 4, VALUE_COLUMN = 4 };

/* The observations of one figure: a strategy's at a point, of a learning variant or none, of a metric. */
struct group {
    char *key[KEY_COLUMNS];
    double *values;
    size_t count, capacity;
};

static void group_clear(struct group *group)
{
    for (size_t i = 0; i < KEY_COLUMNS; i++)
        free(group->key[i]);
    memset(group->key, 0, sizeof group->key);
    group->count = 0;
}

static bool group_holds(const struct group *group, sqlite3_stmt *query)
{
    for (int i = 0; i < KEY_COLUMNS; i++) {
        const char *text = (const char *)sqlite3_column_text(query, i);
        const char *key = group->key[i];
        if (text && key ? strcmp(text, key) != 0 : text != key)
            return false;
    }
    return true;
}

static void group_start(struct group *group, sqlite3_stmt *query)
{
    group_clear(group);
    for (int i = 0; i < KEY_COLUMNS; i++)
        group->key[i] = database_copy_text(query, i);
}

static bool group_add(struct group *group, double value, struct error *error)
{
    if (group->count == group->capacity) {
        size_t capacity = group->capacity ? 2 * group->capacity : 16;
        double *values = realloc(group->values, capacity * sizeof *values);
        if (!values) {
            error_out_of_memory(error, "a summary");
            return false;
        }
        group->values = values;
        group->capacity = capacity;
    }
    group->values[group->count++] = value;
    return true;
}

/* Writes the group's row; one observation has no deviation. Sorts the values. */
static bool group_write(const struct database *database, sqlite3_stmt *insert, int64_t study,
                        struct group *group, struct error *error)
{
    double mean = gsl_stats_mean(group->values, 1, group->count);
    double deviation = NAN, half = NAN;
    if (group->count > 1) {
        deviation = gsl_stats_sd_m(group->values, 1, group->count, mean);
        half = sim_student_half_width(group->count, deviation, 0.95);
    }
    gsl_sort(group->values, 1, group->count);
    const struct database_value values[] = {
        database_integer(study),
        database_text(group->key[0]),
        database_text(group->key[1]),
        database_text(group->key[2]),
        database_text(group->key[3]),
        database_integer((int64_t)group->count),
        database_real(mean),
        database_real(deviation),
        database_real(mean - half),
        database_real(mean + half),
        database_real(inference_quantile(group->values, group->count, 0.05)),
        database_real(inference_quantile(group->values, group->count, 0.5)),
        database_real(inference_quantile(group->values, group->count, 0.95)),
    };
    return database_write(database, insert, sizeof values / sizeof values[0], values, error);
}

/* Reads all figures and writes a row whenever a group ends. */
static bool write_groups(const struct database *database, sqlite3_stmt *figures, sqlite3_stmt *insert,
                         int64_t study, struct group *group, struct error *error)
{
    for (;;) {
        enum database_step step = database_next(database, figures, error);
        if (step == DATABASE_FAILED)
            return false;
        bool same = step == DATABASE_ROW && group->count > 0 && group_holds(group, figures);
        if (group->count > 0 && !same && !group_write(database, insert, study, group, error))
            return false;
        if (step == DATABASE_END)
            return true;
        if (!same)
            group_start(group, figures);
        if (!group_add(group, sqlite3_column_double(figures, VALUE_COLUMN), error))
            return false;
    }
}

/* Replaces what was chosen before. */
static bool choose_replays(const struct database *database, int64_t study, struct error *error)
{
    const struct database_value key = database_integer(study);
    return database_run(database, "delete from summary_replay where study = ?1", 1, &key, error) &&
           database_run(database, replays_sql, 1, &key, error) &&
           database_run(database, learning_sql, 1, &key, error);
}

static bool summarise(const struct database *database, int64_t study, struct error *error)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *clear = database_query(database, "delete from summary where study = ?1", 0, NULL, error);
    sqlite3_stmt *insert = database_query(
        database,
        "insert into summary (study, strategy, point, replay, metric, n, mean, sd, ci95_low, ci95_high,"
        "  p05, median, p95) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        0, NULL, error);
    sqlite3_stmt *figures = database_query(database, figures_sql, 1, &key, error);
    struct group group = {0};
    bool done = clear && insert && figures && database_write(database, clear, 1, &key, error) &&
                write_groups(database, figures, insert, study, &group, error);
    group_clear(&group);
    free(group.values);
    sqlite3_finalize(clear);
    sqlite3_finalize(insert);
    sqlite3_finalize(figures);
    return done;
}

bool store_summarise(struct store *store, int64_t study, struct error *error)
{
    const struct database *database = store_database(store);
    if (study < 0 && (study = store_latest_study(store, error)) < 0)
        return false;
    if (!database_begin(database, error))
        return false;
    if (choose_replays(database, study, error) && summarise(database, study, error) &&
        database_commit(database, error))
        return true;
    database_roll_back(database);
    return false;
}

static const char mean_sql[] =
    "select n, mean, sd, ci95_low, ci95_high from summary where study = ?1"
    " and strategy = ?2 and point = ?3 and metric = ?4"
    " order by case when replay is null then 0 when replay = (select learning from study where id = ?1)"
    " then 1 else 2 end, replay limit 1";

bool store_mean(struct store *store, int64_t study, const char *strategy, const char *point,
                const char *metric, struct store_mean *mean)
{
    struct database *database = store_database(store);
    if (study < 0 && (study = store_latest_study(store, NULL)) < 0)
        return false;
    const struct database_value key[] = {
        database_integer(study),
        database_text(strategy),
        database_text(point),
        database_text(metric),
    };
    if (!database->mean && !(database->mean = database_query(database, mean_sql, 0, NULL, NULL)))
        return false;
    sqlite3_stmt *query = database->mean;
    bool found =
        database_bind(database, query, 4, key, NULL) && database_next(database, query, NULL) == DATABASE_ROW;
    if (found)
        *mean = (struct store_mean){
            .count = database_column_integer(query, 0),
            .mean = sqlite3_column_double(query, 1),
            .deviation = database_column_real(query, 2),
            .low = database_column_real(query, 3),
            .high = database_column_real(query, 4),
        };
    sqlite3_reset(query);
    return found;
}
