/*
 * What is kept of a run's course over time, for trace viewers.
 */
#ifndef RESULTS_TIMELINE_H
#define RESULTS_TIMELINE_H

#include "results/store.h"
#include <stdio.h>

/* Writes what RUN kept to OUT as a trace (trace.h): of a GPU its kernels and multiprocessors, of any other
 * run what its learners and syncer did, as far as that is told apart (models/training/activity.h). False when
 * the run is not there or kept nothing (ERROR_INPUT), or the database or OUT fails (ERROR_SYSTEM); OUT is
 * flushed. */
bool timeline_export(struct store *store, int64_t run, FILE *out, struct error *error);

#endif
