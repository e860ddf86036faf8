#include "cli/conduct.h"
#include "cli/show.h"

#include <stdio.h>
#include <stdlib.h>

struct sweep_options {
    struct scenario_options scenario;
    struct running_options running;
    struct option_list axes;
    bool json, dry_run;
};

enum { KEY_JSON = 0x200, KEY_AXIS, KEY_DRY_RUN };

static const struct argp_option options[] = {
    {"axis", KEY_AXIS, "PATH=V1,V2,...", 0,
     "Sweep the field PATH over these values, besides the scenario's axes or instead of the one of the same "
     "path (repeatable)",
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
    printf("%6zu runs at %zu points in all\n", plan->run_count, plan->point_count);
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

/* Parses the axes of OPTIONS into AXES, an array with room for them, and counts those that succeeded. */
static bool parse_axes(const struct option_list *list, struct scenario_axis *axes, size_t *count,
                       struct error *error)
{
    for (*count = 0; *count < list->count; ++*count)
        if (!scenario_axis_parse(list->items[*count], &axes[*count], error))
            return false;
    return true;
}

static int sweep_axes(struct sweep_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_axis *axes = calloc(wanted->axes.count + 1, sizeof *axes);
    size_t count = 0;
    int status;
    if (!axes)
        error_out_of_memory(&error, "the axes");
    if (axes && parse_axes(&wanted->axes, axes, &count, &error))
        status = sweep(&(struct conduct_request){.scenario = &wanted->scenario,
                                                 .running = &wanted->running,
                                                 .axes = axes,
                                                 .axis_count = count,
                                                 .sweep = true,
                                                 .json = wanted->json,
                                                 .command_line = command_line},
                       wanted->dry_run);
    else
        status = show_error(&error);
    for (size_t i = 0; i < count; i++)
        scenario_axis_free(&axes[i]);
    free(axes);
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
    free(command_line);
    return status;
}
