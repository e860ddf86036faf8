/*
 * The tables of a report (plots/report.h).
 */
#ifndef PLOTS_REPORT_TABLES_H
#define PLOTS_REPORT_TABLES_H

#include "results/outline.h"
#include <stdio.h>

/* Strategies side by side, a row per point and strategy. */
void report_comparison(struct store *store, const struct outline *outline, FILE *out);

/* Shares of chip time by category, likewise. */
void report_budget(struct store *store, const struct outline *outline, FILE *out);

/* What was expected; nothing if nothing was. False with ERROR when the database fails. */
bool report_expectations(struct store *store, const struct outline *outline, FILE *out, struct error *error);

#endif
