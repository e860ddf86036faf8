/*
 * A curve per strategy over an axis in bit/s, which a sweep has run or a search has tried; a panel per group
 * of the other axes. A published figure is an expectation that solves for that axis: it lies at the bandwidth
 * that is wanted, as high as the target.
 */
#include "plots/bandwidth.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "plots/spread.h"
#include "results/database.h"
#include "results/notation.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 9, PANEL_COLUMNS = 3, CHARACTER_WIDTH = 8, LEGEND_MARGIN = 76 };

#define SHOWN_UNIT "Gbit/s"
#define SHOWN_SCALE 1e9
#define PUBLISHED_NAME "published"

/* A figure that was published, of a strategy in a panel. */
struct published {
    size_t panel, strategy;
    double bandwidth, target; /* as shown */
};

struct chart {
    struct store *store;
    const struct outline *outline;
    const struct spread *spread;
    const char *metric;
    double scale;     /* of the metric, from the database to the figure */
    double x_scale;   /* of the axis likewise */
    struct axis x, y; /* what is reached */
    bool *drawn;      /* of each strategy: it has a curve */
    struct published *published;
    size_t published_count, panels;
    FILE *out;
};

/* The bandwidth that varies. */

/* The size of the axis's unit in bit/s; 0 if it is no bandwidth. */
static double bandwidth_unit(const struct outline_axis *axis)
{
    char text[NOTATION_LENGTH];
    struct notation_quantity quantity;
    snprintf(text, sizeof text, "1 %s", axis->unit);
    bool rate = axis->numeric && notation_parse(text, &quantity) && strcmp(quantity.base, "bit/s") == 0;
    return rate ? quantity.scale : 0;
}

static size_t count_values(const struct outline *outline, size_t axis)
{
    size_t different = 0;
    for (size_t i = 0; i < outline->point_count; i++) {
        bool before = !outline->points[i].settings[axis].text;
        for (size_t j = 0; j < i && !before; j++)
            before = outline->points[j].settings[axis].number == outline->points[i].settings[axis].number;
        different += !before;
    }
    return different;
}

/* The bandwidth with most values; false with ERROR_INPUT when none has two. */
static bool find_axis(const struct outline *outline, size_t *axis, struct error *error)
{
    size_t most = 1;
    for (size_t i = 0; i < outline->axis_count; i++) {
        size_t count = bandwidth_unit(&outline->axes[i]) > 0 ? count_values(outline, i) : 0;
        if (count > most) {
            most = count;
            *axis = i;
        }
    }
    if (most > 1)
        return true;
    error_set(error, ERROR_INPUT,
              "study %" PRId64 " (%s) varies no bandwidth; sweep one, for example with"
              " --axis network.wan.bandwidth='1 Gbit/s,10 Gbit/s'",
              outline->study, outline->name);
    return false;
}

/* Published figures. */

/* "METRIC>=V" of this figure's metric, and V in the figure's scale. */
static bool parse_target(const struct chart *chart, const char *until, double *target)
{
    size_t length = strlen(chart->metric);
    if (!until || strncmp(until, chart->metric, length) != 0)
        return false;
    const char *sign = until + length + strspn(until + length, " ");
    if (*sign != '>' && *sign != '<')
        return false;
    sign += strspn(sign, "<>= ");
    char *end;
    *target = chart->scale * strtod(sign, &end);
    return end != sign && isfinite(*target);
}

/* The point of a run that differs from the expectation's in the axis alone says which panel it belongs to. */
static const char published_sql[] =
    "select expectation.strategy, expectation.until, expectation.wanted, expectation.unit,"
    "  (select run.point from study_run join run on run.id = study_run.run"
    "    where study_run.study = ?1 and run.strategy = expectation.strategy"
    "     and not exists (select key, value from json_each(expectation.point)"
    "      except select key, value from json_each(run.point))"
    "     and not exists (select key, value from json_each(run.point) where key <> ?2"
    "      except select key, value from json_each(expectation.point)) limit 1)"
    " from expectation where expectation.study = ?1 and expectation.metric = ?2"
    "  and expectation.until is not null order by expectation.rowid";

static bool find_place(const struct chart *chart, const char *strategy, const char *point,
                       struct published *published)
{
    const struct outline *outline = chart->outline;
    size_t i = 0, j = 0;
    while (i < outline->strategy_count && strcmp(outline->strategies[i], strategy) != 0)
        i++;
    while (point && j < outline->point_count && strcmp(outline->points[j].json, point) != 0)
        j++;
    if (!point || i == outline->strategy_count || j == outline->point_count)
        return false;
    published->strategy = i;
    published->panel = chart->spread->groups[j];
    return published->panel < chart->panels;
}

/* Adds a row of the query above; what can't be shown is passed over. False when out of memory. */
static bool add_published(struct chart *chart, sqlite3_stmt *query)
{
    struct published published;
    char text[NOTATION_LENGTH];
    struct notation_quantity unit;
    const char *name = (const char *)sqlite3_column_text(query, 3);
    snprintf(text, sizeof text, "1 %s", name ? name : "");
    if (!parse_target(chart, (const char *)sqlite3_column_text(query, 1), &published.target) ||
        !notation_parse(text, &unit) || strcmp(unit.base, "bit/s") != 0 ||
        !find_place(chart, (const char *)sqlite3_column_text(query, 0),
                    (const char *)sqlite3_column_text(query, 4), &published))
        return true;
    published.bandwidth = database_column_real(query, 2) * unit.scale / SHOWN_SCALE;
    struct published *more = realloc(chart->published, (chart->published_count + 1) * sizeof *more);
    if (!more)
        return false;
    chart->published = more;
    more[chart->published_count++] = published;
    axis_include(&chart->x, published.bandwidth);
    axis_include(&chart->y, published.target);
    return true;
}

static bool read_published(struct chart *chart, struct error *error)
{
    const struct database *database = store_database(chart->store);
    const struct database_value key[] = {
        database_integer(chart->outline->study),
        database_text(chart->outline->axes[chart->spread->axis].path),
    };
    sqlite3_stmt *query = database_query(database, published_sql, 2, key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!add_published(chart, query)) {
            error_out_of_memory(error, "a figure");
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* Curves. */

static void write_line(const double *numbers, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " " : "", out);
        script_number(out, numbers[i]);
    }
    fputc('\n', out);
}

/* Points of an outline are in the order of its axes' values, and so are those of a curve. */
static void write_curve(struct chart *chart, size_t panel, size_t strategy)
{
    const struct outline *outline = chart->outline;
    bool any = false;
    for (size_t i = 0; i < outline->point_count; i++) {
        struct store_mean mean;
        double x = outline->points[i].settings[chart->spread->axis].number * chart->x_scale;
        if (chart->spread->groups[i] != panel || !(x > 0) || isinf(x) ||
            !store_mean(chart->store, outline->study, outline->strategies[strategy], outline->points[i].json,
                        chart->metric, &mean))
            continue;
        const double numbers[] = {x, chart->scale * mean.mean, chart->scale * mean.low,
                                  chart->scale * mean.high};
        write_line(numbers, 4, chart->out);
        axis_include(&chart->x, x);
        for (size_t j = 1; j < 4; j++)
            axis_include(&chart->y, numbers[j]);
        chart->drawn[strategy] = any = true;
    }
    fputs(any ? "\n\n" : "NaN NaN NaN NaN\n\n\n", chart->out);
}

static void write_curves(struct chart *chart)
{
    fputs("$curves << END_OF_DATA\n", chart->out);
    for (size_t panel = 0; panel < chart->panels; panel++)
        for (size_t i = 0; i < chart->outline->strategy_count; i++)
            write_curve(chart, panel, i);
    fputs("END_OF_DATA\n", chart->out);
}

static void write_published(const struct chart *chart)
{
    fputs("$published << END_OF_DATA\n", chart->out);
    for (size_t panel = 0; panel < chart->panels; panel++) {
        fputs("NaN NaN NaN\n", chart->out);
        for (size_t i = 0; i < chart->published_count; i++) {
            const struct published *published = &chart->published[i];
            const double numbers[] = {(double)published->strategy + 1, published->bandwidth,
                                      published->target};
            if (published->panel == panel)
                write_line(numbers, 3, chart->out);
        }
        fputs("\n\n", chart->out);
    }
    fputs("END_OF_DATA\n", chart->out);
    script_set_string(chart->out, "published_name", chart->published_count ? PUBLISHED_NAME : "");
}

/* Words and sizes. */

/* What the axis is called, in the figure's unit. */
static void name_axis(char text[CAPTION_LENGTH], const struct chart *chart)
{
    struct outline_axis axis = chart->outline->axes[chart->spread->axis];
    snprintf(axis.unit, sizeof axis.unit, SHOWN_UNIT);
    caption_axis(text, &axis);
}

static void write_labels(const struct chart *chart)
{
    const struct outline *outline = chart->outline;
    char subject[CAPTION_LENGTH], text[CAPTION_LENGTH], note[2 * CAPTION_LENGTH];
    caption_metric_name(subject, chart->metric);
    caption_title(text, subject, outline);
    script_set_string(chart->out, "title", text);
    caption_note(text, outline, true);
    snprintf(note, sizeof note, "%s", text);
    if (chart->panels < chart->spread->group_count)
        snprintf(note, sizeof note, "%s; %zu of %zu points", text, chart->panels, chart->spread->group_count);
    script_set_string(chart->out, "note", note);
    caption_metric(text, chart->metric);
    script_set_string(chart->out, "y_label", text);
    name_axis(text, chart);
    script_set_string(chart->out, "x_label", text);
}

static double panel_width(const struct chart *chart)
{
    return chart->panels == 1 ? 540 : chart->panels == 2 || chart->panels == 4 ? 370 : 270;
}

/* What differs from the scenario; a panel of several without a difference says so. */
static bool write_panel_names(const struct chart *chart, struct error *error)
{
    char(*captions)[CAPTION_LENGTH] = calloc(chart->panels, sizeof *captions);
    const char **names = calloc(chart->panels, sizeof *names);
    bool written = captions && names;
    for (size_t i = 0; i < chart->panels && written; i++) {
        const char *caption = chart->spread->captions[i];
        snprintf(captions[i], sizeof captions[i], "%s",
                 *caption || chart->panels == 1 ? caption : "as in the scenario");
        caption_shorten(captions[i], (size_t)(panel_width(chart) / CHARACTER_WIDTH));
        names[i] = captions[i];
    }
    if (written)
        script_set_strings(chart->out, "panel", chart->panels, names);
    else
        error_out_of_memory(error, "a figure");
    free(names);
    free(captions);
    return written;
}

/* Strategies without a curve have an empty name, and no place in the legend. */
static bool write_strategies(const struct chart *chart, struct error *error)
{
    size_t count = chart->outline->strategy_count;
    const char **names = calloc(count + 1, sizeof *names);
    if (!names) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = chart->drawn[i] ? chart->outline->strategies[i] : "";
    script_set_strings(chart->out, "strategy", count, names);
    free(names);
    return true;
}

static double legend_width(const struct chart *chart)
{
    size_t longest = chart->published_count ? strlen(PUBLISHED_NAME) : 0;
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        if (chart->drawn[i] && strlen(chart->outline->strategies[i]) > longest)
            longest = strlen(chart->outline->strategies[i]);
    return LEGEND_MARGIN + CHARACTER_WIDTH * (double)longest;
}

static void set_size(const struct chart *chart, struct figure_script *script)
{
    const double left = 78, bottom = 68, gap = 64, aside = 40, top = chart->panels > 1 ? 88 : 66;
    size_t columns = chart->panels == 4 ? 2 : chart->panels < PANEL_COLUMNS ? chart->panels : PANEL_COLUMNS;
    size_t rows = (chart->panels + columns - 1) / columns;
    double across = panel_width(chart), down = chart->panels == 1 ? 336 : 80 + across / 2;
    double legend = legend_width(chart);
    const struct {
        const char *name;
        double number;
    } variables[] = {{"columns", (double)columns},
                     {"across", across},
                     {"down", down},
                     {"left", left},
                     {"top", top},
                     {"aside", aside},
                     {"gap", gap},
                     {"legend", legend}};
    script->width = left + legend + (double)columns * (across + aside) - aside;
    script->height = top + bottom + (double)rows * (down + gap) - gap;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(chart->out, variables[i].name, variables[i].number);
}

/* Shares reach from 0 to 100, other metrics from 0 as far as they go, with room for marks. */
static void write_axes(struct chart *chart)
{
    chart->x.logarithmic = true;
    axis_pad(&chart->x, 0.04);
    axis_write(&chart->x, 'x', 8, false, chart->out);
    chart->y.low = fmin(0, chart->y.low);
    chart->y.high = 1.04 * (notation_is_share(chart->metric) ? 100 : chart->y.high);
    if (!(chart->y.high > chart->y.low))
        chart->y.high = chart->y.low + 1;
    axis_write(&chart->y, 'y', chart->panels == 1 ? 11 : 6, false, chart->out);
}

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    chart->drawn = calloc(chart->outline->strategy_count + 1, sizeof *chart->drawn);
    if (!chart->drawn) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    write_curves(chart);
    if (!(chart->x.low <= chart->x.high)) {
        error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no summary of \"%s\" over a bandwidth",
                  chart->outline->study, chart->outline->name, chart->metric);
        return false;
    }
    if (!read_published(chart, error) || !write_panel_names(chart, error) || !write_strategies(chart, error))
        return false;
    write_published(chart);
    set_size(chart, script);
    write_labels(chart);
    write_axes(chart);
    return true;
}

static bool write_study(struct store *store, const struct outline *outline,
                        const struct figure_request *request, struct figure_script *script,
                        struct error *error)
{
    size_t axis = 0;
    struct spread *spread =
        find_axis(outline, &axis, error) ? spread_create_along(outline, axis, error) : NULL;
    if (!spread)
        return false;
    struct chart chart = {.store = store,
                          .outline = outline,
                          .spread = spread,
                          .metric = request->metric ? request->metric : "compute_utilization",
                          .x_scale = bandwidth_unit(&outline->axes[axis]) / SHOWN_SCALE,
                          .x = axis_empty(),
                          .y = axis_empty(),
                          .out = script->out};
    chart.scale = notation_is_share(chart.metric) ? 100 : 1;
    chart.panels = spread->group_count < MOST_PANELS ? spread->group_count : MOST_PANELS;
    bool written = write_chart(&chart, script, error);
    free(chart.drawn);
    free(chart.published);
    spread_destroy(spread);
    return written;
}

bool bandwidth_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                     struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    bool written = write_study(store, outline, request, script, error);
    outline_destroy(outline);
    return written;
}
