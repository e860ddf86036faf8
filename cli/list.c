#include "cli/shipped.h"
#include "cli/show.h"
#include "models/hardware/chip.h"
#include "models/training/strategy.h"
#include "plots/figure.h"
#include "sim/distribution.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static void put_line(const char *name, const char *sentence)
{
    printf("%-24s  %s\n", name, sentence);
}

/* What is wrong with one scenario is shown in its place; the others are still listed. */
static int put_scenario(const char *name)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_text text;
    if (!shipped_read(name, &text, &error))
        return show_error(&error);
    struct scenario *scenario = scenario_create(&text, NULL, 0, &error);
    scenario_text_free(&text);
    if (!scenario)
        return show_error(&error);
    put_line(name, scenario->description ? scenario->description : "");
    scenario_destroy(scenario);
    return STATUS_DONE;
}

static int list_folder(enum shipped_folder folder)
{
    struct error error = {.kind = ERROR_NONE};
    struct shipped_list list;
    int status = shipped_list(folder, &list, &error) ? STATUS_DONE : show_error(&error);
    for (size_t i = 0; i < list.count; i++) {
        int shown = put_scenario(list.names[i]);
        status = shown != STATUS_DONE ? shown : status;
    }
    shipped_list_free(&list);
    return status;
}

static int list_scenarios(void)
{
    int status = list_folder(SHIPPED_SCENARIOS);
    int validation = list_folder(SHIPPED_VALIDATION);
    return status != STATUS_DONE ? status : validation;
}

static int list_strategies(void)
{
    for (size_t i = 0; i < STRATEGY_KINDS; i++)
        put_line(strategy_variants[i]->name, strategy_variants[i]->sentence);
    return STATUS_DONE;
}

static int list_metrics(void)
{
    for (size_t i = 0; i < RUN_METRICS; i++) {
        const struct run_metric_description *metric = &run_metrics[i];
        bool pure = strcmp(metric->unit, "1") == 0;
        printf("%-24s  %s%s%s%s\n", metric->name, metric->sentence, pure ? "" : " (",
               pure ? "" : metric->unit, pure ? "" : ")");
    }
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "share:%s", budget_names[i]);
        printf("%-24s  share of chip time: %s\n", name, budget_descriptions[i]);
    }
    return STATUS_DONE;
}

static int list_figures(void)
{
    for (size_t i = 0; i < figure_count; i++)
        put_line(figures[i].name, figures[i].sentence);
    return STATUS_DONE;
}

static int list_chips(void)
{
    printf("%-8s  %-8s  %13s  %8s  %10s  %14s  %10s\n", "chip", "vendor", "dense bf16", "memory", "its rate",
           "scale-up rate", "chips/host");
    for (size_t i = 0; i < chip_catalogue_count; i++) {
        const struct chip *chip = &chip_catalogue[i];
        printf("%-8s  %-8s  %6.1f TFLOP/s  %5.0f GB  %5.2f TB/s  %9.0f GB/s  %10d\n", chip->name,
               chip->vendor, chip->flops * 1e-12, chip->memory_bytes * 1e-9, chip->memory_rate * 1e-12,
               chip->scale_up_rate * 1e-9, chip->chips_per_host);
    }
    return STATUS_DONE;
}

static int list_distributions(void)
{
    for (size_t i = 0; i < SIM_LAW_COUNT; i++)
        put_line(sim_law_names[i], sim_law_description((enum sim_law)i));
    return STATUS_DONE;
}

static const struct kind {
    const char *name;
    int (*list)(void);
} kinds[] = {
    {"scenarios", list_scenarios}, {"strategies", list_strategies}, {"metrics", list_metrics},
    {"figures", list_figures},     {"chips", list_chips},           {"distributions", list_distributions},
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
    const struct kind *wanted = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    return wanted->list();
}
