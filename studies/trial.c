#include "studies/trial.h"

#include "scenarios/question.h"
#include <stdlib.h>
#include <string.h>

bool trial_text(const struct scenario *base, struct scenario_text *text, struct error *error)
{
    struct scenario bare = *base;
    bare.expectation_count = 0;
    bare.axis_count = 0;
    bare.condition_count = 0;
    *text = (struct scenario_text){.name = base->name, .bytes = scenario_print(&bare)};
    if (!text->bytes) {
        error_out_of_memory(error, "the scenario");
        return false;
    }
    text->length = strlen(text->bytes);
    return true;
}

static bool add_setting(struct scenario_point *point, const char *path, char *value)
{
    struct scenario_setting *setting = &point->settings[point->count++];
    *setting = (struct scenario_setting){strdup(path), value};
    return setting->path && setting->value;
}

bool trial_point(const struct scenario_point *beside, const struct scenario_search *searches, size_t count,
                 const double *values, struct scenario_point *point)
{
    size_t fixed = beside ? beside->count : 0;
    *point = (struct scenario_point){.settings = calloc(fixed + count + 1, sizeof *point->settings)};
    bool good = point->settings != NULL;
    for (size_t i = 0; i < fixed && good; i++)
        good = add_setting(point, beside->settings[i].path, strdup(beside->settings[i].value));
    for (size_t i = 0; i < count && good; i++)
        good = add_setting(point, searches[i].path, scenario_search_text(&searches[i], values[i]));
    if (!good) {
        scenario_point_free(point);
        *point = (struct scenario_point){0};
    }
    return good;
}

/* What was run stands in the summary, at least with the shares of its budget. */
bool trial_has_run(const struct trial_request *request, const char *strategy, const char *json)
{
    struct store_mean mean;
    return request->store &&
           store_mean(request->store, request->study, strategy, json, "share:useful", &mean);
}

bool trial_check(const struct scenario_text *text, const struct plan_choice *choices, size_t count,
                 struct error *error)
{
    struct plan *plan = plan_create_chosen(text, choices, count, error);
    plan_destroy(plan);
    return plan != NULL;
}

static bool run_plan(const struct trial_request *request, const struct plan *plan,
                     struct runner_outcome *runs, bool *interrupted, struct error *error)
{
    struct runner_outcome outcome;
    if (!runner_run(plan, request->store, request->study, &request->runner, &outcome, error))
        return false;
    runner_outcome_add(runs, &outcome);
    *interrupted = outcome.interrupted;
    if (outcome.failed && !outcome.interrupted) {
        error_set(error, outcome.failure.kind, "%s", outcome.failure.message);
        return false;
    }
    return true;
}

static bool replay(const struct trial_request *request, bool *interrupted, struct error *error)
{
    struct learning_outcome outcome;
    if (*interrupted || !scenario_learns(request->plan->base))
        return true;
    if (!learning_replay(request->store, request->study, -1, &request->learning, &outcome, error))
        return false;
    *interrupted = outcome.interrupted;
    return true;
}

bool trial_run(const struct trial_request *request, const struct scenario_text *text,
               const struct plan_choice *choices, size_t count, struct runner_outcome *runs,
               bool *interrupted, struct error *error)
{
    struct plan *plan = plan_create_chosen(text, choices, count, error);
    if (!plan)
        return false;
    bool done = run_plan(request, plan, runs, interrupted, error) && replay(request, interrupted, error) &&
                store_summarise(request->store, request->study, error);
    plan_destroy(plan);
    return done;
}
