/*
 * GSL asks for figures by calling back: a try is run then and there, unless it has been made already. A try
 * that can't be made, or that is interrupted, is no number, and ends GSL's search.
 */
#include "studies/tune.h"

#include "studies/search.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most steps of a simplex for each field: noise may keep it from closing. */
enum { GRID = 7, SIMPLEX_STEPS = 60 };
#define SIMPLEX_EDGE 0.25   /* of the first simplex, as a share of the ranges */
#define NO_VALUE_COST 1e300 /* GSL wants numbers */

struct tuning {
    const struct trial_request *request;
    const struct scenario_goal *goal;
    const struct scenario_text *text;
    struct tune_results *results;
    struct tune_answer *answer;
    struct error *error;
    bool failed;
};

static bool has_ended(const struct tuning *tuning)
{
    return tuning->failed || tuning->results->interrupted;
}

/* Tries */

/* The fields at VALUES; NULL: none. */
static bool make_settings(const struct scenario_goal *goal, const double *values,
                          struct scenario_point *point)
{
    return trial_point(NULL, goal->ranges->searches, values ? goal->ranges->count : 0, values, point);
}

/* AFRESH: in replications that come after the scenario's. */
static bool run_point(struct tuning *tuning, const struct scenario_point *settings, bool afresh)
{
    const struct plan_choice choices[] = {{settings, tuning->answer->strategy, afresh},
                                          {settings, SCENARIO_REFERENCE, afresh}};
    return trial_run(tuning->request, tuning->text, choices,
                     scenario_learns(tuning->request->plan->base) ? 2 : 1, &tuning->results->runs,
                     &tuning->results->interrupted, tuning->error);
}

static void read_mean(const struct tuning *tuning, struct tune_try *attempt)
{
    struct store_mean mean;
    attempt->mean = attempt->low = attempt->high = NAN;
    if (!store_mean(tuning->request->store, tuning->request->study, tuning->answer->strategy, attempt->point,
                    tuning->goal->metric, &mean) ||
        mean.count < tuning->request->plan->base->replications)
        return;
    attempt->mean = mean.mean;
    attempt->low = mean.low;
    attempt->high = mean.high;
}

/* What is to be small. */
static double cost_of(const struct tuning *tuning, const struct tune_try *attempt)
{
    if (isnan(attempt->mean))
        return NO_VALUE_COST;
    return tuning->goal->largest ? -attempt->mean : attempt->mean;
}

/* Takes ATTEMPT over. */
static bool add_try(struct tuning *tuning, const struct tune_try *attempt)
{
    struct tune_answer *answer = tuning->answer;
    struct tune_try *grown = reallocarray(answer->tries, answer->count + 1, sizeof *grown);
    if (!grown) {
        error_out_of_memory(tuning->error, "what was tried");
        return false;
    }
    answer->tries = grown;
    grown[answer->count] = *attempt;
    if (answer->count > 0 && !isnan(attempt->mean) &&
        (!answer->best || cost_of(tuning, attempt) < cost_of(tuning, &grown[answer->best])))
        answer->best = answer->count;
    answer->count++;
    return true;
}

static bool try_point(struct tuning *tuning, const struct scenario_point *settings, struct tune_try *attempt)
{
    attempt->point = scenario_point_json(settings);
    if (!attempt->point) {
        error_out_of_memory(tuning->error, "a try");
        return false;
    }
    if (!run_point(tuning, settings, false))
        return false;
    if (tuning->results->interrupted) {
        free(attempt->point);
        return true;
    }
    read_mean(tuning, attempt);
    return add_try(tuning, attempt);
}

/* Makes the try of VALUES (NULL: of the scenario as it is). */
static void make_try(struct tuning *tuning, const double *values)
{
    struct tune_try attempt = {.point = NULL};
    struct scenario_point settings;
    if (values)
        memcpy(attempt.values, values, sizeof attempt.values);
    if (!make_settings(tuning->goal, values, &settings)) {
        error_out_of_memory(tuning->error, "a try");
        tuning->failed = true;
        return;
    }
    tuning->failed = !try_point(tuning, &settings, &attempt);
    if (tuning->failed)
        free(attempt.point);
    scenario_point_free(&settings);
}

static const struct tune_try *find_try(const struct tuning *tuning, const double *values)
{
    const struct tune_answer *answer = tuning->answer;
    for (size_t i = 1; i < answer->count; i++)
        if (memcmp(answer->tries[i].values, values, sizeof answer->tries[i].values) == 0)
            return &answer->tries[i];
    return NULL;
}

static double cost_at(struct tuning *tuning, const double *values)
{
    if (!find_try(tuning, values) && !has_ended(tuning))
        make_try(tuning, values);
    return has_ended(tuning) ? GSL_NAN : cost_of(tuning, find_try(tuning, values));
}

/* One field */

struct place {
    double share; /* of the way through the range */
    double cost;
};

static double cost_at_share(double share, void *context)
{
    struct tuning *tuning = context;
    const double values[SCENARIO_RANGES_MOST] = {
        search_value_at_share(&tuning->goal->ranges->searches[0], share)};
    return cost_at(tuning, values);
}

static struct place look(struct tuning *tuning, double share)
{
    return (struct place){share, cost_at_share(share, tuning)};
}

/* The best of a grid between the nearest places that are worse; where there are none, the last of the grid.
 */
static void look_around(struct tuning *tuning, struct place three[3])
{
    struct place grid[GRID];
    size_t best = 0;
    for (size_t i = 0; i < GRID; i++) {
        grid[i] = look(tuning, (double)i / (GRID - 1));
        if (grid[i].cost < grid[best].cost)
            best = i;
    }
    size_t left = best, right = best;
    while (left > 0 && grid[left].cost <= grid[best].cost)
        left--;
    while (right + 1 < GRID && grid[right].cost <= grid[best].cost)
        right++;
    three[0] = grid[left];
    three[1] = grid[best];
    three[2] = grid[right];
}

/* Where an end of the range is the best, halves the way to its neighbour until something between is better.
 */
static void close_in(struct tuning *tuning, struct place three[3])
{
    size_t far = three[0].share >= three[1].share ? 2 : 0;
    if (far == 0 && three[2].share > three[1].share)
        return; /* it isn't an end */
    while (fabs(three[far].share - three[1].share) > TUNE_TOLERANCE && !has_ended(tuning)) {
        struct place middle = look(tuning, (three[1].share + three[far].share) / 2);
        if (middle.cost < three[1].cost) {
            three[1] = middle;
            return;
        }
        three[far] = middle;
    }
}

static bool golden_goes_on(const gsl_min_fminimizer *minimizer)
{
    return gsl_min_test_interval(gsl_min_fminimizer_x_lower(minimizer), gsl_min_fminimizer_x_upper(minimizer),
                                 TUNE_TOLERANCE, 0) == GSL_CONTINUE;
}

/* GSL takes three places if the middle one is better than both others, and ends at two that are equal. */
static void tune_one(struct tuning *tuning)
{
    struct place three[3];
    gsl_function function = {cost_at_share, tuning};
    look_around(tuning, three);
    close_in(tuning, three);
    gsl_min_fminimizer *minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_goldensection);
    tuning->failed |= !minimizer;
    if (!minimizer)
        error_out_of_memory(tuning->error, "golden section");
    else if (!has_ended(tuning) && three[0].share < three[1].share && three[1].share < three[2].share &&
             gsl_min_fminimizer_set_with_values(minimizer, &function, three[1].share, three[1].cost,
                                                three[0].share, three[0].cost, three[2].share,
                                                three[2].cost) == GSL_SUCCESS)
        while (golden_goes_on(minimizer) && gsl_min_fminimizer_iterate(minimizer) == GSL_SUCCESS)
            continue;
    gsl_min_fminimizer_free(minimizer);
}

/* Several fields */

static double cost_at_shares(const gsl_vector *shares, void *context)
{
    struct tuning *tuning = context;
    double values[SCENARIO_RANGES_MOST] = {0};
    for (size_t i = 0; i < shares->size; i++)
        values[i] = search_value_at_share(&tuning->goal->ranges->searches[i],
                                          fmin(fmax(gsl_vector_get(shares, i), 0), 1));
    return cost_at(tuning, values);
}

static void iterate_simplex(gsl_multimin_fminimizer *minimizer, size_t most)
{
    for (size_t i = 0; i < most; i++)
        if (gsl_multimin_fminimizer_iterate(minimizer) != GSL_SUCCESS ||
            gsl_multimin_test_size(gsl_multimin_fminimizer_size(minimizer), TUNE_TOLERANCE) == GSL_SUCCESS)
            return;
}

static void tune_several(struct tuning *tuning)
{
    size_t count = tuning->goal->ranges->count;
    gsl_multimin_function function = {cost_at_shares, count, tuning};
    gsl_vector *start = gsl_vector_alloc(count), *edges = gsl_vector_alloc(count);
    gsl_multimin_fminimizer *minimizer =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, count);
    if (start && edges && minimizer) {
        gsl_vector_set_all(start, 0.5);
        gsl_vector_set_all(edges, SIMPLEX_EDGE);
        if (gsl_multimin_fminimizer_set(minimizer, &function, start, edges) == GSL_SUCCESS)
            iterate_simplex(minimizer, SIMPLEX_STEPS * count);
    } else {
        error_out_of_memory(tuning->error, "a simplex");
        tuning->failed = true;
    }
    gsl_multimin_fminimizer_free(minimizer);
    gsl_vector_free(start);
    gsl_vector_free(edges);
}

/* Whole numbers */

/* Tries the whole numbers beside the best of the field I. */
static void try_neighbours(struct tuning *tuning, size_t i)
{
    const struct scenario_search *search = &tuning->goal->ranges->searches[i];
    double best[SCENARIO_RANGES_MOST];
    memcpy(best, tuning->answer->tries[tuning->answer->best].values, sizeof best);
    for (int step = -1; step <= 1; step += 2) {
        double values[SCENARIO_RANGES_MOST];
        memcpy(values, best, sizeof values);
        values[i] += step;
        if (values[i] >= search->low && values[i] <= search->high)
            cost_at(tuning, values);
    }
}

static void walk_whole_numbers(struct tuning *tuning)
{
    const struct tune_answer *answer = tuning->answer;
    size_t before = 0;
    while (answer->best != before && !has_ended(tuning)) {
        before = answer->best;
        for (size_t i = 0; i < tuning->goal->ranges->count; i++)
            if (tuning->goal->ranges->searches[i].type == PARAMETER_INTEGER)
                try_neighbours(tuning, i);
    }
}

/* What it came to */

/* Runs VALUES (NULL: the scenario as it is) afresh. */
static void run_others(struct tuning *tuning, const double *values)
{
    struct scenario_point settings;
    if (has_ended(tuning))
        return;
    if (!make_settings(tuning->goal, values, &settings)) {
        error_out_of_memory(tuning->error, "a try");
        tuning->failed = true;
        return;
    }
    tuning->failed = !run_point(tuning, &settings, true);
    scenario_point_free(&settings);
}

/* Of a single replication there is no telling chance anyway. */
static int64_t confirm(struct tuning *tuning)
{
    const struct tune_answer *answer = tuning->answer;
    int64_t replications = tuning->request->plan->base->replications;
    if (replications < 2)
        return 0;
    run_others(tuning, NULL);
    run_others(tuning, answer->tries[answer->best].values);
    return replications;
}

/* Chance that the mean of differences is on the good side of 0. */
static double confidence_of(const struct scenario_goal *goal, const struct paired_point *against)
{
    double gain = goal->largest ? against->difference : -against->difference;
    if (against->pairs < 2)
        return NAN;
    if (!(against->deviation > 0))
        return gain > 0 ? 1 : 0;
    double pairs = (double)against->pairs;
    return gsl_cdf_tdist_P(gain / (against->deviation / sqrt(pairs)), pairs - 1);
}

static bool compare(struct tuning *tuning)
{
    struct tune_answer *answer = tuning->answer;
    if (!answer->best || has_ended(tuning))
        return !tuning->failed;
    int64_t first = confirm(tuning);
    if (has_ended(tuning))
        return !tuning->failed;
    if (!paired_read_points(tuning->request->store, tuning->request->study, answer->strategy,
                            answer->tries[answer->best].point, answer->tries[0].point, tuning->goal->metric,
                            first, &answer->against, tuning->error))
        return false;
    answer->confidence = confidence_of(tuning->goal, &answer->against);
    return true;
}

static bool tune(struct tuning *tuning)
{
    make_try(tuning, NULL);
    if (!has_ended(tuning))
        (tuning->goal->ranges->count == 1 ? tune_one : tune_several)(tuning);
    if (!has_ended(tuning))
        walk_whole_numbers(tuning);
    return compare(tuning);
}

bool tune_all(const struct trial_request *request, const struct scenario_goal *goal,
              const char *const *strategies, size_t count, struct tune_results *results, struct error *error)
{
    struct scenario_text text;
    *results = (struct tune_results){.answers = calloc(count + 1, sizeof *results->answers)};
    if (!results->answers) {
        error_out_of_memory(error, "the answers");
        return false;
    }
    if (!trial_text(request->plan->base, &text, error))
        return false;
    bool good = true;
    for (size_t i = 0; i < count && good && !results->interrupted; i++) {
        struct tune_answer *answer = &results->answers[results->count++];
        *answer = (struct tune_answer){.strategy = strategies[i],
                                       .against = {.difference = NAN, .low = NAN, .high = NAN},
                                       .confidence = NAN};
        struct tuning tuning = {request, goal, &text, results, answer, error, false};
        good = tune(&tuning);
    }
    free(text.bytes);
    return good;
}

static bool check_ends(const struct plan *plan, const struct scenario_text *text,
                       struct scenario_point ends[2], struct error *error)
{
    const char *strategy = plan->base->strategies[0].name;
    const struct plan_choice choices[] = {{&ends[0], strategy, false}, {&ends[1], strategy, false}};
    return trial_check(text, choices, 2, error);
}

bool tune_check(const struct plan *plan, const struct scenario_goal *goal, struct error *error)
{
    struct scenario_text text;
    struct scenario_point ends[2] = {{0}};
    double low[SCENARIO_RANGES_MOST], high[SCENARIO_RANGES_MOST];
    for (size_t i = 0; i < goal->ranges->count; i++) {
        low[i] = goal->ranges->searches[i].low;
        high[i] = goal->ranges->searches[i].high;
    }
    if (!trial_text(plan->base, &text, error))
        return false;
    bool good = make_settings(goal, low, &ends[0]) && make_settings(goal, high, &ends[1]);
    if (good)
        good = check_ends(plan, &text, ends, error);
    else
        error_out_of_memory(error, "the ends of the ranges");
    for (size_t i = 0; i < 2; i++)
        scenario_point_free(&ends[i]);
    free(text.bytes);
    return good;
}

void tune_free(struct tune_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        for (size_t j = 0; j < results->answers[i].count; j++)
            free(results->answers[i].tries[j].point);
        free(results->answers[i].tries);
    }
    free(results->answers);
    *results = (struct tune_results){0};
}
