/*
 * A panel per point, a bar per strategy, a segment per part that can be seen somewhere. The others are one
 * segment together, and where even that could not be seen, none. Parts keep their place and style in every
 * figure.
 */
#include "plots/stack.h"
#include "plots/caption.h"
#include "results/notation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12, BAR_PIXELS = 30, PANEL_PIXELS = 38, LEGEND_PIXELS = 205 };

#define SMALLEST_SHARE 0.005 /* of the longest bar; a segment of that is three pixels wide */

struct chart {
    struct store *store;
    const struct outline *outline;
    const struct stack *stack;
    size_t panels[MOST_PANELS]; /* points */
    size_t panel_count;
    size_t most_bars; /* of a panel */
    double longest;   /* bar, as a share */
    bool *shown;      /* by part, and behind them the others together */
    FILE *out;
};

static bool find_share(const struct chart *chart, size_t point, size_t strategy, size_t part, double *share)
{
    struct store_mean mean;
    if (!store_mean(chart->store, chart->outline->study, chart->outline->strategies[strategy],
                    chart->outline->points[point].json, chart->stack->metrics[part], &mean))
        return false;
    *share = mean.mean;
    return true;
}

/* The sum of what is not shown itself; false if there is no such bar. */
static bool find_other(const struct chart *chart, size_t point, size_t strategy, double *share)
{
    bool bar = false;
    *share = 0;
    for (size_t i = 0; i < chart->stack->count; i++) {
        double one = 0;
        bar |= find_share(chart, point, strategy, i, &one);
        *share += chart->shown[i] ? 0 : one;
    }
    return bar;
}

/* The length of the bar; false if there is none. */
static bool measure_bar(const struct chart *chart, size_t point, size_t strategy, double *length)
{
    bool bar = false;
    *length = 0;
    for (size_t part = 0; part < chart->stack->count; part++) {
        double share = 0;
        bar |= find_share(chart, point, strategy, part, &share);
        *length += share;
    }
    return bar;
}

/* Whether some strategy has a bar at POINT. */
static bool has_bar(const struct chart *chart, size_t point)
{
    double share;
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        for (size_t part = 0; part < chart->stack->count; part++)
            if (find_share(chart, point, i, part, &share))
                return true;
    return false;
}

/* The points with bars, or of many a selection spread evenly from the first to the last; false when out of
 * memory. */
static bool choose_panels(struct chart *chart)
{
    size_t *points = calloc(chart->outline->point_count + 1, sizeof *points), count = 0;
    if (!points)
        return false;
    for (size_t i = 0; i < chart->outline->point_count; i++)
        if (has_bar(chart, i))
            points[count++] = i;
    chart->panel_count = count < MOST_PANELS ? count : MOST_PANELS;
    for (size_t i = 0; i < chart->panel_count; i++)
        chart->panels[i] = points[count <= MOST_PANELS ? i : i * (count - 1) / (MOST_PANELS - 1)];
    free(points);
    return true;
}

/* Counts and measures the bars; false if there is none of any length. */
static bool measure_bars(struct chart *chart)
{
    bool any = false;
    for (size_t panel = 0; panel < chart->panel_count; panel++) {
        size_t bars = 0;
        for (size_t i = 0; i < chart->outline->strategy_count; i++) {
            double length;
            bars += measure_bar(chart, chart->panels[panel], i, &length);
            chart->longest = fmax(chart->longest, length);
        }
        if (bars > chart->most_bars)
            chart->most_bars = bars;
        any |= bars > 0;
    }
    return any && chart->longest > 0;
}

static bool is_seen(const struct chart *chart, double share)
{
    return share > 0 && share >= SMALLEST_SHARE * chart->longest;
}

/* Finds the parts that are seen in some bar, and whether the others together are. */
static void choose_parts(struct chart *chart)
{
    size_t others = chart->stack->count;
    for (size_t panel = 0; panel < chart->panel_count; panel++)
        for (size_t i = 0; i < chart->outline->strategy_count; i++)
            for (size_t part = 0; part < others && part < chart->stack->most_shown; part++) {
                double share = 0;
                find_share(chart, chart->panels[panel], i, part, &share);
                chart->shown[part] |= is_seen(chart, share);
            }
    for (size_t panel = 0; panel < chart->panel_count; panel++)
        for (size_t i = 0; i < chart->outline->strategy_count; i++) {
            double share;
            chart->shown[others] |=
                find_other(chart, chart->panels[panel], i, &share) && is_seen(chart, share);
        }
}

/* The bar's segments, one after another: row, part, from, to, strategy. */
static bool write_segments(const struct chart *chart, size_t panel, size_t row, size_t strategy)
{
    double from = 0;
    bool any = false;
    for (size_t i = 0; i <= chart->stack->count; i++) {
        double share = 0;
        bool found = i < chart->stack->count ? find_share(chart, chart->panels[panel], strategy, i, &share)
                                             : find_other(chart, chart->panels[panel], strategy, &share);
        if (!found || !chart->shown[i])
            continue;
        fprintf(chart->out, "%zu %zu %.10g %.10g %zu\n", row, i + 1, 100 * from, 100 * (from + share),
                strategy + 1);
        from += share;
        any = true;
    }
    return any;
}

static void write_panels(const struct chart *chart)
{
    fputs("$segments << END_OF_DATA\n", chart->out);
    for (size_t panel = 0; panel < chart->panel_count; panel++) {
        size_t row = 1;
        for (size_t i = 0; i < chart->outline->strategy_count; i++)
            row += write_segments(chart, panel, row, i);
        fputs("\n\n", chart->out);
    }
    fputs("END_OF_DATA\n", chart->out);
}

static void write_panel_names(const struct chart *chart)
{
    char captions[MOST_PANELS][CAPTION_LENGTH];
    const char *panels[MOST_PANELS];
    for (size_t i = 0; i < chart->panel_count; i++) {
        caption_point(captions[i], chart->outline, &chart->outline->points[chart->panels[i]], SIZE_MAX);
        panels[i] = captions[i];
    }
    script_set_strings(chart->out, "panel", chart->panel_count, panels);
}

static void write_names(const struct chart *chart)
{
    script_set_strings(chart->out, "strategy", chart->outline->strategy_count,
                       (const char *const *)chart->outline->strategies);
    script_set_strings(chart->out, "part", chart->stack->count + 1, chart->stack->names);
    write_panel_names(chart);
    fprintf(chart->out, "array shown[%zu] = [", chart->stack->count + 1);
    for (size_t i = 0; i <= chart->stack->count; i++)
        fprintf(chart->out, "%s%d", i ? ", " : "", chart->shown[i]);
    fputs("]\n", chart->out);
}

static void write_labels(const struct chart *chart)
{
    char text[CAPTION_LENGTH], note[2 * CAPTION_LENGTH];
    caption_title(text, chart->stack->subject, chart->outline);
    script_set_string(chart->out, "title", text);
    script_set_string(chart->out, "axis", chart->stack->axis);
    script_set_number(chart->out, "whole", chart->stack->whole);
    script_set_number(chart->out, "longest", 100 * chart->longest);
    caption_note(text, chart->outline, false);
    if (chart->panel_count < chart->outline->point_count)
        snprintf(note, sizeof note, "%s; %zu of %zu points", text, chart->panel_count,
                 chart->outline->point_count);
    script_set_string(chart->out, "note", chart->panel_count < chart->outline->point_count ? note : text);
}

static size_t count_shown(const struct chart *chart)
{
    size_t count = 0;
    for (size_t i = 0; i <= chart->stack->count; i++)
        count += chart->shown[i];
    return count;
}

/* Few panels stand above one another, so that they share the axis; many stand in two columns. */
static void set_size(const struct chart *chart, struct figure_script *script)
{
    double panel = PANEL_PIXELS + BAR_PIXELS * (double)chart->most_bars;
    size_t columns = (double)chart->panel_count * panel > 1100 ? 2 : 1;
    size_t rows = (chart->panel_count + columns - 1) / columns;
    size_t longest = 0;
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        if (strlen(chart->outline->strategies[i]) > longest)
            longest = strlen(chart->outline->strategies[i]);
    double names = 24 + 8 * (double)longest;
    script_set_number(chart->out, "columns", (double)columns);
    script_set_number(chart->out, "rows", (double)rows);
    script_set_number(chart->out, "names", names);
    script_set_number(chart->out, "legend", LEGEND_PIXELS);
    script_set_number(chart->out, "bars", (double)chart->most_bars);
    script->width = (columns == 1 ? names + 560 : 2 * (names + 380)) + LEGEND_PIXELS;
    script->height = 122 + (double)rows * panel;
    double legend = 100 + 22 * (double)count_shown(chart);
    if (script->height < legend)
        script->height = legend;
}

static bool write_chart(struct chart *chart, struct figure_script *script)
{
    if (!measure_bars(chart))
        return false;
    choose_parts(chart);
    write_labels(chart);
    write_names(chart);
    set_size(chart, script);
    write_panels(chart);
    return true;
}

bool stack_write(struct store *store, const struct outline *outline, const struct stack *stack,
                 struct figure_script *script, struct error *error)
{
    struct chart chart = {.store = store, .outline = outline, .stack = stack, .out = script->out};
    chart.shown = calloc(stack->count + 1, sizeof *chart.shown);
    bool ready = chart.shown && choose_panels(&chart), drawn = ready && write_chart(&chart, script);
    if (!ready)
        error_out_of_memory(error, "a figure");
    else if (!drawn)
        error_set(error, ERROR_INPUT, "study %lld (%s) has no %s", (long long)outline->study, outline->name,
                  stack->lacking);
    free(chart.shown);
    return drawn;
}
