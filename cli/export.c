#include "results/export.h"
#include "cli/options.h"
#include "cli/show.h"
#include "results/timeline.h"

#include <argp.h>
#include <stdbool.h>

struct export_options {
    const char *database;
    enum export_format format;
    int64_t study;
    int64_t tape;     /* the run whose tape is wanted instead; 0: none */
    int64_t timeline; /* likewise */
    int64_t chaos;    /* likewise */
};

enum { KEY_CSV = 0x200, KEY_JSON, KEY_STUDY, KEY_TAPE, KEY_TIMELINE, KEY_CHAOS };

static const struct argp_option options[] = {
    {"csv", KEY_CSV, NULL, 0, "As comma-separated values (the default)", 0},
    {"json", KEY_JSON, NULL, 0, "As one JSON document", 0},
    {"study", KEY_STUDY, "N", 0, "The study with the number N alone (default: all of them)", 0},
    {"chaos", KEY_CHAOS, "RUN", 0,
     "The faults on purpose of run RUN instead, as comma-separated values for chaos_file", 0},
    {"tape", KEY_TAPE, "RUN", 0, "The event tape of run RUN instead, as JSON Lines", 0},
    {"timeline", KEY_TIMELINE, "RUN", 0,
     "What is kept of the course of run RUN instead (what learners and syncer did, or the kernels of a GPU), "
     "as a "
     "trace that Perfetto and chrome://tracing show",
     0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct export_options *export = state->input;
    switch (key) {
    case KEY_CSV:
        export->format = EXPORT_CSV;
        return 0;
    case KEY_JSON:
        export->format = EXPORT_JSON;
        return 0;
    case KEY_STUDY:
        export->study = options_study(argument, state);
        return 0;
    case KEY_CHAOS:
        export->chaos = options_number(argument, "run", state);
        return 0;
    case KEY_TAPE:
        export->tape = options_number(argument, "run", state);
        return 0;
    case KEY_TIMELINE:
        export->timeline = options_number(argument, "run", state);
        return 0;
    default:
        return options_parse_argument(&export->database, key, argument, state);
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB",
    .doc = "Write every run of the database DB, with its metrics and its budget, to standard output.",
};

static bool write_wanted(struct store *store, const struct export_options *wanted, struct error *error)
{
    if (wanted->tape)
        return export_tape(store, wanted->tape, stdout, error);
    if (wanted->timeline)
        return timeline_export(store, wanted->timeline, stdout, error);
    if (wanted->chaos)
        return export_chaos(store, wanted->chaos, stdout, error);
    return export_write(store, wanted->study, wanted->format, stdout, error);
}

static int write_runs(struct store *store, const struct export_options *wanted)
{
    struct error error = {.kind = ERROR_NONE};
    if (write_wanted(store, wanted, &error))
        return STATUS_DONE;
    struct error named = {.kind = ERROR_NONE};
    if (ferror(stdout))
        error_set(&named, error.kind, "standard output: %s", error.message);
    show_discard();
    return show_error(named.kind == ERROR_NONE ? &error : &named);
}

int command_export(int argc, char **argv)
{
    struct export_options wanted = {.study = EXPORT_ALL_STUDIES, .format = EXPORT_CSV};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    struct store *store = store_open_read_only(wanted.database, &error);
    if (!store)
        return show_error(&error);
    int status = write_runs(store, &wanted);
    store_close(store);
    return status;
}
