/*
 * The plain text: one table of all results.
 */
#include "studies/validation.h"

#include "results/table.h"
#include "studies/validation_figures.h"
#include <math.h>
#include <stdlib.h>

enum column { STRATEGY, POINT, METRIC, WANTED, TOLERANCE, GOT, DIFFERENCE, VERDICT, COLUMNS };

static const char *const headings[COLUMNS] = {"strategy",  "point",     "metric",     "published",
                                              "tolerance", "simulated", "difference", ""};

static void put_difference(char cell[VALIDATION_CELL_SIZE], const struct expectation_result *result)
{
    if (validation_has_figure(result) && !isnan(validation_difference(result)))
        validation_put(cell, "%+.1f %s", validation_difference(result),
                       validation_difference_unit(result->expectation->metric));
}

static void put_cell(char cell[VALIDATION_CELL_SIZE], const struct plan *plan,
                     const struct expectation_result *result, enum column column)
{
    const struct scenario_expectation *expectation = result->expectation;
    cell[0] = '\0';
    if (column == STRATEGY)
        validation_put(cell, "%s", expectation->strategy);
    else if (column == POINT)
        validation_put(cell, "%s", plan->points[result->point].label);
    else if (column == METRIC)
        validation_put(cell, "%s", expectation->metric);
    else if (column == WANTED)
        validation_put_figure(cell, expectation->metric, validation_bound_sign(expectation), result->wanted);
    else if (column == TOLERANCE && result->tolerance > 0)
        validation_put_figure(cell, expectation->metric, "± ", result->tolerance);
    else if (column == GOT)
        validation_put_figure(cell, expectation->metric, "", result->got);
    else if (column == DIFFERENCE)
        put_difference(cell, result);
    else if (column == VERDICT)
        validation_put(cell, "%s", result->met ? "met" : "missed");
}

/* The columns that are shown: the points' only if there are any but the base. */
struct columns {
    enum column shown[COLUMNS];
    size_t count;
};

static struct columns choose_columns(const struct plan *plan, const struct expectation_results *results)
{
    struct columns columns = {.count = 0};
    bool pointed = false;
    for (size_t i = 0; i < results->count; i++)
        pointed |= *plan->points[results->items[i].point].label != '\0';
    for (enum column column = 0; column < COLUMNS; column++)
        if (column != POINT || pointed)
            columns.shown[columns.count++] = column;
    return columns;
}

static struct table *create_table(const struct columns *columns)
{
    enum table_alignment alignments[COLUMNS];
    for (size_t i = 0; i < columns->count; i++)
        alignments[i] =
            columns->shown[i] >= WANTED && columns->shown[i] <= DIFFERENCE ? TABLE_RIGHT : TABLE_LEFT;
    struct table *table = table_create(columns->count, alignments);
    size_t row = table ? table_add_row(table) : 0;
    for (size_t i = 0; table && i < columns->count; i++)
        table_set(table, row, i, "%s", headings[columns->shown[i]]);
    return table;
}

static bool write_table(FILE *out, const struct plan *plan, const struct expectation_results *results)
{
    struct columns columns = choose_columns(plan, results);
    struct table *table = create_table(&columns);
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
    return written;
}

char *validation_table(const struct plan *plan, const struct expectation_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    validation_write_title(out, plan, "", ": ");
    bool written = write_table(out, plan, results);
    fputc('\n', out);
    validation_write_summary(out, results, "");
    return fclose(out) == 0 && written ? text : (free(text), NULL);
}
