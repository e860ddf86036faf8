/*
 * Strategies side by side: what a person reads after a run.
 */
#ifndef RESULTS_COMPARISON_H
#define RESULTS_COMPARISON_H

#include "results/store.h"

/* A table in plain text, from the summary: a row per point and strategy with the means of goodput and uptime
 * and the half-widths of their 95 % intervals, the means of useful steps, tokens, MTBF seen and failures, and
 * the largest losses by name; of a study that trained nothing the figures of a GPU's kernels instead, the
 * ideal bound beside the time ratio. Under it the runs that were not done as planned, the busiest links
 * (links.h), what failures cost (causes.h), and the expectations with wanted and got. The caller frees. NULL
 * on failure. */
char *comparison_table(struct store *store, int64_t study, struct error *error);

/* The same facts as JSON, with every metric and share of the summary, those of replays in "learning" by
 * variant; a point's "reference" has them too. */
char *comparison_json(struct store *store, int64_t study, struct error *error);

#endif
