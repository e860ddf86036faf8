/*
 * Steps with parts against timelines computed by hand. Two layers, so that a step of 10 s has five parts of
 * 2 s: forward 1 and 2 until 4, backward 2 until 8 (activations, then parameters: layer 2 is released),
 * backward 1 until 10. A reduction of one layer between two takes 6 s, unless a test says otherwise.
 */
#include "models/network/collective.h"
#include "models/training/fragments.h"
#include "sim/stream.h"
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture fixture;
static struct network_site sites[2];

static void set_up(int64_t kind)
{
    fixture = fixture_of(kind);
    fixture.config.cluster.chips = 4;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.config.workload.layers = 2;
    fixture.config.network.wan_bandwidth = 1e9 / 12; /* half the model, both ways at once */
}

static void with_two_learners(int64_t kind)
{
    set_up(kind);
    fixture.options.learner.learners = 2;
}

/* One learner over two sites. */
static void with_all_reduce(void)
{
    const struct network_site both[] = {SITE("here", .uplink = 1e9 / 12), SITE("there", .uplink = 1e9 / 12)};
    set_up(STRATEGY_ALL_REDUCE);
    sites[0] = both[0];
    sites[1] = both[1];
    fixture.config.network = (struct network_config)NETWORK(.sites = ITEMS(sites), .between.latency = 0);
    fixture.options.all_reduce.reduction = REDUCTION_NETWORK;
}

static void with_streaming(void)
{
    with_two_learners(STRATEGY_STREAMING);
    fixture.options.streaming.inner_steps = 2;
    fixture.options.streaming.fragments = 2;
    fixture.options.streaming.overlap = 0;
    fixture.options.streaming.release = RELEASE_LAYER;
}

static void with_end(double seconds)
{
    fixture.config.duration = sim_time_from_seconds(seconds);
}

/* Layer 2 is reduced from 8 to 14, layer 1 until 20: ten seconds of twenty are exposed. */
START_TEST(test_all_reduce_overlaps_with_the_backward_pass)
{
    with_all_reduce();
    with_end(200);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 100}, {BUDGET_COMMUNICATION_WAIT, 4 * 100});
    ck_assert_double_eq(result.metrics[METRIC_STEPS], 10);
    ck_assert_double_eq(result.metrics[METRIC_STEP_TIME], 10);
    ck_assert_double_eq(result.metrics[METRIC_TIME_PER_STEP], 20);
    ck_assert_double_eq(result.metrics[METRIC_COMPUTE_UTILIZATION], 0.5);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 10 * 2 * 1e9 / 8);
}
END_TEST

START_TEST(test_all_reduce_as_a_whole)
{
    with_all_reduce();
    fixture.config.workload.layers = 0;
    with_end(220);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 100}, {BUDGET_COMMUNICATION_WAIT, 4 * 120});
}
END_TEST

/* What the step time includes, no link carries. */
START_TEST(test_all_reduce_included)
{
    with_all_reduce();
    fixture.options.all_reduce.reduction = REDUCTION_INCLUDED;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 1000});
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 0);
}
END_TEST

/* A ring of one has nothing to send. */
START_TEST(test_all_reduce_at_one_place)
{
    with_all_reduce();
    fixture.config.network.sites.count = 1;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 1000});
}
END_TEST

/* Chips fail at 9; the step is lost at 10, with the reduction of its layer 2. The next one is done by half of
 * them, from 10 to 20, and reduced from 18 to 30; a third has begun to be. */
START_TEST(test_gradients_of_a_lost_step_are_not_reduced)
{
    with_all_reduce();
    fixture.options.learner.elastic = true;
    with_end(40);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 9, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 20}, {BUDGET_COMMUNICATION_WAIT, 2 * 10},
                   {BUDGET_REDONE, 4 * 9 + 2}, {BUDGET_DOWN, 2 * 31});
    ck_assert_double_eq_tol(result.metrics[METRIC_WAN_BYTES], (4.0 / 6 + 2) * 1e9 / 8, 1);
}
END_TEST

/* Nothing crosses any more after 15, in the middle of layer 1's reduction. A run that ends soon afterwards,
 * or in which something still crosses, has not stalled. */
START_TEST(test_a_partition_that_never_heals)
{
    static double at[] = {15}, factor[] = {0};
    struct network_profile profiles[] = {
        PROFILE("cut", .schedule_at = {at, 1}, .schedule_factor = {factor, 1})};
    with_all_reduce();
    sites[0].profile = (char[]){"cut"};
    fixture.config.network.profiles = (struct parameter_items)ITEMS(profiles);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 10}, {BUDGET_COMMUNICATION_WAIT, 4 * 990});
    ck_assert_int_eq(result.status, RUN_STALLED);
    ck_assert_uint_lt(result.events, 100);
    with_end(19);
    ck_assert_int_eq(script_run(&fixture, NULL, 0).status, RUN_DONE);
    factor[0] = 1e-6;
    with_end(1000);
    result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 10}, {BUDGET_COMMUNICATION_WAIT, 4 * 990});
    ck_assert_int_eq(result.status, RUN_DONE);
}
END_TEST

/* The fourth step's drift: layer 2 from 38 to 44, layer 1 until 50. */
START_TEST(test_diloco_by_layers)
{
    with_two_learners(STRATEGY_DILOCO);
    fixture.options.diloco.release = RELEASE_LAYER;
    with_end(100);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 80}, {BUDGET_COMMUNICATION_WAIT, 4 * 20});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 2);
}
END_TEST

/* Layers alone change nothing: after the step is the rule. */
START_TEST(test_diloco_at_a_barrier)
{
    with_two_learners(STRATEGY_DILOCO);
    with_end(104);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 80}, {BUDGET_COMMUNICATION_WAIT, 4 * 24});
}
END_TEST

/* Learner 1 fails at 39 and is lost at 40; the reduction of layer 2 goes on until 44, and that of layer 1 is
 * among one, learner 0. */
START_TEST(test_diloco_loses_a_learner_within_the_backward_pass)
{
    with_two_learners(STRATEGY_DILOCO);
    fixture.options.diloco.release = RELEASE_LAYER;
    with_end(54);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 39, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 50}, {BUDGET_COMMUNICATION_WAIT, 2 * 4},
                   {BUDGET_REDONE, 2 * 39}, {BUDGET_DOWN, 2 * 15});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 1);
}
END_TEST

/* Odd steps send layer 2, even ones layer 1. Layer 2 is released at 8 and there at 14: the second step, begun
 * at 10, is held before its second part, from 12 to 14, and ends at 22. Layer 1 is there at 28, when the
 * third step begins. So it goes on, every 28 s. */
START_TEST(test_streaming_by_layers)
{
    with_streaming();
    with_end(28 * 5);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 100}, {BUDGET_COMMUNICATION_WAIT, 4 * 40});
    ck_assert_double_eq(result.metrics[METRIC_STEPS], 10);
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 10);
}
END_TEST

/* With a step more to hide in nothing is exposed. */
START_TEST(test_streaming_overlapped_by_layers)
{
    with_streaming();
    fixture.options.streaming.inner_steps = 4;
    fixture.options.streaming.overlap = 1;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 1000});
}
END_TEST

/* The end comes at 13, while both are held with one part of five behind them. */
START_TEST(test_the_end_while_held)
{
    with_streaming();
    with_end(13);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 12}, {BUDGET_COMMUNICATION_WAIT, 4});
    ck_assert_double_eq(result.metrics[METRIC_STEPS], 1.2);
    ck_assert_double_eq(result.metrics[METRIC_TOKENS], 1.2e6);
}
END_TEST

/* The warm-up ends at 13: four parts of the second step are counted. */
START_TEST(test_the_warm_up_ends_while_held)
{
    with_streaming();
    fixture.config.warm_up = 13 * SIM_SECOND;
    with_end(22);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 4 * 13}, {BUDGET_USEFUL, 4 * 8}, {BUDGET_COMMUNICATION_WAIT, 4});
    ck_assert_double_eq(result.metrics[METRIC_STEPS], 0.8);
}
END_TEST

/* Learner 1 fails at 13, held, and loses the step and its state where the step would have ended, at 21. What
 * it did in the first step is half safe, as one of its two fragments is merged. */
START_TEST(test_a_held_learner_loses_its_slices)
{
    with_streaming();
    with_end(22);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 13, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 20 + 2 * 5}, {BUDGET_COMMUNICATION_WAIT, 2 * 2 + 2},
                   {BUDGET_REDONE, 2 * 2 + 2 * 5}, {BUDGET_DOWN, 2 * 9});
    ck_assert_double_eq(result.metrics[METRIC_STEPS_LOST], 0.5 + 0.5 / 2);
}
END_TEST

/* One of learner 1's two slices fails at 13: the step goes on at 14 with the other, and is lost at 22. Done
 * again until 32 it sends layer 1 at 32; the other learner waits from 22 on. */
START_TEST(test_a_held_step_is_lost)
{
    with_streaming();
    fixture.config.cluster.chips_per_slice = 1;
    with_end(38);
    struct run_result result = SCRIPT_RUN(&fixture, {3, 13, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 20 + 2 * 10 + 10},
                   {BUDGET_COMMUNICATION_WAIT, 2 * 2 + 2 + 1 + 2 * 6 + 6}, {BUDGET_QUORUM_WAIT, 2 * 10},
                   {BUDGET_REDONE, 2 * 2 + 8}, {BUDGET_DOWN, 25});
}
END_TEST

/* The same worked out without events, part by part: two learners side by side, LAYERS parts forward,
 * fragments of strided layers, and one link on which a layer takes REDUCTION. Returns when STEPS steps are
 * done. */
struct course {
    int64_t layers, inner_steps, fragments, overlap;
    sim_time part, reduction;
};

enum { COURSE_STEPS = 40, COURSE_LAYERS = 7 };

static sim_time end_of_course(const struct course *course, int64_t steps)
{
    sim_time done[COURSE_STEPS + 1][COURSE_LAYERS + 1] = {{0}}, now = 0, link = 0;
    const struct fragment_schedule schedule = {course->inner_steps, course->fragments};
    for (int64_t step = 1; step <= steps; step++) {
        int64_t source = step - 1 - course->overlap, fragment = fragment_due(&schedule, step);
        for (int64_t layer = 1; layer <= course->layers; layer++) {
            if (source > 0 && done[source][layer] > now)
                now = done[source][layer];
            now += course->part;
        }
        for (int64_t layer = course->layers; layer >= 1; layer--) {
            now += layer > 1 ? 2 * course->part : course->part;
            if (fragment < 0 || (layer - 1) % course->fragments != fragment)
                continue;
            link = (link > now ? link : now) + course->reduction;
            done[step][layer] = link;
        }
    }
    return now;
}

static struct course random_course(struct sim_stream *stream)
{
    struct course course = {.layers = 2 + (int64_t)sim_stream_below(stream, COURSE_LAYERS - 1)};
    course.inner_steps = 1 + (int64_t)sim_stream_below(stream, 12);
    int64_t most = course.layers < course.inner_steps ? course.layers : course.inner_steps;
    course.fragments = 1 + (int64_t)sim_stream_below(stream, (uint64_t)most);
    course.overlap = (int64_t)sim_stream_below(stream, (uint64_t)course.inner_steps);
    course.part = 1 + (sim_time)sim_stream_below(stream, 1000000);
    course.reduction = 1 + (sim_time)sim_stream_below(stream, 20000000);
    return course;
}

/* As many steps as there should be, to the nanosecond. */
START_TEST(test_any_course)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 1, 0);
    for (int i = 0; i < 500; i++) {
        struct course course = random_course(&stream);
        with_two_learners(STRATEGY_STREAMING);
        fixture.options.streaming.inner_steps = course.inner_steps;
        fixture.options.streaming.fragments = course.fragments;
        fixture.options.streaming.overlap = course.overlap;
        fixture.options.streaming.release = RELEASE_LAYER;
        fixture.config.workload.layers = course.layers;
        fixture.config.workload.step_time = course.part * (3 * course.layers - 1);
        fixture.config.workload.parameters = (double)(course.layers * course.reduction);
        fixture.config.workload.bits_per_parameter = 2; /* two bits a nanosecond, in both blocks of a ring */
        fixture.config.network.wan_bandwidth = 2e9;
        fixture.config.duration = end_of_course(&course, COURSE_STEPS);
        struct run_result result = script_run(&fixture, NULL, 0);
        ck_assert_double_eq_tol(result.metrics[METRIC_STEPS], COURSE_STEPS, 1e-12);
        ck_assert(result.ledger.amount[BUDGET_USEFUL] ==
                  (sim_amount)4 * COURSE_STEPS * fixture.config.workload.step_time);
        ck_assert(result.ledger.amount[BUDGET_QUORUM_WAIT] == 0);
    }
}
END_TEST

/* A step of 17 ns in 29 parts keeps its length. */
START_TEST(test_parts_shorter_than_a_nanosecond)
{
    with_all_reduce();
    fixture.config.workload.layers = 10;
    fixture.config.workload.step_time = 17;
    fixture.config.workload.parameters = 1;
    sites[0].uplink = sites[1].uplink = 1e18; /* every transfer takes a nanosecond */
    fixture.config.duration = 1700 * 30;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS] * 17 * 4,
                            (double)result.ledger.amount[BUDGET_USEFUL], 1e-6);
    ck_assert_double_gt(result.metrics[METRIC_COMPUTE_UTILIZATION], 0.5);
}
END_TEST

/* A slice is away from 5 to 15: the step in which it failed is done again until 20. Then three copies of the
 * model come, in 36 s, while all stand still. */
START_TEST(test_slices_wait_for_their_state)
{
    set_up(STRATEGY_ALL_REDUCE);
    fixture.options.learner.elastic = true;
    fixture.options.all_reduce.upscaling = UPSCALING_TRANSFER;
    with_end(66);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 5, 15});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 10 + 4 * 10}, {BUDGET_REDONE, 4 * 5 + 2 * 5},
                   {BUDGET_DOWN, 2 * 10}, {BUDGET_RECONFIGURATION, 2 * 5 + 4 * 36});
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 3e9 / 8);
}
END_TEST

/* Three slices; one comes back at 15, another fails at 30, in the middle of the transfer: it begins again. */
START_TEST(test_the_transfer_begins_again)
{
    set_up(STRATEGY_ALL_REDUCE);
    fixture.config.cluster.chips = 6;
    fixture.config.failures.during_restart = DURING_RESTART_RESTART;
    fixture.options.learner.elastic = true;
    fixture.options.all_reduce.upscaling = UPSCALING_TRANSFER;
    with_end(66);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 5, 15}, {2, 30, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 10}, {BUDGET_REDONE, 6 * 5 + 4 * 5},
                   {BUDGET_DOWN, 2 * 10 + 2 * 36}, {BUDGET_RECONFIGURATION, 2 * 5 + 6 * 10 + 4 * 36});
}
END_TEST

/* Between sites all get it from the largest one. */
START_TEST(test_the_state_crosses_between_sites)
{
    with_all_reduce();
    fixture.options.all_reduce.reduction = REDUCTION_INCLUDED;
    fixture.options.learner.elastic = true;
    fixture.options.all_reduce.upscaling = UPSCALING_TRANSFER;
    with_end(66);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 5, 15});
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_RECONFIGURATION), 2 * 5 + 4 * 36);
}
END_TEST

/* A tree of four: up and down, two rounds each, of the whole model and a latency. */
START_TEST(test_another_collective)
{
    set_up(STRATEGY_DILOCO);
    fixture.config.cluster.chips_per_slice = 1;
    fixture.config.network.wan_latency = SIM_SECOND;
    fixture.options.diloco.collective = COLLECTIVE_TREE;
    with_end(40 + 4 * 13);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 40}, {BUDGET_COMMUNICATION_WAIT, 4 * 4 * 13});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layers");
    TCase *steps = tcase_create("steps"), *upscaling = tcase_create("upscaling");
    tcase_add_test(steps, test_all_reduce_overlaps_with_the_backward_pass);
    tcase_add_test(steps, test_all_reduce_as_a_whole);
    tcase_add_test(steps, test_all_reduce_included);
    tcase_add_test(steps, test_all_reduce_at_one_place);
    tcase_add_test(steps, test_gradients_of_a_lost_step_are_not_reduced);
    tcase_add_test(steps, test_a_partition_that_never_heals);
    tcase_add_test(steps, test_diloco_by_layers);
    tcase_add_test(steps, test_diloco_at_a_barrier);
    tcase_add_test(steps, test_diloco_loses_a_learner_within_the_backward_pass);
    tcase_add_test(steps, test_streaming_by_layers);
    tcase_add_test(steps, test_streaming_overlapped_by_layers);
    tcase_add_test(steps, test_the_end_while_held);
    tcase_add_test(steps, test_the_warm_up_ends_while_held);
    tcase_add_test(steps, test_a_held_learner_loses_its_slices);
    tcase_add_test(steps, test_a_held_step_is_lost);
    tcase_add_test(steps, test_any_course);
    tcase_add_test(steps, test_parts_shorter_than_a_nanosecond);
    tcase_add_test(steps, test_another_collective);
    tcase_add_test(upscaling, test_slices_wait_for_their_state);
    tcase_add_test(upscaling, test_the_transfer_begins_again);
    tcase_add_test(upscaling, test_the_state_crosses_between_sites);
    suite_add_tcase(suite, steps);
    suite_add_tcase(suite, upscaling);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
