/*
 * Whether the runs of a study are measured after they have settled. All learners are up when a run begins;
 * until as many are down as usual, its figures are better than they should be, and `warm_up' is there to
 * leave that out.
 */
#ifndef RESULTS_SETTLING_H
#define RESULTS_SETTLING_H

#include "results/store.h"

/* How long the learners of STRATEGY that are up take to settle, in seconds from the beginning: the longest of
 * all points where that is longer than the warm-up, by the mean over replications (inference_unsettled). 0:
 * they have settled wherever it can be told, or it isn't known how they went over time. False when the
 * database fails. */
bool settling_read(struct store *store, int64_t study, const char *strategy, double *seconds,
                   struct error *error);

#endif
