/*
 * Runs on a cluster with spares, their chip time computed by hand: five slices of 16 chips, four of which
 * train; steps of 10 s, 200 s.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER_BACK 1e6

static struct fixture fixture;

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.duration = 200 * SIM_SECOND;
    fixture.config.cluster.chips = 80;
    fixture.config.cluster.spares = (struct reserve_config){.standbys = 1};
    fixture.config.failures.downscale_time = 20 * SIM_SECOND;
    fixture.config.failures.upscale_time = 30 * SIM_SECOND;
    fixture.config.failures.restart_time = 35 * SIM_SECOND;
}

START_TEST(test_spares_idle)
{
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * 200}, {BUDGET_IDLE_SPARE, 16 * 200});
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 0.8);
    ck_assert_double_eq_tol(result.metrics[METRIC_TOKENS], 20e6, 1e-3);
    ck_assert_double_eq(result.metrics[METRIC_SWAPS], 0);
}
END_TEST

/* The step 20–30 is lost, and the standby is there before its end; a restart follows. The failed slice is
 * down, then the standby. Whatever the scenario says of slices from elsewhere. */
START_TEST(test_a_standby_takes_over)
{
    fixture.options.learner.slice_loss = _i;
    fixture.config.cluster.spares.swap_time = 2 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 125});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * 155}, {BUDGET_REDONE, 64 * 5 + 48 * 5},
                   {BUDGET_RECONFIGURATION, 16 * 3}, {BUDGET_RESTART, 64 * 35}, {BUDGET_DOWN, 16 * 100},
                   {BUDGET_IDLE_SPARE, 16 * (27 + 75)});
    ck_assert_double_eq(result.metrics[METRIC_SWAPS], 1);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
    ck_assert_double_eq(result.metrics[METRIC_FAILURES], 1);
}
END_TEST

/* The second failure at 78 finds none; the learner waits from 85 on for the first repair. */
START_TEST(test_without_a_standby_it_waits)
{
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 125}, {2, 78, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * (20 + 10 + 40)},
                   {BUDGET_REDONE, 64 * 5 + 48 * 5 + 64 * 3 + 48 * 7}, {BUDGET_RECONFIGURATION, 16 * 5},
                   {BUDGET_RESTART, 64 * 70}, {BUDGET_REPAIR_WAIT, 48 * 40}, {BUDGET_DOWN, 16 * (100 + 122)},
                   {BUDGET_IDLE_SPARE, 16 * 25});
}
END_TEST

/* No step after the only spare is used up: it waits for good. */
START_TEST(test_no_spare_and_no_repair)
{
    struct run_result result = SCRIPT_RUN(&fixture, {0, 5, NEVER_BACK}, {1, 6, NEVER_BACK});
    ck_assert_int_eq(result.status, RUN_STALLED);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 64 * 5 + 48 + 32 * 4}, {BUDGET_RECONFIGURATION, 16 * 5},
                   {BUDGET_REPAIR_WAIT, 48 * 190}, {BUDGET_DOWN, 16 * (195 + 194)},
                   {BUDGET_IDLE_SPARE, 16 * 5});
}
END_TEST

/* Elastic, it lets the failed slice go and takes the standby in at once, in the longer of both times. */
START_TEST(test_an_elastic_learner_takes_the_standby_in)
{
    fixture.options.learner.elastic = true;
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * 160}, {BUDGET_REDONE, 64 * 5 + 48 * 5},
                   {BUDGET_RECONFIGURATION, 16 * 5 + 64 * 30}, {BUDGET_DOWN, 16 * 175},
                   {BUDGET_IDLE_SPARE, 16 * 25});
}
END_TEST

/* A cold slice comes 40 s later than a standby. */
START_TEST(test_a_cold_slice)
{
    fixture.config.cluster.spares =
        (struct reserve_config){.cold = 1, .start_time = 40 * SIM_SECOND, .refill = _i};
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * (20 + 100)}, {BUDGET_REDONE, 64 * 5 + 48 * 5},
                   {BUDGET_REPAIR_WAIT, 48 * 35}, {BUDGET_RESTART, 64 * 35}, {BUDGET_DOWN, 16 * 175},
                   {BUDGET_IDLE_SPARE, 16 * 65});
    ck_assert_double_eq(result.metrics[METRIC_COLD_STARTS], 1);
}
END_TEST

START_TEST(test_one_from_the_pool)
{
    fixture.config.cluster.spares = (struct reserve_config){
        .pool = 1, .start_time = 10 * SIM_SECOND, .draw_time = 30 * SIM_SECOND, .refill = _i};
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * (20 + 100)}, {BUDGET_REDONE, 64 * 5 + 48 * 5},
                   {BUDGET_REPAIR_WAIT, 48 * 35}, {BUDGET_RESTART, 64 * 35}, {BUDGET_DOWN, 16 * 175},
                   {BUDGET_IDLE_SPARE, 16 * 65});
    ck_assert_double_eq(result.metrics[METRIC_DRAWS], 1);
}
END_TEST

/* A standby that fails in reserve costs the learners nothing. */
START_TEST(test_failures_in_reserve)
{
    struct run_result result = SCRIPT_RUN(&fixture, {4, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 64 * 200}, {BUDGET_DOWN, 16 * 50}, {BUDGET_IDLE_SPARE, 16 * 150});
}
END_TEST

START_TEST(test_a_warm_up)
{
    fixture.config.warm_up = 100 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 125}, {2, 150, 170});
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 80 * 100}, {BUDGET_USEFUL, 64 * 55},
                   {BUDGET_REDONE, 64 * 5 + 48 * 5}, {BUDGET_RECONFIGURATION, 16 * 5},
                   {BUDGET_RESTART, 64 * 35}, {BUDGET_DOWN, 16 * (25 + 20)},
                   {BUDGET_IDLE_SPARE, 16 * (25 + 30)});
    ck_assert_double_eq(result.metrics[METRIC_SWAPS], 1);
}
END_TEST

/* A reserve of none is none, whatever its times. */
START_TEST(test_no_spares)
{
    static const struct script_line line = {1, 25, 125};
    fixture.config.cluster.spares = (struct reserve_config){.standbys = 0};
    fixture.options.learner.slice_loss = LOSS_WAIT;
    struct run_result before = script_run(&fixture, &line, 1);
    fixture.config.cluster.spares.swap_time = fixture.config.cluster.spares.draw_time = 7 * SIM_SECOND;
    struct run_result result = script_run(&fixture, &line, 1);
    ck_assert(memcmp(&before.ledger, &result.ledger, sizeof result.ledger) == 0);
    ck_assert_uint_eq(before.events, result.events);
    ck_assert_double_nan(result.metrics[METRIC_SWAPS]);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_IDLE_SPARE), 0);
}
END_TEST

/* Two learners share the reserve. */
START_TEST(test_learners_share)
{
    struct fixture diloco = fixture_of(STRATEGY_DILOCO);
    diloco.config.duration = fixture.config.duration;
    diloco.config.cluster = fixture.config.cluster;
    diloco.options.learner.learners = 2;
    struct run_result result = SCRIPT_RUN(&diloco, {0, 25, 100}, {3, 150, NEVER_BACK});
    ck_assert_double_eq(result.metrics[METRIC_SWAPS], 2);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_DOWN), 16 * (75 + 50));
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_IDLE_SPARE), 16 * (25 + 50));
}
END_TEST

/* What can not be. */

static void assert_refused(const char *path, const char *part)
{
    struct simulation_fault fault = fixture_fault(&fixture);
    ck_assert_str_eq(fault.path, path);
    ck_assert_msg(strstr(fault.message, part) != NULL, "%s", fault.message);
}

START_TEST(test_refused)
{
    static const struct chip_group groups[2] = {{1, 3, NAN, NAN, {0}}, {1, 2, NAN, NAN, {0}}};
    struct cluster_config *cluster = &fixture.config.cluster;
    cluster->spares.pool = 4;
    assert_refused("cluster.spares", "leave none");
    cluster->spares.pool = 0;
    cluster->chips = 79;
    assert_refused("cluster.chips", "multiple of 16");
    cluster->chips = 80;
    cluster->groups = (struct parameter_items){(void *)groups, 2};
    assert_refused("cluster.spares", "another kind");
    cluster->groups.count = 0;
    fixture.config.failures.pipeline.broken = 0.5;
    fixture.config.failures.pipeline.relapse.law = PARAMETER_UNSET;
    assert_refused("failures.repair.relapse", "nothing comes of");
}
END_TEST

static Suite *slots_suite(void)
{
    Suite *suite = suite_create("slots");
    TCase *tests = tcase_create("slots");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, test_spares_idle);
    tcase_add_loop_test(tests, test_a_standby_takes_over, LOSS_REPLACE, LOSS_WAIT + 1);
    tcase_add_test(tests, test_without_a_standby_it_waits);
    tcase_add_test(tests, test_no_spare_and_no_repair);
    tcase_add_test(tests, test_an_elastic_learner_takes_the_standby_in);
    tcase_add_loop_test(tests, test_a_cold_slice, RESERVE_AHEAD, RESERVE_WHEN_EMPTY + 1);
    tcase_add_loop_test(tests, test_one_from_the_pool, RESERVE_AHEAD, RESERVE_WHEN_EMPTY + 1);
    tcase_add_test(tests, test_failures_in_reserve);
    tcase_add_test(tests, test_a_warm_up);
    tcase_add_test(tests, test_no_spares);
    tcase_add_test(tests, test_learners_share);
    tcase_add_test(tests, test_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(slots_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
