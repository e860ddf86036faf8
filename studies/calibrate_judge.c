/*
 * How surely the fields are told: the parts that the figures' standard deviations, what is left of the
 * figures and the simulation's noise have in it.
 */
#include "studies/calibrate_judge.h"

#include "results/paired.h"
#include "studies/search.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define AT_BORDER 1e-3  /* of the range */
#define LEAST_MOVE 1e-2 /* of a figure, in its standard deviations */
#define CONFIDENCE 0.95

bool calibrate_moves(const struct calibrate_results *results, size_t figure)
{
    const struct deviations *deviations = &results->deviations;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < deviations->count; i++) {
        low = fmin(low, deviations->tries[i].got[figure]);
        high = fmax(high, deviations->tries[i].got[figure]);
    }
    return high - low > LEAST_MOVE * deviations->figures->items[figure].deviation;
}

double calibrate_apart(const struct calibrate_results *results, size_t figure)
{
    const struct deviations *deviations = &results->deviations;
    const struct deviations_try *best = &deviations->tries[results->best];
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    double noise = isnan(best->noise[figure]) ? 0 : best->noise[figure];
    return (best->got[figure] - wanted->value) / hypot(wanted->deviation, noise);
}

/* By how much each replication of FIGURE is off their mean, in standard deviations of the figure, added to
 * the effects that the replications have on each field. Where replications lack the figure nobody knows
 * which: it is passed over. */
static bool add_effects(const struct calibrate_results *results, size_t figure, gsl_matrix *effects,
                        struct error *error)
{
    const struct deviations *deviations = &results->deviations;
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    const struct deviations_try *best = &deviations->tries[results->best];
    double *values = NULL;
    size_t count;
    char *point = deviations_point(deviations, best->values, wanted);
    if (!point)
        error_out_of_memory(error, "a point");
    bool read = point && paired_read_figures(deviations->request->store, deviations->request->study,
                                             wanted->strategy, point, wanted->metric, &values, &count, error);
    for (size_t r = 0; read && count == effects->size2 && r < count; r++)
        for (size_t j = 0; j < effects->size1; j++)
            *gsl_matrix_ptr(effects, j, r) += gsl_matrix_get(results->determination.inverse, j, figure) *
                                              (values[r] - best->got[figure]) / wanted->deviation;
    free(values);
    free(point);
    return read;
}

/* The variance of field J's share for the replications being no others. */
static double noise_of(const gsl_matrix *effects, size_t j)
{
    double squares = 0, count = (double)effects->size2;
    for (size_t r = 0; r < effects->size2; r++)
        squares += pow(gsl_matrix_get(effects, j, r), 2);
    return count > 1 ? squares / (count - 1) / count : 0;
}

static void judge_field(struct calibrate_results *results, size_t j, double observed, double noise,
                        size_t replications)
{
    struct calibrate_field *field = &results->fields[j];
    const struct scenario_search *range = &results->deviations.ranges->searches[j];
    double share = deviations_set_of(&results->deviations, results->best).shares[j];
    double variance = observed + noise, error = sqrt(variance);
    /* Welch and Satterthwaite; the figures' deviations count as known. */
    double estimated = replications > 1 ? noise * noise / (double)(replications - 1) : 0;
    double freedom = variance * variance / estimated;
    double half = error * (isfinite(freedom) ? gsl_cdf_tdist_Pinv((1 + CONFIDENCE) / 2, freedom)
                                             : gsl_cdf_ugaussian_Pinv((1 + CONFIDENCE) / 2));
    field->determined = results->determination.determined[j];
    field->error = field->determined ? search_slope_at_value(range, field->fitted) * error : NAN;
    field->low = field->determined ? search_value_at_share(range, fmax(share - half, 0)) : range->low;
    field->high = field->determined ? search_value_at_share(range, fmin(share + half, 1)) : range->high;
    field->border = share < AT_BORDER       ? CALIBRATE_AT_LOW
                    : share > 1 - AT_BORDER ? CALIBRATE_AT_HIGH
                                            : CALIBRATE_INSIDE;
}

static void judge_fit(struct calibrate_results *results)
{
    size_t determined = 0;
    for (size_t j = 0; j < results->deviations.ranges->count; j++)
        determined += results->determination.effects[j] >= DETERMINATION_EFFECT;
    determined -= results->determination.combination_count;
    results->freedom = (int64_t)results->deviations.figures->count - (int64_t)determined;
    double squares = 0, freedom = -(double)determined;
    for (size_t i = 0; i < results->deviations.figures->count; i++) {
        double apart = calibrate_apart(results, i);
        results->missed += !(fabs(apart) <= CALIBRATE_MISSED);
        if (!calibrate_moves(results, i))
            continue;
        squares += apart * apart;
        freedom++;
    }
    results->widened = freedom > 0 ? fmax(1, sqrt(squares / freedom)) : 1;
}

bool calibrate_judge(struct calibrate_results *results, struct error *error)
{
    const struct deviations *deviations = &results->deviations;
    size_t replications = (size_t)deviations->request->plan->base->replications;
    gsl_matrix *effects = gsl_matrix_calloc(deviations->ranges->count, replications);
    bool judged = effects != NULL;
    if (!effects)
        error_out_of_memory(error, "the replications");
    for (size_t i = 0; i < deviations->figures->count && judged; i++)
        judged = add_effects(results, i, effects, error);
    if (judged)
        judge_fit(results);
    for (size_t j = 0; j < deviations->ranges->count && judged; j++) {
        gsl_vector_const_view row = gsl_matrix_const_row(results->determination.inverse, j);
        double length = gsl_blas_dnrm2(&row.vector) * results->widened;
        judge_field(results, j, length * length, noise_of(effects, j), replications);
    }
    gsl_matrix_free(effects);
    return judged;
}
