#include "cli/options.h"
#include "cli/show.h"
#include "results/explanation.h"

struct explain_options {
    const char *database;
    int64_t run; /* 0: not given */
    bool json;
};

enum { KEY_JSON = 0x200 };

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0,
     "Print the explanation as JSON, with amounts that are exact to the nanosecond", 0},
    {0},
};

static error_t parse_argument(const char *argument, const struct argp_state *state,
                              struct explain_options *explain)
{
    if (!explain->database)
        explain->database = argument;
    else if (!explain->run)
        explain->run = options_number(argument, "run", state);
    else
        argp_usage(state);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct explain_options *explain = state->input;
    switch (key) {
    case KEY_JSON:
        explain->json = true;
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(argument, state, explain);
    case ARGP_KEY_END:
        if (!explain->run)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB RUN",
    .doc =
        "Tell what the time of RUN, a run in the database DB, was lost to: failures cause by cause, in the "
        "order in which they began to cost time; what was lost to none; and the longest stretches in which "
        "learners stood still."
        "\v`trainstorm export DB' lists the runs with their numbers. What is lost to a failure is charged to "
        "its "
        "cause as doc/failures.md says; in all, useful time and what was lost are the allocated time.",
};

int command_explain(int argc, char **argv)
{
    struct explain_options wanted = {0};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct store *store = store_open_read_only(wanted.database, &error);
    if (!store)
        return show_error(&error);
    char *text = wanted.json ? explanation_json(store, wanted.run, &error)
                             : explanation_table(store, wanted.run, &error);
    int status = show_made_text(text, &error);
    store_close(store);
    return status;
}
