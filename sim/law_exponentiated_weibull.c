/*
 * Exponentiated Weibull (Mudholkar and Srivastava, 1993): F(x) = (1 − e^−z)^power, z = (x/scale)^shape.
 */
#include "sim/law.h"
#include <math.h>

/* Beyond this z, e^−z is nothing beside 1: F = 1 − power · e^−z, and H = z − ln power. */
static const double far = 45;

static double hazard(const struct sim_distribution *distribution, double x)
{
    double z = pow(x / distribution->scale, distribution->shape);
    if (z > far)
        return z - log(distribution->power);
    return -sim_law_log_complement(-distribution->power * sim_law_log_complement(z));
}

static double at_hazard(const struct sim_distribution *distribution, double hazard)
{
    double z = hazard + log(distribution->power);
    if (z <= far)
        z = -sim_law_log_complement(-sim_law_log_complement(hazard) / distribution->power);
    return distribution->scale * pow(z, 1 / distribution->shape);
}

static bool prepare(struct sim_distribution *distribution, const struct sim_law_spec *spec,
                    struct error *error)
{
    (void)error;
    distribution->shape = spec->shape;
    distribution->power = spec->power;
    distribution->scale = 1;
    double mean = sim_law_moment_of_maximum(distribution, at_hazard, 1, 1);
    double square = sim_law_moment_of_maximum(distribution, at_hazard, 1, 2);
    distribution->scale =
        isnan(spec->mean) ? spec->median / at_hazard(distribution, M_LN2) : spec->mean / mean;
    distribution->mean = distribution->scale * mean;
    distribution->deviation = distribution->scale * sqrt(square - mean * mean);
    return true;
}

const struct sim_law_row sim_law_exponentiated_weibull = {
    .description = "A Weibull law whose distribution function is raised to a power, as repair times with a "
                   "quick bulk and a long tail are: mean or median, shape and power.",
    .required = SIM_LAW_SHAPE | SIM_LAW_POWER,
    .location = SIM_LAW_MEAN | SIM_LAW_MEDIAN,
    .shape_low = 0.05,
    .shape_high = 1000,
    .prepare = prepare,
    .hazard = hazard,
    .at_hazard = at_hazard,
};
