/*
 * The points of the axes, each with its scenario resolved; what is wrong with one is told with its settings.
 */
#include "studies/plan_internal.h"

#include "models/learning/replay.h"
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool plan_check_learning(const struct scenario *scenario, const struct scenario_point *settings,
                         struct error *error)
{
    bool differs = settings == NULL;
    for (size_t i = 0; settings && i < settings->count; i++)
        differs |= strncmp(settings->settings[i].path, "learning.", strlen("learning.")) == 0;
    return !differs || !plan_learns(scenario) || replay_check(&scenario->learning, scenario->seed, error);
}

static void refuse_point(const struct scenario_point *settings, const struct error *fault,
                         struct error *error)
{
    char *label = settings->count ? point_label(settings, NULL) : NULL;
    error_set(error, fault->kind, label ? "%s\n    at the point %s" : "%s", fault->message, label);
    free(label);
}

bool plan_create_point(struct plan_point *point, const struct scenario_point *settings,
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
    if (!point->scenario || !plan_check_learning(point->scenario, settings, &fault)) {
        refuse_point(settings, &fault, error);
        return false;
    }
    point->failure_free = point->scenario->simulation;
    simulation_let_nothing_fail(&point->failure_free);
    return true;
}

void plan_clear_point(struct plan_point *point)
{
    free(point->json);
    free(point->label);
    free(point->heading);
    scenario_destroy(point->scenario);
    *point = (struct plan_point){0};
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

bool plan_create_points(struct plan *plan, const struct axes *axes, const struct plan_request *request,
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
        if (!plan_create_point(&plan->points[i], &plan->settings[i], axes, request, error))
            return false;
    return points_differ(plan, error);
}
