/*
 * Memory that runs out anywhere: every allocation of a run fails once, and the run says so and leaves nothing
 * behind.
 */
#include "tests/models/fixture.h"
#include "tests/models/scarce_memory.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

/* Many failures of ageing chips in many slices, so that tables and the queue grow. */
static struct fixture troubled(int64_t kind)
{
    struct fixture fixture = fixture_of(kind);
    fixture.config.warm_up = 100 * SIM_SECOND;
    fixture.config.cluster.chips = 2048;
    fixture.config.cluster.chips_per_slice = 1;
    fixture.config.stragglers.learner = fixture_spread(SIM_LAW_LOG_NORMAL, 1, 0.1);
    fixture.config.stragglers.step = fixture_spread(SIM_LAW_NORMAL, 1, 0.1);
    fixture.config.stragglers.chip = fixture_spread(SIM_LAW_LOG_NORMAL, 1, 0.1);
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_shaped(SIM_LAW_WEIBULL, 1500, 0.8);
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    fixture.options.learner.elastic = true;
    if (kind != STRATEGY_ALL_REDUCE)
        fixture.options.learner.learners = 20;
    return fixture;
}

static void fail_every_allocation(struct fixture *fixture)
{
    struct strategy_config strategy = {.kind = fixture->kind, .options = &fixture->options};
    long failed = 0;
    for (bool done = false; !done; failed++) {
        struct run_result result;
        struct tape *tape = NULL;
        struct observation *observation = NULL;
        const struct observation_wish wish = {.activity = true};
        const struct simulation_request request = {.config = &fixture->config,
                                                   .strategy = &strategy,
                                                   .seed = 1,
                                                   .wish = &wish,
                                                   .observation = &observation,
                                                   .tape = &tape};
        struct error error = {.kind = ERROR_NONE};
        scarce_memory_left = failed;
        done = simulation_run_observed(&request, &result, &error);
        scarce_memory_left = -1;
        ck_assert(!done || observation != NULL);
        if (done)
            observation_destroy(observation);
        ck_assert(done == (tape != NULL));
        tape_destroy(tape);
        ck_assert_int_eq(error.kind, done ? ERROR_NONE : ERROR_SYSTEM);
        ck_assert_int_eq(result.status, done ? RUN_DONE : RUN_FAILED);
    }
    ck_assert_int_gt(failed, 10);
}

START_TEST(test_every_allocation_fails_once)
{
    struct fixture fixture = troubled(_i);
    fail_every_allocation(&fixture);
}
END_TEST

/* Routes, flows and what is seen of them; reductions layer by layer. */
START_TEST(test_every_allocation_between_sites_fails_once)
{
    struct network_site sites[] = {SITE("a", .uplink = 1e8), SITE("b", .uplink = 2e8),
                                   SITE("c", .uplink = 1e9)};
    struct fixture fixture = troubled(_i);
    fixture.config.network = (struct network_config)NETWORK(.between.latency = 0, .sites = ITEMS(sites));
    fixture.config.workload.layers = 2;
    if (_i == STRATEGY_ALL_REDUCE)
        fixture.options.all_reduce.reduction = REDUCTION_NETWORK;
    if (_i == STRATEGY_DILOCO)
        fixture.options.diloco.release = RELEASE_LAYER;
    if (_i == STRATEGY_STREAMING)
        fixture.options.streaming.release = RELEASE_LAYER;
    fail_every_allocation(&fixture);
}
END_TEST

/* One strike of a kind, 200 s into the run. */
static struct chaos_entry strike(int64_t action, int64_t target)
{
    static const double at[] = {200};
    return (struct chaos_entry){.at = {at, 1},
                                .every = PARAMETER_UNSET,
                                .rate.law = PARAMETER_UNSET,
                                .until = PARAMETER_UNSET,
                                .action = action,
                                .target = target,
                                .count = PARAMETER_UNSET,
                                .share = NAN,
                                .up_to = NAN,
                                .lasting = 50 * SIM_SECOND,
                                .factor = action == CHAOS_LOSE_PACKETS ? 0.1 : NAN,
                                .detection = PARAMETER_UNSET,
                                .notice = PARAMETER_UNSET};
}

START_TEST(test_every_allocation_in_chaos_fails_once)
{
    struct chaos_entry entries[] = {strike(CHAOS_KILL, FAULT_OF_SLICE), strike(CHAOS_KILL, FAULT_OF_SYNCER),
                                    strike(CHAOS_LOSE_PACKETS, FAULT_OF_CLUSTER)};
    struct fixture fixture = troubled(STRATEGY_DECOUPLED);
    fixture.config.failures.enabled = false;
    fixture.config.chaos =
        (struct chaos_config){.entries = ITEMS(entries), .slices_up = 0.5, .learners = 4, .learners_up = 1};
    fail_every_allocation(&fixture);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 60); /* on a busy machine */
    tcase_add_loop_test(tests, test_every_allocation_fails_once, 0, STRATEGY_TRAINING_KINDS);
    tcase_add_loop_test(tests, test_every_allocation_between_sites_fails_once, 0, STRATEGY_TRAINING_KINDS);
    tcase_add_test(tests, test_every_allocation_in_chaos_fails_once);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
