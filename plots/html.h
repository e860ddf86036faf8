/*
 * Writing HTML: texts of others are escaped, files become part of the page, and tables can be sorted (by
 * plots/report.js, which reads the cells' data-value).
 */
#ifndef PLOTS_HTML_H
#define PLOTS_HTML_H

#include "sim/error.h"
#include <stdbool.h>
#include <stdio.h>

/* TEXT as content or between double quotes; characters that HTML does not allow become spaces. */
void html_text(FILE *out, const char *text);

/* The file PATH as a data: address of TYPE ("image/svg+xml"); false with ERROR when it can't be read. */
bool html_data(FILE *out, const char *path, const char *type, struct error *error);

/* A table's beginning with COUNT headings, and its end. The columns from FIRST_NUMBER on hold numbers. */
void html_table_begin(FILE *out, const char *caption, const char *const *headings, size_t count,
                      size_t first_number);
void html_table_end(FILE *out);

/* A cell of words, or of a number that is shown as TEXT and sorted by VALUE (NAN: there is none). */
void html_words(FILE *out, const char *text);
void html_number(FILE *out, double value, const char *text);

#endif
