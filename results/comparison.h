/*
 * Strategies side by side: what a person reads after a run.
 */
#ifndef RESULTS_COMPARISON_H
#define RESULTS_COMPARISON_H

#include "results/store.h"

/* A table in plain text: per point and strategy the mean ± 95 % half-width of goodput, uptime, useful steps,
 * tokens, MTBF seen and failures, and the largest losses by name; expectations below it, with wanted and got.
 * The caller frees. NULL on failure. */
char *comparison_table(struct store *store, int64_t study, struct error *error);

/* The same facts as JSON. */
char *comparison_json(struct store *store, int64_t study, struct error *error);

#endif
