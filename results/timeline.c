#include "results/timeline.h"
#include "results/database.h"
#include "results/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { PROCESS = 1 };

struct timeline {
    const struct database *database;
    struct database_value run;
    struct trace trace;
    size_t kept; /* kernels and spans */
};

/* Writes a query's present row. */
typedef void row_writer(struct timeline *timeline, sqlite3_stmt *query);

static bool write_rows(struct timeline *timeline, const char *sql, row_writer *write, struct error *error)
{
    sqlite3_stmt *query = database_query(timeline->database, sql, 1, &timeline->run, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(timeline->database, query, error)) == DATABASE_ROW)
        write(timeline, query);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* The process is called as the run: its strategy and point. */
static const char run_sql[] =
    "select strategy || iif(point = '{}', '', ' at ' || point) from run where id = ?1";

static void write_run(struct timeline *timeline, sqlite3_stmt *query)
{
    trace_name_process(&timeline->trace, PROCESS, (const char *)sqlite3_column_text(query, 0));
}

/* A GPU. */

static const char kernels_sql[] = "select name = 'kernel:collective', step, t_s, value from series"
                                  " where run = ?1 and name glob 'kernel:*' order by t_s, name";

/* A mean holds until its t_s, from that of the one before; after the last one there is nothing. */
static const char sms_sql[] =
    "select lag(product.t_s, 1, 0.0) over (order by product.t_s), product.value, collective.value"
    " from series product join series collective on collective.run = product.run"
    "  and collective.t_s = product.t_s and collective.name = 'sms:collective'"
    " where product.run = ?1 and product.name = 'sms:product' union all"
    " select max(t_s), 0.0, 0.0 from series where run = ?1 and name = 'sms:product' having count(*) > 0"
    " order by 1";

static void write_kernel(struct timeline *timeline, sqlite3_stmt *query)
{
    double begin = database_column_real(query, 2), length = database_column_real(query, 3);
    if (timeline->kept++ == 0)
        trace_name_streams(&timeline->trace, PROCESS);
    trace_kernel(&timeline->trace, PROCESS, database_column_integer(query, 0) != 0,
                 (int64_t)database_column_real(query, 1), sim_time_from_seconds(begin),
                 sim_time_from_seconds(begin + length));
}

static void write_sms(struct timeline *timeline, sqlite3_stmt *query)
{
    trace_multiprocessors(&timeline->trace, PROCESS, sim_time_from_seconds(database_column_real(query, 0)),
                          database_column_real(query, 1), database_column_real(query, 2));
}

/* Learners and syncer. */

static const char lanes_sql[] =
    "select distinct lane, exists (select 1 from span where run = ?1 and lane = -1) from ("
    " select lane from span where run = ?1 union select lane from mark where run = ?1) order by lane";

static const char spans_sql[] =
    "select lane, begin_ns, end_ns, category, name from span"
    " left join cause on cause.run = span.run and cause.number = span.cause where span.run = ?1"
    " order by lane, begin_ns";

static const char marks_sql[] =
    "select lane, at_ns, kind, count, name from mark"
    " left join cause on cause.run = mark.run and cause.number = mark.cause where mark.run = ?1"
    " order by mark.rowid";

static void write_lane(struct timeline *timeline, sqlite3_stmt *query)
{
    trace_name_lane(&timeline->trace, PROCESS, database_column_integer(query, 0),
                    database_column_integer(query, 1) != 0);
}

static void write_span(struct timeline *timeline, sqlite3_stmt *query)
{
    enum budget_category category = budget_find((const char *)sqlite3_column_text(query, 3));
    const struct activity_span span = {.lane = database_column_integer(query, 0),
                                       .begin = database_column_integer(query, 1),
                                       .end = database_column_integer(query, 2),
                                       .category =
                                           (int)(category < BUDGET_CATEGORIES ? category : BUDGET_USEFUL)};
    timeline->kept++;
    trace_activity(&timeline->trace, PROCESS, &span, "steps", (const char *)sqlite3_column_text(query, 4));
}

static enum fault_kind find_kind(const char *name)
{
    enum fault_kind kind = 0;
    while (kind < FAULT_KINDS && strcmp(fault_kind_names[kind], name) != 0)
        kind++;
    return kind;
}

static void write_mark(struct timeline *timeline, sqlite3_stmt *query)
{
    const char *name = (const char *)sqlite3_column_text(query, 2);
    enum fault_kind kind = find_kind(name);
    const struct activity_mark mark = {.lane = database_column_integer(query, 0),
                                       .at = database_column_integer(query, 1),
                                       .kind = kind < FAULT_KINDS ? kind : FAULT_STOP,
                                       .count = database_column_integer(query, 3)};
    if (strcmp(name, "merge") == 0)
        trace_merge(&timeline->trace, PROCESS, mark.at);
    else
        trace_fault(&timeline->trace, PROCESS, &mark, (const char *)sqlite3_column_text(query, 4));
}

static bool write_events(struct timeline *timeline, struct error *error)
{
    return write_rows(timeline, run_sql, write_run, error) &&
           write_rows(timeline, kernels_sql, write_kernel, error) &&
           write_rows(timeline, sms_sql, write_sms, error) &&
           write_rows(timeline, lanes_sql, write_lane, error) &&
           write_rows(timeline, spans_sql, write_span, error) &&
           write_rows(timeline, marks_sql, write_mark, error);
}

bool timeline_export(struct store *store, int64_t run, FILE *out, struct error *error)
{
    struct timeline timeline = {.database = store_database(store), .run = database_integer(run)};
    trace_begin(&timeline.trace, out);
    if (!write_events(&timeline, error))
        return false;
    trace_end(&timeline.trace, NULL, 0);
    if (timeline.kept == 0) {
        error_set(error, ERROR_INPUT,
                  "%s: run %" PRId64
                  " is not there or has no timeline, which is kept of replication 0 at a study's first "
                  "point",
                  timeline.database->path, run);
        return false;
    }
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return true;
    error_set(error, ERROR_SYSTEM, "the timeline can not be written: %s",
              errno ? strerror(errno) : "writing failed");
    return false;
}
