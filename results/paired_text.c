/*
 * The paired comparison for people and for programs.
 */
#include "results/json.h"
#include "results/notation.h"
#include "results/outline.h"
#include "results/paired.h"
#include "results/settling.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { POINT, MEAN_A, MEAN_B, DIFFERENCE, INTERVAL, PAIRS, COLUMNS };

/* That which suits the largest mean, of all figures. */
static struct notation_unit unit_of(const struct paired *paired)
{
    double largest = 0;
    for (size_t i = 0; i < paired->point_count; i++)
        largest = fmax(largest, fmax(fabs(paired->points[i].mean_a), fabs(paired->points[i].mean_b)));
    return notation_unit_of(paired->metric, largest);
}

/* A figure of the metric: in percent if it is a share, a loss with its decimals, else plainly; SIGN prints a
 * plus too. */
static void figure_text(char text[NOTATION_LENGTH], const struct paired *paired, double figure, bool sign)
{
    const char *metric = paired->metric;
    if (notation_is_share(metric)) {
        snprintf(text, NOTATION_LENGTH, sign ? "%+.2f" : "%.2f", 100 * figure);
        return;
    }
    char plain[NOTATION_LENGTH];
    if (notation_is_loss(metric))
        notation_loss(plain, figure, NAN);
    else
        notation_plain(plain, figure / unit_of(paired).scale);
    snprintf(text, NOTATION_LENGTH, "%s%.60s", sign && figure > 0 ? "+" : "", plain);
}

static void add_row(struct table *table, const struct paired *paired, const struct paired_point *point,
                    const char *words)
{
    char text[NOTATION_LENGTH], other[NOTATION_LENGTH];
    size_t row = table_add_row(table);
    table_set(table, row, POINT, "%s", words);
    figure_text(text, paired, point->mean_a, false);
    table_set(table, row, MEAN_A, "%s", text);
    figure_text(text, paired, point->mean_b, false);
    table_set(table, row, MEAN_B, "%s", text);
    figure_text(text, paired, point->difference, true);
    table_set(table, row, DIFFERENCE, "%s", text);
    if (!isnan(point->low)) {
        figure_text(text, paired, point->low, true);
        figure_text(other, paired, point->high, true);
        table_set(table, row, INTERVAL, "%s … %s", text, other);
    } else {
        table_set(table, row, INTERVAL, "–");
    }
    if (point->pairs)
        table_set(table, row, PAIRS, "%" PRId64, point->pairs);
    else
        table_set(table, row, PAIRS, "%" PRId64 " and %" PRId64 " apart", point->runs_a, point->runs_b);
}

static char *words_of(const struct outline *outline, const char *json)
{
    for (size_t i = 0; i < outline->point_count; i++)
        if (strcmp(outline->points[i].json, json) == 0)
            return outline_point_words(outline, &outline->points[i]);
    return strdup(json);
}

static void fill_table(struct table *table, const struct paired *paired, const struct outline *outline)
{
    size_t row = table_add_row(table);
    table_set(table, row, POINT, "%s", outline->axis_count ? "at" : "");
    table_set(table, row, MEAN_A, "%s", paired->a);
    table_set(table, row, MEAN_B, "%s", paired->b);
    table_set(table, row, DIFFERENCE, "difference");
    table_set(table, row, INTERVAL, "95 %% interval");
    table_set(table, row, PAIRS, "pairs");
    for (size_t i = 0; i < paired->point_count; i++) {
        char *words = words_of(outline, paired->points[i].point);
        add_row(table, paired, &paired->points[i], words ? words : paired->points[i].point);
        free(words);
    }
}

/* Whether there are runs whose seeds differ. */
static bool has_apart(const struct paired *paired)
{
    for (size_t i = 0; i < paired->point_count; i++)
        if (!paired->points[i].pairs)
            return true;
    return false;
}

/* Where the interval holds 0, how many pairs would tell. */
static void write_doubts(const struct paired *paired, FILE *out)
{
    int64_t needed = 0;
    size_t doubts = 0;
    for (size_t i = 0; i < paired->point_count; i++) {
        doubts += paired->points[i].needed > 0;
        if (paired->points[i].needed > needed)
            needed = paired->points[i].needed;
    }
    if (doubts && paired->point_count == 1)
        fprintf(out, "\nToo few replications to tell the two apart: about %" PRId64 " pairs would do.\n",
                needed);
    else if (doubts)
        fprintf(out,
                "\nToo few replications to tell the two apart at %zu of %zu points: about %" PRId64
                " pairs would do at all.\n",
                doubts, paired->point_count, needed);
    if (has_apart(paired))
        fputs("\nRuns whose seeds differ are no pairs: their intervals are Welch's.\n", out);
}

static bool write_table(const struct paired *paired, const struct outline *outline, FILE *out)
{
    static const enum table_alignment alignments[COLUMNS] = {
        TABLE_LEFT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT,
    };
    struct table *table = table_create(COLUMNS, alignments);
    if (!table)
        return false;
    char name[NOTATION_LENGTH];
    notation_metric(name, paired->metric);
    const struct notation_unit unit = unit_of(paired);
    fprintf(out, "%s: %s of %s minus %s%s%s%s, paired by replication\n\n", outline->name, name, paired->a,
            paired->b, *unit.name ? ", in " : "", unit.name,
            notation_is_share(paired->metric) ? " and points" : "");
    fill_table(table, paired, outline);
    bool written = table_write(table, out);
    if (written)
        write_doubts(paired, out);
    table_destroy(table);
    return written;
}

/* What is measured before it has settled. */
struct unsettled {
    const char *strategy;
    double seconds; /* 0: nothing is */
};

/* Of the two strategies that which takes longer. */
static bool find_unsettled(struct store *store, const struct paired *paired, struct unsettled *unsettled,
                           struct error *error)
{
    double a, b;
    if (!settling_read(store, paired->study, paired->a, &a, error) ||
        !settling_read(store, paired->study, paired->b, &b, error))
        return false;
    *unsettled = a < b ? (struct unsettled){paired->b, b} : (struct unsettled){paired->a, a};
    return true;
}

static void write_unsettled(const struct unsettled *unsettled, FILE *out)
{
    char duration[NOTATION_LENGTH];
    if (unsettled->seconds == 0)
        return;
    notation_duration(duration, unsettled->seconds);
    fprintf(
        out,
        "\nFor the first %s more learners of %s are up than later, or fewer: a warm_up as long would leave "
        "that out.\n",
        duration, unsettled->strategy);
}

char *paired_table(struct store *store, const struct paired *paired, struct error *error)
{
    struct unsettled unsettled;
    struct outline *outline =
        find_unsettled(store, paired, &unsettled, error) ? outline_create(store, paired->study, error) : NULL;
    if (!outline)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool written = out && write_table(paired, outline, out);
    if (written)
        write_unsettled(&unsettled, out);
    outline_destroy(outline);
    if (out && fclose(out) == 0 && written)
        return text;
    error_out_of_memory(error, "a paired comparison");
    free(text);
    return NULL;
}

static void write_point(FILE *out, const struct paired_point *point)
{
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"mean_a", point->mean_a},
        {"mean_b", point->mean_b},
        {"difference", point->difference},
        {"sd", point->deviation},
        {"ci95_low", point->low},
        {"ci95_high", point->high},
        {"bootstrap95_low", point->bootstrap.low},
        {"bootstrap95_high", point->bootstrap.high},
    };
    fprintf(out, "{\"point\":%s,\"pairs\":%" PRId64, point->point, point->pairs);
    if (point->needed)
        fprintf(out, ",\"pairs_needed\":%" PRId64, point->needed);
    if (!point->pairs)
        fprintf(out, ",\"runs_a\":%" PRId64 ",\"runs_b\":%" PRId64, point->runs_a, point->runs_b);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_further_number(out, numbers[i].name, numbers[i].number);
    fputc('}', out);
}

static void write_json(const struct paired *paired, FILE *out)
{
    fprintf(out, "{\"study\":%" PRId64 ",\"a\":", paired->study);
    json_string(out, paired->a);
    fputs(",\"b\":", out);
    json_string(out, paired->b);
    fputs(",\"metric\":", out);
    json_string(out, paired->metric);
    fputs(",\"points\":[", out);
    for (size_t i = 0; i < paired->point_count; i++) {
        json_separate(out, i);
        write_point(out, &paired->points[i]);
    }
    fputs("]}\n", out);
}

char *paired_json(const struct paired *paired, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        write_json(paired, out);
        if (fclose(out) == 0)
            return text;
        free(text);
    }
    error_out_of_memory(error, "a paired comparison");
    return NULL;
}
