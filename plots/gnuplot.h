/*
 * Running gnuplot as a child process, without a shell between.
 */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include "sim/error.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum gnuplot_format { GNUPLOT_SVG, GNUPLOT_PNG, GNUPLOT_PDF };

/* The format that OUTPUT's suffix asks for; false if it is none of the three (ERROR_INPUT). */
bool gnuplot_find_format(const char *output, enum gnuplot_format *format, struct error *error);

/* Writes the command that sets the terminal to FORMAT and WIDTH × HEIGHT pixels at 96 per inch; a png has
 * twice as many. */
void gnuplot_write_terminal(FILE *script, enum gnuplot_format format, double width, double height);

enum { GNUPLOT_SAID = 400 };

/* A figure in the making, for messages. */
struct gnuplot_drawing {
    enum gnuplot_format format;
    const char *output,
        *template;           /* as they were given: where the figure goes, and the file that SCRIPT loads */
    const atomic_bool *stop; /* once it is true gnuplot is ended; NULL: it never is */
    bool foreign;            /* the template is the user's, who is to mend it: ERROR_INPUT */
    char said[GNUPLOT_SAID]; /* by gnuplot, on one line: its first error, and a warning before; or "" */
};

/* Runs gnuplot on all of SCRIPT, a file that was opened for update, and keeps what it SAID. False: gnuplot is
 * missing (ERROR_SYSTEM), or fails; the message then names the template and says why; or was interrupted
 * (ERROR_INTERRUPTED). It has ended by then. */
bool gnuplot_run(FILE *script, struct gnuplot_drawing *drawing, struct error *error);

/* Whether the file PATH is a figure from its beginning to its end: gnuplot does not notice when the disk is
 * full. False: it is cut off or something else, or can't be read (ERROR_SYSTEM), or empty (the template's
 * fault).
 */
bool gnuplot_check_whole(const char *path, const struct gnuplot_drawing *drawing, struct error *error);

#endif
