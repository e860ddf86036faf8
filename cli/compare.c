#include "cli/options.h"
#include "cli/show.h"
#include "cli/study.h"
#include "results/paired.h"

struct compare_options {
    const char *arguments[3]; /* the database, and two strategies */
    int argument_count;
    const char *metric;
    int64_t study;
    bool json;
};

enum { KEY_METRIC = 0x200, KEY_STUDY, KEY_JSON };

static const struct argp_option options[] = {
    {"metric", KEY_METRIC, "NAME", 0, "Compare by this metric (default: goodput)", 0},
    {"study", KEY_STUDY, "N", 0, STUDY_HELP, 0},
    {"json", KEY_JSON, NULL, 0, "Print the differences as JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct compare_options *compare = state->input;
    switch (key) {
    case KEY_METRIC:
        compare->metric = argument;
        return 0;
    case KEY_STUDY:
        compare->study = options_study(argument, state);
        return 0;
    case KEY_JSON:
        compare->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (compare->argument_count == 3)
            argp_usage(state);
        compare->arguments[compare->argument_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (compare->argument_count != 3)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB A B",
    .doc =
        "Compare the strategies A and B of a study in the database DB: the mean difference, run by run under "
        "the same failures, with its 95 % interval.",
};

static int compare(struct store *store, const struct compare_options *wanted)
{
    struct error error = {.kind = ERROR_NONE};
    struct paired *paired = paired_create(store, wanted->study, wanted->arguments[1], wanted->arguments[2],
                                          wanted->metric, &error);
    if (!paired)
        return show_error(&error);
    if (wanted->study < 0)
        study_tell_newest(store, wanted->arguments[0]);
    char *text = wanted->json ? paired_json(paired, &error) : paired_table(store, paired, &error);
    paired_destroy(paired);
    return show_made_text(text, &error);
}

int command_compare(int argc, char **argv)
{
    struct compare_options wanted = {.study = -1};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct store *store = store_open_read_only(wanted.arguments[0], &error);
    if (!store)
        return show_error(&error);
    int status = compare(store, &wanted);
    store_close(store);
    return status;
}
