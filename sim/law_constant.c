/*
 * Constant: always its mean (kept in scale).
 */
#include "sim/law.h"
#include <math.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    sim_law_make_constant(distribution, spec->mean);
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    return x < distribution->scale ? 0 : INFINITY;
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    (void)hazard;
    return distribution->scale;
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    (void)stream;
    return distribution->scale;
}

static double mean_maximum(const struct sim_distribution *distribution, double n)
{
    (void)n;
    return distribution->scale;
}

const struct sim_law_row sim_law_constant = {
    .description = "Always the same value: mean.",
    .required = SIM_LAW_MEAN,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
    .mean_maximum = mean_maximum,
};

void sim_law_make_constant(struct sim_distribution *distribution, double value)
{
    distribution->law = &sim_law_constant;
    distribution->mean = distribution->scale = value;
    distribution->deviation = 0;
}
