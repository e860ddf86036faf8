/*
 * Read in three steps: names and counts by SQL; the points' JSON by SQLite's own reader; then each axis is
 * tried as a list of quantities of one kind.
 */
#include "results/outline.h"
#include "results/database.h"
#include "results/outline_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED "run.status in ('done', 'unfinished', 'stalled')"
#define NAMED                                                                                                \
    "exists (select 1 from study named, json_each(named.strategies) place where named.id = ?1"               \
    " and place.value = '" OUTLINE_REFERENCE "')"
#define USED                                                                                                 \
    "study_run join run on run.id = study_run.run where study_run.study = ?1"                                \
    " and (run.strategy <> '" OUTLINE_REFERENCE "' or " NAMED ")"

static void point_free(struct outline_point *point, size_t axis_count)
{
    for (size_t i = 0; point->settings && i < axis_count; i++)
        free(point->settings[i].text);
    free(point->settings);
    free(point->runs);
    free(point->json);
}

void outline_destroy(struct outline *outline)
{
    if (!outline)
        return;
    for (size_t i = 0; i < outline->strategy_count; i++)
        free(outline->strategies[i]);
    for (size_t i = 0; i < outline->point_count; i++)
        point_free(&outline->points[i], outline->axis_count);
    for (size_t i = 0; i < outline->axis_count; i++)
        free(outline->axes[i].path);
    free(outline->strategies);
    free(outline->points);
    free(outline->axes);
    free(outline->learning);
    free(outline->started_utc);
    free(outline->name);
    free(outline);
}

/* The texts of a query's first column. The array and its COUNT texts are the caller's, after a failure too.
 */
static bool read_texts(const struct database *database, const char *sql, int64_t study, char ***texts,
                       size_t *count, struct error *error)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(database, sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        char **more = realloc(*texts, (*count + 1) * sizeof **texts);
        char *text = database_copy_text(query, 0);
        if (more)
            *texts = more;
        if (!more || !text) {
            free(text);
            error_out_of_memory(error, "a study's outline");
            step = DATABASE_FAILED;
            break;
        }
        (*texts)[(*count)++] = text;
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static bool read_study(const struct database *database, struct outline *outline, struct error *error)
{
    const struct database_value key = database_integer(outline->study);
    sqlite3_stmt *query = database_query(
        database,
        "select name, started_utc, (select ifnull(max(n), 0) from (select count(*) n from " USED
        " and " COUNTED " group by run.strategy, run.point)) from study where id = ?1",
        1, &key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW) {
        outline->name = database_copy_text(query, 0);
        outline->started_utc = database_copy_text(query, 1);
        outline->replications = database_column_integer(query, 2);
    }
    sqlite3_finalize(query);
    if (step == DATABASE_END)
        error_set(error, ERROR_INPUT, "%s: there is no study %lld", database->path,
                  (long long)outline->study);
    if (step == DATABASE_ROW && (!outline->name || !outline->started_utc))
        error_out_of_memory(error, "a study's outline");
    return outline->name && outline->started_utc;
}

/* The shown learning's name and the number of all, and whether there is a reference. */
static bool read_learning(const struct database *database, struct outline *outline, struct error *error)
{
    const struct database_value key = database_integer(outline->study);
    sqlite3_stmt *query =
        database_query(database,
                       "select (select learning from study where id = ?1), (select count(distinct learning) "
                       "from study_replay where study = ?1),"
                       " not " NAMED " and exists (select 1 from study_run join run on run.id = study_run.run"
                       "  where study_run.study = ?1 and run.strategy = '" OUTLINE_REFERENCE "')",
                       1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    if (read) {
        outline->learning = database_copy_text(query, 0);
        outline->learnings = (size_t)database_column_integer(query, 1);
        outline->reference = database_column_integer(query, 2) ? OUTLINE_REFERENCE : NULL;
    }
    sqlite3_finalize(query);
    if (read && outline->learnings > 0 && !outline->learning) {
        error_out_of_memory(error, "a study's outline");
        return false;
    }
    return read;
}

static bool read_axes(const struct database *database, struct outline *outline, struct error *error)
{
    char **paths = NULL;
    size_t count = 0;
    bool read =
        read_texts(database,
                   "select distinct setting.key from (select distinct run.point from " USED ") points,"
                   " json_each(points.point) setting order by 1",
                   outline->study, &paths, &count, error);
    outline->axes = calloc(count + 1, sizeof *outline->axes);
    for (size_t i = 0; i < count && outline->axes; i++)
        outline->axes[i].path = paths[i];
    if (outline->axes)
        outline->axis_count = count;
    for (size_t i = 0; i < count && !outline->axes; i++)
        free(paths[i]);
    free(paths);
    if (!outline->axes)
        error_out_of_memory(error, "a study's outline");
    return read && outline->axes;
}

/* The value of the query's row (value, JSON type) as people write it. */
static char *setting_text(sqlite3_stmt *query)
{
    const char *type = (const char *)sqlite3_column_text(query, 1);
    if (type && (strcmp(type, "true") == 0 || strcmp(type, "false") == 0))
        return strdup(type);
    if (sqlite3_column_type(query, 0) != SQLITE_FLOAT)
        return database_copy_text(query, 0);
    char *text = NULL;
    if (asprintf(&text, "%.15g", sqlite3_column_double(query, 0)) < 0)
        return NULL;
    return text;
}

static bool read_setting(const struct database *database, const char *point, const char *path,
                         struct outline_setting *setting, struct error *error)
{
    const struct database_value key[] = {database_text(point), database_text(path)};
    sqlite3_stmt *query =
        database_query(database, "select value, type from json_each(?1) where key = ?2", 2, key, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW)
        setting->text = setting_text(query);
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

size_t outline_find_point(const struct outline *outline, const char *json)
{
    size_t i = 0;
    while (i < outline->point_count && strcmp(outline->points[i].json, json) != 0)
        i++;
    return i;
}

size_t outline_find_strategy(const struct outline *outline, const char *name)
{
    size_t i = 0;
    while (i < outline->strategy_count && strcmp(outline->strategies[i], name) != 0)
        i++;
    return i;
}

/* The point that the query's first column names. */
static struct outline_point *find_point(struct outline *outline, sqlite3_stmt *query)
{
    size_t point = outline_find_point(outline, (const char *)sqlite3_column_text(query, 0));
    return point < outline->point_count ? &outline->points[point] : NULL;
}

/* The counts of a row's point and strategy, or NULL. */
static struct outline_runs *find_runs(struct outline *outline, sqlite3_stmt *query)
{
    struct outline_point *point = find_point(outline, query);
    size_t strategy = outline_find_strategy(outline, (const char *)sqlite3_column_text(query, 1));
    return point && strategy < outline->strategy_count ? &point->runs[strategy] : NULL;
}

/* Counts the runs of a row: point, strategy, status, number. */
static void count_runs(struct outline *outline, sqlite3_stmt *query)
{
    struct outline_runs *runs = find_runs(outline, query);
    const char *status = (const char *)sqlite3_column_text(query, 2);
    int64_t count = database_column_integer(query, 3);
    if (!runs)
        return;
    runs->all += count;
    for (size_t i = 0; i < RUN_STATUSES; i++)
        if (strcmp(run_status_names[i], status) == 0)
            runs->with[i] += count;
}

/* Takes down a row's replays: point, strategy, number, of which diverged. */
static void count_replays(struct outline *outline, sqlite3_stmt *query)
{
    struct outline_runs *runs = find_runs(outline, query);
    if (!runs)
        return;
    runs->replays = database_column_integer(query, 2);
    runs->diverged = database_column_integer(query, 3);
}

/* Chips and duration from a row: point, least and greatest of each. */
static void note_extent(struct outline *outline, sqlite3_stmt *query)
{
    struct outline_point *point = find_point(outline, query);
    if (point && database_column_integer(query, 1) == database_column_integer(query, 2))
        point->chips = database_column_integer(query, 1);
    if (point && database_column_real(query, 3) >= database_column_real(query, 4))
        point->seconds = database_column_real(query, 3);
}

/* Gives each row that SQL has for the study to NOTE. */
static bool note_rows(const struct database *database, struct outline *outline, const char *sql,
                      void (*note)(struct outline *, sqlite3_stmt *), struct error *error)
{
    const struct database_value key = database_integer(outline->study);
    sqlite3_stmt *query = database_query(database, sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        note(outline, query);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static bool read_runs(const struct database *database, struct outline *outline, struct error *error)
{
    return note_rows(database, outline,
                     "select run.point, run.strategy, run.status, count(*) from " USED " group by 1, 2, 3",
                     count_runs, error) &&
           note_rows(
               database, outline,
               "select point, min(chips), max(chips), min(simulated_s), max(simulated_s) from"
               " (select run.point, run.simulated_s, cast(round((select sum(chip_s) + 1e-9 * sum(chip_ns)"
               "   from budget where budget.run = run.id) / run.simulated_s) as integer) chips"
               "  from " USED " and run.simulated_s > 0 and " COUNTED ") group by 1",
               note_extent, error) &&
           note_rows(
               database, outline,
               "select point, strategy, count(*), sum(status = 'diverged') from study_replay"
               " where study = ?1 and learning = (select learning from study where id = ?1) group by 1, 2",
               count_replays, error);
}

static bool read_point(const struct database *database, struct outline *outline, struct outline_point *point,
                       struct error *error)
{
    point->seconds = NAN;
    point->settings = calloc(outline->axis_count + 1, sizeof *point->settings);
    point->runs = calloc(outline->strategy_count + 1, sizeof *point->runs);
    if (!point->settings || !point->runs) {
        error_out_of_memory(error, "a study's outline");
        return false;
    }
    for (size_t i = 0; i < outline->axis_count; i++)
        if (!read_setting(database, point->json, outline->axes[i].path, &point->settings[i], error))
            return false;
    return true;
}

static bool read_points(const struct database *database, struct outline *outline, struct error *error)
{
    char **json = NULL;
    size_t count = 0;
    bool read = read_texts(database, "select run.point from " USED " group by 1 order by min(run.id)",
                           outline->study, &json, &count, error);
    outline->points = calloc(count + 1, sizeof *outline->points);
    if (!outline->points)
        error_out_of_memory(error, "a study's outline");
    for (size_t i = 0; i < count && outline->points; i++)
        outline->points[outline->point_count++].json = json[i];
    for (size_t i = outline->point_count; i < count; i++)
        free(json[i]);
    free(json);
    read = read && outline->points;
    for (size_t i = 0; read && i < outline->point_count; i++)
        read = read_point(database, outline, &outline->points[i], error);
    return read && read_runs(database, outline, error);
}

static int compare_points(const void *a, const void *b, void *axis_count)
{
    const struct outline_point *left = a, *right = b;
    for (size_t i = 0; i < *(const size_t *)axis_count; i++) {
        double x = left->settings[i].number, y = right->settings[i].number;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return strcmp(left->json, right->json);
}

static bool fill(struct store *store, struct outline *outline, struct error *error)
{
    const struct database *database = store_database(store);
    if (!read_study(database, outline, error) || !read_learning(database, outline, error) ||
        !read_texts(database,
                    "select run.strategy from " USED " group by 1 order by ifnull((select min(place.key) from"
                    " study, json_each(study.strategies) place where study.id = ?1"
                    " and place.value = run.strategy), 1e9), min(run.id)",
                    outline->study, &outline->strategies, &outline->strategy_count, error) ||
        !read_axes(database, outline, error) || !read_points(database, outline, error))
        return false;
    if (!outline_number_axes(outline)) {
        error_out_of_memory(error, "a study's outline");
        return false;
    }
    qsort_r(outline->points, outline->point_count, sizeof *outline->points, compare_points,
            &outline->axis_count);
    return true;
}

struct outline *outline_create(struct store *store, int64_t study, struct error *error)
{
    if (study < 0 && (study = store_latest_study(store, error)) < 0)
        return NULL;
    struct outline *outline = calloc(1, sizeof *outline);
    if (!outline) {
        error_out_of_memory(error, "a study's outline");
        return NULL;
    }
    outline->study = study;
    if (fill(store, outline, error))
        return outline;
    outline_destroy(outline);
    return NULL;
}

char *outline_point_words(const struct outline *outline, const struct outline_point *point)
{
    char *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    if (!out)
        return NULL;
    const char *separator = "";
    for (size_t i = 0; i < outline->axis_count; i++) {
        if (!point->settings[i].text || outline->axes[i].leader != i)
            continue;
        fprintf(out, "%s%s = %s", separator, outline->axes[i].path, point->settings[i].text);
        separator = ", ";
    }
    if (fclose(out) == 0)
        return words;
    free(words);
    return NULL;
}

char *outline_text(struct store *store, int64_t study, outline_writer *write, const void *context,
                   const char *what, struct error *error)
{
    struct outline *outline = outline_create(store, study, error);
    if (!outline)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool written = out && write(store, outline, context, out, error);
    outline_destroy(outline);
    if (out && fclose(out) == 0 && written)
        return text;
    if (written || !out)
        error_out_of_memory(error, what);
    free(text);
    return NULL;
}
