/*
 * The plain text: one table of the results of strategies by themselves, one of their differences, and those
 * of fields.
 */
#include "studies/validation.h"

#include "results/notation.h"
#include "results/table.h"
#include "studies/validation_figures.h"
#include <math.h>
#include <stdlib.h>

enum column {
    STRATEGY,
    AGAINST,
    POINT,
    METRIC,
    WANTED,
    EXPECTED,
    TOLERANCE,
    GOT,
    DIFFERENCE,
    CHANGE,
    INTERVAL,
    VERDICT,
    COLUMNS
};

static const char *const headings[COLUMNS] = {
    [STRATEGY] = "strategy",     [AGAINST] = "against",   [POINT] = "point",         [METRIC] = "metric",
    [WANTED] = "published",      [EXPECTED] = "expected", [TOLERANCE] = "tolerance", [GOT] = "simulated",
    [DIFFERENCE] = "difference", [CHANGE] = "difference", [INTERVAL] = "interval",   [VERDICT] = "",
};

/* A tolerance of shares is in points: 2 % might be a share of the figure. */
static void put_tolerance(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    const struct scenario_expectation *expectation = result->expectation;
    if (!expectation->against && notation_is_share(expectation->metric))
        validation_put(cell, "± %.1f points", 100 * result->tolerance);
    else
        validation_put_figure(cell, expectation, "± ", result->tolerance);
}

static void put_difference(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    if (validation_has_figure(result) && !isnan(validation_difference(result)))
        validation_put(cell, "%+.1f %s", validation_difference(result),
                       validation_difference_unit(result->expectation->metric));
}

/* With its confidence. */
static void put_interval(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    char interval[VALIDATION_CELL_SIZE];
    double confidence = result->expectation->confidence;
    validation_put_interval(interval, result);
    cell[0] = '\0';
    if (*interval && (result->expectation->against || !isnan(confidence)))
        validation_put(cell, "%.200s at %.6g %%", interval, isnan(confidence) ? 95 : 100 * confidence);
}

static void put_cell(char cell[VALIDATION_CELL_SIZE], const struct plan *plan,
                     const struct expectation_result *result, enum column column)
{
    const struct scenario_expectation *expectation = result->expectation;
    cell[0] = '\0';
    if (column == STRATEGY)
        validation_put(cell, "%s", expectation->strategy);
    else if (column == AGAINST)
        validation_put(cell, "%s", expectation->against);
    else if (column == POINT)
        validation_put(cell, "%s", plan->points[result->point].heading);
    else if (column == METRIC)
        validation_put(cell, "%s", expectation->metric);
    else if (column == WANTED || column == EXPECTED)
        validation_put_figure(cell, expectation, validation_bound_sign(expectation), result->wanted);
    else if (column == TOLERANCE && result->tolerance > 0)
        put_tolerance(cell, result);
    else if (column == GOT)
        validation_put_figure(cell, expectation, "", result->got);
    else if (column == DIFFERENCE)
        put_difference(cell, result);
    else if (column == CHANGE)
        validation_put_change(cell, result);
    else if (column == INTERVAL)
        put_interval(cell, result);
    else if (column == VERDICT)
        validation_put(cell, "%s", result->met ? "met" : "missed");
}

/* What some result of a table has. */
struct needs {
    bool points, confidences, tolerances, pairs;
};

/* The columns that are shown. */
struct columns {
    enum column shown[COLUMNS];
    size_t count;
};

static bool is_shown(enum column column, const struct needs *needs)
{
    switch (column) {
    case POINT:
        return needs->points;
    case TOLERANCE:
        return needs->tolerances || !needs->pairs;
    case AGAINST:
    case EXPECTED:
    case CHANGE:
        return needs->pairs;
    case WANTED:
    case GOT:
    case DIFFERENCE:
        return !needs->pairs;
    case INTERVAL:
        return needs->pairs || needs->confidences;
    default:
        return true;
    }
}

/* The points' only if there are any but the base, the interval only if it matters to some result. */
static struct columns choose_columns(const struct plan *plan, const struct expectation_results *results,
                                     bool paired)
{
    struct columns columns = {.count = 0};
    struct needs needs = {.pairs = paired};
    for (size_t i = 0; i < results->count; i++) {
        needs.points |= *plan->points[results->items[i].point].heading != '\0';
        needs.confidences |= !isnan(results->items[i].expectation->confidence);
        needs.tolerances |= results->items[i].tolerance > 0;
    }
    for (enum column column = 0; column < COLUMNS; column++)
        if (is_shown(column, &needs))
            columns.shown[columns.count++] = column;
    return columns;
}

/* The wanted figures are headed WORD. */
static struct table *create_table(const struct columns *columns, const char *word)
{
    enum table_alignment alignments[COLUMNS] = {TABLE_LEFT};
    for (size_t i = 0; i < columns->count; i++)
        alignments[i] =
            columns->shown[i] >= WANTED && columns->shown[i] <= INTERVAL ? TABLE_RIGHT : TABLE_LEFT;
    struct table *table = table_create(columns->count, alignments);
    size_t row = table ? table_add_row(table) : 0;
    for (size_t i = 0; table && i < columns->count; i++)
        table_set(table, row, i, "%s", columns->shown[i] == WANTED ? word : headings[columns->shown[i]]);
    return table;
}

/* Nothing if there are no RESULTS. */
static bool write_table(FILE *out, const struct plan *plan, const struct expectation_results *results,
                        bool paired)
{
    if (results->count == 0)
        return true;
    struct columns columns = choose_columns(plan, results, paired);
    struct table *table = create_table(&columns, validation_wanted_word(results));
    if (!table)
        return false;
    for (size_t i = 0; i < results->count; i++) {
        size_t row = table_add_row(table);
        for (size_t j = 0; j < columns.count; j++) {
            char cell[VALIDATION_CELL_SIZE];
            put_cell(cell, plan, &results->items[i], columns.shown[j]);
            table_set(table, row, j, "%s", cell);
        }
    }
    bool written = table_write(table, out);
    table_destroy(table);
    fputc('\n', out);
    return written;
}

char *validation_table(const struct plan *plan, const struct expectation_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct validation_parts parts;
    bool written = validation_part(results, &parts);
    if (written) {
        validation_write_title(out, plan, "", ": ");
        written = write_table(out, plan, &parts.alone, false) &&
                  write_table(out, plan, &parts.paired, true) &&
                  validation_write_solved(out, &parts.solved, false);
        validation_write_summary(out, results, &parts, "");
        validation_parts_free(&parts);
    }
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}
