/*
 * Gamma: density ∝ (x/scale)^(shape−1) · e^(−x/scale).
 *
 * The quantiles are found here, since GSL's own inverse gives up (through its error handler) for some
 * arguments. In s = ln x, ln P is concave and H = −ln Q convex, so that Newton's steps converge from
 * the good side of the root; a bracket, halved when a step leaves it, leads there from anywhere.
 */
#include "sim/law.h"
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    distribution->shape = spec->shape;
    distribution->scale = spec->mean / spec->shape;
    distribution->mean = spec->mean;
    distribution->deviation = spec->mean / sqrt(spec->shape);
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    double shape = distribution->shape, unit = x / distribution->scale;
    if (unit <= 0)
        return 0;
    if (unit < shape)
        return -log1p(-gsl_sf_gamma_inc_P(shape, unit));
    double survival = unit < DBL_MAX ? gsl_sf_gamma_inc_Q(shape, unit) : 0;
    return survival < SIM_LAW_LEAST_SURVIVAL ? INFINITY : -log(survival);
}

/* A quantile in search: the x, for a scale of 1, between LOW and HIGH, where the tail's probability
 * (the lower tail's or the upper's) has the logarithm TARGET. */
struct search {
    double shape, target;
    bool upper;
    double low, high;
};

/* By how much ln x must grow from here; shrinks the bracket. Infinite where the tail underflows. */
static double newton_step(struct search *search, double x)
{
    double tail = search->upper ? gsl_sf_gamma_inc_Q(search->shape, x) : gsl_sf_gamma_inc_P(search->shape, x);
    double excess = (log(tail) - search->target) * (search->upper ? -1 : 1);
    if (excess > 0)
        search->high = x;
    else
        search->low = x;
    return -excess * tail / (x * gsl_ran_gamma_pdf(x, search->shape, 1));
}

static double find(struct search *search, double x)
{
    enum { TRIES = 200 };
    const double close = 1e-9; /* the step after it is rounding: convergence is quadratic */
    for (int i = 0; i < TRIES; i++) {
        if (!(x > search->low && x < search->high))
            x = sqrt(search->low) * sqrt(search->high);
        double step = newton_step(search, x);
        x *= exp(step);
        if (fabs(step) < close)
            break;
    }
    return x;
}

/* The greater of two guesses that fall short where they are poor: Wilson and Hilferty's (1931: the cube
 * root is nearly normal), and the first two terms of the series for a small x. */
static double first_guess(const struct search *search, double z)
{
    double shape = search->shape, root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    return fmax(shape * root * root * root, search->low * (1 + search->low / (shape + 1)));
}

/* P(x) <= x^shape / Γ(shape + 1) bounds a quantile from below, and Chernoff's Q(x) <= exp(−I(x)), where
 * I(2·shape + 2·h) >= h, from above. */
static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    hazard = fmin(hazard, SIM_LAW_GREATEST_HAZARD);
    double shape = distribution->shape, ln_p = sim_law_log_complement(hazard);
    bool upper = hazard > M_LN2;
    struct search search = {
        .shape = shape,
        .target = upper ? -hazard : ln_p,
        .upper = upper,
        .low = exp((ln_p + gsl_sf_lngamma(shape + 1)) / shape),
        .high = 2 * (shape + hazard),
    };
    if (search.low < DBL_MIN)
        return 0;
    double z = upper ? gsl_cdf_ugaussian_Qinv(exp(-hazard)) : gsl_cdf_ugaussian_Pinv(exp(ln_p));
    return distribution->scale * find(&search, first_guess(&search, z));
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    gsl_rng generator = sim_stream_as_gsl(stream);
    return gsl_ran_gamma(&generator, distribution->shape, distribution->scale);
}

const struct sim_law_row sim_law_gamma = {
    .description = "A sum of exponential stages, shape of them (or a broken number): mean and shape.",
    .required = SIM_LAW_MEAN | SIM_LAW_SHAPE,
    .shape_low = 0.01,
    .shape_high = 10000,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
};
