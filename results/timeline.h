/*
 * What a GPU's kernels did over time, for trace viewers.
 */
#ifndef RESULTS_TIMELINE_H
#define RESULTS_TIMELINE_H

#include "results/store.h"
#include <stdio.h>

/* Writes the kernels of RUN and its multiprocessors at work to OUT as a JSON document in Chrome's trace event
 * format, which Perfetto and chrome://tracing open: a thread for each stream, a counter for the
 * multiprocessors. False when the run is not there or kept no timeline (ERROR_INPUT), or the database or OUT
 * fails (ERROR_SYSTEM); OUT is flushed.
 */
bool timeline_export(struct store *store, int64_t run, FILE *out, struct error *error);

#endif
