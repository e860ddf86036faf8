/* Without failures, M infinite, there is no need of any checkpoint, and all rules say so. */
#include "models/failures/interval.h"

#include <gsl/gsl_sf_lambert.h>
#include <math.h>

double interval_young(double mean, double write)
{
    return sqrt(2 * write * mean);
}

double interval_daly(double mean, double write)
{
    double ratio = write / (2 * mean);
    if (!(ratio < 1))
        return mean;
    return isinf(mean) ? mean : sqrt(2 * write * mean) * (1 + sqrt(ratio) / 3 + ratio / 9) - write;
}

/* Near W's branch point, where δ is next to nothing beside M, the argument has no digits left for W: there
 * the series in √(2δ/M) of which Daly's is the beginning is as good. */
double interval_exact(double mean, double write)
{
    const double least = 1e-7;
    double ratio = write / mean;
    if (!(ratio > least))
        return interval_daly(mean, write);
    return mean * (1 + gsl_sf_lambert_W0(-exp(-1 - ratio)));
}

double interval_cost(double interval, double mean, double write, double restart)
{
    return mean * exp(restart / mean) * expm1((interval + write) / mean) / interval;
}
