/*
 * Rows hold their cells; a row without cells but with a first text is a line across. Memory that runs short
 * is remembered in FAILED and told once, by table_write.
 */
#include "results/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

struct row {
    char **cells; /* NULL cells are empty */
    char *line;   /* instead of cells */
};

struct table {
    size_t columns, rows;
    enum table_alignment *alignments;
    struct row *row;
    bool failed;
};

struct table *table_create(size_t columns, const enum table_alignment *alignments)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->columns = columns;
    table->alignments = malloc(columns * sizeof *alignments);
    if (!table->alignments) {
        free(table);
        return NULL;
    }
    memcpy(table->alignments, alignments, columns * sizeof *alignments);
    return table;
}

void table_destroy(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t j = 0; table->row[i].cells && j < table->columns; j++)
            free(table->row[i].cells[j]);
        free(table->row[i].cells);
        free(table->row[i].line);
    }
    free(table->row);
    free(table->alignments);
    free(table);
}

/* A new empty row, or NULL. */
static struct row *grow(struct table *table)
{
    struct row *row = realloc(table->row, (table->rows + 1) * sizeof *row);
    if (!row) {
        table->failed = true;
        return NULL;
    }
    table->row = row;
    row[table->rows] = (struct row){0};
    return &row[table->rows++];
}

size_t table_add_row(struct table *table)
{
    struct row *row = grow(table);
    if (row && !(row->cells = calloc(table->columns, sizeof *row->cells)))
        table->failed = true;
    return table->rows - 1;
}

void table_add_line(struct table *table, const char *text)
{
    struct row *row = grow(table);
    if (row && !(row->line = strdup(text)))
        table->failed = true;
}

void table_set(struct table *table, size_t row, size_t column, const char *format, ...)
{
    if (row >= table->rows || column >= table->columns || !table->row[row].cells)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    free(table->row[row].cells[column]);
    table->row[row].cells[column] = text;
}

/* Bytes that go on a character begin with the bits 10. */
size_t table_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const char *cell = table->row[i].cells ? table->row[i].cells[column] : NULL;
        size_t width = cell ? table_text_width(cell) : 0;
        if (width > widest)
            widest = width;
    }
    return widest;
}

size_t table_width(const struct table *table)
{
    size_t width = 0;
    for (size_t j = 0; j < table->columns; j++)
        width += column_width(table, j) + (j > 0 ? GAP : 0);
    return width;
}

/* Spaces are owed until something is written after them, and so none end a line. */
static void write_spaces(FILE *out, size_t count)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

/* A break would be another row. */
static void write_cell(const char *cell, FILE *out)
{
    for (; *cell; cell++)
        fputc(iscntrl((unsigned char)*cell) ? ' ' : *cell, out);
}

static void write_row(const struct table *table, const struct row *row, const size_t *widths, FILE *out)
{
    size_t owed = 0;
    for (size_t j = 0; j < table->columns; j++) {
        const char *cell = row->cells && row->cells[j] ? row->cells[j] : "";
        size_t padding = widths[j] - table_text_width(cell);
        bool left = table->alignments[j] == TABLE_LEFT;
        if (*cell) {
            write_spaces(out, owed + (left ? 0 : padding));
            write_cell(cell, out);
            owed = left ? padding : 0;
        } else {
            owed += padding;
        }
        owed += GAP;
    }
    fputc('\n', out);
}

bool table_write(const struct table *table, FILE *out)
{
    size_t *widths = calloc(table->columns + 1, sizeof *widths);
    if (!widths || table->failed) {
        free(widths);
        return false;
    }
    for (size_t j = 0; j < table->columns; j++)
        widths[j] = column_width(table, j);
    for (size_t i = 0; i < table->rows; i++) {
        if (table->row[i].line)
            fprintf(out, "%s\n", table->row[i].line);
        else
            write_row(table, &table->row[i], widths, out);
    }
    free(widths);
    return true;
}

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || (byte & 0x80);
}

/* Whether the character AT, after BEFORE ('\0': none), is a mark to Markdown. One of emphasis within a word
 * is an underscore; what begins no entity is an ampersand. */
static bool is_mark(const char *at, char before)
{
    if (*at == '_')
        return !is_word(before) || !is_word(at[1]);
    if (*at == '&')
        return isalpha((unsigned char)at[1]) || at[1] == '#';
    return strchr("\\`*<|", *at) != NULL;
}

void table_write_markdown_text(const char *text, FILE *out)
{
    for (char before = '\0'; *text; before = *text++) {
        if (is_mark(text, before))
            fputc('\\', out);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

static void write_markdown_cell(FILE *out, const char *cell)
{
    fputs(*cell ? " " : "", out);
    table_write_markdown_text(cell, out);
    fputs(" |", out);
}

bool table_write_markdown(const struct table *table, FILE *out)
{
    for (size_t i = 0; i < table->rows && !table->failed; i++) {
        if (!table->row[i].cells)
            continue;
        fputc('|', out);
        for (size_t j = 0; j < table->columns; j++)
            write_markdown_cell(out, table->row[i].cells[j] ? table->row[i].cells[j] : "");
        fputc('\n', out);
        if (i > 0)
            continue;
        fputc('|', out);
        for (size_t j = 0; j < table->columns; j++)
            fputs(table->alignments[j] == TABLE_LEFT ? "---|" : "---:|", out);
        fputc('\n', out);
    }
    return !table->failed;
}
