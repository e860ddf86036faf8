/*
 * --trace of `run' and `sweep'.
 */
#ifndef CLI_TRACE_FILE_H
#define CLI_TRACE_FILE_H

#include "studies/plan.h"

#define TRACE_FILE_HELP                                                                                      \
    "Simulate the first replication of every strategy once more, of a sweep at its first point, and write "  \
    "what "                                                                                                  \
    "learners and syncer did to FILE, as a trace that Perfetto and chrome://tracing show"

/* Writes the trace of PLAN to PATH, which appears whole or not at all, and returns the status. What the trace
 * leaves out is said on standard error. */
int trace_file_write(const struct plan *plan, const char *path);

#endif
