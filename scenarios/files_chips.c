/*
 * A row becomes a mapping as it might stand in the scenario, with the heading's unit behind each number; what
 * is wrong with a value is then found where all values are checked.
 */
#include "scenarios/files.h"

#include "scenarios/number.h"
#include "scenarios/spelling.h"

#include <string.h>

enum { COLUMNS_MOST = 32 };

static const struct column {
    const char *heading, *key, *unit;
} columns[] = {
    {"name", "name", ""},
    {"vendor", "vendor", ""},
    {"tflops_bf16", "flops", " TFLOP/s"},
    {"hbm_gb", "memory", " GB"},
    {"hbm_tb_s", "memory_rate", " TB/s"},
    {"scaleup_gb_s", "scale_up_rate", " GB/s"},
    {"chips_per_host", "chips_per_host", ""},
    {"domain_chips", "domain_chips", ""},
    {"busy_w", "busy_power", " W"},
    {"idle_w", "idle_power", " W"},
    {"price_per_hour", "price_per_hour", ""},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

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

static const struct column *find_column(struct loader *loader, const struct cell *cell)
{
    const char *near = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (strcmp(columns[i].heading, cell->text) == 0)
            return &columns[i];
        spelling_consider(cell->text, columns[i].heading, &near, &distance);
    }
    char quoted[FAULTS_QUOTED];
    faults_quote(quoted, cell->text);
    if (near)
        faults_add(&loader->faults, cell->place, "unknown column %s; did you mean \"%s\"?", quoted, near);
    else
        faults_add(&loader->faults, cell->place,
                   "unknown column %s; the first line names the columns: name, vendor, tflops_bf16, hbm_gb, "
                   "hbm_tb_s, scaleup_gb_s, chips_per_host, domain_chips, busy_w, idle_w, price_per_hour",
                   quoted);
    return NULL;
}

struct heading {
    const struct column *columns[COLUMNS_MOST];
    size_t count;
};

static bool read_heading(struct loader *loader, struct heading *heading, const struct cell *cells,
                         size_t count)
{
    if (count > COLUMNS_MOST) {
        faults_add(&loader->faults, cells[0].place, "%zu columns; there are %d at most", count, COLUMNS);
        return false;
    }
    heading->count = count;
    for (size_t i = 0; i < count; i++) {
        heading->columns[i] = find_column(loader, &cells[i]);
        for (size_t j = 0; heading->columns[i] && j < i; j++)
            if (heading->columns[j] == heading->columns[i])
                faults_add(&loader->faults, cells[i].place, "column \"%s\" is there twice", cells[i].text);
    }
    return loader->faults.count == 0;
}

/* An entry of the catalogue; an empty cell says nothing. */
static void add_row(struct loader *loader, const struct heading *heading, const struct cell *cells,
                    size_t count, struct node *catalogue)
{
    if (count != heading->count) {
        faults_add(&loader->faults, cells[0].place, "%zu value%s for %zu columns", count,
                   count == 1 ? "" : "s", heading->count);
        return;
    }
    struct node *entry = files_add(loader, catalogue, NULL, NODE_MAPPING, "", cells[0].place);
    for (size_t i = 0; entry && i < count; i++) {
        const struct column *column = heading->columns[i];
        double number;
        if (!cells[i].text || !*cells[i].text)
            continue;
        bool bare = number_parse(cells[i].text, &number);
        files_add(loader, entry, column->key, NODE_SCALAR,
                  bare ? memory_format(loader->scratch, "%s%s", cells[i].text, column->unit) : cells[i].text,
                  cells[i].place);
    }
}

void files_read_chips(struct loader *loader, const struct source *source, struct node *catalogue)
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
                add_row(loader, &heading, cells, count, catalogue);
            else if (!read_heading(loader, &heading, cells, count))
                return;
        }
        offset += length + 1;
    }
    if (!heading.count)
        faults_add(&loader->faults, (struct place){source, 0}, "no chips: the first line names the columns");
}
