/*
 * All panels share their axes. Places are worked out in pixels, so that names can be put off one another.
 */
#include "plots/quality.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "plots/labels.h"
#include "plots/panels.h"
#include "results/notation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTER_WIDTH = 8, NAME_HEIGHT = 17, MARGIN = 24, TICKS = 46, BAR_WIDTH = 8, MOST_BESIDE = 20 };

#define DECADES 40 /* how many times the least loss the greatest one is for a logarithmic axis */
#define REFERENCE_NAME "reference (no failures)"

/* A strategy at a point; goodput in percent, and the loss with the interval of the excess loss, see
 * plots/mean_curve.h. */
struct mark {
    size_t strategy;
    struct store_mean goodput, loss;
};

struct chart {
    struct store *store;
    struct panels panels;
    struct mark *marks; /* of all panels, one after another */
    size_t counts[MOST_LEARNING_PANELS];
    double references[MOST_LEARNING_PANELS]; /* final loss of the reference; NAN: none */
    struct axis goodput, loss;
    bool excess;      /* some interval is that of the excess loss */
    double name_room; /* right of a panel, in pixels */
    FILE *out;
};

static const char *point_of(const struct chart *chart, size_t panel)
{
    return chart->panels.outline->points[chart->panels.points[panel]].json;
}

static bool find_mean(const struct chart *chart, size_t panel, const char *strategy, const char *metric,
                      struct store_mean *mean)
{
    return store_mean(chart->store, chart->panels.outline->study, strategy, point_of(chart, panel), metric,
                      mean);
}

static bool find_mark(struct chart *chart, size_t panel, size_t strategy, struct mark *mark)
{
    const char *name = chart->panels.outline->strategies[strategy];
    struct store_mean excess;
    mark->strategy = strategy;
    if (!find_mean(chart, panel, name, "goodput", &mark->goodput) ||
        !find_mean(chart, panel, name, "final_loss", &mark->loss))
        return false;
    mark->goodput.mean *= 100;
    mark->goodput.low *= 100;
    mark->goodput.high *= 100;
    if (find_mean(chart, panel, name, "excess_loss", &excess) && excess.count == mark->loss.count) {
        chart->excess = true;
        mark->loss.low = mark->loss.mean + (excess.low - excess.mean);
        mark->loss.high = mark->loss.mean + (excess.high - excess.mean);
    }
    return true;
}

static bool read_marks(struct chart *chart, struct error *error)
{
    const struct outline *outline = chart->panels.outline;
    size_t count = 0;
    chart->marks = calloc(chart->panels.count * outline->strategy_count + 1, sizeof *chart->marks);
    if (!chart->marks) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    for (size_t panel = 0; panel < chart->panels.count; panel++) {
        size_t before = count;
        struct store_mean reference;
        for (size_t i = 0; i < outline->strategy_count; i++)
            count += find_mark(chart, panel, i, &chart->marks[count]);
        chart->counts[panel] = count - before;
        bool found =
            outline->reference && find_mean(chart, panel, outline->reference, "final_loss", &reference);
        chart->references[panel] = found ? reference.mean : NAN;
    }
    if (count > 0)
        return true;
    error_set(error, ERROR_INPUT, "study %lld (%s) has no summary of \"final_loss\"",
              (long long)outline->study, outline->name);
    return false;
}

static void include_mean(struct axis *axis, const struct store_mean *mean)
{
    axis_include(axis, mean->mean);
    if (axis->logarithmic && mean->low <= 0)
        return;
    axis_include(axis, mean->low);
    axis_include(axis, mean->high);
}

static void choose_axes(struct chart *chart)
{
    chart->goodput = chart->loss = axis_empty();
    const struct mark *mark = chart->marks;
    for (size_t panel = 0; panel < chart->panels.count; panel++) {
        for (size_t i = 0; i < chart->counts[panel]; i++, mark++) {
            axis_include(&chart->loss, mark->loss.mean);
            include_mean(&chart->goodput, &mark->goodput);
        }
        axis_include(&chart->loss, chart->references[panel]);
    }
    axis_choose_scale(&chart->loss, DECADES);
    while (mark-- > chart->marks)
        include_mean(&chart->loss, &mark->loss);
    axis_pad(&chart->goodput, 0.1);
    axis_pad(&chart->loss, 0.1);
    chart->goodput.low = fmax(chart->goodput.low, 0);
    chart->goodput.high = fmin(chart->goodput.high, 100 + 0.04 * (100 - chart->goodput.low));
}

/* The mark's error bars as rectangles of the panel, with room for their ends; one observation has none. */
static void add_bars(const struct chart *chart, const struct mark *mark, const struct label *label,
                     struct rectangle *obstacles, size_t *count)
{
    double half = BAR_WIDTH / 2.0;
    if (isfinite(mark->goodput.low))
        obstacles[(*count)++] = (struct rectangle){
            axis_place(&chart->goodput, mark->goodput.low) * chart->panels.across - half, label->y - half,
            axis_place(&chart->goodput, mark->goodput.high) * chart->panels.across + half, label->y + half};
    if (isfinite(mark->loss.low))
        obstacles[(*count)++] = (struct rectangle){
            label->x - half, axis_place(&chart->loss, mark->loss.low) * chart->panels.down - half,
            label->x + half, axis_place(&chart->loss, mark->loss.high) * chart->panels.down + half};
}

/* The reference's line, and its name above the line's left end. */
static void add_reference(const struct chart *chart, size_t panel, struct rectangle *obstacles, size_t *count)
{
    double y = axis_place(&chart->loss, chart->references[panel]) * chart->panels.down;
    if (!isfinite(y))
        return;
    obstacles[(*count)++] = (struct rectangle){0, y - 2, chart->panels.across, y + 2};
    obstacles[(*count)++] =
        (struct rectangle){0, y, CHARACTER_WIDTH * (double)strlen(REFERENCE_NAME), y + NAME_HEIGHT};
}

static bool place_names(const struct chart *chart, size_t panel, const struct mark *marks,
                        struct label *labels)
{
    size_t count = chart->counts[panel], obstacle_count = 0;
    struct rectangle *obstacles = calloc(2 * count + 2, sizeof *obstacles);
    if (!obstacles)
        return false;
    add_reference(chart, panel, obstacles, &obstacle_count);
    for (size_t i = 0; i < count; i++) {
        labels[i] = (struct label){
            .x = axis_place(&chart->goodput, marks[i].goodput.mean) * chart->panels.across,
            .y = axis_place(&chart->loss, marks[i].loss.mean) * chart->panels.down,
            .width = CHARACTER_WIDTH * (double)strlen(chart->panels.outline->strategies[marks[i].strategy]),
            .height = NAME_HEIGHT};
        add_bars(chart, &marks[i], &labels[i], obstacles, &obstacle_count);
    }
    const struct rectangle room = {0, 0, chart->panels.across + chart->name_room, chart->panels.down};
    bool placed = labels_place(labels, count, obstacles, obstacle_count, &room);
    free(obstacles);
    return placed;
}

/* A line of data for a mark, see the template. */
static void write_mark(const struct chart *chart, const struct mark *mark, const struct label *label)
{
    const double numbers[] = {
        (double)mark->strategy + 1,
        mark->goodput.mean,
        mark->loss.mean,
        isfinite(mark->goodput.low) ? mark->goodput.low : mark->goodput.mean,
        isfinite(mark->goodput.high) ? mark->goodput.high : mark->goodput.mean,
        isfinite(mark->loss.low) ? mark->loss.low : mark->loss.mean,
        isfinite(mark->loss.high) ? mark->loss.high : mark->loss.mean,
        axis_value(&chart->goodput, label->at_x / chart->panels.across),
        axis_value(&chart->loss, label->at_y / chart->panels.down),
        label->alignment,
        label->far,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fputs(i ? " " : "", chart->out);
        script_number(chart->out, numbers[i]);
    }
    fputc('\n', chart->out);
}

static bool write_panel(const struct chart *chart, size_t panel, const struct mark *marks)
{
    struct label *labels = calloc(chart->counts[panel] + 1, sizeof *labels);
    bool placed = labels && place_names(chart, panel, marks, labels);
    for (size_t i = 0; placed && i < chart->counts[panel]; i++)
        write_mark(chart, &marks[i], &labels[i]);
    fputs(chart->counts[panel] ? "\n\n" : "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN\n\n\n", chart->out);
    free(labels);
    return placed;
}

static bool write_panels(const struct chart *chart, struct error *error)
{
    const struct mark *marks = chart->marks;
    bool written = true;
    fputs("$marks << END_OF_DATA\n", chart->out);
    for (size_t i = 0; written && i < chart->panels.count; i++) {
        written = write_panel(chart, i, marks);
        marks += chart->counts[i];
    }
    fputs("END_OF_DATA\n", chart->out);
    if (!written)
        error_out_of_memory(error, "a figure");
    return written;
}

static void write_references(const struct chart *chart)
{
    fprintf(chart->out, "array reference_loss[%zu] = [", chart->panels.count);
    for (size_t i = 0; i < chart->panels.count; i++) {
        fputs(i ? ", " : "", chart->out);
        script_number(chart->out, chart->references[i]);
    }
    fputs("]\n", chart->out);
    script_set_string(chart->out, "reference_name", REFERENCE_NAME);
}

/* Names may stand right of a panel. */
static double find_name_room(const struct chart *chart)
{
    size_t longest = 0;
    for (size_t i = 0; i < chart->panels.outline->strategy_count; i++)
        if (strlen(chart->panels.outline->strategies[i]) > longest)
            longest = strlen(chart->panels.outline->strategies[i]);
    return CHARACTER_WIDTH * (double)(longest < MOST_BESIDE ? longest : MOST_BESIDE);
}

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    char text[CAPTION_LENGTH];
    bool single = chart->panels.count == 1;
    chart->name_room = find_name_room(chart);
    panels_lay_out(&chart->panels, 2, 360, TICKS + chart->name_room, MARGIN + chart->name_room, script);
    panels_write_words(&chart->panels, "Final loss over goodput",
                       chart->excess ? " (of the excess loss)" : "", chart->out);
    caption_metric(text, "goodput");
    script_set_string(chart->out, "x_label", text);
    panels_write_loss_label(&chart->panels, chart->store, "y_label", "Final loss", chart->out);
    choose_axes(chart);
    axis_write(&chart->goodput, 'x', single ? 10 : 5, false, chart->out);
    axis_write(&chart->loss, 'y', single ? 8 : 6, false, chart->out);
    write_references(chart);
    return write_panels(chart, error);
}

bool quality_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.store = store, .out = script->out};
    bool written = panels_choose(&chart.panels, outline, error) && read_marks(&chart, error) &&
                   write_chart(&chart, script, error);
    free(chart.marks);
    outline_destroy(outline);
    return written;
}
