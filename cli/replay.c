#include "cli/conduct.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/study.h"
#include "results/comparison.h"
#include "studies/learning.h"

struct replay_options {
    struct scenario_options changes; /* of --set and --optimizer; the arguments are not scenarios */
    const char *database;
    int64_t run;   /* -1: all of the study */
    int64_t study; /* -1: the newest */
    size_t workers;
    bool quiet;
};

enum { KEY_OPTIMIZER = 0x200, KEY_STUDY };

static const struct argp_option options[] = {
    {"optimizer", KEY_OPTIMIZER, "NAME", 0, "Replay with another inner optimiser: adamw, sgd or muon", 0},
    {"study", KEY_STUDY, "N", 0, STUDY_HELP, 0},
    {"jobs", 'j', "N", 0, "Replay N runs at a time (default: one a processor)", 0},
    {"quiet", 'q', NULL, 0, "Show no progress", 0},
    {0},
};

static error_t parse_argument(char *argument, struct argp_state *state, struct replay_options *replay)
{
    if (!replay->database)
        replay->database = argument;
    else if (replay->run < 0)
        replay->run = options_number(argument, "run", state);
    else
        argp_usage(state);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct replay_options *replay = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &replay->changes;
        return 0;
    case KEY_OPTIMIZER:
        options_add_override(&replay->changes, "learning.inner.optimizer", argument, "--optimizer", state);
        return 0;
    case KEY_STUDY:
        replay->study = options_study(argument, state);
        return 0;
    case 'j':
        replay->workers = options_workers(argument, state);
        return 0;
    case 'q':
        replay->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(argument, state, replay);
    case ARGP_KEY_END:
        if (!replay->database)
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
    .args_doc = "DB [RUN]",
    .doc = "Replay the event tape of RUN, or of every run of a study in the database DB, with the real "
           "optimisers."
           "\vA run has a tape where its scenario sets learning.model, or --tape was given. --set changes "
           "how it "
           "learns; give learning.name too, so that both variants are kept apart. Of a study, runs that have "
           "their replay are left alone; one that was broken off goes on where it was.",
    .children = children,
};

/* The study that the replays belong to. */
static bool find_study(struct store *store, struct replay_options *wanted, struct error *error)
{
    struct stored_run run;
    if (wanted->run < 0) {
        if (wanted->study < 0) {
            study_tell_newest(store, wanted->database);
            wanted->study = store_latest_study(store, error);
        }
        return wanted->study >= 0;
    }
    if (!store_read_run(store, wanted->run, &run, error))
        return false;
    wanted->study = run.study;
    stored_run_free(&run);
    return true;
}

static bool replay_all(struct store *store, const struct replay_options *wanted,
                       struct learning_outcome *outcome, struct error *error)
{
    bool progress = !wanted->quiet && progress_is_seen();
    struct learning_options learning = {.workers = pool_replays(wanted->workers),
                                        .stop = interrupt_catch(),
                                        .overrides = wanted->changes.overrides,
                                        .override_count = wanted->changes.override_count,
                                        .again = wanted->run >= 0,
                                        .progress = progress ? progress_show_learning : NULL,
                                        .note = show_remark};
    bool done = learning_replay(store, wanted->study, wanted->run, &learning, outcome, error) &&
                store_summarise(store, wanted->study, error);
    if (progress)
        progress_clear();
    return done;
}

static int replay(struct store *store, struct replay_options *wanted)
{
    struct error error = {.kind = ERROR_NONE};
    struct learning_outcome outcome;
    if (!find_study(store, wanted, &error) || !replay_all(store, wanted, &outcome, &error))
        return show_error(&error);
    if (outcome.total == 0) {
        show_note(
            "no run of study %lld in %s has a tape; `run' and `sweep' keep them where the scenario sets "
            "learning.model, or with --tape",
            (long long)wanted->study, wanted->database);
        return STATUS_USAGE;
    }
    if (outcome.diverged)
        show_note("%zu of %zu replays diverged", outcome.diverged, outcome.total);
    int status = show_made_text(comparison_table(store, wanted->study, &error), &error);
    if (status == STATUS_DONE)
        conduct_name_study(wanted->study, wanted->database, NULL, 0);
    return outcome.interrupted ? STATUS_INTERRUPTED : status;
}

int command_replay(int argc, char **argv)
{
    struct replay_options wanted = {.run = -1, .study = -1};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct store *store = store_open(wanted.database, &error);
    int status = store ? replay(store, &wanted) : show_error(&error);
    store_close(store);
    options_scenario_free(&wanted.changes);
    return status;
}
