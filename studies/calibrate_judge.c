/*
 * How surely the fields are told: the parts that the figures' standard deviations, what is left of the
 * figures and the simulation's noise have in it.
 */
#include "studies/calibrate_judge.h"

#include "results/paired.h"
#include "studies/search.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define AT_BORDER 1e-3  /* of the range */
#define LEAST_MOVE 1e-2 /* of a figure, in its standard deviations */
#define CONFIDENCE 0.95
#define ROUNDING 1e-12 /* of a mean: what moves by less does not move */

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
    const struct deviations_try *best = calibrate_best(results);
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    double noise = isnan(best->noise[figure]) ? 0 : best->noise[figure];
    return (best->got[figure] - wanted->value) / hypot(wanted->deviation, noise);
}

/* 1 over the degrees of freedom of FIGURE's standard deviation; 0 where that is known. */
static double unsureness_of(const struct scenario_figure *figure)
{
    return figure->observations ? 1 / (double)(figure->observations - 1) : 0;
}

bool calibrate_misses(const struct calibrate_results *results, size_t figure)
{
    const struct scenario_figure *wanted = &results->deviations.figures->items[figure];
    double noise = calibrate_best(results)->noise[figure], most = CALIBRATE_MISSED;
    if (wanted->observations) {
        double squared = wanted->deviation * wanted->deviation,
               share = 1 + (isnan(noise) ? 0 : noise * noise / squared);
        double freedom = share * share / unsureness_of(wanted);
        most = gsl_cdf_tdist_Qinv(gsl_cdf_ugaussian_Q(CALIBRATE_MISSED), freedom);
    }
    return !(fabs(calibrate_apart(results, figure)) <= most);
}

/* What the replications of the best try tell of the figures' errors: a row for each figure, how far each
 * replication is off their mean in their own standard deviations. Of a figure that none moves, or that some
 * lack, so that nobody knows which is whose, the row is 0. */
struct spread {
    const struct calibrate_results *results;
    gsl_matrix *off;
    double *deviations; /* of one replication of a figure, in the figure's standard deviations */
    double *weights;    /* room for one for each figure */
    double *parts;      /* and another one */
};

static size_t figure_count(const struct spread *spread)
{
    return spread->results->deviations.figures->count;
}

static bool is_told_by_replication(const struct spread *spread, size_t figure)
{
    gsl_vector_const_view row = gsl_matrix_const_row(spread->off, figure);
    return !gsl_vector_isnull(&row.vector);
}

static void take_values(struct spread *spread, size_t figure, const double *values, size_t count)
{
    double mean = gsl_stats_mean(values, 1, count);
    double deviation = count > 1 ? gsl_stats_sd_m(values, 1, count, mean) : 0;
    if (deviation < ROUNDING * fabs(mean))
        deviation = 0;
    spread->deviations[figure] = deviation / spread->results->deviations.figures->items[figure].deviation;
    for (size_t r = 0; r < count && count == spread->off->size2 && deviation > 0; r++)
        gsl_matrix_set(spread->off, figure, r, (values[r] - mean) / deviation);
}

static bool read_figure(struct spread *spread, size_t figure, struct error *error)
{
    const struct deviations *deviations = &spread->results->deviations;
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    double *values = NULL;
    size_t count;
    char *point = deviations_point(deviations, calibrate_best(spread->results)->values, wanted);
    if (!point)
        error_out_of_memory(error, "a point");
    bool read = point && paired_read_figures(deviations->request->store, deviations->request->study,
                                             wanted->strategy, point, wanted->metric, &values, &count, error);
    if (read && count > 0)
        take_values(spread, figure, values, count);
    free(values);
    free(point);
    return read;
}

static void spread_free(struct spread *spread)
{
    gsl_matrix_free(spread->off);
    free(spread->deviations);
    free(spread->weights);
    free(spread->parts);
}

/* Of so many REPLICATIONS. False with ERROR; the caller frees SPREAD with spread_free either way. */
static bool spread_read(struct spread *spread, size_t replications, struct error *error)
{
    size_t figures = figure_count(spread);
    spread->off = gsl_matrix_calloc(figures, replications);
    spread->deviations = calloc(figures, sizeof *spread->deviations);
    spread->weights = calloc(figures, sizeof *spread->weights);
    spread->parts = calloc(figures, sizeof *spread->parts);
    bool read = spread->off && spread->deviations && spread->weights && spread->parts;
    if (!read)
        error_out_of_memory(error, "the replications");
    for (size_t i = 0; i < figures && read; i++)
        read = read_figure(spread, i, error);
    return read;
}

/* The variance of the sum of figures, each of a variance of 1 and times its weight, which err together as
 * replications do: of those of GROUP (deviations_first_of), or of all where it is no figure. */
static double variance_of_sum(const struct spread *spread, size_t group)
{
    double squares = 0, apart = 0;
    bool all = group == figure_count(spread);
    for (size_t r = 0; r < spread->off->size2; r++) {
        double sum = 0;
        for (size_t i = 0; i < figure_count(spread); i++)
            if (all || deviations_first_of(spread->results->deviations.figures, i) == group)
                sum += spread->weights[i] * gsl_matrix_get(spread->off, i, r);
        squares += sum * sum;
    }
    for (size_t i = 0; i < figure_count(spread); i++)
        if ((all || deviations_first_of(spread->results->deviations.figures, i) == group) &&
            !is_told_by_replication(spread, i))
            apart += spread->weights[i] * spread->weights[i];
    return squares / (double)(spread->off->size2 > 1 ? spread->off->size2 - 1 : 1) + apart;
}

/* The parts of the variance of a field's share. */
struct variance {
    double observed; /* from the figures' standard deviations */
    double known;    /* the same if figures did not err together: what needs no estimate */
    double noise;    /* of the fit for its replications being no others */
    double weighing; /* for figures being weighed by standard deviations that are from few observations */
    double unsure;   /* half the variance of OBSERVED that they have for that: what a chi-square's mean² over
                        its   degrees of freedom is */
};

/* Between what figures I and J err by: none unless both are of one job. */
static double correlation_of(const struct spread *spread, size_t i, size_t j)
{
    const struct scenario_figures *figures = spread->results->deviations.figures;
    if (i == j)
        return 1;
    if (deviations_first_of(figures, i) != deviations_first_of(figures, j))
        return 0;
    double sum = 0;
    for (size_t r = 0; r < spread->off->size2; r++)
        sum += gsl_matrix_get(spread->off, i, r) * gsl_matrix_get(spread->off, j, r);
    return spread->off->size2 > 1 ? sum / (double)(spread->off->size2 - 1) : 0;
}

/* Adds what comes of standard deviations from few observations, of figures with WEIGHTS. A figure's part in
 * the variance of the weighted sum is its covariance with that. */
static void add_unsureness(struct spread *spread, struct variance *variance)
{
    const struct scenario_figures *figures = spread->results->deviations.figures;
    const gsl_vector *leverages = spread->results->determination.leverages;
    for (size_t i = 0; i < figures->count; i++) {
        double unsureness = unsureness_of(&figures->items[i]);
        spread->parts[i] = 0;
        for (size_t j = 0; j < figures->count && unsureness > 0; j++)
            spread->parts[i] += spread->weights[i] * spread->weights[j] * correlation_of(spread, i, j);
        variance->weighing += 4 * spread->weights[i] * spread->weights[i] *
                              fmax(0, 1 - gsl_vector_get(leverages, i)) * unsureness;
    }
    for (size_t i = 0; i < figures->count; i++)
        for (size_t j = 0; j < figures->count; j++)
            if (spread->parts[i] != 0 && spread->parts[j] != 0)
                variance->unsure +=
                    spread->parts[i] * spread->parts[j] * pow(correlation_of(spread, i, j), 2) *
                    fmin(unsureness_of(&figures->items[i]), unsureness_of(&figures->items[j]));
}

static struct variance variance_of(struct spread *spread, size_t field)
{
    const struct calibrate_results *results = spread->results;
    struct variance variance = {0};
    for (size_t i = 0; i < figure_count(spread); i++) {
        spread->weights[i] = results->widened * gsl_matrix_get(results->determination.inverse, field, i);
        variance.known += spread->weights[i] * spread->weights[i];
    }
    for (size_t i = 0; i < figure_count(spread); i++)
        if (deviations_first_of(results->deviations.figures, i) == i)
            variance.observed += variance_of_sum(spread, i);
    add_unsureness(spread, &variance);
    for (size_t i = 0; i < figure_count(spread); i++)
        spread->weights[i] = spread->deviations[i] * gsl_matrix_get(results->determination.inverse, field, i);
    variance.noise = variance_of_sum(spread, figure_count(spread)) /
                     (double)results->deviations.request->plan->base->replications;
    return variance;
}

/* Student's degrees of freedom as Welch and Satterthwaite have them, of what REPLICATIONS have told (one
 * estimate, since they are the same ones) and what few observations have. */
static double freedom_of(const struct variance *variance, size_t replications)
{
    double estimated = variance->noise + fabs(variance->observed - variance->known);
    double share = (variance->observed + variance->noise) / estimated;
    double freedom = share * share * (double)(replications - 1);
    double unsure = variance->unsure / pow(variance->observed + variance->noise, 2);
    return unsure > 0 ? 1 / (1 / freedom + unsure) : freedom;
}

static void judge_field(struct calibrate_results *results, size_t j, const struct variance *variance,
                        size_t replications)
{
    struct calibrate_field *field = &results->fields[j];
    const struct scenario_search *range = calibrate_range(results, j);
    double share = deviations_set_of(&results->deviations, results->best).shares[j];
    double error = sqrt(variance->observed + variance->noise + variance->weighing);
    double freedom = freedom_of(variance, replications);
    double half = error * (isfinite(freedom) ? gsl_cdf_tdist_Pinv((1 + CONFIDENCE) / 2, freedom)
                                             : gsl_cdf_ugaussian_Pinv((1 + CONFIDENCE) / 2));
    field->determined = results->determination.determined[j];
    field->error = field->determined ? search_slope_at_value(range, field->fitted) * error : NAN;
    field->half = field->determined ? half : NAN;
    field->low = field->determined ? search_value_at_share(range, fmax(share - half, 0)) : range->low;
    field->high = field->determined ? search_value_at_share(range, fmin(share + half, 1)) : range->high;
    field->border = share < AT_BORDER       ? CALIBRATE_AT_LOW
                    : share > 1 - AT_BORDER ? CALIBRATE_AT_HIGH
                                            : CALIBRATE_INSIDE;
}

static void judge_fit(struct calibrate_results *results)
{
    size_t determined = 0;
    results->missed = 0;
    for (size_t j = 0; j < calibrate_field_count(results); j++)
        determined += results->determination.effects[j] >= DETERMINATION_EFFECT;
    determined -= results->determination.combination_count;
    results->freedom = (int64_t)results->deviations.figures->count - (int64_t)determined;
    double squares = 0, freedom = -(double)determined;
    for (size_t i = 0; i < results->deviations.figures->count; i++) {
        double apart = calibrate_apart(results, i);
        results->missed += calibrate_misses(results, i);
        if (!calibrate_moves(results, i))
            continue;
        squares += apart * apart;
        freedom++;
    }
    results->widened = freedom > 0 ? fmax(1, sqrt(squares / freedom)) : 1;
}

bool calibrate_judge(struct calibrate_results *results, size_t replications, struct error *error)
{
    struct spread spread = {.results = results};
    bool judged = spread_read(&spread, replications, error);
    if (judged)
        judge_fit(results);
    for (size_t j = 0; j < calibrate_field_count(results) && judged; j++) {
        const struct variance variance = variance_of(&spread, j);
        judge_field(results, j, &variance, replications);
    }
    spread_free(&spread);
    return judged;
}
