#include "plots/report.h"
#include "cli/datadir.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/show.h"
#include "cli/study.h"

#include <limits.h>
#include <stdio.h>

struct report_options {
    const char *database;
    const char *output;
    int64_t study;
};

enum { KEY_STUDY = 0x200 };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the page to FILE (default: report.html)", 0},
    {"study", KEY_STUDY, "N", 0, STUDY_HELP, 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct report_options *report = state->input;
    switch (key) {
    case 'o':
        report->output = argument;
        return 0;
    case KEY_STUDY:
        report->study = options_study(argument, state);
        return 0;
    default:
        return options_parse_argument(&report->database, key, argument, state);
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DB",
    .doc = "Write a study in the database DB as one page of HTML: what was run, the comparison, the "
           "expectations, "
           "the figures and the scenario. The page needs no network and no other file."
           "\vTables are sorted by a click on a heading.",
};

static bool write_report(const struct report_options *wanted, struct error *error)
{
    char data[PATH_MAX], folder[PATH_MAX + sizeof "/plots"];
    if (!datadir_find(DATADIR_PLOTS, data, sizeof data, error))
        return false;
    snprintf(folder, sizeof folder, "%s/plots", data);
    struct store *store = store_open_read_only(wanted->database, error);
    if (!store)
        return false;
    const struct report_request request = {.output = wanted->output,
                                           .template_folder = folder,
                                           .study = wanted->study,
                                           .stop = interrupt_catch()};
    bool written = report_write(store, &request, error);
    if (written && wanted->study < 0)
        study_tell_newest(store, wanted->database);
    store_close(store);
    return written;
}

int command_report(int argc, char **argv)
{
    struct report_options wanted = {.output = "report.html", .study = -1};
    struct error error = {.kind = ERROR_NONE};
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    return write_report(&wanted, &error) ? STATUS_DONE : show_error(&error);
}
