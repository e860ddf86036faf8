/*
 * What samples say about what they were drawn from, beside Student's t of sim/tally.h: quantiles, intervals
 * by bootstrap and by Welch, the warm-up of a series, and how many replications would do. VALUES are COUNT
 * finite observations, independent unless said otherwise.
 */
#ifndef RESULTS_INFERENCE_H
#define RESULTS_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inference_interval {
    double low, high; /* NAN: there is none */
};

/* The P-quantile, 0 … 1, between neighbours by linear interpolation (type 7 of Hyndman and Fan, The American
 * Statistician 50, 1996). VALUES ascend. NAN of no values. */
double inference_quantile(const double *values, size_t count, double p);

/* A figure of a sample; it may reorder its VALUES. */
typedef double inference_statistic(double *values, size_t count, const void *context);

double inference_mean(double *values, size_t count, const void *context); /* CONTEXT is not looked at */

/* Of the quantile whose p is what CONTEXT, a double, points to. */
double inference_sample_quantile(double *values, size_t count, const void *context);

/* The interval of STATISTIC at CONFIDENCE by bootstrap, bias-corrected and accelerated (Efron, JASA 82,
 * 1987): no law is assumed, and a skewed sample has a lopsided interval. The resamples are the same whenever
 * it is asked. Of few observations it is narrower than it should be: those below ten are little to resample.
 * None of one observation. False when out of memory. */
bool inference_bootstrap(const double *values, size_t count, inference_statistic *statistic,
                         const void *context, double confidence, struct inference_interval *interval);

/* The standard error of a difference of two means that have nothing in common, of COUNT_A and COUNT_B
 * observations and with squared errors A and B of their own, and its degrees of freedom (Welch and
 * Satterthwaite). Both are NAN with fewer than 2 of either; the freedom, too, where nothing varies. */
struct inference_error {
    double standard, freedom;
};
struct inference_error inference_welch_error(double a, size_t count_a, double b, size_t count_b);

/* The mean of A less that of B, which have nothing in common: other seeds, other counts and variances (Welch,
 * Biometrika 34, 1947). */
struct inference_difference {
    double mean;
    double freedom; /* Welch and Satterthwaite's degrees; NAN where there is no interval */
    double p;       /* chance of a mean as far from 0 if there is no difference */
    struct inference_interval interval; /* at the confidence asked for */
};
struct inference_difference inference_welch(const double *a, size_t count_a, const double *b, size_t count_b,
                                            double confidence);

/* How many observations at the beginning of a series, evenly spaced in time, are warm-up: leaving them out
 * makes the mean of the others surest (MSER-5: White, Simulation 69, 1997; White, Cobb and Spratt, WSC 2000),
 * batch means of five being compared. It is at most half of the series; less means that the series has
 * settled. */
size_t inference_warm_up(const double *values, size_t count);

/* The same, if there is no doubt that they are: they differ from the others by a hundredth, and by more than
 * five standard errors as batch means tell them. Else 0, as of less than fifty observations. */
size_t inference_unsettled(const double *values, size_t count);

/* Replications needed for an interval of the mean that is HALF_WIDTH each way at CONFIDENCE, if DEVIATION is
 * that of one. At least 2; INT64_MAX if no number that makes sense is enough. */
int64_t inference_replications(double deviation, double half_width, double confidence);

/* Whether the interval of a MEAN over COUNT replications is within SHARE of it each way. With fewer than
 * INFERENCE_FEWEST it never is: of two or three, an interval is narrow by chance too often. Nor of a mean of
 * 0, unless all are 0. */
enum { INFERENCE_FEWEST = 4 };
bool inference_is_narrow(size_t count, double mean, double deviation, double confidence, double share);

#endif
