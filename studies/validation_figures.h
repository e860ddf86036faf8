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

/* A figure of an expectation after BEFORE, with its unit: "± 4.0 %", "52.5 s", "none" for NAN. */
void validation_put_figure(char cell[VALIDATION_CELL_SIZE], const struct scenario_expectation *expectation,
                           const char *before, double value);

/* The interval of what was got: "[-0.5, -0.1]", in percent where the figure is, as precise as it is narrow;
 * "" where there is none. And what was got as precisely, with its sign: "-0.3 %". */
void validation_put_interval(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result);
void validation_put_change(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result);

/* The results apart, each in their order: those of a strategy by itself, those of two strategies against each
 * other, and those of the value of a field that meets a target. */
struct validation_parts {
    struct expectation_results alone, paired, solved;
};

/* False when out of memory. The caller frees PARTS with validation_parts_free. */
bool validation_part(const struct expectation_results *results, struct validation_parts *parts);
void validation_parts_free(struct validation_parts *parts);

/* "≥ " or "≤ " of an expectation that is a bound, else "". */
const char *validation_bound_sign(const struct scenario_expectation *expectation);

/* Whether the figure wanted was published: its source is given and does not begin with "ours". */
bool validation_is_published(const struct expectation_result *result);

/* What the figures that were wanted are called: "published", or "expected" where none was. */
const char *validation_wanted_word(const struct expectation_results *results);

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

/* How many of RESULTS were met, and the largest and the mean difference of each metric of those alone and of
 * each field; a line each, after PREFIX. */
void validation_write_summary(FILE *out, const struct expectation_results *results,
                              const struct validation_parts *parts, const char *prefix);

/* A table for each field that values were looked for of, and each metric that had a target: a row a strategy
 * and what was set beside, a column a target, cells "published / simulated". Nothing if there are no RESULTS.
 * False when out of memory. */
bool validation_write_solved(FILE *out, const struct expectation_results *results, bool markdown);

#endif
