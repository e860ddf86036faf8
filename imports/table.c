/*
 * Times are read as they stand and moved to the trace's beginning once all of them are known.
 */
#include "imports/date.h"
#include "imports/failures.h"
#include "scenarios/number.h"
#include "scenarios/units.h"

#include <string.h>

enum { UNIT, FROM, UNTIL, KIND, COLUMNS };

struct table_reading {
    double unit; /* seconds */
    bool dated;  /* the first time was a date: all must be */
    bool begun;
    struct error *error;
};

/* A time in seconds, from 1970 for dates. */
static bool read_time(struct table_reading *reading, const struct csv_cell *cell, double *seconds)
{
    int64_t date;
    bool dated = date_parse(cell->text, &date);
    if (!dated && !number_parse(cell->text, seconds))
        return csv_refuse(cell->place, reading->error,
                          "\"%.60s\" is neither a number nor a date such as 2005-06-21 10:54", cell->text);
    if (reading->begun && dated != reading->dated)
        return csv_refuse(cell->place, reading->error, "dates and numbers in one table");
    reading->begun = true;
    reading->dated = dated;
    *seconds = dated ? (double)date : *seconds * reading->unit;
    return *seconds >= -UNITS_LONGEST_SECONDS / 2 && *seconds <= UNITS_LONGEST_SECONDS / 2
               ? true
               : csv_refuse(cell->place, reading->error, "more than 145 years from %s", dated ? "1970" : "0");
}

static sim_time to_time(double seconds)
{
    return seconds < 0 ? -sim_time_from_seconds(-seconds) : sim_time_from_seconds(seconds);
}

static bool read_row(struct trace *trace, struct table_reading *reading, const struct csv_cell *cells,
                     bool kinds)
{
    double from, until = 0;
    bool ends = *cells[UNTIL].text != '\0';
    if (!read_time(reading, &cells[FROM], &from) || (ends && !read_time(reading, &cells[UNTIL], &until)))
        return false;
    struct trace_row row = {.unit = cells[UNIT].text,
                            .kind = kinds && *cells[KIND].text ? cells[KIND].text : "failure",
                            .from = to_time(from),
                            .until = ends ? to_time(until) : SIM_NEVER,
                            .place = cells[UNIT].place};
    return trace_add(trace, row, reading->error);
}

/* Times of dates, and times before 0, from the first one on. */
static void shift(struct trace *trace, struct failures_summary *summary)
{
    sim_time first = 0;
    for (size_t i = 0; i < trace->row_count; i++)
        if ((summary->dated && i == 0) || trace->rows[i].from < first)
            first = trace->rows[i].from;
    for (size_t i = 0; i < trace->row_count; i++) {
        trace->rows[i].from -= first;
        if (trace->rows[i].until != SIM_NEVER)
            trace->rows[i].until -= first;
    }
    summary->begin = first / SIM_SECOND;
}

bool table_import(struct trace *trace, const char *path, const char *const *columns, double unit,
                  struct failures_summary *summary, struct error *error)
{
    struct csv *csv = memory_take(trace->memory, 1, sizeof *csv);
    struct csv_cell cells[COLUMNS];
    struct error own = {.kind = ERROR_NONE};
    struct table_reading reading = {.unit = unit, .error = error};
    *summary = (struct failures_summary){0};
    if (!csv) {
        error_out_of_memory(error, path);
        return false;
    }
    if (!csv_open(csv, path, columns, trace->memory, error))
        return false;
    while (csv_next(csv, cells, &own))
        if (!read_row(trace, &reading, cells, csv->wanted_count > KIND))
            return false;
    if (own.kind != ERROR_NONE) {
        error_set(error, own.kind, "%s", own.message);
        return false;
    }
    summary->dated = reading.dated;
    shift(trace, summary);
    return trace_arrange(trace, error);
}
