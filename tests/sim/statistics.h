/*
 * What the tests of chance hold samples against. Limits are those that a correct sampler passes once in
 * two million tries (five standard deviations of a normal law), and streams are seeded, so that a test
 * that passes once passes always.
 */
#ifndef TESTS_STATISTICS_H
#define TESTS_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#define SIGMAS 5.0

/* P(X > x); P(X >= x) is taken as that of the double before x, so that laws may have atoms. */
typedef double survival_function(const void *law, double x);

/* Kolmogorov and Smirnov's sqrt(n) · sup |F_n − F|; sorts SAMPLE. A right one stays below KS_LIMIT. */
double kolmogorov_smirnov(double *sample, size_t count, survival_function *survival, const void *law);
#define KS_LIMIT 2.75 /* 2·exp(−2·2.75²) = 5.4e-7 */

/* Distance of the sample's mean from MEAN, in its own standard errors with DEVIATION. */
double mean_error(const double *sample, size_t count, double mean, double deviation);

/* Pearson's statistic for equal chances, as standard deviations from its mean. */
double chi_square_sigmas(const uint64_t *counts, size_t bins);

/* Correlation of two samples times sqrt(count): standard normal when they are independent. */
double correlation_sigmas(const double *x, const double *y, size_t count);

#endif
