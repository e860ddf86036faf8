/*
 * Running gnuplot as a child process, without a shell between.
 */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include "sim/error.h"
#include <stdbool.h>
#include <stdio.h>

enum gnuplot_format { GNUPLOT_SVG, GNUPLOT_PNG, GNUPLOT_PDF };

/* The format that OUTPUT's suffix asks for; false if it is none of the three (ERROR_INPUT). */
bool gnuplot_find_format(const char *output, enum gnuplot_format *format, struct error *error);

/* Writes the command that sets the terminal to FORMAT and WIDTH × HEIGHT pixels at 96 per inch; a png has
 * twice as many. */
void gnuplot_write_terminal(FILE *script, enum gnuplot_format format, double width, double height);

/* Whether the file PATH is a figure of FORMAT from its beginning to its end: gnuplot does not notice when the
 * disk is full. False: it is cut off, empty or something else, or can't be read (ERROR_SYSTEM, about OUTPUT).
 */
bool gnuplot_check_whole(const char *path, enum gnuplot_format format, const char *output,
                         struct error *error);

/* Runs gnuplot on all of SCRIPT, a file that was opened for update. False: gnuplot is missing (ERROR_SYSTEM),
 * or fails; then BLAME is the error's kind, and gnuplot's words its message. */
bool gnuplot_run(FILE *script, enum error_kind blame, struct error *error);

#endif
