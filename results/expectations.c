/*
 * Lines stand in the order of the comparison's: by point, then by strategy. Older databases don't know of a
 * bound whether it is a lower or an upper one; that follows from the verdict: what is met and above it, or
 * missed and below it, had a lower one.
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

enum text {
    TEXT_STRATEGY,
    TEXT_AGAINST,
    TEXT_POINT,
    TEXT_METRIC,
    TEXT_BOUND,
    TEXT_SOURCE,
    TEXT_UNTIL,
    TEXT_UNIT,
    TEXTS
};

struct expectation {
    char *texts[TEXTS]; /* NULL: null */
    double wanted, tolerance, got, low, high, confidence;
    bool met;
    size_t point, strategy; /* their places in the outline */
    size_t order;           /* in which they were judged */
};

struct expectations {
    struct expectation *items;
    size_t count;
};

static void expectations_free(struct expectations *expectations)
{
    for (size_t i = 0; i < expectations->count; i++)
        for (size_t j = 0; j < TEXTS; j++)
            free(expectations->items[i].texts[j]);
    free(expectations->items);
}

static sqlite3_stmt *query_expectations(const struct database *database, int64_t study, struct error *error)
{
    const struct database_value key = database_integer(study);
    return database_query(
        database,
        "select strategy, against, point, metric, bound, source, until, unit, wanted, tolerance, got, low,"
        " high, confidence, met from expectation where study = ?1 order by rowid",
        1, &key, error);
}

static struct expectation read_expectation(sqlite3_stmt *query)
{
    struct expectation expectation = {
        .wanted = sqlite3_column_double(query, TEXTS),
        .tolerance = database_column_real(query, TEXTS + 1),
        .got = database_column_real(query, TEXTS + 2),
        .low = database_column_real(query, TEXTS + 3),
        .high = database_column_real(query, TEXTS + 4),
        .confidence = database_column_real(query, TEXTS + 5),
        .met = sqlite3_column_int(query, TEXTS + 6) != 0,
    };
    for (int i = 0; i < TEXTS; i++)
        expectation.texts[i] = database_copy_text(query, i);
    return expectation;
}

static bool append(struct expectations *expectations, sqlite3_stmt *query, struct error *error)
{
    struct expectation *grown =
        reallocarray(expectations->items, expectations->count + 1, sizeof *expectations->items);
    if (!grown) {
        error_out_of_memory(error, "a list of expectations");
        return false;
    }
    expectations->items = grown;
    struct expectation *added = &grown[expectations->count];
    *added = read_expectation(query);
    added->order = expectations->count++;
    if (added->texts[TEXT_STRATEGY] && added->texts[TEXT_POINT] && added->texts[TEXT_METRIC])
        return true;
    error_out_of_memory(error, "a list of expectations");
    return false;
}

static bool read_all(struct store *store, int64_t study, struct expectations *expectations,
                     struct error *error)
{
    const struct database *database = store_database(store);
    sqlite3_stmt *query = query_expectations(database, study, error);
    enum database_step step = DATABASE_FAILED;
    while (query && (step = database_next(database, query, error)) == DATABASE_ROW)
        if (!append(expectations, query, error)) {
            step = DATABASE_FAILED;
            break;
        }
    sqlite3_finalize(query);
    return step == DATABASE_END;
}

static int compare(const void *left, const void *right)
{
    const struct expectation *a = left, *b = right;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    if (a->strategy != b->strategy)
        return a->strategy < b->strategy ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* What the outline doesn't have, such as the reference, comes last. */
static void sort(struct expectations *expectations, const struct outline *outline)
{
    for (size_t i = 0; i < expectations->count; i++) {
        struct expectation *expectation = &expectations->items[i];
        const char *strategy = expectation->texts[TEXT_STRATEGY], *point = expectation->texts[TEXT_POINT];
        size_t *place = &expectation->strategy;
        while (*place < outline->strategy_count && strcmp(outline->strategies[*place], strategy) != 0)
            ++*place;
        place = &expectation->point;
        while (*place < outline->point_count && strcmp(outline->points[*place].json, point) != 0)
            ++*place;
    }
    if (expectations->count > 0)
        qsort(expectations->items, expectations->count, sizeof *expectations->items, compare);
}

/* The unit that suits FIGURE: percent of differences, which are shares, too; of a field's value that which
 * such figures are published in. */
static struct notation_unit unit_of(const struct expectation *expectation, double figure)
{
    const char *unit = expectation->texts[TEXT_UNIT];
    if (expectation->texts[TEXT_AGAINST])
        return (struct notation_unit){"%", 0.01};
    if (unit)
        return (struct notation_unit){strcmp(unit, "1") == 0 ? "" : unit, 1};
    return notation_unit_of(expectation->texts[TEXT_METRIC], figure);
}

static bool is_time(const struct expectation *expectation)
{
    return !expectation->texts[TEXT_AGAINST] && !expectation->texts[TEXT_UNIT] &&
           strcmp(notation_metric_unit(expectation->texts[TEXT_METRIC]), "s") == 0;
}

/* Times stay the round numbers they were written as: 20 min for 1200 s, but 290 s. */
static struct notation_unit unit_of_wanted(const struct expectation *expectation)
{
    struct notation_unit unit = unit_of(expectation, expectation->wanted);
    char text[NOTATION_LENGTH];
    double shown = expectation->wanted / unit.scale;
    notation_plain(text, shown);
    if (is_time(expectation) && fabs(strtod(text, NULL) - shown) > 1e-9 * fabs(shown))
        return (struct notation_unit){"s", 1};
    return unit;
}

/* Times in no larger unit than is wanted, to be read beside it. */
static struct notation_unit unit_of_got(const struct expectation *expectation)
{
    struct notation_unit unit = unit_of(expectation, expectation->got), wanted = unit_of_wanted(expectation);
    return is_time(expectation) && wanted.scale < unit.scale ? wanted : unit;
}

/* A figure as people read it, in UNIT, which is not written. */
static void figure_text(char text[NOTATION_LENGTH], const struct expectation *expectation,
                        const struct notation_unit *unit, double figure)
{
    if (isnan(figure))
        snprintf(text, NOTATION_LENGTH, "–");
    else if (strcmp(unit->name, "%") == 0)
        snprintf(text, NOTATION_LENGTH, "%.2f", 100 * figure);
    else if (notation_is_loss(expectation->texts[TEXT_METRIC]))
        notation_loss(text, figure, NAN);
    else
        notation_plain(text, figure / unit->scale);
}

static bool is_lower_bound(const struct expectation *expectation)
{
    const char *bound = expectation->texts[TEXT_BOUND];
    return bound ? strcmp(bound, "min") == 0 : expectation->met == (expectation->got >= expectation->wanted);
}

/* The unit, and the confidence that was asked for. */
static void unit_text(char text[NOTATION_LENGTH], const struct expectation *expectation,
                      const struct notation_unit *unit)
{
    int length = snprintf(text, NOTATION_LENGTH, "%s%s", *unit->name ? " " : "", unit->name);
    if (!isnan(expectation->confidence))
        snprintf(text + length, (size_t)(NOTATION_LENGTH - length), " at %.6g %%",
                 100 * expectation->confidence);
}

static void put_wanted(char text[EXPECTATION_WORDS], const struct expectation *expectation)
{
    char wanted[NOTATION_LENGTH], tolerance[NOTATION_LENGTH], unit[NOTATION_LENGTH];
    const struct notation_unit suits = unit_of_wanted(expectation);
    figure_text(wanted, expectation, &suits, expectation->wanted);
    figure_text(tolerance, expectation, &suits, expectation->tolerance);
    unit_text(unit, expectation, &suits);
    bool known = expectation->texts[TEXT_BOUND] || !isnan(expectation->got);
    bool sure_value = !isnan(expectation->confidence) && !expectation->texts[TEXT_BOUND];
    if (!isnan(expectation->tolerance))
        snprintf(text, EXPECTATION_WORDS, "%s ± %s%s", wanted, tolerance, unit);
    else if (!known || sure_value)
        snprintf(text, EXPECTATION_WORDS, "%s%s", wanted, unit);
    else
        snprintf(text, EXPECTATION_WORDS, "%s %s%s", is_lower_bound(expectation) ? "≥" : "≤", wanted, unit);
}

/* With its interval where that is of the essence. */
static void put_got(char text[EXPECTATION_WORDS], const struct expectation *expectation)
{
    char got[NOTATION_LENGTH], low[NOTATION_LENGTH], high[NOTATION_LENGTH];
    const struct notation_unit suits = unit_of_got(expectation);
    const char *unit = isnan(expectation->got) ? "" : suits.name;
    figure_text(got, expectation, &suits, expectation->got);
    if (expectation->texts[TEXT_AGAINST] && !isnan(expectation->got))
        snprintf(got, sizeof got, "%+.2f", 100 * expectation->got);
    figure_text(low, expectation, &suits, expectation->low);
    figure_text(high, expectation, &suits, expectation->high);
    bool interval = expectation->texts[TEXT_AGAINST] || !isnan(expectation->confidence);
    if (interval && !isnan(expectation->low))
        snprintf(text, EXPECTATION_WORDS, "%s%s%s [%s, %s]", got, *unit ? " " : "", unit, low, high);
    else
        snprintf(text, EXPECTATION_WORDS, "%s%s%s", got, *unit ? " " : "", unit);
}

/* The point in words, or its JSON when none of the outline's is it. The caller frees. */
static char *point_words(const struct outline *outline, const struct expectation *expectation)
{
    const char *json = expectation->texts[TEXT_POINT];
    if (expectation->point < outline->point_count)
        return outline_point_words(outline, &outline->points[expectation->point]);
    return strdup(strcmp(json, "{}") == 0 ? "" : json);
}

/* POINT is the caller's to free. */
static struct expectation_words words_of(const struct outline *outline, const struct expectation *expectation)
{
    struct expectation_words words = {.strategy = expectation->texts[TEXT_STRATEGY],
                                      .against = expectation->texts[TEXT_AGAINST],
                                      .point = point_words(outline, expectation),
                                      .metric = expectation->texts[TEXT_METRIC],
                                      .until = expectation->texts[TEXT_UNTIL],
                                      .source = expectation->texts[TEXT_SOURCE],
                                      .met = expectation->met};
    put_wanted(words.wanted, expectation);
    put_got(words.got, expectation);
    return words;
}

static void add_expectation(struct table *table, const struct outline *outline,
                            const struct expectation *expectation)
{
    size_t row = table_add_row(table);
    struct expectation_words words = words_of(outline, expectation);
    table_set(table, row, VERDICT, "%s", words.met ? "met" : "MISSED");
    table_set(table, row, STRATEGY, "%s%s%s", words.strategy, words.against ? " against " : "",
              words.against ? words.against : "");
    table_set(table, row, POINT, "%s", words.point ? words.point : expectation->texts[TEXT_POINT]);
    table_set(table, row, METRIC, "%s%s%s", words.metric, words.until ? " until " : "",
              words.until ? words.until : "");
    table_set(table, row, WANTED, "%s", words.wanted);
    table_set(table, row, GOT, "%s", words.got);
    table_set(table, row, SOURCE, "%s", words.source ? words.source : "");
    free(words.point);
}

static void add_header(struct table *table)
{
    static const char *const names[COLUMNS] = {"", "strategy", "at", "metric", "wanted", "got", "source"};
    size_t row = table_add_row(table);
    for (size_t i = 0; i < COLUMNS; i++)
        table_set(table, row, i, "%s", names[i]);
}

static bool write_table(const struct expectations *expectations, const struct outline *outline, bool markdown,
                        FILE *out)
{
    static const enum table_alignment alignments[COLUMNS] = {
        TABLE_LEFT, TABLE_LEFT, TABLE_LEFT, TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT,
    };
    struct table *table = table_create(COLUMNS, alignments);
    size_t met = 0, count = expectations->count;
    if (!table)
        return false;
    add_header(table);
    for (size_t i = 0; i < count; i++) {
        add_expectation(table, outline, &expectations->items[i]);
        met += expectations->items[i].met;
    }
    fputc('\n', out);
    bool written = markdown ? table_write_markdown(table, out) : table_write(table, out);
    fprintf(out, "%s%zu of %zu expectation%s met%s\n", markdown ? "\n" : "", met, count,
            count == 1 ? "" : "s", met < count ? ", the others MISSED" : "");
    table_destroy(table);
    return written;
}

static bool read_sorted(struct store *store, const struct outline *outline, struct expectations *expectations,
                        struct error *error)
{
    bool read = read_all(store, outline->study, expectations, error);
    if (read)
        sort(expectations, outline);
    return read;
}

static bool write(struct store *store, const struct outline *outline, bool markdown, FILE *out,
                  struct error *error)
{
    struct expectations expectations = {0};
    bool written = read_sorted(store, outline, &expectations, error);
    if (written && expectations.count > 0) {
        written = write_table(&expectations, outline, markdown, out);
        if (!written)
            error_out_of_memory(error, "a list of expectations");
    }
    expectations_free(&expectations);
    return written;
}

bool expectations_write_table(struct store *store, const struct outline *outline, FILE *out,
                              struct error *error)
{
    return write(store, outline, false, out, error);
}

bool expectations_write_markdown(struct store *store, const struct outline *outline, FILE *out,
                                 struct error *error)
{
    return write(store, outline, true, out, error);
}

bool expectations_for_each(struct store *store, const struct outline *outline,
                           void (*visit)(void *context, const struct expectation_words *words), void *context,
                           struct error *error)
{
    struct expectations expectations = {0};
    bool read = read_sorted(store, outline, &expectations, error);
    for (size_t i = 0; read && i < expectations.count; i++) {
        struct expectation_words words = words_of(outline, &expectations.items[i]);
        if (words.point)
            visit(context, &words);
        else
            error_out_of_memory(error, "a list of expectations");
        read = words.point != NULL;
        free(words.point);
    }
    expectations_free(&expectations);
    return read;
}

static void write_json(FILE *out, const struct expectation *expectation)
{
    static const char *const names[TEXTS] = {"strategy", "against", NULL,    "metric",
                                             "bound",    "source",  "until", "unit"};
    const struct {
        const char *name;
        double number;
    } numbers[] = {{"wanted", expectation->wanted}, {"tolerance", expectation->tolerance},
                   {"got", expectation->got},       {"low", expectation->low},
                   {"high", expectation->high},     {"confidence", expectation->confidence}};
    fprintf(out, "{\"point\":%s", expectation->texts[TEXT_POINT]);
    for (size_t i = 0; i < TEXTS; i++) {
        if (!names[i])
            continue;
        fputc(',', out);
        json_name(out, names[i]);
        json_string(out, expectation->texts[i]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_further_number(out, numbers[i].name, numbers[i].number);
    fprintf(out, ",\"met\":%s}", expectation->met ? "true" : "false");
}

bool expectations_write_json(struct store *store, int64_t study, FILE *out, struct error *error)
{
    struct expectations expectations = {0};
    bool read = read_all(store, study, &expectations, error);
    fputc('[', out);
    for (size_t i = 0; read && i < expectations.count; i++) {
        json_separate(out, i);
        write_json(out, &expectations.items[i]);
    }
    fputc(']', out);
    expectations_free(&expectations);
    return read;
}
