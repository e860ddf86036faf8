/*
 * An axis of numbers: how far it reaches, and its ticks.
 */
#ifndef PLOTS_AXIS_H
#define PLOTS_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct axis {
    double low, high;
    bool logarithmic;
};

/* Reaches nothing yet. */
struct axis axis_empty(void);

/* Makes it reach VALUE too; what is not finite is passed over. */
void axis_include(struct axis *axis, double value);

/* After all was included: makes it logarithmic if values above zero span TIMES or more. */
void axis_choose_scale(struct axis *axis, double times);

/* Leaves SHARE of the axis free at both ends; one that reaches a single value or nothing gets some width. */
void axis_pad(struct axis *axis, double share);

/* Where VALUE lies, 0 at the low end and 1 at the high one. */
double axis_place(const struct axis *axis, double value);

/* The value at a place. */
double axis_value(const struct axis *axis, double place);

/* The step 1, 2 or 5 times a power of ten that makes at most MOST parts of SPAN; of parts of a DOZEN hours
 * rather 1, 2, 3, 6, 12 or 24. */
double axis_step(double span, size_t most, bool dozen);

/* Sets gnuplot's axis NAME ('x' or 'y'): range, scale and ticks in at most MOST steps. */
void axis_write(const struct axis *axis, char name, size_t most, bool dozen, FILE *out);

/* The ticks of an axis without a logarithm as lists of words, for panels that share it. */
struct axis_ticks {
    char values[400], labels[400];
};
struct axis_ticks axis_list(const struct axis *axis, size_t most, bool dozen);

#endif
