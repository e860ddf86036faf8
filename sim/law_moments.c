/*
 * Moments of a maximum, by quadrature. The largest of n draws is at_hazard(h_n(t)), where e^t is an
 * exponential draw and h_n = −ln(1 − exp(−e^t / n)); its moments are integrals over the whole line of
 * at_hazard(h_n(t))^power · exp(t − e^t), analytic with decaying ends, for which the trapezoidal rule
 * converges geometrically (Trefethen and Weideman, SIAM Review 56, 2014).
 */
#include "sim/law.h"
#include <math.h>

/* Below ln 2 expm1 keeps the digits, above it log1p does (Maechler, "Accurately computing
 * log(1 − exp(−|a|))", 2012). */
double sim_law_log_complement(double x)
{
    return x < M_LN2 ? log(-expm1(-x)) : log1p(-exp(-x));
}

double sim_law_moment_of_maximum(const struct sim_distribution *distribution,
                                 double (*at_hazard)(const struct sim_distribution *, double), double n,
                                 int power)
{
    const double step = 1.0 / 8, top = 6.5, bottom = -600; /* e^−e^6.5 is 10⁻²⁸⁹ */
    const double ln_n = log(n);
    double sum = 0, previous = INFINITY;
    for (double t = top; t > bottom; t -= step) {
        double hazard = -sim_law_log_complement(exp(t - ln_n));
        double term = pow(at_hazard(distribution, hazard), power) * exp(t - exp(t));
        sum += term;
        if (fabs(term) < previous && fabs(term) < 1e-18 * fabs(sum))
            break;
        previous = fabs(term);
    }
    return sum * step;
}
