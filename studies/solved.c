#include "studies/solved.h"

#include "scenarios/question.h"
#include <math.h>
#include <stdlib.h>

/* The expectations about fields, and what is asked for each. */
struct asked {
    const struct scenario_expectation **expectations;
    struct solve_question *questions;
    size_t count;
};

/* As fine as the expectation needs it, and no finer. */
static double tolerance_of(const struct scenario_expectation *expectation)
{
    double allowed = !isnan(expectation->relative)    ? expectation->relative
                     : !isnan(expectation->tolerance) ? expectation->tolerance / fabs(expectation->value)
                                                      : SOLVE_USUAL_TOLERANCE;
    double tenth = allowed > 0 ? allowed / 10 : SOLVE_USUAL_TOLERANCE;
    return fmax(SOLVE_LEAST_TOLERANCE, fmin(SOLVE_USUAL_TOLERANCE, tenth));
}

static bool is_run(const struct plan *plan, const char *strategy)
{
    for (size_t point = 0; point < plan->point_count; point++)
        if (plan_has(plan, point, strategy))
            return true;
    return false;
}

static bool ask(const struct plan *plan, struct asked *asked, size_t *skipped)
{
    const struct scenario *base = plan->base;
    asked->expectations = calloc(base->expectation_count + 1, sizeof(struct scenario_expectation *));
    asked->questions = calloc(base->expectation_count + 1, sizeof *asked->questions);
    if (!asked->expectations || !asked->questions)
        return false;
    for (size_t i = 0; i < base->expectation_count; i++) {
        const struct scenario_expectation *expectation = &base->expectations[i];
        if (!expectation->solve)
            continue;
        if (!is_run(plan, expectation->strategy)) {
            ++*skipped;
            continue;
        }
        asked->expectations[asked->count] = expectation;
        asked->questions[asked->count++] = (struct solve_question){.strategy = expectation->strategy,
                                                                   .at = &expectation->at,
                                                                   .search = &expectation->search,
                                                                   .target = &expectation->target,
                                                                   .tolerance = tolerance_of(expectation)};
    }
    return true;
}

/* Between which values the answer lies, at the confidence of the means' intervals. */
static void set_interval(const struct scenario_search *search, const struct search_state *state,
                         struct expectation_result *result)
{
    bool known = state->status == SEARCH_FOUND && !isnan(state->between[0]);
    result->low = known ? search_value(search, state->between[0]) : NAN;
    result->high = known ? search_value(search, state->between[1]) : NAN;
}

static struct expectation_result judge(const struct scenario_expectation *expectation,
                                       const struct search_state *state)
{
    const struct scenario_search *search = &expectation->search;
    struct expectation_result result = {.expectation = expectation, .got = NAN, .status = state->status};
    double size;
    if (state->status == SEARCH_FOUND)
        result.got = search_value(search, search->points ? state->misses->position : state->meets->position);
    set_interval(search, state, &result);
    expectations_decide(&result);
    result.unit = scenario_published_unit(search->dimension, &size);
    result.wanted /= size;
    result.tolerance /= size;
    result.got /= size;
    result.low /= size;
    result.high /= size;
    return result;
}

static bool record(const struct trial_request *request, const struct solve_question *question,
                   const struct expectation_result *result, struct error *error)
{
    const struct scenario_expectation *expectation = result->expectation;
    char *point = solve_point_json(question, NAN);
    if (!point) {
        error_out_of_memory(error, "an expectation");
        return false;
    }
    const struct expectation_record row = {.strategy = expectation->strategy,
                                           .point = point,
                                           .metric = expectation->solve,
                                           .bound = expectations_bound(expectation),
                                           .wanted = result->wanted,
                                           .tolerance = result->tolerance,
                                           .got = result->got,
                                           .low = result->low,
                                           .high = result->high,
                                           .confidence = NAN,
                                           .met = result->met,
                                           .source = expectation->source,
                                           .until = expectation->until,
                                           .unit = result->unit};
    bool recorded = store_add_expectation(request->store, request->study, &row, error);
    free(point);
    return recorded;
}

static bool judge_all(const struct trial_request *request, const struct asked *asked,
                      const struct solve_results *solved, struct expectation_results *results,
                      struct error *error)
{
    for (size_t i = 0; i < asked->count; i++) {
        struct expectation_result result = judge(asked->expectations[i], &solved->answers[i].state);
        if (!expectations_append(results, &result, error) ||
            !record(request, &asked->questions[i], &result, error))
            return false;
        results->missed += !result.met;
    }
    return true;
}

bool solved_judge(const struct trial_request *request, struct expectation_results *results,
                  struct runner_outcome *runs, bool *interrupted, struct error *error)
{
    struct asked asked = {0};
    struct solve_results solved = {0};
    bool done = ask(request->plan, &asked, &results->skipped);
    if (!done)
        error_out_of_memory(error, "the expectations");
    if (done && asked.count) {
        done = solve_all(request, asked.questions, asked.count, &solved, error);
        *interrupted = solved.interrupted;
        runner_outcome_add(runs, &solved.runs);
        if (done && !solved.interrupted)
            done = judge_all(request, &asked, &solved, results, error);
    }
    results->solvable = 0; /* they have been */
    solve_free(&solved);
    free(asked.expectations);
    free(asked.questions);
    return done;
}

bool solved_check(const struct plan *plan, struct error *error)
{
    struct asked asked = {0};
    size_t skipped = 0;
    bool good = ask(plan, &asked, &skipped);
    if (!good)
        error_out_of_memory(error, "the expectations");
    good = good && (!asked.count || solve_check(plan, asked.questions, asked.count, error));
    free(asked.expectations);
    free(asked.questions);
    return good;
}
