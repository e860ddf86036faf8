#include "results/stretches.h"

#include "results/database.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool read_head(const struct database *database, const struct database_value *run,
                      struct stretches *stretches, struct error *error)
{
    sqlite3_stmt *query = database_query(
        database,
        "select learners, 1e-9 * resolution_ns, (select count(distinct lane) from span where run = ?1 and"
        " lane >= 0) from timeline where run = ?1",
        1, run, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    stretches->kept = step == DATABASE_ROW;
    if (stretches->kept) {
        stretches->learners = database_column_integer(query, 0);
        stretches->resolution = database_column_real(query, 1);
        stretches->watched = database_column_integer(query, 2);
    }
    sqlite3_finalize(query);
    return step != DATABASE_FAILED;
}

static double length_of(const struct stretch *stretch)
{
    return stretch->end - stretch->begin;
}

static bool is_shared(const struct stretch *a, const struct stretch *b)
{
    return a->begin == b->begin && a->end == b->end && a->cause == b->cause;
}

/* Of equal length the first stays before the other. */
static void insert(struct stretches *stretches, const struct stretch *stretch)
{
    size_t place = stretches->count;
    while (place > 0 && length_of(&stretches->longest[place - 1]) < length_of(stretch))
        place--;
    if (place == STRETCHES_SHOWN)
        return;
    if (stretches->count < STRETCHES_SHOWN)
        stretches->count++;
    memmove(&stretches->longest[place + 1], &stretches->longest[place],
            (stretches->count - place - 1) * sizeof *stretch);
    stretches->longest[place] = *stretch;
}

static void take(struct stretches *stretches, const struct stretch *stretch)
{
    if (stretch->learner_count == 0 || stretch->cause == FAULT_NO_CAUSE)
        return;
    for (size_t i = 0; i < stretches->count; i++) {
        struct stretch *known = &stretches->longest[i];
        if (!is_shared(known, stretch))
            continue;
        if (known->learner_count < ACTIVITY_LANES)
            known->learners[known->learner_count++] = stretch->learners[0];
        return;
    }
    insert(stretches, stretch);
}

/* A stretch while its spans are read, and those of them since the last that has a cause. */
enum { WAITS = 16 };
struct reading {
    struct stretch stretch;
    struct wait {
        double begin, end;
        enum budget_category category;
    } waits[WAITS];
    size_t wait_count;
};

enum column { LANE, BEGIN, END, CATEGORY, CAUSE, NAME, STRUCK_HERE, STRUCK };

static void begin_stretch(struct reading *reading, sqlite3_stmt *span)
{
    *reading = (struct reading){.stretch = {.begin = database_column_real(span, BEGIN),
                                            .cause = FAULT_NO_CAUSE,
                                            .learner_count = 1,
                                            .learners = {database_column_integer(span, LANE)}}};
}

/* What there is no room for goes with the last. */
static void add_wait(struct reading *reading, struct wait wait)
{
    if (reading->wait_count < WAITS)
        reading->waits[reading->wait_count++] = wait;
    else
        reading->waits[WAITS - 1].end = wait.end;
}

/* When the cause of SPAN struck, if it did within the stretch: a fault of this learner goes first, since
 * others of the same process may have struck elsewhere meanwhile. NAN: not known. */
static double time_of_strike(const struct stretch *stretch, sqlite3_stmt *span)
{
    double here = database_column_real(span, STRUCK_HERE);
    return here >= stretch->begin ? here : database_column_real(span, STRUCK);
}

static void add_time(struct stretch *stretch, enum budget_category category, double seconds)
{
    if (category < BUDGET_CATEGORIES)
        stretch->by[category] += seconds;
}

/* The waits since BEGIN are of the stretch after all. When the first of them began, or FIRST. */
static double take_waits(struct reading *reading, double begin, double first)
{
    for (; reading->wait_count > 0; reading->wait_count--) {
        const struct wait *wait = &reading->waits[reading->wait_count - 1];
        if (wait->end <= begin)
            continue;
        first = fmax(wait->begin, begin);
        add_time(&reading->stretch, wait->category, wait->end - first);
    }
    return first;
}

/* What a learner waited for before the cause struck was not because of it. */
static void set_cause(struct reading *reading, sqlite3_stmt *span)
{
    struct stretch *stretch = &reading->stretch;
    stretch->begin = take_waits(reading, time_of_strike(stretch, span), database_column_real(span, BEGIN));
    stretch->cause = (int32_t)database_column_integer(span, CAUSE);
    snprintf(stretch->name, sizeof stretch->name, "%s", (const char *)sqlite3_column_text(span, NAME));
}

/* Goes on with the stretch, or begins it. */
static void extend(struct reading *reading, sqlite3_stmt *span)
{
    struct stretch *stretch = &reading->stretch;
    if (stretch->learner_count == 0)
        begin_stretch(reading, span);
    struct wait wait = {.begin = database_column_real(span, BEGIN),
                        .end = database_column_real(span, END),
                        .category = budget_find((const char *)sqlite3_column_text(span, CATEGORY))};
    if (sqlite3_column_type(span, CAUSE) == SQLITE_NULL) {
        add_wait(reading, wait);
        return;
    }
    if (stretch->cause == FAULT_NO_CAUSE)
        set_cause(reading, span);
    else
        take_waits(reading, stretch->begin, stretch->begin);
    stretch->end = wait.end;
    add_time(stretch, wait.category, wait.end - wait.begin);
}

static const char spans_sql[] =
    "select lane, 1e-9 * begin_ns, 1e-9 * end_ns, category, span.cause, name,"
    " (select 1e-9 * max(at_ns) from mark where mark.run = span.run and mark.cause = span.cause"
    "   and mark.lane = span.lane and at_ns <= begin_ns),"
    " (select 1e-9 * max(at_ns) from mark where mark.run = span.run and mark.cause = span.cause"
    "   and at_ns <= begin_ns)"
    " from span left join cause on cause.run = span.run and cause.number = span.cause"
    " where span.run = ?1 and lane >= 0 order by lane, begin_ns";

bool stretches_read(const struct database *database, int64_t run, struct stretches *stretches,
                    struct error *error)
{
    const struct database_value key = database_integer(run);
    struct reading reading = {0};
    const struct stretch *stretch = &reading.stretch;
    *stretches = (struct stretches){0};
    if (!read_head(database, &key, stretches, error))
        return false;
    sqlite3_stmt *query = database_query(database, spans_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        bool steps = strcmp((const char *)sqlite3_column_text(query, CATEGORY), "useful") == 0;
        bool other = stretch->learner_count && stretch->learners[0] != database_column_integer(query, LANE);
        if (steps || other) {
            take(stretches, stretch);
            reading.stretch.learner_count = 0;
        }
        if (!steps)
            extend(&reading, query);
    }
    take(stretches, stretch);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}
