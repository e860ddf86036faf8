#include "cli/inquiry.h"
#include "cli/show.h"
#include "scenarios/question.h"
#include "studies/tune_report.h"

#include <stdlib.h>
#include <string.h>

struct tune_options {
    struct inquiry_options asked;
    const char *largest, *smallest; /* the metric; one of them is NULL */
};

enum { KEY_LARGEST = INQUIRY_OWN, KEY_SMALLEST };

static const struct argp_option options[] = {
    {"vary", INQUIRY_VARY, "PATH=LO..HI", 0,
     "Look for the value of the field PATH, a number, between LO and HI, which have the field's unit; "
     "several "
     "fields are varied together",
     1},
    {"maximise", KEY_LARGEST, "METRIC", 0,
     "Make the mean of METRIC over the replications as large as it gets", 1},
    {"maximize", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"minimise", KEY_SMALLEST, "METRIC", 0, "Make it as small as it gets", 1},
    {"minimize", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"json", INQUIRY_JSON, NULL, 0, "Print what was tried and the best as JSON", 3},
    {0},
};

static void require(const struct tune_options *wanted, const struct argp_state *state)
{
    if (!wanted->asked.vary.count)
        argp_error(state, "--vary says which field to change, PATH=LO..HI");
    if (!wanted->largest == !wanted->smallest)
        argp_error(state, "either --maximise or --minimise says which metric is to be best");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct tune_options *wanted = state->input;
    switch (key) {
    case KEY_LARGEST:
        wanted->largest = argument;
        return 0;
    case KEY_SMALLEST:
        wanted->smallest = argument;
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
    .doc =
        "Find the values of fields of SCENARIO with which a metric is best; for every strategy by itself, or "
        "those of --strategy."
        "\vOne field is found by golden section, several by Nelder and Mead's simplex. Every value is tried "
        "with the same seeds. The best of them is so by chance, too: what it gains over the scenario as it "
        "is, "
        "and how sure that is, is told from as many other replications of both, pair by pair. Where little "
        "depends on the value, another --seed has another best. What was tried is listed, and kept as a "
        "study.\n\n"
        "  trainstorm tune cluster.yaml --vary 'checkpoints.interval=1..100 min' --maximise goodput\n\n"
        "The status is 1 when no value tried gives every replication the metric.",
    .children = options_children,
};

static int status_of(const struct tune_results *results)
{
    if (results->interrupted)
        return inquiry_interrupted(&results->runs);
    for (size_t i = 0; i < results->count; i++)
        if (!results->answers[i].best)
            return STATUS_MISSED;
    return STATUS_DONE;
}

static int show(const struct inquiry *inquiry, bool json, const struct scenario_goal *goal,
                const struct tune_results *results, int64_t study)
{
    char *text = json ? tune_report_json(goal, results, study) : tune_report_text(goal, results);
    return inquiry_show(inquiry, text, json, study, &results->runs);
}

static int tune_in(const struct inquiry *inquiry, bool json, const struct scenario_goal *goal)
{
    struct error error = {.kind = ERROR_NONE};
    struct tune_results results = {0};
    int64_t study = -1;
    int status, shown = STATUS_DONE;
    bool tuned = study_tune(&inquiry->request, inquiry->store, goal, inquiry->strategies.items,
                            inquiry->strategies.count, &study, &results, &error);
    inquiry_end(inquiry);
    if (tuned) {
        status = status_of(&results);
        shown = show(inquiry, json, goal, &results, study);
    } else {
        status = show_error(&error);
    }
    tune_free(&results);
    return shown != STATUS_DONE ? shown : status;
}

static int tune(const struct tune_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct inquiry inquiry = {0};
    struct scenario_ranges *ranges =
        scenario_ranges_create(wanted->asked.vary.items, wanted->asked.vary.count, &error);
    const struct scenario_goal goal = {.metric = wanted->largest ? wanted->largest : wanted->smallest,
                                       .largest = wanted->largest != NULL,
                                       .ranges = ranges};
    bool open = ranges &&
                scenario_metric_check(goal.metric, goal.largest ? "--maximise" : "--minimise", &error) &&
                inquiry_open(&inquiry, &wanted->asked, command_line, &error);
    int status = open ? tune_in(&inquiry, wanted->asked.json, &goal) : show_error(&error);
    inquiry_close(&inquiry);
    scenario_ranges_destroy(ranges);
    return status;
}

int command_tune(int argc, char **argv)
{
    struct tune_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = tune(&wanted, command_line ? command_line : argv[0]);
    inquiry_options_free(&wanted.asked);
    free(command_line);
    return status;
}
