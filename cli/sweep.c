#include "cli/assembly.h"
#include "cli/conduct.h"
#include "cli/show.h"
#include "cli/step_notes.h"
#include "cli/trace_file.h"
#include "studies/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sweep_options {
    struct scenario_options scenario;
    struct running_options running;
    struct option_list axes, conditions;
    struct rounds_options rounds;
    struct baseline_options baseline;
    const char *junit, *markdown, *trace;
    double sensitivity; /* a share; 0: none */
    bool json, dry_run;
};

enum {
    KEY_JSON = 0x200,
    KEY_AXIS,
    KEY_WHERE,
    KEY_DRY_RUN,
    KEY_SHARD,
    KEY_UNTIL,
    KEY_JUNIT,
    KEY_MARKDOWN,
    KEY_BASELINE,
    KEY_REGRESSION,
    KEY_METRIC,
    KEY_SENSITIVITY,
    KEY_TRACE
};

static const struct argp_option options[] = {
    {"axis", KEY_AXIS, "PATH=V1,V2,...", 0,
     "Sweep the field PATH over these values, besides the scenario's axes or instead of the one of the same "
     "path (repeatable). A value may be a range: `1..16 step 5', `0..1, 11 points' or `log 1..1000, 4 "
     "points'. "
     "PATH=V1,V2,...+PATH=V3,V4,... are axes that move together",
     1},
    {"where", KEY_WHERE, "CONDITION", 0,
     "Leave out the points where CONDITION is not true, such as `strategies.a.learners <= cluster.chips / "
     "64' "
     "(repeatable)",
     1},
    {"sensitivity", KEY_SENSITIVITY, "PERCENT", 0,
     "Instead of axes: change each number of the scenario by PERCENT down and up, one at a time, and rank "
     "them by "
     "what that does to the metric; `trainstorm plot DB sensitivity' draws it",
     1},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "Only list the points and how many runs each has", 1},
    {"shard", KEY_SHARD, "I/N", 0,
     "Only the I-th of N shares of the runs, for N processes with a database each; `trainstorm merge' joins "
     "them",
     3},
    {"replications-until", KEY_UNTIL, "PERCENT", 0,
     "Stop a point before it has all its replications, once the 95 % interval of each strategy's goodput is "
     "within PERCENT of its mean",
     2},
    {"json", KEY_JSON, NULL, 0, "Print the comparison as JSON", 3},
    {"junit", KEY_JUNIT, "FILE", 0, "Write a JUnit report of runs, expectations and baseline to FILE", 3},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "Write a summary for a pull request to FILE", 3},
    {"baseline", KEY_BASELINE, "DB", 0,
     "Hold the study against the newest one of its name in DB; the status is 1 when a strategy became worse "
     "by "
     "more than --max-regression, which 95 % confidence for all of them together must show",
     4},
    {"max-regression", KEY_REGRESSION, "PERCENT", 0,
     "How much worse than the baseline is allowed, in percent of its figure (default: 1%)", 4},
    {"metric", KEY_METRIC, "NAME", 0,
     "What is held against the baseline, and what numbers are ranked by (default: goodput)", 4},
    {"trace", KEY_TRACE, "FILE", 0, TRACE_FILE_HELP, 3},
    {0},
};

static void parse_shard(struct rounds_options *rounds, const char *text, const struct argp_state *state)
{
    int length = 0;
    bool plain = text[strspn(text, "0123456789/")] == '\0'; /* no signs and blanks, which scanf passes over */
    if (!plain || sscanf(text, "%5zu/%5zu%n", &rounds->shard, &rounds->shards, &length) != 2 ||
        text[length] || rounds->shard < 1 || rounds->shard > rounds->shards || *text == '0')
        argp_error(state, "--shard wants I/N, such as 1/4 to 4/4, not \"%s\"", text);
}

/* A bare 0.1 is more often a share, 10 %, than a thousandth. */
static double parse_sensitivity(const char *text, const struct argp_state *state)
{
    double share = options_percent(text, "--sensitivity", false, state);
    if (share < 0.01 && !strchr(text, '%'))
        argp_error(state, "--sensitivity: is %s a share or %s %%? Write it with %%, such as 10%%", text,
                   text);
    return share;
}

/* What would do nothing is a mistake, and a guard that does nothing a dangerous one. */
static void check_guard(struct sweep_options *sweep, const struct argp_state *state)
{
    struct baseline_options *baseline = &sweep->baseline;
    bool ranked = sweep->sensitivity > 0;
    if (!baseline->database && ((baseline->metric && !ranked) || baseline->allowed >= 0))
        argp_error(state,
                   "--max-regression and --metric say how to compare with a baseline: give --baseline, "
                   "too");
    if (baseline->database && sweep->rounds.shards)
        argp_error(state, "--baseline is for whole studies: merge the shards, and sweep without --shard");
    if (!baseline->metric)
        baseline->metric = "goodput";
    if (!(baseline->allowed >= 0))
        baseline->allowed = 0.01;
}

/* Which points there are, and how often they are run. */
static error_t parse_points(struct sweep_options *sweep, int key, char *argument,
                            const struct argp_state *state)
{
    switch (key) {
    case KEY_AXIS:
        option_list_add(&sweep->axes, argument, state);
        return 0;
    case KEY_WHERE:
        option_list_add(&sweep->conditions, argument, state);
        return 0;
    case KEY_SENSITIVITY:
        sweep->sensitivity = parse_sensitivity(argument, state);
        return 0;
    case KEY_SHARD:
        parse_shard(&sweep->rounds, argument, state);
        return 0;
    case KEY_UNTIL:
        sweep->rounds.precision = options_percent(argument, "--replications-until", false, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is made of them, beside the comparison that is printed. */
static error_t parse_uses(struct sweep_options *sweep, int key, char *argument,
                          const struct argp_state *state)
{
    switch (key) {
    case KEY_JUNIT:
        sweep->junit = argument;
        return 0;
    case KEY_MARKDOWN:
        sweep->markdown = argument;
        return 0;
    case KEY_TRACE:
        sweep->trace = argument;
        return 0;
    case KEY_BASELINE:
        sweep->baseline.database = argument;
        return 0;
    case KEY_REGRESSION:
        sweep->baseline.allowed = options_percent(argument, "--max-regression", true, state);
        return 0;
    case KEY_METRIC:
        sweep->baseline.metric = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct sweep_options *sweep = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &sweep->scenario;
        state->child_inputs[1] = &sweep->running;
        sweep->baseline = (struct baseline_options){.allowed = -1, .confidence = 0.95};
        return 0;
    case KEY_DRY_RUN:
        sweep->dry_run = true;
        return 0;
    case KEY_JSON:
        sweep->json = true;
        return 0;
    case ARGP_KEY_END:
        if (sweep->sensitivity > 0 && (sweep->axes.count || sweep->conditions.count))
            argp_error(state, "--sensitivity stands in the place of axes: leave out --axis and --where");
        check_guard(sweep, state);
        return 0;
    default: {
        error_t taken = parse_points(sweep, key, argument, state);
        return taken == ARGP_ERR_UNKNOWN ? parse_uses(sweep, key, argument, state) : taken;
    }
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Simulate every strategy of SCENARIO at every point that its axes span, and compare them."
        "\vThe axes are those under `sweep' in the scenario and those of --axis; without any, the base "
        "point is run. Where the scenario sets learning.model, every run is replayed, too, as `trainstorm "
        "run' does. Runs that the database has from a study before are not run again: a sweep that was "
        "broken off goes on where it stopped. The status is 1 when an expectation of the scenario is missed.",
    .children = options_children,
};

/* Those of the point that are wanted. */
static size_t count_chosen(const struct plan_point *point, const bool *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++)
        count += chosen[point->first_run + i];
    return count;
}

/* What would be wrong with the sweep itself is wrong here, too. */
static int list_points(const struct plan *plan, const struct conduct_request *request)
{
    const struct rounds_options *rounds = &request->rounds;
    struct error error = {.kind = ERROR_NONE};
    if (!conduct_check_metric(plan, request->baseline.metric, &error))
        return show_error(&error);
    bool *chosen = calloc(plan->run_count + 1, sizeof *chosen);
    if (!chosen) {
        error_out_of_memory(&error, "the list of runs");
        return show_error(&error);
    }
    size_t runs = rounds_choose(plan, rounds, chosen), points = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        size_t count = count_chosen(point, chosen);
        points += count > 0;
        if (count)
            printf("%6zu runs at %s\n", count, *point->label ? point->label : "the base point");
    }
    printf("%6zu runs at %zu points in all", runs, points);
    if (rounds->precision > 0)
        printf(" at most");
    if (plan->left_out)
        printf(", %zu left out", plan->left_out);
    printf("\n");
    step_notes_write_doubts(plan->base);
    conduct_note_variations(plan);
    if (plan->variations.count)
        printf("%6zu parameters change; %zu that are 0 or not in force do not\n",
               plan->variations.fields - plan->idle_defaults, plan->variations.zeros + plan->idle_defaults);
    free(chosen);
    return STATUS_DONE;
}

static int sweep(const struct conduct_request *request, bool dry_run)
{
    struct error error = {.kind = ERROR_NONE};
    struct plan *plan = conduct_plan(request, &error);
    if (!plan)
        return show_error(&error);
    int status = STATUS_DONE;
    if (!dry_run)
        status = conduct(plan, request);
    else
        status = assembly_part(STATUS_DONE);
    if (dry_run && status == STATUS_DONE && channel_is_first()) /* the others would say the same */
        status = list_points(plan, request);
    plan_destroy(plan);
    return status;
}

static bool parse_axes(const struct option_list *list, struct scenario_axes *axes, struct error *error)
{
    for (size_t i = 0; i < list->count; i++)
        if (!scenario_axes_parse(list->items[i], axes, error))
            return false;
    return true;
}

static int sweep_axes(struct sweep_options *wanted, const char *command_line)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_axes axes = {0};
    int status;
    if (parse_axes(&wanted->axes, &axes, &error))
        status = sweep(&(struct conduct_request){.scenario = &wanted->scenario,
                                                 .running = &wanted->running,
                                                 .axes = &axes,
                                                 .conditions = &wanted->conditions,
                                                 .sweep = true,
                                                 .sensitivity = wanted->sensitivity,
                                                 .rounds = wanted->rounds,
                                                 .baseline = wanted->baseline,
                                                 .junit = wanted->junit,
                                                 .markdown = wanted->markdown,
                                                 .trace = wanted->trace,
                                                 .json = wanted->json,
                                                 .command_line = command_line},
                       wanted->dry_run);
    else
        status = show_error(&error);
    scenario_axes_free(&axes);
    return status;
}

int command_sweep(int argc, char **argv)
{
    struct sweep_options wanted = {0};
    char *command_line = options_command_line(argc, argv);
    argp_parse(&argp, argc, argv, 0, NULL, &wanted);
    int status = sweep_axes(&wanted, command_line ? command_line : argv[0]);
    options_scenario_free(&wanted.scenario);
    free(wanted.axes.items);
    free(wanted.conditions.items);
    free(command_line);
    return status;
}
