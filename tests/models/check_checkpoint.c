/*
 * Checkpoints: intervals by rule, times by bandwidth, peers.
 */
#include "models/failures/checkpoint.h"
#include "models/failures/interval.h"
#include "models/failures/process.h"
#include "models/failures/rate.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

/* δ = 60 s, M = 1 h. */
START_TEST(test_an_hour_between_failures)
{
    ck_assert_double_eq_tol(interval_young(3600, 60), 657.27, 0.01);
    ck_assert_double_eq_tol(interval_daly(3600, 60), 617.876, 0.001);
    ck_assert_double_eq_tol(interval_exact(3600, 60), 617.891, 0.001);
    ck_assert_double_eq_tol(1 / interval_cost(interval_exact(3600, 60), 3600, 60, 0), 0.82836, 1e-5);
}
END_TEST

/* Over eight orders of magnitude of δ/M the exact interval is a minimum, and Daly's is near it while δ is
 * small. */
START_TEST(test_the_exact_interval_is_the_best)
{
    const double mean = 3600;
    for (double write = 1e-6 * mean; write < 100 * mean; write *= 1.7) {
        double best = interval_exact(mean, write), cost = interval_cost(best, mean, write, 60);
        ck_assert(best > 0 && best <= mean);
        ck_assert(interval_cost(0.99 * best, mean, write, 60) > cost);
        ck_assert(interval_cost(1.01 * best, mean, write, 60) > cost);
        if (write < mean / 50)
            ck_assert_double_eq_tol(interval_daly(mean, write) / best, 1, 1e-3);
    }
}
END_TEST

/* 5 % beside the best interval costs less than a thousandth, where a checkpoint takes up to a fiftieth of the
 * time between failures. */
START_TEST(test_near_the_best_costs_little)
{
    const double mean = 7200;
    for (double write = 1; write <= mean / 50; write *= 1.5) {
        double best = interval_exact(mean, write), cost = interval_cost(best, mean, write, 600);
        ck_assert(interval_cost(0.95 * best, mean, write, 600) < 1.001 * cost);
        ck_assert(interval_cost(1.05 * best, mean, write, 600) < 1.001 * cost);
    }
}
END_TEST

/* Where the argument of Lambert's function has no digits left. */
START_TEST(test_the_series_takes_over_without_a_step)
{
    const double mean = 1e6;
    double below = interval_exact(mean, 0.9999e-7 * mean), above = interval_exact(mean, 1.0001e-7 * mean);
    ck_assert(below < above);
    ck_assert_double_eq_tol(below / above, 1 - 1e-4, 1e-5);
    ck_assert_double_eq_tol(interval_exact(mean, 1e-12 * mean), sqrt(2e-12) * mean, 1e-5 * mean * 1e-6);
}
END_TEST

/* Daly's rule from δ = 2M on. */
START_TEST(test_hardly_any_time_between_failures)
{
    ck_assert_double_eq(interval_daly(100, 200), 100);
    ck_assert_double_eq(interval_daly(100, 1000), 100);
    ck_assert_double_eq(interval_exact(100, 1e9), 100);
}
END_TEST

/* 64 chips at 64000 s, 8 slices at 1000 s, a fourth of them twice as often: 11 in 1000 s. Slow slices, and
 * what is planned, don't count. */
START_TEST(test_rate)
{
    struct sim_law_spec chip = fixture_law(SIM_LAW_EXPONENTIAL, 64000),
                        slice = fixture_law(SIM_LAW_EXPONENTIAL, 1000);
    struct failure_process process = {.domain = FAULT_OF_SLICE,
                                      .kind = FAULT_STOP,
                                      .life = slice,
                                      .node_rate = NAN,
                                      .overall_mtbf = PARAMETER_UNSET,
                                      .every = PARAMETER_UNSET};
    struct failure_process processes[] = {process, process, process};
    processes[0].lemon_share = 0.25;
    processes[0].lemon_factor = 2;
    processes[1].kind = FAULT_SLOW;
    processes[2].every = SIM_SECOND;
    struct failure_config failures = {.enabled = true, .chip = chip, .processes = {processes, 3}};
    struct units units;
    units_init(&units, 64, 8);
    ck_assert_double_eq_tol(failures_rate(&failures, &units, 1), 0.011, 1e-12);
    ck_assert_double_eq_tol(failures_rate(&failures, &units, 0.5), 0.0055, 1e-12);
    failures.enabled = false;
    ck_assert_double_eq(failures_rate(&failures, &units, 1), 0);
    units_free(&units);
}
END_TEST

static const struct checkpoint_job job = {.parameters = 1e9, .chips = 64, .hosts = 8};

START_TEST(test_rules)
{
    struct checkpoint_config config = {.interval = 7 * SIM_SECOND, .write_time = 60 * SIM_SECOND};
    ck_assert_int_eq(checkpoint_interval(&config, &job, 1.0 / 3600), 7 * SIM_SECOND);
    config.rule = CHECKPOINTS_YOUNG;
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 1.0 / 3600)), 657.27,
                            0.01);
    config.rule = CHECKPOINTS_DALY;
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 1.0 / 3600)), 617.876,
                            1e-3);
    config.rule = CHECKPOINTS_EXACT;
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 1.0 / 3600)), 617.891,
                            1e-3);
    ck_assert_int_eq(checkpoint_interval(&config, &job, 0), SIM_NEVER);
}
END_TEST

/* A rule goes by what training stands still for: the copy of an asynchronous write, and of tiers the mean. */
START_TEST(test_rules_go_by_the_time_that_counts)
{
    struct checkpoint_config config = {.rule = CHECKPOINTS_YOUNG,
                                       .mode = CHECKPOINTS_ASYNCHRONOUS,
                                       .write_time = 60 * SIM_SECOND,
                                       .blocking_time = 2 * SIM_SECOND};
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 0.01)), 20, 1e-6);
    config.mode = CHECKPOINTS_BLOCKING;
    config.memory = (struct memory_checkpoints){.copies = COPIES_PEER, .write_time = 2 * SIM_SECOND};
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 0.01)), 20, 1e-6);
    config.memory.storage_every = 10;
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_interval(&config, &job, 0.01)), 40, 1e-6);
}
END_TEST

/* 14 GB at 1 GB/s, of the job, of each of 8 hosts, of each of 64 chips; beside 3 s. */
START_TEST(test_times_by_bandwidth)
{
    static const double seconds[] = {14, 14.0 / 8, 14.0 / 64};
    struct checkpoint_config config = {.write_time = 3 * SIM_SECOND,
                                       .bytes_per_parameter = 14,
                                       .write_bandwidth = 8e9,
                                       .read_bandwidth = 16e9,
                                       .bandwidth_of = _i};
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_write_time(&config, &job)), 3 + seconds[_i], 1e-9);
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_load_time(&config, &job)), seconds[_i] / 2, 1e-9);
    ck_assert_int_eq(checkpoint_blocking_time(&config, &job), checkpoint_write_time(&config, &job));
    config.write_bandwidth = NAN;
    ck_assert_int_eq(checkpoint_write_time(&config, &job), 3 * SIM_SECOND);
}
END_TEST

/* The checkpoint of BLOOM, 2.3 TiB, in 40 s: 60 GB/s. */
START_TEST(test_bloom)
{
    const struct checkpoint_job bloom = {.parameters = 176.2e9, .chips = 384, .hosts = 48};
    struct checkpoint_config config = {.bytes_per_parameter = 14, .write_bandwidth = 8 * 61.7e9};
    ck_assert_double_eq_tol(sim_time_to_seconds(checkpoint_write_time(&config, &bloom)), 40, 0.1);
}
END_TEST

/* Nobody is its own peer, everybody is somebody's, and pairs are each other's. */
START_TEST(test_peers)
{
    for (int64_t slices = 2; slices < 40; slices++) {
        bool taken[40] = {false};
        for (int64_t slice = 0; slice < slices; slice++) {
            int64_t peer = checkpoint_peer(slice, slices);
            ck_assert(peer >= 0 && peer < slices && peer != slice && !taken[peer]);
            taken[peer] = true;
            if (slices % 2 == 0 || slice < slices - 3)
                ck_assert_int_eq(checkpoint_peer(peer, slices), slice);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *tests = tcase_create("checkpoint");
    tcase_add_test(tests, test_an_hour_between_failures);
    tcase_add_test(tests, test_the_exact_interval_is_the_best);
    tcase_add_test(tests, test_near_the_best_costs_little);
    tcase_add_test(tests, test_the_series_takes_over_without_a_step);
    tcase_add_test(tests, test_hardly_any_time_between_failures);
    tcase_add_test(tests, test_rate);
    tcase_add_test(tests, test_rules);
    tcase_add_test(tests, test_rules_go_by_the_time_that_counts);
    tcase_add_loop_test(tests, test_times_by_bandwidth, BANDWIDTH_OF_JOB, BANDWIDTH_OF_CHIP + 1);
    tcase_add_test(tests, test_bloom);
    tcase_add_test(tests, test_peers);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
