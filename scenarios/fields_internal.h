/*
 * What the parts of the field table share: the table (fields.c), what is special to expectations
 * (fields_expectations.c), and paths (fields_paths.c).
 */
#ifndef SCENARIOS_FIELDS_INTERNAL_H
#define SCENARIOS_FIELDS_INTERNAL_H

#include "scenarios/fields.h"
#include "scenarios/metrics.h"

/* Expectations about metrics come by the metric's dimension, and behind these by its range; then those about
 * fields likewise. */
enum {
    FIELDS_METRIC_KINDS = (size_t)PARAMETER_DIMENSIONS + METRICS_RANGES - 1,
    FIELDS_EXPECTATION_KINDS = 2 * FIELDS_METRIC_KINDS
};

/* The entries of "expect", about metrics and about fields' values. */
extern const struct parameter_list fields_expectations, fields_solutions;

/* Gives the figures of LIST, which is that of expectations, the dimension of their kind. */
void fields_give_dimensions(struct field *list);

#endif
