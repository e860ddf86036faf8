/*
 * The standard normal law by its cumulative hazard, each half from the tail that keeps its digits.
 */
#include "sim/law_gaussian.h"
#include "sim/law.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

double sim_law_gaussian_hazard(double z)
{
    if (z < 0)
        return -log1p(-gsl_cdf_ugaussian_P(z));
    double survival = gsl_cdf_ugaussian_Q(z);
    return survival < SIM_LAW_LEAST_SURVIVAL ? INFINITY : -log(survival);
}

double sim_law_gaussian_at_hazard(double hazard)
{
    if (hazard < M_LN2)
        return gsl_cdf_ugaussian_Pinv(-expm1(-hazard));
    return gsl_cdf_ugaussian_Qinv(exp(-fmin(hazard, SIM_LAW_GREATEST_HAZARD)));
}
