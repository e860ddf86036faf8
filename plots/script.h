/*
 * What gnuplot reads before a template: variables, arrays and data blocks, written as gnuplot commands. Texts
 * from the database come in quotes, with whatever gnuplot could take for a command or a macro in octal.
 */
#ifndef PLOTS_SCRIPT_H
#define PLOTS_SCRIPT_H

#include <stddef.h>
#include <stdio.h>

struct figure_script {
    FILE *out;
    double width, height; /* of the figure in pixels at 96 per inch; set by the figure's writer */
};

/* A literal of TEXT, control characters made spaces. */
void script_string(FILE *out, const char *text);

/* A literal that names the file at PATH and nothing else: gnuplot takes a leading '|', '<' or '~' for more
 * than a name. */
void script_path(FILE *out, const char *path);

/* NAME = "TEXT", NAME = NUMBER and array NAME[COUNT] = ["…", …] (of at least one element, empty if COUNT is
 * 0). */
void script_set_string(FILE *out, const char *name, const char *text);
void script_set_number(FILE *out, const char *name, double number);
void script_set_strings(FILE *out, const char *name, size_t count, const char *const *texts);

/* A number as data, "NaN" if it is none. */
void script_number(FILE *out, double number);

#endif
