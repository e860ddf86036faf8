/*
 * Money and energy of runs whose chip time is known by hand, what stops with a failed slice, and batches in
 * proportion to speed.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

/* Two kinds of chips, the second with twice the speed. */
static struct chip own[2];
static struct chip_group halves[] = {{.share = 1, .mfu = 0.4, .price_per_hour = NAN},
                                     {.share = 1, .mfu = 0.4, .price_per_hour = 5}};

static struct chip chip_of(const char *name, double flops, double busy, double idle, double price)
{
    return (struct chip){.name = name,
                         .flops = flops,
                         .memory = NAN,
                         .memory_rate = NAN,
                         .scale_up_rate = NAN,
                         .host_chips = 4,
                         .domain_chips = PARAMETER_UNSET,
                         .busy_watts = busy,
                         .idle_watts = idle,
                         .price_per_hour = price};
}

/* 40 chips in slices of 16, 16 and 8, one elastic learner, steps of 10 s, 200 s. */
static void set_up(void)
{
    own[0] = chip_of("old", 1e14, 100, 10, 3);
    own[1] = chip_of("new", 2e14, 150, 70, 4);
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.duration = 200 * SIM_SECOND;
    fixture.config.cluster.chips = 40;
    fixture.config.cluster.chip = (int64_t)chip_catalogue_count;
    fixture.config.cluster.catalogue = (struct parameter_items){own, 2};
    fixture.config.failures.downscale_time = 20 * SIM_SECOND;
    fixture.config.failures.upscale_time = 30 * SIM_SECOND;
    fixture.options.learner.elastic = true;
    halves[0].chip = (int64_t)chip_catalogue_count;
    halves[1].chip = (int64_t)chip_catalogue_count + 1;
}

static void assert_equal(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) <= 1e-12 * fabs(wanted), "%.15g is not %.15g", got, wanted);
}

static double kilowatt_hours(double joules)
{
    return joules / 3.6e6;
}

/* As test_elastic of check_learner.c: 5360 chip-seconds useful, 360 redone, 1880 and 400 standing still. */
START_TEST(chips_cost_by_the_hour_and_energy_by_what_they_do)
{
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    const double *metrics = result.metrics;
    assert_equal(metrics[METRIC_COST], 40 * 200 / 3600.0 * 3);
    assert_equal(metrics[METRIC_COST_PER_BILLION_TOKENS], metrics[METRIC_COST] / 13.4e-3);
    ck_assert_double_nan(metrics[METRIC_NETWORK_COST]);
    assert_equal(metrics[METRIC_ENERGY_OF + BUDGET_USEFUL], kilowatt_hours(5360 * 100));
    assert_equal(metrics[METRIC_ENERGY_OF + BUDGET_REDONE], kilowatt_hours(360 * 100));
    assert_equal(metrics[METRIC_ENERGY_OF + BUDGET_RECONFIGURATION], kilowatt_hours(1880 * 10));
    assert_equal(metrics[METRIC_ENERGY_OF + BUDGET_DOWN], kilowatt_hours(400 * 10));
    assert_equal(metrics[METRIC_ENERGY], kilowatt_hours(5720 * 100 + 2280 * 10));
}
END_TEST

/* The warm-up is nobody's: half of the time, half of the money. */
START_TEST(the_warm_up_is_left_out)
{
    fixture.config.warm_up = 100 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_equal(result.metrics[METRIC_COST], 40 * 100 / 3600.0 * 3);
    assert_equal(result.metrics[METRIC_ENERGY], kilowatt_hours(4000 * 100));
}
END_TEST

START_TEST(what_is_not_known_is_not_charged)
{
    own[0].price_per_hour = own[0].busy_watts = NAN;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_nan(result.metrics[METRIC_COST]);
    ck_assert_double_nan(result.metrics[METRIC_COST_PER_BILLION_TOKENS]);
    ck_assert_double_nan(result.metrics[METRIC_ENERGY]);
    ck_assert_double_nan(result.metrics[METRIC_ENERGY_OF + BUDGET_USEFUL]);
    own[0].busy_watts = 100;
    own[0].idle_watts = NAN;
    fixture.config.cluster.price_per_hour = 7;
    result = SCRIPT_RUN(&fixture, {2, 25, 75});
    assert_equal(result.metrics[METRIC_COST], 40 * 200 / 3600.0 * 7);
    assert_equal(result.metrics[METRIC_ENERGY], kilowatt_hours(8000 * 100));
}
END_TEST

static void mix(int64_t kind)
{
    fixture.kind = kind;
    fixture.options = fixture_of(kind).options;
    fixture.config.cluster.chips = 256;
    fixture.config.cluster.groups = (struct parameter_items){halves, 2};
}

/* Only the faster kind waits for others, at its own power; both cost their own price. */
START_TEST(each_kind_has_its_price_and_power)
{
    mix(STRATEGY_DILOCO);
    struct run_result result = script_run(&fixture, NULL, 0);
    double wait = sim_amount_to_seconds(result.ledger.amount[BUDGET_QUORUM_WAIT]);
    ck_assert_double_gt(wait, 0);
    assert_equal(result.metrics[METRIC_ENERGY_OF + BUDGET_QUORUM_WAIT], kilowatt_hours(wait * 70));
    assert_equal(result.metrics[METRIC_COST], 200 / 3600.0 * (128 * 3 + 128 * 5));
}
END_TEST

/* In a learner of both kinds those of the second are at work for half of each step, and wait, at their own
 * power, for the other half. In proportion to speed all are at work all the time. */
START_TEST(a_learner_of_two_kinds)
{
    mix(STRATEGY_ALL_REDUCE);
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_equal(result.metrics[METRIC_ENERGY_OF + BUDGET_USEFUL],
                 kilowatt_hours(128 * (200 * 100 + 100 * 150)));
    assert_equal(result.metrics[METRIC_ENERGY_OF + BUDGET_STRAGGLER_WAIT], kilowatt_hours(128 * 100 * 70));
    fixture.config.cluster.batch = BATCH_PROPORTIONAL;
    result = script_run(&fixture, NULL, 0);
    assert_equal(result.metrics[METRIC_ENERGY_OF + BUDGET_USEFUL], kilowatt_hours(128 * 200 * (100 + 150)));
    fixture.config.cluster.batch = BATCH_EQUAL;
}
END_TEST

/* In proportion to speed nobody waits for anybody. */
START_TEST(proportional_batches_leave_nothing_to_wait_for)
{
    mix(STRATEGY_DILOCO);
    struct run_result equal = script_run(&fixture, NULL, 0);
    fixture.config.cluster.batch = BATCH_PROPORTIONAL;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert(result.ledger.amount[BUDGET_QUORUM_WAIT] == 0);
    assert_equal(result.metrics[METRIC_TOKENS], 1e6 * result.metrics[METRIC_STEPS]);
    ck_assert_double_gt(result.metrics[METRIC_TOKENS], 1.3 * equal.metrics[METRIC_TOKENS]);
    mix(STRATEGY_ALL_REDUCE);
    result = script_run(&fixture, NULL, 0);
    ck_assert(result.ledger.amount[BUDGET_STRAGGLER_WAIT] == 0);
    ck_assert_double_eq_tol(result.metrics[METRIC_TOKENS], 1e6 * 200 / (10 / 1.5), 1); /* whole nanoseconds */
}
END_TEST

/* What stops with a failed slice. */

static void replicas_of_two_slices(void)
{
    fixture.config.cluster.parallel.pipeline = 32;
    fixture.config.cluster.parallel.blast_radius = BLAST_REPLICA;
}

/* Slice 0 stands still with slice 1, and eight chips go on alone: 20–30 is lost, 30–50 downscaling, three
 * steps of 8 chips, 80–110 upscaling. */
START_TEST(a_copy_of_the_model_stops_as_a_whole)
{
    replicas_of_two_slices();
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 240 + 3600}, {BUDGET_REDONE, 200 + 40},
                   {BUDGET_RECONFIGURATION, 160 + 160 + 1200}, {BUDGET_DOWN, 800}, {BUDGET_REPAIR_WAIT, 800});
}
END_TEST

/* The other slice fails meanwhile, and both must be back. */
START_TEST(all_parts_must_be_back)
{
    replicas_of_two_slices();
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 75}, {0, 60, 95});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 400 + 2800}, {BUDGET_REDONE, 200 + 40},
                   {BUDGET_RECONFIGURATION, 160 + 160 + 1200}, {BUDGET_DOWN, 800 + 560},
                   {BUDGET_REPAIR_WAIT, 560 + 320});
}
END_TEST

/* What is left over at the end of a learner goes by itself. */
START_TEST(the_remainder_stops_alone)
{
    replicas_of_two_slices();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 960 + 3600}, {BUDGET_REDONE, 200 + 160},
                   {BUDGET_RECONFIGURATION, 640 + 40 + 1200}, {BUDGET_DOWN, 400});
}
END_TEST

/* Combinations. */

static void assert_refused(const char *path)
{
    struct simulation_fault fault = fixture_fault(&fixture);
    ck_assert_str_eq(fault.path, path);
    ck_assert_uint_gt(strlen(fault.message), 10);
}

START_TEST(what_cannot_be_is_refused)
{
    fixture.config.cluster.parallel.tensor = 64;
    assert_refused("cluster.parallel.tensor");
    fixture.config.cluster.parallel.tensor = 8;
    fixture.config.workload.step_time = PARAMETER_UNSET;
    assert_refused("workload.width");
    fixture.config.workload.width = 1024;
    assert_refused("workload.layers");
    fixture.config.workload.layers = 10;
    assert_refused("cluster.catalogue");
    own[0].scale_up_rate = 1e12;
    fixture.config.workload.expert_parameters = 1e12;
    assert_refused("workload.expert_parameters");
    fixture.config.workload.expert_parameters = 0;
    fixture.config.stragglers.chip = fixture_spread(SIM_LAW_LOG_NORMAL, 1, 0.1);
    fixture.config.stragglers.lasting = fixture_spread(SIM_LAW_LOG_NORMAL, 1, 0.1);
    assert_refused("stragglers.lasting_chip.law");
    fixture.config.stragglers.chip = fixture_law(SIM_LAW_CONSTANT, 1);
    fixture.config.stragglers.step_order = STRAGGLERS_PLAYED;
    assert_refused("stragglers.step_order");
    fixture.config.stragglers.step_order = STRAGGLERS_DRAWN;
    fixture.config.stragglers.lemon_share = 0.1;
    fixture.config.cluster.chips = INT64_C(1) << 33;
    assert_refused("stragglers.lemon.share");
    fixture.config.cluster.chips = 40;
    fixture.config.stragglers.fail_slow_between = 1;
    assert_refused("stragglers.fail_slow.between");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cost");
    TCase *tests = tcase_create("cost");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, chips_cost_by_the_hour_and_energy_by_what_they_do);
    tcase_add_test(tests, the_warm_up_is_left_out);
    tcase_add_test(tests, what_is_not_known_is_not_charged);
    tcase_add_test(tests, each_kind_has_its_price_and_power);
    tcase_add_test(tests, a_learner_of_two_kinds);
    tcase_add_test(tests, proportional_batches_leave_nothing_to_wait_for);
    tcase_add_test(tests, a_copy_of_the_model_stops_as_a_whole);
    tcase_add_test(tests, all_parts_must_be_back);
    tcase_add_test(tests, the_remainder_stops_alone);
    tcase_add_test(tests, what_cannot_be_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
