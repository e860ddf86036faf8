#include "cli/inquiry.h"
#include "cli/show.h"
#include "imports/job_log.h"
#include "scenarios/figures.h"
#include "scenarios/question.h"
#include "studies/calibrate_report.h"

#include <stdlib.h>

struct calibrate_options {
    struct inquiry_options asked;
    const char *targets, *log; /* files; NULL: none */
};

enum { KEY_TARGETS = INQUIRY_OWN, KEY_LOG };

static const struct argp_option options[] = {
    {"vary", INQUIRY_VARY, "PATH=LO..HI", 0,
     "Fit the field PATH, a number, between LO and HI, which have the field's unit; several fields are "
     "fitted "
     "together",
     1},
    {"targets", KEY_TARGETS, "CSV", 0,
     "The observed figures: a table with the columns metric and value, and if need be strategy, sd "
     "(with observations, their number) or "
     "weight, and "
     "fields (default: what the scenario expects)",
     1},
    {"log", KEY_LOG, "CSV", 0,
     "The job's own log: a table with the columns time, event (step, failure, restart, checkpoint) and "
     "duration, "
     "and if need be step, its number",
     1},
    {"json", INQUIRY_JSON, NULL, 0, "Print what was tried and the fit as JSON", 3},
    {0},
};

static void require(const struct calibrate_options *wanted, const struct argp_state *state)
{
    if (!wanted->asked.vary.count)
        argp_error(state, "--vary says which field to fit, PATH=LO..HI");
    if (wanted->targets && wanted->log)
        argp_error(state, "--targets and --log exclude each other");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct calibrate_options *wanted = state->input;
    switch (key) {
    case KEY_TARGETS:
        wanted->targets = argument;
        return 0;
    case KEY_LOG:
        wanted->log = argument;
        return 0;
    case ARGP_KEY_END:
        require(wanted, state);
        return 0;
    default:
        return inquiry_parse(&wanted->asked, key, argument, state);
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc = "Fit fields of SCENARIO to figures that were observed: to those of a table, of a job's own log, "
           "or those "
           "that the scenario expects."
           "\vThe fit is by nonlinear least squares, in the figures' standard deviations: told (sd), half of "
           "what an "
           "expectation tolerates, or 1 % of the value. Every set of values is tried with the same seeds. "
           "What was "
           "tried is listed, and kept as a study; with the fitted values come their errors, what is left of "
           "each "
           "figure, and which fields, or combinations of them, the figures don't determine.\n\n"
           "  trainstorm calibrate cluster.yaml --vary 'failures.chip.mtbi=1..100 years' --targets "
           "observed.csv\n\n"
           "The status is 1 when the search did not converge, or a figure is more than 3 standard deviations "
           "from "
           "the fit.",
    .children = options_children,
};

static int status_of(const struct calibrate_results *results)
{
    if (results->interrupted)
        return inquiry_interrupted(&results->deviations.runs);
    return results->converged && !results->missed ? STATUS_DONE : STATUS_MISSED;
}

static int show(const struct inquiry *inquiry, bool json, const struct calibrate_results *results,
                int64_t study)
{
    char *text = json ? calibrate_report_json(results, study) : calibrate_report_text(results);
    return inquiry_show(inquiry, text, json, study, &results->deviations.runs);
}

static int calibrate_to(const struct inquiry *inquiry, bool json, const struct scenario_ranges *ranges,
                        const struct scenario_figures *figures)
{
    struct error error = {.kind = ERROR_NONE};
    struct calibrate_results results = {0};
    int64_t study = -1;
    int status, shown = STATUS_DONE;
    bool done = study_calibrate(&inquiry->request, inquiry->store, ranges, figures, &study, &results, &error);
    inquiry_end(inquiry);
    if (done) {
        status = status_of(&results);
        shown = show(inquiry, json, &results, study);
    } else {
        status = show_error(&error);
    }
    calibrate_free(&results);
    return shown != STATUS_DONE ? shown : status;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* What the log held, and what of it is passed over. */
static void note_log(const char *path, const struct job_log_summary *summary)
{
    show_note("%s: %zu step%s%s, %zu interruption%s, %zu checkpoint%s in %.4g h", path, summary->steps,
              plural(summary->steps),
              summary->numbered ? "" : " without numbers (those thrown away count, too)",
              summary->interruptions, plural(summary->interruptions), summary->checkpoints,
              plural(summary->checkpoints), summary->elapsed / 3600);
    if (summary->redone)
        show_note("%s: %zu of the steps were thrown away", path, summary->redone);
    if (summary->unknown)
        show_note("%s: %zu event%s passed over: %s", path, summary->unknown,
                  summary->unknown == 1 ? " is" : "s are", summary->unknown_names);
}

/* A job is one strategy. */
static struct scenario_figures *read_log(const struct inquiry *inquiry, const char *path, struct error *error)
{
    struct job_log_summary summary;
    if (inquiry->strategies.count != 1) {
        error_set(error, ERROR_INPUT,
                  "--log: there are several strategies; --strategy says which one the job is");
        return NULL;
    }
    struct scenario_figures *figures = job_log_read(path, inquiry->strategies.items[0], &summary, error);
    if (figures)
        note_log(path, &summary);
    return figures;
}

static struct scenario_figures *read_figures(const struct inquiry *inquiry,
                                             const struct calibrate_options *wanted, struct error *error)
{
    const struct scenario *base = inquiry->plan->base;
    const char *const *strategies = inquiry->strategies.items;
    if (wanted->log)
        return read_log(inquiry, wanted->log, error);
    if (wanted->targets)
        return scenario_figures_read(wanted->targets, base, strategies, inquiry->strategies.count, error);
    return scenario_figures_expected(base, strategies, inquiry->strategies.count, error);
}

static int calibrate_in(const struct inquiry *inquiry, const struct calibrate_options *wanted,
                        const struct scenario_ranges *ranges)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_figures *figures = read_figures(inquiry, wanted, &error);
    if (!figures)
        return show_error(&error);
    if (figures->passed_over)
        show_note("%zu figure%s passed over: of other strategies, or no value of a metric",
                  figures->passed_over, figures->passed_over == 1 ? " is" : "s are");
    int status = calibrate_to(inquiry, wanted->asked.json, ranges, figures);
    scenario_figures_destroy(figures);
    return status;
}

static int calibrate_scenario(const struct calibrate_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct inquiry inquiry = {0};
    struct scenario_ranges *ranges =
        scenario_ranges_create(wanted->asked.vary.items, wanted->asked.vary.count, &error);
    bool open = ranges && inquiry_open(&inquiry, &wanted->asked, command_line, &error);
    int status = open ? calibrate_in(&inquiry, wanted, ranges) : show_error(&error);
    inquiry_close(&inquiry);
    scenario_ranges_destroy(ranges);
    return status;
}

int command_calibrate(int argc, char **argv)
{
    struct calibrate_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = calibrate_scenario(&wanted, command_line ? command_line : argv[0]);
    inquiry_options_free(&wanted.asked);
    free(command_line);
    return status;
}
