/*
 * Text that grows as it is written: what scenario_print and its like hand to their callers.
 */
#ifndef SCENARIOS_WRITER_H
#define SCENARIOS_WRITER_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. When memory runs out it stays as it was and FAILED is set. */
struct writer {
    char *text;
    size_t length, capacity;
    bool failed;
};

void writer_add(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void writer_add_bytes(struct writer *writer, const char *bytes, size_t length);

/* TEXT between double quotes, escaped such that JSON and YAML both read it back. */
void writer_add_quoted(struct writer *writer, const char *text);

/* Whether TEXT shows as it is: line feeds are its only control characters and line breaks. */
bool writer_is_readable(const char *text);

/* Hands the text over, to be freed by the caller ("" if nothing was written); NULL when memory ran out.
 * The writer is empty again. */
char *writer_take(struct writer *writer);

#endif
