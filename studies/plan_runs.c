/*
 * The runs of the points: each strategy's replications, what they are known by, and about how long they take.
 */
#include "studies/plan_internal.h"

#include "studies/identity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* About how many events a run takes: the failures of its chips and the steps of its learners. Good enough
 * to tell long runs from short ones; terms that the scenario leaves to be computed are left out. */
static double estimate_work(const struct scenario *scenario, const struct strategy_config *strategy)
{
    const struct simulation_config *simulation = &scenario->simulation;
    double seconds = sim_time_to_seconds(simulation->duration);
    double work = 1;
    double failures = seconds * (double)simulation->cluster.chips / simulation->failures.chip.mean;
    if (simulation->failures.enabled && isfinite(failures))
        work += failures;
    if (simulation->workload.step_time > 0)
        work += seconds / sim_time_to_seconds(simulation->workload.step_time) *
                (double)strategy_learners(strategy)->learners;
    return work;
}

static bool runs_at(const struct plan_point *point, const char *strategy)
{
    return !point->strategy || strcmp(point->strategy, strategy) == 0;
}

/* Calls VISIT for every strategy of every point that is to run; stops where it says false. */
static bool for_each_strategy(struct plan *plan, const struct plan_request *request,
                              bool (*visit)(struct plan *, size_t, const struct strategy_config *))
{
    for (size_t point = 0; point < plan->point_count; point++) {
        const struct scenario *scenario = plan->points[point].scenario;
        for (size_t i = 0; i < scenario->strategy_count; i++)
            if (plan_wants(request, scenario->strategies[i].name) &&
                runs_at(&plan->points[point], scenario->strategies[i].name) &&
                !visit(plan, point, &scenario->strategies[i]))
                return false;
        if (plan_learns(scenario) && !visit(plan, point, &plan->reference))
            return false;
    }
    return true;
}

static bool count_runs(struct plan *plan, size_t point, const struct strategy_config *strategy)
{
    (void)strategy;
    int64_t replications = plan->points[point].scenario->replications;
    if (replications > PLAN_MOST_RUNS - (int64_t)plan->run_count)
        return false;
    plan->run_count += (size_t)replications;
    plan->identity_count++;
    return true;
}

bool plan_set_steering(struct plan *plan, const struct scenario *base, struct error *error)
{
    plan->steering = calloc(base->strategy_count + 1, sizeof *plan->steering);
    plan->steering_count = base->strategy_count + 1;
    bool good = plan->steering != NULL;
    for (size_t i = 0; i < plan->steering_count && good; i++) {
        bool reference = i == base->strategy_count;
        plan->steering[i] =
            identity_text(base, reference ? &plan->reference : &base->strategies[i], reference);
        good = plan->steering[i] != NULL;
    }
    if (!good)
        error_out_of_memory(error, "what the runs are known by");
    return good;
}

/* The identity of the runs that STRATEGY has at POINT; NULL when out of memory. A point changes strategies,
 * but not how many there are. */
static const char *identify(struct plan *plan, const struct plan_point *point,
                            const struct strategy_config *strategy)
{
    size_t number = plan->steering_count - 1;
    if (strategy != &plan->reference)
        number = (size_t)(strategy - point->scenario->strategies);
    char *digest = plan->identities[plan->identity_count++];
    return identity_digest(plan->steering[number], point->settings, point->json, digest) ? digest : NULL;
}

bool plan_add_runs(struct plan *plan, size_t point, const struct strategy_config *strategy)
{
    const struct scenario *scenario = plan->points[point].scenario;
    double work = estimate_work(scenario, strategy);
    if (plan->points[point].run_count == 0)
        plan->points[point].first_run = plan->run_count;
    const struct simulation_config *simulation =
        strategy == &plan->reference ? &plan->points[point].failure_free : &scenario->simulation;
    const char *identity = identify(plan, &plan->points[point], strategy);
    for (int64_t i = 0; i < scenario->replications && identity; i++)
        plan->runs[plan->run_count++] =
            (struct plan_run){point, simulation, strategy, (uint32_t)i, work, identity};
    plan->points[point].run_count += identity ? (size_t)scenario->replications : 0;
    return identity != NULL;
}

bool plan_reserve_runs(struct plan *plan, struct error *error)
{
    plan->runs = calloc(plan->run_count + 1, sizeof *plan->runs);
    plan->identities = calloc(plan->identity_count + 1, sizeof *plan->identities);
    plan->run_count = plan->identity_count = 0;
    if (plan->runs && plan->identities)
        return true;
    error_out_of_memory(error, "the study's runs");
    return false;
}

bool plan_create_runs(struct plan *plan, const struct plan_request *request, struct error *error)
{
    if (!for_each_strategy(plan, request, count_runs)) {
        error_set(error, ERROR_INPUT, "%s: the study has more than %d runs", request->text->name,
                  PLAN_MOST_RUNS);
        return false;
    }
    if (!plan_reserve_runs(plan, error))
        return false;
    if (!for_each_strategy(plan, request, plan_add_runs)) {
        error_out_of_memory(error, "the study's runs");
        return false;
    }
    return true;
}
