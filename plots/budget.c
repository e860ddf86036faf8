/*
 * A panel per point, a bar per strategy, a segment per category that can be seen somewhere. The others are
 * one segment together, and where even that could not be seen, none. Categories keep their place and style in
 * every figure.
 */
#include "plots/budget.h"
#include "plots/caption.h"
#include "results/notation.h"
#include "results/outline.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12, BAR_PIXELS = 30, PANEL_PIXELS = 38, LEGEND_PIXELS = 205 };

#define SMALLEST_SHARE 0.005 /* of which a segment is three pixels wide */

#define OTHER BUDGET_CATEGORIES /* the categories that are not shown themselves */
#define OTHER_NAME "others under 0.5 %"

struct chart {
    struct store *store;
    const struct outline *outline;
    size_t panels[MOST_PANELS]; /* points */
    size_t panel_count;
    size_t most_bars; /* of a panel */
    bool shown[BUDGET_CATEGORIES + 1];
    FILE *out;
};

static bool find_share(const struct chart *chart, size_t point, size_t strategy, size_t category,
                       double *share)
{
    char metric[64];
    struct store_mean mean;
    snprintf(metric, sizeof metric, "share:%s", budget_names[category]);
    if (!store_mean(chart->store, chart->outline->study, chart->outline->strategies[strategy],
                    chart->outline->points[point].json, metric, &mean))
        return false;
    *share = mean.mean;
    return true;
}

/* All points, or of many a selection spread evenly from the first to the last. */
static void choose_panels(struct chart *chart)
{
    size_t points = chart->outline->point_count;
    chart->panel_count = points < MOST_PANELS ? points : MOST_PANELS;
    for (size_t i = 0; i < chart->panel_count; i++)
        chart->panels[i] = points <= MOST_PANELS ? i : i * (points - 1) / (MOST_PANELS - 1);
}

/* The sum of what is not shown itself; false if there is no such bar. */
static bool find_other(const struct chart *chart, size_t point, size_t strategy, double *share)
{
    bool bar = false;
    *share = 0;
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        double one = 0;
        bar |= find_share(chart, point, strategy, i, &one);
        *share += chart->shown[i] ? 0 : one;
    }
    return bar;
}

/* Whether what is not shown itself adds up to something in some bar. */
static bool is_other_seen(const struct chart *chart)
{
    for (size_t panel = 0; panel < chart->panel_count; panel++)
        for (size_t i = 0; i < chart->outline->strategy_count; i++) {
            double share;
            if (find_other(chart, chart->panels[panel], i, &share) && share >= SMALLEST_SHARE)
                return true;
        }
    return false;
}

/* Finds the categories that are seen in some bar; false if there is no bar at all. */
static bool choose_categories(struct chart *chart)
{
    bool any = false;
    for (size_t panel = 0; panel < chart->panel_count; panel++) {
        size_t bars = 0;
        for (size_t i = 0; i < chart->outline->strategy_count; i++) {
            bool bar = false;
            for (size_t category = 0; category < BUDGET_CATEGORIES; category++) {
                double share = 0;
                bar |= find_share(chart, chart->panels[panel], i, category, &share);
                chart->shown[category] |= share >= SMALLEST_SHARE;
            }
            bars += bar;
        }
        if (bars > chart->most_bars)
            chart->most_bars = bars;
        any |= bars > 0;
    }
    chart->shown[OTHER] = is_other_seen(chart);
    return any;
}

/* The bar's segments, one after another: row, category, from, to, strategy. */
static bool write_segments(const struct chart *chart, size_t panel, size_t row, size_t strategy)
{
    double from = 0;
    bool any = false;
    for (size_t i = 0; i <= OTHER; i++) {
        double share = 0;
        bool found = i < OTHER ? find_share(chart, chart->panels[panel], strategy, i, &share)
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
        fputs(row > 1 ? "\n\n" : "NaN NaN NaN NaN NaN\n\n\n", chart->out);
    }
    fputs("END_OF_DATA\n", chart->out);
}

static void write_names(const struct chart *chart)
{
    const char *names[BUDGET_CATEGORIES + 1] = {[OTHER] = OTHER_NAME};
    char words[BUDGET_CATEGORIES][NOTATION_LENGTH];
    char captions[MOST_PANELS][CAPTION_LENGTH];
    const char *panels[MOST_PANELS];
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        notation_metric(words[i], budget_names[i]);
        names[i] = words[i];
    }
    for (size_t i = 0; i < chart->panel_count; i++) {
        caption_point(captions[i], chart->outline, &chart->outline->points[chart->panels[i]], SIZE_MAX);
        panels[i] = captions[i];
    }
    script_set_strings(chart->out, "strategy", chart->outline->strategy_count,
                       (const char *const *)chart->outline->strategies);
    script_set_strings(chart->out, "category", BUDGET_CATEGORIES + 1, names);
    script_set_strings(chart->out, "panel", chart->panel_count, panels);
    fprintf(chart->out, "array shown[%d] = [", BUDGET_CATEGORIES + 1);
    for (size_t i = 0; i <= OTHER; i++)
        fprintf(chart->out, "%s%d", i ? ", " : "", chart->shown[i]);
    fputs("]\n", chart->out);
}

static void write_labels(const struct chart *chart)
{
    char text[CAPTION_LENGTH], note[2 * CAPTION_LENGTH];
    caption_title(text, "Chip time", chart->outline);
    script_set_string(chart->out, "title", text);
    caption_note(text, chart->outline, false);
    if (chart->panel_count < chart->outline->point_count)
        snprintf(note, sizeof note, "%s; %zu of %zu points", text, chart->panel_count,
                 chart->outline->point_count);
    script_set_string(chart->out, "note", chart->panel_count < chart->outline->point_count ? note : text);
}

static size_t count_shown(const struct chart *chart)
{
    size_t count = 0;
    for (size_t i = 0; i <= OTHER; i++)
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

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    choose_panels(chart);
    if (!choose_categories(chart)) {
        error_set(error, ERROR_INPUT, "study %lld (%s) has no summary of its budget",
                  (long long)chart->outline->study, chart->outline->name);
        return false;
    }
    write_labels(chart);
    write_names(chart);
    set_size(chart, script);
    write_panels(chart);
    return true;
}

bool budget_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                  struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.store = store, .outline = outline, .out = script->out};
    bool written = write_chart(&chart, script, error);
    outline_destroy(outline);
    return written;
}
