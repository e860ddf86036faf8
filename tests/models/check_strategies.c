/*
 * What holds for every run, over runs made up at random; fixture_run holds the ledger's part of it.
 */
#include "models/network/sites.h"
#include "tests/models/fixture.h"
#include "tests/models/random_run.h"
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 1000, SIDE_BY_SIDE = 200, THREADS = 4 };

static bool is_equal(const struct run_result *a, const struct run_result *b)
{
    return memcmp(&a->ledger, &b->ledger, sizeof a->ledger) == 0 &&
           memcmp(a->metrics, b->metrics, sizeof a->metrics) == 0 && a->events == b->events &&
           a->status == b->status && a->simulated == b->simulated;
}

static double amount(const struct run_result *result, enum budget_category category)
{
    return (double)result->ledger.amount[category];
}

/* Every counted token was trained in useful chip time, a step's tokens in a step's time of all chips. Parts
 * of a step that are lost are rounded to chip-nanoseconds. */
static void assert_tokens_match_useful_time(const struct fixture *fixture, const struct run_result *result)
{
    const struct workload_config *workload = &fixture->config.workload;
    double chip_steps = amount(result, BUDGET_USEFUL) / (double)workload->step_time;
    const struct cluster_config *cluster = &fixture->config.cluster;
    double chips = (double)(cluster->chips - reserve_slices(&cluster->spares) * cluster->chips_per_slice);
    double steps = chip_steps / chips;
    double wanted = workload->tokens_per_step * steps, got = result->metrics[METRIC_TOKENS];
    double whole_step = (double)workload->step_time * chips;
    double rounded = (result->metrics[METRIC_FAILURES] + 100) / whole_step + 1e-9 * steps;
    ck_assert_msg(fabs(got - wanted) <= workload->tokens_per_step * rounded,
                  "%.17g tokens, but useful time for %.17g", got, wanted);
}

/* Whatever happens. */
START_TEST(test_any_run)
{
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        struct run_result result = fixture_run(&fixture, i, 0);
        const double *metrics = result.metrics;
        double duration = (double)fixture.config.duration, step = (double)fixture.config.workload.step_time;
        double tokens_per_step = fixture.config.workload.tokens_per_step, steps = metrics[METRIC_STEPS];
        double slack = 1e-9 * tokens_per_step * duration / step;
        bool even = fixture.config.cluster.batch == BATCH_EQUAL;
        ck_assert_msg(!even || metrics[METRIC_TOKENS] <= tokens_per_step * steps + slack, "run %d", (int)i);
        ck_assert(metrics[METRIC_TOKENS] >= -slack && metrics[METRIC_STEPS_LOST] >= -1e-9 * duration / step);
        enum run_status ended = goal_is_fixed(&fixture.config.until) ? RUN_UNFINISHED : RUN_DONE;
        if (isnan(metrics[METRIC_TIME_TO_FINISH]))
            ck_assert(result.status == RUN_STALLED || (result.status == ended && metrics[METRIC_TOKENS] > 0));
        else
            ck_assert_int_eq(result.status, RUN_DONE);
        if (result.status == RUN_STALLED && metrics[METRIC_TOKENS] > 0)
            ck_assert_double_le(metrics[METRIC_UPTIME], 0.5 + 1e-9);
        ck_assert(metrics[METRIC_MERGES] >= 0 && metrics[METRIC_WAN_BYTES] >= 0);
    }
}
END_TEST

/* Steps in which a chip failed are lost, so that those which count had all their chips all the time. */
START_TEST(test_tokens_match_useful_time)
{
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        random_run_even_out(&fixture);
        fixture.config.failures.failed_step = FAILED_STEP_LOST;
        struct run_result result = fixture_run(&fixture, i, 0);
        assert_tokens_match_useful_time(&fixture, &result);
    }
}
END_TEST

START_TEST(test_without_failures_nothing_is_lost)
{
    static const enum budget_category troubles[] = {BUDGET_DOWN,        BUDGET_RESTART,
                                                    BUDGET_RESTORE,     BUDGET_RECONFIGURATION,
                                                    BUDGET_REPAIR_WAIT, BUDGET_REDONE};
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        random_run_keep_all(&fixture);
        fixture.config.failures.enabled = false;
        struct run_result result = fixture_run(&fixture, i, 0);
        double tokens = fixture.config.workload.tokens_per_step * result.metrics[METRIC_STEPS];
        if (fixture.config.cluster.batch == BATCH_EQUAL)
            ck_assert_double_eq_tol(result.metrics[METRIC_TOKENS], tokens, 1e-9 * tokens + 1e-300);
        ck_assert_double_eq(result.metrics[METRIC_STEPS_LOST], 0);
        ck_assert_double_eq(result.metrics[METRIC_FAILURES], 0);
        sim_amount sum = 0;
        for (size_t k = 0; k < sizeof troubles / sizeof *troubles; k++)
            sum += result.ledger.amount[troubles[k]];
        ck_assert(sum == 0);
    }
}
END_TEST

START_TEST(test_the_same_seed_gives_the_same_run)
{
    uint64_t different = 0;
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        struct run_result result = fixture_run(&fixture, i, 0), again = fixture_run(&fixture, i, 0);
        ck_assert_msg(is_equal(&result, &again), "run %d", (int)i);
        struct run_result other = fixture_run(&fixture, i + 1, 0), third = fixture_run(&fixture, i, 1);
        different += !is_equal(&result, &other) && !is_equal(&result, &third);
    }
    ck_assert_uint_gt(different, RUNS / 2); /* some runs have no chance in them */
}
END_TEST

/* Strategies meet the same failures, and all that tell a failed slice from a working one have the same ones
 * down for the same time. */
START_TEST(test_strategies_meet_the_same_failures)
{
    for (uint64_t i = 0; i < RUNS / 3; i++) {
        struct fixture fixture = random_run(i);
        fixture.config.until = (struct goal_config){0};
        fixture.options.learner.elastic = true;
        random_run_leave_learners_out(&fixture);
        struct run_result first = fixture_run(&fixture, i, 0);
        for (int64_t kind = 0; kind < STRATEGY_TRAINING_KINDS; kind++) {
            random_strategy(&fixture, kind, i);
            struct run_result other = fixture_run(&fixture, i, 0);
            ck_assert_double_eq(first.metrics[METRIC_FAILURES], other.metrics[METRIC_FAILURES]);
            if (fixture.options.learner.elastic || fixture.options.learner.slice_loss == LOSS_WAIT ||
                reserve_slices(&fixture.config.cluster.spares) > 0)
                ck_assert(first.ledger.amount[BUDGET_DOWN] == other.ledger.amount[BUDGET_DOWN]);
            else
                ck_assert(other.ledger.amount[BUDGET_DOWN] == 0);
        }
    }
}
END_TEST

/* Parts of learners that are at one site each. */
static double count_parts(const struct fixture *fixture)
{
    struct placement *placement =
        placement_create(&fixture->config.network, fixture->options.learner.learners, NULL);
    double parts = (double)placement->part_count;
    placement_destroy(placement);
    return parts;
}

/* Rings of p parts carry 2(p − 1) models for every merge, and no more than one merge is under way, however
 * thin the links are. Blocks are whole bits. */
START_TEST(test_no_bit_is_lost_and_none_piles_up)
{
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        random_strategy(&fixture, STRATEGY_DILOCO, i);
        random_run_keep_all(&fixture);
        fixture.config.failures.enabled = false;
        fixture.config.warm_up = 0;
        fixture.options.diloco.collective = 0;
        fixture.options.learner.rule.compression_bits = PARAMETER_UNSET;
        struct run_result result = fixture_run(&fixture, i, 0);
        const struct workload_config *workload = &fixture.config.workload;
        double parts = count_parts(&fixture);
        double layers = workload->layers > 0 ? (double)workload->layers : 1;
        double bits = 2 * (parts - 1) * workload->parameters * (double)workload->bits_per_parameter;
        double rounded = 2 * (parts - 1) * parts * layers;
        double got = result.metrics[METRIC_WAN_BYTES] * 8, merges = result.metrics[METRIC_MERGES];
        ck_assert_msg(got >= merges * bits * (1 - 1e-12), "run %d", (int)i);
        ck_assert_msg(got <= (merges + 1) * (bits + rounded) * (1 + 1e-12), "run %d", (int)i);
    }
}
END_TEST

/* A tape changes nothing, and refers to nothing that was not there. */
START_TEST(test_tapes_are_causal)
{
    for (uint64_t i = 0; i < RUNS; i++) {
        struct fixture fixture = random_run(i);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        struct run_result plain = fixture_run(&fixture, i, 0), result;
        struct error error = {.kind = ERROR_NONE};
        struct tape *tape = NULL;
        ck_assert(simulation_run(&fixture.config, &strategy, i, 0, NULL, &result, &tape, &error));
        ck_assert_msg(is_equal(&plain, &result), "run %d", (int)i);
        ck_assert_msg(tape_check(tape, &error), "run %d: %s", (int)i, error.message);
        tape_destroy(tape);
    }
}
END_TEST

/* Threads. */

struct lane {
    pthread_t thread;
    uint64_t first;
    struct run_result results[SIDE_BY_SIDE];
};

static void *run_lane(void *argument)
{
    struct lane *lane = argument;
    for (uint64_t i = 0; i < SIDE_BY_SIDE; i++) {
        uint64_t number = (lane->first + i) % SIDE_BY_SIDE; /* each lane in another order */
        struct fixture fixture = random_run(number);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        simulation_run(&fixture.config, &strategy, number, 0, NULL, &lane->results[number], NULL, NULL);
    }
    return NULL;
}

START_TEST(test_threads_do_not_meet)
{
    struct lane *lanes = calloc(THREADS, sizeof *lanes);
    for (uint64_t i = 0; i < THREADS; i++) {
        lanes[i].first = i * SIDE_BY_SIDE / THREADS;
        ck_assert_int_eq(pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]), 0);
    }
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_join(lanes[i].thread, NULL);
    for (uint64_t i = 0; i < SIDE_BY_SIDE; i++) {
        struct fixture fixture = random_run(i);
        struct run_result alone = fixture_run(&fixture, i, 0);
        for (uint64_t k = 0; k < THREADS; k++)
            ck_assert_msg(is_equal(&lanes[k].results[i], &alone), "run %d", (int)i);
    }
    free(lanes);
}
END_TEST

/* Bounds. */

static void assert_fault(const struct fixture *fixture, const char *path)
{
    struct simulation_fault fault = fixture_fault(fixture);
    ck_assert_str_eq(fault.path, path);
    ck_assert_uint_gt(strlen(fault.message), 10);
}

START_TEST(test_what_cannot_run_is_refused)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.options.learner.learners = 17;
    assert_fault(&fixture, "learners");
    fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.options.decoupled.quorum = 5;
    assert_fault(&fixture, "quorum");
    fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.options.decoupled.fragments = 5;
    assert_fault(&fixture, "fragments");
    fixture = fixture_of(STRATEGY_GOSSIP);
    fixture.config.warm_up = fixture.config.duration;
    assert_fault(&fixture, "warm_up");
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.workload.step_time = 10;
    assert_fault(&fixture, "duration");
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.workload.parameters = 1e18;
    fixture.config.workload.bits_per_parameter = 16;
    assert_fault(&fixture, "workload.parameters");
}
END_TEST

START_TEST(test_what_would_take_hours_is_refused)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e-6);
    assert_fault(&fixture, "failures.chip.mtbi");
    fixture.config.failures.enabled = false;
    fixture_run(&fixture, 1, 0);
    fixture.config.stragglers.step = fixture_law(SIM_LAW_CONSTANT, 1e-10);
    fixture_run(&fixture, 1, 0); /* no step is that short */
    fixture.config.duration *= 1000000;
    assert_fault(&fixture, "duration");
    fixture.config.duration /= 1000000;
    fixture.config.stragglers.step = fixture_law(SIM_LAW_CONSTANT, 1);
    fixture.config.cluster = (struct cluster_config){.chips = 1000000000000, .chips_per_slice = 1, .mfu = 1};
    assert_fault(&fixture, "cluster.chips_per_slice");
    fixture.config.cluster.chips_per_slice = 1000;
    fixture_run(&fixture, 1, 0);
    fixture.config.failures = fixture_of(STRATEGY_ALL_REDUCE).config.failures;
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_shaped(SIM_LAW_WEIBULL, 1e12, 2);
    assert_fault(&fixture, "failures.chip.law");
}
END_TEST

/* A mean of a year, and yet a chip fails 500 times a day: most lives of this law are over within a
 * nanosecond, and those that are not last for ages. */
START_TEST(test_early_failures_are_foreseen)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.duration = 86400 * SIM_SECOND;
    fixture.config.cluster.chips = 100000000;
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_shaped(SIM_LAW_WEIBULL, 365 * 86400, 0.05);
    assert_fault(&fixture, "failures.chip.mtbi");
    fixture.config.failures.chip.shape = 0.8;
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct simulation_fault fault;
    ck_assert(simulation_check(&fixture.config, &strategy, &fault));
}
END_TEST

/* A century of a thousand million chips, an event now and then: beyond 64 bits of chip-nanoseconds. */
START_TEST(test_a_century_of_many_chips)
{
    for (int64_t kind = 0; kind < STRATEGY_TRAINING_KINDS; kind++) {
        struct fixture fixture = fixture_of(kind);
        fixture.config.duration = 100 * 365 * INT64_C(86400) * SIM_SECOND;
        fixture.config.workload.step_time = 365 * INT64_C(86400) * SIM_SECOND / 10;
        fixture.config.cluster.chips = 1000000000;
        fixture.config.cluster.chips_per_slice = 64;
        fixture.config.failures.enabled = true;
        fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e9 * 365 * 86400);
        struct run_result result = fixture_run(&fixture, 1, 0);
        ck_assert_int_eq(result.status, RUN_DONE);
        ck_assert_double_gt(result.metrics[METRIC_FAILURES], 50);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("strategies");
    TCase *tests = tcase_create("every run");
    tcase_add_test(tests, test_any_run);
    tcase_add_test(tests, test_tokens_match_useful_time);
    tcase_add_test(tests, test_without_failures_nothing_is_lost);
    tcase_add_test(tests, test_the_same_seed_gives_the_same_run);
    tcase_add_test(tests, test_strategies_meet_the_same_failures);
    tcase_add_test(tests, test_no_bit_is_lost_and_none_piles_up);
    tcase_add_test(tests, test_tapes_are_causal);
    tcase_add_test(tests, test_threads_do_not_meet);
    tcase_add_test(tests, test_what_cannot_run_is_refused);
    tcase_add_test(tests, test_what_would_take_hours_is_refused);
    tcase_add_test(tests, test_early_failures_are_foreseen);
    tcase_add_test(tests, test_a_century_of_many_chips);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
