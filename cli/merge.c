#include "results/merge.h"
#include "cli/options.h"
#include "cli/show.h"

#include <stdio.h>
#include <stdlib.h>

struct merge_options {
    struct option_list sources;
    const char *output;
};

static const struct argp_option options[] = {
    {"output", 'o', "DB", 0, "The database that they are merged into; it is made, or added to", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct merge_options *merge = state->input;
    switch (key) {
    case 'o':
        merge->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        option_list_add(&merge->sources, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!merge->sources.count)
            argp_usage(state);
        if (!merge->output)
            argp_error(state, "merge wants the database to merge into: -o DB");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB...",
    .doc = "Join databases in one, such as those that the shards of a sweep left."
           "\vShards of one sweep become one study. What is there already is not added again, and runs that "
           "failed "
           "stay behind: the same `trainstorm sweep' without --shard into the merged database does what is "
           "still "
           "missing, and judges the whole.",
};

static void show_outcome(const char *source, const struct merge_outcome *outcome)
{
    char text[200];
    show_text(source);
    snprintf(text, sizeof text, ": %lld runs of %lld %s", (long long)outcome->runs,
             (long long)outcome->studies, outcome->studies == 1 ? "study" : "studies");
    show_text(text);
    if (outcome->known) {
        snprintf(text, sizeof text, ", %lld there already", (long long)outcome->known);
        show_text(text);
    }
    if (outcome->left) {
        snprintf(text, sizeof text, ", %lld that failed left behind", (long long)outcome->left);
        show_text(text);
    }
    show_text("\n");
}

static int merge(const struct merge_options *wanted)
{
    struct error error = {.kind = ERROR_NONE};
    struct store *store = store_open(wanted->output, &error);
    int status = store ? STATUS_DONE : show_error(&error);
    for (size_t i = 0; i < wanted->sources.count && status == STATUS_DONE; i++) {
        struct merge_outcome outcome;
        if (store_merge(store, wanted->sources.items[i], &outcome, &error))
            show_outcome(wanted->sources.items[i], &outcome);
        else
            status = show_error(&error);
    }
    store_close(store);
    return status;
}

int command_merge(int argc, char **argv)
{
    struct merge_options wanted = {.output = NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = merge(&wanted);
    free(wanted.sources.items);
    return status;
}
