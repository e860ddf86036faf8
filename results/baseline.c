/*
 * Both studies' figures come sorted by strategy, point, replication and seed, and are walked side by side:
 * first group by group (a strategy at a point), then run by run.
 */
#include "results/baseline.h"

#include "results/database.h"
#include "results/inference.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char figures_sql[] =
    "with replayed as materialized (select run, replay from study_replay"
    "   where study = ?1 and learning = (select learning from study where id = ?1))"
    " select strategy, point, replication, seed, value from (select run.strategy, run.point, run.replication,"
    "   run.seed, coalesce("
    "    (select value from metric where metric.run = run.id and ifnull(replay, 0) = 0 and name = ?2),"
    "    (select value from replayed join metric on metric.replay = replayed.replay"
    "       where replayed.run = run.id and name = ?2),"
    "    (select (chip_s + 1e-9 * chip_ns) / (select sum(chip_s) + 1e-9 * sum(chip_ns) from budget total"
    "       where total.run = run.id) from budget where budget.run = run.id and 'share:' || category = ?2)) "
    "value"
    "   from study_run join run on run.id = study_run.run where study_run.study = ?1"
    "    and run.status in ('done', 'unfinished', 'stalled'))"
    " where value is not null order by 1, 2, 3, 4";

/* One run's figure. */
struct figure {
    char *strategy, *point;
    int64_t replication, seed;
    double value;
};

struct figures {
    struct figure *items;
    size_t count;
};

static void figures_free(struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        free(figures->items[i].strategy);
        free(figures->items[i].point);
    }
    free(figures->items);
}

static bool append(struct figures *figures, sqlite3_stmt *query)
{
    if ((figures->count & (figures->count - 1)) == 0) {
        size_t capacity = figures->count ? 2 * figures->count : 1;
        struct figure *items = reallocarray(figures->items, capacity, sizeof *items);
        if (!items)
            return false;
        figures->items = items;
    }
    struct figure *figure = &figures->items[figures->count++];
    *figure = (struct figure){.strategy = database_copy_text(query, 0),
                              .point = database_copy_text(query, 1),
                              .replication = database_column_integer(query, 2),
                              .seed = database_column_integer(query, 3),
                              .value = database_column_real(query, 4)};
    return figure->strategy && figure->point;
}

static bool read_figures(struct store *store, int64_t study, const char *metric, struct figures *figures,
                         struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key[] = {database_integer(study), database_text(metric)};
    sqlite3_stmt *query = database_query(database, figures_sql, 2, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!append(figures, query)) {
            error_out_of_memory(error, "a baseline");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static int compare_groups(const struct figure *a, const struct figure *b)
{
    int order = strcmp(a->strategy, b->strategy);
    return order ? order : strcmp(a->point, b->point);
}

static int compare_runs(const struct figure *a, const struct figure *b)
{
    if (a->replication != b->replication)
        return a->replication < b->replication ? -1 : 1;
    return (a->seed > b->seed) - (a->seed < b->seed);
}

/* How many of FIGURES, from the first, are of its group. */
static size_t group_length(const struct figure *figures, size_t count)
{
    size_t length = 1;
    while (length < count && compare_groups(&figures[0], &figures[length]) == 0)
        length++;
    return length;
}

/* Two sets of observations; paired: of equal length, and the same chance behind each two. */
struct sample {
    double *now, *before;
    size_t count, count_before;
    bool paired;
};

/* A mean and how sure it is. */
struct estimate {
    double mean, error, freedom; /* NAN: not known */
};

/* Of the mean of x - FACTOR y. */
static struct estimate estimate(const struct sample *sample, double factor)
{
    size_t n = sample->count, m = sample->count_before;
    struct estimate result = {
        gsl_stats_mean(sample->now, 1, n) - factor * gsl_stats_mean(sample->before, 1, m), NAN, NAN};
    if (sample->paired) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += pow(sample->now[i] - factor * sample->before[i] - result.mean, 2);
        result.error = n > 1 ? sqrt(sum / (double)(n - 1) / (double)n) : NAN;
        result.freedom = n > 1 ? (double)(n - 1) : NAN;
    } else if (n > 1 && m > 1) {
        double a = gsl_stats_variance(sample->now, 1, n) / (double)n;
        double b = factor * factor * gsl_stats_variance(sample->before, 1, m) / (double)m;
        struct inference_error error = inference_welch_error(a, n, b, m);
        result.error = error.standard;
        result.freedom = error.standard > 0 ? error.freedom : (double)(n + m - 2);
    }
    return result;
}

enum verdict { KEPT, UNCLEAR, REGRESSED };

static const char *const verdicts[] = {[KEPT] = "kept", [UNCLEAR] = "unclear", [REGRESSED] = "regressed"};

/* At LEVEL, the confidence of this figure alone. */
static enum verdict decide(const struct sample *sample, const struct baseline_options *options, double level)
{
    double sign = baseline_greater_is_better(options->metric) ? 1 : -1;
    struct estimate excess = estimate(sample, 1 - sign * options->allowed);
    double mean = sign * excess.mean;
    if (!(mean < 0))
        return KEPT;
    if (isnan(excess.error))
        return sample->paired ? REGRESSED : UNCLEAR;
    return mean + gsl_cdf_tdist_Pinv(level, excess.freedom) * excess.error < 0 ? REGRESSED : UNCLEAR;
}

/* Pairs if there are any, else all of both. The arrays have room. */
static void make_sample(const struct figure *now, size_t count, const struct figure *before,
                        size_t count_before, struct sample *sample)
{
    size_t pairs = 0;
    for (size_t i = 0, j = 0; i < count && j < count_before;) {
        int order = compare_runs(&now[i], &before[j]);
        if (order == 0) {
            sample->now[pairs] = now[i].value;
            sample->before[pairs++] = before[j].value;
        }
        i += order <= 0;
        j += order >= 0;
    }
    sample->paired = pairs > 0;
    sample->count = sample->paired ? pairs : count;
    sample->count_before = sample->paired ? pairs : count_before;
    for (size_t i = 0; !sample->paired && i < count; i++)
        sample->now[i] = now[i].value;
    for (size_t i = 0; !sample->paired && i < count_before; i++)
        sample->before[i] = before[i].value;
}

struct comparison {
    const struct database *database;
    int64_t study;
    const struct baseline_options *options;
    struct figures now, before;
    double level;
    struct baseline_outcome *outcome;
};

static bool record(const struct comparison *comparison, const struct figure *figure,
                   const struct sample *sample, enum verdict verdict, struct error *error)
{
    const struct baseline_options *options = comparison->options;
    double before = gsl_stats_mean(sample->before, 1, sample->count_before), scale = fabs(before);
    struct estimate change = estimate(sample, 1);
    double half = isnan(change.freedom) ? NAN : gsl_cdf_tdist_Pinv(0.975, change.freedom) * change.error;
    const struct database_value values[] = {
        database_integer(comparison->study),
        database_text(figure->strategy),
        database_text(figure->point),
        database_text(options->metric),
        database_text(options->database),
        database_integer(sample->paired),
        database_integer((int64_t)sample->count),
        database_integer((int64_t)sample->count_before),
        database_real(gsl_stats_mean(sample->now, 1, sample->count)),
        database_real(before),
        database_real(scale > 0 ? change.mean / scale : NAN),
        database_real(scale > 0 ? (change.mean - half) / scale : NAN),
        database_real(scale > 0 ? (change.mean + half) / scale : NAN),
        database_real(options->allowed),
        database_real(options->confidence),
        database_text(verdicts[verdict]),
    };
    return database_run(comparison->database,
                        "insert into baseline_change (study, strategy, point, metric, baseline, paired, n,"
                        " n_before, mean, mean_before, change, ci95_low, ci95_high, allowed, confidence,"
                        " verdict) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
                        " ?16)",
                        16, values, error);
}

static bool judge_group(const struct comparison *comparison, const struct figure *now, size_t count,
                        const struct figure *before, size_t count_before, struct error *error)
{
    struct sample sample = {.now = calloc(count, sizeof(double)),
                            .before = calloc(count_before, sizeof(double))};
    bool good = sample.now && sample.before;
    if (good) {
        make_sample(now, count, before, count_before, &sample);
        enum verdict verdict = decide(&sample, comparison->options, comparison->level);
        comparison->outcome->compared++;
        comparison->outcome->regressed += verdict == REGRESSED;
        comparison->outcome->unclear += verdict == UNCLEAR;
        good = record(comparison, now, &sample, verdict, error);
    } else {
        error_out_of_memory(error, "a baseline");
    }
    free(sample.now);
    free(sample.before);
    return good;
}

/* Calls JUDGE for every group that both have; counts them, and those that the baseline lacks. */
static bool for_each_group(const struct comparison *comparison,
                           bool (*judge)(const struct comparison *, const struct figure *, size_t,
                                         const struct figure *, size_t, struct error *),
                           size_t *both, size_t *missing, struct error *error)
{
    const struct figures *now = &comparison->now, *before = &comparison->before;
    bool good = true;
    *both = *missing = 0;
    for (size_t i = 0, j = 0; i < now->count && good;) {
        size_t length = group_length(&now->items[i], now->count - i);
        while (j < before->count && compare_groups(&before->items[j], &now->items[i]) < 0)
            j++;
        bool found = j < before->count && compare_groups(&before->items[j], &now->items[i]) == 0;
        if (found && judge)
            good = judge(comparison, &now->items[i], length, &before->items[j],
                         group_length(&before->items[j], before->count - j), error);
        *both += found;
        *missing += !found;
        i += length;
    }
    return good;
}

static size_t count_groups(const struct figures *figures)
{
    size_t groups = 0;
    for (size_t i = 0; i < figures->count; i += group_length(&figures->items[i], figures->count - i))
        groups++;
    return groups;
}

static bool judge_all(struct comparison *comparison, struct error *error)
{
    size_t both, missing;
    const struct database_value key = database_integer(comparison->study);
    for_each_group(comparison, NULL, &both, &missing, NULL);
    comparison->level = both ? pow(comparison->options->confidence, 1 / (double)both) : NAN;
    comparison->outcome->missing = missing;
    comparison->outcome->gone = count_groups(&comparison->before) - both;
    if (!both) {
        error_set(error, ERROR_INPUT,
                  "%s: the baseline has no figure \"%s\" of any strategy and point of the study",
                  comparison->options->database, comparison->options->metric);
        return false;
    }
    return database_run(comparison->database, "delete from baseline_change where study = ?1", 1, &key,
                        error) &&
           for_each_group(comparison, judge_group, &both, &missing, error);
}

static bool is_same_file(const struct database *a, const struct database *b)
{
    struct stat one, other;
    return stat(a->path, &one) == 0 && stat(b->path, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* An earlier one, if the baseline is this database itself. */
static bool find_study(struct store *store, int64_t study, struct store *baseline, int64_t *found,
                       struct error *error)
{
    const struct database *database = store_database(store), *other = store_database(baseline);
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(database, "select name from study where id = ?1", 1, &key, error);
    bool good = query && database_next(database, query, error) == DATABASE_ROW;
    char *name = good ? database_copy_text(query, 0) : NULL;
    sqlite3_finalize(query);
    if (!name)
        return false;
    const struct database_value called[] = {
        database_text(name), database_integer(is_same_file(database, other) ? study : INT64_MAX)};
    query = database_query(other,
                           "select max(id) from study where name = ?1 and shard is null and id < ?2"
                           " and exists (select 1 from study_run where study = study.id)",
                           2, called, error);
    good = query && database_next(other, query, error) == DATABASE_ROW;
    bool none = good && sqlite3_column_type(query, 0) == SQLITE_NULL;
    if (none)
        error_set(error, ERROR_INPUT, "%s: the baseline has no study called \"%s\"", other->path, name);
    else if (good)
        *found = database_column_integer(query, 0);
    sqlite3_finalize(query);
    free(name);
    return good && !none;
}

static bool compare(struct comparison *comparison, struct store *store, struct store *baseline,
                    struct error *error)
{
    int64_t before = -1;
    const char *metric = comparison->options->metric;
    if (!find_study(store, comparison->study, baseline, &before, error) ||
        !read_figures(store, comparison->study, metric, &comparison->now, error) ||
        !read_figures(baseline, before, metric, &comparison->before, error) ||
        !database_begin(comparison->database, error))
        return false;
    if (judge_all(comparison, error) && database_commit(comparison->database, error))
        return true;
    database_roll_back(comparison->database);
    return false;
}

bool baseline_judge(struct store *store, int64_t study, const struct baseline_options *options,
                    struct baseline_outcome *outcome, struct error *error)
{
    struct store *baseline = store_open_read_only(options->database, error);
    struct comparison comparison = {
        .database = store_database(store), .study = study, .options = options, .outcome = outcome};
    *outcome = (struct baseline_outcome){0};
    if (!baseline)
        return false;
    bool judged = compare(&comparison, store, baseline, error);
    figures_free(&comparison.now);
    figures_free(&comparison.before);
    store_close(baseline);
    return judged;
}

bool baseline_greater_is_better(const char *metric)
{
    static const char *const better[] = {"goodput",
                                         "job_goodput",
                                         "ettr",
                                         "uptime",
                                         "compute_utilization",
                                         "learners_up",
                                         "steps",
                                         "tokens",
                                         "merges",
                                         "mtbf",
                                         "tokens:merged",
                                         "tokens:trained",
                                         "tokens_merged",
                                         "tokens_trained",
                                         "merged_share",
                                         "share:useful",
                                         "energy:useful",
                                         "statistical_goodput",
                                         "time_saved",
                                         "overlap_rate",
                                         "occupancy",
                                         "blocks_per_sm"};
    for (size_t i = 0; i < sizeof better / sizeof *better; i++)
        if (strcmp(metric, better[i]) == 0)
            return true;
    return false;
}
