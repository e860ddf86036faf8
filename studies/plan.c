/*
 * Axes first, then points, then the runs of each: a later step reads only what the earlier ones left.
 * The runs point into the points' scenarios, which live as long as the plan.
 */
#include "studies/plan_internal.h"

#include "scenarios/spelling.h"
#include <stdlib.h>
#include <string.h>

bool plan_wants(const struct plan_request *request, const char *strategy)
{
    for (size_t i = 0; i < request->strategy_count; i++)
        if (strcmp(request->strategies[i], strategy) == 0)
            return true;
    return request->strategy_count == 0;
}

/* The message helps with a slip, or else says what there is. */
static void refuse_strategy(const struct scenario *base, const char *file, const char *name,
                            struct error *error)
{
    const char *nearest = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < base->strategy_count; i++)
        spelling_consider(name, base->strategies[i].name, &nearest, &distance);
    if (nearest)
        error_set(error, ERROR_INPUT, "%s: no strategy is called \"%s\"; did you mean \"%s\"?", file, name,
                  nearest);
    else
        error_set(error, ERROR_INPUT, "%s: no strategy is called \"%s\"; the first one is \"%s\"", file, name,
                  base->strategies[0].name);
}

static bool check_strategies(const struct scenario *base, const struct plan_request *request,
                             struct error *error)
{
    for (size_t i = 0; i < request->strategy_count; i++)
        if (!scenario_strategy(base, request->strategies[i])) {
            refuse_strategy(base, request->text->name, request->strategies[i], error);
            return false;
        }
    return true;
}

static char reference_name[] = PLAN_REFERENCE;
static const struct all_reduce_options reference_options; /* neither elastic nor in need of it */

bool plan_learns(const struct scenario *scenario)
{
    return scenario->learning.model != PARAMETER_UNSET;
}

static struct strategy_config make_reference(void)
{
    return (struct strategy_config){
        .name = reference_name, .kind = STRATEGY_ALL_REDUCE, .options = (void *)&reference_options};
}

static bool set_reference(struct plan *plan, const char *file, struct error *error)
{
    plan->reference = make_reference();
    if (!plan_learns(plan->base) || !scenario_strategy(plan->base, PLAN_REFERENCE))
        return true;
    error_set(error, ERROR_INPUT,
              "%s: \"" PLAN_REFERENCE "\" is what a scenario with learning is measured against; call the "
              "strategy something else",
              file);
    return false;
}

/* The base as the study's record: with the axes that are swept rather than those of the file. */
static bool record_base(struct plan *plan, const struct axes *axes, bool sweep, struct error *error)
{
    struct scenario record = *plan->base;
    char **conditions = calloc(axes->condition_count + 1, sizeof *conditions);
    for (size_t i = 0; conditions && i < axes->condition_count; i++)
        conditions[i] = (char *)axes->conditions[i].text;
    if (sweep) {
        record.axes = axes->items;
        record.axis_count = axes->count;
        record.conditions = conditions;
        record.condition_count = axes->condition_count;
    }
    plan->resolved = conditions ? scenario_print(&record) : NULL;
    free(conditions);
    if (!plan->resolved) {
        error_out_of_memory(error, "the resolved scenario");
        return false;
    }
    scenario_digest(plan->resolved, plan->digest);
    return true;
}

static bool join_axes(const struct scenario *base, const struct plan_request *request, struct axes *axes,
                      struct error *error)
{
    return axes_join(base, request->axes, request->axis_count, request->conditions, request->condition_count,
                     axes, error);
}

static bool fill(struct plan *plan, const struct plan_request *request, struct axes *axes,
                 struct error *error)
{
    plan->base = scenario_create(request->text, request->overrides, request->override_count, error);
    return plan->base && set_reference(plan, request->text->name, error) &&
           plan_check_learning(plan->base, NULL, error) && check_strategies(plan->base, request, error) &&
           (!request->sweep || request->sensitivity > 0 || join_axes(plan->base, request, axes, error)) &&
           record_base(plan, axes, request->sweep, error) && plan_set_steering(plan, plan->base, error) &&
           (request->sensitivity > 0 ? plan_create_varied_points(plan, request, error)
                                     : plan_create_points(plan, axes, request, error)) &&
           plan_create_runs(plan, request, error);
}

struct plan *plan_create(const struct plan_request *request, struct error *error)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        error_out_of_memory(error, "the plan");
        return NULL;
    }
    struct axes axes = {0};
    bool filled = fill(plan, request, &axes, error);
    axes_free(&axes);
    if (filled)
        return plan;
    plan_destroy(plan);
    return NULL;
}

/* The strategy that CHOICE names at the plan's POINT; NULL with a fault. */
static const struct strategy_config *chosen_strategy(const struct plan *plan, size_t point,
                                                     const struct plan_choice *choice, const char *file,
                                                     struct error *error)
{
    const struct scenario *scenario = plan->points[point].scenario;
    const struct strategy_config *strategy = scenario_strategy(scenario, choice->strategy);
    if (!strategy && plan_learns(scenario) && strcmp(choice->strategy, PLAN_REFERENCE) == 0)
        return &plan->reference;
    if (!strategy)
        refuse_strategy(scenario, file, choice->strategy, error);
    return strategy;
}

/* Makes the replications of POINT those that come AFRESH times as many later. */
static void take_others(struct plan *plan, const struct plan_point *point, int64_t afresh)
{
    for (size_t i = 0; i < point->run_count; i++)
        plan->runs[point->first_run + i].replication += (uint32_t)(afresh * point->scenario->replications);
}

static bool choose_runs(struct plan *plan, const struct plan_request *request,
                        const struct plan_choice *choices, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        plan->point_count++; /* so that what there is of the point is freed with the plan */
        if (!plan_create_point(&plan->points[i], choices[i].settings, NULL, request, error))
            return false;
        plan->run_count += (size_t)plan->points[i].scenario->replications;
        plan->identity_count++;
    }
    if (!plan_reserve_runs(plan, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct strategy_config *strategy =
            chosen_strategy(plan, i, &choices[i], request->text->name, error);
        if (!strategy)
            return false;
        if (!plan_add_runs(plan, i, strategy)) {
            error_out_of_memory(error, "the study's runs");
            return false;
        }
        take_others(plan, &plan->points[i], choices[i].afresh);
    }
    return true;
}

struct plan *plan_create_chosen(const struct scenario_text *text, const struct plan_choice *choices,
                                size_t count, struct error *error)
{
    const struct plan_request request = {.text = text, .origin = "solve"};
    struct plan *plan = calloc(1, sizeof *plan);
    if (plan)
        plan->points = calloc(count + 1, sizeof *plan->points);
    if (!plan || !plan->points) {
        error_out_of_memory(error, "the plan");
        plan_destroy(plan);
        return NULL;
    }
    plan->reference = make_reference();
    struct scenario *base = scenario_create(text, NULL, 0, error);
    bool chosen =
        base && plan_set_steering(plan, base, error) && choose_runs(plan, &request, choices, count, error);
    scenario_destroy(base);
    if (chosen)
        return plan;
    plan_destroy(plan);
    return NULL;
}

bool plan_has(const struct plan *plan, size_t point, const char *strategy)
{
    const struct plan_run *runs = plan->runs + plan->points[point].first_run;
    for (size_t i = 0; i < plan->points[point].run_count; i++)
        if (strcmp(runs[i].strategy->name, strategy) == 0)
            return true;
    return false;
}

void plan_destroy(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; plan->points && i < plan->point_count; i++)
        plan_clear_point(&plan->points[i]);
    for (size_t i = 0; i < plan->refusal_count; i++)
        free(plan->refusals[i].message);
    free(plan->refusals);
    scenario_variations_free(&plan->variations);
    if (plan->settings)
        scenario_points_free(plan->settings, plan->point_count);
    for (size_t i = 0; plan->steering && i < plan->steering_count; i++)
        free(plan->steering[i]);
    free(plan->steering);
    free(plan->identities);
    free(plan->points);
    free(plan->runs);
    free(plan->resolved);
    scenario_destroy(plan->base);
    free(plan);
}
