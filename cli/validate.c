#include "cli/conduct.h"
#include "cli/shipped.h"
#include "cli/show.h"
#include "sim/wall.h"
#include "studies/solved.h"
#include "studies/validation.h"

#include <stdlib.h>

struct validate_options {
    struct running_options running;
    struct option_list studies;
    bool markdown;
};

enum { KEY_MARKDOWN = 0x200 };

static const struct argp_option options[] = {
    {"markdown", KEY_MARKDOWN, NULL, 0, "Print the tables in Markdown", 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct validate_options *validate = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &validate->running;
        return 0;
    case KEY_MARKDOWN:
        validate->markdown = true;
        return 0;
    case ARGP_KEY_ARG:
        option_list_add(&validate->studies, argument, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_running_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[STUDY...]",
    .doc = "Run validation studies, all that come with the program when none is named, and set published "
           "figures beside simulated ones."
           "\vSTUDY is a scenario with expectations: a file, or the name of a shipped one such as table1. "
           "The status is 1 when an expectation is missed.",
    .children = children,
};

/* The plans of the studies, in their order. */
struct plans {
    struct plan **items;
    size_t count;
};

static struct plan *plan_study(const char *name, struct error *error)
{
    struct scenario_text text;
    if (!shipped_read_validation(name, &text, error))
        return NULL;
    struct plan *plan = plan_create(&(struct plan_request){.text = &text, .sweep = true}, error);
    scenario_text_free(&text);
    if (plan && !solved_check(plan, error)) {
        plan_destroy(plan);
        return NULL;
    }
    return plan;
}

/* All of them before the first one runs: a fault in the last shows at once. */
static bool plan_studies(const char *const *names, size_t count, struct plans *plans, struct error *error)
{
    plans->items = calloc(count + 1, sizeof(struct plan *));
    if (!plans->items) {
        error_out_of_memory(error, "the studies");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        plans->items[i] = plan_study(names[i], error);
        if (!plans->items[i])
            return false;
        plans->count++;
    }
    return true;
}

static int show_validation(const struct plan *plan, const struct study_outcome *outcome, bool markdown)
{
    struct error error = {.kind = ERROR_NONE};
    return show_made_text(markdown ? validation_markdown(plan, &outcome->expectations)
                                   : validation_table(plan, &outcome->expectations),
                          &error);
}

static int validate_study(const struct plan *plan, struct store *store, const struct validate_options *wanted,
                          const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct study_outcome outcome;
    double begun = sim_wall_seconds();
    int status, shown = STATUS_DONE;
    if (conduct_study(plan, store, &wanted->running, command_line, true, &outcome, &error)) {
        if (!outcome.interrupted)
            shown = show_validation(plan, &outcome, wanted->markdown);
        if (!wanted->markdown)
            conduct_name_study(outcome.study, wanted->running.database, &outcome.runs,
                               sim_wall_seconds() - begun);
        status = conduct_status(plan, &outcome);
    } else {
        status = show_error(&error);
    }
    study_outcome_free(&outcome);
    return shown != STATUS_DONE ? shown : status;
}

/* A study that misses an expectation doesn't keep the next from running; trouble does. */
static int validate_all(const struct plans *plans, const struct validate_options *wanted,
                        const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct store *store = store_open(wanted->running.database, &error);
    if (!store)
        return show_error(&error);
    int status = STATUS_DONE;
    if (wanted->markdown)
        show_text("# Validation\n\nPublished figures beside simulated ones, as "
                  "`trainstorm validate --markdown` prints them.\n\n");
    for (size_t i = 0; i < plans->count && status <= STATUS_MISSED; i++) {
        if (i)
            show_text("\n");
        int result = validate_study(plans->items[i], store, wanted, command_line);
        status = result > status ? result : status;
        fflush(stdout);
    }
    store_close(store);
    return status;
}

static int validate(const char *const *names, size_t count, const struct validate_options *wanted,
                    const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct plans plans = {0};
    int status = plan_studies(names, count, &plans, &error) ? validate_all(&plans, wanted, command_line)
                                                            : show_error(&error);
    for (size_t i = 0; i < plans.count; i++)
        plan_destroy(plans.items[i]);
    free(plans.items);
    return status;
}

static int validate_shipped(const struct validate_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct shipped_list list;
    int status = shipped_list(SHIPPED_VALIDATION, &list, &error)
                     ? validate((const char *const *)list.names, list.count, wanted, command_line)
                     : show_error(&error);
    shipped_list_free(&list);
    return status;
}

int command_validate(int argc, char **argv)
{
    struct validate_options wanted = {0};
    char *record = options_command_line(argc, argv);
    const char *command_line = record ? record : argv[0];
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = wanted.studies.count
                     ? validate(wanted.studies.items, wanted.studies.count, &wanted, command_line)
                     : validate_shipped(&wanted, command_line);
    free(wanted.studies.items);
    free(record);
    return status;
}
