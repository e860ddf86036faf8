/*
 * Uniform between low (kept in shape) and low + scale.
 */
#include "sim/law.h"
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    if (spec->high < spec->low) {
        error_set(error, ERROR_INPUT, "high: %g must not be below low, %g", spec->high, spec->low);
        return false;
    }
    if (spec->high == spec->low) {
        sim_law_make_constant(distribution, spec->low);
        return true;
    }
    distribution->shape = spec->low;
    distribution->scale = spec->high - spec->low;
    distribution->mean = spec->low + distribution->scale / 2;
    distribution->deviation = distribution->scale / sqrt(12);
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    double part = (x - distribution->shape) / distribution->scale;
    return part <= 0 ? 0 : part >= 1 ? INFINITY : -log1p(-part);
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return distribution->shape - distribution->scale * expm1(-hazard);
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    return distribution->shape + distribution->scale * sim_stream_uniform(stream);
}

static double mean_maximum(const struct sim_distribution *distribution, double n)
{
    return distribution->shape + distribution->scale * (n / (n + 1));
}

const struct sim_law_row sim_law_uniform = {
    .description = "Any value between low and high, all as likely.",
    .required = SIM_LAW_LOW | SIM_LAW_HIGH,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
    .mean_maximum = mean_maximum,
};
