/*
 * Points become cells of a grid: a column for each value of one axis, a row for each of the other. Where the
 * study has more axes than two, its points are those that have the first value on all others.
 */
#include "plots/heatmap_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_POINT = -1 };

size_t heatmap_columns(const struct map *map)
{
    return map->x.spread->value_count;
}

size_t heatmap_cells(const struct map *map)
{
    return map->x.spread->value_count * map->y.spread->value_count;
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
        if (!heatmap_shows(map, i) &&
            points[point].settings[i].number != points[map->first].settings[i].number)
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
    for (size_t i = 0; i < heatmap_cells(map); i++)
        map->points[i] = NO_POINT;
    for (size_t i = 0; i < outline->point_count; i++) {
        const struct outline_setting *settings = outline->points[i].settings;
        if (!is_in_plane(map, i))
            continue;
        size_t column = find_value(map->x.spread, settings[map->x.axis].number);
        size_t row = find_value(map->y.spread, settings[map->y.axis].number);
        map->points[row * heatmap_columns(map) + column] = (int64_t)i;
    }
}

/* Whether the strategy has a value in any cell; VALUES are its. */
static bool find_values(struct map *map, size_t strategy, double *values)
{
    bool found = false;
    for (size_t i = 0; i < heatmap_cells(map); i++) {
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
            find_values(map, i, map->values + map->panels.count * heatmap_cells(map)))
            map->strategies[map->panels.count++] = i;
    for (size_t i = 0; i < map->panels.count * heatmap_cells(map); i++)
        map->blank |= !isfinite(map->values[i]);
    map->panels.all = map->outline->strategy_count;
    if (map->panels.count)
        return true;
    error_set(error, ERROR_INPUT, "study %" PRId64 " (%s) has no summary of \"%s\"%s%s over %s and %s",
              map->outline->study, map->outline->name, map->metric, only ? " of strategy " : "",
              only ? only : "", map->outline->axes[map->x.axis].path, map->outline->axes[map->y.axis].path);
    return false;
}

bool heatmap_open_cells(struct map *map, const char *only, struct error *error)
{
    map->points = calloc(heatmap_cells(map), sizeof *map->points);
    map->values = calloc(MOST_LEARNING_PANELS * heatmap_cells(map), sizeof *map->values);
    if (map->points && map->values) {
        find_points(map);
        return fill_panels(map, only, error);
    }
    error_out_of_memory(error, "a figure");
    return false;
}

void heatmap_close_cells(struct map *map)
{
    free(map->points);
    free(map->values);
}
