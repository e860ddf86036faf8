/*
 * Compression: against numbers worked out by hand, bounds of the error, and what error feedback promises.
 */
#include "models/learning/outer.h"
#include "tests/learning/vectors.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 501 };

static const struct {
    enum compression_format format;
    int64_t bits;
} codes[] = {{COMPRESSION_NONE, 0},   {COMPRESSION_LINEAR, 16}, {COMPRESSION_LINEAR, 8},
             {COMPRESSION_LINEAR, 4}, {COMPRESSION_LINEAR, 2},  {COMPRESSION_LINEAR, 1},
             {COMPRESSION_E3M0, 4},   {COMPRESSION_SIGN, 1}};
enum { CODES = sizeof codes / sizeof codes[0] };

static double largest_of(const real *vector)
{
    double largest = 0;
    for (size_t i = 0; i < COUNT; i++)
        largest = fmax(largest, fabs((double)vector[i]));
    return largest;
}

/* By hand */

static void becomes(enum compression_format format, int64_t bits, size_t count, real *drift,
                    const double *wanted)
{
    compress(format, bits, count, drift, NULL);
    for (size_t i = 0; i < count; i++)
        ck_assert_double_eq_tol((double)drift[i], wanted[i], 10 * CLOSE);
}

/* The largest is 14 = 7·2: the scale is 2. Ties go to the even integer: −7/2 to −4, 1/2 to 0, 3/2 to 2. */
START_TEST(four_bits_do_as_worked_out_by_hand)
{
    becomes(COMPRESSION_LINEAR, 4, 6, (real[]){14, (real)6.8, -7, 1, (real)-0.9, 3},
            (double[]){14, 6, -8, 0, 0, 4});
}
END_TEST

/* −1, 0 and 1 times the largest. */
START_TEST(two_bits_do_as_worked_out_by_hand)
{
    becomes(COMPRESSION_LINEAR, 2, 4, (real[]){2, (real)0.9, (real)-1.1, 1}, (double[]){2, 0, -2, 0});
}
END_TEST

/* The largest is 3, the mean magnitude 6/4. */
START_TEST(one_bit_does_as_worked_out_by_hand)
{
    becomes(COMPRESSION_LINEAR, 1, 4, (real[]){1, -2, 3, 0}, (double[]){3, -3, 3, 3});
    becomes(COMPRESSION_SIGN, 1, 4, (real[]){1, -2, 3, 0}, (double[]){1.5, -1.5, 1.5, 1.5});
}
END_TEST

/* The largest is 64: 0, 1, 2, 4, … 64 can be named. Half-way (0.5, 3, 48) goes up. */
START_TEST(e3m0_does_as_worked_out_by_hand)
{
    becomes(COMPRESSION_E3M0, 4, 9,
            (real[]){64, (real)47.9, 48, -1, (real)0.5, (real)-0.49, -3, (real)2.9, 0},
            (double[]){64, 32, 64, -1, 1, 0, -4, 2, 0});
}
END_TEST

/* Bounds */

START_TEST(integers_are_off_by_half_a_step_at_most)
{
    for (int64_t bits = 2; bits <= 16; bits++) {
        real drift[COUNT], sent[COUNT];
        vectors_normal((uint64_t)bits, COUNT, drift);
        memcpy(sent, drift, sizeof sent);
        compress(COMPRESSION_LINEAR, bits, COUNT, sent, NULL);
        const double most = pow(2, (double)bits - 1) - 1, step = largest_of(drift) / most;
        for (size_t i = 0; i < COUNT; i++) {
            const double name = (double)sent[i] / step;
            ck_assert_double_le(fabs((double)sent[i] - (double)drift[i]), step * (0.5 + most * CLOSE));
            ck_assert_double_eq_tol(name, round(name), most * 2 * CLOSE);
            ck_assert_double_le(fabs(name), most * (1 + CLOSE));
        }
    }
}
END_TEST

START_TEST(e3m0_is_off_by_a_third_at_most)
{
    real drift[COUNT], sent[COUNT];
    vectors_normal(1, COUNT, drift);
    memcpy(sent, drift, sizeof sent);
    compress(COMPRESSION_E3M0, 4, COUNT, sent, NULL);
    const double largest = largest_of(drift);
    for (size_t i = 0; i < COUNT; i++) {
        const double size = fabs((double)drift[i]), bound = size >= largest / 64 ? size / 3 : largest / 128;
        ck_assert_double_le(fabs((double)sent[i] - (double)drift[i]), bound * (1 + CLOSE));
        const double exponent = log2(fabs((double)sent[i]) / largest);
        ck_assert(sent[i] == 0 || (fabs(exponent - round(exponent)) < 10 * CLOSE && exponent > -6.5));
    }
}
END_TEST

START_TEST(signs_keep_the_mean_magnitude)
{
    real drift[COUNT], sent[COUNT];
    double given = 0, got = 0;
    vectors_normal(1, COUNT, drift);
    memcpy(sent, drift, sizeof sent);
    compress(COMPRESSION_SIGN, 1, COUNT, sent, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_int_eq(drift[i] < 0, sent[i] < 0);
        given += fabs((double)drift[i]);
        got += fabs((double)sent[i]);
    }
    ck_assert_double_eq_tol(got, given, given * CLOSE);
}
END_TEST

static double error_of(size_t code)
{
    real drift[COUNT];
    vectors_normal(2, COUNT, drift);
    double *wanted = vectors_widen(COUNT, drift);
    compress(codes[code].format, codes[code].bits, COUNT, drift, NULL);
    const double error = vectors_error(COUNT, drift, wanted);
    free(wanted);
    return error;
}

START_TEST(fewer_bits_lose_more)
{
    ck_assert_double_eq(error_of(0), 0);
    for (size_t code = 1; code <= 4; code++)
        ck_assert_double_lt(error_of(code - 1), error_of(code));
    ck_assert_double_lt(error_of(1), 1e-4);
    ck_assert_double_lt(error_of(3), 0.2);
    ck_assert_double_gt(error_of(5), 0.5);
}
END_TEST

/* What was named once is named again: the receiver's view is its own code. */
START_TEST(compressing_twice_changes_nothing)
{
    real once[COUNT];
    vectors_normal(3, COUNT, once);
    compress(codes[_i].format, codes[_i].bits, COUNT, once, NULL);
    double *wanted = vectors_widen(COUNT, once);
    compress(codes[_i].format, codes[_i].bits, COUNT, once, NULL);
    ck_assert_double_lt(vectors_error(COUNT, once, wanted), CLOSE);
    free(wanted);
}
END_TEST

/* Error feedback */

/* What was sent and what is still kept make what was to be sent. */
START_TEST(feedback_loses_nothing_over_time)
{
    real feedback[COUNT] = {0}, drift[COUNT];
    double truth[COUNT] = {0};
    double *sent = vectors_wide_zeros(COUNT);
    real *total = vectors_zeros(COUNT);
    for (uint64_t round = 0; round < 200; round++) {
        vectors_normal(round, COUNT, drift);
        for (size_t i = 0; i < COUNT; i++) {
            drift[i] += (real)0.1;
            truth[i] += (double)drift[i];
        }
        compress(codes[_i].format, codes[_i].bits, COUNT, drift, feedback);
        for (size_t i = 0; i < COUNT; i++)
            sent[i] += (double)drift[i];
    }
    for (size_t i = 0; i < COUNT; i++)
        total[i] = (real)(sent[i] + (double)feedback[i]);
    ck_assert_double_lt(vectors_error(COUNT, total, truth), CLOSE);
    if (codes[_i].format == COMPRESSION_NONE)
        ck_assert(largest_of(feedback) == 0);
    /* A sign with the largest magnitude is further off than nothing: what is left out grows. */
    if (codes[_i].format != COMPRESSION_LINEAR || codes[_i].bits > 1)
        ck_assert_double_lt(largest_of(feedback), 40);
    free(sent);
    free(total);
}
END_TEST

/* One number is much larger than the other, which never reaches half a step: only feedback lets it through.
 */
START_TEST(feedback_lets_small_numbers_through)
{
    real feedback[2] = {0};
    double with = 0, without = 0;
    for (int round = 0; round < 1000; round++) {
        real one[] = {7, (real)0.25}, other[] = {7, (real)0.25};
        compress(COMPRESSION_LINEAR, 4, 2, one, feedback);
        compress(COMPRESSION_LINEAR, 4, 2, other, NULL);
        with += (double)one[1];
        without += (double)other[1];
    }
    ck_assert_double_eq(without, 0);
    ck_assert_double_eq_tol(with, 250, 1);
}
END_TEST

/* All of them */

START_TEST(zeros_stay_zeros)
{
    real drift[COUNT] = {0}, feedback[COUNT] = {0};
    compress(codes[_i].format, codes[_i].bits, COUNT, drift, feedback);
    ck_assert(largest_of(drift) == 0 && largest_of(feedback) == 0);
    compress(codes[_i].format, codes[_i].bits, 0, NULL, NULL);
    compress(codes[_i].format, codes[_i].bits, 0, drift, feedback);
}
END_TEST

START_TEST(the_same_drift_gives_the_same_bits)
{
    real one[COUNT], other[COUNT], kept[2][COUNT];
    vectors_normal(1, COUNT, one);
    vectors_normal(1, COUNT, other);
    vectors_normal(2, COUNT, kept[0]);
    vectors_normal(2, COUNT, kept[1]);
    compress(codes[_i].format, codes[_i].bits, COUNT, one, kept[0]);
    compress(codes[_i].format, codes[_i].bits, COUNT, other, kept[1]);
    ck_assert_mem_eq(one, other, sizeof one);
    ck_assert_mem_eq(kept[0], kept[1], sizeof kept[0]);
}
END_TEST

START_TEST(divergence_shows)
{
    real drift[COUNT];
    vectors_normal(1, COUNT, drift);
    drift[7] = (real)NAN;
    compress(codes[_i].format, codes[_i].bits, COUNT, drift, NULL);
    ck_assert(isnan(drift[7]));
    vectors_normal(1, COUNT, drift);
    drift[7] = -(real)INFINITY;
    compress(codes[_i].format, codes[_i].bits, COUNT, drift, NULL);
    ck_assert(!isfinite(drift[7]));
}
END_TEST

static Suite *compress_suite(void)
{
    Suite *suite = suite_create("compress");
    TCase *values = tcase_create("values");
    tcase_add_test(values, four_bits_do_as_worked_out_by_hand);
    tcase_add_test(values, two_bits_do_as_worked_out_by_hand);
    tcase_add_test(values, one_bit_does_as_worked_out_by_hand);
    tcase_add_test(values, e3m0_does_as_worked_out_by_hand);
    tcase_add_test(values, integers_are_off_by_half_a_step_at_most);
    tcase_add_test(values, e3m0_is_off_by_a_third_at_most);
    tcase_add_test(values, signs_keep_the_mean_magnitude);
    tcase_add_test(values, fewer_bits_lose_more);
    suite_add_tcase(suite, values);

    TCase *feedback = tcase_create("feedback");
    tcase_add_loop_test(feedback, feedback_loses_nothing_over_time, 0, CODES);
    tcase_add_test(feedback, feedback_lets_small_numbers_through);
    suite_add_tcase(suite, feedback);

    TCase *all = tcase_create("all codes");
    tcase_add_loop_test(all, compressing_twice_changes_nothing, 0, CODES);
    tcase_add_loop_test(all, zeros_stay_zeros, 0, CODES);
    tcase_add_loop_test(all, the_same_drift_gives_the_same_bits, 0, CODES);
    tcase_add_loop_test(all, divergence_shows, 0, CODES);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(compress_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
