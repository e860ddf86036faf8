/*
 * A row becomes a mapping as it might stand in the scenario, with the heading's unit behind each number; what
 * is wrong with a value is then found where all values are checked.
 */
#include "scenarios/files.h"

#include "scenarios/number.h"
#include "scenarios/spelling.h"

#include <string.h>

enum { COLUMNS_MOST = 32 };

/* A cell without the blanks around it. */
struct cell {
    const char *text;
    struct place place;
};

/* Cuts the line at OFFSET into cells; returns how many there are, of which the first COLUMNS_MOST are kept.
 */
static size_t cut(struct loader *loader, const struct source *source, size_t offset, size_t length,
                  struct cell cells[COLUMNS_MOST])
{
    size_t count = 0, end = offset + length;
    for (size_t start = offset; start <= end; count++) {
        size_t next = start;
        while (next < end && source->bytes[next] != ',')
            next++;
        size_t first = start, last = next;
        while (first < last && strchr(" \t", source->bytes[first]))
            first++;
        while (last > first && strchr(" \t\r", source->bytes[last - 1]))
            last--;
        if (count < COLUMNS_MOST)
            cells[count] = (struct cell){memory_copy(loader->scratch, source->bytes + first, last - first),
                                         {source, first}};
        start = next + 1;
    }
    return count;
}

static const char *list_columns(struct loader *loader, const struct files_table *table)
{
    const char *list = table->columns[0].heading;
    for (size_t i = 1; list && i < table->count; i++)
        list = memory_format(loader->scratch, "%s, %s", list, table->columns[i].heading);
    return list ? list : "";
}

static const struct files_column *find_column(struct loader *loader, const struct files_table *table,
                                              const struct cell *cell)
{
    const char *near = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->columns[i].heading, cell->text) == 0)
            return &table->columns[i];
        spelling_consider(cell->text, table->columns[i].heading, &near, &distance);
    }
    char quoted[FAULTS_QUOTED];
    faults_quote(quoted, cell->text);
    if (near)
        faults_add(&loader->faults, cell->place, "unknown column %s; did you mean \"%s\"?", quoted, near);
    else
        faults_add(&loader->faults, cell->place, "unknown column %s; the first line names the columns: %s",
                   quoted, list_columns(loader, table));
    return NULL;
}

struct heading {
    const struct files_column *columns[COLUMNS_MOST];
    size_t count;
};

static bool read_heading(struct loader *loader, const struct files_table *table, struct heading *heading,
                         const struct cell *cells, size_t count)
{
    if (count > COLUMNS_MOST) {
        faults_add(&loader->faults, cells[0].place, "%zu columns; there are %zu at most", count,
                   table->count);
        return false;
    }
    heading->count = count;
    for (size_t i = 0; i < count; i++) {
        heading->columns[i] = find_column(loader, table, &cells[i]);
        for (size_t j = 0; heading->columns[i] && j < i; j++)
            if (heading->columns[j] == heading->columns[i])
                faults_add(&loader->faults, cells[i].place, "column \"%s\" is there twice", cells[i].text);
    }
    return loader->faults.count == 0;
}

/* An item; an empty cell says nothing. */
static void add_row(struct loader *loader, const struct heading *heading, const struct cell *cells,
                    size_t count, struct node *sequence)
{
    if (count != heading->count) {
        faults_add(&loader->faults, cells[0].place, "%zu value%s for %zu columns", count,
                   count == 1 ? "" : "s", heading->count);
        return;
    }
    struct node *entry = files_add(loader, sequence, NULL, NODE_MAPPING, "", cells[0].place);
    for (size_t i = 0; entry && i < count; i++) {
        const struct files_column *column = heading->columns[i];
        double number;
        if (!cells[i].text || !*cells[i].text || !column->key)
            continue;
        bool bare = number_parse(cells[i].text, &number);
        files_add(loader, entry, column->key, NODE_SCALAR,
                  bare ? memory_format(loader->scratch, "%s%s", cells[i].text, column->unit) : cells[i].text,
                  cells[i].place);
    }
}

void files_read_table(struct loader *loader, const struct source *source, const struct files_table *table,
                      struct node *sequence)
{
    struct heading heading = {.count = 0};
    for (size_t offset = 0; offset < source->length;) {
        size_t length = strcspn(source->bytes + offset, "\n"),
               blank = strspn(source->bytes + offset, " \t\r");
        struct cell cells[COLUMNS_MOST];
        if (blank < length && source->bytes[offset + blank] != '#') {
            size_t count = cut(loader, source, offset, length, cells);
            if (memory_failed(loader->scratch))
                return;
            if (heading.count)
                add_row(loader, &heading, cells, count, sequence);
            else if (!read_heading(loader, table, &heading, cells, count))
                return;
        }
        offset += length + 1;
    }
    if (!heading.count)
        faults_add(&loader->faults, (struct place){source, 0}, "no %s: the first line names the columns",
                   table->what);
}
