/*
 * The metrics that scenarios, tables of figures and the command line name, and how their figures are written
 * there: with a unit of the metric's dimension, and where a metric is a share, as a number that can be one.
 * 80 for 80 % is found out, since no share is above 1. What may be above it all the same, such as a ratio of
 * two times or the use of a link whose profile gives it more than its bandwidth, is not held to that.
 */
#ifndef SCENARIOS_METRICS_H
#define SCENARIOS_METRICS_H

#include "scenarios/value.h"

enum metrics_range {
    METRICS_ANY,
    METRICS_SHARE,  /* of a whole: from 0 to 1 */
    METRICS_SAVING, /* at most 1, and below 0 where it is a loss */
    METRICS_RANGES
};

struct metrics_form {
    const char *unit; /* as results have it */
    enum parameter_dimension dimension;
    double size; /* of the unit, in the dimension's SI unit */
    enum metrics_range range;
};

/* How figures of METRIC are written: one of runs or of replays, "share:" with a budget category, or "waste:"
 * with the name of what fails. False if no metric is called so. */
bool metrics_find(const char *metric, struct metrics_form *form);

/* Gives ROW the bounds of a figure of RANGE, or of how far one may be off (SPREAD). */
void metrics_bound(struct parameter *row, enum metrics_range range, bool spread);

/* Reads TEXT as such a figure, in the metric's own unit as results have it. False with FAULT. */
bool metrics_read(const struct metrics_form *form, bool spread, const struct units *units, const char *text,
                  double *value, struct value_fault *fault);

#endif
