/*
 * How the points of a study spread over a figure: one axis lies along x, and points that differ in it alone
 * are a group.
 */
#ifndef PLOTS_SPREAD_H
#define PLOTS_SPREAD_H

#include "results/outline.h"
#include <stdio.h>

struct spread {
    size_t axis; /* along x: the numeric axis with most values, or if none is numeric, that with most */
    bool numeric;
    double *values;     /* of that axis, ascending, each once */
    char (*labels)[64]; /* of the values */
    size_t value_count; /* 0 or 1: there is nothing to go along x */
    size_t *groups;     /* of each point */
    char **captions;    /* of each group: the other axes' values */
    size_t group_count;
};

/* The outline must outlive it. NULL when out of memory. The caller destroys it. */
struct spread *spread_create(const struct outline *outline, struct error *error);

/* The same along the outline's axis AXIS, whatever others there are. Of the others, those that say how runs
 * are made rather than of what (how long, of a single strategy's) make no groups, unless a strategy then had
 * two points of a group at one place of the axis. */
struct spread *spread_create_along(const struct outline *outline, size_t axis, struct error *error);
void spread_destroy(struct spread *spread);

/* Sets gnuplot's x axis for a plot PIXELS wide: logarithmic where the values span about a decade or more, and
 * as many ticks labelled as there is room for. Sets its variables x_from, x_to and x_logarithmic too. */
void spread_write_axis(const struct spread *spread, double pixels, FILE *out);

#endif
