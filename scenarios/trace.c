/*
 * One sort does all: rows of a unit come to stand together, its windows first, and equal rows side by side.
 */
#include "scenarios/trace.h"

#include "scenarios/number.h"
#include "scenarios/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool run_out(struct error *error)
{
    error_out_of_memory(error, "a trace");
    return false;
}

static bool grow(struct trace *trace)
{
    if (trace->row_count < trace->row_room)
        return true;
    size_t room = 2 * trace->row_room + 64;
    struct trace_row *larger = memory_take(trace->memory, room, sizeof *larger);
    if (!larger)
        return false;
    if (trace->row_count)
        memcpy(larger, trace->rows, trace->row_count * sizeof *larger);
    trace->rows = larger;
    trace->row_room = room;
    return true;
}

bool trace_add(struct trace *trace, struct trace_row row, struct error *error)
{
    row.window = strcmp(row.kind, TRACE_OBSERVED) == 0 || strcmp(row.kind, TRACE_INSTALLED) == 0;
    if (!*row.unit)
        return csv_refuse(row.place, error, "a unit needs a name");
    if (row.until < row.from)
        return csv_refuse(row.place, error, "\"%.60s\" is %s until before that begins", row.unit,
                          row.window ? "watched" : "down");
    if (!row.window && strcmp(row.unit, TRACE_EVERY_UNIT) == 0)
        return csv_refuse(row.place, error, "every unit (\"*\") may be observed or installed, but not down");
    if (!grow(trace))
        return run_out(error);
    trace->rows[trace->row_count++] = row;
    return true;
}

static int compare_times(sim_time a, sim_time b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct trace_row *x = a, *y = b;
    int order = strverscmp(x->unit, y->unit);
    if (!order)
        order = y->window - x->window;
    if (!order)
        order = compare_times(x->from, y->from);
    if (!order)
        order = compare_times(x->until, y->until);
    if (!order)
        order = strcmp(x->kind, y->kind);
    return order ? order : (x->place.offset > y->place.offset) - (x->place.offset < y->place.offset);
}

static bool is_same(const struct trace_row *a, const struct trace_row *b)
{
    return a->from == b->from && a->until == b->until && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->kind, b->kind) == 0;
}

static void drop_duplicates(struct trace *trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < trace->row_count; i++)
        if (kept && is_same(&trace->rows[kept - 1], &trace->rows[i]))
            trace->duplicates++;
        else
            trace->rows[kept++] = trace->rows[i];
    trace->row_count = kept;
}

static bool measure(struct trace *trace, struct error *error)
{
    bool any = false;
    trace->begin = SIM_NEVER;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct trace_row *row = &trace->rows[i];
        any = any || !row->window;
        if (row->from < trace->begin)
            trace->begin = row->from;
        if (row->from > trace->end)
            trace->end = row->from;
        if (row->until != SIM_NEVER && row->until > trace->end)
            trace->end = row->until;
    }
    if (!any)
        error_set(error, ERROR_INPUT, "%s: nothing fails in it", trace->name);
    return any;
}

/* Rows of `*` sort somewhere among the units: they are moved to EVERY, which has room for all rows. */
static size_t take_every_unit(struct trace *trace, struct trace_row *every)
{
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < trace->row_count; i++)
        if (strcmp(trace->rows[i].unit, TRACE_EVERY_UNIT) != 0)
            trace->rows[kept++] = trace->rows[i];
        else
            every[count++] = trace->rows[i];
    trace->row_count = kept;
    return count;
}

static size_t count_units(const struct trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->row_count; i++)
        count += i == 0 || strcmp(trace->rows[i].unit, trace->rows[i - 1].unit) != 0;
    return count;
}

/* Copies the rows of the unit at *NEXT to the end of ARRANGED, behind windows of EVERY if it has none. */
static bool arrange_unit(struct trace *trace, struct trace *arranged, size_t *next,
                         const struct trace_row *every, size_t every_count, struct error *error)
{
    const struct trace_row *row = &trace->rows[*next];
    struct trace_unit *unit = &arranged->units[arranged->unit_count++];
    *unit = (struct trace_unit){.name = row->unit, .first = arranged->row_count};
    if (!row->window && !every_count)
        return csv_refuse(row->place, error,
                          "\"%.60s\" is not among the units that are observed or installed", row->unit);
    for (size_t i = 0; !row->window && i < every_count; i++) {
        arranged->rows[arranged->row_count] = every[i];
        arranged->rows[arranged->row_count++].unit = unit->name;
    }
    for (; *next < trace->row_count && strcmp(trace->rows[*next].unit, unit->name) == 0; ++*next)
        arranged->rows[arranged->row_count++] = trace->rows[*next];
    unit->count = arranged->row_count - unit->first;
    while (unit->window_count < unit->count && arranged->rows[unit->first + unit->window_count].window)
        unit->window_count++;
    return true;
}

static bool check_unit(struct trace *trace, const struct trace_unit *unit, struct error *error)
{
    struct trace_row *rows = trace->rows + unit->first;
    sim_time down_until = 0;
    for (size_t i = 0; i < unit->window_count; i++) {
        if (rows[i].until == SIM_NEVER)
            rows[i].until = trace->end;
        if (i > 0 && rows[i].from <= rows[i - 1].until)
            return csv_refuse(rows[i].place, error, "\"%.60s\" is watched already at that time", unit->name);
    }
    for (size_t i = unit->window_count; i < unit->count; i++) {
        bool first = i == unit->window_count;
        trace->overlapping += !first && rows[i].from < down_until;
        trace->disordered += !first && rows[i].place.offset < rows[i - 1].place.offset;
        if (rows[i].until > down_until)
            down_until = rows[i].until;
    }
    return true;
}

/* The windows of units that have none of their own: those of `*`, or in a trace without windows all of it. */
static bool find_common_windows(struct trace *trace, struct trace_row **every, size_t *count)
{
    bool watched = false;
    *every = memory_take(trace->memory, trace->row_count, sizeof **every);
    if (!*every)
        return false;
    for (size_t i = 0; i < trace->row_count; i++)
        watched = watched || trace->rows[i].window;
    *count = take_every_unit(trace, *every);
    if (!watched)
        (*every)[(*count)++] = (struct trace_row){
            .kind = TRACE_OBSERVED, .from = trace->begin, .until = trace->end, .window = true};
    return true;
}

static bool find_units(struct trace *trace, struct error *error)
{
    struct trace_row *every;
    size_t every_count;
    if (!find_common_windows(trace, &every, &every_count))
        return run_out(error);
    struct trace arranged = *trace;
    size_t units = count_units(trace);
    arranged.units = memory_take(trace->memory, units, sizeof *arranged.units);
    arranged.row_room = trace->row_count + units * every_count;
    arranged.rows = memory_take(trace->memory, arranged.row_room, sizeof *arranged.rows);
    arranged.row_count = 0;
    if (!arranged.units || !arranged.rows)
        return run_out(error);
    for (size_t next = 0; next < trace->row_count;)
        if (!arrange_unit(trace, &arranged, &next, every, every_count, error) ||
            !check_unit(&arranged, &arranged.units[arranged.unit_count - 1], error))
            return false;
    *trace = arranged;
    return true;
}

bool trace_arrange(struct trace *trace, struct error *error)
{
    if (trace->row_count)
        qsort(trace->rows, trace->row_count, sizeof *trace->rows, compare_rows);
    drop_duplicates(trace);
    return measure(trace, error) && find_units(trace, error);
}

/* Digits, and up to nine behind a point: exact, where a double has no room for years and nanoseconds. */
static bool read_decimal(const char *text, sim_time *time)
{
    size_t whole = strspn(text, "0123456789"), fraction = 0;
    if (whole < 1 || whole > 10)
        return false;
    if (text[whole] == '.')
        fraction = strspn(text + whole + 1, "0123456789");
    if (text[whole] && (fraction < 1 || fraction > 9 || text[whole + 1 + fraction]))
        return false;
    int64_t seconds = strtoll(text, NULL, 10);
    if ((double)seconds >= UNITS_LONGEST_SECONDS)
        return false;
    *time = seconds * SIM_SECOND;
    sim_time place = SIM_SECOND / 10;
    for (size_t i = 0; i < fraction; i++, place /= 10)
        *time += (text[whole + 1 + i] - '0') * place;
    return true;
}

static bool read_time(const struct csv_cell *cell, sim_time *time, struct error *error)
{
    double seconds;
    if (read_decimal(cell->text, time))
        return true;
    if (!csv_number(cell, 0, &seconds, error))
        return false;
    if (seconds > UNITS_LONGEST_SECONDS)
        return csv_refuse(cell->place, error, "%s s is more than 290 years", cell->text);
    *time = sim_time_from_seconds(seconds);
    return true;
}

enum { UNIT, FROM, UNTIL, KIND, COLUMNS };

static bool read_row(struct trace *trace, const struct csv_cell *cells, struct error *error)
{
    struct trace_row row = {cells[UNIT].text, cells[KIND].text, 0, SIM_NEVER, cells[UNIT].place, false};
    if (!read_time(&cells[FROM], &row.from, error))
        return false;
    if (*cells[UNTIL].text && !read_time(&cells[UNTIL], &row.until, error))
        return false;
    return trace_add(trace, row, error);
}

bool trace_read(struct trace *trace, const char *path, struct scenario_memory *memory, struct error *error)
{
    static const char *const wanted[] = {"unit", "from", "until", "kind", NULL};
    struct csv *csv = memory_take(memory, 1, sizeof *csv); /* places point into it as long as MEMORY lives */
    struct csv_cell cells[COLUMNS];
    struct error own = {.kind = ERROR_NONE};
    *trace = (struct trace){.memory = memory, .name = path};
    if (!csv)
        return run_out(error);
    if (!csv_open(csv, path, wanted, memory, error))
        return false;
    while (csv_next(csv, cells, &own))
        if (!read_row(trace, cells, error))
            return false;
    if (own.kind != ERROR_NONE)
        error_set(error, own.kind, "%s", own.message);
    return own.kind == ERROR_NONE && trace_arrange(trace, error);
}

static void write_time(sim_time time, struct writer *text)
{
    sim_time fraction = time % SIM_SECOND;
    int digits = 9;
    writer_add(text, ",%" PRId64, time / SIM_SECOND);
    if (!fraction)
        return;
    for (; fraction % 10 == 0; digits--)
        fraction /= 10;
    writer_add(text, ".%0*" PRId64, digits, fraction);
}

void trace_write(const struct trace *trace, struct writer *text)
{
    writer_add(text, "unit,from,until,kind\n");
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct trace_row *row = &trace->rows[i];
        writer_add(text, "%s", row->unit);
        write_time(row->from, text);
        if (row->until == SIM_NEVER)
            writer_add(text, ",");
        else
            write_time(row->until, text);
        writer_add(text, ",%s\n", row->kind);
    }
}
