#include "models/network/link.h"
#include <check.h>
#include <stdlib.h>

START_TEST(test_transfer_time)
{
    ck_assert_int_eq(link_transfer_time(0, 1e9), 0);
    ck_assert_int_eq(link_transfer_time(1e9, 1e9), SIM_SECOND);
    ck_assert_int_eq(link_transfer_time(80e9, 100e9), 800 * SIM_MILLISECOND);
    ck_assert_int_eq(link_transfer_time(1, 1e9), 1);
    ck_assert_int_eq(link_transfer_time(1, 3e9), 1);
    ck_assert_int_eq(link_transfer_time(4, 3e9), 2);
}
END_TEST

/* Whole nanoseconds stay what they are. */
START_TEST(test_exact_times_are_not_rounded_up)
{
    for (int64_t i = 1; i <= 10000; i++)
        ck_assert_int_eq(link_transfer_time((double)i * 1e7, 1e10), i * SIM_MILLISECOND);
}
END_TEST

START_TEST(test_hopeless_links)
{
    ck_assert_int_eq(link_transfer_time(1e12, 1e-12), SIM_NEVER);
    struct link link = {.bandwidth = 1e-12, .latency = 5};
    ck_assert_int_eq(link_send(&link, 10, 1e12), SIM_NEVER);
    ck_assert_int_eq(link_send(&link, 20, 1e12), SIM_NEVER);
}
END_TEST

START_TEST(test_first_come_first_served)
{
    struct link link = {.bandwidth = 1e9, .latency = 7};
    ck_assert_int_eq(link_send(&link, 100, 50), 157);
    ck_assert_int_eq(link_send(&link, 120, 10), 167);
    ck_assert_int_eq(link_send(&link, 160, 10), 177);
    ck_assert_int_eq(link_send(&link, 300, 1), 308);
    ck_assert_int_eq(link.free_at, 301);
    ck_assert_double_eq(link.bits, 71);
}
END_TEST

START_TEST(test_latency_does_not_occupy_the_link)
{
    struct link link = {.bandwidth = 1e9, .latency = 1000000};
    ck_assert_int_eq(link_send(&link, 0, 10), 1000010);
    ck_assert_int_eq(link_send(&link, 0, 10), 1000020);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link");
    TCase *tests = tcase_create("link");
    tcase_add_test(tests, test_transfer_time);
    tcase_add_test(tests, test_exact_times_are_not_rounded_up);
    tcase_add_test(tests, test_hopeless_links);
    tcase_add_test(tests, test_first_come_first_served);
    tcase_add_test(tests, test_latency_does_not_occupy_the_link);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
