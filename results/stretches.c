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

/* Goes on with STRETCH, or begins it. */
static void extend(struct stretch *stretch, sqlite3_stmt *span)
{
    double begin = database_column_real(span, 1), end = database_column_real(span, 2);
    enum budget_category category = budget_find((const char *)sqlite3_column_text(span, 3));
    if (stretch->learner_count == 0)
        *stretch = (struct stretch){.begin = begin,
                                    .cause = FAULT_NO_CAUSE,
                                    .learner_count = 1,
                                    .learners = {database_column_integer(span, 0)}};
    stretch->end = end;
    if (category < BUDGET_CATEGORIES)
        stretch->by[category] += end - begin;
    if (stretch->cause != FAULT_NO_CAUSE || sqlite3_column_type(span, 4) == SQLITE_NULL)
        return;
    stretch->cause = (int32_t)database_column_integer(span, 4);
    snprintf(stretch->name, sizeof stretch->name, "%s", (const char *)sqlite3_column_text(span, 5));
}

bool stretches_read(const struct database *database, int64_t run, struct stretches *stretches,
                    struct error *error)
{
    const struct database_value key = database_integer(run);
    struct stretch stretch = {0};
    *stretches = (struct stretches){0};
    if (!read_head(database, &key, stretches, error))
        return false;
    sqlite3_stmt *query =
        database_query(database,
                       "select lane, 1e-9 * begin_ns, 1e-9 * end_ns, category, span.cause, name from span"
                       " left join cause on cause.run = span.run and cause.number = span.cause"
                       " where span.run = ?1 and lane >= 0 order by lane, begin_ns",
                       1, &key, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        bool steps = strcmp((const char *)sqlite3_column_text(query, 3), "useful") == 0;
        bool other = stretch.learner_count && stretch.learners[0] != database_column_integer(query, 0);
        if (steps || other) {
            take(stretches, &stretch);
            stretch.learner_count = 0;
        }
        if (!steps)
            extend(&stretch, query);
    }
    take(stretches, &stretch);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}
