/*
 * Axes first, then points, then the runs of each: a later step reads only what the earlier ones left.
 * The runs point into the points' scenarios, which live as long as the plan.
 */
#include "studies/plan.h"

#include "models/learning/replay.h"
#include "scenarios/spelling.h"
#include "studies/axes.h"
#include "studies/identity.h"
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct plan_request *request, const char *strategy)
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

static bool learns(const struct scenario *scenario)
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
    if (!learns(plan->base) || !scenario_strategy(plan->base, PLAN_REFERENCE))
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

/* With the AXES that the point is of: without those that move with an earlier one. */
static char *point_label(const struct scenario_point *settings, const struct axes *axes)
{
    char *label = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&label, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < settings->count; i++)
        if (!axes || !axes->items[i].locked)
            fprintf(out, "%s%s=%s", i ? ", " : "", settings->settings[i].path, settings->settings[i].value);
    return fclose(out) == 0 ? label : (free(label), NULL);
}

/* Who asks for the setting, for messages. */
static const char *origin_of(const struct plan_request *request, const struct scenario_setting *setting)
{
    if (request->origin)
        return request->origin;
    return axes_find(request->axes, request->axis_count, setting->path) ? "--axis" : "sweep";
}

/* What is laid over the file at a point: the request's overrides, then the point's own settings. The caller
 * frees it; NULL when out of memory. */
static struct scenario_override *lay(const struct plan_request *request,
                                     const struct scenario_point *settings, size_t *count,
                                     struct error *error)
{
    *count = request->override_count + settings->count;
    struct scenario_override *overrides = calloc(*count + 1, sizeof *overrides);
    if (!overrides) {
        error_out_of_memory(error, "a point of the sweep");
        return NULL;
    }
    for (size_t i = 0; i < request->override_count; i++)
        overrides[i] = request->overrides[i];
    for (size_t i = 0; i < settings->count; i++) {
        const struct scenario_setting *setting = &settings->settings[i];
        overrides[request->override_count + i] =
            (struct scenario_override){setting->path, setting->value, origin_of(request, setting)};
    }
    return overrides;
}

static struct scenario *resolve(const struct plan_request *request, const struct scenario_point *settings,
                                struct error *error)
{
    size_t count;
    struct scenario_override *overrides = lay(request, settings, &count, error);
    struct scenario *scenario = overrides ? scenario_create(request->text, overrides, count, error) : NULL;
    free(overrides);
    return scenario;
}

/* Whether the sweep's conditions let the point in. False with a fault. */
static bool admits(const struct plan_request *request, const struct axes *axes,
                   const struct scenario_point *settings, bool *admitted, struct error *error)
{
    size_t count;
    *admitted = true;
    if (!axes->condition_count)
        return true;
    struct scenario_override *overrides = lay(request, settings, &count, error);
    bool good = overrides && scenario_admits(request->text, overrides, count, axes->conditions,
                                             axes->condition_count, admitted, error);
    free(overrides);
    return good;
}

/* Better a refusal now than after hours of simulation. Points that learn as the base does are not looked at
 * again. */
static bool check_learning(const struct scenario *scenario, const struct scenario_point *settings,
                           struct error *error)
{
    bool differs = settings == NULL;
    for (size_t i = 0; settings && i < settings->count; i++)
        differs |= strncmp(settings->settings[i].path, "learning.", strlen("learning.")) == 0;
    return !differs || !learns(scenario) || replay_check(&scenario->learning, scenario->seed, error);
}

static void refuse_point(const struct scenario_point *settings, const struct error *fault,
                         struct error *error)
{
    char *label = settings->count ? point_label(settings, NULL) : NULL;
    error_set(error, fault->kind, label ? "%s\n    at the point %s" : "%s", fault->message, label);
    free(label);
}

static bool create_point(struct plan_point *point, const struct scenario_point *settings,
                         const struct axes *axes, const struct plan_request *request, struct error *error)
{
    point->settings = settings;
    point->json = scenario_point_json(settings);
    point->label = point_label(settings, NULL);
    point->heading = point_label(settings, axes);
    if (!point->json || !point->label || !point->heading) {
        error_out_of_memory(error, "a point of the sweep");
        return false;
    }
    struct error fault = {.kind = ERROR_NONE};
    point->scenario = resolve(request, settings, &fault);
    if (!point->scenario || !check_learning(point->scenario, settings, &fault)) {
        refuse_point(settings, &fault, error);
        return false;
    }
    point->failure_free = point->scenario->simulation;
    simulation_let_nothing_fail(&point->failure_free);
    return true;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep(void *node)
{
    (void)node; /* the tree's keys are the points' */
}

/* Two equal points would be one point with twice the replications, and equal ones at that. */
static bool points_differ(const struct plan *plan, struct error *error)
{
    void *seen = NULL;
    bool differ = true;
    for (size_t i = 0; i < plan->point_count && differ; i++) {
        char *json = plan->points[i].json;
        char *const *found = tsearch(json, &seen, compare_text);
        if (!found) {
            error_out_of_memory(error, "the points of the sweep");
            differ = false;
        } else if (*found != json) {
            error_set(error, ERROR_INPUT, "the sweep has the point %s twice", json);
            differ = false;
        }
    }
    tdestroy(seen, keep);
    return differ;
}

/* Keeps of the points those that the conditions let in. */
static bool leave_out(struct plan *plan, const struct axes *axes, const struct plan_request *request,
                      struct error *error)
{
    const size_t count = plan->point_count;
    struct error fault = {.kind = ERROR_NONE};
    bool good = true, admitted;
    plan->point_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct scenario_point point = plan->settings[i];
        if (good && !admits(request, axes, &point, &admitted, &fault)) {
            refuse_point(&point, &fault, error);
            good = false;
        }
        if (good && admitted)
            plan->settings[plan->point_count++] = point;
        else
            scenario_point_free(&point);
    }
    plan->left_out = count - plan->point_count;
    if (good && !plan->point_count)
        error_set(error, ERROR_INPUT, "%s: none of the sweep's %zu points meets what \"where\" says",
                  request->text->name, count);
    return good && plan->point_count;
}

static bool create_points(struct plan *plan, const struct axes *axes, const struct plan_request *request,
                          struct error *error)
{
    if (!scenario_points_create(axes->items, axes->count, &plan->settings, &plan->point_count, error) ||
        !leave_out(plan, axes, request, error))
        return false;
    plan->points = calloc(plan->point_count + 1, sizeof *plan->points);
    if (!plan->points) {
        error_out_of_memory(error, "the points of the sweep");
        return false;
    }
    for (size_t i = 0; i < plan->point_count; i++)
        if (!create_point(&plan->points[i], &plan->settings[i], axes, request, error))
            return false;
    return points_differ(plan, error);
}

/* The first fault of FAULT's, without its place. The caller frees; NULL when out of memory. */
static char *first_fault(const struct error *fault)
{
    const char *text = fault->message, *place = strstr(text, ": ");
    size_t length = strcspn(text, "\n");
    if (place && place < text + length) {
        length -= (size_t)(place + 2 - text);
        text = place + 2;
    }
    return strndup(text, length);
}

/* Points are freed with the plan on their own, and so they are copies. */
static bool copy_setting(const struct scenario_setting *setting, struct scenario_point *point)
{
    point->settings = calloc(1, sizeof *point->settings);
    if (!point->settings)
        return false;
    point->count = 1;
    point->settings[0] = (struct scenario_setting){strdup(setting->path), strdup(setting->value)};
    return point->settings[0].path && point->settings[0].value;
}

static bool refuse_variation(struct plan *plan, const struct scenario_variation *variation,
                             const struct error *fault, struct error *error)
{
    char *message = first_fault(fault);
    plan->refusals[plan->refusal_count++] = (struct plan_refusal){variation, message};
    if (!message)
        error_out_of_memory(error, "a point of the sweep");
    return message != NULL;
}

static void clear_point(struct plan_point *point)
{
    free(point->json);
    free(point->label);
    free(point->heading);
    scenario_destroy(point->scenario);
    *point = (struct plan_point){0};
}

/* The next point, with one field changed; what the scenario refuses is noted. */
static bool create_varied_point(struct plan *plan, const struct scenario_variation *variation,
                                const struct plan_request *request, struct error *error)
{
    const struct plan_request quiet = {.text = request->text,
                                       .overrides = request->overrides,
                                       .override_count = request->override_count,
                                       .origin = "--sensitivity"};
    struct error fault = {.kind = ERROR_NONE};
    struct plan_point *point = &plan->points[plan->point_count];
    struct scenario_point *settings = &plan->settings[plan->point_count];
    if (!copy_setting(&variation->setting, settings)) {
        scenario_point_free(settings);
        *settings = (struct scenario_point){0};
        error_out_of_memory(error, "a point of the sweep");
        return false;
    }
    point->strategy = variation->strategy;
    if (create_point(point, settings, NULL, &quiet, &fault)) {
        plan->point_count++;
        return true;
    }
    clear_point(point);
    scenario_point_free(settings);
    *settings = (struct scenario_point){0};
    if (fault.kind == ERROR_INPUT)
        return refuse_variation(plan, variation, &fault, error);
    *error = fault;
    return false;
}

static bool has_point(const struct plan *plan, const char *path)
{
    for (size_t i = 1; i < plan->point_count; i++)
        if (strcmp(plan->settings[i].settings->path, path) == 0)
            return true;
    return false;
}

/* A field that nobody gave, and for which no other value goes with the scenario, has no part in it: another
 * one says the same, or what it belongs to is not there. */
static void forget_idle_defaults(struct plan *plan)
{
    const char *last = "";
    size_t kept = 0;
    for (size_t i = 0; i < plan->refusal_count; i++) {
        const struct scenario_variation *variation = plan->refusals[i].variation;
        if (variation->given || has_point(plan, variation->setting.path)) {
            plan->refusals[kept++] = plan->refusals[i];
            continue;
        }
        free(plan->refusals[i].message);
        plan->idle_defaults += strcmp(variation->setting.path, last) != 0;
        last = variation->setting.path;
    }
    plan->refusal_count = kept;
}

/* The base point, then those where one number is changed. */
static bool create_varied_points(struct plan *plan, const struct plan_request *request, struct error *error)
{
    if (!scenario_vary(request->text, request->overrides, request->override_count, request->sensitivity,
                       &plan->variations, error))
        return false;
    const size_t most = plan->variations.count + 1;
    plan->settings = calloc(most, sizeof *plan->settings);
    plan->points = calloc(most, sizeof *plan->points);
    plan->refusals = calloc(most, sizeof *plan->refusals);
    if (!plan->settings || !plan->points || !plan->refusals) {
        error_out_of_memory(error, "the points of the sweep");
        return false;
    }
    plan->point_count = 1;
    bool good = create_point(&plan->points[0], &plan->settings[0], NULL, request, error);
    for (size_t i = 0; i < plan->variations.count && good; i++) {
        const struct scenario_variation *variation = &plan->variations.items[i];
        if (!variation->strategy || is_wanted(request, variation->strategy))
            good = create_varied_point(plan, variation, request, error);
    }
    forget_idle_defaults(plan);
    return good;
}

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
            if (is_wanted(request, scenario->strategies[i].name) &&
                runs_at(&plan->points[point], scenario->strategies[i].name) &&
                !visit(plan, point, &scenario->strategies[i]))
                return false;
        if (learns(scenario) && !visit(plan, point, &plan->reference))
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

/* What is the same at all points is written once. */
static bool set_steering(struct plan *plan, const struct scenario *base, struct error *error)
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

/* False when out of memory. */
static bool add_runs(struct plan *plan, size_t point, const struct strategy_config *strategy)
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

/* Room for as many as were counted; then there are none yet. */
static bool reserve_runs(struct plan *plan, struct error *error)
{
    plan->runs = calloc(plan->run_count + 1, sizeof *plan->runs);
    plan->identities = calloc(plan->identity_count + 1, sizeof *plan->identities);
    plan->run_count = plan->identity_count = 0;
    if (plan->runs && plan->identities)
        return true;
    error_out_of_memory(error, "the study's runs");
    return false;
}

static bool create_runs(struct plan *plan, const struct plan_request *request, struct error *error)
{
    if (!for_each_strategy(plan, request, count_runs)) {
        error_set(error, ERROR_INPUT, "%s: the study has more than %d runs", request->text->name,
                  PLAN_MOST_RUNS);
        return false;
    }
    if (!reserve_runs(plan, error))
        return false;
    if (!for_each_strategy(plan, request, add_runs)) {
        error_out_of_memory(error, "the study's runs");
        return false;
    }
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
           check_learning(plan->base, NULL, error) && check_strategies(plan->base, request, error) &&
           (!request->sweep || request->sensitivity > 0 || join_axes(plan->base, request, axes, error)) &&
           record_base(plan, axes, request->sweep, error) && set_steering(plan, plan->base, error) &&
           (request->sensitivity > 0 ? create_varied_points(plan, request, error)
                                     : create_points(plan, axes, request, error)) &&
           create_runs(plan, request, error);
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
    if (!strategy && learns(scenario) && strcmp(choice->strategy, PLAN_REFERENCE) == 0)
        return &plan->reference;
    if (!strategy)
        refuse_strategy(scenario, file, choice->strategy, error);
    return strategy;
}

static bool choose_runs(struct plan *plan, const struct plan_request *request,
                        const struct plan_choice *choices, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        plan->point_count++; /* so that what there is of the point is freed with the plan */
        if (!create_point(&plan->points[i], choices[i].settings, NULL, request, error))
            return false;
        plan->run_count += (size_t)plan->points[i].scenario->replications;
        plan->identity_count++;
    }
    if (!reserve_runs(plan, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct strategy_config *strategy =
            chosen_strategy(plan, i, &choices[i], request->text->name, error);
        if (!strategy)
            return false;
        if (!add_runs(plan, i, strategy)) {
            error_out_of_memory(error, "the study's runs");
            return false;
        }
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
        base && set_steering(plan, base, error) && choose_runs(plan, &request, choices, count, error);
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
        clear_point(&plan->points[i]);
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
