/*
 * Outputs that may be named pipes: whose reader may come late, or stop reading, without the program being
 * beyond reach meanwhile.
 */
#ifndef PLOTS_PIPE_H
#define PLOTS_PIPE_H

#include <stdatomic.h>
#include <stdio.h>

/* Opens PATH to be written as fopen does. A named pipe is waited for until somebody reads it, and each time
 * until there is room in it; but once *STOP is true (NULL: it never is), no longer than
 * PIPE_PATIENCE_MILLISECONDS at a time. NULL, or a stream that failed, with errno: EINTR then. */
enum { PIPE_PATIENCE_MILLISECONDS = 300 };
FILE *pipe_open(const char *path, const atomic_bool *stop);

#endif
