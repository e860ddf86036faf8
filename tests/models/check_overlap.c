/*
 * What a GPU's kernels come to in a run, and what a step of the large simulation makes of it.
 */
#include "models/training/layout.h"
#include "models/training/overlap.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { A40 = 1, H100 = 3 };

static struct overlap_config overlap_of(int64_t gpu, int64_t mode)
{
    return (struct overlap_config){.gpu = gpu,
                                   .mode = mode,
                                   .grid = PARAMETER_UNSET,
                                   .pairs = 10,
                                   .data = NAN,
                                   .ranks = PARAMETER_UNSET,
                                   .shaped = 1,
                                   .efficiency = 0.33,
                                   .link_rate = NAN,
                                   .block_rate = 12.5e9 * 8};
}

/* Runs of kind gpu-overlap. */

static struct fixture pairs_of(int64_t mode)
{
    struct fixture fixture = fixture_of(STRATEGY_GPU_OVERLAP);
    fixture.config.workload.parameters = 448e6;
    fixture.config.workload.overlap = overlap_of(A40, GPU_SEQUENTIAL);
    fixture.config.workload.overlap.grid = 64;
    fixture.options.gpu_overlap.mode = mode;
    return fixture;
}

START_TEST(a_run_of_pairs_accounts_for_all_chip_time)
{
    struct fixture fixture = pairs_of(_i);
    fixture.config.duration = 1000 * SIM_SECOND + 1;
    fixture.config.warm_up = 7 * SIM_SECOND + 3;
    struct run_result result = fixture_run(&fixture, 1, 0);
    double *metrics = result.metrics, counted = 993 - 2e-9;
    ck_assert(result.ledger.amount[BUDGET_WARM_UP] == (sim_amount)256 * (7 * SIM_SECOND + 3));
    ck_assert_int_eq(result.status, RUN_DONE);
    ck_assert_double_eq_tol(metrics[METRIC_STEPS], counted / metrics[METRIC_PAIR_TIME], 1e-6);
    ck_assert_double_eq_tol(metrics[METRIC_TOKENS], 1e6 * metrics[METRIC_STEPS], 1);
    ck_assert_double_ge(metrics[METRIC_TIME_RATIO], metrics[METRIC_TIME_BOUND]);
    ck_assert_double_eq_tol(metrics[METRIC_TIME_SAVED], 1 - metrics[METRIC_TIME_RATIO_TO_BASELINE], 1e-12);
    ck_assert_double_eq_tol(metrics[METRIC_COLLECTIVE_TIME], 2 * 0.75 * 896e6 / 25e9, 1e-4);
}
END_TEST

/* And nobody else has the figures of a GPU's kernels. */
START_TEST(training_has_no_pairs)
{
    struct fixture fixture = fixture_of(_i);
    struct run_result result = fixture_run(&fixture, 1, 0);
    for (size_t i = METRIC_PAIR_TIME; i <= METRIC_BLOCKS_PER_SM; i++)
        ck_assert(isnan(result.metrics[i]));
}
END_TEST

START_TEST(modes_compare_with_each_other)
{
    struct fixture sequential = pairs_of(GPU_SEQUENTIAL), baseline = pairs_of(GPU_BASELINE),
                   both = pairs_of(GPU_BOTH);
    struct run_result a = fixture_run(&sequential, 1, 0), b = fixture_run(&baseline, 1, 0),
                      c = fixture_run(&both, 1, 0);
    ck_assert_double_eq(a.metrics[METRIC_TIME_RATIO], 1);
    ck_assert_double_eq(a.metrics[METRIC_OVERLAP_RATE], 0);
    ck_assert_double_eq(b.metrics[METRIC_TIME_RATIO_TO_BASELINE], 1);
    ck_assert_double_eq_tol(c.metrics[METRIC_TIME_RATIO_TO_BASELINE],
                            c.metrics[METRIC_PAIR_TIME] / b.metrics[METRIC_PAIR_TIME], 1e-12);
    ck_assert_double_eq_tol(c.metrics[METRIC_TIME_SAVED], 0.255, 0.003);
    ck_assert_double_eq(a.metrics[METRIC_BLOCKS_PER_SM], 6);
    ck_assert_double_eq(a.metrics[METRIC_OCCUPANCY], 1);
    ck_assert_double_eq(c.metrics[METRIC_BLOCKS_PER_SM], 1);
    ck_assert_double_eq_tol(c.metrics[METRIC_OCCUPANCY], 256.0 / 1536, 1e-12);
}
END_TEST

/* The SMs over time sum to what the kernels took: those of products to their blocks' time, and so on. */
START_TEST(a_run_of_pairs_is_seen)
{
    struct fixture fixture = pairs_of(GPU_BOTH);
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct run_result result;
    struct observation *seen = NULL;
    const struct simulation_request request = {
        .config = &fixture.config, .strategy = &strategy, .seed = 1, .observation = &seen};
    ck_assert(simulation_run_observed(&request, &result, NULL));
    double time = 10 * result.metrics[METRIC_PAIR_TIME], sums[2] = {0};
    ck_assert_uint_eq(seen->series_count, 2);
    ck_assert_str_eq(seen->series[0].name, "sms:product");
    ck_assert_str_eq(seen->series[1].name, "sms:collective");
    for (size_t i = 0; i < seen->interval_count; i++)
        for (int j = 0; j < 2; j++)
            sums[j] += seen->series[j].values[i] * time / OBSERVATION_INTERVALS;
    ck_assert_double_eq_tol(sim_time_to_seconds(seen->ends[seen->interval_count - 1]), time, 1e-9);
    ck_assert_double_eq_tol(sums[1], 2 * 10 * result.metrics[METRIC_COLLECTIVE_TIME], 1e-3);
    ck_assert_double_gt(sums[0], 0.95 * 84 * 10 * result.metrics[METRIC_PRODUCT_TIME]);
    ck_assert_double_le(sums[0], 84 * time);
    ck_assert_uint_eq(seen->span_count, 20);
    for (size_t i = 0; i < 20; i += 2) {
        ck_assert_int_eq(seen->spans[i].number, (int64_t)i / 2 + 1);
        ck_assert_str_eq(seen->spans[i].name, "kernel:product");
        ck_assert_str_eq(seen->spans[i + 1].name, "kernel:collective");
        ck_assert_int_le(seen->spans[i].end, seen->spans[i + 1].begin);
    }
    observation_destroy(seen);
}
END_TEST

/* A strategy that does not say its mode has the workload's. */
START_TEST(the_mode_is_the_workloads_where_left_out)
{
    struct fixture said = pairs_of(GPU_BASELINE), left_out = pairs_of(GPU_BOTH);
    left_out.options.gpu_overlap.mode = PARAMETER_UNSET;
    left_out.config.workload.overlap.mode = GPU_BASELINE;
    struct run_result a = fixture_run(&said, 1, 0), b = fixture_run(&left_out, 1, 0);
    ck_assert_double_eq(a.metrics[METRIC_PAIR_TIME], b.metrics[METRIC_PAIR_TIME]);
    ck_assert_double_eq(b.metrics[METRIC_TIME_RATIO_TO_BASELINE], 1);
}
END_TEST

START_TEST(what_can_not_run_is_refused)
{
    struct fixture fixture = pairs_of(GPU_BOTH);
    fixture.config.workload.overlap.gpu = 0;
    struct simulation_fault fault = fixture_fault(&fixture);
    ck_assert_str_eq(fault.path, "workload.overlap.gpu");
    fixture = pairs_of(GPU_BOTH);
    fixture.config.workload.overlap.data = 8 * 50e9;
    fault = fixture_fault(&fixture);
    ck_assert_ptr_nonnull(strstr(fault.message, "a40: the collective's vector, of which there are two"));
    ck_assert_str_eq(fault.path, "workload.overlap.data");
    fixture = pairs_of(GPU_BOTH);
    fixture.config.workload.overlap.link_rate = 1;
    fault = fixture_fault(&fixture);
    ck_assert_ptr_nonnull(strstr(fault.message, "longer than an hour"));
    ck_assert_str_eq(fault.path, "workload.overlap.link_rate");
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.workload.overlap = overlap_of(H100, GPU_BOTH);
    fault = fixture_fault(&fixture);
    ck_assert_str_eq(fault.path, "workload.step_time");
}
END_TEST

/* Steps of the large simulation. */

/* 2 · 7/8 · 16 Gbit within a host of eight at 3.6 Tbit/s are 7.8 ms; computing beside it takes COMPUTE. */
static struct overlap_load load_of(double compute)
{
    return (struct overlap_load){.compute = compute,
                                 .flops = 4e14,
                                 .reduction = 2 * 7.0 / 8 * 16e9 / 3.6e12,
                                 .bits = 2 * 7.0 / 8 * 16e9,
                                 .layers = 16,
                                 .width = 2048};
}

START_TEST(exposed_time_is_between_what_can_not_hide_and_all)
{
    const double computes[] = {1e-4, 2e-3, 8e-3, 20e-3, 0.1};
    struct overlap_load load = load_of(computes[_i]);
    double launches = 16 * 14e-6;
    for (int64_t mode = 0; mode < GPU_MODES; mode++) {
        struct overlap_config overlap = overlap_of(H100, mode);
        double exposed = overlap_exposed(&overlap, &load, NULL);
        if (mode == GPU_SEQUENTIAL)
            ck_assert_double_eq(exposed, load.reduction);
        ck_assert_double_ge(exposed, load.reduction / 16 * 0.99);
        ck_assert_double_ge(exposed, load.reduction - load.compute * 1.2 - launches);
        if (mode == GPU_BASELINE || mode == GPU_PRIORITY)
            ck_assert_double_le(exposed, load.reduction * 1.05 + launches);
    }
}
END_TEST

START_TEST(priority_hides_more_than_the_baseline)
{
    struct overlap_load load = load_of(8e-3);
    struct overlap_config baseline = overlap_of(H100, GPU_BASELINE),
                          priority = overlap_of(H100, GPU_PRIORITY);
    ck_assert_double_lt(overlap_exposed(&priority, &load, NULL),
                        0.7 * overlap_exposed(&baseline, &load, NULL));
}
END_TEST

START_TEST(there_is_nothing_to_hide_or_nothing_to_hide_it)
{
    struct overlap_config overlap = overlap_of(H100, GPU_BOTH);
    struct overlap_load none = load_of(8e-3), alone = load_of(0);
    none.reduction = none.bits = 0;
    ck_assert_double_eq(overlap_exposed(&overlap, &none, NULL), 0);
    ck_assert_double_eq(overlap_exposed(&overlap, &alone, NULL), alone.reduction);
}
END_TEST

/* A hundred years come to a hundred years' worth of an hour. */
START_TEST(what_lasts_for_years_is_scaled)
{
    struct overlap_config overlap = overlap_of(H100, GPU_PRIORITY);
    struct overlap_load hour = load_of(3600), years = load_of(3600 * 876000.0);
    hour.bits *= 1e5;
    hour.reduction *= 1e5;
    years.bits = hour.bits * 876000;
    years.reduction = hour.reduction * 876000;
    double exposed = overlap_exposed(&overlap, &hour, NULL);
    ck_assert_double_eq_tol(overlap_exposed(&overlap, &years, NULL) / exposed, 876000, 1);
}
END_TEST

START_TEST(answers_are_kept)
{
    struct overlap_config overlap = overlap_of(H100, GPU_BOTH);
    struct overlap_cache cache = {.failed = false};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 40; i++) {
            struct overlap_load load = load_of(1e-3 * (1 + i));
            double exposed = overlap_exposed(&overlap, &load, NULL);
            ck_assert_double_eq(overlap_exposed(&overlap, &load, &cache), exposed);
            if (i < 16)
                ck_assert(cache.answers[i].known);
        }
    struct overlap_load load = load_of(1e-3);
    cache.answers[0].exposed = 42;
    ck_assert_double_eq(overlap_exposed(&overlap, &load, &cache), 42);
}
END_TEST

static struct fixture training(int64_t gpu, int64_t mode)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.workload.step_time = PARAMETER_UNSET;
    fixture.config.workload.parameters = 1e9;
    fixture.config.workload.layers = 16;
    fixture.config.workload.width = 2048;
    fixture.config.cluster.chip = 7; /* h100 */
    fixture.config.cluster.scale_up_latency = SIM_MICROSECOND;
    fixture.config.workload.overlap = overlap_of(gpu, mode);
    return fixture;
}

/* Nothing fails: all time is computing or waiting for gradients. */
START_TEST(a_step_waits_for_what_is_exposed)
{
    struct fixture fixture = training(H100, _i);
    struct layout layout = layout_of(&fixture.config.cluster, 1);
    struct parallel_step step = layout_parallel_step(&fixture.config, &layout, 0, 0);
    struct run_result result = fixture_run(&fixture, 1, 0);
    double all = (double)sim_ledger_total(&result.ledger),
           waits = (double)result.ledger.amount[BUDGET_COMMUNICATION_WAIT];
    ck_assert_double_gt(step.gradient, 0);
    ck_assert_double_eq_tol(step.seconds, step.compute + step.gradient, 1e-12);
    ck_assert_double_eq_tol(waits / all, step.gradient / step.seconds, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_GOODPUT], step.compute / step.seconds, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS], 1000 / step.seconds, 0.01 * 1000 / step.seconds);
}
END_TEST

START_TEST(without_a_gpu_nothing_changes)
{
    struct fixture fixture = training(0, GPU_BOTH);
    fixture.config.cluster.parallel.micro_batches = 2;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert(result.ledger.amount[BUDGET_COMMUNICATION_WAIT] == 0);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 1);
}
END_TEST

/* Half of the chips are half as fast: the slow ones wait for their own gradients alone. */
START_TEST(groups_of_chips_wait_each_for_its_own)
{
    struct chip_group groups[] = {{.share = 1, .chip = 7, .mfu = 0.4, .price_per_hour = NAN},
                                  {.share = 1, .chip = 7, .mfu = 0.2, .price_per_hour = NAN}};
    struct fixture fixture = training(H100, GPU_BOTH);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    struct layout layout = layout_of(&fixture.config.cluster, 1);
    struct parallel_step fast = layout_parallel_step(&fixture.config, &layout, 0, 0),
                         slow = layout_parallel_step(&fixture.config, &layout, 0, 1);
    struct layout_step step = layout_nominal_step(&fixture.config, &layout, 0);
    ck_assert_double_eq_tol(step.seconds, slow.seconds, 1e-12);
    ck_assert_double_eq_tol(step.exposed_share,
                            (fast.gradient / fast.seconds + slow.gradient / slow.seconds) / 2, 1e-12);
    fixture_run(&fixture, 1, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("overlap");
    TCase *pairs = tcase_create("pairs"), *steps = tcase_create("steps");
    tcase_add_loop_test(pairs, a_run_of_pairs_accounts_for_all_chip_time, 0, GPU_MODES);
    tcase_add_loop_test(pairs, training_has_no_pairs, STRATEGY_ALL_REDUCE, STRATEGY_GOSSIP + 1);
    tcase_add_test(pairs, modes_compare_with_each_other);
    tcase_add_test(pairs, a_run_of_pairs_is_seen);
    tcase_add_test(pairs, what_can_not_run_is_refused);
    tcase_add_test(pairs, the_mode_is_the_workloads_where_left_out);
    tcase_add_loop_test(steps, exposed_time_is_between_what_can_not_hide_and_all, 0, 5);
    tcase_add_test(steps, priority_hides_more_than_the_baseline);
    tcase_add_test(steps, there_is_nothing_to_hide_or_nothing_to_hide_it);
    tcase_add_test(steps, what_lasts_for_years_is_scaled);
    tcase_add_test(steps, answers_are_kept);
    tcase_add_loop_test(steps, a_step_waits_for_what_is_exposed, 0, GPU_MODES);
    tcase_add_test(steps, without_a_gpu_nothing_changes);
    tcase_add_test(steps, groups_of_chips_wait_each_for_its_own);
    suite_add_tcase(suite, pairs);
    suite_add_tcase(suite, steps);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
