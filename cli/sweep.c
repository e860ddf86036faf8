#include "cli/conduct.h"
#include "cli/show.h"

#include <stdio.h>
#include <stdlib.h>

struct sweep_options {
    struct scenario_options scenario;
    struct running_options running;
    struct option_list axes, conditions;
    bool json, dry_run;
};

enum { KEY_JSON = 0x200, KEY_AXIS, KEY_WHERE, KEY_DRY_RUN };

static const struct argp_option options[] = {
    {"axis", KEY_AXIS, "PATH=V1,V2,...", 0,
     "Sweep the field PATH over these values, besides the scenario's axes or instead of the one of the same "
     "path (repeatable). A value may be a range: `1..16 step 5', `0..1, 11 points' or `log 1..1000, 4 "
     "points'. "
     "PATH=V1,V2,...+PATH=V3,V4,... are axes that move together",
     1},
    {"where", KEY_WHERE, "CONDITION", 0,
     "Leave out the points where CONDITION is not true, such as `strategies.a.learners <= cluster.chips / "
     "64' "
     "(repeatable)",
     1},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "Only list the points and how many runs each has", 1},
    {"json", KEY_JSON, NULL, 0, "Print the comparison as JSON", 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct sweep_options *sweep = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &sweep->scenario;
        state->child_inputs[1] = &sweep->running;
        return 0;
    case KEY_AXIS:
        option_list_add(&sweep->axes, argument, state);
        return 0;
    case KEY_WHERE:
        option_list_add(&sweep->conditions, argument, state);
        return 0;
    case KEY_DRY_RUN:
        sweep->dry_run = true;
        return 0;
    case KEY_JSON:
        sweep->json = true;
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
    .doc = "Simulate every strategy of SCENARIO at every point that its axes span, and compare them."
           "\vThe axes are those under `sweep' in the scenario and those of --axis; without any, the base "
           "point is run. Where the scenario sets learning.model, every run is replayed, too, as `trainstorm "
           "run' does. The status is 1 when an expectation of the scenario is missed.",
    .children = children,
};

static void list_points(const struct plan *plan)
{
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        printf("%6zu runs at %s\n", point->run_count, *point->label ? point->label : "the base point");
    }
    printf("%6zu runs at %zu points in all", plan->run_count, plan->point_count);
    if (plan->left_out)
        printf(", %zu left out", plan->left_out);
    printf("\n");
}

static int sweep(const struct conduct_request *request, bool dry_run)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = conduct_plan(request, &error);
    if (!plan)
        return show_error(&error);
    int status = STATUS_DONE;
    if (dry_run)
        list_points(plan);
    else
        status = conduct(plan, request);
    plan_destroy(plan);
    return status;
}

static bool parse_axes(const struct option_list *list, struct scenario_axes *axes, struct error *error)
{
    for (size_t i = 0; i < list->count; i++)
        if (!scenario_axes_parse(list->items[i], axes, error))
            return false;
    return true;
}

static int sweep_axes(struct sweep_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_axes axes = {0};
    int status;
    if (parse_axes(&wanted->axes, &axes, &error))
        status = sweep(&(struct conduct_request){.scenario = &wanted->scenario,
                                                 .running = &wanted->running,
                                                 .axes = &axes,
                                                 .conditions = &wanted->conditions,
                                                 .sweep = true,
                                                 .json = wanted->json,
                                                 .command_line = command_line},
                       wanted->dry_run);
    else
        status = show_error(&error);
    scenario_axes_free(&axes);
    return status;
}

int command_sweep(int argc, char **argv)
{
    struct sweep_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = sweep_axes(&wanted, command_line ? command_line : argv[0]);
    options_scenario_free(&wanted.scenario);
    free(wanted.axes.items);
    free(wanted.conditions.items);
    free(command_line);
    return status;
}
