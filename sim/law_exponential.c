/*
 * Exponential: H(x) = x / scale; the scale is the mean.
 */
#include "sim/law.h"
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_psi.h>

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    distribution->scale = distribution->mean = distribution->deviation = spec->mean;
    return true;
}

static double hazard(const struct sim_distribution *distribution, double x)
{
    return x / distribution->scale;
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    return distribution->scale * hazard;
}

static double sample(const struct sim_distribution *distribution, struct sim_stream *stream)
{
    return distribution->scale * sim_stream_exponential(stream);
}

static double residual(const struct sim_distribution *distribution, double age, struct sim_stream *stream)
{
    (void)age; /* no memory */
    return sample(distribution, stream);
}

/* The n-th harmonic number, ψ(n + 1) + γ. */
static double mean_maximum(const struct sim_distribution *distribution, double n)
{
    return distribution->scale * (gsl_sf_psi(n + 1) + M_EULER);
}

const struct sim_law_row sim_law_exponential = {
    .description = "No memory: the chance to end is the same at every age. Given by its mean.",
    .required = SIM_LAW_MEAN,
    .memoryless = true,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
    .sample = sample,
    .residual = residual,
    .mean_maximum = mean_maximum,
};
