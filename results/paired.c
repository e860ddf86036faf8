/*
 * Pairs are joined in SQL and come sorted by point and replication, so that sums don't depend on the order
 * in which runs were finished.
 */
#include "results/paired.h"
#include "results/database.h"
#include "results/outline.h"
#include "sim/tally.h"

#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

/* A figure is a metric of the simulation, a share of the budget or a metric of the shown learning's replay.
 */
#define FIGURES                                                                                              \
    "with replayed as materialized (select run, replay from study_replay"                                    \
    "   where study = ?1 and point in (?2, ?6) and learning = (select learning from study where id = ?1)),"  \
    " figure as ("                                                                                           \
    "  select run.strategy, run.point, run.replication, run.seed, coalesce("                                 \
    "    (select value from metric where metric.run = run.id and ifnull(replay, 0) = 0 and name = ?5),"      \
    "    (select value from replayed join metric on metric.replay = replayed.replay"                         \
    "       where replayed.run = run.id and name = ?5),"                                                     \
    "    (select value from run_figure figure where figure.run = run.id and figure.name = ?5"                \
    "       and substr(?5, 1, 6) in ('share:', 'waste:'))) value"                                            \
    "  from study_run join run on run.id = study_run.run"                                                    \
    "  where study_run.study = ?1 and run.point in (?2, ?6) and run.strategy in (?3, ?4)"                    \
    "   and run.replication >= ?7 and run.status in ('done', 'unfinished', 'stalled'))"

static const char pairs_sql[] =
    FIGURES " select a.value, b.value from figure a join figure b"
            "  on b.replication = a.replication and b.seed = a.seed"
            " where a.strategy = ?3 and b.strategy = ?4 and a.value is not null and b.value is not null"
            " order by a.replication, a.seed";

/* One strategy at two points; elsewhere ?6 is the same as ?2. */
static const char points_sql[] =
    FIGURES " select a.value, b.value from figure a join figure b"
            "  on b.replication = a.replication and b.seed = a.seed"
            " where a.point = ?2 and b.point = ?6 and a.value is not null and b.value is not null"
            " order by a.replication, a.seed";

/* Those of one strategy, ?3; ?4 is the same. */
static const char runs_sql[] =
    FIGURES " select value, value from figure where value is not null order by replication, seed";

/* Observations of one point. */
struct pairs {
    double *a, *b, *difference;
    size_t count, capacity;
};

static void pairs_free(struct pairs *pairs)
{
    free(pairs->a);
    free(pairs->b);
    free(pairs->difference);
}

static bool widen(double **values, size_t capacity)
{
    double *more = realloc(*values, capacity * sizeof **values);
    if (more)
        *values = more;
    return more != NULL;
}

static bool pairs_add(struct pairs *pairs, double a, double b, struct error *error)
{
    if (pairs->count == pairs->capacity) {
        size_t capacity = pairs->capacity ? 2 * pairs->capacity : 16;
        if (!widen(&pairs->a, capacity) || !widen(&pairs->b, capacity) ||
            !widen(&pairs->difference, capacity)) {
            error_out_of_memory(error, "a paired comparison");
            return false;
        }
        pairs->capacity = capacity;
    }
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count] = b;
    pairs->difference[pairs->count++] = a - b;
    return true;
}

/* Where the figures are. */
struct place {
    struct store *store;
    int64_t study;
    const char *point, *metric;
    const char *other_point; /* of the second figure; NULL: the same */
    int64_t first;           /* replication */
};

static bool read_figures(const struct place *place, const char *sql, const char *a, const char *b,
                         struct pairs *pairs, struct error *error)
{
    const struct database *database = store_database(place->store);
    const struct database_value key[] = {
        database_integer(place->study),
        database_text(place->point),
        database_text(a),
        database_text(b),
        database_text(place->metric),
        database_text(place->other_point ? place->other_point : place->point),
        database_integer(place->first)};
    sqlite3_stmt *query = database_query(database, sql, sizeof key / sizeof *key, key, error);
    enum database_step step = DATABASE_FAILED;
    pairs->count = 0;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!pairs_add(pairs, sqlite3_column_double(query, 0), sqlite3_column_double(query, 1), error)) {
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* How many pairs would keep the interval from 0, if they are more than there are. */
static int64_t count_needed(const struct paired_point *point)
{
    int64_t needed = inference_replications(point->deviation, fabs(point->difference), CONFIDENCE);
    return needed > point->pairs && needed < INT64_MAX ? needed : 0;
}

static struct paired_point describe(const struct pairs *pairs)
{
    struct paired_point point = {
        .pairs = (int64_t)pairs->count,
        .mean_a = gsl_stats_mean(pairs->a, 1, pairs->count),
        .mean_b = gsl_stats_mean(pairs->b, 1, pairs->count),
        .difference = gsl_stats_mean(pairs->difference, 1, pairs->count),
        .deviation = NAN,
        .bootstrap = {NAN, NAN},
    };
    double half = NAN;
    if (pairs->count > 1) {
        point.deviation = gsl_stats_sd_m(pairs->difference, 1, pairs->count, point.difference);
        half = sim_student_half_width(pairs->count, point.deviation, CONFIDENCE);
        point.needed = count_needed(&point);
    }
    point.low = point.difference - half;
    point.high = point.difference + half;
    return point;
}

/* Runs that have no seed in common. */
static struct paired_point describe_apart(const struct pairs *a, const struct pairs *b)
{
    struct inference_difference difference = inference_welch(a->a, a->count, b->a, b->count, CONFIDENCE);
    return (struct paired_point){.runs_a = (int64_t)a->count,
                                 .runs_b = (int64_t)b->count,
                                 .mean_a = gsl_stats_mean(a->a, 1, a->count),
                                 .mean_b = gsl_stats_mean(b->a, 1, b->count),
                                 .difference = difference.mean,
                                 .deviation = NAN,
                                 .low = difference.interval.low,
                                 .high = difference.interval.high,
                                 .bootstrap = {NAN, NAN}};
}

/* Adds the point that PLACE names; PAIRED has room for it. */
static bool add_point(struct paired *paired, const struct place *place, struct paired_point point,
                      struct error *error)
{
    point.point = strdup(place->point);
    if (!point.point) {
        error_out_of_memory(error, "a paired comparison");
        return false;
    }
    paired->points[paired->point_count++] = point;
    return true;
}

static bool add_pairs(struct paired *paired, const struct place *place, const struct pairs *pairs,
                      struct error *error)
{
    struct paired_point point = describe(pairs);
    if (inference_bootstrap(pairs->difference, pairs->count, inference_mean, NULL, CONFIDENCE,
                            &point.bootstrap))
        return add_point(paired, place, point, error);
    error_out_of_memory(error, "a paired comparison");
    return false;
}

/* Where both have runs, but no seed in common. */
static bool add_apart(struct paired *paired, const struct place *place, struct error *error)
{
    struct pairs a = {0}, b = {0};
    bool added = read_figures(place, runs_sql, paired->a, paired->a, &a, error) &&
                 read_figures(place, runs_sql, paired->b, paired->b, &b, error);
    if (added && a.count && b.count)
        added = add_point(paired, place, describe_apart(&a, &b), error);
    pairs_free(&a);
    pairs_free(&b);
    return added;
}

static bool fill(struct store *store, struct paired *paired, const struct outline *outline,
                 struct error *error)
{
    struct pairs pairs = {0};
    bool filled = true;
    for (size_t i = 0; filled && i < outline->point_count; i++) {
        const struct place place = {store, paired->study, outline->points[i].json, paired->metric, NULL, 0};
        filled =
            read_figures(&place, pairs_sql, paired->a, paired->b, &pairs, error) &&
            (pairs.count > 0 ? add_pairs(paired, &place, &pairs, error) : add_apart(paired, &place, error));
    }
    pairs_free(&pairs);
    if (filled && paired->point_count == 0) {
        error_set(error, ERROR_INPUT, "no point has a run of %s and one of %s with a figure \"%s\"",
                  paired->a, paired->b, paired->metric);
        return false;
    }
    return filled;
}

/* The names that a query gives for the study, as "a, b, c". The caller frees. */
static char *list_names(struct store *store, const char *sql, int64_t study)
{
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(store_database(store), sql, 1, &key, NULL);
    char *names = NULL;
    if (query && database_next(store_database(store), query, NULL) == DATABASE_ROW)
        names = database_copy_text(query, 0);
    sqlite3_finalize(query);
    return names;
}

static bool is_strategy(const struct outline *outline, const char *name)
{
    for (size_t i = 0; i < outline->strategy_count; i++)
        if (strcmp(outline->strategies[i], name) == 0)
            return true;
    return outline->reference && strcmp(outline->reference, name) == 0;
}

static bool check_strategy(struct store *store, const struct outline *outline, const char *name,
                           struct error *error)
{
    if (is_strategy(outline, name))
        return true;
    char *names = list_names(store,
                             "select group_concat(name, ', ') from (select run.strategy name from study_run"
                             " join run on run.id = study_run.run where study_run.study = ?1"
                             " group by 1 order by min(run.id))",
                             outline->study);
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no strategy \"%s\"; it has %s", outline->study,
              outline->name, name, names ? names : "none");
    free(names);
    return false;
}

static bool has_metric(struct store *store, int64_t study, const char *metric)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(study), database_text(metric)};
    sqlite3_stmt *query =
        database_query(database,
                       "select 1 from study_run where study = ?1 and (exists (select 1 from metric"
                       "  where metric.run = study_run.run and name = ?2)"
                       " or exists (select 1 from budget where budget.run = study_run.run"
                       "  and 'share:' || category = ?2)"
                       " or exists (select 1 from cause where cause.run = study_run.run"
                       "  and 'waste:' || source = ?2)) limit 1",
                       2, key, NULL);
    bool found = query && database_next(database, query, NULL) == DATABASE_ROW;
    sqlite3_finalize(query);
    return found;
}

static bool check_metric(struct store *store, const struct outline *outline, const char *metric,
                         struct error *error)
{
    if (has_metric(store, outline->study, metric))
        return true;
    char *names =
        list_names(store,
                   "select group_concat(name, ', ') from (select distinct value.name name from study_run"
                   " join run_figure value on value.run = study_run.run"
                   " where study_run.study = ?1 order by 1)",
                   outline->study);
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no metric \"%s\"; it has %s", outline->study,
              outline->name, metric, names ? names : "none");
    free(names);
    return false;
}

static struct paired *allocate(const struct outline *outline, const char *a, const char *b,
                               const char *metric, struct error *error)
{
    struct paired *paired = calloc(1, sizeof *paired);
    if (paired) {
        paired->study = outline->study;
        paired->a = strdup(a);
        paired->b = strdup(b);
        paired->metric = strdup(metric);
        paired->points = calloc(outline->point_count + 1, sizeof *paired->points);
        if (paired->a && paired->b && paired->metric && paired->points)
            return paired;
    }
    paired_destroy(paired);
    error_out_of_memory(error, "a paired comparison");
    return NULL;
}

static struct paired *create(struct store *store, const struct outline *outline, const char *a, const char *b,
                             const char *metric, struct error *error)
{
    if (!check_strategy(store, outline, a, error) || !check_strategy(store, outline, b, error) ||
        !check_metric(store, outline, metric, error))
        return NULL;
    struct paired *paired = allocate(outline, a, b, metric, error);
    if (paired && fill(store, paired, outline, error))
        return paired;
    paired_destroy(paired);
    return NULL;
}

struct paired *paired_create(struct store *store, int64_t study, const char *a, const char *b,
                             const char *metric, struct error *error)
{
    struct outline *outline = outline_create(store, study, error);
    if (!outline)
        return NULL;
    struct paired *paired = create(store, outline, a, b, metric ? metric : "goodput", error);
    outline_destroy(outline);
    return paired;
}

static bool read_point(const struct place *place, const char *sql, const char *a, const char *b,
                       struct paired_point *paired, struct error *error)
{
    struct pairs pairs = {0};
    bool read = read_figures(place, sql, a, b, &pairs, error);
    *paired = (struct paired_point){.mean_a = NAN,
                                    .mean_b = NAN,
                                    .difference = NAN,
                                    .deviation = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .bootstrap = {NAN, NAN}};
    if (read && pairs.count > 0)
        *paired = describe(&pairs);
    pairs_free(&pairs);
    return read;
}

bool paired_read_point(struct store *store, int64_t study, const char *point, const char *a, const char *b,
                       const char *metric, struct paired_point *paired, struct error *error)
{
    const struct place place = {store, study, point, metric, NULL, 0};
    return read_point(&place, pairs_sql, a, b, paired, error);
}

bool paired_read_points(struct store *store, int64_t study, const char *strategy, const char *a,
                        const char *b, const char *metric, int64_t first, struct paired_point *paired,
                        struct error *error)
{
    const struct place place = {store, study, a, metric, b, first};
    return read_point(&place, points_sql, strategy, strategy, paired, error);
}

bool paired_read_figures(struct store *store, int64_t study, const char *strategy, const char *point,
                         const char *metric, double **values, size_t *count, struct error *error)
{
    const struct place place = {store, study, point, metric, NULL, 0};
    struct pairs pairs = {0};
    bool read = read_figures(&place, runs_sql, strategy, strategy, &pairs, error);
    *values = read ? pairs.a : NULL;
    *count = pairs.count;
    if (read)
        pairs.a = NULL;
    pairs_free(&pairs);
    return read;
}

void paired_destroy(struct paired *paired)
{
    if (!paired)
        return;
    for (size_t i = 0; i < paired->point_count; i++)
        free(paired->points[i].point);
    free(paired->points);
    free(paired->a);
    free(paired->b);
    free(paired->metric);
    free(paired);
}
