#include "models/training/grace.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static struct grace grace_with(int64_t overlap, double share)
{
    struct grace grace;
    grace_init(&grace, overlap, share);
    moving_average_add(&grace.step, 10 * SIM_SECOND);
    moving_average_add(&grace.quorum, 1 * SIM_SECOND);
    moving_average_add(&grace.synchronisation, 3 * SIM_SECOND);
    return grace;
}

static void assert_window(struct grace grace, double seconds)
{
    ck_assert_int_eq(grace_window(&grace), sim_time_from_seconds(seconds));
}

START_TEST(test_window)
{
    assert_window(grace_with(2, 0.5), 0.5 * (2 * 10 - (1 + 3)));
    assert_window(grace_with(1, 0.25), 0.25 * (10 - 4));
    assert_window(grace_with(2, 0), 0);
}
END_TEST

START_TEST(test_window_is_a_step_at_most)
{
    assert_window(grace_with(2, 1), 10);
    assert_window(grace_with(1000000000, 0.5), 10);
}
END_TEST

START_TEST(test_without_slack_there_is_no_window)
{
    assert_window(grace_with(0, 1), 0);
    struct grace grace = grace_with(1, 1);
    moving_average_add(&grace.synchronisation, 1000 * SIM_SECOND);
    assert_window(grace, 0);
}
END_TEST

START_TEST(test_nothing_is_known_before_the_first_step)
{
    struct grace grace;
    grace_init(&grace, 2, 0.5);
    assert_window(grace, 0);
    moving_average_add(&grace.step, 10 * SIM_SECOND);
    assert_window(grace, 10);
}
END_TEST

START_TEST(test_moving_average)
{
    struct moving_average average = {-1};
    moving_average_add(&average, 5 * SIM_SECOND);
    ck_assert_double_eq(average.value, 5);
    moving_average_add(&average, 15 * SIM_SECOND);
    ck_assert_double_eq_tol(average.value, 5 + GRACE_NEWEST_SHARE * 10, 1e-12);
    for (int i = 0; i < 1000; i++)
        moving_average_add(&average, 7 * SIM_SECOND);
    ck_assert_double_eq_tol(average.value, 7, 1e-9);
    moving_average_add(&average, 0);
    ck_assert_double_eq_tol(average.value, 7 * (1 - GRACE_NEWEST_SHARE), 1e-9);
}
END_TEST

/* A link so thin that a fragment never arrives. */
START_TEST(test_endless_times_are_borne)
{
    struct grace grace = grace_with(2, 0.5);
    moving_average_add(&grace.synchronisation, SIM_NEVER);
    moving_average_add(&grace.synchronisation, SIM_NEVER);
    ck_assert(isfinite(grace.synchronisation.value));
    assert_window(grace, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grace");
    TCase *tests = tcase_create("grace");
    tcase_add_test(tests, test_window);
    tcase_add_test(tests, test_window_is_a_step_at_most);
    tcase_add_test(tests, test_without_slack_there_is_no_window);
    tcase_add_test(tests, test_nothing_is_known_before_the_first_step);
    tcase_add_test(tests, test_moving_average);
    tcase_add_test(tests, test_endless_times_are_borne);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
