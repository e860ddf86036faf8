/*
 * What a run's time was lost to: cause by cause, in the order in which they began to cost time; what was lost
 * to none; and the longest stretches in which learners stood still. Amounts are exact: what was useful, what
 * causes cost and what was lost to none add up to the allocated time.
 */
#ifndef RESULTS_EXPLANATION_H
#define RESULTS_EXPLANATION_H

#include "results/store.h"

/* The first run of STRATEGY in the newest study that has one, with a timeline if there is one. 0: no study
 * has (ERROR_INPUT, with the strategies there are), or the database failed. */
int64_t explanation_find(struct store *store, const char *strategy, struct error *error);

/* Both explain RUN; the caller frees. NULL: no such run (ERROR_INPUT), or the database or memory failed. */
char *explanation_table(struct store *store, int64_t run, struct error *error);
char *explanation_json(struct store *store, int64_t run, struct error *error);

#endif
