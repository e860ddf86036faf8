#include "cli/conduct.h"
#include "cli/show.h"
#include "scenarios/question.h"
#include "studies/tune_report.h"

#include <stdlib.h>
#include <string.h>

struct tune_options {
    struct scenario_options scenario;
    struct running_options running;
    struct option_list vary;
    const char *largest, *smallest; /* the metric; one of them is NULL */
    bool json;
};

enum { KEY_JSON = 0x200, KEY_VARY, KEY_LARGEST, KEY_SMALLEST };

static const struct argp_option options[] = {
    {"vary", KEY_VARY, "PATH=LO..HI", 0,
     "Look for the value of the field PATH, a number, between LO and HI, which have the field's unit; "
     "several "
     "fields are varied together",
     1},
    {"maximise", KEY_LARGEST, "METRIC", 0,
     "Make the mean of METRIC over the replications as large as it gets", 1},
    {"maximize", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"minimise", KEY_SMALLEST, "METRIC", 0, "Make it as small as it gets", 1},
    {"minimize", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"json", KEY_JSON, NULL, 0, "Print what was tried and the best as JSON", 3},
    {0},
};

static void require(const struct tune_options *wanted, const struct argp_state *state)
{
    if (!wanted->vary.count)
        argp_error(state, "--vary says which field to change, PATH=LO..HI");
    if (!wanted->largest == !wanted->smallest)
        argp_error(state, "either --maximise or --minimise says which metric is to be best");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct tune_options *wanted = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &wanted->scenario;
        state->child_inputs[1] = &wanted->running;
        return 0;
    case KEY_JSON:
        wanted->json = true;
        return 0;
    case KEY_VARY:
        option_list_add(&wanted->vary, argument, state);
        return 0;
    case KEY_LARGEST:
        wanted->largest = argument;
        return 0;
    case KEY_SMALLEST:
        wanted->smallest = argument;
        return 0;
    case ARGP_KEY_END:
        require(wanted, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&options_scenario_argp, 0, NULL, 0}, {&options_running_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Find the values of fields of SCENARIO with which a metric is best; for every strategy by itself, or "
        "those of --strategy."
        "\vOne field is found by golden section, several by Nelder and Mead's simplex. Every value is tried "
        "with the same seeds, and the best is held against the scenario as it is, pair by pair. It was "
        "chosen "
        "on these seeds, however: where little depends on the value, another --seed has another best. What "
        "was "
        "tried is listed, and kept as a study.\n\n"
        "  trainstorm tune cluster.yaml --vary 'checkpoints.interval=1..100 min' --maximise goodput\n\n"
        "The status is 1 when no value tried gives every replication the metric.",
    .children = children,
};

static int status_of(const struct tune_results *results)
{
    if (results->interrupted) {
        show_note("interrupted; the %zu runs that were finished are kept", results->runs.finished);
        return STATUS_INTERRUPTED;
    }
    for (size_t i = 0; i < results->count; i++)
        if (!results->answers[i].best)
            return STATUS_MISSED;
    return STATUS_DONE;
}

static int show(const struct tune_options *wanted, const struct scenario_goal *goal,
                const struct tune_results *results, int64_t study, double seconds)
{
    struct error error = {.kind = ERROR_NONE};
    if (wanted->json)
        return show_made_text(tune_report_json(goal, results, study), &error);
    int status = show_made_text(tune_report_text(goal, results), &error);
    if (status == STATUS_DONE)
        conduct_name_study(study, wanted->running.database, &results->runs, seconds);
    return status;
}

static int tune_in(struct store *store, const struct plan *plan, const struct tune_options *wanted,
                   const struct scenario_goal *goal, const struct option_list *strategies,
                   const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct tune_results results = {0};
    int64_t study = -1;
    double begun = conduct_clock();
    int status, shown = STATUS_DONE;
    if (conduct_tuning(plan, store, &wanted->running, command_line, goal, strategies, &study, &results,
                       &error)) {
        status = status_of(&results);
        shown = show(wanted, goal, &results, study, conduct_clock() - begun);
    } else {
        status = show_error(&error);
    }
    tune_free(&results);
    return shown != STATUS_DONE ? shown : status;
}

/* The strategies that are asked for, or all; ITEMS has room for them. */
static struct option_list choose(const struct plan *plan, const struct option_list *wanted,
                                 const char **items)
{
    struct option_list chosen = {items, 0};
    for (size_t i = 0; i < plan->base->strategy_count; i++) {
        const char *name = plan->base->strategies[i].name;
        bool is_wanted = wanted->count == 0;
        for (size_t j = 0; j < wanted->count; j++)
            is_wanted |= strcmp(wanted->items[j], name) == 0;
        if (is_wanted)
            items[chosen.count++] = name;
    }
    return chosen;
}

static int tune_plan(const struct plan *plan, const struct tune_options *wanted,
                     const struct scenario_goal *goal, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    const char **items = calloc(plan->base->strategy_count + 1, sizeof *items);
    struct store *store = NULL;
    if (items)
        store = store_open(wanted->running.database, &error);
    else
        error_out_of_memory(&error, "the strategies");
    int status;
    if (store) {
        const struct option_list strategies = choose(plan, &wanted->scenario.strategies, items);
        status = tune_in(store, plan, wanted, goal, &strategies, command_line);
        store_close(store);
    } else {
        status = show_error(&error);
    }
    free(items);
    return status;
}

static int tune(const struct tune_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_goal *goal = scenario_goal_create(wanted->vary.items, wanted->vary.count,
                                                      wanted->largest ? wanted->largest : wanted->smallest,
                                                      wanted->largest ? "--maximise" : "--minimise", &error);
    struct plan *plan =
        goal ? conduct_plan(&(struct conduct_request){.scenario = &wanted->scenario}, &error) : NULL;
    if (goal)
        goal->largest = wanted->largest != NULL;
    int status = plan ? tune_plan(plan, wanted, goal, command_line) : show_error(&error);
    plan_destroy(plan);
    scenario_goal_destroy(goal);
    return status;
}

int command_tune(int argc, char **argv)
{
    struct tune_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = tune(&wanted, command_line ? command_line : argv[0]);
    options_scenario_free(&wanted.scenario);
    free(wanted.vary.items);
    free(command_line);
    return status;
}
