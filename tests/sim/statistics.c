/*
 * Statistics for the tests of chance.
 */
#include "tests/sim/statistics.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

double kolmogorov_smirnov(double *sample, size_t count, survival_function *survival, const void *law)
{
    double n = (double)count, greatest = 0;
    gsl_sort(sample, 1, count);
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && sample[j] == sample[i];)
            j++;
        double before = 1 - survival(law, nextafter(sample[i], -INFINITY));
        double at = 1 - survival(law, sample[i]);
        greatest = fmax(greatest, fmax(fabs(before - (double)i / n), fabs(at - (double)j / n)));
    }
    return sqrt(n) * greatest;
}

double mean_error(const double *sample, size_t count, double mean, double deviation)
{
    return (gsl_stats_mean(sample, 1, count) - mean) / (deviation / sqrt((double)count));
}

double chi_square_sigmas(const uint64_t *counts, size_t bins)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < bins; i++)
        total += (double)counts[i];
    double expected = total / (double)bins;
    for (size_t i = 0; i < bins; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    double freedom = (double)(bins - 1);
    return (sum - freedom) / sqrt(2 * freedom);
}

double correlation_sigmas(const double *x, const double *y, size_t count)
{
    return gsl_stats_correlation(x, 1, y, 1, count) * sqrt((double)count);
}
