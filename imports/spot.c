/*
 * Events of one instance, in time's order, are turned into its lives: an arrival opens one, a removal closes
 * it.
 */
#include "imports/failures.h"

#include <stdlib.h>
#include <string.h>

enum { TIME, ACTION, NODE, COLUMNS };
#define LATEST_MILLISECONDS (290 * 365 * 86400e3)

struct event {
    const char *node;
    sim_time time;
    bool added;
    struct place place;
};

struct events {
    struct event *list;
    size_t count, room;
};

static bool run_out(struct error *error)
{
    error_out_of_memory(error, "instances");
    return false;
}

static struct event *add(struct events *events, struct scenario_memory *memory)
{
    if (events->count == events->room) {
        size_t room = 2 * events->room + 64;
        struct event *larger = memory_take(memory, room, sizeof *larger);
        if (!larger)
            return NULL;
        if (events->count)
            memcpy(larger, events->list, events->count * sizeof *larger);
        events->list = larger;
        events->room = room;
    }
    return &events->list[events->count++];
}

static bool read_event(const struct csv_cell *cells, struct event *event, struct error *error)
{
    double milliseconds;
    *event = (struct event){.node = cells[NODE].text,
                            .added = strcmp(cells[ACTION].text, "add") == 0,
                            .place = cells[TIME].place};
    if (!csv_number(&cells[TIME], 0, &milliseconds, error))
        return false;
    if (milliseconds > LATEST_MILLISECONDS)
        return csv_refuse(cells[TIME].place, error, "%s ms is more than 290 years", cells[TIME].text);
    if (!event->added && strcmp(cells[ACTION].text, "remove") != 0)
        return csv_refuse(cells[ACTION].place, error, "\"%.60s\" is neither add nor remove",
                          cells[ACTION].text);
    event->time = sim_time_from_seconds(milliseconds / 1e3);
    return true;
}

static bool read_events(struct events *events, const char *path, struct scenario_memory *memory,
                        struct error *error)
{
    struct csv *csv = memory_take(memory, 1, sizeof *csv);
    struct csv_cell cells[COLUMNS];
    struct error own = {.kind = ERROR_NONE};
    if (!csv)
        return run_out(error);
    if (!csv_open_bare(csv, path, COLUMNS, memory, error))
        return false;
    while (csv_next(csv, cells, &own)) {
        struct event *event = add(events, memory);
        if (!event)
            return run_out(error);
        if (!read_event(cells, event, error))
            return false;
    }
    if (own.kind != ERROR_NONE)
        error_set(error, own.kind, "%s", own.message);
    return own.kind == ERROR_NONE;
}

static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    int order = strcmp(x->node, y->node);
    if (!order)
        order = (x->time > y->time) - (x->time < y->time);
    return order ? order : (x->place.offset > y->place.offset) - (x->place.offset < y->place.offset);
}

static bool is_same(const struct event *a, const struct event *b)
{
    return a->time == b->time && a->added == b->added && strcmp(a->node, b->node) == 0;
}

/* The life LIFE (from 1) of a node, from ADDED to REMOVED (NULL: it was there to the end). */
static bool add_life(struct trace *trace, const struct event *added, const struct event *removed, size_t life,
                     struct error *error)
{
    const char *unit = life > 1 ? memory_format(trace->memory, "%s/%zu", added->node, life) : added->node;
    if (!unit)
        return run_out(error);
    struct trace_row row = {.unit = unit,
                            .kind = TRACE_INSTALLED,
                            .from = added->time,
                            .until = removed ? removed->time : SIM_NEVER,
                            .place = added->place};
    if (!trace_add(trace, row, error))
        return false;
    if (!removed)
        return true;
    row = (struct trace_row){.unit = unit,
                             .kind = "preemption",
                             .from = removed->time,
                             .until = SIM_NEVER,
                             .place = removed->place};
    return trace_add(trace, row, error);
}

/* All lives of the node of the COUNT events. */
static bool add_node(struct trace *trace, const struct event *events, size_t count, struct error *error)
{
    const struct event *added = NULL;
    size_t lives = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_same(&events[i], &events[i - 1])) {
            trace->duplicates++;
            continue;
        }
        if (events[i].added == (added != NULL))
            return csv_refuse(events[i].place, error, "\"%.60s\" is %s", events[i].node,
                              added ? "added, but it is there already" : "removed, but it is not there");
        if (!added) {
            added = &events[i];
            continue;
        }
        if (!add_life(trace, added, &events[i], ++lives, error))
            return false;
        added = NULL;
    }
    return !added || add_life(trace, added, NULL, ++lives, error);
}

static size_t count_disordered(const struct events *events)
{
    size_t count = 0;
    for (size_t i = 1; i < events->count; i++)
        count += events->list[i].time < events->list[i - 1].time;
    return count;
}

bool spot_import(struct trace *trace, const char *path, struct failures_summary *summary, struct error *error)
{
    struct events events = {0};
    *summary = (struct failures_summary){0};
    if (!read_events(&events, path, trace->memory, error))
        return false;
    size_t disordered = count_disordered(&events);
    if (events.count)
        qsort(events.list, events.count, sizeof *events.list, compare_events);
    for (size_t first = 0, next = 0; first < events.count; first = next) {
        while (next < events.count && strcmp(events.list[next].node, events.list[first].node) == 0)
            next++;
        if (!add_node(trace, events.list + first, next - first, error))
            return false;
    }
    bool good = trace_arrange(trace, error);
    trace->disordered = disordered;
    return good;
}
