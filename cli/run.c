#include "cli/conduct.h"
#include "cli/show.h"
#include "cli/trace_file.h"

#include <stdlib.h>

struct run_options {
    struct scenario_options scenario;
    struct running_options running;
    const char *trace;
    bool json;
};

enum { KEY_JSON = 0x200, KEY_TRACE };

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "Print the comparison as JSON", 3},
    {"trace", KEY_TRACE, "FILE", 0, TRACE_FILE_HELP, 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct run_options *run = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &run->scenario;
        state->child_inputs[1] = &run->running;
        return 0;
    case KEY_JSON:
        run->json = true;
        return 0;
    case KEY_TRACE:
        run->trace = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Simulate every strategy of SCENARIO, a file or the name of a shipped scenario, and compare them."
        "\vWhere the scenario sets learning.model, the real optimisers then replay every run on that model, "
        "which takes far longer than the simulation. The axes of a sweep are left alone; `trainstorm sweep' "
        "runs them. The status is 1 when an expectation of the "
        "scenario is missed.",
    .children = options_children,
};

static int run(const struct conduct_request *request)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = conduct_plan(request, &error);
    if (!plan)
        return show_error(&error);
    size_t axes = plan->base->axis_count;
    if (axes)
        show_note("only the base point is run; the scenario sweeps %s%s, which `trainstorm sweep' does",
                  plan->base->axes[0].path, axes > 1 ? " and more" : "");
    int status = conduct(plan, request);
    plan_destroy(plan);
    return status;
}

int command_run(int argc, char **argv)
{
    struct run_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = run(&(struct conduct_request){.scenario = &wanted.scenario,
                                               .running = &wanted.running,
                                               .trace = wanted.trace,
                                               .json = wanted.json,
                                               .command_line = command_line ? command_line : argv[0]});
    options_scenario_free(&wanted.scenario);
    free(command_line);
    return status;
}
