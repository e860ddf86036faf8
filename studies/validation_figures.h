/*
 * What both forms of a validation are made of: figures as text, differences, and the lines above and below
 * the tables.
 */
#ifndef STUDIES_VALIDATION_FIGURES_H
#define STUDIES_VALIDATION_FIGURES_H

#include "studies/expectations.h"
#include <stdio.h>

enum { VALIDATION_CELL_SIZE = 256 };

/* Formats a cell like snprintf. */
void validation_put(char cell[VALIDATION_CELL_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A figure of METRIC after BEFORE, with its unit: "± 4.0 %", "52.5 s", "none" for NAN. */
void validation_put_figure(char cell[VALIDATION_CELL_SIZE], const char *metric, const char *before,
                           double value);

/* "≥ " or "≤ " of an expectation that is a bound, else "". */
const char *validation_bound_sign(const struct scenario_expectation *expectation);

/* Whether a figure was wanted, and not a bound on one. */
bool validation_has_figure(const struct expectation_result *result);

/* What was got less what was wanted: in points for a share, else in percent of what was wanted (NAN
 * of 0). */
double validation_difference(const struct expectation_result *result);
const char *validation_difference_unit(const char *metric);

/* Whether no result before the I-th is the SAME as it, so that a metric, say, is met once. */
bool validation_is_first(const struct expectation_results *results, size_t i,
                         bool (*same)(const struct expectation_result *, const struct expectation_result *));
bool validation_same_metric(const struct expectation_result *a, const struct expectation_result *b);

/* Name and description of the study: BEFORE, the name, AFTER, the description. */
void validation_write_title(FILE *out, const struct plan *plan, const char *before, const char *after);

/* How many expectations were met, and the largest and the mean difference of each metric; a line each, after
 * PREFIX. */
void validation_write_summary(FILE *out, const struct expectation_results *results, const char *prefix);

#endif
