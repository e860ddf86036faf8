/*
 * Losses fall fast at first and differ little at the end; the axis is chosen for the end, and the curves
 * enter from above. Where losses span decades, as a quadratic's do, it is logarithmic and shows them whole.
 */
#include "plots/loss.h"
#include "plots/axis.h"
#include "plots/mean_curve.h"
#include "plots/panels.h"
#include "results/notation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EARLY 0.06 /* share of the x axis whose losses may lie above the figure */
#define DECADES 40 /* how many times the least loss the greatest one is for a logarithmic axis */

#define REFERENCE_NAME "reference (no failures)"
#define FLOOR_NAME "the source's own loss"

enum { CHARACTER_WIDTH = 8, LEGEND_MARGIN = 76 };

/* The curves of all panels, in each the reference's first and then the strategies'. */
struct chart {
    struct store *store;
    struct panels panels;
    enum curve_axis over;
    struct mean_curve *curves;
    size_t lines; /* curves of a panel */
    double floors[MOST_LEARNING_PANELS];
    struct axis x, losses;
    FILE *out;
};

static bool find_axis(const char *metric, enum curve_axis *axis, struct error *error)
{
    for (size_t i = 0; i < CURVE_AXES; i++)
        if (!metric || strcmp(curve_axis_names[i], metric) == 0) {
            *axis = (enum curve_axis)i;
            return true;
        }
    error_set(error, ERROR_INPUT, "the figure loss is drawn over time, tokens or steps, not over \"%s\"",
              metric);
    return false;
}

static bool read_panel(struct chart *chart, size_t panel, struct error *error)
{
    const struct outline *outline = chart->panels.outline;
    const char *point = outline->points[chart->panels.points[panel]].json;
    for (size_t i = 0; i < chart->lines; i++) {
        const char *strategy = i ? outline->strategies[i - 1] : outline->reference;
        if (strategy && !mean_curve_read(chart->store, outline->study, strategy, point, chart->over,
                                         &chart->curves[panel * chart->lines + i], error))
            return false;
    }
    return true;
}

/* What the source itself would lose, by the first curve that knows. */
static double find_floor(const struct chart *chart, size_t panel)
{
    const struct mean_curve *curves = &chart->curves[panel * chart->lines];
    for (size_t i = 0; i < chart->lines; i++)
        if (curves[i].count > 0 && isfinite(curves[i].floor))
            return curves[i].floor;
    return NAN;
}

static bool read_curves(struct chart *chart, struct error *error)
{
    chart->lines = chart->panels.outline->strategy_count + 1;
    chart->curves = calloc(chart->panels.count * chart->lines, sizeof *chart->curves);
    if (!chart->curves) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    for (size_t i = 0; i < chart->panels.count; i++) {
        if (!read_panel(chart, i, error))
            return false;
        chart->floors[i] = find_floor(chart, i);
    }
    return true;
}

/* What x and the mean loss reach; losses of the curves' first EARLY share of x count only if EARLY is 0, or
 * where a curve ends there. */
static void measure(const struct chart *chart, double early, struct axis *x, struct axis *losses)
{
    double from = early > 0 ? x->low + early * (x->high - x->low) : -INFINITY;
    for (size_t i = 0; i < chart->panels.count * chart->lines; i++) {
        const struct mean_curve *curve = &chart->curves[i];
        for (size_t j = 0; j < curve->count; j++) {
            axis_include(x, curve->x[j]);
            if (curve->x[j] >= from || j + 1 == curve->count)
                axis_include(losses, curve->mean[j]);
        }
    }
}

static void include_floors(const struct chart *chart, struct axis *axis)
{
    for (size_t i = 0; i < chart->panels.count; i++)
        if (!axis->logarithmic || chart->floors[i] > 0)
            axis_include(axis, chart->floors[i]);
}

static void choose_axes(struct chart *chart)
{
    chart->x = chart->losses = axis_empty();
    measure(chart, 0, &chart->x, &chart->losses);
    axis_choose_scale(&chart->losses, DECADES);
    if (!chart->losses.logarithmic) {
        chart->losses = axis_empty();
        measure(chart, EARLY, &chart->x, &chart->losses);
    }
    include_floors(chart, &chart->losses);
    axis_pad(&chart->losses, 0.04);
}

/* Sets x's range, ticks and label; *SCALE is the unit in which it is shown. */
static void write_x(const struct chart *chart, double *scale)
{
    static const char *const words[CURVE_AXES] = {"Simulated time", "Tokens", "Steps at full strength"};
    char label[NOTATION_LENGTH];
    struct axis x = chart->x;
    bool hours = false;
    *scale = 1;
    snprintf(label, sizeof label, "%s", words[chart->over]);
    if (chart->over == CURVE_OVER_TIME) {
        const struct notation_unit *unit = notation_time_unit(x.high / 2);
        *scale = unit->scale;
        hours = strcmp(unit->name, "h") == 0;
        snprintf(label, sizeof label, "%s (%s)", words[chart->over], unit->name);
    }
    x.low = fmin(0, x.low / *scale);
    x.high = x.high > x.low ? x.high / *scale : x.low + 1;
    axis_write(&x, 'x', chart->panels.count == 1 ? 10 : 5, hours, chart->out);
    script_set_string(chart->out, "x_label", label);
}

/* A block of data: a line per point of x, mean, low, high; an empty one has a line of no numbers, so that it
 * counts as a block. */
static void write_curve(const struct chart *chart, const struct mean_curve *curve, double scale)
{
    for (size_t i = 0; i < curve->count; i++) {
        const double numbers[] = {curve->x[i] / scale, curve->mean[i], curve->low[i], curve->high[i]};
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            fputs(j ? " " : "", chart->out);
            script_number(chart->out, numbers[j]);
        }
        fputc('\n', chart->out);
    }
    fputs(curve->count ? "\n\n" : "NaN NaN NaN NaN\n\n\n", chart->out);
}

static void write_floors(const struct chart *chart)
{
    bool any = false;
    fprintf(chart->out, "array floor_loss[%zu] = [", chart->panels.count);
    for (size_t i = 0; i < chart->panels.count; i++) {
        fputs(i ? ", " : "", chart->out);
        script_number(chart->out, chart->floors[i]);
        any |= isfinite(chart->floors[i]);
    }
    fputs("]\n", chart->out);
    script_set_string(chart->out, "floor_name", any ? FLOOR_NAME : "");
    script_set_string(chart->out, "reference_name", chart->panels.outline->reference ? REFERENCE_NAME : "");
}

static double legend_width(const struct chart *chart)
{
    const struct outline *outline = chart->panels.outline;
    size_t longest = strlen(outline->reference ? REFERENCE_NAME : FLOOR_NAME);
    for (size_t i = 0; i < outline->strategy_count; i++)
        if (strlen(outline->strategies[i]) > longest)
            longest = strlen(outline->strategies[i]);
    return LEGEND_MARGIN + CHARACTER_WIDTH * (double)longest;
}

static void write_chart(struct chart *chart, struct figure_script *script)
{
    double scale;
    panels_lay_out(&chart->panels, 3, 270, 40, legend_width(chart), script);
    panels_write_words(&chart->panels, "Held-out loss",
                       isfinite(chart->floors[0]) ? " of the excess loss" : "", chart->out);
    panels_write_loss_label(&chart->panels, chart->store, "y_label", "Held-out loss", chart->out);
    choose_axes(chart);
    write_x(chart, &scale);
    axis_write(&chart->losses, 'y', chart->panels.count == 1 ? 8 : 6, false, chart->out);
    write_floors(chart);
    fputs("$curves << END_OF_DATA\n", chart->out);
    for (size_t i = 0; i < chart->panels.count * chart->lines; i++)
        write_curve(chart, &chart->curves[i], scale);
    fputs("END_OF_DATA\n", chart->out);
}

bool loss_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                struct error *error)
{
    struct chart chart = {.store = store, .out = script->out};
    if (!find_axis(request->metric, &chart.over, error))
        return false;
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    bool read = panels_choose(&chart.panels, outline, error) && read_curves(&chart, error);
    if (read)
        write_chart(&chart, script);
    free(chart.curves);
    outline_destroy(outline);
    return read;
}
