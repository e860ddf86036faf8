/*
 * Published figures against simulated ones, for people: as plain text, and in Markdown for the documentation.
 */
#ifndef STUDIES_VALIDATION_H
#define STUDIES_VALIDATION_H

#include "studies/expectations.h"

/* A row for each result: what was wanted, within what, what was got and by how much it differs; results of
 * two strategies against each other in a table of their own, with the interval; results of a field in tables
 * with a row a strategy and a column a target; below, the largest and the
 * mean difference of each metric. Shares are given in percent and differ by points, other figures differ by a
 * percentage. The caller frees; NULL when out of memory. */
char *validation_table(const struct plan *plan, const struct expectation_results *results);

/* The same facts under a heading with the study's name: for each metric a table with a row a strategy and a
 * column a point, whose cells read "published / simulated"; where there is but one point, one table with a
 * column a metric. The caller frees; NULL when out of memory. */
char *validation_markdown(const struct plan *plan, const struct expectation_results *results);

#endif
