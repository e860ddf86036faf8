/*
 * One table for all points, so that its columns align from point to point; a point's heading is a line
 * across it. What was learned has its columns if something was replayed, in place of what failed and of what
 * it cost. Costs have theirs where chips have a price, in place of what failed where nothing did. Where
 * nothing was trained, the kernels of a GPU have theirs in place of all others. The losses come last and fill
 * the line: as many of the largest as fit.
 */
#include "results/comparison.h"
#include "results/baseline.h"
#include "results/causes.h"
#include "results/expectations.h"
#include "results/links.h"
#include "results/notation.h"
#include "results/outline.h"
#include "results/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 118, MOST_LOSSES = 3 };

#define SMALLEST_LOSS 0.0005 /* what would be shown as 0.0 % is no loss to speak of */

enum column {
    STRATEGY,
    GOODPUT,
    UPTIME,
    STEPS,
    TOKENS,
    COST,
    MTBF,
    FAILURES,
    FINAL_LOSS,
    EXCESS_LOSS,
    STATISTICAL_GOODPUT,
    PAIR_TIME,
    TIME_RATIO,
    TIME_BOUND,
    TIME_SAVED,
    OVERLAP_RATE,
    OCCUPANCY,
    LOSSES,
    COLUMNS
};

/* How a column shows a mean. */
enum form {
    COUNT,
    SUFFIXED,
    SHARE,   /* in per cent, with its interval */
    PERCENT, /* alone */
    RATIO,   /* in per cent, with no sign before what is shown as nothing */
    LOSS,    /* with its interval */
    EXCESS,  /* alone */
    PRICE,
    MILLISECONDS,
    SPAN /* in the comparison's unit of time */
};

static const struct {
    const char *name;
    const char *unit;   /* below the name; NULL: the comparison's unit of time */
    const char *metric; /* NULL of the first and the last column, which show none */
    enum form form;
} columns[COLUMNS] = {
    [STRATEGY] = {.name = "strategy", .unit = ""},
    [GOODPUT] = {"goodput", "%", "goodput", SHARE},
    [UPTIME] = {"uptime", "%", "uptime", SHARE},
    [STEPS] = {"steps", "useful", "steps", COUNT},
    [TOKENS] = {"tokens", "", "tokens", SUFFIXED},
    [COST] = {"cost", "per 10⁹ tokens", "cost_per_billion_tokens", PRICE},
    [MTBF] = {"MTBF", NULL, "mtbf", SPAN},
    [FAILURES] = {"failures", "", "failures", COUNT},
    [FINAL_LOSS] = {"final loss", "", "final_loss", LOSS},
    [EXCESS_LOSS] = {"excess", "loss", "excess_loss", EXCESS},
    [STATISTICAL_GOODPUT] = {"statistical", "goodput %", "statistical_goodput", PERCENT},
    [PAIR_TIME] = {"pair", "ms", "pair_time", MILLISECONDS},
    [TIME_RATIO] = {"time", "ratio %", "time_ratio", RATIO},
    [TIME_BOUND] = {"least", "ratio %", "time_bound", RATIO},
    [TIME_SAVED] = {"saved of", "baseline %", "time_saved", RATIO},
    [OVERLAP_RATE] = {"overlap", "rate %", "overlap_rate", RATIO},
    [OCCUPANCY] = {"occupancy", "%", "occupancy", RATIO},
    [LOSSES] = {.name = "largest losses", .unit = "of chip time"},
};

struct comparison {
    struct store *store;
    const struct outline *outline;
    struct table *table;
    const struct notation_unit *mtbf_unit;
    bool trains; /* false: there are kernels of a GPU alone */
    bool priced; /* tokens have a price */
    bool failed; /* some unit did */
};

static bool find_mean(const struct comparison *comparison, const char *point, const char *strategy,
                      const char *metric, struct store_mean *mean)
{
    return store_mean(comparison->store, comparison->outline->study, strategy, point, metric, mean);
}

/* There is room for what was learned or for what failed; strategies differ little in the latter. */
static bool is_shown(const struct comparison *comparison, enum column column)
{
    bool learned = column == FINAL_LOSS || column == EXCESS_LOSS || column == STATISTICAL_GOODPUT;
    bool failed = column == MTBF || column == FAILURES;
    bool kernels = column >= PAIR_TIME && column <= OCCUPANCY;
    if (column == STRATEGY || column == LOSSES)
        return true;
    if (kernels || !comparison->trains)
        return kernels && !comparison->trains;
    if (comparison->outline->learning)
        return !failed && column != COST;
    if (failed)
        return comparison->failed || !comparison->priced;
    return column == COST ? comparison->priced : !learned;
}

/* The column's number in the table. */
static size_t place_of(const struct comparison *comparison, enum column column)
{
    size_t place = 0;
    for (enum column i = 0; i < column; i++)
        place += is_shown(comparison, i);
    return place;
}

static void set(const struct comparison *comparison, size_t row, enum column column, const char *text)
{
    if (is_shown(comparison, column))
        table_set(comparison->table, row, place_of(comparison, column), "%s", text);
}

/* The shortest mean of a METRIC in seconds; infinity if there is none. */
static double find_shortest(const struct comparison *comparison, const char *metric)
{
    const struct outline *outline = comparison->outline;
    double shortest = INFINITY;
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++) {
            struct store_mean mean;
            if (find_mean(comparison, outline->points[i].json, outline->strategies[j], metric, &mean))
                shortest = fmin(shortest, mean.mean);
        }
    return shortest;
}

static bool is_positive_anywhere(const struct comparison *comparison, const char *metric)
{
    const struct outline *outline = comparison->outline;
    struct store_mean mean;
    for (size_t i = 0; i < outline->point_count; i++)
        for (size_t j = 0; j < outline->strategy_count; j++)
            if (find_mean(comparison, outline->points[i].json, outline->strategies[j], metric, &mean) &&
                mean.mean > 0)
                return true;
    return false;
}

/* The unit in which the shortest mean MTBF is at least one. */
static const struct notation_unit *find_mtbf_unit(const struct comparison *comparison)
{
    double shortest = find_shortest(comparison, "mtbf");
    return notation_time_unit(isfinite(shortest) ? shortest : 1);
}

static void add_header(const struct comparison *comparison)
{
    size_t first = table_add_row(comparison->table), second = table_add_row(comparison->table);
    for (enum column i = 0; i < COLUMNS; i++) {
        set(comparison, first, i, columns[i].name);
        set(comparison, second, i, columns[i].unit ? columns[i].unit : comparison->mtbf_unit->name);
    }
}

/* Of a mean's interval; NAN of a single value, which has none. */
static double half_width(const struct store_mean *mean)
{
    return mean->count > 1 ? (mean->high - mean->low) / 2 : NAN;
}

static void write_share(char text[NOTATION_LENGTH], const struct store_mean *mean)
{
    int length = snprintf(text, NOTATION_LENGTH, "%.2f", 100 * mean->mean);
    if (mean->count > 1)
        snprintf(text + length, NOTATION_LENGTH - (size_t)length, " ± %.2f", 100 * half_width(mean));
}

static void write_price(char text[NOTATION_LENGTH], double price)
{
    if (price < 1000)
        snprintf(text, NOTATION_LENGTH, "%#.4g", price);
    else
        notation_count(text, price);
}

/* The mean in FORM, with the half-width of its interval where there is room for it. */
static void write_figure(char text[NOTATION_LENGTH], const struct comparison *comparison, enum form form,
                         const struct store_mean *mean)
{
    const double value = mean->mean;
    switch (form) {
    case COUNT:
        notation_count(text, value);
        break;
    case SUFFIXED:
        notation_suffixed(text, value);
        break;
    case SHARE:
        write_share(text, mean);
        break;
    case PERCENT:
        snprintf(text, NOTATION_LENGTH, "%.2f", 100 * value);
        break;
    case RATIO:
        snprintf(text, NOTATION_LENGTH, "%.2f", round(1e4 * value) / 100 + 0.0);
        break;
    case LOSS:
        notation_loss(text, value, half_width(mean));
        break;
    case EXCESS:
        notation_loss(text, value, NAN);
        break;
    case PRICE:
        write_price(text, value);
        break;
    case MILLISECONDS:
        snprintf(text, NOTATION_LENGTH, "%.2f", 1e3 * value);
        break;
    case SPAN:
        snprintf(text, NOTATION_LENGTH, value < 1 ? "%.2g" : "%.1f", value / comparison->mtbf_unit->scale);
    }
}

static void set_figures(const struct comparison *comparison, size_t row, const char *point,
                        const char *strategy)
{
    set(comparison, row, STRATEGY, strategy);
    for (enum column i = GOODPUT; i < LOSSES; i++) {
        char text[NOTATION_LENGTH] = "–";
        struct store_mean mean;
        if (is_shown(comparison, i) && find_mean(comparison, point, strategy, columns[i].metric, &mean))
            write_figure(text, comparison, columns[i].form, &mean);
        set(comparison, row, i, text);
    }
}

struct loss {
    const char *name;
    double share;
};

static int compare_losses(const void *a, const void *b)
{
    double x = ((const struct loss *)a)->share, y = ((const struct loss *)b)->share;
    return (x < y) - (x > y);
}

/* All losses worth a word, the largest first; their number. */
static size_t find_losses(const struct comparison *comparison, const char *point, const char *strategy,
                          struct loss losses[BUDGET_CATEGORIES])
{
    size_t count = 0;
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        struct store_mean mean;
        if (i != BUDGET_USEFUL && find_mean(comparison, point, strategy, budget_metrics[i], &mean) &&
            mean.mean >= SMALLEST_LOSS)
            losses[count++] = (struct loss){budget_names[i], mean.mean};
    }
    qsort(losses, count, sizeof *losses, compare_losses);
    return count;
}

/* Writes up to MOST_LOSSES losses, as many as fit into WIDTH, at least one. */
static void set_losses(const struct comparison *comparison, size_t row, size_t width, const char *point,
                       const char *strategy)
{
    struct loss losses[BUDGET_CATEGORIES];
    size_t count = find_losses(comparison, point, strategy, losses);
    char text[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < count && i < MOST_LOSSES; i++) {
        char name[NOTATION_LENGTH], next[2 * NOTATION_LENGTH];
        notation_metric(name, losses[i].name);
        int added = snprintf(next, sizeof next, "%s%s %.1f %%", i ? ", " : "", name, 100 * losses[i].share);
        if (i > 0 && length + (size_t)added > width)
            break;
        memcpy(text + length, next, (size_t)added + 1);
        length += (size_t)added;
    }
    set(comparison, row, LOSSES, text);
}

/* A row as it was added, to come back to. */
struct place {
    size_t row, point, strategy;
};

/* A blank line and the point, if the study has more than the point {}. */
static bool add_heading(const struct comparison *comparison, const struct outline_point *point,
                        struct error *error)
{
    if (comparison->outline->axis_count == 0)
        return true;
    char *words = outline_point_words(comparison->outline, point);
    table_add_line(comparison->table, "");
    if (words)
        table_add_line(comparison->table, words);
    else
        error_out_of_memory(error, "a comparison");
    free(words);
    return words != NULL;
}

/* Adds every point's heading and rows but for their losses; PLACES has room for all of them. */
static bool add_rows(const struct comparison *comparison, struct place *places, size_t *count,
                     struct error *error)
{
    const struct outline *outline = comparison->outline;
    for (size_t i = 0; i < outline->point_count; i++) {
        const struct outline_point *point = &outline->points[i];
        if (!add_heading(comparison, point, error))
            return false;
        for (size_t j = 0; j < outline->strategy_count; j++) {
            if (point->runs[j].all == 0)
                continue;
            size_t row = table_add_row(comparison->table);
            set_figures(comparison, row, point->json, outline->strategies[j]);
            places[(*count)++] = (struct place){row, i, j};
        }
    }
    return true;
}

static bool fill_table(const struct comparison *comparison, struct error *error)
{
    const struct outline *outline = comparison->outline;
    struct place *places = calloc(outline->point_count * outline->strategy_count + 1, sizeof *places);
    size_t count = 0;
    if (!places) {
        error_out_of_memory(error, "a comparison");
        return false;
    }
    add_header(comparison);
    bool added = add_rows(comparison, places, &count, error);
    size_t taken = table_width(comparison->table) - table_text_width("largest losses");
    size_t width = taken < LINE_WIDTH ? LINE_WIDTH - taken : 0;
    for (size_t i = 0; added && i < count; i++)
        set_losses(comparison, places[i].row, width, outline->points[places[i].point].json,
                   outline->strategies[places[i].strategy]);
    free(places);
    return added;
}

/* "million-chips: 1,200,000 chips, 1 d simulated" */
static void write_title(const struct outline *outline, FILE *out)
{
    fprintf(out, "%s", outline->name);
    const char *separator = ": ";
    char text[NOTATION_LENGTH];
    if (outline->point_count == 1 && outline->points[0].chips > 0) {
        notation_count(text, (double)outline->points[0].chips);
        fprintf(out, "%s%s chips", separator, text);
        separator = ", ";
    }
    if (outline->point_count == 1 && isfinite(outline->points[0].seconds)) {
        notation_duration(text, outline->points[0].seconds);
        fprintf(out, "%s%s simulated", separator, text);
    }
    fputs("\n\n", out);
}

static void write_footnote(const struct outline *outline, FILE *out)
{
    if (outline->replications > 1)
        fprintf(out, "\nMeans of %" PRId64 " replications, ± half-width of the 95 %% interval.\n",
                outline->replications);
    else if (outline->replications == 1)
        fputs("\nOne replication: no intervals.\n", out);
    if (outline->learnings > 1)
        fprintf(out, "Losses of the learning \"%s\"; %zu others were replayed too.\n", outline->learning,
                outline->learnings - 1);
}

/* "a at x = 1: 2 of 10 runs stalled." for each status but done, and "1 of 10 replays diverged." */
static void write_status(const struct outline *outline, const struct outline_point *point, size_t strategy,
                         const char *words, FILE *out)
{
    const struct outline_runs *runs = &point->runs[strategy];
    for (enum run_status i = RUN_DONE + 1; i < RUN_STATUSES; i++)
        if (runs->with[i] > 0)
            fprintf(out, "%s%s%s: %" PRId64 " of %" PRId64 " runs %s%s.\n", outline->strategies[strategy],
                    *words ? " at " : "", words, runs->with[i], runs->all, run_status_names[i],
                    i == RUN_FAILED || i == RUN_INTERRUPTED ? ", left out of the means" : "");
    if (runs->diverged > 0)
        fprintf(out, "%s%s%s: %" PRId64 " of %" PRId64 " replays diverged.\n", outline->strategies[strategy],
                *words ? " at " : "", words, runs->diverged, runs->replays);
}

/* What else than "done" runs and replays came to. */
static bool write_statuses(const struct outline *outline, FILE *out, struct error *error)
{
    for (size_t i = 0; i < outline->point_count; i++) {
        char *words = outline_point_words(outline, &outline->points[i]);
        if (!words) {
            error_out_of_memory(error, "a comparison");
            return false;
        }
        for (size_t j = 0; j < outline->strategy_count; j++)
            write_status(outline, &outline->points[i], j, words, out);
        free(words);
    }
    return true;
}

static bool write_comparison(const struct comparison *comparison, FILE *out, struct error *error)
{
    write_title(comparison->outline, out);
    if (!fill_table(comparison, error))
        return false;
    if (!table_write(comparison->table, out)) {
        error_out_of_memory(error, "a comparison");
        return false;
    }
    write_footnote(comparison->outline, out);
    return write_statuses(comparison->outline, out, error) &&
           links_write_table(comparison->store, comparison->outline, out, error) &&
           causes_write_table(comparison->store, comparison->outline, out, error) &&
           expectations_write_table(comparison->store, comparison->outline, out, error) &&
           baseline_write_table(comparison->store, comparison->outline, false, out, error);
}

static struct table *create_table(const struct comparison *comparison)
{
    enum table_alignment alignments[COLUMNS];
    for (enum column i = 0; i < COLUMNS; i++)
        if (is_shown(comparison, i))
            alignments[place_of(comparison, i)] = i == STRATEGY || i == LOSSES ? TABLE_LEFT : TABLE_RIGHT;
    return table_create(place_of(comparison, LOSSES) + 1, alignments);
}

static bool compare(struct store *store, const struct outline *outline, const void *context, FILE *out,
                    struct error *error)
{
    (void)context;
    struct comparison comparison = {.store = store, .outline = outline};
    comparison.mtbf_unit = find_mtbf_unit(&comparison);
    comparison.trains =
        isinf(find_shortest(&comparison, "pair_time")) || !isinf(find_shortest(&comparison, "uptime"));
    comparison.priced = is_positive_anywhere(&comparison, "cost_per_billion_tokens");
    comparison.failed = is_positive_anywhere(&comparison, "failures");
    comparison.table = create_table(&comparison);
    if (!comparison.table)
        error_out_of_memory(error, "a comparison");
    bool written = comparison.table && write_comparison(&comparison, out, error);
    table_destroy(comparison.table);
    return written;
}

char *comparison_table(struct store *store, int64_t study, struct error *error)
{
    return outline_text(store, study, compare, NULL, "a comparison", error);
}
