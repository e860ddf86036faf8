#include "scenarios/figures.h"

#include "models/learning/metrics.h"
#include "scenarios/csv.h"
#include "scenarios/expectations.h"
#include "scenarios/loader.h"
#include "scenarios/metrics.h"
#include "scenarios/sweep.h"

#include <math.h>
#include <string.h>

enum { GROWTH = 64 };
#define SUREST                                                                                               \
    1e-9 /* share of its value that a standard deviation is at least: numbers have few more digits */

/* The columns that are no fields. */
enum column { STRATEGY, METRIC, VALUE, DEVIATION, OBSERVATIONS, WEIGHT, COLUMNS };
static const char *const names[COLUMNS] = {"strategy", "metric", "value", "sd", "observations", "weight"};

struct scenario_figures *scenario_figures_create(size_t count, struct error *error)
{
    struct scenario_memory *memory = memory_create();
    struct scenario_figures *figures = memory ? memory_take(memory, 1, sizeof *figures) : NULL;
    struct scenario_figure *items = figures ? memory_take(memory, count + 1, sizeof *items) : NULL;
    if (!items) {
        error_out_of_memory(error, "the figures");
        memory_destroy(memory);
        return NULL;
    }
    *figures = (struct scenario_figures){.items = items, .memory = memory};
    return figures;
}

void scenario_figures_destroy(struct scenario_figures *figures)
{
    if (figures)
        memory_destroy(figures->memory);
}

/* The table as it is read. */
struct table {
    struct loader loader;
    struct csv csv;
    struct csv_cell headings[CSV_COLUMNS_MOST];
    size_t at[COLUMNS];                           /* the cell of each; CSV_COLUMNS_MOST: the table has none */
    const struct field *fields[CSV_COLUMNS_MOST]; /* of the other columns */
    const struct scenario *scenario;
    const char *const *strategies;
    size_t strategy_count;
    struct scenario_figures *figures;
    size_t room;
};

static bool refuse(struct table *table, struct place place, const char *message)
{
    faults_add(&table->loader.faults, place, "%s", message);
    return false;
}

/* Columns */

static bool is_there(const struct table *table, enum column column)
{
    return table->at[column] < CSV_COLUMNS_MOST;
}

static void name_column(struct table *table, size_t i)
{
    const struct csv_cell *heading = &table->headings[i];
    size_t column = 0;
    while (column < COLUMNS && strcmp(names[column], heading->text) != 0)
        column++;
    if (column < COLUMNS)
        table->at[column] = i;
    else
        table->fields[i] = sweep_field(&table->loader, heading->text, heading->place);
}

static void name_columns(struct table *table)
{
    const struct place top = table->headings[0].place;
    for (size_t i = 0; i < COLUMNS; i++)
        table->at[i] = CSV_COLUMNS_MOST;
    for (size_t i = 0; i < table->csv.wanted_count; i++)
        name_column(table, i);
    if (!is_there(table, METRIC) || !is_there(table, VALUE))
        refuse(table, top,
               "the first line names the columns, of which \"metric\" and \"value\" have to be there");
    if (is_there(table, DEVIATION) && is_there(table, WEIGHT))
        refuse(table, table->headings[table->at[WEIGHT]].place, "sd and weight exclude each other");
    if (is_there(table, OBSERVATIONS) && !is_there(table, DEVIATION))
        refuse(table, table->headings[table->at[OBSERVATIONS]].place,
               "observations are those that a column \"sd\" was estimated from, and there is none");
    if (!is_there(table, STRATEGY) && table->strategy_count != 1)
        refuse(table, top,
               "there are several strategies: a column \"strategy\" has to say whose figures these are, or "
               "--strategy on the command line");
}

/* Cells */

static bool is_chosen(const struct table *table, const char *strategy)
{
    for (size_t i = 0; i < table->strategy_count; i++)
        if (strcmp(table->strategies[i], strategy) == 0)
            return true;
    return false;
}

static void read_strategy(struct table *table, const struct csv_cell *cells, struct scenario_figure *figure)
{
    figure->strategy = table->strategies[0];
    if (!is_there(table, STRATEGY))
        return;
    const struct csv_cell *cell = &cells[table->at[STRATEGY]];
    figure->strategy = memory_copy(table->figures->memory, cell->text, strlen(cell->text));
    expectations_check_strategy(&table->loader, cell->place, "strategy", table->scenario, cell->text);
}

static bool read_metric(struct table *table, const struct csv_cell *cells, struct scenario_figure *figure,
                        struct metrics_form *form)
{
    const struct csv_cell *cell = &cells[table->at[METRIC]];
    const struct node word = {.kind = NODE_SCALAR, .text = cell->text, .place = cell->place};
    figure->metric = memory_copy(table->figures->memory, cell->text, strlen(cell->text));
    if (!metrics_find(cell->text, form)) {
        expectations_refuse_metric(&table->loader, &word, "metric: unknown");
        return false;
    }
    if (learning_has_metric(cell->text) && !scenario_learns(table->scenario))
        return refuse(table, cell->place, "metric: nothing is learned here; give learning.model");
    return true;
}

/* In the metric's own unit. A number without a unit is refused, as in a scenario: whether 300 are seconds or
 * minutes, nobody can see. */
static bool read_quantity(struct table *table, const struct csv_cell *cell, const char *what,
                          const struct metrics_form *form, bool spread, double *value)
{
    struct value_fault fault;
    if (metrics_read(form, spread, table->loader.units, cell->text, value, &fault))
        return true;
    faults_add(&table->loader.faults, cell->place, "%s: %s", what, fault.message);
    return false;
}

static bool read_positive(struct table *table, const struct csv_cell *cell, const char *what,
                          const struct metrics_form *form, double *value)
{
    if (!read_quantity(table, cell, what, form, true, value))
        return false;
    if (*value > 0)
        return true;
    faults_add(&table->loader.faults, cell->place, "%s: %s is not above 0", what, cell->text);
    return false;
}

/* The cell of COLUMN, which may be left empty; NULL: it is, or there is no such column. */
static const struct csv_cell *optional(const struct table *table, const struct csv_cell *cells,
                                       enum column column)
{
    const struct csv_cell *cell = is_there(table, column) ? &cells[table->at[column]] : NULL;
    return cell && *cell->text ? cell : NULL;
}

/* How many the standard deviation SD, NULL if the row has none, was estimated from. */
static void read_observations(struct table *table, const struct csv_cell *cells, const struct csv_cell *sd,
                              struct scenario_figure *figure)
{
    static const struct parameter row = {.type = PARAMETER_INTEGER, .minimum = 2, .maximum = INFINITY};
    const struct csv_cell *cell = optional(table, cells, OBSERVATIONS);
    struct value_fault fault;
    if (!cell)
        return;
    if (!sd)
        refuse(table, cell->place, "observations: those of a standard deviation, and this row has no sd");
    else if (!value_read_text(table->loader.units, NULL, &row, cell->text, &figure->observations, &fault))
        faults_add(&table->loader.faults, cell->place, "observations: %s", fault.message);
}

static void read_certainty(struct table *table, const struct csv_cell *cells, const struct metrics_form *form,
                           struct scenario_figure *figure)
{
    static const struct metrics_form pure = {"1", DIMENSION_NONE, 1, METRICS_ANY};
    const struct csv_cell *sd = optional(table, cells, DEVIATION), *weight = optional(table, cells, WEIGHT);
    double times = 1, surest = SUREST * fabs(figure->value);
    read_observations(table, cells, sd, figure);
    if (sd) {
        if (read_positive(table, sd, "sd", form, &figure->deviation) && figure->deviation < surest)
            refuse(table, sd->place, "sd: below 1e-9 of the value, which is surer than anything observed");
        return;
    }
    if (weight && !read_positive(table, weight, "weight", &pure, &times))
        return;
    figure->assumed = true;
    figure->deviation = SCENARIO_FIGURE_SHARE * fabs(figure->value) / sqrt(times);
    if (figure->deviation > 0 && figure->deviation < surest)
        refuse(table, weight->place, "weight: above 1e14, which is surer than anything observed");
    else if (!(figure->deviation > 0))
        refuse(table, cells[table->at[VALUE]].place,
               "value: 1 % of 0, the usual standard deviation, allows nothing; give one in a column \"sd\"");
}

static void read_value(struct table *table, const struct csv_cell *cells, struct scenario_figure *figure)
{
    struct metrics_form form;
    if (read_metric(table, cells, figure, &form) &&
        read_quantity(table, &cells[table->at[VALUE]], "value", &form, false, &figure->value))
        read_certainty(table, cells, &form, figure);
}

static void read_settings(struct table *table, const struct csv_cell *cells, struct scenario_figure *figure)
{
    struct scenario_memory *memory = table->figures->memory;
    figure->at.settings = memory_take(memory, table->csv.wanted_count, sizeof *figure->at.settings);
    for (size_t i = 0; i < table->csv.wanted_count && figure->at.settings; i++) {
        if (!table->fields[i] || !*cells[i].text)
            continue;
        const struct node node = {.kind = NODE_SCALAR, .text = cells[i].text, .place = cells[i].place};
        const char *path = table->headings[i].text;
        const char *value = sweep_value(&table->loader, table->fields[i], path, &node);
        if (value)
            figure->at.settings[figure->at.count++] = (struct scenario_setting){
                memory_copy(memory, path, strlen(path)), memory_copy(memory, value, strlen(value))};
    }
}

/* Rows */

/* Makes room for one more figure. */
static bool grow(struct table *table)
{
    struct scenario_figures *figures = table->figures;
    if (figures->count < table->room)
        return true;
    table->room = 2 * table->room + GROWTH;
    struct scenario_figure *items = memory_take(figures->memory, table->room, sizeof *items);
    if (!items)
        return false;
    memcpy(items, figures->items, figures->count * sizeof *items);
    figures->items = items;
    return true;
}

static bool read_row(struct table *table, const struct csv_cell *cells)
{
    struct scenario_figure figure = {.deviation = NAN};
    size_t line, column;
    read_strategy(table, cells, &figure);
    read_value(table, cells, &figure);
    read_settings(table, cells, &figure);
    source_locate(cells[0].place, &line, &column);
    figure.origin = memory_format(table->figures->memory, "%s:%zu", table->csv.source.name, line);
    if (figure.strategy && !is_chosen(table, figure.strategy)) {
        table->figures->passed_over++;
        return true;
    }
    if (!grow(table))
        return false;
    table->figures->items[table->figures->count++] = figure;
    return !memory_failed(table->figures->memory) && !memory_failed(table->loader.scratch);
}

static bool read_rows(struct table *table, struct error *error)
{
    struct csv_cell cells[CSV_COLUMNS_MOST];
    struct error own = {.kind = ERROR_NONE};
    name_columns(table);
    while (!table->loader.faults.count && csv_next(&table->csv, cells, &own))
        if (!read_row(table, cells)) {
            error_out_of_memory(error, "the figures");
            return false;
        }
    if (own.kind != ERROR_NONE) {
        error_set(error, own.kind, "%s", own.message);
        return false;
    }
    if (!table->loader.faults.count && !table->figures->count)
        refuse(table, table->headings[0].place,
               table->figures->passed_over ? "there are no figures of the strategies that are asked for"
                                           : "there are no figures below the names of the columns");
    if (table->loader.faults.count)
        faults_report(&table->loader.faults, error);
    return !table->loader.faults.count;
}

struct scenario_figures *scenario_figures_read(const char *path, const struct scenario *scenario,
                                               const char *const *strategies, size_t count,
                                               struct error *error)
{
    struct table table = {.scenario = scenario, .strategies = strategies, .strategy_count = count};
    if (!loader_open(&table.loader, error))
        return NULL;
    table.figures = scenario_figures_create(0, error);
    bool read = table.figures &&
                csv_open_headed(&table.csv, path, table.headings, table.loader.scratch, error) &&
                read_rows(&table, error);
    loader_close(&table.loader);
    memory_destroy(table.loader.memory);
    if (read)
        return table.figures;
    scenario_figures_destroy(table.figures);
    return NULL;
}

/* Expectations */

static bool has_strategy(const char *const *strategies, size_t count, const char *strategy)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(strategies[i], strategy) == 0)
            return true;
    return false;
}

/* A value within its tolerance is allowed. */
static struct scenario_figure figure_of(const struct scenario_expectation *expectation)
{
    struct scenario_figure figure = {.strategy = expectation->strategy,
                                     .at = expectation->at,
                                     .metric = expectation->metric,
                                     .value = expectation->value};
    double allowed = !isnan(expectation->tolerance) ? expectation->tolerance
                                                    : expectation->relative * fabs(expectation->value);
    figure.assumed = !(allowed > 0);
    figure.deviation = figure.assumed ? SCENARIO_FIGURE_SHARE * fabs(expectation->value)
                                      : SCENARIO_FIGURE_TOLERANCE * allowed;
    return figure;
}

/* The strings are copied, so that the figures don't need the scenario. */
static bool copy_figure(struct scenario_figures *figures, const struct scenario_figure *figure, size_t number)
{
    struct scenario_memory *memory = figures->memory;
    struct scenario_figure *copy = &figures->items[figures->count++];
    *copy = *figure;
    copy->strategy = memory_copy(memory, figure->strategy, strlen(figure->strategy));
    copy->metric = memory_copy(memory, figure->metric, strlen(figure->metric));
    copy->origin = memory_format(memory, "expect.%zu", number);
    copy->at.settings = memory_take(memory, figure->at.count + 1, sizeof *copy->at.settings);
    for (size_t i = 0; i < figure->at.count && copy->at.settings; i++) {
        const struct scenario_setting *setting = &figure->at.settings[i];
        copy->at.settings[i] =
            (struct scenario_setting){memory_copy(memory, setting->path, strlen(setting->path)),
                                      memory_copy(memory, setting->value, strlen(setting->value))};
    }
    return !memory_failed(memory);
}

/* Whether EXPECTATION is a figure of one strategy that can be calibrated to. */
static bool is_figure(const struct scenario_expectation *expectation, const char *const *strategies,
                      size_t count)
{
    return !expectation->solve && !expectation->against && !isnan(expectation->value) &&
           figure_of(expectation).deviation > 0 && has_strategy(strategies, count, expectation->strategy);
}

struct scenario_figures *scenario_figures_expected(const struct scenario *scenario,
                                                   const char *const *strategies, size_t count,
                                                   struct error *error)
{
    struct scenario_figures *figures = scenario_figures_create(scenario->expectation_count, error);
    bool good = figures != NULL;
    for (size_t i = 0; i < scenario->expectation_count && good; i++) {
        const struct scenario_expectation *expectation = &scenario->expectations[i];
        const struct scenario_figure figure = figure_of(expectation);
        if (is_figure(expectation, strategies, count))
            good = copy_figure(figures, &figure, i);
        else
            figures->passed_over++;
    }
    if (good && figures->count)
        return figures;
    if (good)
        error_set(error, ERROR_INPUT,
                  "%s: there are no figures to calibrate to: it expects no values of metrics of these "
                  "strategies; give --targets or --log",
                  scenario->name);
    else if (figures)
        error_out_of_memory(error, "the figures");
    scenario_figures_destroy(figures);
    return NULL;
}
