#include "cli/conduct.h"
#include "cli/show.h"
#include "cli/step_notes.h"

enum form { FORM_RESOLVED, FORM_SCHEMA, FORM_REFERENCE };

struct check_options {
    struct scenario_options scenario;
    enum form form;
};

enum { KEY_SCHEMA = 0x200, KEY_REFERENCE };

static const struct argp_option options[] = {
    {"schema", KEY_SCHEMA, NULL, 0, "Print the JSON Schema of scenarios, for editors", 2},
    {"reference", KEY_REFERENCE, NULL, 0, "Print every field of scenarios as a page in Markdown", 2},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct check_options *check = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &check->scenario;
        return 0;
    case KEY_SCHEMA:
        check->form = FORM_SCHEMA;
        return 0;
    case KEY_REFERENCE:
        check->form = FORM_REFERENCE;
        return 0;
    case ARGP_KEY_ARG:
        options_take_scenario(&check->scenario, argument, state);
        return 0;
    case ARGP_KEY_END:
        if ((check->form == FORM_RESOLVED) != (check->scenario.scenario != NULL))
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_set_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO\n--schema\n--reference",
    .doc = "Check SCENARIO, a file or the name of a shipped scenario, at every point that it sweeps, and "
           "print it with every default and unit resolved.",
    .children = children,
};

static int check(const struct scenario_options *scenario)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = conduct_plan(&(struct conduct_request){.scenario = scenario, .sweep = true}, &error);
    if (!plan)
        return show_error(&error);
    show_text(plan->resolved);
    step_notes_write(plan->base);
    step_notes_write_doubts(plan->base);
    plan_destroy(plan);
    return STATUS_DONE;
}

int command_check(int argc, char **argv)
{
    struct check_options wanted = {0};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status;
    if (wanted.form == FORM_SCHEMA)
        status = show_made_text(scenario_schema(), &error);
    else if (wanted.form == FORM_REFERENCE)
        status = show_made_text(scenario_reference(), &error);
    else
        status = check(&wanted.scenario);
    options_scenario_free(&wanted.scenario);
    return status;
}
