/*
 * Lives are counted in units of their geometric mean, so that no power overflows, and parameters are
 * θ = (ln scale, ln shape), free of bounds; a law here is its log-likelihood in θ and a way to its maximum.
 * The curvature at the maximum is taken by differences.
 */
#include "sim/fit.h"

#include <assert.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>

enum { ITERATIONS_MOST = 1000 };
#define NORMAL_QUANTILE 1.959963984540054 /* of 0.975 */
#define STEP 1e-3                         /* in θ, for second differences */
#define SHAPE_LOW 0.05                    /* of a Weibull law, as in law_weibull.c */
#define SHAPE_HIGH 1000.0
#define SIGMA_HIGH 10.0

const enum sim_law sim_fit_laws[SIM_FIT_LAWS] = {SIM_LAW_EXPONENTIAL, SIM_LAW_WEIBULL, SIM_LAW_LOG_NORMAL};

struct sample {
    const struct sim_life *lives; /* ascending */
    size_t count, ended;
    double unit;       /* geometric mean of the ended ones */
    double log_square; /* Σ ln²(t / unit) over the ended ones; Σ ln(t / unit) is 0 */
    double log_sum;    /* Σ ln t over the ended ones */
    double total;      /* Σ t / unit over all */
    double shortest_ended, last_ended;
};

struct model {
    int parameters;
    double (*log_likelihood)(const struct sample *, const double theta[2]); /* of lives in UNITs */
    bool (*maximise)(const struct sample *, double theta[2]);
    double (*hazard)(double x, const double theta[2]); /* −ln P(X > x), x in UNITs */
    double (*log_mean)(const double theta[2], double gradient[2]);
    double (*log_median)(const double theta[2]);
};

/* Powers of all lives: Σ t^k and Σ t^k ln t, scaled by the greatest of them. */
struct powers {
    double sum, log_sum, greatest_log;
};

static struct powers sum_powers(const struct sample *sample, double k)
{
    struct powers powers = {.greatest_log = log(sample->lives[sample->count - 1].length / sample->unit)};
    for (size_t i = 0; i < sample->count; i++) {
        double x = log(sample->lives[i].length / sample->unit);
        double power = exp(k * (x - powers.greatest_log));
        powers.sum += power;
        powers.log_sum += power * x;
    }
    return powers;
}

static double exponential_log_likelihood(const struct sample *sample, const double theta[2])
{
    return -(double)sample->ended * theta[0] - sample->total * exp(-theta[0]);
}

static bool exponential_maximise(const struct sample *sample, double theta[2])
{
    theta[0] = log(sample->total / (double)sample->ended);
    theta[1] = 0;
    return true;
}

static double exponential_hazard(double x, const double theta[2])
{
    return x * exp(-theta[0]);
}

static double exponential_log_mean(const double theta[2], double gradient[2])
{
    gradient[0] = 1;
    gradient[1] = 0;
    return theta[0];
}

static double exponential_log_median(const double theta[2])
{
    return theta[0] + log(M_LN2);
}

/* Σ ln f over the ended ones has (k − 1) Σ ln t = 0. */
static double weibull_log_likelihood(const struct sample *sample, const double theta[2])
{
    double k = exp(theta[1]);
    struct powers powers = sum_powers(sample, k);
    return (double)sample->ended * (theta[1] - k * theta[0]) -
           powers.sum * exp(k * (powers.greatest_log - theta[0]));
}

/* The slope of the profile likelihood in k; rises with k. */
static double weibull_slope(double log_k, void *context)
{
    double k = exp(log_k);
    struct powers powers = sum_powers(context, k);
    return powers.log_sum / powers.sum - 1 / k;
}

static bool find_root(gsl_function *function, double low, double high, double *root)
{
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver)
        return false;
    int status = gsl_root_fsolver_set(solver, function, low, high), left = ITERATIONS_MOST;
    if (status == GSL_SUCCESS)
        do {
            status = gsl_root_fsolver_iterate(solver);
            if (status == GSL_SUCCESS)
                status = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                                gsl_root_fsolver_x_upper(solver), 1e-12, 1e-12);
        } while (status == GSL_CONTINUE && left-- > 0);
    *root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return status == GSL_SUCCESS;
}

static bool weibull_maximise(const struct sample *sample, double theta[2])
{
    gsl_function slope = {.function = weibull_slope, .params = (void *)sample};
    if (weibull_slope(log(SHAPE_LOW), (void *)sample) >= 0 ||
        weibull_slope(log(SHAPE_HIGH), (void *)sample) <= 0 ||
        !find_root(&slope, log(SHAPE_LOW), log(SHAPE_HIGH), &theta[1]))
        return false;
    double k = exp(theta[1]);
    struct powers powers = sum_powers(sample, k);
    theta[0] = powers.greatest_log + log(powers.sum / (double)sample->ended) / k;
    return true;
}

static double weibull_hazard(double x, const double theta[2])
{
    return exp(exp(theta[1]) * (log(x) - theta[0]));
}

static double weibull_log_mean(const double theta[2], double gradient[2])
{
    double k = exp(theta[1]);
    gradient[0] = 1;
    gradient[1] = -gsl_sf_psi(1 + 1 / k) / k;
    return theta[0] + lgamma(1 + 1 / k);
}

static double weibull_log_median(const double theta[2])
{
    return theta[0] + log(M_LN2) / exp(theta[1]);
}

/* ln P(Z > z). */
static double log_upper_tail(double z)
{
    return gsl_sf_log_erfc(z * M_SQRT1_2) - M_LN2;
}

/* −½ Σ z² over the ended ones, whose ln t sum to 0, and the tails of the others. Without Σ ln t. */
static double log_normal_log_likelihood(const struct sample *sample, const double theta[2])
{
    double sigma = exp(theta[1]), n = (double)sample->ended;
    double squares = sample->log_square + n * theta[0] * theta[0];
    double sum = -n * (theta[1] + log(2 * M_PI) / 2) - squares / (2 * sigma * sigma);
    for (size_t i = 0; i < sample->count; i++)
        if (!sample->lives[i].ended)
            sum += log_upper_tail((log(sample->lives[i].length / sample->unit) - theta[0]) / sigma);
    return sum;
}

static double log_normal_cost(const gsl_vector *theta, void *context)
{
    return -log_normal_log_likelihood(context,
                                      (double[2]){gsl_vector_get(theta, 0), gsl_vector_get(theta, 1)}) /
           (double)((const struct sample *)context)->count;
}

/* Moves THETA to the maximum by the simplex of Nelder and Mead. */
static bool climb(gsl_multimin_fminimizer *minimizer, const struct sample *sample, double theta[2])
{
    gsl_multimin_function cost = {.f = log_normal_cost, .n = 2, .params = (void *)sample};
    double steps[2] = {0.5, 0.2};
    gsl_vector_view start = gsl_vector_view_array(theta, 2), step = gsl_vector_view_array(steps, 2);
    int status = gsl_multimin_fminimizer_set(minimizer, &cost, &start.vector, &step.vector);
    for (int left = ITERATIONS_MOST; left > 0 && (status == GSL_SUCCESS || status == GSL_CONTINUE); left--) {
        status = gsl_multimin_fminimizer_iterate(minimizer);
        if (status == GSL_SUCCESS)
            status = gsl_multimin_test_size(gsl_multimin_fminimizer_size(minimizer), 1e-7);
        if (status == GSL_SUCCESS)
            break;
    }
    for (size_t i = 0; i < 2; i++)
        theta[i] = gsl_vector_get(minimizer->x, i);
    return status == GSL_SUCCESS;
}

static bool log_normal_maximise(const struct sample *sample, double theta[2])
{
    theta[0] = 0;
    theta[1] = log(sample->log_square / (double)sample->ended) / 2;
    if (sample->ended < sample->count) {
        gsl_multimin_fminimizer *minimizer =
            gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 2);
        bool found = minimizer && climb(minimizer, sample, theta);
        gsl_multimin_fminimizer_free(minimizer);
        if (!found)
            return false;
    }
    return theta[1] <= log(SIGMA_HIGH);
}

static double log_normal_hazard(double x, const double theta[2])
{
    return -log_upper_tail((log(x) - theta[0]) / exp(theta[1]));
}

static double log_normal_log_mean(const double theta[2], double gradient[2])
{
    double variance = exp(2 * theta[1]);
    gradient[0] = 1;
    gradient[1] = variance;
    return theta[0] + variance / 2;
}

static double log_normal_log_median(const double theta[2])
{
    return theta[0];
}

static const struct model exponential = {1,
                                         exponential_log_likelihood,
                                         exponential_maximise,
                                         exponential_hazard,
                                         exponential_log_mean,
                                         exponential_log_median};
static const struct model weibull = {
    2, weibull_log_likelihood, weibull_maximise, weibull_hazard, weibull_log_mean, weibull_log_median};
static const struct model log_normal = {2,
                                        log_normal_log_likelihood,
                                        log_normal_maximise,
                                        log_normal_hazard,
                                        log_normal_log_mean,
                                        log_normal_log_median};

static const struct model *model_of(enum sim_law law)
{
    if (law == SIM_LAW_EXPONENTIAL)
        return &exponential;
    if (law == SIM_LAW_WEIBULL)
        return &weibull;
    assert(law == SIM_LAW_LOG_NORMAL);
    return &log_normal;
}

/* An end comes before the last sight of another life of the same length. */
static int compare_lives(const void *a, const void *b)
{
    const struct sim_life *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return y->ended - x->ended;
}

static bool gather(struct sim_life *lives, size_t count, struct sample *sample, struct error *error)
{
    *sample = (struct sample){.lives = lives, .count = count};
    qsort(lives, count, sizeof *lives, compare_lives);
    for (size_t i = 0; i < count; i++) {
        assert(lives[i].length > 0);
        if (!lives[i].ended)
            continue;
        if (!sample->ended++)
            sample->shortest_ended = lives[i].length;
        sample->last_ended = lives[i].length;
        sample->log_sum += log(lives[i].length);
    }
    if (!sample->ended || sample->shortest_ended == sample->last_ended) {
        error_set(error, ERROR_INPUT, "%zu times that ended, %s: too few to fit a law to", sample->ended,
                  sample->ended > 1 ? "all of the same length" : "none of another length");
        return false;
    }
    sample->unit = exp(sample->log_sum / (double)sample->ended);
    for (size_t i = 0; i < count; i++) {
        double x = log(lives[i].length / sample->unit);
        sample->total += lives[i].length / sample->unit;
        sample->log_square += lives[i].ended ? x * x : 0;
    }
    return true;
}

static double shifted(const struct model *model, const struct sample *sample, const double theta[2], double a,
                      double b)
{
    return model->log_likelihood(sample, (double[2]){theta[0] + a, theta[1] + b});
}

/* The covariance of θ: the inverse of minus the second derivatives. COVARIANCE: of (0, 0), (0, 1), (1, 1). */
static void invert_curvature(const struct model *model, const struct sample *sample, const double theta[2],
                             double covariance[3])
{
    double h = STEP, middle = shifted(model, sample, theta, 0, 0);
    double aa =
        -(shifted(model, sample, theta, h, 0) - 2 * middle + shifted(model, sample, theta, -h, 0)) / (h * h);
    covariance[0] = 1 / aa;
    covariance[1] = covariance[2] = 0;
    if (model->parameters == 1)
        return;
    double bb =
        -(shifted(model, sample, theta, 0, h) - 2 * middle + shifted(model, sample, theta, 0, -h)) / (h * h);
    double ab = -(shifted(model, sample, theta, h, h) - shifted(model, sample, theta, h, -h) -
                  shifted(model, sample, theta, -h, h) + shifted(model, sample, theta, -h, -h)) /
                (4 * h * h);
    double determinant = aa * bb - ab * ab;
    covariance[0] = bb / determinant;
    covariance[1] = -ab / determinant;
    covariance[2] = aa / determinant;
}

static struct sim_fit_value interval(double logarithm, double variance)
{
    double reach = NORMAL_QUANTILE * sqrt(variance);
    return (struct sim_fit_value){exp(logarithm), exp(logarithm - reach), exp(logarithm + reach)};
}

/* Kaplan and Meier's estimate falls at every end, by the share of those still seen that ended there. */
static double largest_distance(const struct model *model, const struct sample *sample, const double theta[2])
{
    double survival = 1, largest = 0;
    for (size_t i = 0; i < sample->count;) {
        double length = sample->lives[i].length;
        size_t left = sample->count - i, ended = 0;
        for (; i < sample->count && sample->lives[i].length == length; i++)
            ended += sample->lives[i].ended;
        if (!ended)
            continue;
        double fitted = exp(-model->hazard(length / sample->unit, theta));
        double after = survival * (double)(left - ended) / (double)left;
        largest = fmax(largest, fmax(fabs(survival - fitted), fabs(after - fitted)));
        survival = after;
    }
    return largest;
}

/* From parameters in UNITs to what the caller gets. */
static void report(const struct model *model, const struct sample *sample, const double theta[2],
                   struct sim_fit *fit)
{
    double covariance[3], slope[2], log_unit = log(sample->unit);
    double log_mean = log_unit + model->log_mean(theta, slope);
    invert_curvature(model, sample, theta, covariance);
    fit->mean =
        interval(log_mean, slope[0] * slope[0] * covariance[0] + 2 * slope[0] * slope[1] * covariance[1] +
                               slope[1] * slope[1] * covariance[2]);
    fit->shape =
        model->parameters == 2 ? interval(theta[1], covariance[2]) : (struct sim_fit_value){NAN, NAN, NAN};
    fit->median = exp(log_unit + model->log_median(theta));
    /* A density per UNIT is UNIT times that per caller's unit. */
    fit->log_likelihood = model->log_likelihood(sample, theta) - sample->log_sum;
    fit->aic = 2 * (model->parameters - fit->log_likelihood);
    fit->distance = largest_distance(model, sample, theta);
}

bool sim_fit(enum sim_law law, struct sim_life *lives, size_t count, struct sim_fit *fit, struct error *error)
{
    const struct model *model = model_of(law);
    struct sample sample;
    double theta[2];
    *fit = (struct sim_fit){.law = law};
    if (!gather(lives, count, &sample, error))
        return false;
    if (!model->maximise(&sample, theta)) {
        error_set(error, ERROR_INPUT, "no %s law of a shape that is allowed is the likeliest",
                  sim_law_names[law]);
        return false;
    }
    report(model, &sample, theta, fit);
    return true;
}
