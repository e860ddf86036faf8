/*
 * Points are compared in the form that the database keeps, one setting at a time, so that "1 d" agrees with
 * "24 h" and an expectation may name some of a point's settings only.
 */
#include "studies/expectations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far beyond its tolerance a figure may be for rounding's sake: 0.92 is within 0.04 of 0.88. */
#define ROUNDING 1e-9

/* False when out of memory. */
static bool same_setting(const struct scenario_setting *a, const struct scenario_setting *b, bool *same)
{
    *same = false;
    if (strcmp(a->path, b->path) != 0)
        return true;
    char *left = scenario_point_json(&(struct scenario_point){(struct scenario_setting *)a, 1});
    char *right = scenario_point_json(&(struct scenario_point){(struct scenario_setting *)b, 1});
    bool compared = left && right;
    if (compared)
        *same = strcmp(left, right) == 0;
    free(left);
    free(right);
    return compared;
}

/* Whether POINT has every setting of AT. False when out of memory. */
static bool agrees(const struct scenario_point *point, const struct scenario_point *at, bool *agreed)
{
    *agreed = true;
    for (size_t i = 0; i < at->count && *agreed; i++) {
        *agreed = false;
        for (size_t j = 0; j < point->count && !*agreed; j++)
            if (!same_setting(&at->settings[i], &point->settings[j], agreed))
                return false;
    }
    return true;
}

/* What the figure is compared with. */
static void want(const struct scenario_expectation *expectation, struct expectation_result *result)
{
    double minimum = expectation->minimum, maximum = expectation->maximum;
    result->tolerance = NAN;
    if (!isnan(expectation->value)) {
        result->wanted = expectation->value;
        result->tolerance = isnan(expectation->tolerance) ? expectation->relative * fabs(expectation->value)
                                                          : expectation->tolerance;
        if (isnan(result->tolerance)) /* the figure itself, and nothing beside it */
            result->tolerance = 0;
    } else if (!isnan(minimum) && !isnan(maximum)) {
        result->wanted = (minimum + maximum) / 2;
        result->tolerance = (maximum - minimum) / 2;
    } else {
        result->wanted = isnan(minimum) ? maximum : minimum;
    }
}

static bool is_met(const struct scenario_expectation *expectation, const struct expectation_result *result)
{
    double got = result->got, slack = ROUNDING * fabs(result->wanted);
    if (isnan(got))
        return false;
    if (!isnan(expectation->value) && !(fabs(got - result->wanted) <= result->tolerance + slack))
        return false;
    return (isnan(expectation->minimum) || got >= expectation->minimum - slack) &&
           (isnan(expectation->maximum) || got <= expectation->maximum + slack);
}

static void judge(const struct plan *plan, struct store *store, int64_t study,
                  struct expectation_result *result)
{
    const struct scenario_expectation *expectation = result->expectation;
    struct store_mean mean;
    result->got = result->half_width = NAN;
    if (store_mean(store, study, expectation->strategy, plan->points[result->point].json, expectation->metric,
                   &mean)) {
        result->got = mean.mean;
        result->half_width = (mean.high - mean.low) / 2;
    }
    want(expectation, result);
    result->met = is_met(expectation, result);
}

static bool record(const struct plan *plan, struct store *store, int64_t study,
                   const struct expectation_result *result, struct error *error)
{
    struct expectation_record row = {.strategy = result->expectation->strategy,
                                     .point = plan->points[result->point].json,
                                     .metric = result->expectation->metric,
                                     .wanted = result->wanted,
                                     .tolerance = result->tolerance,
                                     .got = result->got,
                                     .met = result->met,
                                     .source = result->expectation->source};
    return store_add_expectation(store, study, &row, error);
}

static bool append(struct expectation_results *results, const struct expectation_result *result,
                   struct error *error)
{
    struct expectation_result *grown =
        reallocarray(results->items, results->count + 1, sizeof *results->items);
    if (!grown) {
        error_out_of_memory(error, "the expectations");
        return false;
    }
    results->items = grown;
    results->items[results->count++] = *result;
    results->missed += !result->met;
    return true;
}

static bool judge_at_points(const struct plan *plan, const struct scenario_expectation *expectation,
                            struct store *store, int64_t study, struct expectation_results *results,
                            struct error *error)
{
    for (size_t point = 0; point < plan->point_count; point++) {
        bool agreed;
        if (!agrees(plan->points[point].settings, &expectation->at, &agreed)) {
            error_out_of_memory(error, "the expectations");
            return false;
        }
        if (!agreed || !plan_has(plan, point, expectation->strategy))
            continue;
        struct expectation_result result = {.expectation = expectation, .point = point};
        judge(plan, store, study, &result);
        if (!record(plan, store, study, &result, error) || !append(results, &result, error))
            return false;
    }
    return true;
}

bool expectations_judge(const struct plan *plan, struct store *store, int64_t study,
                        struct expectation_results *results, struct error *error)
{
    *results = (struct expectation_results){0};
    for (size_t i = 0; i < plan->base->expectation_count; i++) {
        size_t before = results->count;
        if (!judge_at_points(plan, &plan->base->expectations[i], store, study, results, error))
            return false;
        results->skipped += results->count == before;
    }
    return true;
}

void expectations_free(struct expectation_results *results)
{
    free(results->items);
    *results = (struct expectation_results){0};
}
