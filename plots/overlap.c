/*
 * A column per GPU, a row per group of the points that differ in neither GPU nor grid, a curve per strategy.
 * Points of an outline are in the order of their axes' values, and so are those of a curve. The ideal bound
 * is the least of all strategies': it differs between them only as shaping slows the products down.
 */
#include "plots/overlap.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "results/notation.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 8, MOST_COLUMNS = 8, CHARACTER_WIDTH = 8, LEGEND_MARGIN = 76 };

#define GRID_PATH "workload.overlap.grid"
#define GPU_PATH "workload.overlap.gpu"
#define DEFAULT_METRIC "time_ratio"
#define BOUND_METRIC "time_bound"
#define BOUND_NAME "ideal bound"

struct chart {
    struct store *store;
    const struct outline *outline;
    size_t grid, gpu; /* axes of the outline; GPU its axis count: it does not vary */
    const char *metric;
    double scale;                                  /* of the metric, from the database to the figure */
    size_t columns[MOST_COLUMNS], rows[MOST_ROWS]; /* a point that is of each */
    size_t column_count, row_count, all_rows;
    struct axis x, y;
    FILE *out;
};

static size_t find_axis(const struct outline *outline, const char *path)
{
    size_t i = 0;
    while (i < outline->axis_count && strcmp(outline->axes[i].path, path) != 0)
        i++;
    return i;
}

static bool is_set_alike(const struct chart *chart, size_t a, size_t b, size_t axis)
{
    const char *left = chart->outline->points[a].settings[axis].text,
               *right = chart->outline->points[b].settings[axis].text;
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool is_in_column(const struct chart *chart, size_t a, size_t b)
{
    return chart->gpu == chart->outline->axis_count || is_set_alike(chart, a, b, chart->gpu);
}

static bool is_in_row(const struct chart *chart, size_t a, size_t b)
{
    for (size_t i = 0; i < chart->outline->axis_count; i++)
        if (i != chart->grid && i != chart->gpu && !is_set_alike(chart, a, b, i))
            return false;
    return true;
}

/* Adds POINT to the COUNT heads of columns or rows, of which MOST are kept, unless one is as it; true if it
 * was new. */
static bool add_head(const struct chart *chart, size_t *heads, size_t *count, size_t most, size_t point,
                     bool (*alike)(const struct chart *, size_t, size_t))
{
    for (size_t i = 0; i < *count; i++)
        if (alike(chart, heads[i], point))
            return false;
    if (*count < most)
        heads[(*count)++] = point;
    return true;
}

static bool find_panels(struct chart *chart, struct error *error)
{
    const struct outline *outline = chart->outline;
    chart->grid = find_axis(outline, GRID_PATH);
    chart->gpu = find_axis(outline, GPU_PATH);
    if (chart->grid == outline->axis_count) {
        error_set(error, ERROR_INPUT,
                  "study %" PRId64 " (%s) varies no grid of a GPU's blocks; sweep one, for example with"
                  " --axis " GRID_PATH "=2,16,128",
                  outline->study, outline->name);
        return false;
    }
    for (size_t i = 0; i < outline->point_count; i++) {
        bool before = false;
        for (size_t j = 0; j < i && !before; j++)
            before = is_in_row(chart, i, j);
        chart->all_rows += !before;
        add_head(chart, chart->columns, &chart->column_count, MOST_COLUMNS, i, is_in_column);
        add_head(chart, chart->rows, &chart->row_count, MOST_ROWS, i, is_in_row);
    }
    return true;
}

/* Data. */

static bool is_in_panel(const struct chart *chart, size_t point, size_t row, size_t column)
{
    return is_in_row(chart, chart->rows[row], point) && is_in_column(chart, chart->columns[column], point);
}

static double mean_of(const struct chart *chart, size_t point, size_t strategy, const char *metric)
{
    struct store_mean mean;
    const struct outline *outline = chart->outline;
    bool found = store_mean(chart->store, outline->study, outline->strategies[strategy],
                            outline->points[point].json, metric, &mean);
    return found ? mean.mean : NAN;
}

static void write_place(struct chart *chart, size_t point, double value)
{
    double grid = chart->outline->points[point].settings[chart->grid].number;
    if (!(grid > 0) || !isfinite(value))
        return;
    axis_include(&chart->x, grid);
    axis_include(&chart->y, chart->scale * value);
    fprintf(chart->out, "%.10g %.6g\n", grid, chart->scale * value);
}

static double bound_of(const struct chart *chart, size_t point)
{
    double least = NAN;
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        least = fmin(least, mean_of(chart, point, i, BOUND_METRIC));
    return least;
}

/* A block of data for each strategy, then one for the bound, of every panel. */
static void write_data(struct chart *chart)
{
    const struct outline *outline = chart->outline;
    fputs("$times << END_OF_DATA\n", chart->out);
    for (size_t row = 0; row < chart->row_count; row++)
        for (size_t column = 0; column < chart->column_count; column++)
            for (size_t i = 0; i <= outline->strategy_count; i++) {
                fputs("NaN NaN\n", chart->out);
                for (size_t j = 0; j < outline->point_count; j++)
                    if (is_in_panel(chart, j, row, column))
                        write_place(chart, j,
                                    i < outline->strategy_count ? mean_of(chart, j, i, chart->metric)
                                                                : bound_of(chart, j));
                fputs("\n\n", chart->out);
            }
    fputs("END_OF_DATA\n", chart->out);
}

/* Words. */

/* " a40", or of a number " 8 pairs" */
static void add_value(const struct outline_axis *axis, const struct outline_setting *setting,
                      char text[CAPTION_LENGTH])
{
    char value[CAPTION_LENGTH], name[CAPTION_LENGTH] = "";
    size_t length = strlen(text);
    caption_value(value, axis, setting);
    if (axis->numeric)
        caption_axis(name, axis);
    snprintf(text + length, CAPTION_LENGTH - length, "%s%.80s%s%.60s", length ? ", " : "", name,
             *name ? " " : "", value);
}

/* What POINT sets but for the grid and, in rows, the GPU; in columns the GPU alone. */
static void name_head(const struct chart *chart, size_t point, bool column, char text[CAPTION_LENGTH])
{
    const struct outline *outline = chart->outline;
    text[0] = '\0';
    for (size_t i = 0; i < outline->axis_count; i++)
        if (i != chart->grid && (i == chart->gpu) == column && outline->points[point].settings[i].text)
            add_value(&outline->axes[i], &outline->points[point].settings[i], text);
}

static void write_heads(const struct chart *chart, const char *name, const size_t *heads, size_t count,
                        bool column)
{
    char names[MOST_ROWS][CAPTION_LENGTH];
    const char *texts[MOST_ROWS];
    for (size_t i = 0; i < count; i++) {
        name_head(chart, heads[i], column, names[i]);
        texts[i] = names[i];
    }
    script_set_strings(chart->out, name, count, texts);
}

static void write_words(const struct chart *chart)
{
    char text[CAPTION_LENGTH], note[2 * CAPTION_LENGTH], name[CAPTION_LENGTH];
    caption_metric_name(name, chart->metric);
    caption_title(text, name, chart->outline);
    script_set_string(chart->out, "title", text);
    caption_note(text, chart->outline, false);
    snprintf(note, sizeof note, "%s; time ratio: over one kernel after another", text);
    if (chart->row_count < chart->all_rows)
        snprintf(note, sizeof note, "%s; %zu of %zu rows", text, chart->row_count, chart->all_rows);
    script_set_string(chart->out, "note", note);
    caption_metric(text, chart->metric);
    script_set_string(chart->out, "y_label", text);
    script_set_string(chart->out, "x_label", "Blocks along a side of the product's grid");
    script_set_string(chart->out, "bound_name", strcmp(chart->metric, DEFAULT_METRIC) == 0 ? BOUND_NAME : "");
    write_heads(chart, "gpu", chart->columns, chart->column_count, true);
    write_heads(chart, "row", chart->rows, chart->row_count, false);
    script_set_strings(chart->out, "strategy", chart->outline->strategy_count,
                       (const char *const *)chart->outline->strategies);
}

static double legend_width(const struct chart *chart)
{
    size_t longest = strlen(BOUND_NAME);
    for (size_t i = 0; i < chart->outline->strategy_count; i++)
        if (strlen(chart->outline->strategies[i]) > longest)
            longest = strlen(chart->outline->strategies[i]);
    return LEGEND_MARGIN + CHARACTER_WIDTH * (double)longest;
}

static void set_size(const struct chart *chart, struct figure_script *script)
{
    static const double widths[MOST_COLUMNS] = {480, 330, 250, 210, 180, 160, 150, 150};
    const double left = 78, bottom = 62, top = 84, aside = 16, gap = 34,
                 down = chart->row_count == 1 ? 230 : 130;
    double across = widths[chart->column_count - 1], legend = legend_width(chart);
    const struct {
        const char *name;
        double number;
    } variables[] = {{"across", across}, {"down", down}, {"left", left},     {"top", top},
                     {"aside", aside},   {"gap", gap},   {"legend", legend}, {"bottom", bottom}};
    script->width = left + legend + (double)chart->column_count * (across + aside) - aside;
    script->height = top + bottom + (double)chart->row_count * (down + gap) - gap;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        script_set_number(chart->out, variables[i].name, variables[i].number);
}

static void write_axes(const struct chart *chart)
{
    struct axis y = {.low = fmin(0, chart->y.low),
                     .high = 1.05 * fmax(chart->scale > 1 ? chart->scale : 0, chart->y.high)};
    if (!(y.high > y.low))
        y.high = y.low + 1;
    struct axis_ticks ticks = axis_list(&y, 5, false);
    script_set_number(chart->out, "x_from", chart->x.low / 1.3);
    script_set_number(chart->out, "x_to", chart->x.high * 1.3);
    script_set_number(chart->out, "y_from", y.low);
    script_set_number(chart->out, "y_to", y.high);
    script_set_string(chart->out, "y_ticks", ticks.values);
    script_set_string(chart->out, "y_words", ticks.labels);
}

static bool write_chart(struct chart *chart, struct figure_script *script, struct error *error)
{
    if (!find_panels(chart, error))
        return false;
    write_data(chart);
    if (!(chart->x.low <= chart->x.high)) {
        error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no summary of \"%s\" over a grid of blocks",
                  chart->outline->study, chart->outline->name, chart->metric);
        return false;
    }
    set_size(chart, script);
    write_words(chart);
    write_axes(chart);
    return true;
}

bool overlap_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct chart chart = {.store = store,
                          .outline = outline,
                          .metric = request->metric ? request->metric : DEFAULT_METRIC,
                          .x = axis_empty(),
                          .y = axis_empty(),
                          .out = script->out};
    chart.scale = notation_is_share(chart.metric) ? 100 : 1;
    bool written = write_chart(&chart, script, error);
    outline_destroy(outline);
    return written;
}
