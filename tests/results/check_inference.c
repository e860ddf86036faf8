/*
 * Figures against those in print: bootstrap intervals of Efron and Tibshirani's book, Welch's test on two
 * textbook pairs of samples, Student's t from tables; and a warm-up that is known because it was put there.
 */
#include "results/inference.h"
#include "sim/stream.h"

#include <check.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double variance(double *values, size_t count, const void *context)
{
    (void)context;
    return gsl_stats_variance(values, 1, count) * (double)(count - 1) / (double)count;
}

/* Efron and Tibshirani, An Introduction to the Bootstrap (1993), table 14.2: the variance of the spatial
 * test's A is 171.5, from 115.8 to 259.6 at 90 %. */
START_TEST(a_bootstrap_interval_is_the_published_one)
{
    static const double spatial[] = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                                     0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
    struct inference_interval interval, again;
    ck_assert(inference_bootstrap(spatial, COUNT(spatial), variance, NULL, 0.9, &interval));
    ck_assert_double_eq_tol(interval.low, 115.8, 4);
    ck_assert_double_eq_tol(interval.high, 259.6, 8);
    ck_assert(inference_bootstrap(spatial, COUNT(spatial), variance, NULL, 0.9, &again));
    ck_assert(interval.low == again.low && interval.high == again.high);
}
END_TEST

static void draw(double *values, size_t count, uint64_t seed)
{
    struct sim_stream stream;
    sim_stream_open(&stream, seed, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        values[i] = sim_stream_exponential(&stream);
}

/* Of 30 exponential draws nine in ten intervals hold the mean, or the median ln 2, give or take what the
 * bootstrap misses at this size; of Student's interval, which is not lopsided, the misses lie on one side. */
START_TEST(bootstrap_intervals_hold_what_they_promise)
{
    enum { TRIALS = 300, SIZE = 30 };
    static const double half = 0.5;
    int means = 0, medians = 0, above = 0, below = 0;
    for (uint64_t trial = 1; trial <= TRIALS; trial++) {
        double values[SIZE];
        struct inference_interval mean, median;
        draw(values, SIZE, trial);
        ck_assert(inference_bootstrap(values, SIZE, inference_mean, NULL, 0.9, &mean));
        ck_assert(inference_bootstrap(values, SIZE, inference_sample_quantile, &half, 0.9, &median));
        means += mean.low <= 1 && 1 <= mean.high;
        medians += median.low <= M_LN2 && M_LN2 <= median.high;
        above += mean.low > 1;
        below += mean.high < 1;
    }
    ck_assert_int_ge(means, 0.83 * TRIALS);
    ck_assert_int_ge(medians, 0.83 * TRIALS);
    ck_assert(means < 0.97 * TRIALS && medians < 0.97 * TRIALS);
    ck_assert(above > 3 && below > 3);
}
END_TEST

START_TEST(samples_without_spread_have_points_for_intervals)
{
    static const double same[] = {2, 2, 2, 2};
    struct inference_interval interval;
    ck_assert(inference_bootstrap(same, 4, inference_mean, NULL, 0.95, &interval));
    ck_assert(interval.low == 2 && interval.high == 2);
    ck_assert(inference_bootstrap(same, 1, inference_mean, NULL, 0.95, &interval));
    ck_assert(isnan(interval.low) && isnan(interval.high));
    struct inference_difference difference = inference_welch(same, 4, same, 2, 0.95);
    ck_assert(difference.mean == 0 && difference.p == 1);
    ck_assert(difference.interval.low == 0 && difference.interval.high == 0);
    difference = inference_welch(same, 4, same, 1, 0.95);
    ck_assert(difference.mean == 0 && isnan(difference.p) && isnan(difference.interval.low));
}
END_TEST

START_TEST(quantiles_lie_between_neighbours)
{
    static const double values[] = {1, 2, 4, 8, 16};
    ck_assert_double_eq(inference_quantile(values, 5, 0), 1);
    ck_assert_double_eq(inference_quantile(values, 5, 0.5), 4);
    ck_assert_double_eq(inference_quantile(values, 5, 0.9), 8 + 0.6 * 8);
    ck_assert_double_eq(inference_quantile(values, 5, 1), 16);
    ck_assert_double_nan(inference_quantile(values, 0, 0.5));
}
END_TEST

/* The examples of the article on Welch's test in Wikipedia: equal variances, and unequal ones and sizes. The
 * half widths are t of 24.99 and 9.905 degrees, 2.0596 and 2.2314, times the standard errors. */
START_TEST(welch_meets_textbook_examples)
{
    static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                               21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4},
                        b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                               24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4},
                        c[] = {17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8},
                        d[] = {21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8,
                               20.7, 21.7, 21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8};
    struct inference_difference one = inference_welch(a, COUNT(a), b, COUNT(b), 0.95),
                                two = inference_welch(c, COUNT(c), d, COUNT(d), 0.95);
    ck_assert_double_eq_tol(one.freedom, 24.9885, 1e-3);
    ck_assert_double_eq_tol(one.p, 0.021378, 1e-5);
    ck_assert_double_eq_tol(one.interval.high - one.mean, 2.0596 * -one.mean / 2.455356, 1e-3);
    ck_assert_double_eq_tol(two.freedom, 9.90474, 1e-4);
    ck_assert_double_eq_tol(two.p, 0.148842, 1e-5);
    ck_assert_double_eq_tol(two.mean - two.interval.low, 2.2314 * -two.mean / 1.565434, 1e-3);
}
END_TEST

/* A series that climbs for 100 values and then is noise around 10. */
START_TEST(a_warm_up_is_found)
{
    enum { LENGTH = 1000, CLIMB = 100 };
    double values[LENGTH];
    struct sim_stream stream;
    sim_stream_open(&stream, 3, 0, 0, 0);
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = (i < CLIMB ? 10.0 * (double)i / CLIMB : 10) + sim_stream_normal(&stream);
    size_t warm_up = inference_warm_up(values, LENGTH);
    ck_assert(warm_up >= 70 && warm_up <= 110);
    ck_assert_uint_le(inference_warm_up(values + CLIMB, LENGTH - CLIMB), 150);
}
END_TEST

/* Batches of 0, 0, 9, 9, 9, 9: with both zeros left out nothing varies. A series that never settles is left
 * with half. */
START_TEST(a_warm_up_has_its_limits)
{
    double step[30], climb[40], still[20];
    for (size_t i = 0; i < 30; i++)
        step[i] = i < 10 ? 0 : 9;
    for (size_t i = 0; i < 40; i++)
        climb[i] = pow(2, (double)i);
    for (size_t i = 0; i < 20; i++)
        still[i] = 7;
    ck_assert_uint_eq(inference_warm_up(step, 30), 10);
    ck_assert_uint_eq(inference_warm_up(still, 20), 0);
    ck_assert_uint_le(inference_warm_up(climb, 40), 20);
    ck_assert_uint_eq(inference_warm_up(still, 4), 0);
    ck_assert_uint_eq(inference_warm_up(NULL, 0), 0);
}
END_TEST

/* Noise has no warm-up, be it that neighbours are alike; a climb that is hidden in noise is none either. */
START_TEST(what_is_in_doubt_has_settled)
{
    enum { LENGTH = 200 };
    double values[LENGTH];
    int noisy = 0, hidden = 0, plain = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_stream stream;
        double noise = 0;
        sim_stream_open(&stream, seed, 0, 0, 0);
        for (size_t i = 0; i < LENGTH; i++) {
            noise = 0.5 * noise + sim_stream_normal(&stream);
            values[i] = 10 + noise;
        }
        noisy += inference_unsettled(values, LENGTH) > 0;
        for (size_t i = 0; i < 20; i++)
            values[i] += 0.05;
        hidden += inference_unsettled(values, LENGTH) > 0;
        for (size_t i = 0; i < 20; i++)
            values[i] += 8;
        plain += inference_unsettled(values, LENGTH) >= 20;
    }
    ck_assert_int_le(noisy, 10);
    ck_assert_int_le(hidden, 10);
    ck_assert_int_ge(plain, 195);
    ck_assert_uint_eq(inference_unsettled(values, 49), 0);
}
END_TEST

/* t of 385 degrees for 97.5 % is 1.96614, which √387 divides to below a tenth and √386 does not. With one
 * degree it is 12.7062. */
START_TEST(replications_that_would_do)
{
    ck_assert_int_eq(inference_replications(1, 0.1, 0.95), 387);
    ck_assert_int_eq(inference_replications(1, 12.7063 / sqrt(2), 0.95), 2);
    ck_assert_int_eq(inference_replications(1, 12.7061 / sqrt(2), 0.95), 3);
    ck_assert_int_eq(inference_replications(0, 0, 0.95), 2);
    ck_assert(inference_replications(1, 0, 0.95) == INT64_MAX);
    ck_assert(inference_replications(1, NAN, 0.95) == INT64_MAX);
}
END_TEST

/* t of 9 degrees is 2.2622: half of the interval is 0.7154 deviations. */
START_TEST(narrow_intervals)
{
    ck_assert(inference_is_narrow(10, 1, 0.0279, 0.95, 0.02));
    ck_assert(!inference_is_narrow(10, 1, 0.0280, 0.95, 0.02));
    ck_assert(inference_is_narrow(10, -1, 0.0279, 0.95, 0.02));
    ck_assert(!inference_is_narrow(3, 1, 0, 0.95, 0.02));
    ck_assert(inference_is_narrow(4, 0, 0, 0.95, 0.02));
    ck_assert(!inference_is_narrow(100, 0, 1e-9, 0.95, 0.02));
    ck_assert(!inference_is_narrow(100, NAN, NAN, 0.95, 0.02));
}
END_TEST

static Suite *inference_suite(void)
{
    Suite *suite = suite_create("inference");
    TCase *tests = tcase_create("inference");
    tcase_add_test(tests, a_bootstrap_interval_is_the_published_one);
    tcase_add_test(tests, bootstrap_intervals_hold_what_they_promise);
    tcase_add_test(tests, samples_without_spread_have_points_for_intervals);
    tcase_add_test(tests, quantiles_lie_between_neighbours);
    tcase_add_test(tests, welch_meets_textbook_examples);
    tcase_add_test(tests, a_warm_up_is_found);
    tcase_add_test(tests, a_warm_up_has_its_limits);
    tcase_add_test(tests, what_is_in_doubt_has_settled);
    tcase_add_test(tests, replications_that_would_do);
    tcase_add_test(tests, narrow_intervals);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(inference_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
