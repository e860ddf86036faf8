/*
 * Tallies: against sums done by hand, published values of Student's t, and the share of intervals that
 * hold the mean.
 */
#include "sim/stream.h"
#include "sim/tally.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

START_TEST(an_empty_tally_knows_nothing)
{
    struct sim_tally *tally = sim_tally_create();
    ck_assert_uint_eq(sim_tally_count(tally), 0);
    ck_assert_double_nan(sim_tally_mean(tally));
    ck_assert_double_nan(sim_tally_variance(tally));
    ck_assert_double_nan(sim_tally_minimum(tally));
    ck_assert_double_nan(sim_tally_maximum(tally));
    ck_assert_double_nan(sim_tally_quantile(tally, 0.5));
    ck_assert(isinf(sim_tally_half_width(tally, 0.95)));
    sim_tally_destroy(tally);
}
END_TEST

START_TEST(one_value_has_a_mean_but_no_spread)
{
    struct sim_tally *tally = sim_tally_create();
    sim_tally_add(tally, -3);
    ck_assert_double_eq(sim_tally_mean(tally), -3);
    ck_assert_double_eq(sim_tally_minimum(tally), -3);
    ck_assert_double_eq(sim_tally_maximum(tally), -3);
    ck_assert_double_eq(sim_tally_quantile(tally, 0.95), -3);
    ck_assert_double_nan(sim_tally_deviation(tally));
    ck_assert(isinf(sim_tally_half_width(tally, 0.95)));
    sim_tally_destroy(tally);
}
END_TEST

/* Sums of squares would lose every digit of the variance here. */
START_TEST(a_large_mean_costs_no_digits)
{
    struct sim_tally *tally = sim_tally_create();
    for (int i = 0; i < 1000; i++)
        sim_tally_add(tally, 1e9 + i % 10);
    ck_assert_double_eq_tol(sim_tally_mean(tally), 1e9 + 4.5, 1e-6);
    ck_assert_double_eq_tol(sim_tally_variance(tally), 8.25 * 1000 / 999, 1e-6);
    ck_assert_double_eq_tol(sim_tally_deviation(tally), sqrt(8.25 * 1000 / 999), 1e-6);
    ck_assert_double_eq(sim_tally_minimum(tally), 1e9);
    ck_assert_double_eq(sim_tally_maximum(tally), 1e9 + 9);
    sim_tally_destroy(tally);
}
END_TEST

START_TEST(few_values_have_their_own_quantiles)
{
    struct sim_tally *tally = sim_tally_create();
    for (int i = 4; i >= 0; i--) {
        sim_tally_add(tally, i);
        sim_tally_quantile(tally, 0.5); /* asking changes nothing */
    }
    ck_assert_double_eq(sim_tally_quantile(tally, 0.5), 2);
    ck_assert_double_eq(sim_tally_quantile(tally, 0.25), 1);
    ck_assert_double_eq(sim_tally_quantile(tally, 0.75), 3);
    ck_assert_double_nan(sim_tally_quantile(tally, 0.3));
    sim_tally_destroy(tally);
}
END_TEST

START_TEST(running_quantiles_come_near_the_true_ones)
{
    static const double probabilities[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    struct sim_tally *tally = sim_tally_create();
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, 0);
    for (int i = 0; i < 200000; i++)
        sim_tally_add(tally, sim_stream_exponential(&stream));
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(sim_tally_quantile(tally, probabilities[i]), -log1p(-probabilities[i]), 0.03);
    sim_tally_destroy(tally);
}
END_TEST

/* Abramowitz and Stegun, table 26.10, and two long-known limits. */
static const struct {
    uint64_t count;
    double confidence, t;
} students[] = {
    {2, 0.95, 12.7062}, {3, 0.95, 4.3027},  {6, 0.99, 4.0321},   {10, 0.95, 2.2622},
    {11, 0.8, 1.3722},  {31, 0.95, 2.0423}, {121, 0.99, 2.6174}, {UINT64_C(1000000000), 0.95, 1.95996},
};

START_TEST(half_widths_follow_students_table)
{
    double root = sqrt((double)students[_i].count);
    double half = sim_student_half_width(students[_i].count, 3, students[_i].confidence);
    ck_assert_double_eq_tol(half * root / 3, students[_i].t, 6e-5);
}
END_TEST

/* GSL's error handler, which aborts, is never reached. */
START_TEST(half_widths_exist_for_every_count)
{
    static const double confidences[] = {0.01, 0.5, 0.8, 0.95, 0.99, 0.999, 0.999999};
    for (size_t i = 0; i < sizeof confidences / sizeof confidences[0]; i++)
        for (uint64_t count = 2; count < 100000; count += 1 + count / 20) {
            double half = sim_student_half_width(count, 1, confidences[i]);
            ck_assert(isfinite(half) && half > 0);
            ck_assert_double_eq(sim_student_half_width(count, 0, confidences[i]), 0);
        }
}
END_TEST

START_TEST(intervals_hold_the_mean_as_often_as_they_say)
{
    enum { INTERVALS = 20000, COUNT = 5 };
    struct sim_stream stream;
    sim_stream_open(&stream, 2, 0, 0, 0);
    int holding = 0;
    for (int i = 0; i < INTERVALS; i++) {
        struct sim_tally *tally = sim_tally_create();
        for (int k = 0; k < COUNT; k++)
            sim_tally_add(tally, 10 + sim_stream_normal(&stream));
        holding += fabs(sim_tally_mean(tally) - 10) <= sim_tally_half_width(tally, 0.9);
        sim_tally_destroy(tally);
    }
    ck_assert_double_lt(fabs(holding - 0.9 * INTERVALS), SIGMAS * sqrt(0.09 * INTERVALS));
}
END_TEST

START_TEST(a_time_tally_weighs_by_duration)
{
    struct sim_time_tally tally;
    sim_time_tally_start(&tally, 10 * SIM_SECOND, 4);
    ck_assert_double_nan(sim_time_tally_mean(&tally, 10 * SIM_SECOND));
    sim_time_tally_set(&tally, 11 * SIM_SECOND, 0);
    sim_time_tally_set(&tally, 11 * SIM_SECOND, 100); /* lasts no time before the next */
    sim_time_tally_set(&tally, 11 * SIM_SECOND, 1);
    ck_assert_double_eq_tol(sim_time_tally_mean(&tally, 14 * SIM_SECOND), 7.0 / 4, 1e-15);
    ck_assert_double_eq_tol(sim_time_tally_mean(&tally, 14 * SIM_SECOND), 7.0 / 4, 1e-15);
    sim_time_tally_set(&tally, 16 * SIM_SECOND, 6);
    ck_assert_double_eq_tol(sim_time_tally_mean(&tally, 18 * SIM_SECOND), 21.0 / 8, 1e-15);
    ck_assert_double_eq(tally.minimum, 0);
    ck_assert_double_eq(tally.maximum, 100);
    ck_assert_int_eq(tally.elapsed,
                     6 * SIM_SECOND); /* up to the last change: who asks for a mean changes nothing */
}
END_TEST

static Suite *tally_suite(void)
{
    Suite *suite = suite_create("tally");
    TCase *values = tcase_create("values");
    tcase_add_test(values, an_empty_tally_knows_nothing);
    tcase_add_test(values, one_value_has_a_mean_but_no_spread);
    tcase_add_test(values, a_large_mean_costs_no_digits);
    tcase_add_test(values, few_values_have_their_own_quantiles);
    tcase_add_test(values, running_quantiles_come_near_the_true_ones);
    suite_add_tcase(suite, values);

    TCase *intervals = tcase_create("intervals");
    tcase_add_loop_test(intervals, half_widths_follow_students_table, 0,
                        sizeof students / sizeof students[0]);
    tcase_add_test(intervals, half_widths_exist_for_every_count);
    tcase_add_test(intervals, intervals_hold_the_mean_as_often_as_they_say);
    suite_add_tcase(suite, intervals);

    TCase *time = tcase_create("time");
    tcase_add_test(time, a_time_tally_weighs_by_duration);
    suite_add_tcase(suite, time);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(tally_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
