/*
 * A bound is stored as a figure without tolerance, and whether it is a lower or an upper one follows from the
 * verdict: what is met and above it, or missed and below it, had a lower one.
 */
#include "results/expectations.h"
#include "results/database.h"
#include "results/json.h"
#include "results/notation.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { VERDICT, STRATEGY, POINT, METRIC, WANTED, GOT, SOURCE, COLUMNS };

/* A row of the table; texts belong to the query and last until its next row. */
struct expectation {
    const char *strategy, *point, *metric, *source;
    double wanted, tolerance, got;
    bool met;
};

static sqlite3_stmt *query_expectations(const struct database *database, int64_t study, struct error *error)
{
    const struct database_value key = database_integer(study);
    return database_query(
        database,
        "select strategy, point, metric, source, wanted, tolerance, got, met from expectation"
        " where study = ?1 order by rowid",
        1, &key, error);
}

static struct expectation read_expectation(sqlite3_stmt *query)
{
    return (struct expectation){
        .strategy = (const char *)sqlite3_column_text(query, 0),
        .point = (const char *)sqlite3_column_text(query, 1),
        .metric = (const char *)sqlite3_column_text(query, 2),
        .source = (const char *)sqlite3_column_text(query, 3),
        .wanted = sqlite3_column_double(query, 4),
        .tolerance = database_column_real(query, 5),
        .got = database_column_real(query, 6),
        .met = sqlite3_column_int(query, 7) != 0,
    };
}

/* A figure of METRIC as people read it, without its unit. */
static void figure_text(char text[NOTATION_LENGTH], const char *metric, double figure)
{
    if (isnan(figure))
        snprintf(text, NOTATION_LENGTH, "–");
    else if (notation_is_share(metric))
        snprintf(text, NOTATION_LENGTH, "%.2f", 100 * figure);
    else
        notation_plain(text, figure);
}

static void set_figures(struct table *table, size_t row, const struct expectation *expectation)
{
    char wanted[NOTATION_LENGTH], tolerance[NOTATION_LENGTH], got[NOTATION_LENGTH];
    const char *unit = notation_is_share(expectation->metric) ? " %" : "";
    figure_text(wanted, expectation->metric, expectation->wanted);
    figure_text(tolerance, expectation->metric, expectation->tolerance);
    figure_text(got, expectation->metric, expectation->got);
    bool lower = expectation->met == (expectation->got >= expectation->wanted);
    if (!isnan(expectation->tolerance))
        table_set(table, row, WANTED, "%s ± %s%s", wanted, tolerance, unit);
    else if (isnan(expectation->got))
        table_set(table, row, WANTED, "%s%s", wanted, unit);
    else
        table_set(table, row, WANTED, "%s %s%s", lower ? "≥" : "≤", wanted, unit);
    table_set(table, row, GOT, "%s%s", got, isnan(expectation->got) ? "" : unit);
}

/* The point in words, or its JSON when none of the outline's is it. The caller frees. */
static char *point_words(const struct outline *outline, const char *json)
{
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, json) == 0)
            return outline_point_words(outline, &outline->points[i]);
    return strdup(strcmp(json, "{}") == 0 ? "" : json);
}

static void add_expectation(struct table *table, const struct outline *outline,
                            const struct expectation *expectation)
{
    size_t row = table_add_row(table);
    char *words = point_words(outline, expectation->point);
    table_set(table, row, VERDICT, "%s", expectation->met ? "met" : "MISSED");
    table_set(table, row, STRATEGY, "%s", expectation->strategy);
    table_set(table, row, POINT, "%s", words ? words : expectation->point);
    table_set(table, row, METRIC, "%s", expectation->metric);
    set_figures(table, row, expectation);
    table_set(table, row, SOURCE, "%s", expectation->source ? expectation->source : "");
    free(words);
}

static void add_header(struct table *table)
{
    static const char *const names[COLUMNS] = {"", "strategy", "at", "metric", "wanted", "got", "source"};
    size_t row = table_add_row(table);
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(table, row, i, "%s", names[i]);
}

/* Adds all expectations; counts them, and those that were met. */
static bool add_all(struct store *store, const struct outline *outline, struct table *table, int64_t *count,
                    int64_t *met, struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = query_expectations(database, outline->study, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        struct expectation expectation = read_expectation(query);
        add_expectation(table, outline, &expectation);
        ++*count;
        *met += expectation.met;
    }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

bool expectations_write_table(struct store *store, const struct outline *outline, FILE *out,
                              struct error *error)
{
    static const enum table_alignment alignments[COLUMNS] = {
        TABLE_LEFT, TABLE_LEFT, TABLE_LEFT, TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT,
    };
    struct table *table = table_create(COLUMNS, alignments);
    if (!table) {
        error_out_of_memory(error, "a list of expectations");
        return false;
    }
    int64_t count = 0, met = 0;
    add_header(table);
    bool written = add_all(store, outline, table, &count, &met, error);
    if (written && count > 0) {
        fputc('\n', out);
        written = table_write(table, out);
        if (!written)
            error_out_of_memory(error, "a list of expectations");
        fprintf(out, "%" PRId64 " of %" PRId64 " expectation%s met%s\n", met, count, count == 1 ? "" : "s",
                met < count ? ", the others MISSED" : "");
    }
    table_destroy(table);
    return written;
}

static void write_json(FILE *out, const struct expectation *expectation)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"strategy", expectation->strategy},
                 {"metric", expectation->metric},
                 {"source", expectation->source}};
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"wanted", expectation->wanted}, {"tolerance", expectation->tolerance}, {"got", expectation->got}};
    fprintf(out, "{\"point\":%s", expectation->point);
    for (size_t i = 0; i < 3; i++) {
        fputc(',', out);
        json_name(out, texts[i].name);
        json_string(out, texts[i].text);
    }
    for (size_t i = 0; i < 3; i++) {
        fputc(',', out);
        json_name(out, numbers[i].name);
        json_number(out, numbers[i].number);
    }
    fprintf(out, ",\"met\":%s}", expectation->met ? "true" : "false");
}

bool expectations_write_json(struct store *store, int64_t study, FILE *out, struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = query_expectations(database, study, error);
    enum database_step step = DATABASE_FAILED;
    fputc('[', out);
    for (size_t i = 0; query && (step = database_next(database, query, error)) == DATABASE_ROW; i++) {
        struct expectation expectation = read_expectation(query);
        json_separate(out, i);
        write_json(out, &expectation);
    }
    fputc(']', out);
    sqlite3_finalize(query);
    return step == DATABASE_END;
}
