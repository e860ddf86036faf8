/*
 * A panel per strategy over the same grid, all with one scale of colours, and labels along the two sides
 * where they have room.
 */
#include "plots/heatmap.h"

#include "plots/caption.h"
#include "plots/heatmap_internal.h"
#include "results/notation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_COLUMNS = 3, TICK_GAP = 8, MOST_NAME = 80 };

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
        double half = (extent > 0 ? extent : HEATMAP_CHARACTER * (double)strlen(label)) / 2;
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
        if (heatmap_shows(map, i) || !heatmap_varies(map->outline, i))
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
    return HEATMAP_CHARACTER * (double)longest;
}

static void lay_out(struct map *map, struct figure_script *script)
{
    const double left = 62 + label_width(&map->y);
    panels_lay_out(&map->panels, PANEL_COLUMNS, 280, 34, 110, script);
    script->width += left - 78;
    script_set_number(map->out, "left", left);
}

static void write_range(const struct map *map)
{
    struct axis range = map->range;
    if (range.low == range.high)
        axis_pad(&range, 0.05);
    script_set_number(map->out, "low", range.low);
    script_set_number(map->out, "high", range.high);
}

static bool write_sides(const struct map *map, struct error *error)
{
    if (write_ticks(map, 'x', &map->x, map->panels.across, 0) &&
        write_ticks(map, 'y', &map->y, map->panels.down, HEATMAP_LINE))
        return true;
    error_out_of_memory(error, "a figure");
    return false;
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
    bool written =
        heatmap_open_sides(&map, request, error) && heatmap_open_cells(&map, request->strategy, error);
    if (written) {
        lay_out(&map, script);
        write_range(&map);
        heatmap_write_data(&map);
        written = write_sides(&map, error) && write_words(&map, error);
    }
    heatmap_close_cells(&map);
    heatmap_close_sides(&map);
    outline_destroy(outline);
    return written;
}
