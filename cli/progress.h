/*
 * The progress line: one line on standard error, written over again and again, and cleared at the end.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "studies/learning.h"
#include "studies/runner.h"

/* A runner's progress callback; CONTEXT is not used. */
void progress_show(void *context, const struct runner_progress *progress);

/* The same for replays. */
void progress_show_learning(void *context, const struct learning_progress *progress);

/* Whether there is someone to see it: standard error is a terminal. */
bool progress_is_seen(void);

void progress_clear(void);

#endif
