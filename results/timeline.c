/*
 * Both streams and the counter are one process of the trace. Times are microseconds, as the format has them.
 */
#include "results/timeline.h"
#include "results/database.h"
#include "results/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MICROSECONDS 1e6

enum { PROCESS = 1, PRODUCTS = 1, COLLECTIVES = 2 };

static const char kernels_sql[] = "select name = 'kernel:collective', step, t_s, value from series"
                                  " where run = ?1 and name glob 'kernel:*' order by t_s, name";

/* A mean holds until its t_s, from that of the one before. */
static const char sms_sql[] = "select lag(product.t_s, 1, 0.0) over (order by product.t_s), product.value, "
                              "collective.value, product.t_s"
                              " from series product join series collective on collective.run = product.run"
                              "  and collective.t_s = product.t_s and collective.name = 'sms:collective'"
                              " where product.run = ?1 and product.name = 'sms:product' order by product.t_s";

static void write_name(FILE *out, const char *what, int thread, const char *name)
{
    fprintf(out, "{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"%s\", \"args\": {\"name\": ", PROCESS,
            thread, what);
    json_string(out, name);
    fputs("}},\n", out);
}

/* The process, which is called as the run: its strategy and point. */
static bool write_names(const struct database *database, const struct database_value *run, FILE *out,
                        struct error *error)
{
    sqlite3_stmt *query =
        database_query(database, "select strategy || ' ' || point from run where id = ?1", 1, run, error);
    enum database_step step = query ? database_next(database, query, error) : DATABASE_FAILED;
    if (step == DATABASE_ROW)
        write_name(out, "process_name", 0, (const char *)sqlite3_column_text(query, 0));
    sqlite3_finalize(query);
    write_name(out, "thread_name", PRODUCTS, "products");
    write_name(out, "thread_name", COLLECTIVES, "collectives");
    return step != DATABASE_FAILED;
}

static void write_kernel(sqlite3_stmt *query, FILE *out)
{
    bool collective = sqlite3_column_int(query, 0) != 0;
    fprintf(out, "{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"name\": \"%s %.0f\", \"ts\": ", PROCESS,
            collective ? COLLECTIVES : PRODUCTS, collective ? "collective" : "product",
            database_column_real(query, 1));
    json_number(out, MICROSECONDS * database_column_real(query, 2));
    fputs(", \"dur\": ", out);
    json_number(out, MICROSECONDS * database_column_real(query, 3));
    fputs("},\n", out);
}

static void write_counter(FILE *out, double time, double product, double collective)
{
    fprintf(out, "{\"ph\": \"C\", \"pid\": %d, \"name\": \"multiprocessors\", \"ts\": ", PROCESS);
    json_number(out, MICROSECONDS * time);
    fputs(", \"args\": {\"product\": ", out);
    json_number(out, product);
    fputs(", \"collective\": ", out);
    json_number(out, collective);
    fputs("}}", out);
}

/* Counts what there is: none is a fault of the caller's. */
static bool write_kernels(const struct database *database, const struct database_value *run, size_t *count,
                          FILE *out, struct error *error)
{
    sqlite3_stmt *query = database_query(database, kernels_sql, 1, run, error);
    enum database_step step = DATABASE_FAILED;
    for (*count = 0; query && (step = database_next(database, query, error)) == DATABASE_ROW; (*count)++)
        write_kernel(query, out);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static bool write_counters(const struct database *database, const struct database_value *run, FILE *out,
                           struct error *error)
{
    sqlite3_stmt *query = database_query(database, sms_sql, 1, run, error);
    enum database_step step = DATABASE_FAILED;
    double end = 0;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        write_counter(out, database_column_real(query, 0), database_column_real(query, 1),
                      database_column_real(query, 2));
        fputs(",\n", out);
        end = database_column_real(query, 3);
    }
    sqlite3_finalize(query);
    write_counter(out, end, 0, 0);
    return step == DATABASE_END;
}

bool timeline_export(struct store *store, int64_t run, FILE *out, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(run);
    size_t kernels = 0;
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", out);
    if (!write_names(database, &key, out, error) || !write_kernels(database, &key, &kernels, out, error))
        return false;
    if (kernels == 0) {
        error_set(error, ERROR_INPUT,
                  "%s: run %" PRId64
                  " has no timeline of a GPU; `trainstorm run' keeps one of each strategy of kind"
                  " gpu-overlap",
                  database->path, run);
        return false;
    }
    if (!write_counters(database, &key, out, error))
        return false;
    fputs("\n]}\n", out);
    if (fflush(out) == 0 && !ferror(out))
        return true;
    error_set(error, ERROR_SYSTEM, "the timeline could not be written: %s", strerror(errno));
    return false;
}
