/*
 * Shares of a batch as whole sequences.
 */
#include "models/learning/batch.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

START_TEST(whole_shares_stay)
{
    for (int64_t share = 1; share < 100; share++)
        for (int64_t position = 0; position < 100; position++) {
            ck_assert_int_eq(batch_sequences((double)share, position % 7, position), share);
            ck_assert_int_eq(batch_sequences((double)share * (1 - 1e-15), position % 7, position), share);
            ck_assert_int_eq(batch_sequences((double)share * (1 + 1e-15), position % 7, position), share);
        }
}
END_TEST

/* Over any hundred steps of any learner, to a sequence or two in all. */
START_TEST(the_mean_is_the_share)
{
    static const double shares[] = {1.01, 1.5, 2.25, 63.8, 7.999, 1000.3};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (int64_t begin = 0; begin < 3000; begin += 300) {
            int64_t sum = 0, learner = begin / 600;
            for (int64_t position = begin; position < begin + 100; position++) {
                int64_t sequences = batch_sequences(shares[i], learner, position);
                ck_assert_double_lt(fabs((double)sequences - shares[i]), 1);
                sum += sequences;
            }
            ck_assert_double_lt(fabs((double)sum - 100 * shares[i]), 3);
        }
}
END_TEST

/* Neither do all learners of a step round alike. */
START_TEST(learners_round_apart)
{
    for (int64_t position = 0; position < 50; position++) {
        int64_t sum = 0;
        for (int64_t learner = 0; learner < 40; learner++)
            sum += batch_sequences(2.5, learner, position);
        ck_assert_double_lt(fabs((double)sum - 100), 4);
    }
}
END_TEST

START_TEST(there_is_always_one)
{
    for (int64_t position = 0; position < 100; position++) {
        ck_assert_int_eq(batch_sequences(0, 0, position), 1);
        ck_assert_int_eq(batch_sequences(1e-12, 0, position), 1);
        ck_assert_int_eq(batch_sequences(0.3, 0, position), 1);
        ck_assert_int_eq(batch_sequences(1, 0, INT64_C(1) << 50), 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("batch");
    TCase *tests = tcase_create("batch");
    tcase_add_test(tests, whole_shares_stay);
    tcase_add_test(tests, the_mean_is_the_share);
    tcase_add_test(tests, learners_round_apart);
    tcase_add_test(tests, there_is_always_one);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
