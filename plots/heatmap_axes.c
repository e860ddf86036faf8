/*
 * Two axes of the study that do not move together lie along the sides. A cell reaches half way to its
 * neighbours, on the scale that the axis has, and so cells lie as values do; where that would leave one too
 * narrow to see, all are equally wide.
 */
#include "plots/heatmap.h"
#include "plots/heatmap_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOGARITHMIC_FROM 8  /* as other figures' axes */
#define NARROWEST (1.0 / 3) /* of a mean cell */

bool heatmap_varies(const struct outline *outline, size_t axis)
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
    return outline->axes[axis].leader == axis && heatmap_varies(outline, axis);
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
        if (!heatmap_varies(outline, i))
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

bool heatmap_shows(const struct map *map, size_t axis)
{
    const struct outline_axis *axes = map->outline->axes;
    return axes[axis].leader == axes[map->x.axis].leader || axes[axis].leader == axes[map->y.axis].leader;
}

/* Where the I-th value lies on AXIS; NULL: values lie evenly. */
static double place_of(const struct spread *spread, const struct axis *axis, size_t i)
{
    return axis ? axis_place(axis, spread->values[i]) : (double)i;
}

/* Where cells end, from where their values lie. */
static void put_edges(const struct spread *spread, bool even, double *edges)
{
    const size_t count = spread->value_count;
    struct axis scale = {.low = spread->values[0], .high = spread->values[count - 1]};
    const struct axis *axis = even ? NULL : &scale;
    axis_choose_scale(&scale, LOGARITHMIC_FROM);
    for (size_t i = 1; i < count; i++)
        edges[i] = (place_of(spread, axis, i - 1) + place_of(spread, axis, i)) / 2;
    edges[0] = 2 * place_of(spread, axis, 0) - edges[1];
    edges[count] = 2 * place_of(spread, axis, count - 1) - edges[count - 1];
    const double start = edges[0], span = edges[count] - start;
    for (size_t i = 0; i <= count; i++)
        edges[i] = (edges[i] - start) / span;
}

double heatmap_narrowest(const struct side *side)
{
    const size_t count = side->spread->value_count;
    double least = 1;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, side->edges[i + 1] - side->edges[i]);
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
    if (heatmap_narrowest(side) < NARROWEST)
        put_edges(side->spread, true, side->edges);
    return true;
}

bool heatmap_open_sides(struct map *map, const struct figure_request *request, struct error *error)
{
    return choose_axes(map, request, error) && open_side(map->outline, &map->x, error) &&
           open_side(map->outline, &map->y, error);
}

static void close_side(struct side *side)
{
    spread_destroy(side->spread);
    free(side->edges);
}

void heatmap_close_sides(struct map *map)
{
    close_side(&map->x);
    close_side(&map->y);
}
