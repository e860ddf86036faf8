/*
 * GSL asks for residuals and slopes by calling back: tries are made then and there. What can't be tried, or
 * is interrupted, is told as a failure and ends GSL's search. What is found is judged by calibrate_judge.c.
 */
#include "studies/calibrate.h"

#include "studies/calibrate_judge.h"
#include "studies/search.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_qrng.h>
#include <math.h>

enum { MOST_STEPS = 20, MOST_ENDING_STEPS = 8, HALVINGS = 3 };
#define LEAST_SHARE 0.02 /* from an end of the range where GSL begins: the sine is flat at the ends */
#define GOOD_MISFIT 4.0  /* per degree of freedom: no other start is looked for */

struct calibration {
    struct deviations *deviations;
    struct calibrate_results *results;
    struct error *error;
    bool failed;
};

static size_t field_count(const struct calibration *calibration)
{
    return calibration->deviations->ranges->count;
}

static size_t figure_count(const struct calibration *calibration)
{
    return calibration->deviations->figures->count;
}

static bool has_ended(const struct calibration *calibration)
{
    return calibration->failed || calibration->deviations->interrupted;
}

/* GSL wants at least as many residuals as fields: those beyond the figures are 0. */
static size_t row_count(const struct calibration *calibration)
{
    return figure_count(calibration) > field_count(calibration) ? figure_count(calibration)
                                                                : field_count(calibration);
}

static void try_sets(struct calibration *calibration, const struct deviations_set *sets, size_t count,
                     enum deviations_purpose purpose, size_t *numbers)
{
    if (!has_ended(calibration))
        calibration->failed =
            !deviations_try(calibration->deviations, sets, count, purpose, numbers, calibration->error);
}

static double misfit_of(const struct calibration *calibration, size_t number)
{
    return calibration->deviations->tries[number].misfit;
}

/* The best of all tries, be they made for a slope. */
static size_t find_best(const struct calibration *calibration)
{
    size_t best = 0;
    for (size_t i = 1; i < calibration->deviations->count; i++)
        if (misfit_of(calibration, i) < misfit_of(calibration, best))
            best = i;
    return best;
}

/* MISFIT per degree of freedom, where that is above 1, of the figures that move: others would make any step
 * look small. */
static double unit_of(const struct calibration *calibration, double misfit)
{
    double freedom = -(double)field_count(calibration);
    for (size_t i = 0; i < figure_count(calibration); i++)
        if (calibrate_moves(calibration->results, i))
            freedom++;
        else
            misfit -= pow(deviations_residual(calibration->deviations, 0, i), 2);
    return fmax(1, misfit / fmax(freedom, 1));
}

/* What GSL asks for */

static struct deviations_set set_of_angles(const gsl_vector *angles)
{
    struct deviations_set set = {{0}};
    for (size_t i = 0; i < angles->size; i++)
        set.shares[i] = (1 + sin(gsl_vector_get(angles, i))) / 2;
    return set;
}

static int residuals(const gsl_vector *angles, void *context, gsl_vector *residuals)
{
    struct calibration *calibration = context;
    const struct deviations_set set = set_of_angles(angles);
    size_t number;
    try_sets(calibration, &set, 1, DEVIATIONS_STEP, &number);
    if (has_ended(calibration))
        return GSL_EFAILED;
    gsl_vector_set_zero(residuals);
    for (size_t i = 0; i < figure_count(calibration); i++)
        gsl_vector_set(residuals, i, deviations_residual(calibration->deviations, number, i));
    return GSL_SUCCESS;
}

static int slopes(const gsl_vector *angles, void *context, gsl_matrix *jacobian)
{
    struct calibration *calibration = context;
    const struct deviations_set set = set_of_angles(angles);
    gsl_matrix_set_zero(jacobian);
    if (!has_ended(calibration))
        calibration->failed =
            !deviations_slopes(calibration->deviations, &set, NULL, jacobian, calibration->error);
    if (has_ended(calibration))
        return GSL_EFAILED;
    for (size_t i = 0; i < angles->size; i++) {
        gsl_vector_view column = gsl_matrix_column(jacobian, i);
        gsl_vector_scale(&column.vector, cos(gsl_vector_get(angles, i)) / 2);
    }
    return GSL_SUCCESS;
}

static void iterate(struct calibration *calibration, gsl_multifit_nlinear_workspace *workspace)
{
    double last = INFINITY;
    for (int i = 0; i < MOST_STEPS && !has_ended(calibration); i++) {
        double norm = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(workspace)), misfit = norm * norm;
        if (last - misfit < CALIBRATE_GAIN * unit_of(calibration, misfit) ||
            gsl_multifit_nlinear_iterate(workspace) != GSL_SUCCESS)
            return;
        last = misfit;
    }
}

/* GSL's search from the values of try NUMBER. */
static void search_from(struct calibration *calibration, size_t number)
{
    const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    struct deviations_set set = deviations_set_of(calibration->deviations, number);
    gsl_multifit_nlinear_fdf system = {.f = residuals,
                                       .df = slopes,
                                       .n = row_count(calibration),
                                       .p = field_count(calibration),
                                       .params = calibration};
    gsl_vector *angles = gsl_vector_alloc(system.p);
    gsl_multifit_nlinear_workspace *workspace =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, system.n, system.p);
    if (angles && workspace) {
        for (size_t i = 0; i < system.p; i++)
            gsl_vector_set(angles, i, asin(2 * fmin(fmax(set.shares[i], LEAST_SHARE), 1 - LEAST_SHARE) - 1));
        if (gsl_multifit_nlinear_init(angles, &system, workspace) == GSL_SUCCESS)
            iterate(calibration, workspace);
    } else {
        error_out_of_memory(calibration->error, "a search");
        calibration->failed = true;
    }
    if (workspace)
        gsl_multifit_nlinear_free(workspace);
    gsl_vector_free(angles);
}

/* The end of the search */

/* How far the misfit would fall if figures were as linear as their slopes say. */
static double promise(const struct calibration *calibration, const gsl_matrix *jacobian, size_t number,
                      const double *step)
{
    double gain = 0;
    for (size_t i = 0; i < figure_count(calibration); i++) {
        double residual = deviations_residual(calibration->deviations, number, i), moved = residual;
        for (size_t j = 0; j < field_count(calibration); j++)
            moved += gsl_matrix_get(jacobian, i, j) * step[j];
        gain += residual * residual - moved * moved;
    }
    return gain;
}

/* Gauss and Newton's step from try NUMBER, as far as the figures determine it and the ranges allow; what it
 * promises. */
static double newton_step(const struct calibration *calibration, const gsl_matrix *jacobian,
                          const struct determination *determination, size_t number,
                          double step[SCENARIO_RANGES_MOST])
{
    struct deviations_set from = deviations_set_of(calibration->deviations, number);
    for (size_t j = 0; j < field_count(calibration); j++) {
        step[j] = 0;
        for (size_t i = 0; i < figure_count(calibration); i++)
            step[j] -= gsl_matrix_get(determination->inverse, j, i) *
                       deviations_residual(calibration->deviations, number, i);
        step[j] = fmin(fmax(from.shares[j] + step[j], 0), 1) - from.shares[j];
    }
    return promise(calibration, jacobian, number, step);
}

/* Tries the step and parts of it; whether one is better. */
static bool take_step(struct calibration *calibration, size_t number, const double *step)
{
    struct deviations_set sets[HALVINGS];
    size_t numbers[HALVINGS];
    for (int k = 0; k < HALVINGS; k++) {
        sets[k] = deviations_set_of(calibration->deviations, number);
        for (size_t j = 0; j < field_count(calibration); j++)
            sets[k].shares[j] += ldexp(step[j], -k);
    }
    try_sets(calibration, sets, HALVINGS, DEVIATIONS_STEP, numbers);
    return !has_ended(calibration) && find_best(calibration) != number;
}

/* Slopes at the best try, and what they determine; then a step from there. Whether to go on from another try.
 */
static bool end_step(struct calibration *calibration, gsl_matrix *jacobian)
{
    struct calibrate_results *results = calibration->results;
    size_t best = results->best = find_best(calibration);
    const struct deviations_set set = deviations_set_of(calibration->deviations, best);
    double step[SCENARIO_RANGES_MOST];
    calibration->failed =
        !deviations_slopes(calibration->deviations, &set, NULL, jacobian, calibration->error);
    if (has_ended(calibration))
        return false;
    determination_free(&results->determination);
    calibration->failed = !determination_find(jacobian, &results->determination, calibration->error);
    if (calibration->failed)
        return false;
    if (find_best(calibration) != best)
        return true; /* one that was made for the slopes is better */
    double gain = newton_step(calibration, jacobian, &results->determination, best, step);
    results->converged = gain < CALIBRATE_GAIN * unit_of(calibration, misfit_of(calibration, best));
    if (results->converged)
        return false;
    bool better = take_step(calibration, best, step);
    if (!better && gain < unit_of(calibration, misfit_of(calibration, best)))
        results->converged = true; /* within a standard error, and no part of the way is better */
    return better;
}

/* Leaves the slopes at the best try in JACOBIAN. */
static void end_search(struct calibration *calibration, gsl_matrix *jacobian)
{
    for (int i = 0; i < MOST_ENDING_STEPS && !has_ended(calibration); i++)
        if (!end_step(calibration, jacobian))
            return;
    calibration->results->converged = false;
}

/* Beginnings */

static bool is_wide(const struct calibration *calibration)
{
    bool wide = false;
    for (size_t i = 0; i < field_count(calibration); i++)
        wide |= search_is_wide(&calibration->deviations->ranges->searches[i]);
    return wide;
}

/* The scenario's own values, or where they are out of range its nearest end; the middle for one without. */
static bool read_own(const struct calibration *calibration, struct deviations_set *own)
{
    double values[SCENARIO_RANGES_MOST];
    const struct scenario_ranges *ranges = calibration->deviations->ranges;
    if (!scenario_present_values(calibration->deviations->text, ranges, values, calibration->error))
        return false;
    for (size_t i = 0; i < ranges->count; i++) {
        double value = fmin(fmax(values[i], ranges->searches[i].low), ranges->searches[i].high);
        calibration->results->fields[i].start = values[i];
        own->shares[i] = isnan(values[i]) ? 0.5 : search_share_of_value(&ranges->searches[i], value);
    }
    return true;
}

enum { MOST_BEGINNINGS = 1 + CALIBRATE_STARTS * SCENARIO_RANGES_MOST };

static size_t spread_beginnings(struct calibration *calibration, struct deviations_set *sets)
{
    size_t count = CALIBRATE_STARTS * field_count(calibration);
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)field_count(calibration));
    if (!sequence) {
        error_out_of_memory(calibration->error, "where to begin");
        calibration->failed = true;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        gsl_qrng_get(sequence, sets[i].shares);
    gsl_qrng_free(sequence);
    return count;
}

/* A figure that none of the COUNT tries has can't be fitted to. */
static void refuse_missing(struct calibration *calibration, const size_t *numbers, size_t count)
{
    const struct scenario_figures *figures = calibration->deviations->figures;
    for (size_t i = 0; i < figures->count && !calibration->failed; i++) {
        bool there = false;
        for (size_t j = 0; j < count; j++)
            there |= !isnan(calibration->deviations->tries[numbers[j]].got[i]);
        if (!there)
            error_set(calibration->error, ERROR_INPUT,
                      "%s: %s has no %s wherever the search begins, and so there is nothing to fit",
                      figures->items[i].origin, figures->items[i].strategy, figures->items[i].metric);
        calibration->failed = !there;
    }
}

static void by_misfit(const struct calibration *calibration, size_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i;
             j > 0 && misfit_of(calibration, numbers[j]) < misfit_of(calibration, numbers[j - 1]); j--) {
            size_t other = numbers[j];
            numbers[j] = numbers[j - 1];
            numbers[j - 1] = other;
        }
}

/* Tries where to begin, and puts the tries' NUMBERS in the order of their misfit; how many there are. */
static size_t begin(struct calibration *calibration, size_t numbers[MOST_BEGINNINGS])
{
    struct deviations_set sets[MOST_BEGINNINGS] = {{{0}}};
    size_t count = 1;
    calibration->failed = !read_own(calibration, &sets[0]);
    if (!has_ended(calibration) && is_wide(calibration))
        count += spread_beginnings(calibration, sets + 1);
    try_sets(calibration, sets, count, DEVIATIONS_START, numbers);
    if (has_ended(calibration))
        return 0;
    refuse_missing(calibration, numbers, count);
    by_misfit(calibration, numbers, count);
    return count;
}

static bool is_good(const struct calibration *calibration)
{
    const struct calibrate_results *results = calibration->results;
    return results->converged && unit_of(calibration, misfit_of(calibration, results->best)) < GOOD_MISFIT;
}

static void search(struct calibration *calibration, gsl_matrix *jacobian)
{
    size_t numbers[MOST_BEGINNINGS], count = begin(calibration, numbers);
    for (size_t i = 0; i < count && i < CALIBRATE_SEARCHES && !has_ended(calibration); i++) {
        search_from(calibration, numbers[i]);
        if (has_ended(calibration))
            return;
        end_search(calibration, jacobian);
        if (is_good(calibration))
            return;
    }
}

/* Looks for figures that would determine what these don't. */
static void find_suggestions(struct calibration *calibration)
{
    struct calibrate_results *results = calibration->results;
    const struct determination *determination = &results->determination;
    for (size_t i = 0; i < determination->combination_count && !has_ended(calibration); i++)
        calibration->failed =
            !suggest(calibration->deviations, results->best, determination->combinations[i].shares,
                     &results->for_combinations[i], calibration->error);
    for (size_t i = 0; i < field_count(calibration) && !has_ended(calibration); i++) {
        double direction[SCENARIO_RANGES_MOST] = {0};
        direction[i] = 1;
        if (determination->effects[i] < DETERMINATION_EFFECT)
            calibration->failed = !suggest(calibration->deviations, results->best, direction,
                                           &results->for_fields[i], calibration->error);
    }
}

/* Whether both find the same fields and combinations determined. */
static bool agree(const struct determination *one, const struct determination *other)
{
    bool same = one->combination_count == other->combination_count;
    for (size_t i = 0; i < one->count && same; i++)
        same = one->determined[i] == other->determined[i];
    return same;
}

/* Takes the slopes over the fields' intervals instead, where these are longer than the distance over which
 * they were taken: over that, a failure more or less makes much of a difference. */
static void widen_slopes(struct calibration *calibration, gsl_matrix *jacobian)
{
    struct calibrate_results *results = calibration->results;
    const struct deviations_set at = deviations_set_of(calibration->deviations, results->best);
    double apart[SCENARIO_RANGES_MOST];
    struct determination wide = {.inverse = NULL, .leverages = NULL};
    for (size_t i = 0; i < field_count(calibration); i++)
        apart[i] = fmax(DEVIATIONS_APART, results->fields[i].determined ? results->fields[i].half : 0);
    calibration->failed =
        !deviations_slopes(calibration->deviations, &at, apart, jacobian, calibration->error);
    if (!has_ended(calibration))
        calibration->failed = !determination_find(jacobian, &wide, calibration->error);
    if (!has_ended(calibration) && agree(&wide, &results->determination)) {
        const struct determination narrow = results->determination;
        results->determination.inverse = wide.inverse;
        results->determination.leverages = wide.leverages;
        wide.inverse = narrow.inverse;
        wide.leverages = narrow.leverages;
    }
    determination_free(&wide);
}

/* Last of all: it changes what the study's summary has of the fit. */
static void judge(struct calibration *calibration, gsl_matrix *jacobian)
{
    struct calibrate_results *results = calibration->results;
    int64_t replications = calibration->deviations->request->plan->base->replications;
    int64_t others = (CALIBRATE_REPLICATIONS - 1) / replications;
    size_t all = (size_t)(replications * (1 + others));
    calibration->failed =
        !deviations_run_others(calibration->deviations, results->best, others, calibration->error);
    if (!has_ended(calibration))
        calibration->failed = !calibrate_judge(results, all, calibration->error);
    if (!has_ended(calibration))
        widen_slopes(calibration, jacobian);
    if (!has_ended(calibration))
        calibration->failed = !calibrate_judge(results, all, calibration->error);
}

bool calibrate(const struct trial_request *request, const struct scenario_text *text,
               const struct scenario_ranges *ranges, const struct scenario_figures *figures,
               struct calibrate_results *results, struct error *error)
{
    *results = (struct calibrate_results){
        .deviations = {.request = request, .text = text, .ranges = ranges, .figures = figures}, .widened = 1};
    struct calibration calibration = {.deviations = &results->deviations, .results = results, .error = error};
    gsl_matrix *jacobian = gsl_matrix_calloc(figures->count, ranges->count);
    if (!jacobian) {
        error_out_of_memory(error, "the slopes");
        return false;
    }
    search(&calibration, jacobian);
    if (results->deviations.count)
        results->best = find_best(&calibration);
    for (size_t j = 0; j < ranges->count && results->deviations.count; j++)
        results->fields[j].fitted = calibrate_best(results)->values[j];
    if (!has_ended(&calibration))
        find_suggestions(&calibration);
    if (!has_ended(&calibration))
        judge(&calibration, jacobian);
    gsl_matrix_free(jacobian);
    results->interrupted = results->deviations.interrupted;
    return !calibration.failed;
}

void calibrate_free(struct calibrate_results *results)
{
    deviations_free(&results->deviations);
    determination_free(&results->determination);
}
