/*
 * How long a cold start takes.
 */
#include "models/failures/initialisation.h"
#include <check.h>
#include <stdlib.h>

static const double chips[] = {16384, 22000, 64000, 98000}, times[] = {200, 300, 600, 900};

static struct initialisation_config measured(size_t count)
{
    return (struct initialisation_config){.chips = {chips, count}, .times = {times, count}};
}

static double seconds(const struct initialisation_config *config, int64_t n)
{
    return sim_time_to_seconds(initialisation_time(config, n));
}

START_TEST(test_a_constant)
{
    struct initialisation_config config = {.constant = 30 * SIM_SECOND};
    ck_assert_double_eq(seconds(&config, 1), 30);
    ck_assert_double_eq(seconds(&config, 1000000), 30);
}
END_TEST

/* arXiv 2602.00277. */
START_TEST(test_it_grows_with_chips)
{
    struct initialisation_config config = measured(4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq(seconds(&config, (int64_t)chips[i]), times[i]);
    ck_assert_double_eq(seconds(&config, 43000), 450);
    ck_assert_double_eq(seconds(&config, 81000), 750);
    config.constant = SIM_SECOND;
    ck_assert_double_eq(seconds(&config, 43000), 451);
}
END_TEST

START_TEST(test_beyond_what_was_measured)
{
    struct initialisation_config config = measured(4), alone = measured(1);
    ck_assert_double_eq(seconds(&config, 8), 200);
    ck_assert_double_eq(seconds(&config, 132000), 1200);
    ck_assert_double_eq(seconds(&alone, 32768), 400);
    ck_assert_double_eq(seconds(&alone, 8), 200);
}
END_TEST

/* It may fall, but not below nothing. */
START_TEST(test_no_time_below_0)
{
    static const double falling[] = {900, 600, 300, 200};
    struct initialisation_config config = {.chips = {chips, 4}, .times = {falling, 4}};
    ck_assert_double_eq(seconds(&config, 10000000), 0);
}
END_TEST

START_TEST(test_faults)
{
    static const double same[] = {5, 5}, none[] = {0, 5}, before[] = {-1, 5};
    struct initialisation_config config = measured(4);
    ck_assert_ptr_null(initialisation_fault(&config));
    config.times.count = 3;
    ck_assert_ptr_nonnull(initialisation_fault(&config));
    config = (struct initialisation_config){.chips = {same, 2}, .times = {times, 2}};
    ck_assert_ptr_nonnull(initialisation_fault(&config));
    config.chips.values = none;
    ck_assert_ptr_nonnull(initialisation_fault(&config));
    config = (struct initialisation_config){.chips = {chips, 2}, .times = {before, 2}};
    ck_assert_ptr_nonnull(initialisation_fault(&config));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("initialisation");
    TCase *tests = tcase_create("initialisation");
    tcase_add_test(tests, test_a_constant);
    tcase_add_test(tests, test_it_grows_with_chips);
    tcase_add_test(tests, test_beyond_what_was_measured);
    tcase_add_test(tests, test_no_time_below_0);
    tcase_add_test(tests, test_faults);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
