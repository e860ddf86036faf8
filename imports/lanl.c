/*
 * Records are read first, then sorted by system, so that one walk finds how long each system was watched and
 * which of its nodes never failed.
 */
#include "imports/date.h"
#include "imports/failures.h"
#include "scenarios/number.h"
#include "scenarios/units.h"

#include <stdlib.h>
#include <string.h>

enum { SYSTEM, NODES, NODE, START, FIXED, CATEGORY, COLUMNS };
enum { NODES_MOST = 1000000 };

struct record {
    const char *system, *node, *kind;
    int64_t nodes; /* of the system; -1: not told */
    int64_t start, fixed;
    struct place place;
};

struct log {
    struct trace *trace;
    struct failures_summary *summary;
    struct record *records;
    size_t count, room;
    struct error *error;
};

static bool run_out(struct log *log)
{
    error_out_of_memory(log->error, "failures");
    return false;
}

static struct record *add(struct log *log)
{
    if (log->count == log->room) {
        size_t room = 2 * log->room + 64;
        struct record *larger = memory_take(log->trace->memory, room, sizeof *larger);
        if (!larger)
            return NULL;
        if (log->count)
            memcpy(larger, log->records, log->count * sizeof *larger);
        log->records = larger;
        log->room = room;
    }
    return &log->records[log->count++];
}

static bool read_date(const struct csv_cell *cell, int64_t *seconds, struct error *error)
{
    if (!date_parse(cell->text, seconds))
        return csv_refuse(cell->place, error, "\"%.60s\" is no date such as 2005-06-21T10:54", cell->text);
    return llabs(*seconds) <= UNITS_LONGEST_SECONDS / 2 ||
           csv_refuse(cell->place, error, "more than 145 years from 1970");
}

static bool read_record(struct log *log, const struct csv_cell *cells)
{
    struct record *record = add(log);
    if (!record)
        return run_out(log);
    *record = (struct record){.system = cells[SYSTEM].text,
                              .node = cells[NODE].text,
                              .kind = cells[CATEGORY].text,
                              .nodes = -1,
                              .place = cells[SYSTEM].place};
    if (*cells[NODES].text && (!number_parse_integer(cells[NODES].text, &record->nodes) ||
                               record->nodes < 1 || record->nodes > NODES_MOST))
        return csv_refuse(cells[NODES].place, log->error, "\"%.60s\" is no number of nodes",
                          cells[NODES].text);
    if (!read_date(&cells[START], &record->start, log->error) ||
        !read_date(&cells[FIXED], &record->fixed, log->error))
        return false;
    return record->fixed >= record->start ||
           csv_refuse(cells[FIXED].place, log->error, "fixed before it failed");
}

static bool read_log(struct log *log, const char *path, const char *system)
{
    static const char *const wanted[] = {"system", "nodes", "node", "start", "fixed", "category", NULL};
    struct csv *csv = memory_take(log->trace->memory, 1, sizeof *csv);
    struct csv_cell cells[COLUMNS];
    struct error own = {.kind = ERROR_NONE};
    if (!csv)
        return run_out(log);
    if (!csv_open(csv, path, wanted, log->trace->memory, log->error))
        return false;
    while (csv_next(csv, cells, &own))
        if ((!system || strcmp(system, cells[SYSTEM].text) == 0) && !read_record(log, cells))
            return false;
    if (own.kind == ERROR_NONE && !log->count)
        error_set(&own, ERROR_INPUT, "%s: no record%s%.60s", path, system ? " of system " : "",
                  system ? system : "");
    if (own.kind != ERROR_NONE)
        error_set(log->error, own.kind, "%s", own.message);
    return own.kind == ERROR_NONE;
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int order = strverscmp(x->system, y->system);
    return order ? order : (x->place.offset > y->place.offset) - (x->place.offset < y->place.offset);
}

static sim_time since(const struct log *log, int64_t seconds)
{
    return (seconds - log->summary->begin) * SIM_SECOND;
}

static bool add_outage(struct log *log, const struct record *record)
{
    bool unnamed = !*record->node;
    const char *unit =
        memory_format(log->trace->memory, "%s%s%s", record->system, unnamed ? "" : "-", record->node);
    log->summary->unnamed += unnamed;
    if (!unit)
        return run_out(log);
    return trace_add(log->trace,
                     (struct trace_row){.unit = unit,
                                        .kind = *record->kind ? record->kind : "failure",
                                        .from = since(log, record->start),
                                        .until = since(log, record->fixed),
                                        .place = record->place},
                     log->error);
}

static bool add_window(struct log *log, const char *unit, int64_t from, int64_t until, struct place place)
{
    struct trace_row row = {.unit = unit,
                            .kind = TRACE_OBSERVED,
                            .from = since(log, from),
                            .until = since(log, until),
                            .place = place};
    return unit ? trace_add(log->trace, row, log->error) : run_out(log);
}

/* The number of a record's node; -1 if it has none. */
static int64_t number_of(const struct record *record)
{
    int64_t number;
    return number_parse_integer(record->node, &number) && number >= 0 ? number : -1;
}

/* Whether the numbers below NODES name the nodes of the COUNT records; counts those that are beyond. */
static bool knows_nodes(struct log *log, const struct record *records, size_t count, int64_t nodes)
{
    size_t strange = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t number = number_of(&records[i]);
        strange += number < 0 || number >= nodes;
        log->summary->beyond += nodes > 0 && number >= nodes;
    }
    return nodes > 0 && !strange;
}

static int compare_nodes(const void *a, const void *b)
{
    return strverscmp((*(const struct record *const *)a)->node, (*(const struct record *const *)b)->node);
}

/* A window for every node that failed. */
static bool watch_failed(struct log *log, const struct record *records, size_t count, int64_t from,
                         int64_t until)
{
    const struct record **order = memory_take(log->trace->memory, count, sizeof *order);
    if (!order)
        return run_out(log);
    for (size_t i = 0; i < count; i++)
        order[i] = &records[i];
    qsort(order, count, sizeof *order, compare_nodes);
    for (size_t i = 0; i < count; i++) {
        const struct record *it = order[i];
        if (i > 0 && strcmp(it->node, order[i - 1]->node) == 0)
            continue;
        const char *unit =
            memory_format(log->trace->memory, "%s%s%s", it->system, *it->node ? "-" : "", it->node);
        if (!add_window(log, unit, from, until, it->place))
            return false;
    }
    return true;
}

/* A window for each of the nodes that never failed. */
static bool watch_others(struct log *log, const struct record *records, size_t count, int64_t from,
                         int64_t until)
{
    size_t nodes = (size_t)records->nodes;
    bool *failed = memory_take(log->trace->memory, nodes, sizeof *failed);
    if (!failed)
        return run_out(log);
    for (size_t i = 0; i < count; i++)
        failed[number_of(&records[i])] = true;
    for (size_t i = 0; i < nodes; i++) {
        if (failed[i])
            continue;
        log->summary->never_failed++;
        const char *unit = memory_format(log->trace->memory, "%s-%zu", records->system, i);
        if (!add_window(log, unit, from, until, records->place))
            return false;
    }
    return true;
}

static bool add_system(struct log *log, const struct record *records, size_t count)
{
    int64_t from = records->start, until = records->fixed;
    for (size_t i = 0; i < count; i++) {
        from = records[i].start < from ? records[i].start : from;
        until = records[i].fixed > until ? records[i].fixed : until;
        if (!add_outage(log, &records[i]))
            return false;
    }
    if (!watch_failed(log, records, count, from, until))
        return false;
    return !knows_nodes(log, records, count, records->nodes) ||
           watch_others(log, records, count, from, until);
}

static size_t length_of_system(const struct log *log, size_t first)
{
    size_t last = first;
    while (last < log->count && strcmp(log->records[last].system, log->records[first].system) == 0)
        last++;
    return last - first;
}

bool lanl_import(struct trace *trace, const char *path, const char *system, struct failures_summary *summary,
                 struct error *error)
{
    struct log log = {.trace = trace, .summary = summary, .error = error};
    *summary = (struct failures_summary){.dated = true, .begin = INT64_MAX};
    if (!read_log(&log, path, system))
        return false;
    for (size_t i = 0; i < log.count; i++)
        if (log.records[i].start < summary->begin)
            summary->begin = log.records[i].start;
    qsort(log.records, log.count, sizeof *log.records, compare_records);
    for (size_t first = 0, count; first < log.count; first += count) {
        count = length_of_system(&log, first);
        if (!add_system(&log, log.records + first, count))
            return false;
    }
    return trace_arrange(trace, error);
}
