/*
 * The report for people: tables, then sentences for what a table can't say.
 */
#include "studies/calibrate_report.h"

#include "results/table.h"
#include "studies/search.h"
#include "studies/solve_report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a range: a field whose interval covers more of it is told to be hardly determined. */
#define HARDLY 0.8

/* Tables */

static void put_value(struct table *table, size_t row, size_t column, const struct scenario_search *range,
                      double value)
{
    char cell[VALIDATION_CELL_SIZE];
    solve_report_put_value(cell, range, value);
    table_set(table, row, column, "%s", isnan(value) ? "" : cell);
}

static void put_metric(struct table *table, size_t row, size_t column, const char *metric, double value)
{
    char cell[VALIDATION_CELL_SIZE];
    solve_report_put_metric(cell, metric, value);
    table_set(table, row, column, "%s", cell);
}

static void put_difference(struct table *table, size_t row, size_t column, const char *metric, double value)
{
    char cell[VALIDATION_CELL_SIZE];
    solve_report_put_difference(cell, metric, value);
    table_set(table, row, column, "%s", cell);
}

static void add_try(struct table *table, const struct calibrate_results *results, size_t number)
{
    const struct deviations_try *attempt = &results->deviations.tries[number];
    size_t row = table_add_row(table), fields = calibrate_field_count(results);
    table_set(table, row, 0, "%zu", number + 1);
    for (size_t i = 0; i < fields; i++)
        put_value(table, row, 1 + i, calibrate_range(results, i), attempt->values[i]);
    table_set(table, row, 1 + fields, isinf(attempt->misfit) ? "a figure has no value" : "%.4g",
              attempt->misfit);
    table_set(table, row, 2 + fields, "%s",
              number == results->best                ? "the best"
              : attempt->purpose == DEVIATIONS_START ? "where it may begin"
                                                     : "");
}

static bool write_tries(FILE *out, const struct calibrate_results *results)
{
    enum table_alignment alignments[SCENARIO_RANGES_MOST + 3] = {TABLE_RIGHT};
    size_t fields = calibrate_field_count(results), slopes = 0;
    for (size_t i = 0; i < fields + 2; i++)
        alignments[i] = TABLE_RIGHT;
    alignments[fields + 2] = TABLE_LEFT;
    struct table *table = table_create(fields + 3, alignments);
    if (!table)
        return false;
    size_t head = table_add_row(table);
    table_set(table, head, 0, "try");
    for (size_t i = 0; i < fields; i++)
        table_set(table, head, 1 + i, "%s", calibrate_range(results, i)->path);
    table_set(table, head, 1 + fields, "misfit");
    for (size_t i = 0; i < results->deviations.count; i++)
        if (results->deviations.tries[i].purpose != DEVIATIONS_SLOPE || i == results->best)
            add_try(table, results, i);
        else
            slopes++;
    bool written = table_write(table, out);
    table_destroy(table);
    fprintf(
        out,
        "%zu more tries tell the slopes, 5 %% of the ranges to both sides, or over a field's interval.\n\n",
        slopes);
    return written;
}

static const char *note_on(const struct calibrate_results *results, size_t i)
{
    const struct calibrate_field *field = &results->fields[i];
    if (results->determination.effects[i] < DETERMINATION_EFFECT)
        return "no effect on the figures";
    if (!field->determined)
        return "not determined by itself";
    double covered = search_share_of_value(calibrate_range(results, i), field->high) -
                     search_share_of_value(calibrate_range(results, i), field->low);
    if (covered > HARDLY)
        return "hardly determined";
    return field->border == CALIBRATE_AT_LOW    ? "at the low end of its range"
           : field->border == CALIBRATE_AT_HIGH ? "at the high end of its range"
                                                : "";
}

static void add_field(struct table *table, const struct calibrate_results *results, size_t i)
{
    const struct calibrate_field *field = &results->fields[i];
    char low[VALIDATION_CELL_SIZE], high[VALIDATION_CELL_SIZE], error[VALIDATION_CELL_SIZE] = "";
    size_t row = table_add_row(table);
    table_set(table, row, 0, "%s", calibrate_range(results, i)->path);
    put_value(table, row, 1, calibrate_range(results, i), field->start);
    put_value(table, row, 2, calibrate_range(results, i), field->fitted);
    if (field->determined)
        solve_report_put_brief(error, calibrate_range(results, i), field->error);
    table_set(table, row, 3, "%s", error);
    solve_report_put_brief(low, calibrate_range(results, i), field->low);
    solve_report_put_brief(high, calibrate_range(results, i), field->high);
    table_set(table, row, 4, field->determined ? "%.100s to %.100s" : "", low, high);
    table_set(table, row, 5, "%s", note_on(results, i));
}

static bool write_fields(FILE *out, const struct calibrate_results *results)
{
    static const enum table_alignment alignments[] = {TABLE_LEFT,  TABLE_RIGHT, TABLE_RIGHT,
                                                      TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT};
    static const char *const heads[] = {"field", "start", "fitted", "standard error", "at 95 %"};
    struct table *table = table_create(6, alignments);
    if (!table)
        return false;
    size_t head = table_add_row(table);
    for (size_t i = 0; i < 5; i++)
        table_set(table, head, i, "%s", heads[i]);
    for (size_t i = 0; i < calibrate_field_count(results); i++)
        add_field(table, results, i);
    bool written = table_write(table, out);
    table_destroy(table);
    fputc('\n', out);
    return written;
}

/* Of three digits. */
static double brief(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL);
}

/* "elastic, cluster.chips=150000" */
static void put_place(char cell[VALIDATION_CELL_SIZE], const struct scenario_figure *figure)
{
    validation_put(cell, "%.100s", figure->strategy);
    for (size_t i = 0; i < figure->at.count; i++) {
        size_t length = strlen(cell);
        snprintf(cell + length, VALIDATION_CELL_SIZE - length, ", %s=%s", figure->at.settings[i].path,
                 figure->at.settings[i].value);
    }
}

static void add_figure(struct table *table, const struct calibrate_results *results, size_t i)
{
    const struct scenario_figure *figure = &results->deviations.figures->items[i];
    char cell[VALIDATION_CELL_SIZE];
    double got = calibrate_best(results)->got[i], apart = calibrate_apart(results, i);
    size_t row = table_add_row(table);
    put_place(cell, figure);
    table_set(table, row, 0, "%s", cell);
    table_set(table, row, 1, "%s", figure->metric);
    put_metric(table, row, 2, figure->metric, figure->value);
    put_difference(table, row, 3, figure->metric, brief(figure->deviation));
    put_metric(table, row, 4, figure->metric, got);
    put_difference(table, row, 5, figure->metric, brief(got - figure->value));
    table_set(table, row, 6, isnan(apart) ? "" : fabs(apart) < 1e6 ? "%+.1f" : "%+.2g", apart);
    table_set(table, row, 7, "%s%s%s", figure->origin, calibrate_misses(results, i) ? ", MISSED" : "",
              calibrate_moves(results, i) ? "" : ", moved by no field");
}

static bool write_figures(FILE *out, const struct calibrate_results *results)
{
    static const enum table_alignment alignments[] = {TABLE_LEFT,  TABLE_LEFT,  TABLE_RIGHT, TABLE_RIGHT,
                                                      TABLE_RIGHT, TABLE_RIGHT, TABLE_RIGHT, TABLE_LEFT};
    static const char *const heads[] = {"of", "metric", "wanted", "sd", "got", "off by", "in sd", "from"};
    struct table *table = table_create(8, alignments);
    if (!table)
        return false;
    size_t head = table_add_row(table);
    for (size_t i = 0; i < 8; i++)
        table_set(table, head, i, "%s", heads[i]);
    for (size_t i = 0; i < results->deviations.figures->count; i++)
        add_figure(table, results, i);
    bool written = table_write(table, out);
    table_destroy(table);
    fputc('\n', out);
    return written;
}

/* Sentences */

static size_t count_assumed(const struct scenario_figures *figures)
{
    size_t count = 0;
    for (size_t i = 0; i < figures->count; i++)
        count += figures->items[i].assumed;
    return count;
}

/* Those whose standard deviation is from few observations. */
static size_t count_estimated(const struct scenario_figures *figures)
{
    size_t count = 0;
    for (size_t i = 0; i < figures->count; i++)
        count += figures->items[i].observations > 0;
    return count;
}

static void write_fit(FILE *out, const struct calibrate_results *results)
{
    const struct scenario_figures *figures = results->deviations.figures;
    size_t assumed = count_assumed(figures), fields = calibrate_field_count(results);
    size_t estimated = count_estimated(figures);
    fprintf(out, "The misfit, the sum of squares of what is off in standard deviations, is %.4g",
            calibrate_best(results)->misfit);
    if (results->freedom > 0)
        fprintf(out, " over %" PRId64 " degree%s of freedom.\n", results->freedom,
                results->freedom == 1 ? "" : "s");
    else
        fputs("; without degrees of freedom it says nothing about the fit.\n", out);
    if (figures->count < fields)
        fprintf(out, "There %s %zu figure%s for %zu fields, too few to determine all of them.\n",
                figures->count == 1 ? "is" : "are", figures->count, figures->count == 1 ? "" : "s", fields);
    if (assumed)
        fprintf(out, "Of %zu figure%s the standard deviation is not told, and taken as 1 %% of the value.\n",
                assumed, assumed == 1 ? "" : "s");
    if (estimated)
        fprintf(out,
                "Of %zu figure%s the standard deviation is from so many observations as is told: intervals "
                "are as wide as it is unsure.\n",
                estimated, estimated == 1 ? "" : "s");
    if (results->widened > 1)
        fprintf(
            out,
            "Figures are farther from the fit than their standard deviations allow: these are taken as %.3g "
            "times as large for the fields' errors.\n",
            results->widened);
    if (results->missed)
        fprintf(out,
                "%zu of %zu figures are more than 3 standard deviations, of figure and simulation, from "
                "the fit%s.\n",
                results->missed, figures->count,
                estimated ? ", or as unlikely where these are from few observations" : "");
    if (!results->converged)
        fputs("The search did not converge: no better values were found, but a step further should have "
              "been better. More replications, or narrower ranges, would help.\n",
              out);
}

/* What would tell, or NOTHING that says that nothing does. */
static void write_suggestion(FILE *out, const struct calibrate_results *results,
                             const struct suggestion *suggestion, const char *nothing)
{
    char place[VALIDATION_CELL_SIZE], from[VALIDATION_CELL_SIZE], to[VALIDATION_CELL_SIZE];
    if (!*suggestion->metric) {
        fprintf(out, "  %s\n", nothing);
        return;
    }
    put_place(place, &results->deviations.figures->items[suggestion->figure]);
    solve_report_put_metric(from, suggestion->metric, brief(suggestion->from));
    solve_report_put_metric(to, suggestion->metric, brief(suggestion->to));
    fprintf(out, "  Observe %s (%s) as well: it would go from %s to %s.\n", suggestion->metric, place, from,
            to);
}

static void write_without_effect(FILE *out, const struct calibrate_results *results)
{
    for (size_t i = 0; i < calibrate_field_count(results); i++) {
        double effect = results->determination.effects[i];
        if (effect >= DETERMINATION_EFFECT)
            continue;
        fprintf(
            out,
            "%s has %s effect: going through all of its range would change these figures by %.2g standard "
            "deviations.\n",
            calibrate_range(results, i)->path, effect > 0 ? "hardly any" : "no", effect);
        write_suggestion(out, results, &results->for_fields[i],
                         "Nothing that is measured in these runs depends on it.");
    }
}

/* Along the combination, as far as suggestions go. */
static double moved(const struct calibrate_results *results,
                    const struct determination_combination *combination, size_t i)
{
    double share = deviations_set_of(&results->deviations, results->best).shares[i];
    double there = fmin(fmax(share + SUGGEST_MOVE * combination->shares[i], 0), 1);
    return search_value_at_share(calibrate_range(results, i), there);
}

static void write_combination(FILE *out, const struct calibrate_results *results,
                              const struct determination_combination *combination)
{
    char from[VALIDATION_CELL_SIZE], to[VALIDATION_CELL_SIZE];
    const char *separator = "";
    for (size_t i = 0; i < calibrate_field_count(results); i++) {
        if (combination->shares[i] == 0)
            continue;
        fprintf(out, "%s%s", separator, calibrate_range(results, i)->path);
        separator = " and ";
    }
    fputs(" are not determined, but for a combination of them: ", out);
    separator = "";
    for (size_t i = 0; i < calibrate_field_count(results); i++) {
        if (combination->shares[i] == 0)
            continue;
        solve_report_put_brief(from, calibrate_range(results, i), results->fields[i].fitted);
        solve_report_put_brief(to, calibrate_range(results, i), moved(results, combination, i));
        fprintf(out, "%s%s from %s to %s", separator, calibrate_range(results, i)->path, from, to);
        separator = " together with ";
    }
    fprintf(out, " would change the figures %s as each by itself.\n",
            combination->independence < 0.01 ? "less than a hundredth as much" : "less than a tenth as much");
}

static void write_determination(FILE *out, const struct calibrate_results *results)
{
    const struct determination *determination = &results->determination;
    fputs("Singular values of the slopes, in standard deviations over a whole range:", out);
    for (size_t i = 0; i < determination->count; i++)
        fprintf(out, "%s %.3g", i ? "," : "", determination->singular_values[i]);
    fputs(".\n", out);
    write_without_effect(out, results);
    for (size_t i = 0; i < determination->combination_count; i++) {
        write_combination(out, results, &determination->combinations[i]);
        write_suggestion(out, results, &results->for_combinations[i],
                         "Nothing that is measured in these runs tells them apart: set all but one of them.");
    }
}

char *calibrate_report_text(const struct calibrate_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool written = write_tries(out, results);
    if (!results->interrupted) {
        written = written && write_fields(out, results) && write_figures(out, results);
        write_fit(out, results);
        write_determination(out, results);
    }
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}
