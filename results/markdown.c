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

/* "**passed**: 3 of 3 expectations met, no figure of 8 regressed" */
static void write_verdict(const struct outline *outline, const struct tally *tally, FILE *out)
{
    int64_t failed = count_failed(outline);
    bool good = !tally->missed && !tally->regressed && !failed;
    fprintf(out, "### %s\n\n**%s**", outline->name, good ? "passed" : "FAILED");
    const char *separator = ": ";
    if (tally->expectations) {
        fprintf(out, "%s%zu of %zu expectations met", separator, tally->expectations - tally->missed,
                tally->expectations);
        separator = ", ";
    }
    if (tally->figures) {
        fprintf(out, "%s%zu of %zu figures regressed", separator, tally->regressed, tally->figures);
        separator = ", ";
    }
    if (failed)
        fprintf(out, "%s%" PRId64 " runs failed", separator, failed);
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
    table_set(table, row, RUNS, "%" PRId64, point->runs[strategy].all);
    if (store_mean(store, outline->study, outline->strategies[strategy], point->json, "goodput", &mean)) {
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

static bool write_summary(struct store *store, const struct outline *outline, FILE *out, struct error *error)
{
    struct tally tally = {0};
    if (!expectations_for_each(store, outline, count_expectation, &tally, error) ||
        !baseline_for_each(store, outline, count_change, &tally, error))
        return false;
    write_verdict(outline, &tally, out);
    return expectations_write_markdown(store, outline, out, error) &&
           baseline_write_table(store, outline, true, out, error) && write_goodput(store, outline, out);
}

char *markdown_summary(struct store *store, int64_t study, struct error *error)
{
    struct error failure = {.kind = ERROR_NONE};
    struct outline *outline = outline_create(store, study, &failure);
    char *text = NULL;
    size_t size = 0;
    FILE *out = outline ? open_memstream(&text, &size) : NULL;
    bool written = out && write_summary(store, outline, out, &failure);
    written = out && fclose(out) == 0 && written;
    outline_destroy(outline);
    if (written)
        return text;
    free(text);
    if (failure.kind == ERROR_NONE)
        error_out_of_memory(&failure, "a summary");
    error_set(error, failure.kind, "%s", failure.message);
    return NULL;
}
