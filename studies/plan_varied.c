/*
 * The points of a sensitivity analysis: the base, and a point for each change of one field. What the scenario
 * refuses of them is noted, and no fault of the plan's.
 */
#include "studies/plan_internal.h"

#include <stdlib.h>
#include <string.h>

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
    if (plan_create_point(point, settings, NULL, &quiet, &fault)) {
        plan->point_count++;
        return true;
    }
    plan_clear_point(point);
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

bool plan_create_varied_points(struct plan *plan, const struct plan_request *request, struct error *error)
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
    bool good = plan_create_point(&plan->points[0], &plan->settings[0], NULL, request, error);
    for (size_t i = 0; i < plan->variations.count && good; i++) {
        const struct scenario_variation *variation = &plan->variations.items[i];
        if (!variation->strategy || plan_wants(request, variation->strategy))
            good = create_varied_point(plan, variation, request, error);
    }
    forget_idle_defaults(plan);
    return good;
}
