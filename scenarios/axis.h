/*
 * Sweep axes and the points they span.
 */
#ifndef SCENARIOS_AXIS_H
#define SCENARIOS_AXIS_H

#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>

/* The values of one field, as a scenario writes them, in canonical form ("1200000", "5 d"). Axes that are
 * locked have as many values as the one before them and move with it; the others multiply. */
struct scenario_axis {
    char *path;
    char **values;
    size_t count;
    bool locked;
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

/* A list of axes. Starts as {0}. */
struct scenario_axes {
    struct scenario_axis *items;
    size_t count;
};

/* Parses "PATH=V1,V2,…" (of --axis), and "PATH=V1,V2,…+PATH=V3,V4,…" as axes that move together, and adds
 * them to AXES. A value of a number may be a range, "1..16 step 5" (see scenarios/range.h). Each path must be
 * a field's and each value right for it, none of an axis that moves alone twice, or ERROR_INPUT with a caret
 * under the place. A path may name an item that a scenario lacks; laying the point over the scenario tells.
 * Free with scenario_axes_free, also after a failure. */
bool scenario_axes_parse(const char *text, struct scenario_axes *axes, struct error *error);
void scenario_axes_free(struct scenario_axes *axes);

/* How many axes from FIRST on move together, itself included; FIRST is below COUNT. */
size_t scenario_axes_together(const struct scenario_axis *axes, size_t count, size_t first);

/* The points that COUNT axes span, the last axis fastest; one empty point when COUNT is 0; more than a
 * million are ERROR_INPUT. The caller frees POINTS with scenario_points_free. Names and values are copied. */
bool scenario_points_create(const struct scenario_axis *axes, size_t count, struct scenario_point **points,
                            size_t *point_count, struct error *error);
void scenario_points_free(struct scenario_point *points, size_t count);
void scenario_point_free(struct scenario_point *point); /* one of them */

/* The point as the database keeps it: JSON keyed by path, numbers where the field has no dimension, else
 * strings with the unit in canonical form (so that "1 d" and "24 h" are the same point); keys sorted. "{}"
 * for none. The caller frees. */
char *scenario_point_json(const struct scenario_point *point);

#endif
