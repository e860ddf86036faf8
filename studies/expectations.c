/*
 * Points are compared in the form that the database keeps, one setting at a time, so that "1 d" agrees with
 * "24 h" and an expectation may name some of a point's settings only.
 */
#include "studies/expectations.h"

#include "results/paired.h"
#include "sim/tally.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far beyond its tolerance a figure may be for rounding's sake: 0.92 is within 0.04 of 0.88. */
#define ROUNDING 1e-9

#define USUAL_CONFIDENCE 0.95

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
        result->tolerance = !isnan(expectation->confidence) ? (result->high - result->low) / 2
                            : isnan(expectation->tolerance) ? expectation->relative * fabs(expectation->value)
                                                            : expectation->tolerance;
    } else if (!isnan(minimum) && !isnan(maximum)) {
        result->wanted = (minimum + maximum) / 2;
        result->tolerance = (maximum - minimum) / 2;
    } else {
        result->wanted = isnan(minimum) ? maximum : minimum;
    }
}

/* A bound holds for the mean, or for the whole interval where a confidence is asked for. */
static bool is_met(const struct scenario_expectation *expectation, const struct expectation_result *result)
{
    bool sure = !isnan(expectation->confidence);
    double got = result->got, slack = ROUNDING * fabs(result->wanted);
    double low = sure ? result->low : got, high = sure ? result->high : got;
    if (isnan(got) || isnan(low) || isnan(high))
        return false;
    if (!isnan(expectation->value) && !(fabs(got - result->wanted) <= result->tolerance + slack))
        return false;
    return (isnan(expectation->minimum) || low >= expectation->minimum - slack) &&
           (isnan(expectation->maximum) || high <= expectation->maximum + slack);
}

void expectations_decide(struct expectation_result *result)
{
    want(result->expectation, result);
    result->met = is_met(result->expectation, result);
}

/* The observations of an expectation, as far as they are needed. */
struct observed {
    uint64_t count;
    double mean, deviation; /* NAN: there are none */
};

static bool observe_difference(struct store *store, int64_t study, const char *point,
                               const struct scenario_expectation *expectation, struct observed *observed,
                               struct error *error)
{
    struct paired_point pairs;
    if (!paired_read_point(store, study, point, expectation->strategy, expectation->against,
                           expectation->metric, &pairs, error))
        return false;
    if (pairs.pairs > 0 && pairs.mean_b != 0)
        *observed = (struct observed){.count = (uint64_t)pairs.pairs,
                                      .mean = pairs.difference / pairs.mean_b,
                                      .deviation = pairs.deviation / fabs(pairs.mean_b)};
    return true;
}

static bool observe(struct store *store, int64_t study, const char *point,
                    const struct scenario_expectation *expectation, struct observed *observed,
                    struct error *error)
{
    struct store_mean mean;
    *observed = (struct observed){.mean = NAN, .deviation = NAN};
    if (expectation->against)
        return observe_difference(store, study, point, expectation, observed, error);
    if (store_mean(store, study, expectation->strategy, point, expectation->metric, &mean))
        *observed = (struct observed){(uint64_t)mean.count, mean.mean, mean.deviation};
    return true;
}

/* Of the COUNT values of the study that have a confidence each keeps to a stricter one. */
static double level_of(const struct scenario_expectation *expectation, size_t count)
{
    if (isnan(expectation->confidence))
        return USUAL_CONFIDENCE;
    return isnan(expectation->value) ? expectation->confidence
                                     : pow(expectation->confidence, 1 / (double)count);
}

static bool judge(const struct plan *plan, struct store *store, int64_t study, size_t confident,
                  struct expectation_result *result, struct error *error)
{
    const struct scenario_expectation *expectation = result->expectation;
    struct observed observed;
    if (!observe(store, study, plan->points[result->point].json, expectation, &observed, error))
        return false;
    double half = observed.count > 1 ? sim_student_half_width(observed.count, observed.deviation,
                                                              level_of(expectation, confident))
                                     : NAN;
    result->got = observed.mean;
    result->low = observed.mean - half;
    result->high = observed.mean + half;
    expectations_decide(result);
    return true;
}

enum expectation_bound expectations_bound(const struct scenario_expectation *expectation)
{
    bool minimum = !isnan(expectation->minimum), maximum = !isnan(expectation->maximum);
    if (minimum == maximum)
        return EXPECTATION_FIGURE;
    return minimum ? EXPECTATION_MINIMUM : EXPECTATION_MAXIMUM;
}

static bool record(const struct plan *plan, struct store *store, int64_t study,
                   const struct expectation_result *result, struct error *error)
{
    struct expectation_record row = {.strategy = result->expectation->strategy,
                                     .against = result->expectation->against,
                                     .point = plan->points[result->point].json,
                                     .metric = result->expectation->metric,
                                     .bound = expectations_bound(result->expectation),
                                     .wanted = result->wanted,
                                     .tolerance = result->tolerance,
                                     .got = result->got,
                                     .low = result->low,
                                     .high = result->high,
                                     .confidence = result->expectation->confidence,
                                     .met = result->met,
                                     .source = result->expectation->source};
    return store_add_expectation(store, study, &row, error);
}

bool expectations_append(struct expectation_results *results, const struct expectation_result *result,
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
    return true;
}

/* One replication has a mean, but no interval to be confident of. */
static bool has_interval(const struct plan *plan, size_t point,
                         const struct scenario_expectation *expectation)
{
    return isnan(expectation->confidence) || plan->points[point].scenario->replications > 1;
}

/* A sensitivity analysis changes the scenario on purpose: what is expected is said of its base alone. */
static bool is_run(const struct plan *plan, size_t point, const struct scenario_expectation *expectation)
{
    if (plan->variations.count && point > 0)
        return false;
    return has_interval(plan, point, expectation) && plan_has(plan, point, expectation->strategy) &&
           (!expectation->against || plan_has(plan, point, expectation->against));
}

/* Adds a result, yet to be judged, for each point that the expectation speaks of. */
static bool add_points(const struct plan *plan, const struct scenario_expectation *expectation,
                       struct expectation_results *results, struct error *error)
{
    for (size_t point = 0; point < plan->point_count; point++) {
        bool agreed;
        if (!agrees(plan->points[point].settings, &expectation->at, &agreed)) {
            error_out_of_memory(error, "the expectations");
            return false;
        }
        struct expectation_result result = {.expectation = expectation, .point = point};
        if (agreed && is_run(plan, point, expectation) && !expectations_append(results, &result, error))
            return false;
    }
    return true;
}

static bool add_all(const struct plan *plan, struct expectation_results *results, struct error *error)
{
    for (size_t i = 0; i < plan->base->expectation_count; i++) {
        size_t before = results->count;
        if (plan->base->expectations[i].solve) {
            results->solvable++;
            continue;
        }
        if (!add_points(plan, &plan->base->expectations[i], results, error))
            return false;
        results->skipped += results->count == before;
    }
    return true;
}

static size_t count_confident_values(const struct expectation_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct scenario_expectation *expectation = results->items[i].expectation;
        count += !isnan(expectation->value) && !isnan(expectation->confidence);
    }
    return count;
}

bool expectations_judge(const struct plan *plan, struct store *store, int64_t study,
                        struct expectation_results *results, struct error *error)
{
    *results = (struct expectation_results){0};
    if (!add_all(plan, results, error))
        return false;
    size_t confident = count_confident_values(results);
    for (size_t i = 0; i < results->count; i++) {
        struct expectation_result *result = &results->items[i];
        if (!judge(plan, store, study, confident, result, error) ||
            !record(plan, store, study, result, error))
            return false;
        results->missed += !result->met;
    }
    return true;
}

void expectations_free(struct expectation_results *results)
{
    free(results->items);
    *results = (struct expectation_results){0};
}
