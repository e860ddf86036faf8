#include "cli/options.h"
#include "cli/show.h"
#include "results/explanation.h"

#include <errno.h>
#include <stdlib.h>

struct explain_options {
    const char *database, *run; /* the run's number, or a strategy's name */
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
        explain->run = argument;
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
        if (!explain->database)
            argp_usage(state);
        if (!explain->run)
            argp_error(state, "which run of %s? Its number, or a strategy's name", explain->database);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB RUN\nDB STRATEGY",
    .doc =
        "Tell what the time of RUN, a run in the database DB, was lost to: failures cause by cause, in the "
        "order in which they began to cost time; what was lost to none; and the longest stretches in which "
        "learners stood still. Of a STRATEGY it is the first run of the newest study that has one: "
        "replication 0, at the first point."
        "\v`trainstorm export DB' lists the runs with their numbers. What is lost to a failure is charged to "
        "its "
        "cause as doc/failures.md says; in all, useful time and what was lost are the allocated time.",
};

/* The run that is meant, or 0. */
static int64_t find_run(struct store *store, const char *wanted, struct error *error)
{
    char *end;
    errno = 0;
    long long number = strtoll(wanted, &end, 10);
    bool whole = end != wanted && !*end;
    if (whole && number > 0 && !errno)
        return number;
    if (!whole)
        return explanation_find(store, wanted, error);
    error_set(error, ERROR_INPUT, "there is no run %s; they count from 1", wanted);
    return 0;
}

static char *explain(struct store *store, const struct explain_options *wanted, struct error *error)
{
    int64_t run = find_run(store, wanted->run, error);
    if (run == 0)
        return NULL;
    return wanted->json ? explanation_json(store, run, error) : explanation_table(store, run, error);
}

int command_explain(int argc, char **argv)
{
    struct explain_options wanted = {0};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct store *store = store_open_read_only(wanted.database, &error);
    if (!store)
        return show_error(&error);
    char *text = explain(store, &wanted, &error);
    int status = show_made_text(text, &error);
    store_close(store);
    return status;
}
