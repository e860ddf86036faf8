/*
 * Both formats stream: a database of any size is written row by row, from one snapshot of it.
 */
#include "results/export.h"
#include "models/tape/tape.h"
#include "results/database.h"
#include "results/expectations.h"
#include "results/json.h"
#include "results/learning.h"
#include "results/outline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_COLUMNS = 8, RUN_ID = 2, RUN_SEED = 6 };

static const char runs_sql[] =
    "select study_run.study, study.name, run.id, run.strategy, run.point, run.replication, run.seed, "
    "run.status"
    " from study_run join study on study.id = study_run.study join run on run.id = study_run.run"
    " where ?1 in (0, study_run.study) order by study_run.study, run.id";

/* What follows the run's columns: learning, kind, name, value, unit, and of a series t_s, step, tokens. */
static const char *const figures_sql[] = {
    "select replay.learning, 'metric', metric.name, metric.value, metric.unit, null, null, null"
    " from metric left join replay on replay.id = metric.replay where metric.run = ?1 order by metric.rowid",
    /* Exact to the nanosecond. */
    "select null, 'budget', category, printf('%d.%09d', chip_s, chip_ns), 'chip s', null, null, null"
    " from budget where run = ?1",
    "select null, 'link_' || figure, name, value, unit, null, null, null from ("
    " select rowid place, 1 number, 'bytes' figure, name, bytes value, 'B' unit from link where run = ?1"
    " union all select rowid, 2, 'mean', name, mean_bit_s, 'bit/s' from link where run = ?1"
    " union all select rowid, 3, 'peak', name, peak_bit_s, 'bit/s' from link where run = ?1"
    " union all select rowid, 4, 'capacity', name, capacity_bit_s, 'bit/s' from link where run = ?1"
    " union all select rowid, 5, 'price', name, price, '1' from link where run = ?1)"
    " where value is not null order by place, number",
    "select replay.learning, 'series', series.name, series.value, null, series.t_s, series.step,"
    " series.tokens from series left join replay on replay.id = series.replay where series.run = ?1"
    " order by series.rowid",
};

/* RFC 4180: a field with a comma, quote or line break is quoted, its quotes doubled. */
static void write_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_run_fields(FILE *out, sqlite3_stmt *run)
{
    for (int i = 0; i < RUN_COLUMNS; i++) {
        if (i == RUN_SEED)
            fprintf(out, "%" PRIu64, (uint64_t)database_column_integer(run, i));
        else
            write_field(out, (const char *)sqlite3_column_text(run, i));
        fputc(',', out);
    }
}

static void write_csv_row(FILE *out, sqlite3_stmt *run, sqlite3_stmt *figure)
{
    write_run_fields(out, run);
    for (int i = 0; i < sqlite3_column_count(figure); i++) {
        if (i > 0)
            fputc(',', out);
        if (sqlite3_column_type(figure, i) == SQLITE_FLOAT)
            fprintf(out, "%.17g", sqlite3_column_double(figure, i));
        else if (sqlite3_column_type(figure, i) == SQLITE_TEXT)
            write_field(out, (const char *)sqlite3_column_text(figure, i));
    }
    fputs("\r\n", out);
}

/* The rows that SQL gives for RUN. */
static bool write_csv_figures(const struct database *database, const char *sql, sqlite3_stmt *run, FILE *out,
                              struct error *error)
{
    const struct database_value id = database_integer(database_column_integer(run, RUN_ID));
    sqlite3_stmt *figures = database_query(database, sql, 1, &id, error);
    enum database_step step = DATABASE_FAILED;
    while (figures && (step = database_next(database, figures, error)) == DATABASE_ROW)
        write_csv_row(out, run, figures);
    sqlite3_finalize(figures);
    return step == DATABASE_END;
}

static bool write_csv_run(const struct database *database, sqlite3_stmt *run, FILE *out, struct error *error)
{
    for (size_t i = 0; i < sizeof figures_sql / sizeof figures_sql[0]; i++)
        if (!write_csv_figures(database, figures_sql[i], run, out, error))
            return false;
    return true;
}

static bool write_csv(struct store *store, int64_t study, FILE *out, struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(study);
    sqlite3_stmt *runs = database_query(database, runs_sql, 1, &key, error);
    enum database_step step = DATABASE_FAILED;
    fputs("study,study_name,run,strategy,point,replication,seed,status,learning,kind,name,value,unit,"
          "t_s,step,tokens\r\n",
          out);
    while (runs && (step = database_next(database, runs, error)) == DATABASE_ROW)
        if (!write_csv_run(database, runs, out, error)) {
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(runs);
    return step == DATABASE_END;
}

/* Writes a query's present row. */
typedef bool row_writer(struct store *store, sqlite3_stmt *query, FILE *out, struct error *error);

/* The rows of SQL for one KEY as the elements of a list, each written by WRITE_ROW. */
static bool write_list(struct store *store, const char *sql, int64_t key, FILE *out, struct error *error,
                       row_writer *write_row)
{
    const struct database *database = store_database(store);
    const struct database_value value = database_integer(key);
    sqlite3_stmt *query = database_query(database, sql, 1, &value, error);
    enum database_step step = DATABASE_FAILED;
    for (size_t i = 0; query && (step = database_next(database, query, error)) == DATABASE_ROW; i++) {
        json_separate(out, i);
        if (!write_row(store, query, out, error)) {
            step = DATABASE_FAILED;
            break;
        }
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

/* "NAME":VALUE for a column called NAME. A point is JSON already; a seed's 64 bits have no sign. */
static void write_column(FILE *out, sqlite3_stmt *query, int column)
{
    const char *name = sqlite3_column_name(query, column);
    json_name(out, name);
    if (strcmp(name, "point") == 0) {
        fputs((const char *)sqlite3_column_text(query, column), out);
        return;
    }
    if (strcmp(name, "seed") == 0) {
        fprintf(out, "%" PRIu64, (uint64_t)database_column_integer(query, column));
        return;
    }
    switch (sqlite3_column_type(query, column)) {
    case SQLITE_INTEGER:
        fprintf(out, "%" PRId64, database_column_integer(query, column));
        break;
    case SQLITE_FLOAT:
        json_number(out, sqlite3_column_double(query, column));
        break;
    default:
        json_string(out, (const char *)sqlite3_column_text(query, column));
    }
}

/* All columns as members of an object that stays open. */
static void write_members(FILE *out, sqlite3_stmt *query)
{
    fputc('{', out);
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        json_separate(out, (size_t)i);
        write_column(out, query, i);
    }
}

static bool write_object(struct store *store, sqlite3_stmt *query, FILE *out, struct error *error)
{
    (void)store, (void)error;
    write_members(out, query);
    fputc('}', out);
    return true;
}

/* ,"NAME":[ROWS] */
static bool write_named_list(struct store *store, const char *name, const char *sql, int64_t key, FILE *out,
                             struct error *error, row_writer *write_row)
{
    fputc(',', out);
    json_name(out, name);
    fputc('[', out);
    bool written = write_list(store, sql, key, out, error, write_row);
    fputc(']', out);
    return written;
}

static bool write_run(struct store *store, sqlite3_stmt *query, FILE *out, struct error *error)
{
    int64_t id = database_column_integer(query, 0);
    write_members(out, query);
    bool written =
        write_named_list(store, "metrics",
                         "select metric.name, metric.value, metric.unit, replay.learning"
                         " from metric left join replay on replay.id = metric.replay"
                         " where metric.run = ?1 order by metric.rowid",
                         id, out, error, write_object) &&
        write_named_list(store, "budget", "select category, chip_s, chip_ns from budget where run = ?1", id,
                         out, error, write_object) &&
        write_named_list(store, "links",
                         "select name, kind, bytes, mean_bit_s, peak_bit_s, capacity_bit_s, price from link"
                         " where run = ?1 order by rowid",
                         id, out, error, write_object) &&
        write_named_list(store, "chaos",
                         "select at_ns, cause, kind, domain, unit, for_ns, detection_ns, notice_ns, factor,"
                         " outcome from chaos where run = ?1 order by rowid",
                         id, out, error, write_object) &&
        write_named_list(store, "replays",
                         "select learning, learning_sha256, status from replay where run = ?1 order by id",
                         id, out, error, write_object) &&
        write_named_list(store, "series",
                         "select series.name, series.t_s, series.step, series.tokens, series.value,"
                         " replay.learning from series left join replay on replay.id = series.replay"
                         " where series.run = ?1 order by series.rowid",
                         id, out, error, write_object);
    fputc('}', out);
    return written;
}

static bool write_study(struct store *store, sqlite3_stmt *query, FILE *out, struct error *error)
{
    int64_t id = database_column_integer(query, 0);
    write_members(out, query);
    bool written =
        write_named_list(
            store, "runs",
            "select id, strategy, point, replication, seed, status, simulated_s, wall_s, events,"
            " (select length(bytes) from tape where tape.run = run.id) tape_bytes"
            " from study_run join run on run.id = study_run.run where study_run.study = ?1 order by id",
            id, out, error, write_run) &&
        write_named_list(store, "summary",
                         "select strategy, point, replay, metric, n, mean, sd, ci95_low, ci95_high, p05, "
                         "median, p95 from summary"
                         " where study = ?1 order by rowid",
                         id, out, error, write_object);
    fputs(",\"expectations\":", out);
    written = written && expectations_write_json(store, id, out, error);
    fputc('}', out);
    return written;
}

static bool write_json(struct store *store, int64_t study, FILE *out, struct error *error)
{
    fputs("{\"studies\":[", out);
    bool written =
        write_list(store,
                   "select id, name, scenario, scenario_sha256, version, command_line, host, started_utc"
                   " from study where ?1 in (0, id) order by id",
                   study, out, error, write_study);
    fputs("]}\n", out);
    return written;
}

static bool check_stream(FILE *out, struct error *error)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return true;
    error_set(error, ERROR_SYSTEM, "the export can not be written: %s",
              errno ? strerror(errno) : "writing failed");
    return false;
}

/* Replaces -1 by the newest study; false with the error when it, or the one that is named, is not there. */
static bool find_study(struct store *store, int64_t *study, struct error *error)
{
    if (*study == EXPORT_ALL_STUDIES)
        return true;
    struct outline *outline = outline_create(store, *study, error);
    if (outline)
        *study = outline->study;
    outline_destroy(outline);
    return outline != NULL;
}

static bool write_studies(struct store *store, int64_t study, enum export_format format, FILE *out,
                          struct error *error)
{
    return find_study(store, &study, error) && (format == EXPORT_CSV ? write_csv(store, study, out, error)
                                                                     : write_json(store, study, out, error));
}

bool export_write(struct store *store, int64_t study, enum export_format format, FILE *out,
                  struct error *error)
{
    const struct database *database = store_database(store);
    if (!database_execute(database, "begin", error))
        return false;
    bool written = write_studies(store, study, format, out, error);
    database_roll_back(database);
    return written && check_stream(out, error);
}

bool export_tape(struct store *store, int64_t run, FILE *out, struct error *error)
{
    struct tape *tape = store_load_tape(store, run, error);
    char *text = tape ? tape_to_json(tape, error) : NULL;
    tape_destroy(tape);
    if (text)
        fputs(text, out);
    free(text);
    return text && check_stream(out, error);
}

static bool write_chaos_rows(const struct database *database, int64_t run, FILE *out, size_t *rows,
                             struct error *error)
{
    const struct database_value key = database_integer(run);
    sqlite3_stmt *query = database_query(database,
                                         "select at_ns, cause, kind, domain, unit, for_ns, detection_ns, "
                                         "notice_ns, factor, outcome = 'spared',"
                                         " outcome from chaos where run = ?1 order by rowid",
                                         1, &key, error);
    enum database_step step = DATABASE_FAILED;
    for (; query && (step = database_next(database, query, error)) == DATABASE_ROW; ++*rows) {
        if (*rows == 0)
            fputs("at_ns,cause,kind,domain,unit,for_ns,detection_ns,notice_ns,factor,spared,outcome\n", out);
        for (int i = 0; i < sqlite3_column_count(query); i++) {
            const char *name = sqlite3_column_name(query, i);
            fputs(i ? "," : "", out);
            if (sqlite3_column_type(query, i) == SQLITE_FLOAT)
                fprintf(out, "%.17g", sqlite3_column_double(query, i));
            else if (strchr(name, '='))
                fputs(sqlite3_column_int(query, i) ? "true" : "false", out);
            else if (sqlite3_column_type(query, i) != SQLITE_NULL)
                write_field(out, (const char *)sqlite3_column_text(query, i));
        }
        fputc('\n', out);
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

bool export_chaos(struct store *store, int64_t run, FILE *out, struct error *error)
{
    const struct database *database = store_database(store);
    size_t rows = 0;
    if (!write_chaos_rows(database, run, out, &rows, error))
        return false;
    if (rows > 0)
        return check_stream(out, error);
    error_set(error, ERROR_INPUT,
              "%s: run %" PRId64 " is not there, or nothing was done to it on purpose (chaos)",
              database->path, run);
    return false;
}
