/*
 * Files that appear whole: a part is written beside the target and then put in its place, so that there is
 * the old file or the new one. What is no file, a device or a pipe, gets the part's contents instead.
 */
#ifndef PLOTS_PLACE_H
#define PLOTS_PLACE_H

#include "sim/error.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct place_part {
    char *path;              /* to be written to */
    const char *output;      /* the target, for which it is, as it was given */
    char *target;            /* the same without symbolic links, which stay */
    const char *what;        /* "figure", for messages */
    bool through;            /* the target is no file, or is one by way of /dev or /proc */
    const atomic_bool *stop; /* the caller's, set after place_begin: not to wait for a pipe; NULL: none */
};

/* Makes the part, an empty file with a new file's usual permissions. False with ERROR (ERROR_SYSTEM). OUTPUT
 * and WHAT outlive it. */
bool place_begin(struct place_part *part, const char *output, const char *what, struct error *error);

/* Says in ERROR that the part could not be written, as errno is; false. */
bool place_fail(const struct place_part *part, struct error *error);

/* Puts it in its place if it was WRITTEN, and removes it else. A named pipe is waited for (pipe.h). False
 * with ERROR, ERROR_INTERRUPTED when *stop ended that, or if it was not written. */
bool place_end(struct place_part *part, bool written, struct error *error);

/* Copies the file PATH to OUT; false with ERROR when it can't be read. */
bool place_copy(FILE *out, const char *path, struct error *error);

#endif
