#include "results/markdown.h"
#include "results/baseline.h"
#include "results/database.h"
#include "results/expectations.h"
#include "results/notation.h"
#include "results/outline.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 200 }; /* of goodput: a comment has its limits */

struct tally {
    size_t expectations, missed, figures, regressed;
};

static void count_expectation(void *context, const struct expectation_words *words)
{
    struct tally *tally = context;
    tally->expectations++;
    tally->missed += !words->met;
}

static void count_change(void *context, const struct baseline_words *words)
{
    struct tally *tally = context;
    tally->figures++;
    tally->regressed += strcmp(words->verdict, "regressed") == 0;
}

static int64_t count_failed(const struct outline *outline)
{
    int64_t failed = 0;
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++)
            failed += outline->points[i].runs[j].with[RUN_FAILED];
    return failed;
}

/* "shard 2 of 4"; nothing of a whole study. */
static bool read_shard(struct store *store, int64_t study, char text[80], struct error *error)
{
    const struct database *database = store_database(store);
    const struct database_value key = database_integer(study);
    sqlite3_stmt *query =
        database_query(database, "select shard, shards from study where id = ?1", 1, &key, error);
    bool read = query && database_next(database, query, error) == DATABASE_ROW;
    *text = '\0';
    if (read && sqlite3_column_type(query, 0) != SQLITE_NULL)
        snprintf(text, 80, "shard %" PRId64 " of %" PRId64, database_column_integer(query, 0),
                 database_column_integer(query, 1));
    sqlite3_finalize(query);
    return read;
}

/* Parts of the verdict, with what stands before each. */
static void write_part(FILE *out, size_t *parts, const char *text)
{
    fputs((*parts)++ ? ", " : ": ", out);
    table_write_markdown_text(text, out);
}

/* "**passed**: 3 of 3 expectations met, 0 of 8 figures regressed"; of a shard, which is not judged, "**shard
 * 2 of 4**". */
static void write_verdict(const struct outline *outline, const struct tally *tally, const char *shard,
                          const char *trouble, FILE *out)
{
    char text[100];
    size_t parts = 0;
    int64_t failed = count_failed(outline);
    bool good = !tally->missed && !tally->regressed && !failed && !trouble;
    fputs("### ", out);
    table_write_markdown_text(outline->name, out);
    fprintf(out, "\n\n**%s**", !good ? "FAILED" : *shard ? shard : "passed");
    if (trouble)
        write_part(out, &parts, trouble);
    if (tally->expectations) {
        snprintf(text, sizeof text, "%zu of %zu expectations met", tally->expectations - tally->missed,
                 tally->expectations);
        write_part(out, &parts, text);
    }
    if (tally->figures) {
        snprintf(text, sizeof text, "%zu of %zu figures regressed", tally->regressed, tally->figures);
        write_part(out, &parts, text);
    }
    if (failed) {
        snprintf(text, sizeof text, "%" PRId64 " runs failed", failed);
        write_part(out, &parts, text);
    }
    fputc('\n', out);
}

enum column { STRATEGY, POINT, GOODPUT, INTERVAL, RUNS, COLUMNS };

static bool add_row(struct store *store, const struct outline *outline, const struct outline_point *point,
                    size_t strategy, struct table *table)
{
    struct store_mean mean;
    char *words = outline_point_words(outline, point);
    if (!words)
        return false;
    size_t row = table_add_row(table);
    table_set(table, row, STRATEGY, "%s", outline->strategies[strategy]);
    table_set(table, row, POINT, "%s", words);
    if (store_mean(store, outline->study, outline->strategies[strategy], point->json, "goodput", &mean)) {
        table_set(table, row, RUNS, "%" PRId64, mean.count);
        table_set(table, row, GOODPUT, "%.2f %%", 100 * mean.mean);
        if (!isnan(mean.low))
            table_set(table, row, INTERVAL, "± %.2f", 50 * (mean.high - mean.low));
    }
    free(words);
    return true;
}

static bool fill(struct store *store, const struct outline *outline, struct table *table, size_t *left)
{
    static const char *const names[COLUMNS] = {"strategy", "at", "goodput", "95 %", "runs"};
    size_t rows = 0, row = table_add_row(table);
    *left = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(table, row, i, "%s", names[i]);
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++) {
            if (!outline->points[i].runs[j].all)
                continue;
            if (rows == MOST_ROWS)
                ++*left;
            else if (!add_row(store, outline, &outline->points[i], j, table))
                return false;
            else
                rows++;
        }
    return true;
}

static bool write_goodput(struct store *store, const struct outline *outline, FILE *out)
{
    static const enum table_alignment alignments[COLUMNS] = {TABLE_LEFT, TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT,
                                                             TABLE_RIGHT};
    struct table *table = table_create(COLUMNS, alignments);
    size_t left;
    if (!table)
        return false;
    fputc('\n', out);
    bool written = fill(store, outline, table, &left) && table_write_markdown(table, out);
    if (left)
        fprintf(out, "\nand %zu more.\n", left);
    table_destroy(table);
    return written;
}

static bool write_summary(struct store *store, const struct outline *outline, const void *trouble, FILE *out,
                          struct error *error)
{
    struct tally tally = {0};
    char shard[80];
    if (!expectations_for_each(store, outline, count_expectation, &tally, error) ||
        !baseline_for_each(store, outline, count_change, &tally, error) ||
        !read_shard(store, outline->study, shard, error))
        return false;
    write_verdict(outline, &tally, shard, trouble, out);
    return expectations_write_markdown(store, outline, out, error) &&
           baseline_write_table(store, outline, true, out, error) && write_goodput(store, outline, out);
}

char *markdown_summary(struct store *store, int64_t study, const char *trouble, struct error *error)
{
    struct error failure = {.kind = ERROR_NONE};
    char *text = outline_text(store, study, write_summary, trouble, "a summary", &failure);
    if (!text && failure.kind == ERROR_NONE)
        error_out_of_memory(&failure, "a summary");
    if (!text)
        error_set(error, failure.kind, "%s", failure.message);
    return text;
}
