/*
 * A file is read whole, and its lines are cut one by one; a cell's place is an offset into the file.
 */
#include "scenarios/csv.h"

#include "scenarios/number.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 300 };
#define LARGEST ((size_t)1 << 30)

bool csv_refuse(struct place place, struct error *error, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    struct writer writer = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    source_report(&writer, place, message);
    char *text = writer_take(&writer);
    if (text)
        error_set(error, ERROR_INPUT, "%s", text);
    else
        error_out_of_memory(error, "a table");
    free(text);
    return false;
}

/* All of FILE in memory that grows with it. NULL when out of memory, or too large. */
static char *read_all(FILE *file, size_t *length)
{
    char *bytes = NULL;
    size_t capacity = 0;
    *length = 0;
    do {
        capacity = capacity ? 2 * capacity : 1 << 16;
        char *larger = capacity <= LARGEST ? realloc(bytes, capacity + 1) : NULL;
        if (!larger) {
            free(bytes);
            return NULL;
        }
        bytes = larger;
        *length += fread(bytes + *length, 1, capacity - *length, file);
    } while (*length == capacity);
    bytes[*length] = '\0';
    return bytes;
}

static bool read_file(struct csv *csv, const char *path, struct error *error)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    if (!file) {
        error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    char *bytes = read_all(file, &length);
    bool failed = ferror(file);
    fclose(file);
    char *copy = bytes && !failed ? memory_copy(csv->memory, bytes, length) : NULL;
    free(bytes);
    if (failed)
        error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
    else if (!copy)
        error_out_of_memory(error, path);
    csv->source = (struct source){path, copy, length, true};
    return copy != NULL;
}

/* Reads the file, finds that it is text, and steps over the byte order mark that it may begin with. */
static bool read_text(struct csv *csv, const char *path, struct error *error)
{
    const char *what;
    if (!read_file(csv, path, error))
        return false;
    size_t bad = source_first_bad_byte(&csv->source, 0, &what);
    if (bad < csv->source.length)
        return csv_refuse((struct place){&csv->source, bad}, error, "%s", what);
    csv->offset = strncmp(csv->source.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return true;
}

/* The cell that begins at *OFFSET and ends with a comma or at END; *OFFSET moves behind the comma. */
static struct csv_cell cut(struct csv *csv, size_t *offset, size_t end)
{
    const char *bytes = csv->source.bytes;
    size_t first = *offset, next = first;
    while (next < end && bytes[next] != ',')
        next++;
    size_t last = next;
    while (first < last && (bytes[first] == ' ' || bytes[first] == '\t'))
        first++;
    while (last > first && (bytes[last - 1] == ' ' || bytes[last - 1] == '\t'))
        last--;
    *offset = next + 1;
    return (struct csv_cell){memory_copy(csv->memory, bytes + first, last - first), {&csv->source, first}};
}

/* Where the next line ends that is neither empty nor a comment; its beginning is at the offset. False at the
 * end of the file. */
static bool find_line(struct csv *csv, size_t *end)
{
    const struct source *source = &csv->source;
    while (csv->offset < source->length) {
        const char *line = source->bytes + csv->offset;
        size_t length = strcspn(line, "\r\n"), blank = strspn(line, " \t");
        *end = csv->offset + length;
        if (blank < length && line[blank] != '#')
            return true;
        csv->offset = *end + 1;
    }
    return false;
}

static size_t wanted_at(const struct csv *csv, const char *name)
{
    size_t i = 0;
    while (i < csv->wanted_count && strcmp(csv->wanted[i], name) != 0)
        i++;
    return i;
}

static bool check_heading(const struct csv *csv, const bool *found, struct error *error)
{
    for (size_t i = 0; i < csv->needed_count; i++)
        if (!found[i])
            return csv_refuse((struct place){&csv->source, 0}, error,
                              "the first line names the columns, and there is none called \"%s\"",
                              csv->wanted[i]);
    return true;
}

static bool refuse_empty(const struct csv *csv, struct error *error)
{
    return csv_refuse((struct place){&csv->source, 0}, error,
                      "the file is empty; its first line names the columns");
}

static bool read_heading(struct csv *csv, struct error *error)
{
    bool found[CSV_COLUMNS_MOST] = {false};
    size_t end = 0;
    for (size_t i = 0; i < csv->wanted_count; i++)
        csv->position[i] = CSV_NO_COLUMN;
    if (!find_line(csv, &end))
        return refuse_empty(csv, error);
    for (size_t offset = csv->offset; offset <= end; csv->column_count++) {
        struct csv_cell cell = cut(csv, &offset, end);
        size_t wanted = cell.text ? wanted_at(csv, cell.text) : csv->wanted_count;
        if (wanted == csv->wanted_count)
            continue;
        if (found[wanted])
            return csv_refuse(cell.place, error, "column \"%s\" is there twice", cell.text);
        found[wanted] = true;
        csv->position[wanted] = csv->column_count;
    }
    if (!check_heading(csv, found, error))
        return false;
    csv->offset = end + 1;
    return true;
}

bool csv_open(struct csv *csv, const char *path, const char *const *wanted, struct scenario_memory *memory,
              struct error *error)
{
    return csv_open_some(csv, path, wanted, CSV_COLUMNS_MOST, memory, error);
}

bool csv_open_some(struct csv *csv, const char *path, const char *const *wanted, size_t needed,
                   struct scenario_memory *memory, struct error *error)
{
    *csv = (struct csv){.memory = memory, .wanted = wanted};
    while (wanted[csv->wanted_count])
        csv->wanted_count++;
    csv->needed_count = needed < csv->wanted_count ? needed : csv->wanted_count;
    if (!read_text(csv, path, error) || !read_heading(csv, error))
        return false;
    if (memory_failed(memory))
        error_out_of_memory(error, path);
    return !memory_failed(memory);
}

/* One more column, called what HEADING says. */
static bool add_heading(struct csv *csv, struct csv_cell heading, struct csv_cell *headings,
                        struct error *error)
{
    if (!heading.text) {
        error_out_of_memory(error, csv->source.name);
        return false;
    }
    if (!*heading.text)
        return csv_refuse(heading.place, error, "a column has no name");
    if (csv->wanted_count == CSV_COLUMNS_MOST)
        return csv_refuse(heading.place, error, "more than %d columns", CSV_COLUMNS_MOST);
    for (size_t i = 0; i < csv->wanted_count; i++)
        if (strcmp(headings[i].text, heading.text) == 0)
            return csv_refuse(heading.place, error, "column \"%s\" is there twice", heading.text);
    csv->position[csv->wanted_count] = csv->wanted_count;
    headings[csv->wanted_count++] = heading;
    return true;
}

bool csv_open_headed(struct csv *csv, const char *path, struct csv_cell headings[CSV_COLUMNS_MOST],
                     struct scenario_memory *memory, struct error *error)
{
    size_t end = 0;
    *csv = (struct csv){.memory = memory};
    if (!read_text(csv, path, error))
        return false;
    if (!find_line(csv, &end))
        return refuse_empty(csv, error);
    for (size_t offset = csv->offset; offset <= end;)
        if (!add_heading(csv, cut(csv, &offset, end), headings, error))
            return false;
    csv->column_count = csv->wanted_count;
    csv->offset = end + 1;
    return true;
}

bool csv_open_bare(struct csv *csv, const char *path, size_t columns, struct scenario_memory *memory,
                   struct error *error)
{
    assert(columns <= CSV_COLUMNS_MOST);
    *csv = (struct csv){.memory = memory, .wanted_count = columns, .column_count = columns};
    for (size_t i = 0; i < columns; i++)
        csv->position[i] = i;
    return read_text(csv, path, error);
}

static void keep(const struct csv *csv, size_t column, struct csv_cell cell, struct csv_cell *cells)
{
    for (size_t i = 0; i < csv->wanted_count; i++)
        if (csv->position[i] == column)
            cells[i] = cell;
}

bool csv_next(struct csv *csv, struct csv_cell *cells, struct error *error)
{
    size_t end, column = 0;
    if (!find_line(csv, &end))
        return false;
    struct place line = {&csv->source, csv->offset};
    for (size_t i = 0; i < csv->wanted_count; i++)
        if (csv->position[i] == CSV_NO_COLUMN)
            cells[i] = (struct csv_cell){"", line};
    for (size_t offset = csv->offset; offset <= end; column++) {
        struct csv_cell cell = cut(csv, &offset, end);
        if (!cell.text) {
            error_out_of_memory(error, csv->source.name);
            return false;
        }
        if (*cell.text == '"')
            return csv_refuse(cell.place, error, "quotes are not understood here");
        keep(csv, column, cell, cells);
    }
    if (column != csv->column_count)
        return csv_refuse(line, error, "%zu value%s for %zu columns", column, column == 1 ? "" : "s",
                          csv->column_count);
    csv->offset = end + 1;
    return true;
}

bool csv_number(const struct csv_cell *cell, double minimum, double *value, struct error *error)
{
    if (!number_parse(cell->text, value))
        return csv_refuse(cell->place, error, "\"%.60s\" is no number", cell->text);
    if (*value < minimum)
        return csv_refuse(cell->place, error, "%s is below %g", cell->text, minimum);
    return true;
}
