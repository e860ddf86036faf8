/*
 * Sweep axes and the points they span.
 */
#ifndef SCENARIOS_AXIS_H
#define SCENARIOS_AXIS_H

#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>

/* The values of one field, as a scenario writes them, in canonical form ("1200000", "5 d"). */
struct scenario_axis {
    char *path;
    char **values;
    size_t count;
};

struct scenario_setting {
    char *path;
    char *value;
};

/* One choice of a value for each of some fields. */
struct scenario_point {
    struct scenario_setting *settings;
    size_t count;
};

/* Parses "PATH=V1,V2,…" (of --axis). The path must be a field's and each value right for it, none of them
 * twice, or ERROR_INPUT with a caret under the place. A path may name an item that a scenario lacks; laying
 * the point over the scenario tells. Free with scenario_axis_free. */
bool scenario_axis_parse(const char *text, struct scenario_axis *axis, struct error *error);
void scenario_axis_free(struct scenario_axis *axis);

/* The points that COUNT axes span, the last axis fastest; one empty point when COUNT is 0; more than a
 * million are ERROR_INPUT. The caller
 * frees POINTS with scenario_points_free. Names and values are copied. */
bool scenario_points_create(const struct scenario_axis *axes, size_t count, struct scenario_point **points,
                            size_t *point_count, struct error *error);
void scenario_points_free(struct scenario_point *points, size_t count);

/* The point as the database keeps it: JSON keyed by path, numbers where the field has no dimension, else
 * strings with the unit in canonical form (so that "1 d" and "24 h" are the same point); keys sorted. "{}"
 * for none. The caller frees. */
char *scenario_point_json(const struct scenario_point *point);

#endif
