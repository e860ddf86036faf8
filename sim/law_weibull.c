/*
 * Weibull: H(x) = (x / scale)^shape. A shape below 1 is infant mortality, above 1 wear.
 */
#include "sim/law.h"
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    double k = spec->shape, mean = tgamma(1 + 1 / k), square = tgamma(1 + 2 / k);
    distribution->shape = k;
    distribution->scale = isnan(spec->mean) ? spec->median / pow(M_LN2, 1 / k) : spec->mean / mean;
    distribution->mean = distribution->scale * mean;
    distribution->deviation = distribution->scale * sqrt(square - mean * mean);
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    return pow(x / distribution->scale, distribution->shape);
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return distribution->scale * pow(hazard, 1 / distribution->shape);
}

/* Of x = age · (1 + E/H)^(1/k), the part beyond age, without the cancellation. */
static double residual(const struct sim_distribution *distribution, double age, struct sim_stream *stream)
{
    double past = hazard(distribution, age), more = sim_stream_exponential(stream);
    if (past < more)
        return at_hazard(distribution, past + more) - age;
    return age * expm1(log1p(more / past) / distribution->shape);
}

const struct sim_law_row sim_law_weibull = {
    .description =
        "Failures that come early (shape below 1) or with age (above 1): mean or median, and shape.",
    .required = SIM_LAW_SHAPE,
    .location = SIM_LAW_MEAN | SIM_LAW_MEDIAN,
    .shape_low = 0.05,
    .shape_high = 1000,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .residual = residual,
};
