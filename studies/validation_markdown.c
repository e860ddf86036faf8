/*
 * The Markdown: a metric is a table, a strategy a row, a point a column, each where it first comes up in the
 * results; where there is but the base point one table has them all, a metric a column, and where there are
 * many points each figure has a row.
 */
#include "results/notation.h"
#include "studies/validation.h"
#include "studies/validation_figures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 8 };

static bool same_metric_and_point(const struct expectation_result *a, const struct expectation_result *b)
{
    return validation_same_metric(a, b) && a->point == b->point;
}

static bool same_strategy(const struct expectation_result *a, const struct expectation_result *b)
{
    return strcmp(a->expectation->strategy, b->expectation->strategy) == 0;
}

static bool same_metric_and_strategy(const struct expectation_result *a, const struct expectation_result *b)
{
    return validation_same_metric(a, b) && same_strategy(a, b);
}

/* A table has a row a strategy and a column a point, all of METRIC, or where there is but the base point
 * (METRIC NULL) a column a metric. */
static bool is_in(const struct expectation_result *result, const struct expectation_result *metric)
{
    return !metric || validation_same_metric(result, metric);
}

static void write_column_heads(FILE *out, const struct plan *plan, const struct expectation_results *results,
                               const struct expectation_result *metric)
{
    fputs("| strategy |", out);
    size_t columns = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *result = &results->items[i];
        if (!is_in(result, metric) || !validation_is_first(results, i, same_metric_and_point))
            continue;
        fprintf(out, " %s |", metric ? plan->points[result->point].heading : result->expectation->metric);
        columns++;
    }
    fputs("\n|---|", out);
    while (columns--)
        fputs("---:|", out);
    fputc('\n', out);
}

static void write_pair(FILE *out, const struct expectation_result *result)
{
    char cell[VALIDATION_CELL_SIZE];
    const struct scenario_expectation *expectation = result->expectation;
    validation_put_figure(cell, expectation, validation_bound_sign(expectation), result->wanted);
    fprintf(out, " %s /", cell);
    validation_put_figure(cell, expectation, "", result->got);
    fprintf(out, " %s", cell);
    validation_put_interval(cell, result);
    if (!isnan(expectation->confidence) && *cell)
        fprintf(out, " %s", cell);
    fputs(result->met ? "" : " (missed)", out);
}

/* The cell of one strategy and point: nearly always one figure, several where several are published. */
static void write_pairs(FILE *out, const struct expectation_results *results,
                        const struct expectation_result *strategy, const struct expectation_result *point)
{
    const char *before = "";
    for (size_t i = 0; i < results->count; i++)
        if (same_strategy(&results->items[i], strategy) && same_metric_and_point(&results->items[i], point)) {
            fputs(before, out);
            write_pair(out, &results->items[i]);
            before = ";";
        }
    fputs(" |", out);
}

static void write_strategy_rows(FILE *out, const struct expectation_results *results,
                                const struct expectation_result *metric)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *strategy = &results->items[i];
        if (!is_in(strategy, metric) ||
            !validation_is_first(results, i, metric ? same_metric_and_strategy : same_strategy))
            continue;
        fprintf(out, "| %s |", strategy->expectation->strategy);
        for (size_t j = 0; j < results->count; j++)
            if (is_in(&results->items[j], metric) && validation_is_first(results, j, same_metric_and_point))
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
        if (validation_is_published(&results->items[i]) && validation_is_first(results, i, same_source)) {
            fprintf(out, "%s%s", before, results->items[i].expectation->source);
            before = "; ";
        }
    if (before[0] == ';')
        fputs(".\n\n", out);
}

static void write_table(FILE *out, const struct plan *plan, const struct expectation_results *results,
                        const struct expectation_result *metric)
{
    write_column_heads(out, plan, results, metric);
    write_strategy_rows(out, results, metric);
    fputc('\n', out);
}

static bool has_points(const struct plan *plan, const struct expectation_results *results)
{
    bool pointed = false;
    for (size_t i = 0; i < results->count; i++)
        pointed |= *plan->points[results->items[i].point].heading != '\0';
    return pointed;
}

static size_t count_points(const struct expectation_results *results, const struct expectation_result *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        count += is_in(&results->items[i], metric) && validation_is_first(results, i, same_metric_and_point);
    return count;
}

/* Long times in days, hours or minutes, for they are read one below the other. */
static void put_listed(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result,
                       const char *before, double value)
{
    const struct notation_unit *unit = notation_time_unit(result->wanted);
    bool in_seconds = strcmp(notation_metric_unit(result->expectation->metric), "s") == 0;
    if (!isnan(value) && in_seconds)
        validation_put(cell, "%s%.6g %s", before, value / unit->scale, unit->name);
    else
        validation_put_figure(cell, result->expectation, before, value);
}

/* Half of the interval of what was got, as differences are told. */
static double half_width(const struct expectation_result *result)
{
    double half = 100 * (result->high - result->low) / 2;
    return notation_is_share(result->expectation->metric) ? half : half / fabs(result->wanted);
}

static void write_listed(FILE *out, const struct plan *plan, const struct expectation_result *result)
{
    const char *unit = validation_difference_unit(result->expectation->metric);
    const struct scenario_point *settings = plan->points[result->point].settings;
    char wanted[VALIDATION_CELL_SIZE], got[VALIDATION_CELL_SIZE];
    double difference = validation_difference(result), half = half_width(result);
    put_listed(wanted, result, validation_bound_sign(result->expectation), result->wanted);
    put_listed(got, result, "", result->got);
    fprintf(out, "| %s |", result->expectation->strategy);
    for (size_t i = 0; i < settings->count; i++)
        fprintf(out, " %s |", settings->settings[i].value);
    fprintf(out, " %s | %s%s |", wanted, got, result->met ? "" : " (missed)");
    if (validation_has_figure(result) && isfinite(difference))
        fprintf(out, " %+.3f %s", difference, unit);
    fputs(" |", out);
    if (isfinite(half))
        fprintf(out, " ± %.2f %s", half, unit);
    fputs(" |\n", out);
}

static void write_list(FILE *out, const struct plan *plan, const struct expectation_results *results,
                       const struct expectation_result *metric, const char *word)
{
    const struct scenario_point *settings = plan->points[metric->point].settings;
    fputs("| strategy |", out);
    for (size_t i = 0; i < settings->count; i++)
        fprintf(out, " %s |", settings->settings[i].path);
    fprintf(out, " %s | simulated | difference | interval |\n|---|", word);
    for (size_t i = 0; i < settings->count; i++)
        fputs("---|", out);
    fputs("---:|---:|---:|---:|\n", out);
    for (size_t i = 0; i < results->count; i++)
        if (is_in(&results->items[i], metric))
            write_listed(out, plan, &results->items[i]);
    fputc('\n', out);
}

/* WORD is what the wanted figures are called. */
static void write_metrics(FILE *out, const struct plan *plan, const struct expectation_results *results,
                          const char *word)
{
    if (results->count > 0 && !has_points(plan, results)) {
        fprintf(out, "%c%s / simulated:\n\n", toupper(*word), word + 1);
        write_table(out, plan, results, NULL);
        return;
    }
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *metric = &results->items[i];
        if (!validation_is_first(results, i, validation_same_metric))
            continue;
        if (count_points(results, metric) > MOST_COLUMNS) {
            fprintf(out, "%s:\n\n", metric->expectation->metric);
            write_list(out, plan, results, metric, word);
            continue;
        }
        fprintf(out, "%s, %s / simulated:\n\n", metric->expectation->metric, word);
        write_table(out, plan, results, metric);
    }
}

/* "decoupled against reference, final_loss: -0.3 % [-0.5, -0.1]", in cells. */
static void write_change(FILE *out, const struct plan *plan, const struct expectation_result *result,
                         bool pointed)
{
    const struct scenario_expectation *expectation = result->expectation;
    char wanted[VALIDATION_CELL_SIZE], change[VALIDATION_CELL_SIZE], interval[VALIDATION_CELL_SIZE];
    double confidence = isnan(expectation->confidence) ? 95 : 100 * expectation->confidence;
    validation_put_figure(wanted, expectation, validation_bound_sign(expectation), result->wanted);
    validation_put_change(change, result);
    validation_put_interval(interval, result);
    fprintf(out, "| %s against %s |", expectation->strategy, expectation->against);
    if (pointed)
        fprintf(out, " %s |", plan->points[result->point].heading);
    fprintf(out, " %s | %s | %s%s%s%s | %.6g %% |\n", expectation->metric, wanted, change,
            *interval ? " " : "", interval, result->met ? "" : " (missed)", confidence);
}

static void write_changes(FILE *out, const struct plan *plan, const struct expectation_results *results)
{
    if (results->count == 0)
        return;
    bool pointed = has_points(plan, results);
    fputs("Differences between strategies over the same replications, with the interval:\n\n"
          "| strategies |",
          out);
    fputs(pointed ? " point |" : "", out);
    fputs(" metric | expected | difference | confidence |\n|---|---|", out);
    fputs(pointed ? "---|" : "", out);
    fputs("---:|---:|---:|\n", out);
    for (size_t i = 0; i < results->count; i++)
        write_change(out, plan, &results->items[i], pointed);
    fputc('\n', out);
}

char *validation_markdown(const struct plan *plan, const struct expectation_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct validation_parts parts;
    bool parted = validation_part(results, &parts);
    if (parted) {
        validation_write_title(out, plan, "## ", "\n\n");
        if (plan->base->notes)
            fprintf(out, "%s\n\n", plan->base->notes);
        write_sources(out, results);
        write_metrics(out, plan, &parts.alone, validation_wanted_word(results));
        write_changes(out, plan, &parts.paired);
        parted = validation_write_solved(out, &parts.solved, true);
        validation_write_summary(out, results, &parts, "- ");
        validation_parts_free(&parts);
    }
    return fclose(out) == 0 && parted ? text : (free(text), NULL);
}
