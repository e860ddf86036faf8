/*
 * Normal, cut off at 0: max(0, mean + scale · Z). The uncut mean is kept in shape.
 */
#include "sim/law.h"
#include "sim/law_gaussian.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    if (spec->deviation == 0) {
        sim_law_make_constant(distribution, spec->mean);
        return true;
    }
    double mean = spec->mean, scale = spec->deviation, z = mean / scale;
    double above = gsl_cdf_ugaussian_P(z), edge = scale * gsl_ran_ugaussian_pdf(z);
    distribution->shape = mean;
    distribution->scale = scale;
    distribution->mean = mean * above + edge;
    /* E[X²] − E[X]², with E[X²] = (mean² + scale²) · above + mean · edge */
    double square = scale * scale * above + mean * mean * above * gsl_cdf_ugaussian_Q(z);
    distribution->deviation = sqrt(square + mean * edge * (1 - 2 * above) - edge * edge);
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    return x < 0 ? 0 : sim_law_gaussian_hazard((x - distribution->shape) / distribution->scale);
}

static double uncut_at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return distribution->shape + distribution->scale * sim_law_gaussian_at_hazard(hazard);
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return fmax(0, uncut_at_hazard(distribution, hazard));
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    return fmax(0, distribution->shape + distribution->scale * sim_stream_normal(stream));
}

/* What the cut adds to the mean of the largest of n: the integral of F^n below 0, by the trapezoidal
 * rule in t, x = −scale · e^t. */
static double gain_of_cut(const struct sim_distribution *distribution, double n)
{
    const double step = 1.0 / 16, bottom = -45, top = 4;
    double z = distribution->shape / distribution->scale, sum = 0;
    for (double t = bottom; t < top; t += step)
        sum += exp(t + n * log(gsl_cdf_ugaussian_P(-z - exp(t))));
    return distribution->scale * sum * step;
}

static double mean_maximum(const struct sim_distribution *distribution, double n)
{
    return sim_law_moment_of_maximum(distribution, uncut_at_hazard, n, 1) + gain_of_cut(distribution, n);
}

const struct sim_law_row sim_law_normal = {
    .description = "Bell-shaped around mean with standard deviation deviation; what falls below 0 becomes 0.",
    .required = SIM_LAW_MEAN | SIM_LAW_DEVIATION,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
    .mean_maximum = mean_maximum,
};
