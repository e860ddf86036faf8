/*
 * What was found, from the database's rows.
 */
#include "results/baseline.h"
#include "results/database.h"
#include "results/json.h"
#include "results/notation.h"
#include "results/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum text { STRATEGY, POINT, METRIC, BASELINE, VERDICT, TEXTS };
enum number {
    PAIRED,
    COUNT,
    COUNT_BEFORE,
    MEAN,
    MEAN_BEFORE,
    CHANGE,
    LOW,
    HIGH,
    ALLOWED,
    CONFIDENCE,
    NUMBERS
};

static const char *const text_names[TEXTS] = {"strategy", "point", "metric", "baseline", "verdict"};
static const char *const number_names[NUMBERS] = {"paired", "n",        "n_before",  "mean",    "mean_before",
                                                  "change", "ci95_low", "ci95_high", "allowed", "confidence"};

struct change {
    char *texts[TEXTS];
    double numbers[NUMBERS];
};

static sqlite3_stmt *query_changes(const struct database *database, int64_t study, struct error *error)
{
    const struct database_value key = database_integer(study);
    return database_query(database,
                          "select strategy, point, metric, baseline, verdict, paired, n, n_before, mean,"
                          " mean_before, change, ci95_low, ci95_high, allowed, confidence"
                          " from baseline_change where study = ?1 order by rowid",
                          1, &key, error);
}

static bool read_change(sqlite3_stmt *query, struct change *change)
{
    bool whole = true;
    for (int i = 0; i < TEXTS; i++) {
        change->texts[i] = database_copy_text(query, i);
        whole &= change->texts[i] != NULL;
    }
    for (int i = 0; i < NUMBERS; i++)
        change->numbers[i] = database_column_real(query, TEXTS + i);
    return whole;
}

static void free_change(struct change *change)
{
    for (int i = 0; i < TEXTS; i++)
        free(change->texts[i]);
}

/* Calls VISIT for each row; stops where it says false, which is for want of memory. */
static bool for_each_change(struct store *store, int64_t study,
                            bool (*visit)(void *context, const struct change *change), void *context,
                            struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = query_changes(database, study, error);
    enum database_step step = DATABASE_FAILED;
    bool good = true;
    while (good && query && (step = database_next(database, query, error)) == DATABASE_ROW) {
        struct change change;
        good = read_change(query, &change) && visit(context, &change);
        free_change(&change);
    }
    sqlite3_finalize(query);
    if (!good)
        error_out_of_memory(error, "the changes since the baseline");
    return good && step == DATABASE_END;
}

/* In words */

/* In the unit that suits BEFORE, so that both can be set side by side. */
static void put_figure(char text[2 * NOTATION_LENGTH], const char *metric, double before, double figure)
{
    const struct notation_unit unit = notation_unit_of(metric, before);
    char number[NOTATION_LENGTH];
    if (notation_is_share(metric))
        snprintf(number, sizeof number, "%.2f", 100 * figure);
    else if (notation_is_loss(metric))
        notation_loss(number, figure, NAN);
    else
        notation_plain(number, figure / unit.scale);
    snprintf(text, 2 * NOTATION_LENGTH, "%s%s%s", number, *unit.name ? " " : "", unit.name);
}

static void put_change(char text[200], const struct change *change)
{
    const double *numbers = change->numbers;
    if (isnan(numbers[CHANGE]))
        snprintf(text, 200, "–");
    else if (isnan(numbers[LOW]))
        snprintf(text, 200, "%+.2f %%, %s", 100 * numbers[CHANGE],
                 numbers[PAIRED] != 0 ? "one pair" : "no interval");
    else
        snprintf(text, 200, "%+.2f %% [%+.2f, %+.2f], %.0f %s", 100 * numbers[CHANGE], 100 * numbers[LOW],
                 100 * numbers[HIGH], numbers[COUNT], numbers[PAIRED] != 0 ? "pairs" : "runs, unpaired");
}

static char *point_words(const struct outline *outline, const char *json)
{
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, json) == 0)
            return outline_point_words(outline, &outline->points[i]);
    return strdup(strcmp(json, "{}") == 0 ? "" : json);
}

struct visit {
    const struct outline *outline;
    void (*visit)(void *context, const struct baseline_words *words);
    void *context;
};

static bool visit_words(void *context, const struct change *change)
{
    const struct visit *visit = context;
    struct baseline_words words = {.strategy = change->texts[STRATEGY],
                                   .metric = change->texts[METRIC],
                                   .baseline = change->texts[BASELINE],
                                   .verdict = change->texts[VERDICT],
                                   .point = point_words(visit->outline, change->texts[POINT])};
    double before = change->numbers[MEAN_BEFORE];
    char figure[2 * NOTATION_LENGTH];
    put_figure(figure, words.metric, before, before);
    snprintf(words.before, sizeof words.before, "%s", figure);
    put_figure(figure, words.metric, before, change->numbers[MEAN]);
    snprintf(words.now, sizeof words.now, "%s", figure);
    put_change(words.change, change);
    snprintf(words.allowed, sizeof words.allowed, "%.4g %% at %.6g %%", 100 * change->numbers[ALLOWED],
             100 * change->numbers[CONFIDENCE]);
    if (words.point)
        visit->visit(visit->context, &words);
    free(words.point);
    return words.point != NULL;
}

bool baseline_for_each(struct store *store, const struct outline *outline,
                       void (*visit)(void *context, const struct baseline_words *words), void *context,
                       struct error *error)
{
    struct visit words = {outline, visit, context};
    return for_each_change(store, outline->study, visit_words, &words, error);
}

/* The table */

enum column {
    TABLE_VERDICT,
    TABLE_STRATEGY,
    TABLE_POINT,
    TABLE_METRIC,
    TABLE_BEFORE,
    TABLE_NOW,
    TABLE_CHANGE,
    COLUMNS
};

struct listing {
    struct table *table;
    size_t count, regressed, unclear;
    char allowed[80];
    char baseline[400];
};

static void add_row(void *context, const struct baseline_words *words)
{
    struct listing *listing = context;
    bool regressed = strcmp(words->verdict, "regressed") == 0;
    size_t row = table_add_row(listing->table);
    table_set(listing->table, row, TABLE_VERDICT, "%s", regressed ? "REGRESSED" : words->verdict);
    table_set(listing->table, row, TABLE_STRATEGY, "%s", words->strategy);
    table_set(listing->table, row, TABLE_POINT, "%s", words->point);
    table_set(listing->table, row, TABLE_METRIC, "%s", words->metric);
    table_set(listing->table, row, TABLE_BEFORE, "%s", words->before);
    table_set(listing->table, row, TABLE_NOW, "%s", words->now);
    table_set(listing->table, row, TABLE_CHANGE, "%s", words->change);
    listing->count++;
    listing->regressed += regressed;
    listing->unclear += strcmp(words->verdict, "unclear") == 0;
    snprintf(listing->allowed, sizeof listing->allowed, "%s", words->allowed);
    snprintf(listing->baseline, sizeof listing->baseline, "%s", words->baseline);
}

static void write_footnote(const struct listing *listing, bool markdown, FILE *out)
{
    fprintf(out, "%s%zu of %zu figures relatively worse than in %s by more than %s confidence%s",
            markdown ? "\n" : "", listing->regressed, listing->count, listing->baseline, listing->allowed,
            listing->regressed ? ": REGRESSED" : "");
    if (listing->unclear)
        fprintf(out, "; %zu unclear, which more replications would tell", listing->unclear);
    fputc('\n', out);
}

bool baseline_write_table(struct store *store, const struct outline *outline, bool markdown, FILE *out,
                          struct error *error)
{
    static const char *const names[COLUMNS] = {"",    "strategy",       "at", "metric", "before",
                                               "now", "relative change"};
    static const enum table_alignment alignments[COLUMNS] = {TABLE_LEFT,  TABLE_LEFT,  TABLE_LEFT, TABLE_LEFT,
                                                             TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT};
    struct listing listing = {.table = table_create(COLUMNS, alignments)};
    if (!listing.table) {
        error_out_of_memory(error, "the changes since the baseline");
        return false;
    }
    size_t row = table_add_row(listing.table);
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(listing.table, row, i, "%s", names[i]);
    bool written = baseline_for_each(store, outline, add_row, &listing, error);
    if (written && listing.count) {
        fputc('\n', out);
        written = markdown ? table_write_markdown(listing.table, out) : table_write(listing.table, out);
        write_footnote(&listing, markdown, out);
    }
    table_destroy(listing.table);
    return written;
}

/* JSON */

struct document {
    FILE *out;
    size_t count;
};

static bool write_json(void *context, const struct change *change)
{
    struct document *document = context;
    json_separate(document->out, document->count++);
    fprintf(document->out, "{\"point\":%s", change->texts[POINT]);
    for (size_t i = 0; i < TEXTS; i++) {
        if (i == POINT)
            continue;
        fputc(',', document->out);
        json_name(document->out, text_names[i]);
        json_string(document->out, change->texts[i]);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        fputc(',', document->out);
        json_name(document->out, number_names[i]);
        if (i == PAIRED)
            fputs(change->numbers[i] != 0 ? "true" : "false", document->out);
        else
            json_number(document->out, change->numbers[i]);
    }
    fputc('}', document->out);
    return true;
}

bool baseline_write_json(struct store *store, int64_t study, FILE *out, struct error *error)
{
    struct document document = {.out = out};
    fputc('[', out);
    bool written = for_each_change(store, study, write_json, &document, error);
    fputc(']', out);
    return written;
}
