/*
 * Points become cells of a grid: a column for each value of one axis, a row for each of the other. A cell
 * reaches half way to its neighbours, on the scale that the axis has, and so cells lie as values do; where
 * that would leave one too narrow to see, all are equally wide.
 */
#include "plots/heatmap.h"
#include "plots/axis.h"
#include "plots/caption.h"
#include "plots/panels.h"
#include "plots/spread.h"
#include "results/notation.h"
#include "results/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_COLUMNS = 3, DIGIT_WIDTH = 8, LEAST_HEIGHT = 17, TICK_GAP = 8, NO_POINT = -1, MOST_NAME = 80 };
#define LOGARITHMIC_FROM 8  /* as other figures' axes */
#define NARROWEST (1.0 / 3) /* of a mean cell */

/* One side of the grid. */
struct side {
    size_t axis; /* of the outline */
    struct spread *spread;
    double *edges; /* of the cells, 0 to 1, one more than there are values */
};

struct map {
    struct store *store;
    const struct outline *outline;
    const char *metric;
    double scale; /* from the database to the figure: 100 for a share */
    struct side x, y;
    int64_t *points; /* of each cell, rows of y; NO_POINT */
    size_t first;    /* the point whose values the axes that are not shown stand still at */
    double *values;  /* of each panel's cells; NAN: none */
    struct panels panels;
    size_t strategies[MOST_LEARNING_PANELS]; /* of each panel */
    struct axis range;                       /* of the values */
    bool blank;                              /* some cell has no value */
    int decimals;
    FILE *out;
};

static size_t columns_of(const struct map *map)
{
    return map->x.spread->value_count;
}

static size_t cells_of(const struct map *map)
{
    return map->x.spread->value_count * map->y.spread->value_count;
}

/* Axes */

static bool varies(const struct outline *outline, size_t axis)
{
    const struct outline_setting *first = NULL;
    for (size_t i = 0; i < outline->point_count; i++) {
        const struct outline_setting *setting = &outline->points[i].settings[axis];
        if (!setting->text)
            continue;
        if (first && first->number != setting->number)
            return true;
        first = setting;
    }
    return false;
}

/* Whether the axis tells points apart, and not only along with an earlier one. */
static bool is_own(const struct outline *outline, size_t axis)
{
    return outline->axes[axis].leader == axis && varies(outline, axis);
}

bool heatmap_suits(const struct outline *outline)
{
    size_t count = 0;
    for (size_t i = 0; i < outline->axis_count; i++)
        if (is_own(outline, i)) {
            if (!outline->axes[i].numeric)
                return false;
            count++;
        }
    return count == 2;
}

/* The first axis, of numbers if there is one, that does not move with TAKEN (SIZE_MAX: none); SIZE_MAX. */
static size_t next_axis(const struct outline *outline, size_t taken)
{
    for (int words = 0; words < 2; words++)
        for (size_t i = 0; i < outline->axis_count; i++)
            if (is_own(outline, i) && outline->axes[i].numeric == !words &&
                (taken == SIZE_MAX || outline->axes[taken].leader != i))
                return i;
    return SIZE_MAX;
}

/* The axis called PATH, which OPTION names. */
static bool find_axis(const struct outline *outline, const char *option, const char *path, size_t *axis,
                      struct error *error)
{
    char paths[400] = "";
    size_t length = 0;
    for (size_t i = 0; i < outline->axis_count; i++) {
        if (!varies(outline, i))
            continue;
        if (strcmp(outline->axes[i].path, path) == 0) {
            *axis = i;
            return true;
        }
        if (length < sizeof paths)
            length += (size_t)snprintf(paths + length, sizeof paths - length, "%s%s", length ? ", " : "",
                                       outline->axes[i].path);
    }
    error_set(error, ERROR_INPUT,
              "--%s: study %" PRId64 " (%s) has no axis \"%s\" of several values; it has %s", option,
              outline->study, outline->name, path, *paths ? paths : "none");
    return false;
}

static bool refuse_axes(const struct outline *outline, struct error *error)
{
    size_t only = next_axis(outline, SIZE_MAX);
    if (only == SIZE_MAX)
        error_set(error, ERROR_INPUT,
                  "study %" PRId64 " (%s) has no axis; a heatmap wants two, as of a sweep with two --axis",
                  outline->study, outline->name);
    else
        error_set(error, ERROR_INPUT,
                  "study %" PRId64 " (%s) has one axis, %s; a heatmap wants two, as of a sweep with another "
                  "--axis",
                  outline->study, outline->name, outline->axes[only].path);
    return false;
}

/* The axes X and Y are one, or go together. */
static bool refuse_pair(const struct outline *outline, size_t x, size_t y, struct error *error)
{
    size_t other = next_axis(outline, x);
    if (x != y)
        error_set(error, ERROR_INPUT,
                  "study %" PRId64 " (%s): %s moves with %s; a heatmap wants two axes that do not",
                  outline->study, outline->name, outline->axes[y].path, outline->axes[x].path);
    else
        error_set(error, ERROR_INPUT,
                  "--x and --y are both %s; a heatmap wants two axes, and study %" PRId64 " (%s) has %s%s",
                  outline->axes[x].path, outline->study, outline->name,
                  other == SIZE_MAX ? "no other" : outline->axes[other].path,
                  other == SIZE_MAX ? "" : " as well");
    return false;
}

static bool choose_axes(struct map *map, const struct figure_request *request, struct error *error)
{
    const struct outline *outline = map->outline;
    size_t x = SIZE_MAX, y = SIZE_MAX;
    if ((request->x && !find_axis(outline, "x", request->x, &x, error)) ||
        (request->y && !find_axis(outline, "y", request->y, &y, error)))
        return false;
    if (x == SIZE_MAX)
        x = next_axis(outline, y);
    if (x != SIZE_MAX && y == SIZE_MAX)
        y = next_axis(outline, x);
    if (x == SIZE_MAX || y == SIZE_MAX)
        return refuse_axes(outline, error);
    map->x.axis = x;
    map->y.axis = y;
    return outline->axes[x].leader != outline->axes[y].leader || refuse_pair(outline, x, y, error);
}

/* Where cells end, from where their values lie. */
static void put_edges(const struct spread *spread, bool even, double *edges)
{
    const size_t count = spread->value_count;
    struct axis axis = {.low = spread->values[0], .high = spread->values[count - 1]};
    axis_choose_scale(&axis, LOGARITHMIC_FROM);
    for (size_t i = 1; i < count; i++) {
        double before = even ? (double)(i - 1) : axis_place(&axis, spread->values[i - 1]);
        double after = even ? (double)i : axis_place(&axis, spread->values[i]);
        edges[i] = (before + after) / 2;
    }
    double first = even ? 0 : axis_place(&axis, spread->values[0]);
    double last = even ? (double)(count - 1) : axis_place(&axis, spread->values[count - 1]);
    edges[0] = 2 * first - edges[1];
    edges[count] = 2 * last - edges[count - 1];
    double start = edges[0], span = edges[count] - start;
    for (size_t i = 0; i <= count; i++)
        edges[i] = (edges[i] - start) / span;
}

static double narrowest(const double *edges, size_t count)
{
    double least = 1;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, edges[i + 1] - edges[i]);
    return least * (double)count;
}

static bool open_side(const struct outline *outline, struct side *side, struct error *error)
{
    side->spread = spread_create_along(outline, side->axis, error);
    if (!side->spread)
        return false;
    side->edges = calloc(side->spread->value_count + 1, sizeof *side->edges);
    if (!side->edges) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    put_edges(side->spread, !side->spread->numeric, side->edges);
    if (narrowest(side->edges, side->spread->value_count) < NARROWEST)
        put_edges(side->spread, true, side->edges);
    return true;
}

/* Cells */

static bool is_shown(const struct map *map, size_t axis)
{
    const struct outline_axis *axes = map->outline->axes;
    return axes[axis].leader == axes[map->x.axis].leader || axes[axis].leader == axes[map->y.axis].leader;
}

static bool is_placed(const struct map *map, size_t point)
{
    const struct outline_setting *settings = map->outline->points[point].settings;
    return settings[map->x.axis].text && settings[map->y.axis].text;
}

/* Whether the point has the first one's values on all axes that are not shown. */
static bool is_in_plane(const struct map *map, size_t point)
{
    const struct outline_point *points = map->outline->points;
    for (size_t i = 0; i < map->outline->axis_count; i++)
        if (!is_shown(map, i) && points[point].settings[i].number != points[map->first].settings[i].number)
            return false;
    return is_placed(map, point);
}

static size_t find_value(const struct spread *spread, double value)
{
    size_t i = 0;
    while (i + 1 < spread->value_count && spread->values[i] != value)
        i++;
    return i;
}

static void find_points(struct map *map)
{
    const struct outline *outline = map->outline;
    while (map->first + 1 < outline->point_count && !is_placed(map, map->first))
        map->first++;
    for (size_t i = 0; i < cells_of(map); i++)
        map->points[i] = NO_POINT;
    for (size_t i = 0; i < outline->point_count; i++) {
        const struct outline_setting *settings = outline->points[i].settings;
        if (!is_in_plane(map, i))
            continue;
        size_t column = find_value(map->x.spread, settings[map->x.axis].number);
        size_t row = find_value(map->y.spread, settings[map->y.axis].number);
        map->points[row * columns_of(map) + column] = (int64_t)i;
    }
}

/* Whether the strategy has a value in any cell; VALUES are its. */
static bool find_values(struct map *map, size_t strategy, double *values)
{
    bool found = false;
    for (size_t i = 0; i < cells_of(map); i++) {
        struct store_mean mean;
        values[i] = NAN;
        if (map->points[i] == NO_POINT ||
            !store_mean(map->store, map->outline->study, map->outline->strategies[strategy],
                        map->outline->points[map->points[i]].json, map->metric, &mean))
            continue;
        values[i] = map->scale * mean.mean;
        axis_include(&map->range, values[i]);
        found |= isfinite(values[i]);
    }
    return found;
}

static bool fill_panels(struct map *map, const char *only, struct error *error)
{
    if (!panels_check_strategy(map->outline, only, error))
        return false;
    map->panels = (struct panels){.outline = map->outline};
    for (size_t i = 0; i < map->outline->strategy_count && map->panels.count < MOST_LEARNING_PANELS; i++)
        if ((!only || strcmp(only, map->outline->strategies[i]) == 0) &&
            find_values(map, i, map->values + map->panels.count * cells_of(map)))
            map->strategies[map->panels.count++] = i;
    for (size_t i = 0; i < map->panels.count * cells_of(map); i++)
        map->blank |= !isfinite(map->values[i]);
    map->panels.all = map->outline->strategy_count;
    if (map->panels.count)
        return true;
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no summary of \"%s\"%s%s over %s and %s",
              map->outline->study, map->outline->name, map->metric, only ? " of strategy " : "",
              only ? only : "", map->outline->axes[map->x.axis].path, map->outline->axes[map->y.axis].path);
    return false;
}

static bool open_cells(struct map *map, const char *only, struct error *error)
{
    map->points = calloc(cells_of(map), sizeof *map->points);
    map->values = calloc(MOST_LEARNING_PANELS * cells_of(map), sizeof *map->values);
    if (map->points && map->values) {
        find_points(map);
        return fill_panels(map, only, error);
    }
    error_out_of_memory(error, "a figure");
    return false;
}

/* Texts in cells */

static void cell_text(char text[NOTATION_LENGTH], const struct map *map, double value)
{
    if (notation_is_share(map->metric))
        snprintf(text, NOTATION_LENGTH, "%.*f", map->decimals, value);
    else if (notation_is_loss(map->metric))
        notation_loss(text, value, NAN);
    else
        notation_plain(text, value);
}

static size_t longest_text(const struct map *map)
{
    size_t longest = 0;
    for (size_t i = 0; i < map->panels.count * cells_of(map); i++) {
        char text[NOTATION_LENGTH];
        if (!isfinite(map->values[i]))
            continue;
        cell_text(text, map, map->values[i]);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    return longest;
}

/* As many decimals as tell values apart, fewer if they don't fit; false: none fit. */
static bool fit_texts(struct map *map)
{
    const double width =
        map->panels.across * narrowest(map->x.edges, columns_of(map)) / (double)columns_of(map);
    const size_t rows = map->y.spread->value_count;
    const double height = map->panels.down * narrowest(map->y.edges, rows) / (double)rows;
    const double span = map->range.high - map->range.low;
    for (map->decimals = span < 1 ? 2 : 1; map->decimals >= 0; map->decimals--)
        if ((double)(DIGIT_WIDTH * longest_text(map)) + 4 <= width)
            break;
    return map->decimals >= 0 && height >= LEAST_HEIGHT;
}

/* Writing */

static void write_cell(const struct map *map, size_t column, size_t row, double value)
{
    const double numbers[] = {map->x.edges[column], map->x.edges[column + 1], map->y.edges[row],
                              map->y.edges[row + 1]};
    char text[NOTATION_LENGTH];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        fprintf(map->out, "%.6f ", numbers[i]);
    script_number(map->out, value);
    cell_text(text, map, value);
    fprintf(map->out, " \"%s\"\n", isfinite(value) ? text : "");
}

/* A block of each panel, of the cells that have a value or, BLANK, of the others. */
static void write_cells(const struct map *map, const char *name, bool blank)
{
    fprintf(map->out, "$%s << END_OF_DATA\n", name);
    for (size_t panel = 0; panel < map->panels.count; panel++) {
        bool written = false;
        for (size_t i = 0; i < cells_of(map); i++) {
            double value = map->values[panel * cells_of(map) + i];
            if (isfinite(value) == blank)
                continue;
            write_cell(map, i % columns_of(map), i / columns_of(map), value);
            written = true;
        }
        fputs(written ? "\n\n" : "NaN NaN NaN NaN NaN \"\"\n\n\n", map->out);
    }
    fputs("END_OF_DATA\n", map->out);
}

/* Of each value its label, "" where that would touch the one before, and the middle of its cells. EXTENT is
 * what a label takes along the axis, 0: its width. */
static bool write_ticks(const struct map *map, char name, const struct side *side, double pixels,
                        double extent)
{
    const size_t count = side->spread->value_count;
    const char **labels = calloc(count + 1, sizeof *labels);
    char array[] = {name, '_', 'l', 'a', 'b', 'e', 'l', 's', 0};
    double free_from = -INFINITY;
    for (size_t i = 0; labels && i < count; i++) {
        const char *label = side->spread->labels[i];
        double middle = (side->edges[i] + side->edges[i + 1]) / 2 * pixels;
        double half = (extent > 0 ? extent : DIGIT_WIDTH * (double)strlen(label)) / 2;
        bool room = middle - half >= free_from;
        labels[i] = room ? label : "";
        if (room)
            free_from = middle + half + (extent > 0 ? 0 : TICK_GAP);
    }
    if (labels)
        script_set_strings(map->out, array, count, labels);
    fprintf(map->out, "array %c_places[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++)
        fprintf(map->out, "%s%.6f", i ? ", " : "", (side->edges[i] + side->edges[i + 1]) / 2);
    fputs("]\n", map->out);
    free(labels);
    return labels != NULL;
}

/* Where the other axes stand still; "" if there are none. */
static bool describe_plane(const struct map *map, char text[CAPTION_LENGTH])
{
    struct outline_point copy = map->outline->points[map->first];
    copy.settings = calloc(map->outline->axis_count + 1, sizeof *copy.settings);
    if (!copy.settings)
        return false;
    for (size_t i = 0; i < map->outline->axis_count; i++) {
        copy.settings[i] = map->outline->points[map->first].settings[i];
        if (is_shown(map, i) || !varies(map->outline, i))
            copy.settings[i].text = NULL;
    }
    caption_point(text, map->outline, &copy, SIZE_MAX);
    free(copy.settings);
    return true;
}

static bool write_note(const struct map *map, struct error *error)
{
    char note[CAPTION_LENGTH], plane[CAPTION_LENGTH], text[3 * CAPTION_LENGTH];
    if (!describe_plane(map, plane)) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    caption_note(note, map->outline, false);
    const bool alone = map->panels.count == 1;
    const char *name = alone ? map->outline->strategies[map->strategies[0]] : "";
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s%s%s", caption_cut(name, MOST_NAME), name,
                                     alone ? ", " : "", note);
    if (*plane)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "; only at %s, the first value", plane);
    if (map->blank)
        length += (size_t)snprintf(text + length, sizeof text - length, "; hatched: no value");
    if (map->panels.count == MOST_LEARNING_PANELS && map->panels.all > map->panels.count)
        snprintf(text + length, sizeof text - length, "; %zu of %zu strategies", map->panels.count,
                 map->panels.all);
    script_set_string(map->out, "note", text);
    return true;
}

static bool write_words(const struct map *map, struct error *error)
{
    char subject[CAPTION_LENGTH], text[CAPTION_LENGTH];
    const char *names[MOST_LEARNING_PANELS];
    caption_metric_name(subject, map->metric);
    caption_title(text, subject, map->outline);
    script_set_string(map->out, "title", text);
    caption_metric(text, map->metric);
    script_set_string(map->out, "metric", text);
    script_set_string(map->out, "metric_format", notation_is_share(map->metric) ? "%g" : "%.0s%c");
    caption_axis(text, &map->outline->axes[map->x.axis]);
    script_set_string(map->out, "x_label", text);
    caption_axis(text, &map->outline->axes[map->y.axis]);
    script_set_string(map->out, "y_label", text);
    for (size_t i = 0; i < map->panels.count; i++)
        names[i] = map->outline->strategies[map->strategies[i]];
    names[0] = map->panels.count > 1 ? names[0] : "";
    script_set_strings(map->out, "panel", map->panels.count, names);
    return write_note(map, error);
}

static double label_width(const struct side *side)
{
    size_t longest = 0;
    for (size_t i = 0; i < side->spread->value_count; i++)
        longest = strlen(side->spread->labels[i]) > longest ? strlen(side->spread->labels[i]) : longest;
    return DIGIT_WIDTH * (double)longest;
}

static bool write_map(struct map *map, struct figure_script *script, struct error *error)
{
    panels_lay_out(&map->panels, PANEL_COLUMNS, 280, 34, 110, script);
    const double left = 62 + label_width(&map->y);
    script->width += left - 78;
    script_set_number(map->out, "left", left);
    bool texts = fit_texts(map);
    map->decimals = map->decimals < 0 ? 0 : map->decimals;
    if (map->range.low == map->range.high)
        axis_pad(&map->range, 0.05);
    script_set_number(map->out, "low", map->range.low);
    script_set_number(map->out, "high", map->range.high);
    script_set_number(map->out, "texts", texts);
    if (!write_ticks(map, 'x', &map->x, map->panels.across, 0) ||
        !write_ticks(map, 'y', &map->y, map->panels.down, LEAST_HEIGHT)) {
        error_out_of_memory(error, "a figure");
        return false;
    }
    write_cells(map, "cells", false);
    write_cells(map, "blanks", true);
    return write_words(map, error);
}

static void close_map(struct map *map)
{
    spread_destroy(map->x.spread);
    spread_destroy(map->y.spread);
    free(map->x.edges);
    free(map->y.edges);
    free(map->points);
    free(map->values);
}

bool heatmap_write(struct store *store, const struct figure_request *request, struct figure_script *script,
                   struct error *error)
{
    struct outline *outline = outline_create(store, request->study, error);
    if (!outline)
        return false;
    struct map map = {
        .store = store,
        .outline = outline,
        .metric = request->metric ? request->metric : "goodput",
        .range = axis_empty(),
        .out = script->out,
    };
    map.scale = notation_is_share(map.metric) ? 100 : 1;
    bool written = choose_axes(&map, request, error) && open_side(outline, &map.x, error) &&
                   open_side(outline, &map.y, error) && open_cells(&map, request->strategy, error) &&
                   write_map(&map, script, error);
    close_map(&map);
    outline_destroy(outline);
    return written;
}
