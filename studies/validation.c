/*
 * Figures and differences first, which both forms share; then each form.
 */
#include "studies/validation.h"

#include "results/notation.h"
#include "results/table.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 256 };

/* Figures */

static void __attribute__((format(printf, 2, 3))) put(char cell[CELL_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, CELL_SIZE, format, arguments);
    va_end(arguments);
}

/* " s" of a metric in seconds, "" of a pure number and of what is no run's metric. */
static void put_unit(char unit[16], const char *metric)
{
    unit[0] = '\0';
    for (size_t i = 0; i < RUN_METRICS; i++)
        if (strcmp(run_metrics[i].name, metric) == 0 && strcmp(run_metrics[i].unit, "1") != 0)
            snprintf(unit, 16, " %s", run_metrics[i].unit);
}

static void put_figure(char cell[CELL_SIZE], const char *metric, const char *before, double value)
{
    char unit[16];
    put_unit(unit, metric);
    if (isnan(value))
        put(cell, "%snone", before);
    else if (notation_is_share(metric))
        put(cell, "%s%.1f %%", before, 100 * value);
    else
        put(cell, "%s%.6g%s", before, value, unit);
}

static const char *bound_sign(const struct scenario_expectation *expectation)
{
    bool both = !isnan(expectation->minimum) && !isnan(expectation->maximum);
    if (!isnan(expectation->value) || both)
        return "";
    return isnan(expectation->minimum) ? "≤ " : "≥ ";
}

/* Whether it wants a figure, and not a bound on one. */
static bool has_figure(const struct expectation_result *result)
{
    return !isnan(result->expectation->value);
}

/* In points for a share, else in percent of what was wanted. */
static double difference(const struct expectation_result *result)
{
    double apart = result->got - result->wanted;
    return notation_is_share(result->expectation->metric) ? 100 * apart : 100 * apart / fabs(result->wanted);
}

static const char *difference_unit(const char *metric)
{
    return notation_is_share(metric) ? "points" : "%";
}

/* Differences of one metric over all results. */
struct spread {
    size_t count;
    double largest, mean;
};

static struct spread spread_of(const struct expectation_results *results, const char *metric)
{
    struct spread spread = {0};
    double sum = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *result = &results->items[i];
        if (!has_figure(result) || isnan(result->got) || strcmp(result->expectation->metric, metric) != 0)
            continue;
        double apart = fabs(difference(result));
        sum += apart;
        spread.largest = fmax(spread.largest, apart);
        spread.count++;
    }
    spread.mean = sum / (double)spread.count;
    return spread;
}

/* Whether a result before the I-th satisfies SAME with it, so that each metric, point or strategy is met
 * once. */
static bool is_first(const struct expectation_results *results, size_t i,
                     bool (*same)(const struct expectation_result *, const struct expectation_result *))
{
    for (size_t earlier = 0; earlier < i; earlier++)
        if (same(&results->items[earlier], &results->items[i]))
            return false;
    return true;
}

static bool same_metric(const struct expectation_result *a, const struct expectation_result *b)
{
    return strcmp(a->expectation->metric, b->expectation->metric) == 0;
}

static bool same_metric_and_point(const struct expectation_result *a, const struct expectation_result *b)
{
    return same_metric(a, b) && a->point == b->point;
}

static bool same_metric_and_strategy(const struct expectation_result *a, const struct expectation_result *b)
{
    return same_metric(a, b) && strcmp(a->expectation->strategy, b->expectation->strategy) == 0;
}

static void write_summary(FILE *out, const struct expectation_results *results, const char *prefix)
{
    fprintf(out, "%s%zu of %zu expectations met.\n", prefix, results->count - results->missed,
            results->count);
    for (size_t i = 0; i < results->count; i++) {
        const char *metric = results->items[i].expectation->metric;
        struct spread spread = spread_of(results, metric);
        if (spread.count && is_first(results, i, same_metric))
            fprintf(out, "%s%s: %zu figures, largest difference %.1f %s, mean %.1f.\n", prefix, metric,
                    spread.count, spread.largest, difference_unit(metric), spread.mean);
    }
}

/* Plain text */

enum column { STRATEGY, POINT, METRIC, WANTED, TOLERANCE, GOT, DIFFERENCE, VERDICT, COLUMNS };

static const char *const headings[COLUMNS] = {"strategy",  "point",     "metric",     "published",
                                              "tolerance", "simulated", "difference", ""};

static void put_difference(char cell[CELL_SIZE], const struct expectation_result *result)
{
    if (has_figure(result) && !isnan(result->got))
        put(cell, "%+.1f %s", difference(result), difference_unit(result->expectation->metric));
}

static void put_cell(char cell[CELL_SIZE], const struct plan *plan, const struct expectation_result *result,
                     enum column column)
{
    const struct scenario_expectation *expectation = result->expectation;
    cell[0] = '\0';
    if (column == STRATEGY)
        put(cell, "%s", expectation->strategy);
    else if (column == POINT)
        put(cell, "%s", plan->points[result->point].label);
    else if (column == METRIC)
        put(cell, "%s", expectation->metric);
    else if (column == WANTED)
        put_figure(cell, expectation->metric, bound_sign(expectation), result->wanted);
    else if (column == TOLERANCE && result->tolerance > 0)
        put_figure(cell, expectation->metric, "± ", result->tolerance);
    else if (column == GOT)
        put_figure(cell, expectation->metric, "", result->got);
    else if (column == DIFFERENCE)
        put_difference(cell, result);
    else if (column == VERDICT)
        put(cell, "%s", result->met ? "met" : "missed");
}

static void add_row(struct table *table, const struct plan *plan, const struct expectation_result *result)
{
    char cell[CELL_SIZE];
    size_t row = table_add_row(table);
    for (enum column column = 0; column < COLUMNS; column++) {
        put_cell(cell, plan, result, column);
        table_set(table, row, column, "%s", cell);
    }
}

static bool write_table(FILE *out, const struct plan *plan, const struct expectation_results *results)
{
    static const enum table_alignment alignments[COLUMNS] = {
        [WANTED] = TABLE_RIGHT, [TOLERANCE] = TABLE_RIGHT, [GOT] = TABLE_RIGHT, [DIFFERENCE] = TABLE_RIGHT};
    struct table *table = table_create(COLUMNS, alignments);
    if (!table)
        return false;
    size_t heading = table_add_row(table);
    for (enum column column = 0; column < COLUMNS; column++)
        table_set(table, heading, column, "%s", headings[column]);
    for (size_t i = 0; i < results->count; i++)
        add_row(table, plan, &results->items[i]);
    bool written = table_write(table, out);
    table_destroy(table);
    return written;
}

static void write_title(FILE *out, const struct plan *plan, const char *before, const char *after)
{
    fprintf(out, "%s%s", before, plan->base->name);
    if (plan->base->description)
        fprintf(out, "%s%s", after, plan->base->description);
    fputs("\n\n", out);
}

char *validation_table(const struct plan *plan, const struct expectation_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    write_title(out, plan, "", ": ");
    bool written = write_table(out, plan, results);
    fputc('\n', out);
    write_summary(out, results, "");
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}

/* Markdown */

static void write_column_heads(FILE *out, const struct plan *plan, const struct expectation_results *results,
                               const struct expectation_result *metric)
{
    fputs("| strategy |", out);
    size_t columns = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (!same_metric(&results->items[i], metric) || !is_first(results, i, same_metric_and_point))
            continue;
        const char *label = plan->points[results->items[i].point].label;
        fprintf(out, " %s |", *label ? label : "base point");
        columns++;
    }
    fputs("\n|---|", out);
    while (columns--)
        fputs("---:|", out);
    fputc('\n', out);
}

static void write_pair(FILE *out, const struct expectation_result *result)
{
    char cell[CELL_SIZE];
    const struct scenario_expectation *expectation = result->expectation;
    put_figure(cell, expectation->metric, bound_sign(expectation), result->wanted);
    fprintf(out, " %s /", cell);
    put_figure(cell, expectation->metric, "", result->got);
    fprintf(out, " %s%s", cell, result->met ? "" : " (missed)");
}

/* The cell of one strategy and point: nearly always one figure, several where several are published. */
static void write_pairs(FILE *out, const struct expectation_results *results,
                        const struct expectation_result *strategy, const struct expectation_result *point)
{
    for (size_t i = 0; i < results->count; i++)
        if (same_metric_and_strategy(&results->items[i], strategy) &&
            same_metric_and_point(&results->items[i], point))
            write_pair(out, &results->items[i]);
    fputs(" |", out);
}

static void write_strategy_rows(FILE *out, const struct expectation_results *results,
                                const struct expectation_result *metric)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *strategy = &results->items[i];
        if (!same_metric(strategy, metric) || !is_first(results, i, same_metric_and_strategy))
            continue;
        fprintf(out, "| %s |", strategy->expectation->strategy);
        for (size_t j = 0; j < results->count; j++)
            if (same_metric(&results->items[j], metric) && is_first(results, j, same_metric_and_point))
                write_pairs(out, results, strategy, &results->items[j]);
        fputc('\n', out);
    }
}

static bool same_source(const struct expectation_result *a, const struct expectation_result *b)
{
    const char *left = a->expectation->source, *right = b->expectation->source;
    return left == right || (left && right && strcmp(left, right) == 0);
}

static void write_sources(FILE *out, const struct expectation_results *results)
{
    const char *before = "Published in ";
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].expectation->source && is_first(results, i, same_source)) {
            fprintf(out, "%s%s", before, results->items[i].expectation->source);
            before = "; ";
        }
    if (before[0] == ';')
        fputs(".\n\n", out);
}

char *validation_markdown(const struct plan *plan, const struct expectation_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    write_title(out, plan, "### ", "\n\n");
    write_sources(out, results);
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *metric = &results->items[i];
        if (!is_first(results, i, same_metric))
            continue;
        fprintf(out, "%s, published / simulated:\n\n", metric->expectation->metric);
        write_column_heads(out, plan, results, metric);
        write_strategy_rows(out, results, metric);
        fputc('\n', out);
    }
    write_summary(out, results, "- ");
    return fclose(out) == 0 ? text : (free(text), NULL);
}
