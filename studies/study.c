#include "studies/study.h"

#include "results/json.h"
#include "studies/solved.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The names of the scenario's strategies as a JSON list. The caller frees; NULL when out of memory. */
static char *strategies_json(const struct scenario *scenario)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputc('[', out);
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        json_separate(out, i);
        json_string(out, scenario->strategies[i].name);
    }
    fputc(']', out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static bool add_study(const struct study_request *request, struct store *store, int64_t *study,
                      struct error *error)
{
    char host[256] = "", *strategies = strategies_json(request->plan->base);
    if (!strategies) {
        error_out_of_memory(error, "the study's strategies");
        return false;
    }
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "unknown");
    struct study_record record = {.name = request->plan->base->name,
                                  .scenario = request->plan->resolved,
                                  .scenario_sha256 = request->plan->digest,
                                  .version = request->version,
                                  .command_line = request->command_line,
                                  .host = host,
                                  .strategies = strategies,
                                  .shard = (int64_t)request->rounds.shard,
                                  .shards = (int64_t)request->rounds.shards};
    *study = store_add_study(store, &record, error);
    free(strategies);
    return *study >= 0;
}

static struct runner_options runner_of(const struct study_request *request)
{
    struct runner_options runner = request->runner;
    runner.version = request->version;
    return runner;
}

static struct trial_request trial_of(const struct study_request *request, struct store *store, int64_t study)
{
    return (struct trial_request){.plan = request->plan,
                                  .store = store,
                                  .study = study,
                                  .runner = runner_of(request),
                                  .learning = request->learning};
}

static bool run(const struct study_request *request, struct store *store, struct study_outcome *outcome,
                struct error *error)
{
    const struct runner_options runner = runner_of(request);
    struct rounds_outcome rounds;
    bool done = rounds_run(request->plan, store, outcome->study, &runner, &request->rounds, &rounds, error);
    outcome->runs = rounds.runs;
    outcome->figures = rounds.figures;
    outcome->wide = rounds.wide;
    return done;
}

static bool learns(const struct plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->point_count; i++)
        any |= plan->points[i].scenario->learning.model != PARAMETER_UNSET;
    return any;
}

/* What the runs would have learned, where their scenario asks for it. */
static bool replay(const struct study_request *request, struct store *store, struct study_outcome *outcome,
                   struct error *error)
{
    if (!learns(request->plan) || outcome->runs.interrupted)
        return true;
    return learning_replay(store, outcome->study, -1, &request->learning, &outcome->learning, error);
}

/* Against the figures of the runs, then against what fields have to be. */
static bool judge(const struct study_request *request, struct store *store, struct study_outcome *outcome,
                  struct error *error)
{
    const struct trial_request solve = trial_of(request, store, outcome->study);
    return expectations_judge(request->plan, store, outcome->study, &outcome->expectations, error) &&
           (!request->solve ||
            solved_judge(&solve, &outcome->expectations, &outcome->runs, &outcome->interrupted, error));
}

bool study_run(const struct study_request *request, struct store *store, struct study_outcome *outcome,
               struct error *error)
{
    *outcome = (struct study_outcome){.study = -1};
    if (!add_study(request, store, &outcome->study, error) || !run(request, store, outcome, error) ||
        !replay(request, store, outcome, error) || !store_summarise(store, outcome->study, error))
        return false;
    outcome->interrupted = outcome->runs.interrupted || outcome->learning.interrupted;
    return outcome->interrupted || request->rounds.shards || judge(request, store, outcome, error);
}

bool study_solve(const struct study_request *request, struct store *store,
                 const struct solve_question *questions, size_t count, int64_t *study,
                 struct solve_results *results, struct error *error)
{
    *results = (struct solve_results){0};
    if (!solve_check(request->plan, questions, count, error) || !add_study(request, store, study, error))
        return false;
    const struct trial_request solve = trial_of(request, store, *study);
    return solve_all(&solve, questions, count, results, error);
}

bool study_tune(const struct study_request *request, struct store *store, const struct scenario_goal *goal,
                const char *const *strategies, size_t count, int64_t *study, struct tune_results *results,
                struct error *error)
{
    *results = (struct tune_results){0};
    if (!tune_check(request->plan, goal, error) || !add_study(request, store, study, error))
        return false;
    const struct trial_request solve = trial_of(request, store, *study);
    return tune_all(&solve, goal, strategies, count, results, error);
}

/* The text is the caller's to free. */
static bool calibrate_text(const struct study_request *request, struct store *store,
                           const struct scenario_ranges *ranges, const struct scenario_figures *figures,
                           const struct scenario_text *text, int64_t *study,
                           struct calibrate_results *results, struct error *error)
{
    const struct trial_request unstored = {.plan = request->plan};
    const struct deviations deviations = {
        .request = &unstored, .text = text, .ranges = ranges, .figures = figures};
    if (!deviations_check(&deviations, error) || !add_study(request, store, study, error))
        return false;
    const struct trial_request trial = trial_of(request, store, *study);
    bool done = calibrate(&trial, text, ranges, figures, results, error);
    results->deviations.request = NULL;
    results->deviations.text = NULL;
    return done;
}

bool study_calibrate(const struct study_request *request, struct store *store,
                     const struct scenario_ranges *ranges, const struct scenario_figures *figures,
                     int64_t *study, struct calibrate_results *results, struct error *error)
{
    struct scenario_text text;
    *results = (struct calibrate_results){0};
    if (!trial_text(request->plan->base, &text, error))
        return false;
    bool done = calibrate_text(request, store, ranges, figures, &text, study, results, error);
    free(text.bytes);
    return done;
}

void study_outcome_free(struct study_outcome *outcome)
{
    expectations_free(&outcome->expectations);
}
