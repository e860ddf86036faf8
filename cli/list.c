/*
 * Each list fills a table; one place writes it.
 */
#include "cli/shipped.h"
#include "cli/show.h"
#include "models/hardware/chip.h"
#include "models/learning/metrics.h"
#include "models/training/strategy.h"
#include "plots/figure.h"
#include "results/table.h"
#include "sim/distribution.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME, SENTENCE, LIST_COLUMNS };

static void add(struct table *table, const char *name, const char *sentence)
{
    size_t row = table_add_row(table);
    table_set(table, row, NAME, "%s", name);
    table_set(table, row, SENTENCE, "%s", sentence);
}

/* What is wrong with one scenario is shown in its place; the others are still listed. */
static int add_scenario(struct table *table, const char *name)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_text text;
    if (!shipped_read(name, &text, &error))
        return show_error(&error);
    struct scenario *scenario = scenario_create(&text, NULL, 0, &error);
    scenario_text_free(&text);
    if (!scenario)
        return show_error(&error);
    add(table, name, scenario->description ? scenario->description : "");
    scenario_destroy(scenario);
    return STATUS_DONE;
}

static int add_folder(struct table *table, enum shipped_folder folder)
{
    struct error error = {.kind = ERROR_NONE};
    struct shipped_list list;
    int status = shipped_list(folder, &list, &error) ? STATUS_DONE : show_error(&error);
    for (size_t i = 0; i < list.count; i++) {
        int shown = add_scenario(table, list.names[i]);
        status = shown != STATUS_DONE ? shown : status;
    }
    shipped_list_free(&list);
    return status;
}

static int list_scenarios(struct table *table)
{
    int status = add_folder(table, SHIPPED_SCENARIOS);
    int validation = add_folder(table, SHIPPED_VALIDATION);
    return status != STATUS_DONE ? status : validation;
}

static int list_strategies(struct table *table)
{
    for (size_t i = 0; i < STRATEGY_KINDS; i++)
        add(table, strategy_variants[i]->name, strategy_variants[i]->sentence);
    return STATUS_DONE;
}

static void add_metric(struct table *table, const struct metric_description *metric)
{
    size_t row = table_add_row(table);
    table_set(table, row, NAME, "%s", metric->name);
    if (strcmp(metric->unit, "1") == 0)
        table_set(table, row, SENTENCE, "%s", metric->sentence);
    else
        table_set(table, row, SENTENCE, "%s (%s)", metric->sentence, metric->unit);
}

static int list_metrics(struct table *table)
{
    for (size_t i = 0; i < RUN_METRICS; i++)
        add_metric(table, &run_metrics[i]);
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        add_metric(table, &learning_metrics[i]);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        size_t row = table_add_row(table);
        table_set(table, row, NAME, "%s", budget_metrics[i]);
        table_set(table, row, SENTENCE, "share of chip time: %s", budget_descriptions[i]);
    }
    return STATUS_DONE;
}

static int list_figures(struct table *table)
{
    for (size_t i = 0; i < figure_count; i++)
        add(table, figures[i].name, figures[i].sentence);
    return STATUS_DONE;
}

enum {
    VENDOR = 1,
    FLOPS,
    MEMORY,
    MEMORY_RATE,
    SCALE_UP_RATE,
    HOST_CHIPS,
    DOMAIN_CHIPS,
    BUSY,
    IDLE,
    CHIP_COLUMNS
};

#define BITS_PER_BYTE 8

static void set_power(struct table *table, size_t row, size_t column, double watts)
{
    if (isnan(watts))
        table_set(table, row, column, "-");
    else
        table_set(table, row, column, "%.0f W", watts);
}

static void add_chip(struct table *table, const struct chip *chip)
{
    size_t row = table_add_row(table);
    table_set(table, row, NAME, "%s", chip->name);
    table_set(table, row, VENDOR, "%s", chip->vendor);
    table_set(table, row, FLOPS, "%.1f TFLOP/s", chip->flops * 1e-12);
    table_set(table, row, MEMORY, "%.0f GB", chip->memory * 1e-9 / BITS_PER_BYTE);
    table_set(table, row, MEMORY_RATE, "%.2f TB/s", chip->memory_rate * 1e-12 / BITS_PER_BYTE);
    table_set(table, row, SCALE_UP_RATE, "%.0f GB/s", chip->scale_up_rate * 1e-9 / BITS_PER_BYTE);
    table_set(table, row, HOST_CHIPS, "%lld", (long long)chip->host_chips);
    table_set(table, row, DOMAIN_CHIPS, "%lld", (long long)chip->domain_chips);
    set_power(table, row, BUSY, chip->busy_watts);
    set_power(table, row, IDLE, chip->idle_watts);
}

static int list_chips(struct table *table)
{
    static const char *const headings[CHIP_COLUMNS] = {
        "chip",          "vendor",     "dense bf16",   "memory", "its rate",
        "scale-up rate", "chips/host", "chips/domain", "busy",   "idle"};
    size_t row = table_add_row(table);
    for (size_t i = 0; i < CHIP_COLUMNS; i++)
        table_set(table, row, i, "%s", headings[i]);
    for (size_t i = 0; i < chip_catalogue_count; i++)
        add_chip(table, &chip_catalogue[i]);
    return STATUS_DONE;
}

static int list_distributions(struct table *table)
{
    for (size_t i = 0; i < SIM_LAW_COUNT; i++)
        add(table, sim_law_names[i], sim_law_description((enum sim_law)i));
    return STATUS_DONE;
}

static const struct kind {
    const char *name;
    size_t columns;
    int (*list)(struct table *table); /* returns the status */
} kinds[] = {
    {"scenarios", LIST_COLUMNS, list_scenarios}, {"strategies", LIST_COLUMNS, list_strategies},
    {"metrics", LIST_COLUMNS, list_metrics},     {"figures", LIST_COLUMNS, list_figures},
    {"chips", CHIP_COLUMNS, list_chips},         {"distributions", LIST_COLUMNS, list_distributions},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const struct kind **wanted = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*wanted)
            argp_usage(state);
        *wanted = find_kind(argument);
        if (!*wanted)
            argp_error(state, "there is no list of \"%s\"", argument);
        return 0;
    case ARGP_KEY_END:
        if (!*wanted)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "KIND",
    .doc = "List what a scenario or a command can name, with a sentence each. KIND is one of scenarios, "
           "strategies, metrics, figures, chips and distributions.",
};

int command_list(int argc, char **argv)
{
    static const enum table_alignment alignments[CHIP_COLUMNS] = {
        [FLOPS] = TABLE_RIGHT,         [MEMORY] = TABLE_RIGHT,     [MEMORY_RATE] = TABLE_RIGHT,
        [SCALE_UP_RATE] = TABLE_RIGHT, [HOST_CHIPS] = TABLE_RIGHT, [DOMAIN_CHIPS] = TABLE_RIGHT,
        [BUSY] = TABLE_RIGHT,          [IDLE] = TABLE_RIGHT,
    };
    const struct kind *wanted = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct error error = {.kind = ERROR_NONE};
    struct table *table = table_create(wanted->columns, alignments);
    int status = table ? wanted->list(table) : STATUS_DONE;
    if (!table || !table_write(table, stdout)) {
        error_out_of_memory(&error, "the list");
        status = show_error(&error);
    }
    table_destroy(table);
    return status;
}
