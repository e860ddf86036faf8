/*
 * A table in plain text: columns as wide as their widest cell, two spaces apart. Lengths are counted in
 * characters of UTF-8.
 */
#ifndef RESULTS_TABLE_H
#define RESULTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_alignment { TABLE_LEFT, TABLE_RIGHT };

struct table;

/* NULL when out of memory. */
struct table *table_create(size_t columns, const enum table_alignment *alignments);
void table_destroy(struct table *table);

/* Adds a row and returns its number; its cells are empty. */
size_t table_add_row(struct table *table);

/* Adds a line across all columns that doesn't widen them. */
void table_add_line(struct table *table, const char *text);

/* Sets a cell (printf format). */
void table_set(struct table *table, size_t row, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Characters from the first column to the end of the last one. */
size_t table_width(const struct table *table);

/* Characters of UTF-8 in TEXT. */
size_t table_text_width(const char *text);

/* Writes all rows, without spaces at their ends. False if memory was short at any time. */
bool table_write(const struct table *table, FILE *out);

/* The same in Markdown, the first row as the head; lines across are left out. */
bool table_write_markdown(const struct table *table, FILE *out);

/* Writes TEXT as Markdown that reads as TEXT does, on one line: what Markdown takes for a mark, as the stars
 * of "strategies.*.quorum" or the angle of "a<b", has a backslash before it; breaks and control characters
 * are blanks. */
void table_write_markdown_text(const char *text, FILE *out);

#endif
