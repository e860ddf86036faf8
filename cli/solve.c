#include "cli/inquiry.h"
#include "cli/show.h"
#include "scenarios/question.h"
#include "studies/solve_report.h"

#include <stdlib.h>
#include <string.h>

struct solve_options {
    struct inquiry_options asked;
    const char *vary, *until, *grid; /* one field is varied */
    double tolerance;
};

enum { KEY_UNTIL = INQUIRY_OWN, KEY_GRID, KEY_TOLERANCE };

static const struct argp_option options[] = {
    {"vary", INQUIRY_VARY, "PATH=LO..HI", 0,
     "Look for the value of the field PATH, a number, between LO and HI, which have the field's unit", 1},
    {"until", KEY_UNTIL, "METRIC>=VALUE", 0,
     "What the mean of METRIC over the replications has to come to; <= for at most", 1},
    {"grid", KEY_GRID, "'[log] LO..HI, N points'", 0,
     "Try the values of this grid alone; --vary is then the PATH and nothing else", 1},
    {"tolerance", KEY_TOLERANCE, "SHARE", 0,
     "How near to each other the answer and a value that misses the target have to be, as a share (default: "
     "0.1%)",
     1},
    {"json", INQUIRY_JSON, NULL, 0, "Print what was tried and the answers as JSON", 3},
    {0},
};

/* "0.001" or "0.1%" */
static double parse_tolerance(const char *text, const struct argp_state *state)
{
    char *end;
    double share = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        share /= 100;
        end++;
    }
    if (end == text || *end || !(share >= SOLVE_LEAST_TOLERANCE && share < 1))
        argp_error(state, "--tolerance wants a share from 0.001%% to 100%%, not \"%s\"", text);
    return share;
}

static void require(const struct solve_options *solve, const struct argp_state *state)
{
    if (!solve->vary || !solve->until)
        argp_error(state, "--vary says which field to change, and --until what for; both are needed");
}

/* A second one that took the first one's place would answer a question that nobody asked. */
static void set_once(const char **option, const char *argument, const char *name,
                     const struct argp_state *state)
{
    if (*option)
        argp_error(state, "there is one %s; `trainstorm tune' varies several fields", name);
    *option = argument;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct solve_options *solve = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        solve->tolerance = SOLVE_USUAL_TOLERANCE;
        return inquiry_parse(&solve->asked, key, argument, state);
    case INQUIRY_VARY:
        set_once(&solve->vary, argument, "--vary", state);
        return 0;
    case KEY_UNTIL:
        set_once(&solve->until, argument, "--until", state);
        return 0;
    case KEY_GRID:
        solve->grid = argument;
        return 0;
    case KEY_TOLERANCE:
        solve->tolerance = parse_tolerance(argument, state);
        return 0;
    case ARGP_KEY_END:
        require(solve, state);
        return 0;
    default:
        return inquiry_parse(&solve->asked, key, argument, state);
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Find the least value of a field of SCENARIO with which a metric meets a target, or the greatest "
        "where "
        "the metric moves away from it as the field grows; for every strategy, or those of --strategy."
        "\vThe ends of the range show in which direction to look, and the metric is taken to change one way "
        "between them. Every value is tried with the same seed. What was tried is listed, and kept as a "
        "study.\n\n"
        "  trainstorm solve four-regions --vary 'network.wan.bandwidth=0.1..100 Gbit/s' "
        "--until 'compute_utilization>=0.95'\n\n"
        "The status is 1 when some strategy has no answer in the range.",
    .children = options_children,
};

/* A question for each strategy. NULL when out of memory. */
static struct solve_question *ask(const struct inquiry *inquiry, const struct solve_options *wanted,
                                  const struct scenario_question *question)
{
    struct solve_question *questions = calloc(inquiry->strategies.count + 1, sizeof *questions);
    for (size_t i = 0; questions && i < inquiry->strategies.count; i++)
        questions[i] = (struct solve_question){.strategy = inquiry->strategies.items[i],
                                               .search = &question->search,
                                               .target = &question->target,
                                               .tolerance = wanted->tolerance};
    return questions;
}

static int status_of(const struct solve_results *results)
{
    if (results->interrupted)
        return inquiry_interrupted(&results->runs);
    for (size_t i = 0; i < results->count; i++)
        if (results->answers[i].state.status != SEARCH_FOUND)
            return STATUS_MISSED;
    return STATUS_DONE;
}

static int show(const struct inquiry *inquiry, const struct solve_options *wanted,
                const struct solve_question *questions, const struct solve_results *results, int64_t study)
{
    char *text = wanted->asked.json ? solve_report_json(questions, results, wanted->until, study)
                                    : solve_report_text(questions, results, wanted->until);
    return inquiry_show(inquiry, text, wanted->asked.json, study, &results->runs);
}

static int solve_in(const struct inquiry *inquiry, const struct solve_options *wanted,
                    const struct scenario_question *question)
{
    struct error error = {.kind = ERROR_NONE};
    struct solve_results results = {0};
    int64_t study = -1;
    int status, shown = STATUS_DONE;
    struct solve_question *questions = ask(inquiry, wanted, question);
    if (!questions)
        error_out_of_memory(&error, "the questions");
    bool solved = questions && study_solve(&inquiry->request, inquiry->store, questions,
                                           inquiry->strategies.count, &study, &results, &error);
    inquiry_end(inquiry);
    if (solved) {
        status = status_of(&results);
        shown = show(inquiry, wanted, questions, &results, study);
    } else {
        status = show_error(&error);
    }
    solve_free(&results);
    free(questions);
    return shown != STATUS_DONE ? shown : status;
}

static int solve(const struct solve_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct inquiry inquiry = {0};
    struct scenario_question *question =
        scenario_question_create(wanted->vary, wanted->until, wanted->grid, &error);
    bool open = question && inquiry_open(&inquiry, &wanted->asked, command_line, &error);
    int status = open ? solve_in(&inquiry, wanted, question) : show_error(&error);
    inquiry_close(&inquiry);
    scenario_question_destroy(question);
    return status;
}

int command_solve(int argc, char **argv)
{
    struct solve_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = solve(&wanted, command_line ? command_line : argv[0]);
    inquiry_options_free(&wanted.asked);
    free(command_line);
    return status;
}
