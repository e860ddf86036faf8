/*
 * Points are sorted into groups that differ in the x axis alone. A group is a panel with a curve per
 * strategy; of a single strategy it is a curve, and there is one panel. Without anything to go along an x
 * axis there is a bar per strategy.
 */
#include "plots/goodput.h"
#include "plots/caption.h"
#include "plots/spread.h"
#include "results/notation.h"
#include "results/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_COLUMNS = 3 };

struct chart {
    struct store *store;
    const struct outline *outline;
    const char *metric;
    double scale;           /* from the database to the figure: 100 for a share */
    size_t drawn;           /* means that were found */
    double lowest, highest; /* of them and their intervals */
    FILE *out;
};

/* The metric's mean in the figure's scale. */
static bool find_mean(struct chart *chart, size_t point, size_t strategy, struct store_mean *mean)
{
    if (!store_mean(chart->store, chart->outline->study, chart->outline->strategies[strategy],
                    chart->outline->points[point].json, chart->metric, mean))
        return false;
    mean->mean *= chart->scale;
    mean->low *= chart->scale;
    mean->high *= chart->scale;
    chart->drawn++;
    chart->lowest = fmin(chart->lowest, fmin(mean->mean, mean->low));
    chart->highest = fmax(chart->highest, fmax(mean->mean, mean->high));
    return true;
}

/* "58.5 ± 0.1" as it stands beside a bar. */
static void bar_text(char text[NOTATION_LENGTH], const struct chart *chart, const struct store_mean *mean)
{
    double half = (mean->high - mean->low) / 2;
    int decimals = half > 0 && half < 0.05 ? 2 : 1;
    if (!notation_is_share(chart->metric))
        notation_interval(text, mean->mean, half);
    else if (mean->count > 1)
        snprintf(text, NOTATION_LENGTH, "%.*f ± %.*f", decimals, mean->mean, decimals, half);
    else
        snprintf(text, NOTATION_LENGTH, "%.1f", mean->mean);
}

/* A line of data: X, mean, interval, and where what is drawn ends: fmin and fmax pass over NAN. */
static void write_mean(const struct chart *chart, double x, const struct store_mean *mean)
{
    const double numbers[] = {x, mean->mean, mean->low, mean->high, fmax(mean->mean, mean->high)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fputs(i ? " " : "", chart->out);
        script_number(chart->out, numbers[i]);
    }
    fputc('\n', chart->out);
}

struct bar {
    const char *strategy;
    char beside[NOTATION_LENGTH];
};

/* Writes the bars of strategies that have a mean, and keeps their texts in BARS; their number. */
static size_t write_bar_data(struct chart *chart, struct bar *bars)
{
    size_t count = 0;
    fputs("$bars << END_OF_DATA\n", chart->out);
    for (size_t i = 0; i < chart->outline->strategy_count; i++) {
        struct store_mean mean;
        if (!find_mean(chart, 0, i, &mean))
            continue;
        bars[count].strategy = chart->outline->strategies[i];
        bar_text(bars[count++].beside, chart, &mean);
        write_mean(chart, (double)count, &mean);
    }
    fputs("END_OF_DATA\n", chart->out);
    return count;
}

static bool write_bars(struct chart *chart, struct figure_script *script, struct error *error)
{
    size_t most = chart->outline->strategy_count;
    struct bar *bars = calloc(most + 1, sizeof *bars);
    const char **texts = calloc(most + 1, sizeof *texts);
    if (bars && texts) {
        size_t count = write_bar_data(chart, bars);
        script_set_number(chart->out, "bars", (double)count);
        for (size_t i = 0; i < count; i++)
            texts[i] = bars[i].strategy;
        script_set_strings(chart->out, "strategy", count, texts);
        for (size_t i = 0; i < count; i++)
            texts[i] = bars[i].beside;
        script_set_strings(chart->out, "beside", count, texts);
        script->width = 780;
        script->height = 140 + 40 * (double)count;
    } else {
        error_out_of_memory(error, "a figure");
    }
    bool written = bars && texts;
    free(bars);
    free(texts);
    return written;
}

/* Group G's curve of one strategy: a line per point. Blocks are told apart by two blank lines; an empty one
 * has a line of no numbers, so that it counts as a block. */
static void write_curve(struct chart *chart, const struct spread *spread, size_t group, size_t strategy)
{
    size_t written = 0;
    for (size_t i = 0; i < chart->outline->point_count; i++) {
        struct store_mean mean;
        double x = chart->outline->points[i].settings[spread->axis].number;
        if (spread->groups[i] != group || !isfinite(x) || !find_mean(chart, i, strategy, &mean))
            continue;
        write_mean(chart, x, &mean);
        written++;
    }
    fputs(written ? "\n\n" : "NaN NaN NaN NaN NaN\n\n\n", chart->out);
}

/* Names of panels and of curves. Groups are panels unless there is but one strategy. */
static bool write_names(struct chart *chart, const struct spread *spread, bool groups_are_curves,
                        struct error *error)
{
    const char *none = "", **names = calloc(spread->group_count + 1, sizeof *names);
    if (!names) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    for (size_t i = 0; i < spread->group_count; i++)
        names[i] = spread->captions[i];
    if (groups_are_curves) {
        script_set_strings(chart->out, "panel", 1, &none);
        script_set_strings(chart->out, "curve", spread->group_count, names);
    } else {
        script_set_strings(chart->out, "panel", spread->group_count, names);
        script_set_strings(chart->out, "curve", chart->outline->strategy_count,
                           (const char *const *)chart->outline->strategies);
    }
    free(names);
    return true;
}

static double longest_name(const struct outline *outline, const struct spread *spread, bool groups_are_curves)
{
    size_t longest = 0;
    for (size_t i = 0; i < outline->strategy_count && !groups_are_curves; i++)
        longest = strlen(outline->strategies[i]) > longest ? strlen(outline->strategies[i]) : longest;
    for (size_t i = 0; i < spread->group_count && groups_are_curves; i++)
        longest = strlen(spread->captions[i]) > longest ? strlen(spread->captions[i]) : longest;
    return (double)longest;
}

static void set_size(struct figure_script *script, size_t panels, double legend)
{
    size_t columns = panels < PANEL_COLUMNS ? panels : PANEL_COLUMNS;
    size_t rows = (panels + columns - 1) / columns;
    script_set_number(script->out, "columns", (double)columns);
    script_set_number(script->out, "rows", (double)rows);
    script_set_number(script->out, "legend", legend);
    script->width = panels == 1 ? 640 + legend : 80 + 300 * (double)columns + legend;
    script->height = panels == 1 ? 470 : 92 + 316 * (double)rows;
}

static bool write_curves(struct chart *chart, const struct spread *spread, struct figure_script *script,
                         struct error *error)
{
    bool groups_are_curves = chart->outline->strategy_count == 1 && spread->group_count > 1;
    size_t panels = groups_are_curves ? 1 : spread->group_count;
    char label[CAPTION_LENGTH];
    caption_axis(label, &chart->outline->axes[spread->axis]);
    script_set_number(chart->out, "bars", 0);
    script_set_string(chart->out, "x_label", label);
    if (!write_names(chart, spread, groups_are_curves, error))
        return false;
    set_size(script, panels, 76 + 8 * longest_name(chart->outline, spread, groups_are_curves));
    spread_write_axis(spread, panels == 1 ? 540 : 230, chart->out);
    fputs("$curves << END_OF_DATA\n", chart->out);
    for (size_t group = 0; group < spread->group_count; group++)
        for (size_t i = 0; i < chart->outline->strategy_count; i++)
            write_curve(chart, spread, group, i);
    fputs("END_OF_DATA\n", chart->out);
    return true;
}

/* What bars and curves have in common. */
static void write_labels(const struct chart *chart)
{
    char subject[CAPTION_LENGTH], text[CAPTION_LENGTH];
    caption_metric_name(subject, chart->metric);
    caption_title(text, subject, chart->outline);
    script_set_string(chart->out, "title", text);
    caption_note(text, chart->outline, true);
    script_set_string(chart->out, "note", text);
    caption_metric(text, chart->metric);
    script_set_string(chart->out, "metric", text);
    script_set_string(chart->out, "metric_format", notation_is_share(chart->metric) ? "%g" : "%.0s%c");
    bool whole = notation_is_share(chart->metric) && !notation_is_category(chart->metric);
    script_set_number(chart->out, "metric_limit", whole ? 100 : NAN);
}

/* Where the axis of curves begins: shares that are all high are told apart by leaving out what none reaches,
 * in tens. Bars always begin at zero. */
static double find_start(const struct chart *chart)
{
    bool high = notation_is_share(chart->metric) && chart->lowest >= 50;
    return high ? fmin(80, 10 * floor((chart->lowest - 2) / 10)) : 0;
}

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    struct spread *spread = spread_create(chart->outline, error);
    if (!spread)
        return false;
    write_labels(chart);
    script_set_string(chart->out, "curve_style", spread->numeric ? "linespoints" : "points");
    bool written = spread->value_count > 1 ? write_curves(chart, spread, script, error)
                                           : write_bars(chart, script, error);
    script_set_number(chart->out, "metric_from", find_start(chart));
    script_set_number(chart->out, "highest", chart->highest);
    spread_destroy(spread);
    if (written && chart->drawn == 0) {
        error_set(error, ERROR_INPUT, "study %lld (%s) has no summary of \"%s\"",
                  (long long)chart->outline->study, chart->outline->name, chart->metric);
        return false;
    }
    return written;
}

bool goodput_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {
        .store = store,
        .outline = outline,
        .metric = request->metric ? request->metric : "goodput",
        .lowest = INFINITY,
        .out = script->out,
    };
    chart.scale = notation_is_share(chart.metric) ? 100 : 1;
    bool written = write_chart(&chart, script, error);
    outline_destroy(outline);
    return written;
}
