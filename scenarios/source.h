/*
 * Where a text came from, and a place in it: what makes an error point at what the user wrote.
 */
#ifndef SCENARIOS_SOURCE_H
#define SCENARIOS_SOURCE_H

#include "scenarios/memory.h"
#include "scenarios/writer.h"
#include <stdbool.h>
#include <stddef.h>

/* A scenario file, or an override as it was given ("cluster.chips=1200000"). Not owned. */
struct source {
    const char *name;  /* the file's path, "--set cluster.chips=1200000" or "--seed 7" */
    const char *bytes; /* ends with a zero */
    size_t length;
    bool has_lines; /* a file: places are given as line and column */
};

struct place {
    const struct source *source; /* NULL: nowhere in particular */
    size_t offset;               /* bytes from the start */
};

/* Line and column of PLACE, counted from 1; columns are characters, not bytes. */
void source_locate(struct place place, size_t *line, size_t *column);

/* "name:line:column" of a place in a file, else the name of its source, in MEMORY; NULL when out of memory.
 */
char *source_name_place(struct scenario_memory *memory, struct place place);

/* "name:line:column: MESSAGE", the line at PLACE and a caret below its column; "seed: ..." after "--seed 1"
 * loses the field that was named already. A long line is shown around the place. No final newline. */
void source_report(struct writer *writer, struct place place, const char *message);

/* The first byte at or after START that is not UTF-8 or is a control character YAML does not allow; LENGTH if
 * there is none. *WHAT says what it is. */
size_t source_first_bad_byte(const struct source *source, size_t start, const char **what);

#endif
