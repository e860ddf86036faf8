/*
 * What a sweep varies: the scenario's axes with those of a request, and the conditions of both.
 */
#ifndef STUDIES_AXES_H
#define STUDIES_AXES_H

#include "scenarios/scenario.h"
#include "sim/error.h"
#include <stdbool.h>
#include <stddef.h>

/* Shallow copies, whose strings stay with the scenario and the request. Starts as {0}. */
struct axes {
    struct scenario_axis *items;
    size_t count;
    struct scenario_condition *conditions;
    size_t condition_count;
};

/* Joins the axes of BASE with COUNT others, and its conditions with CONDITION_COUNT others (of --where). What
 * is asked for replaces the scenario's axes of its paths, in their place, or comes after them. False with
 * ERROR_INPUT: a path is asked for twice, or without the ones that the scenario's axis moves with. The caller
 * frees AXES, also after a failure. */
bool axes_join(const struct scenario *base, const struct scenario_axis *asked, size_t count,
               const char *const *conditions, size_t condition_count, struct axes *axes, struct error *error);
void axes_free(struct axes *axes);

/* The axis of PATH, or NULL. */
const struct scenario_axis *axes_find(const struct scenario_axis *axes, size_t count, const char *path);

#endif
