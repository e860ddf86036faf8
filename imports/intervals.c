/*
 * A unit is followed through each of its windows. It comes to be up at the window's beginning or at the end
 * of an outage, and to be down at the beginning of the next; outages that overlap are one.
 */
#include "imports/intervals.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct trace *trace;
    struct intervals *intervals; /* NULL: count exposure only */
    enum interval_kind kind;
    struct exposure exposure;
};

static void add(struct intervals *intervals, sim_time from, sim_time until, bool ended)
{
    if (until <= from) {
        intervals->zeros += ended;
        return;
    }
    intervals->lives[intervals->count++] = (struct sim_life){sim_time_to_seconds(until - from), ended};
    intervals->ended += ended;
}

/* Where a unit stands while it is followed. */
struct position {
    sim_time up_from;     /* it is, or will be, up since then; SIM_NEVER: never again */
    sim_time failed_last; /* -1: not in this window */
    bool age_known;       /* of the life since UP_FROM */
};

static void fail(struct walk *walk, struct position *position, sim_time time, bool installed)
{
    bool merged = time < position->up_from; /* it is still down */
    if (merged)
        return;
    walk->exposure.failures++;
    walk->exposure.seconds += sim_time_to_seconds(time - position->up_from);
    if (walk->intervals && walk->kind == INTERVALS_LIFE && position->age_known)
        add(walk->intervals, position->up_from, time, true);
    if (walk->intervals && walk->kind == INTERVALS_BETWEEN && (position->failed_last >= 0 || installed))
        add(walk->intervals, position->failed_last >= 0 ? position->failed_last : position->up_from, time,
            true);
    position->failed_last = time;
    position->age_known = true;
}

static void leave(struct walk *walk, const struct position *position, sim_time end, bool installed)
{
    if (position->up_from == SIM_NEVER)
        return;
    if (position->up_from < end) {
        walk->exposure.seconds += sim_time_to_seconds(end - position->up_from);
        if (walk->intervals && walk->kind == INTERVALS_LIFE && position->age_known)
            add(walk->intervals, position->up_from, end, false);
    }
    if (!walk->intervals || walk->kind != INTERVALS_BETWEEN)
        return;
    if (position->failed_last >= 0)
        add(walk->intervals, position->failed_last, end, false);
    else if (installed)
        add(walk->intervals, position->up_from, end, false);
}

static void follow(struct walk *walk, const struct trace_unit *unit, const struct trace_row *window)
{
    const struct trace_row *rows = walk->trace->rows + unit->first;
    bool installed = strcmp(window->kind, TRACE_INSTALLED) == 0;
    struct position position = {.up_from = window->from, .failed_last = -1, .age_known = installed};
    for (size_t i = unit->window_count; i < unit->count && rows[i].from <= window->until; i++) {
        if (rows[i].from >= window->from)
            fail(walk, &position, rows[i].from, installed);
        if (rows[i].until > position.up_from) {
            position.age_known = position.age_known || rows[i].until > window->from;
            position.up_from = rows[i].until;
        }
    }
    leave(walk, &position, window->until, installed);
}

static void follow_all(struct walk *walk)
{
    for (size_t i = 0; i < walk->trace->unit_count; i++) {
        const struct trace_unit *unit = &walk->trace->units[i];
        for (size_t window = 0; window < unit->window_count; window++)
            follow(walk, unit, &walk->trace->rows[unit->first + window]);
    }
}

static int compare_times(const void *a, const void *b)
{
    const sim_time *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of all records: two of one unit that overlap are two failures. */
static bool add_arrivals(const struct trace *trace, struct intervals *intervals)
{
    size_t count = 0;
    sim_time *times = memory_take(trace->memory, trace->row_count, sizeof *times);
    if (!times)
        return false;
    for (size_t i = 0; i < trace->row_count; i++)
        if (!trace->rows[i].window)
            times[count++] = trace->rows[i].from;
    qsort(times, count, sizeof *times, compare_times);
    for (size_t i = 1; i < count; i++)
        add(intervals, times[i - 1], times[i], true);
    add(intervals, times[count - 1], trace->end, false);
    return true;
}

/* An outage without an end was last seen at the end of the window that it began in. */
static void add_repairs(const struct trace *trace, struct intervals *intervals)
{
    for (size_t u = 0; u < trace->unit_count; u++) {
        const struct trace_unit *unit = &trace->units[u];
        const struct trace_row *rows = trace->rows + unit->first;
        for (size_t i = unit->window_count; i < unit->count; i++) {
            sim_time seen = rows[i].from;
            for (size_t window = 0; window < unit->window_count; window++)
                if (rows[window].from <= rows[i].from && rows[window].until > seen)
                    seen = rows[window].until;
            bool ended = rows[i].until != SIM_NEVER;
            add(intervals, rows[i].from, ended ? rows[i].until : seen, ended);
        }
    }
}

bool intervals_of(const struct trace *trace, enum interval_kind kind, struct intervals *intervals,
                  struct error *error)
{
    struct walk walk = {.trace = trace, .intervals = intervals, .kind = kind};
    bool good = true;
    *intervals = (struct intervals){
        .lives = memory_take(trace->memory, trace->row_count + 1, sizeof(struct sim_life))};
    if (!intervals->lives)
        good = false;
    else if (kind == INTERVALS_ARRIVALS)
        good = add_arrivals(trace, intervals);
    else if (kind == INTERVALS_REPAIR)
        add_repairs(trace, intervals);
    else
        follow_all(&walk);
    if (!good)
        error_out_of_memory(error, "intervals");
    return good;
}

struct exposure exposure_of(const struct trace *trace)
{
    struct walk walk = {.trace = trace};
    follow_all(&walk);
    return walk.exposure;
}
