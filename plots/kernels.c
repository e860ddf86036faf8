/*
 * A panel per strategy, all of one point: of those whose runs kept their series that at which most is saved
 * of the baseline's time, for there is most to see. One replication is drawn; of a GPU all are the same.
 */
#include "plots/kernels.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "results/database.h"
#include "results/notation.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_PANELS = 8, MOST_WORDS = 110, MOST_NAME = 60 };

#define MILLISECONDS 1e3

struct chart {
    const struct database *database;
    const struct outline *outline;
    size_t point;
    size_t strategies[MOST_PANELS];
    int64_t runs[MOST_PANELS];
    size_t count, all;
    double seconds, sms; /* of the longest; most at a time */
    FILE *out;
};

/* What is drawn. */

static const char point_sql[] =
    "select run.point from study_run join run on run.id = study_run.run"
    " join metric on metric.run = run.id and metric.name = 'time_saved'"
    " where study_run.study = ?1 and exists (select 1 from series where series.run = run.id"
    "  and series.name = 'sms:product') group by run.point order by max(metric.value) desc, min(run.id) "
    "limit 1";

static const char run_sql[] =
    "select run.id from study_run join run on run.id = study_run.run"
    " where study_run.study = ?1 and run.strategy = ?2 and run.point = ?3"
    "  and exists (select 1 from series where series.run = run.id and series.name = 'sms:product')"
    " order by run.replication, run.id limit 1";

static bool choose_point(struct chart *chart, struct error *error)
{
    const struct database_value key = database_integer(chart->outline->study);
    sqlite3_stmt *query = database_query(chart->database, point_sql, 1, &key, error);
    enum database_step step = query ? database_next(chart->database, query, error) : DATABASE_FAILED;
    chart->point = chart->outline->point_count;
    if (step == DATABASE_ROW)
        chart->point = outline_find_point(chart->outline, (const char *)sqlite3_column_text(query, 0));
    sqlite3_finalize(query);
    if (step != DATABASE_FAILED && chart->point == chart->outline->point_count)
        error_set(error, ERROR_INPUT,
                  "study %" PRId64
                  " (%s) has no timeline of a GPU, which is kept of strategies of kind gpu-overlap",
                  chart->outline->study, chart->outline->name);
    return chart->point < chart->outline->point_count;
}

static bool find_run(struct chart *chart, size_t strategy, struct error *error)
{
    const struct outline *outline = chart->outline;
    const struct database_value key[] = {database_integer(outline->study),
                                         database_text(outline->strategies[strategy]),
                                         database_text(outline->points[chart->point].json)};
    sqlite3_stmt *query = database_query(chart->database, run_sql, 3, key, error);
    enum database_step step = query ? database_next(chart->database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW && chart->count < MOST_PANELS) {
        chart->strategies[chart->count] = strategy;
        chart->runs[chart->count++] = database_column_integer(query, 0);
    }
    chart->all += step == DATABASE_ROW;
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

static bool find_runs(struct chart *chart, struct error *error)
{
    if (!choose_point(chart, error))
        return false;
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        if (!find_run(chart, i, error))
            return false;
    return true;
}

/* Data. */

/* Both series side by side: the end of an interval, SMs that compute and SMs that communicate in it. */
static const char sms_sql[] =
    "select product.t_s, product.value, collective.value from series product join series collective"
    " on collective.run = product.run and collective.t_s = product.t_s and collective.name = 'sms:collective'"
    " where product.run = ?1 and product.name = 'sms:product' order by product.t_s";

static void write_step(struct chart *chart, double from, double to, double product, double collective)
{
    const double ends[] = {from, to};
    for (int i = 0; i < 2; i++)
        fprintf(chart->out, "%.7g %.6g %.6g\n", MILLISECONDS * ends[i], product, product + collective);
    chart->sms = fmax(chart->sms, product + collective);
    chart->seconds = fmax(chart->seconds, to);
}

static bool write_sms(struct chart *chart, int64_t run, struct error *error)
{
    const struct database_value key = database_integer(run);
    sqlite3_stmt *query = database_query(chart->database, sms_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    double from = 0;
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW) {
        double to = database_column_real(query, 0);
        write_step(chart, from, to, database_column_real(query, 1), database_column_real(query, 2));
        from = to;
    }
    sqlite3_finalize(query);
    fputs("\n\n", chart->out);
    return step == DATABASE_END;
}

/* Kernels: from, to, 0 for a product and 1 for a collective, and the number. */
static bool write_kernels(const struct chart *chart, int64_t run, struct error *error)
{
    const struct database_value key = database_integer(run);
    sqlite3_stmt *query = database_query(chart->database,
                                         "select t_s, value, name = 'kernel:collective', step from series "
                                         "where run = ?1 and name glob 'kernel:*'"
                                         " order by t_s, name",
                                         1, &key, error);
    enum database_step step = DATABASE_FAILED;
    fputs("NaN NaN NaN NaN\n", chart->out);
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW) {
        double from = database_column_real(query, 0), length = database_column_real(query, 1);
        fprintf(chart->out, "%.7g %.7g %" PRId64 " %.0f\n", MILLISECONDS * from,
                MILLISECONDS * (from + length), database_column_integer(query, 2),
                database_column_real(query, 3));
    }
    sqlite3_finalize(query);
    fputs("\n\n", chart->out);
    return step == DATABASE_END;
}

static bool write_data(struct chart *chart, struct error *error)
{
    bool written = true;
    fputs("$sms << END_OF_DATA\n", chart->out);
    for (size_t i = 0; written && i < chart->count; i++)
        written = write_sms(chart, chart->runs[i], error);
    fputs("END_OF_DATA\n$kernels << END_OF_DATA\n", chart->out);
    for (size_t i = 0; written && i < chart->count; i++)
        written = write_kernels(chart, chart->runs[i], error);
    fputs("END_OF_DATA\n", chart->out);
    return written;
}

/* Words. */

static double metric_of(const struct chart *chart, int64_t run, const char *metric)
{
    const struct database_value key[] = {database_integer(run), database_text(metric)};
    sqlite3_stmt *query = database_query(
        chart->database, "select value from metric where run = ?1 and name = ?2 and replay is null", 2, key,
        NULL);
    double value = NAN;
    if (query && database_next(chart->database, query, NULL) == DATABASE_ROW)
        value = database_column_real(query, 0);
    sqlite3_finalize(query);
    return value;
}

/* "both: time ratio 74 %, at best 71 %" */
static void write_panels(const struct chart *chart)
{
    char words[MOST_PANELS][CAPTION_LENGTH];
    const char *texts[MOST_PANELS];
    for (size_t i = 0; i < chart->count; i++) {
        int64_t run = chart->runs[i];
        const char *name = chart->outline->strategies[chart->strategies[i]];
        snprintf(words[i], CAPTION_LENGTH,
                 "%.*s: %.1f %% of the time one after another, at best %.1f %%; overlap rate %.0f %%",
                 caption_cut(name, MOST_NAME), name, 100 * metric_of(chart, run, "time_ratio"),
                 100 * metric_of(chart, run, "time_bound"),
                 fabs(round(100 * metric_of(chart, run, "overlap_rate"))));
        texts[i] = words[i];
    }
    script_set_strings(chart->out, "panel", chart->count, texts);
}

static void write_words(const struct chart *chart)
{
    const struct outline *outline = chart->outline;
    char text[CAPTION_LENGTH], point[CAPTION_LENGTH], note[2 * CAPTION_LENGTH];
    caption_title(text, "Streaming multiprocessors at work", outline);
    script_set_string(chart->out, "title", text);
    caption_point(point, outline, &outline->points[chart->point], SIZE_MAX);
    caption_shorten(point, MOST_WORDS);
    int length =
        snprintf(note, sizeof note, "study %" PRId64 "%s%s", outline->study, *point ? " at " : "", point);
    if (chart->count < chart->all)
        snprintf(note + length, sizeof note - (size_t)length, "; %zu of %zu strategies", chart->count,
                 chart->all);
    script_set_string(chart->out, "note", note);
    script_set_string(chart->out, "x_label", "Time (ms)");
    script_set_string(chart->out, "y_label", "Streaming multiprocessors");
    write_panels(chart);
}

static void write_axes(const struct chart *chart)
{
    struct axis x = {.high = MILLISECONDS * chart->seconds};
    struct axis_ticks ticks = axis_list(&x, 10, false);
    script_set_number(chart->out, "x_to", x.high);
    script_set_string(chart->out, "x_ticks", ticks.values);
    script_set_string(chart->out, "x_words", ticks.labels);
    script_set_number(chart->out, "sms", fmax(1, ceil(chart->sms - 1e-6)));
}

static void set_size(const struct chart *chart, struct figure_script *script)
{
    const double left = 72, top = 66, bottom = 62, gap = 26, right = 116, down = 112, across = 720;
    const struct {
        const char *name;
        double number;
    } variables[] = {{"across", across}, {"down", down},     {"left", left},  {"top", top},
                     {"gap", gap},       {"bottom", bottom}, {"right", right}};
    script->width = left + across + right;
    script->height = top + bottom + (double)chart->count * (down + gap);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(chart->out, variables[i].name, variables[i].number);
}

bool kernels_are_kept(struct store *store, const struct figure_request *request, bool *kept,
                      struct error *error)
{
    const struct database *database = store_database(store);
    int64_t study = request->study < 0 ? store_latest_study(store, error) : request->study;
    if (study < 0)
        return false;
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query = database_query(database,
                                         "select exists (select 1 from study_run join series"
                                         " on series.run = study_run.run and series.name = 'sms:product'"
                                         " where study_run.study = ?1)",
                                         1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    *kept = read && database_column_integer(query, 0) != 0;
    sqlite3_finalize(query);
    return read;
}

bool kernels_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.database = store_database(store), .outline = outline, .out = script->out};
    bool written = find_runs(&chart, error) && write_data(&chart, error);
    if (written) {
        set_size(&chart, script);
        write_words(&chart);
        write_axes(&chart);
    }
    outline_destroy(outline);
    return written;
}
