#include "models/training/layout.h"
#include "sim/stream.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static struct layout layout_with(int64_t chips, int64_t chips_per_slice, int64_t learners)
{
    struct cluster_config cluster = {.chips = chips, .chips_per_slice = chips_per_slice};
    return layout_of(&cluster, learners);
}

static void assert_partition(const struct layout *layout)
{
    int64_t chips = 0, fewest = layout->slices / layout->learners;
    ck_assert_int_eq(layout_first_slice(layout, 0), 0);
    ck_assert_int_eq(layout_first_slice(layout, layout->learners), layout->slices);
    for (int64_t learner = 0; learner < layout->learners; learner++) {
        int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
        int64_t own = 0;
        ck_assert(next - first == fewest || next - first == fewest + 1);
        for (int64_t slice = first; slice < next; slice++) {
            ck_assert_int_eq(layout_learner_of(layout, slice), learner);
            own += layout_slice_chips(layout, slice);
        }
        ck_assert_int_eq(layout_learner_chips(layout, learner), own);
        chips += own;
    }
    ck_assert_int_eq(chips, layout->chips);
}

START_TEST(test_chips_are_partitioned)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        int64_t chips = 1 + (int64_t)sim_stream_below(&stream, 3000);
        int64_t per_slice = 1 + (int64_t)sim_stream_below(&stream, (uint64_t)chips + 10);
        int64_t slices = (chips + per_slice - 1) / per_slice;
        int64_t learners = 1 + (int64_t)sim_stream_below(&stream, (uint64_t)slices);
        struct layout layout = layout_with(chips, per_slice, i % 10 ? learners : slices);
        ck_assert_int_eq(layout.slices, slices);
        for (int64_t slice = 0; slice < slices - 1; slice++)
            ck_assert_int_eq(layout_slice_chips(&layout, slice), per_slice);
        int64_t last = layout_slice_chips(&layout, slices - 1);
        ck_assert(last >= 1 && last <= per_slice);
        assert_partition(&layout);
    }
}
END_TEST

/* Products of slices and learners are beyond 64 bits. */
START_TEST(test_large_numbers)
{
    struct layout layout = layout_with(4000000000123, 1000, 999983);
    ck_assert_int_eq(layout.slices, 4000000001);
    for (int64_t slice = 0; slice < layout.slices; slice += 1000003) {
        int64_t learner = layout_learner_of(&layout, slice);
        ck_assert_int_le(layout_first_slice(&layout, learner), slice);
        ck_assert_int_gt(layout_first_slice(&layout, learner + 1), slice);
    }
    ck_assert_int_eq(layout_learner_of(&layout, layout.slices - 1), layout.learners - 1);
    layout = layout_with(INT64_C(1000000000000), INT64_C(1000000000000), 1);
    ck_assert_int_eq(layout_learner_chips(&layout, 0), INT64_C(1000000000000));
}
END_TEST

/* Steps. */

static struct layout_step step_of(const struct fixture *fixture, int64_t learners, int64_t learner)
{
    struct layout layout = layout_of(&fixture->config.cluster, learners);
    return layout_nominal_step(&fixture->config, &layout, learner);
}

static void assert_step(struct layout_step step, double seconds, double useful_share)
{
    ck_assert_double_eq_tol(step.seconds, seconds, 1e-12 * seconds);
    ck_assert_double_eq_tol(step.useful_share, useful_share, 1e-12);
}

START_TEST(test_a_given_step_time)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    for (int64_t i = 0; i < 4; i++)
        assert_step(step_of(&fixture, 4, i), 10, 1);
}
END_TEST

/* 6 · 5e9 · 4,194,304 FLOP on 1,024 chips of 459 TFLOP/s at 40 %. */
START_TEST(test_step_time_from_mfu)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.workload.step_time = PARAMETER_UNSET;
    fixture.config.workload.parameters = 5e9;
    fixture.config.workload.tokens_per_step = 4194304;
    fixture.config.cluster.chips = 1024;
    double seconds = 6 * 5e9 * 4194304 / (1024 * 459e12 * 0.4);
    assert_step(step_of(&fixture, 4, 0), seconds, 1);
    assert_step(step_of(&fixture, 4, 3), seconds, 1);
    struct chip_group groups[] = {{.share = 1, .chip = 3, .mfu = NAN}, {.share = 1, .chip = 2, .mfu = 0.8}};
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    assert_step(step_of(&fixture, 4, 0), seconds / 2, 1);
    assert_step(step_of(&fixture, 4, 3), seconds / 2, 1);
}
END_TEST

/* Half v5p at 0.65 and half v6e at 0.38 of their peaks: v6e is faster by 17 %, published as 18. */
START_TEST(test_mixed_generations)
{
    struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.65}, {.share = 1, .chip = 3, .mfu = 0.38}};
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    double ratio = 918 * 0.38 / (459 * 0.65);
    ck_assert_double_eq_tol(ratio, 1.18, 0.015);
    for (int64_t i = 0; i < 8; i++)
        assert_step(step_of(&fixture, 8, i), i < 4 ? 10 : 10 / ratio, 1);
}
END_TEST

/* 16 slices: five slow, eleven twice as fast. Learner 1 of three has slices 5 … 9; of two, learner 0 has five
 * slow ones and three that wait half the time. */
START_TEST(test_groups_within_a_learner)
{
    struct chip_group groups[] = {{.share = 5, .chip = 2, .mfu = 0.2},
                                  {.share = 3, .chip = 2, .mfu = 0.4},
                                  {.share = 8, .chip = 2, .mfu = NAN}};
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.groups = (struct parameter_items){groups, 3};
    assert_step(step_of(&fixture, 3, 0), 10, 1);
    assert_step(step_of(&fixture, 3, 1), 5, 1);
    assert_step(step_of(&fixture, 2, 0), 10, (5 + 3 * 0.5) / 8);
    assert_step(step_of(&fixture, 2, 1), 5, 1);
    assert_step(step_of(&fixture, 1, 0), 10, (5 + 11 * 0.5) / 16);
}
END_TEST

/* Of 16 slices the last eleven are twice as fast: in proportion to speed, 16 even shares take 10 · 16/27 s.
 */
START_TEST(test_batches_in_proportion_to_speed)
{
    struct chip_group groups[] = {{.share = 5, .chip = 2, .mfu = 0.2}, {.share = 11, .chip = 2, .mfu = 0.4}};
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    fixture.config.cluster.batch = BATCH_PROPORTIONAL;
    double seconds = 10 * 16 / 27.0, tokens = 0;
    for (int64_t i = 0; i < 4; i++) {
        assert_step(step_of(&fixture, 4, i), seconds, 1);
        tokens += step_of(&fixture, 4, i).token_factor / 4;
    }
    ck_assert_double_eq_tol(tokens, 1, 1e-12);
    ck_assert_double_eq_tol(step_of(&fixture, 4, 0).token_factor, 16 / 27.0, 1e-12);
    ck_assert_double_eq_tol(step_of(&fixture, 4, 1).token_factor, 1.75 * 16 / 27.0, 1e-12);
    ck_assert_double_eq_tol(step_of(&fixture, 4, 3).token_factor, 2 * 16 / 27.0, 1e-12);
}
END_TEST

/* A layout's parts come on top of computing, with the tokens and chips of the learner. */
START_TEST(test_step_time_from_a_layout)
{
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    struct workload_config *workload = &fixture.config.workload;
    struct cluster_config *cluster = &fixture.config.cluster;
    workload->step_time = PARAMETER_UNSET;
    workload->parameters = 1e9;
    workload->layers = 24;
    workload->width = 2048;
    workload->bits_per_activation = 16;
    cluster->parallel.tensor = 4;
    cluster->parallel.pipeline = 2;
    cluster->parallel.micro_batches = 8;
    struct layout layout = layout_of(cluster, 4);
    struct parallel_step step = layout_parallel_step(&fixture.config, &layout, 1, 0);
    ck_assert_double_eq_tol(step.compute, 6e9 * 1e6 / 256 / (459e12 * 0.4), 1e-12);
    ck_assert_double_gt(step.tensor, 0);
    ck_assert_double_ge(step.bubble, (step.compute + step.tensor) / 8);
    assert_step(step_of(&fixture, 4, 1), step.compute + step.tensor + step.bubble + step.gradient, 1);
    workload->step_time = 10 * SIM_SECOND;
    assert_step(step_of(&fixture, 4, 1), 10, 1);
}
END_TEST

/* A group too small for a slice has none, and no slice is left without a group. */
START_TEST(test_tiny_groups)
{
    struct chip_group groups[] = {{.share = 1e-6, .chip = 2, .mfu = 0.1},
                                  {.share = 1, .chip = 2, .mfu = 0.4},
                                  {.share = 1e-6, .chip = 2, .mfu = 0.2}};
    struct fixture fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.groups = (struct parameter_items){groups, 3};
    for (int64_t i = 0; i < 16; i++)
        assert_step(step_of(&fixture, 16, i), 2.5, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *tests = tcase_create("layout");
    tcase_add_test(tests, test_chips_are_partitioned);
    tcase_add_test(tests, test_large_numbers);
    tcase_add_test(tests, test_a_given_step_time);
    tcase_add_test(tests, test_step_time_from_mfu);
    tcase_add_test(tests, test_mixed_generations);
    tcase_add_test(tests, test_groups_within_a_learner);
    tcase_add_test(tests, test_batches_in_proportion_to_speed);
    tcase_add_test(tests, test_step_time_from_a_layout);
    tcase_add_test(tests, test_tiny_groups);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
