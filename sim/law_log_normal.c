/*
 * Log-normal: scale · e^(shape · Z); the scale is the median, the shape sigma.
 */
#include "sim/law.h"
#include "sim/law_gaussian.h"
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    double variance = spec->sigma * spec->sigma;
    double median = isnan(spec->mean) ? spec->median : spec->mean * exp(-variance / 2);
    if (spec->sigma == 0) {
        sim_law_make_constant(distribution, median);
        return true;
    }
    distribution->scale = median;
    distribution->shape = spec->sigma;
    distribution->mean = median * exp(variance / 2);
    distribution->deviation = distribution->mean * sqrt(expm1(variance));
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    return x <= 0 ? 0 : sim_law_gaussian_hazard(log(x / distribution->scale) / distribution->shape);
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return distribution->scale * exp(distribution->shape * sim_law_gaussian_at_hazard(hazard));
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    return distribution->scale * exp(distribution->shape * sim_stream_normal(stream));
}

const struct sim_law_row sim_law_log_normal = {
    .description = "Its logarithm is normal with standard deviation sigma: mean or median, and sigma.",
    .required = SIM_LAW_SIGMA,
    .location = SIM_LAW_MEAN | SIM_LAW_MEDIAN,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
};
