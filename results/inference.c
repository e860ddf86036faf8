/*
 * The bootstrap draws from a stream of its own, named by nothing but its purpose, so that a figure has the
 * same interval wherever it is asked for.
 */
#include "results/inference.h"

#include "models/purpose.h"
#include "sim/stream.h"
#include "sim/tally.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000, BATCH = 5 };

static const struct inference_interval no_interval = {NAN, NAN};

double inference_quantile(const double *values, size_t count, double p)
{
    return count ? gsl_stats_quantile_from_sorted_data(values, 1, count, p) : NAN;
}

double inference_mean(double *values, size_t count, const void *context)
{
    (void)context;
    return gsl_stats_mean(values, 1, count);
}

double inference_sample_quantile(double *values, size_t count, const void *context)
{
    gsl_sort(values, 1, count);
    return inference_quantile(values, count, *(const double *)context);
}

/* What is bootstrapped. */
struct resampling {
    const double *values;
    size_t count;
    inference_statistic *statistic;
    const void *context;
    double *copy; /* room for COUNT */
};

/* The statistic with all values but one. */
static double without(const struct resampling *resampling, size_t left_out)
{
    size_t count = 0;
    for (size_t i = 0; i < resampling->count; i++)
        if (i != left_out)
            resampling->copy[count++] = resampling->values[i];
    return resampling->statistic(resampling->copy, count, resampling->context);
}

/* How fast the standard error changes with the statistic, from the jackknife (Efron 1987, eq. 6.6). LEFT has
 * room for the values. */
static double acceleration(const struct resampling *resampling, double *left)
{
    double squares = 0, cubes = 0;
    for (size_t i = 0; i < resampling->count; i++)
        left[i] = without(resampling, i);
    double mean = gsl_stats_mean(left, 1, resampling->count);
    for (size_t i = 0; i < resampling->count; i++) {
        double distance = mean - left[i];
        squares += distance * distance;
        cubes += distance * distance * distance;
    }
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* Fills RESAMPLED, and sorts it. */
static void resample(const struct resampling *resampling, double *resampled)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 0, 0, PURPOSE_BOOTSTRAP, 0);
    for (size_t i = 0; i < RESAMPLES; i++) {
        for (size_t j = 0; j < resampling->count; j++)
            resampling->copy[j] = resampling->values[sim_stream_below(&stream, resampling->count)];
        resampled[i] = resampling->statistic(resampling->copy, resampling->count, resampling->context);
    }
    gsl_sort(resampled, 1, RESAMPLES);
}

/* Where the resampled statistics lie around the sample's own, as a normal quantile; half of a tie is below.
 */
static double bias(const double *resampled, double own)
{
    double below = 0;
    for (size_t i = 0; i < RESAMPLES; i++)
        below += resampled[i] < own ? 1 : resampled[i] == own ? 0.5 : 0;
    below = fmin(fmax(below, 0.5), RESAMPLES - 0.5);
    return gsl_cdf_ugaussian_Pinv(below / RESAMPLES);
}

/* The share of resampled statistics below the end whose normal quantile would be Z. */
static double corrected(double bias, double acceleration, double z)
{
    double moved = bias + z;
    return gsl_cdf_ugaussian_P(bias + moved / (1 - acceleration * moved));
}

/* BUFFER has room for the resampled statistics and two samples. */
static struct inference_interval bootstrap(struct resampling *resampling, double confidence, double *buffer)
{
    double *resampled = buffer, *left = buffer + RESAMPLES;
    resampling->copy = left + resampling->count;
    memcpy(resampling->copy, resampling->values, resampling->count * sizeof *resampling->values);
    double own = resampling->statistic(resampling->copy, resampling->count, resampling->context);
    double faster = acceleration(resampling, left), z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2);
    resample(resampling, resampled);
    double shift = bias(resampled, own);
    return (struct inference_interval){inference_quantile(resampled, RESAMPLES, corrected(shift, faster, -z)),
                                       inference_quantile(resampled, RESAMPLES, corrected(shift, faster, z))};
}

bool inference_bootstrap(const double *values, size_t count, inference_statistic *statistic,
                         const void *context, double confidence, struct inference_interval *interval)
{
    *interval = no_interval;
    if (count < 2)
        return true;
    double *buffer = calloc(RESAMPLES + 2 * count, sizeof *buffer);
    if (!buffer)
        return false;
    struct resampling resampling = {
        .values = values, .count = count, .statistic = statistic, .context = context};
    *interval = bootstrap(&resampling, confidence, buffer);
    free(buffer);
    return true;
}

struct inference_error inference_welch_error(double a, size_t count_a, double b, size_t count_b)
{
    if (count_a < 2 || count_b < 2)
        return (struct inference_error){NAN, NAN};
    double varied = a * a / (double)(count_a - 1) + b * b / (double)(count_b - 1);
    return (struct inference_error){sqrt(a + b), a + b > 0 ? (a + b) * (a + b) / varied : NAN};
}

struct inference_difference inference_welch(const double *a, size_t count_a, const double *b, size_t count_b,
                                            double confidence)
{
    struct inference_difference difference = {.mean = NAN, .freedom = NAN, .p = NAN, .interval = no_interval};
    if (count_a && count_b)
        difference.mean = gsl_stats_mean(a, 1, count_a) - gsl_stats_mean(b, 1, count_b);
    if (count_a < 2 || count_b < 2)
        return difference;
    struct inference_error error =
        inference_welch_error(gsl_stats_variance(a, 1, count_a) / (double)count_a, count_a,
                              gsl_stats_variance(b, 1, count_b) / (double)count_b, count_b);
    if (error.standard == 0) { /* nothing varies */
        difference.p = difference.mean == 0;
        difference.interval = (struct inference_interval){difference.mean, difference.mean};
        return difference;
    }
    difference.freedom = error.freedom;
    difference.p = 2 * gsl_cdf_tdist_Q(fabs(difference.mean) / error.standard, error.freedom);
    double half = gsl_cdf_tdist_Qinv((1 - confidence) / 2, error.freedom) * error.standard;
    difference.interval = (struct inference_interval){difference.mean - half, difference.mean + half};
    return difference;
}

static double batch_mean(const double *values, size_t batch)
{
    return gsl_stats_mean(values + batch * BATCH, 1, BATCH);
}

/* Batches are taken from the last backwards: then the sums of all tails come in one pass. A tie goes to the
 * shorter warm-up. */
size_t inference_warm_up(const double *values, size_t count)
{
    size_t batches = count / BATCH, best = 0;
    double sum = 0, squares = 0, least = INFINITY, origin = count ? values[count - 1] : 0;
    for (size_t i = batches; i-- > 0;) {
        double value = batch_mean(values, i) - origin, kept = (double)(batches - i);
        sum += value;
        squares += value * value;
        double error = fmax(squares - sum * sum / kept, 0) / (kept * kept);
        if (i <= batches / 2 && error <= least) {
            least = error;
            best = i;
        }
    }
    return best * BATCH;
}

/* The variance of a mean over COUNT values in a row, which may well depend on their neighbours, times COUNT.
 */
static double long_run_variance(const double *values, size_t count)
{
    enum { BATCHES = 10 };
    double means[BATCHES];
    size_t length = count / BATCHES;
    for (size_t i = 0; i < BATCHES; i++)
        means[i] = gsl_stats_mean(values + i * length, 1, length);
    return gsl_stats_variance(means, 1, BATCHES) * (double)length;
}

size_t inference_unsettled(const double *values, size_t count)
{
    enum { LEAST = 50 };
    const double errors = 5, effect = 0.01;
    size_t warm_up = count >= LEAST ? inference_warm_up(values, count) : 0;
    if (!warm_up)
        return 0;
    size_t rest = count - warm_up;
    double mean = gsl_stats_mean(values + warm_up, 1, rest);
    double distance = fabs(gsl_stats_mean(values, 1, warm_up) - mean);
    double variance = long_run_variance(values + warm_up, rest) * (1 / (double)warm_up + 1 / (double)rest);
    return distance > effect * fabs(mean) && distance > errors * sqrt(variance) ? warm_up : 0;
}

int64_t inference_replications(double deviation, double half_width, double confidence)
{
    const int64_t most = INT64_C(1) << 40;
    int64_t low = 1, high = 2; /* LOW is too few */
    while (high < most && !(sim_student_half_width((uint64_t)high, deviation, confidence) <= half_width)) {
        low = high;
        high *= 2;
    }
    if (high >= most)
        return INT64_MAX;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (sim_student_half_width((uint64_t)middle, deviation, confidence) <= half_width)
            high = middle;
        else
            low = middle;
    }
    return high;
}

bool inference_is_narrow(size_t count, double mean, double deviation, double confidence, double share)
{
    return count >= INFERENCE_FEWEST &&
           sim_student_half_width(count, deviation, confidence) <= share * fabs(mean);
}
