/*
 * A row per link, a column per strategy; a row's panels share their axis. One replication is drawn, for the
 * mean over several would show traffic that no run has.
 */
#include "plots/links.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "results/database.h"
#include "results/notation.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 6, MOST_COLUMNS = 8, CHARACTER_WIDTH = 8 };

#define FAR 4        /* a bandwidth so many times above all traffic is left out of sight */
#define SEEN 0.002   /* share of a level that makes another one */
#define HEADROOM 1.4 /* above the traffic, for a panel's text */

/* A link of the network, by its busiest run. */
struct row {
    char *name;
    double capacity; /* bit/s; NAN: no limit */
    double busy;     /* share of it used */
    double bytes;
};

/* A strategy's run. */
struct column {
    size_t strategy; /* of the outline */
    int64_t run;
};

struct chart {
    const struct database *database;
    const struct outline *outline;
    size_t point; /* of the outline */
    struct row *rows;
    size_t row_count;
    struct column *columns;
    size_t column_count, all_columns;
    double seconds, interval; /* of the longest run, and of its first mean */
    const struct notation_unit *time;
    FILE *out;
};

/* What is drawn. */

static const char runs_sql[] =
    "select run.strategy, run.point, run.id, max(series.t_s), min(series.t_s) from study_run"
    " join run on run.id = study_run.run join series on series.run = run.id"
    " where study_run.study = ?1 and series.name glob 'link:*'"
    " group by run.id order by run.replication, run.id";

/* Takes a row of the query above: the first run of each strategy at the first point that has any. */
static void take_run(struct chart *chart, sqlite3_stmt *query)
{
    const struct outline *outline = chart->outline;
    size_t strategy = outline_find_strategy(outline, (const char *)sqlite3_column_text(query, 0));
    size_t point = outline_find_point(outline, (const char *)sqlite3_column_text(query, 1));
    if (strategy == outline->strategy_count || point > chart->point)
        return;
    if (point < chart->point) {
        chart->point = point;
        chart->seconds = 0;
        for (size_t i = 0; i < outline->strategy_count; i++)
            chart->columns[i].run = 0;
    }
    if (chart->columns[strategy].run)
        return;
    chart->columns[strategy].run = database_column_integer(query, 2);
    chart->seconds = fmax(chart->seconds, database_column_real(query, 3));
    chart->interval = database_column_real(query, 4);
}

static void drop_empty_columns(struct chart *chart)
{
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        if (chart->columns[i].run)
            chart->columns[chart->all_columns++] =
                (struct column){.strategy = i, .run = chart->columns[i].run};
    chart->column_count = chart->all_columns < MOST_COLUMNS ? chart->all_columns : MOST_COLUMNS;
}

static bool find_runs(struct chart *chart, struct error *error)
{
    const struct database_value key = database_integer(chart->outline->study);
    chart->point = chart->outline->point_count;
    chart->columns = calloc(chart->outline->strategy_count + 1, sizeof *chart->columns);
    if (!chart->columns) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    sqlite3_stmt *query = database_query(chart->database, runs_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW)
        take_run(chart, query);
    sqlite3_finalize(query);
    drop_empty_columns(chart);
    if (step == DATABASE_END && chart->column_count == 0)
        error_set(error, ERROR_INPUT,
                  "study %" PRId64 " (%s) has no traffic over time, which is kept of networks with sites",
                  chart->outline->study, chart->outline->name);
    return step == DATABASE_END && chart->column_count > 0;
}

/* The links with a series in RUN. */
static const char links_sql[] =
    "select link.name, link.capacity_bit_s, link.mean_bit_s / link.capacity_bit_s, link.bytes from link"
    " where link.run = ?1 and exists (select 1 from series where series.run = ?1"
    "  and series.name = 'link:' || link.name) order by link.rowid";

static struct row *find_row(struct chart *chart, const char *name)
{
    for (size_t i = 0; i < chart->row_count; i++)
        if (strcmp(chart->rows[i].name, name) == 0)
            return &chart->rows[i];
    struct row *more = realloc(chart->rows, (chart->row_count + 1) * sizeof *more);
    char *copy = strdup(name);
    if (more)
        chart->rows = more;
    if (!more || !copy) {
        free(copy);
        return NULL;
    }
    more[chart->row_count] = (struct row){.name = copy, .capacity = NAN};
    return &more[chart->row_count++];
}

static bool take_link(struct chart *chart, sqlite3_stmt *query)
{
    struct row *row = find_row(chart, (const char *)sqlite3_column_text(query, 0));
    if (!row)
        return false;
    row->capacity = fmax(row->capacity, database_column_real(query, 1));
    row->busy = fmax(row->busy, database_column_real(query, 2));
    row->bytes = fmax(row->bytes, database_column_real(query, 3));
    return true;
}

static bool find_links(struct chart *chart, int64_t run, struct error *error)
{
    const struct database_value key = database_integer(run);
    sqlite3_stmt *query = database_query(chart->database, links_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW)
        if (!take_link(chart, query)) {
            error_out_of_memory(error, "a figure");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static int busiest_first(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    if (left->busy != right->busy)
        return left->busy > right->busy ? -1 : 1;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return strcmp(left->name, right->name);
}

static bool find_rows(struct chart *chart, struct error *error)
{
    for (size_t i = 0; i < chart->column_count; i++)
        if (!find_links(chart, chart->columns[i].run, error))
            return false;
    if (chart->row_count > 1)
        qsort(chart->rows, chart->row_count, sizeof *chart->rows, busiest_first);
    return true;
}

static size_t shown_rows(const struct chart *chart)
{
    return chart->row_count < MOST_ROWS ? chart->row_count : MOST_ROWS;
}

/* What is written. */

static void write_numbers(const char *array, const double *numbers, size_t count, FILE *out)
{
    fprintf(out, "array %s[%zu] = [", array, count);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        script_number(out, numbers[i]);
    }
    fputs("]\n", out);
}

/* A level of traffic over time. */
struct level {
    double begin, end; /* s */
    double rate;
};

/* The level's two corners, if it lasts. */
static void write_level(const struct chart *chart, const struct level *level)
{
    const double corners[] = {level->begin, level->end};
    for (size_t i = 0; i < 2 && level->end > level->begin; i++) {
        fprintf(chart->out, "%.7g ", corners[i] / chart->time->scale);
        fprintf(chart->out, "%.5g\n", level->rate);
    }
}

/* Intervals that no eye could tell apart are one level, so that a figure of little change is small. */
static void add_interval(const struct chart *chart, struct level *level, double end, double rate)
{
    if (fabs(rate - level->rate) > SEEN * fmax(rate, level->rate)) {
        write_level(chart, level);
        *level = (struct level){.begin = level->end, .rate = rate};
    }
    level->end = end;
}

/* A block of data: the corners of its levels, from zero back to zero; *HIGHEST grows. */
static bool write_series(const struct chart *chart, const struct row *row, const struct column *column,
                         double *highest, struct error *error)
{
    const struct database_value key[] = {database_integer(column->run), database_text(row->name)};
    sqlite3_stmt *query = database_query(
        chart->database, "select t_s, value from series where run = ?1 and name = 'link:' || ?2 order by t_s",
        2, key, error);
    enum database_step step = DATABASE_FAILED;
    struct level level = {0};
    fputs("0 0\n", chart->out);
    while (query && (step = database_next(chart->database, query, error)) == DATABASE_ROW) {
        double rate = database_column_real(query, 1);
        add_interval(chart, &level, database_column_real(query, 0), rate);
        *highest = fmax(*highest, rate);
    }
    sqlite3_finalize(query);
    write_level(chart, &level);
    fprintf(chart->out, "%.7g 0\n\n\n", level.end / chart->time->scale);
    return step == DATABASE_END;
}

static bool write_data(const struct chart *chart, double highest[MOST_ROWS], struct error *error)
{
    bool written = true;
    fputs("$traffic << END_OF_DATA\n", chart->out);
    for (size_t i = 0; written && i < shown_rows(chart); i++)
        for (size_t j = 0; written && j < chart->column_count; j++)
            written = write_series(chart, &chart->rows[i], &chart->columns[j], &highest[i], error);
    fputs("END_OF_DATA\n", chart->out);
    return written;
}

/* "mean 0.21 Gbit/s, peak 5 Gbit/s" */
static void describe(char text[CAPTION_LENGTH], double mean, double peak)
{
    char mean_text[NOTATION_LENGTH], peak_text[NOTATION_LENGTH];
    notation_suffixed(mean_text, mean);
    notation_suffixed(peak_text, peak);
    snprintf(text, CAPTION_LENGTH, "mean %s, peak %s", mean_text, peak_text);
}

static bool find_words(const struct chart *chart, const struct row *row, const struct column *column,
                       char text[CAPTION_LENGTH], struct error *error)
{
    const struct database_value key[] = {database_integer(column->run), database_text(row->name)};
    sqlite3_stmt *query =
        database_query(chart->database,
                       "select mean_bit_s, peak_bit_s from link where run = ?1 and name = ?2", 2, key, error);
    enum database_step step = query ? database_next(chart->database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW)
        describe(text, database_column_real(query, 0), database_column_real(query, 1));
    else
        snprintf(text, CAPTION_LENGTH, "no traffic");
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

static bool write_words(const struct chart *chart, struct error *error)
{
    char words[MOST_ROWS * MOST_COLUMNS][CAPTION_LENGTH];
    const char *texts[MOST_ROWS * MOST_COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < shown_rows(chart); i++)
        for (size_t j = 0; j < chart->column_count; j++) {
            if (!find_words(chart, &chart->rows[i], &chart->columns[j], words[count], error))
                return false;
            texts[count] = words[count];
            count++;
        }
    script_set_strings(chart->out, "remark", count, texts);
    return true;
}

/* "uplink of us-east, 5 Gbit/s" */
static void name_row(char text[CAPTION_LENGTH], const struct row *row)
{
    char rate[NOTATION_LENGTH];
    notation_short(rate, row->capacity);
    size_t digits = strspn(rate, "0123456789.,");
    if (isfinite(row->capacity))
        snprintf(text, CAPTION_LENGTH, "%.120s, %.*s %sbit/s", row->name, (int)digits, rate, rate + digits);
    else
        snprintf(text, CAPTION_LENGTH, "%.120s, without a limit", row->name);
}

static void write_names(const struct chart *chart)
{
    char names[MOST_ROWS][CAPTION_LENGTH];
    const char *links[MOST_ROWS], *strategies[MOST_COLUMNS];
    double numbers[MOST_COLUMNS];
    for (size_t i = 0; i < shown_rows(chart); i++) {
        name_row(names[i], &chart->rows[i]);
        links[i] = names[i];
    }
    for (size_t i = 0; i < chart->column_count; i++) {
        strategies[i] = chart->outline->strategies[chart->columns[i].strategy];
        numbers[i] = (double)chart->columns[i].strategy + 1;
    }
    script_set_strings(chart->out, "link", shown_rows(chart), links);
    script_set_strings(chart->out, "strategy", chart->column_count, strategies);
    write_numbers("number", numbers, chart->column_count, chart->out);
}

/* The rows' axes, and of each the bandwidth if it is in sight. */
static void choose_axes(const struct chart *chart, const double highest[MOST_ROWS],
                        struct axis axes[MOST_ROWS], double bandwidth[MOST_ROWS])
{
    for (size_t i = 0; i < shown_rows(chart); i++) {
        double capacity = chart->rows[i].capacity;
        bool seen = capacity < FAR * highest[i];
        bandwidth[i] = seen ? capacity : NAN;
        axes[i] = (struct axis){.high = HEADROOM * (seen ? fmax(capacity, highest[i]) : highest[i])};
        if (axes[i].high <= 0)
            axes[i].high = 1;
    }
}

static void write_axes(const struct chart *chart, const double highest[MOST_ROWS])
{
    struct axis axes[MOST_ROWS];
    struct axis_ticks ticks[MOST_ROWS];
    double bandwidth[MOST_ROWS], to[MOST_ROWS];
    const char *values[MOST_ROWS], *labels[MOST_ROWS];
    size_t rows = shown_rows(chart);
    choose_axes(chart, highest, axes, bandwidth);
    for (size_t i = 0; i < rows; i++) {
        ticks[i] = axis_list(&axes[i], 3, false);
        to[i] = axes[i].high;
        values[i] = ticks[i].values;
        labels[i] = ticks[i].labels;
    }
    write_numbers("bandwidth", bandwidth, rows, chart->out);
    write_numbers("y_to", to, rows, chart->out);
    script_set_strings(chart->out, "y_ticks", rows, values);
    script_set_strings(chart->out, "y_words", rows, labels);
}

static void write_x(const struct chart *chart)
{
    const struct axis x = {.high = chart->seconds / chart->time->scale};
    size_t most = chart->column_count == 1 ? 10 : 4;
    struct axis_ticks ticks = axis_list(&x, most, strcmp(chart->time->name, "h") == 0);
    script_set_number(chart->out, "x_to", x.high);
    script_set_string(chart->out, "x_ticks", ticks.values);
    script_set_string(chart->out, "x_words", ticks.labels);
}

static bool shows_bandwidth(const struct chart *chart, const double highest[MOST_ROWS])
{
    struct axis axes[MOST_ROWS];
    double bandwidth[MOST_ROWS];
    bool shown = false;
    choose_axes(chart, highest, axes, bandwidth);
    for (size_t i = 0; i < shown_rows(chart); i++)
        shown |= isfinite(bandwidth[i]);
    return shown;
}

/* "study 1: means of 7.2 min of one replication at 1,024 chips; the 6 busiest links; dashed: bandwidth" */
static void write_note(const struct chart *chart, const double highest[MOST_ROWS])
{
    const struct outline *outline = chart->outline;
    char point[CAPTION_LENGTH], interval[NOTATION_LENGTH], strategies[80] = "", links[80] = "";
    char note[3 * CAPTION_LENGTH];
    notation_duration(interval, chart->interval);
    caption_point(point, outline, &outline->points[chart->point], SIZE_MAX);
    if (chart->column_count < chart->all_columns)
        snprintf(strategies, sizeof strategies, "; %zu of %zu strategies", chart->column_count,
                 chart->all_columns);
    if (shown_rows(chart) < chart->row_count)
        snprintf(links, sizeof links, "; the %zu busiest links", shown_rows(chart));
    snprintf(note, sizeof note, "study %" PRId64 ": means of %s of one replication%s%s%s%s%s", outline->study,
             interval, *point ? " at " : "", point, strategies, links,
             shows_bandwidth(chart, highest) ? "; dashed: bandwidth" : "");
    script_set_string(chart->out, "note", note);
}

static void write_labels(const struct chart *chart, const double highest[MOST_ROWS])
{
    char text[CAPTION_LENGTH];
    caption_title(text, "Traffic", chart->outline);
    script_set_string(chart->out, "title", text);
    write_note(chart, highest);
    snprintf(text, sizeof text, "Simulated time (%s)", chart->time->name);
    script_set_string(chart->out, "x_label", text);
    script_set_string(chart->out, "y_label", "Traffic (bit/s)");
}

static void set_size(const struct chart *chart, struct figure_script *script)
{
    static const double widths[MOST_COLUMNS] = {600, 330, 250, 215, 190, 165, 150, 150};
    const double left = 84, top = 88, bottom = 60, aside = 20, gap = 36, right = 24, down = 84;
    double columns = (double)chart->column_count, rows = (double)shown_rows(chart);
    double across = widths[chart->column_count - 1];
    for (size_t i = 0; i < chart->column_count; i++)
        across = fmax(across, CHARACTER_WIDTH *
                                  (double)strlen(chart->outline->strategies[chart->columns[i].strategy]));
    script->width = left + columns * (across + aside) - aside + right;
    script->height = top + rows * (down + gap) + bottom;
    const struct {
        const char *name;
        double number;
    } variables[] = {{"across", across}, {"down", down},   {"left", left},
                     {"top", top},       {"aside", aside}, {"gap", gap}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(script->out, variables[i].name, variables[i].number);
}

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    double highest[MOST_ROWS] = {0};
    chart->time = notation_time_unit(chart->seconds / 2);
    set_size(chart, script);
    write_names(chart);
    write_x(chart);
    if (!write_words(chart, error) || !write_data(chart, highest, error))
        return false;
    write_labels(chart, highest);
    write_axes(chart, highest);
    return true;
}

bool links_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                 struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.database = store_database(store), .outline = outline, .out = script->out};
    bool written = find_runs(&chart, error) && find_rows(&chart, error) && write_chart(&chart, script, error);
    for (size_t i = 0; i < chart.row_count; i++)
        free(chart.rows[i].name);
    free(chart.rows);
    free(chart.columns);
    outline_destroy(outline);
    return written;
}
