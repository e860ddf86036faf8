/*
 * The trace: what failed when, as it was measured on somebody's machine, in a table of our own.
 *
 *   # what it is and where it comes from
 *   unit,from,until,kind
 *   node1,0,86400,observed
 *   node1,3600,7200.5,hardware
 *   node2,0,40000,installed
 *   node2,40000,,preemption
 *
 * Times are seconds from the trace's beginning, at most 290 years, kept in nanoseconds. A row says that UNIT
 * was down from FROM until UNTIL (exclusive) for a reason that the measurer calls KIND; without UNTIL it
 * never came back. Two kinds are no outages, but tell when a unit was watched, and so when it was up:
 * `observed` (of unknown age at FROM) and `installed` (new at FROM); UNTIL may be left out, for the end of
 * the trace. The unit
 * `*` is every unit without such a row of its own. In a trace without any, all its units were observed from
 * the first outage to the last.
 *
 * Rows come in any order. The same row twice is one. Outages of one unit may overlap: they are two records of
 * a unit that is down while one of them lasts.
 */
#ifndef SCENARIOS_TRACE_H
#define SCENARIOS_TRACE_H

#include "scenarios/csv.h"
#include "sim/clock.h"

#define TRACE_OBSERVED "observed"
#define TRACE_INSTALLED "installed"
#define TRACE_EVERY_UNIT "*"

struct trace_row {
    const char *unit, *kind;
    sim_time from, until; /* UNTIL is SIM_NEVER where none is given */
    struct place place;   /* of its line, for messages */
    bool window;          /* observed or installed */
};

/* Rows FIRST … FIRST + COUNT − 1: first its windows, then its outages, each by FROM. */
struct trace_unit {
    const char *name;
    size_t first, window_count, count;
};

/* Everything is kept in MEMORY. Starts as {.memory, .name}. */
struct trace {
    struct scenario_memory *memory;
    const char *name; /* the file's path, for messages */
    struct trace_row *rows;
    size_t row_count, row_room;
    struct trace_unit *units; /* by name, node2 before node10 */
    size_t unit_count;
    size_t duplicates;   /* rows left out, since they were there already */
    size_t disordered;   /* outages that stood before an earlier one of their unit */
    size_t overlapping;  /* outages that begin before an earlier one of their unit has ended */
    sim_time begin, end; /* of the first and last time in the trace */
};

/* A row to be added; its texts outlive TRACE. False with ERROR when UNTIL is before FROM, the unit has no
 * name, or out of memory. */
bool trace_add(struct trace *trace, struct trace_row row, struct error *error);

/* Sorts what was added, drops duplicates and finds the units; gives every unit a window. False with ERROR
 * when a unit has an outage but, in a trace with windows, no window; when windows of one unit overlap or
 * touch; when there is no outage; or out of memory. */
bool trace_arrange(struct trace *trace, struct error *error);

/* Reads the file PATH into TRACE and arranges it. False with ERROR, which names the line. */
bool trace_read(struct trace *trace, const char *path, struct scenario_memory *memory, struct error *error);

/* Writes the table, without comments, to TEXT. */
void trace_write(const struct trace *trace, struct writer *text);

#endif
