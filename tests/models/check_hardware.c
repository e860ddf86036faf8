/*
 * Layouts against their formulas, and the slowest of many chips against order statistics.
 */
#include "models/hardware/cluster.h"
#include "models/hardware/pace.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

/* Layouts. */

static const struct parallel_links links = {
    .up_rate = 3.6e12, .up_latency = 2e-6, .out_rate = 4e11, .out_latency = 1e-5, .domain_chips = 8};

static const struct parallel_model model = {.parameters = 1e10,
                                            .active_parameters = 1e10,
                                            .experts_per_token = 2,
                                            .layers = 40,
                                            .width = 5000,
                                            .gradient_bits = 16,
                                            .activation_bits = 16};

static const struct parallel_config data_parallel = {
    .tensor = 1, .pipeline = 1, .expert = 1, .micro_batches = 1, .virtual_stages = 1, .overlap = 0};

static void assert_equal(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) <= 1e-12 * fabs(wanted), "%.15g is not %.15g", got, wanted);
}

START_TEST(an_all_reduce_meets_its_closed_form)
{
    double bits = 8e9;
    assert_equal(parallel_all_reduce(&links, bits, 1, 1), 0);
    assert_equal(parallel_all_reduce(&links, bits, 8, 1), 6 * 2e-6 + 2 * 7.0 / 8 * bits / 3.6e12);
    double inside = 6 * 2e-6 + 2 * 7.0 / 8 * bits / 3.6e12;
    assert_equal(parallel_all_reduce(&links, bits, 32, 1), inside + 4 * 1e-5 + 2 * 3.0 / 4 * bits / 8 / 4e11);
    assert_equal(parallel_all_reduce(&links, bits, 3, 8), 4 * 1e-5 + 2 * 2.0 / 3 * bits / 4e11);
    assert_equal(parallel_all_reduce(&links, bits, 4, 2), 4 * 2e-6 + 2 * 3.0 / 4 * bits / 3.6e12);
}
END_TEST

START_TEST(an_all_to_all_uses_both_networks_at_once)
{
    double bits = 8e9;
    assert_equal(parallel_all_to_all(&links, bits, 8, 1), 7 * 2e-6 + 7.0 / 8 * bits / 3.6e12);
    assert_equal(parallel_all_to_all(&links, bits, 16, 1), 8 * 1e-5 + 8.0 / 16 * bits / 4e11);
    assert_equal(parallel_all_to_all(&links, 0, 1, 1), 0);
}
END_TEST

/* 6 FLOP per parameter and token, and a reduction that the backward pass hides or not. */
START_TEST(a_data_parallel_step)
{
    struct parallel_config parallel = data_parallel;
    struct parallel_step step = parallel_step_of(&parallel, &model, &links, 4e6, 64, 4e14);
    double compute = 6 * 1e10 * 4e6 / (64 * 4e14), reduction = parallel_all_reduce(&links, 16e10, 64, 1);
    assert_equal(step.compute, compute);
    assert_equal(step.gradient, reduction);
    assert_equal(step.seconds, compute + reduction);
    parallel.overlap = 1;
    step = parallel_step_of(&parallel, &model, &links, 4e6, 64, 4e14);
    ck_assert_double_eq(step.gradient, 0);
    assert_equal(step.hidden, reduction);
    assert_equal(step.seconds, compute);
    step = parallel_step_of(&parallel, &model, &links, 4e3, 64, 4e14);
    assert_equal(step.gradient, reduction - compute / 1000 * 2 / 3);
}
END_TEST

/* The bubble is (p − 1)/m of the work, so (p − 1)/(m + p − 1) of the step, and interleaving divides it. */
START_TEST(a_pipeline_has_its_bubble)
{
    struct parallel_config parallel = data_parallel;
    struct parallel_model free = model;
    free.gradient_bits = free.activation_bits = 0;
    struct parallel_links instant = links;
    instant.up_latency = instant.out_latency = 0;
    parallel.pipeline = 8;
    parallel.micro_batches = 24;
    struct parallel_step step = parallel_step_of(&parallel, &free, &instant, 4e6, 64, 4e14);
    assert_equal(step.bubble / step.compute, 7.0 / 24);
    assert_equal(step.bubble / step.seconds, 7.0 / (24 + 8 - 1));
    parallel.virtual_stages = 2;
    step = parallel_step_of(&parallel, &free, &instant, 4e6, 64, 4e14);
    assert_equal(step.bubble / step.compute, 7.0 / 48);
    parallel.virtual_stages = 1;
    step = parallel_step_of(&parallel, &free, &links, 4e6, 64, 4e14);
    assert_equal(step.bubble, step.compute * 7 / 24 + 14 * links.up_latency);
}
END_TEST

/* Four all-reduces per layer and micro-batch of its tokens' activations. */
START_TEST(tensor_parallel_collectives)
{
    struct parallel_config parallel = data_parallel;
    parallel.tensor = 8;
    parallel.micro_batches = 2;
    struct parallel_step step = parallel_step_of(&parallel, &model, &links, 4e6, 64, 4e14);
    double tokens = 4e6 / 8 / 2, bits = tokens * 5000 * 16;
    assert_equal(step.tensor, 2 * 40 * 4 * parallel_all_reduce(&links, bits, 8, 1));
    ck_assert_double_eq(step.bubble, 0);
    assert_equal(step.gradient, parallel_all_reduce(&links, 16e10 / 8, 8, 8));
}
END_TEST

START_TEST(experts_are_reached_by_all_to_alls)
{
    struct parallel_config parallel = data_parallel;
    struct parallel_model sparse = model;
    parallel.expert = 16;
    sparse.active_parameters = 2e9;
    sparse.expert_parameters = 9e9;
    struct parallel_step step = parallel_step_of(&parallel, &sparse, &links, 4e6, 64, 4e14);
    double bits = 4e6 / 64 * 5000 * 16 * 2;
    assert_equal(step.compute, 6 * 2e9 * 4e6 / (64 * 4e14));
    assert_equal(step.expert, 40 * 4 * parallel_all_to_all(&links, bits, 16, 1));
    assert_equal(step.gradient, parallel_all_reduce(&links, 16e9, 64, 1) +
                                    parallel_all_reduce(&links, 16 * 9e9 / 16, 4, 16));
}
END_TEST

START_TEST(a_replica_takes_whole_slices)
{
    struct parallel_config parallel = data_parallel;
    ck_assert(!parallel_is_given(&parallel));
    ck_assert_int_eq(parallel_replica_slices(&parallel, 64), 1);
    parallel.tensor = 8;
    parallel.pipeline = 12;
    ck_assert(parallel_is_given(&parallel));
    ck_assert_int_eq(parallel_replica_chips(&parallel), 96);
    ck_assert_int_eq(parallel_replica_slices(&parallel, 64), 2);
    ck_assert_int_eq(parallel_replica_slices(&parallel, 96), 1);
    ck_assert_int_eq(parallel_replica_slices(&parallel, 8), 12);
}
END_TEST

/* Own chips. */

START_TEST(own_chips_come_after_and_replace)
{
    const struct chip blank = {.flops = NAN,
                               .memory = NAN,
                               .memory_rate = NAN,
                               .scale_up_rate = NAN,
                               .host_chips = PARAMETER_UNSET,
                               .domain_chips = PARAMETER_UNSET,
                               .busy_watts = NAN,
                               .idle_watts = NAN,
                               .price_per_hour = NAN};
    struct chip own[3] = {blank, blank, blank};
    struct chip_table table = {own, 3};
    const char *field;
    own[0].name = "first";
    own[0].flops = 1e15;
    own[0].host_chips = 8;
    own[1].name = "h100";
    own[1].price_per_hour = 2;
    own[2].name = "second";
    ck_assert_uint_eq(chip_count(table), chip_catalogue_count + 2);
    ck_assert_str_eq(chip_name(table, chip_catalogue_count), "first");
    ck_assert_str_eq(chip_name(table, chip_catalogue_count + 1), "second");
    ck_assert_int_eq(chip_find(table, chip_catalogue_count).domain_chips, 8);
    ck_assert_double_eq(chip_find(table, 7).flops, 989e12);
    ck_assert_double_eq(chip_find(table, 7).price_per_hour, 2);
    ck_assert(isnan(chip_find(table, 6).price_per_hour));
    ck_assert_uint_eq(chip_incomplete(table, &field), 2);
    own[2].flops = 1;
    ck_assert_uint_eq(chip_incomplete(table, &field), 3);
}
END_TEST

/* The slowest. */

static struct sim_distribution *law_of(struct sim_law_spec spec)
{
    struct sim_distribution *law = sim_distribution_create(&spec, NULL);
    ck_assert_ptr_nonnull(law);
    return law;
}

/* A log-normal with median 1. */
static struct sim_law_spec spread(double sigma)
{
    struct sim_law_spec spec = fixture_spread(SIM_LAW_LOG_NORMAL, NAN, sigma);
    spec.median = 1;
    return spec;
}

enum { SLOWEST_RUNS = 20000 };

struct moments {
    double mean, error;
};

static struct moments moments_of(double sum, double squares, int count)
{
    double mean = sum / count, variance = squares / count - mean * mean;
    return (struct moments){mean, sqrt(variance / count)};
}

static void assert_mean(struct moments got, double wanted)
{
    ck_assert_msg(fabs(got.mean - wanted) <= 5 * got.error + 1e-12, "%.6f ± %.6f is not %.6f", got.mean,
                  got.error, wanted);
}

/* However units came and went, the slowest of those that are there has the law of the largest of as many. */
static const struct {
    int64_t joined, left, joined_then, left_then;
} histories[] = {
    {1000000, 0, 0, 0}, {1000, 900, 0, 0}, {10, 5, 5, 5}, {100, 99, 7, 0}, {1000, 1000, 20, 19}, {3, 0, 5, 7},
};

START_TEST(the_slowest_has_its_law_whatever_came_before)
{
    struct sim_distribution *law = law_of(spread(0.1));
    int64_t units =
        histories[_i].joined - histories[_i].left + histories[_i].joined_then - histories[_i].left_then;
    double sum = 0, squares = 0;
    for (uint32_t run = 0; run < SLOWEST_RUNS; run++) {
        struct sim_stream stream;
        struct slowest slowest = slowest_none();
        sim_stream_open(&stream, 1, run, 0, (uint64_t)_i);
        slowest_join(&slowest, histories[_i].joined, &stream);
        slowest_leave(&slowest, histories[_i].left, &stream);
        slowest_join(&slowest, histories[_i].joined_then, &stream);
        slowest_leave(&slowest, histories[_i].left_then, &stream);
        ck_assert_int_eq(slowest.units, units);
        double factor = slowest_factor(&slowest, law);
        sum += factor;
        squares += factor * factor;
    }
    double wanted = sim_distribution_mean_maximum(law, (uint64_t)units);
    if (units == 1000000)
        ck_assert_double_eq_tol(wanted, 1.6268, 1e-4);
    assert_mean(moments_of(sum, squares, SLOWEST_RUNS), wanted);
    sim_distribution_destroy(law);
}
END_TEST

/* Paces. */

static struct straggler_config nobody_slow(void)
{
    return fixture_of(STRATEGY_DILOCO).config.stragglers;
}

/* Mean factor of the slowest over learners of CHIPS, at time 0, and the mean of its own mean. */
static struct moments pace_of(const struct straggler_config *config, int64_t chips, sim_time now, double *own)
{
    struct pace_laws laws;
    struct error error = {.kind = ERROR_NONE};
    double sum = 0, squares = 0;
    *own = 0;
    ck_assert_msg(pace_laws_create(&laws, config, &error), "%s", error.message);
    for (uint64_t i = 0; i < 4000; i++) {
        struct pace pace;
        struct sim_stream draws;
        double mean;
        pace_start(&pace, &laws, chips, 8, 1, 0, i);
        sim_stream_open(&draws, 1, 0, 0, i);
        double factor = pace_slowest(&pace, now, &draws, &mean);
        ck_assert_int_eq(pace.healthy.units + pace.lemons.units,
                         config->lemon_share > 0 || laws.lasting ? chips : 0);
        sum += factor;
        squares += factor * factor;
        *own += mean / 4000;
    }
    pace_laws_destroy(&laws);
    return moments_of(sum, squares, 4000);
}

START_TEST(nominal_chips_draw_nothing)
{
    struct straggler_config config = nobody_slow();
    double own;
    struct moments moments = pace_of(&config, 1000, 0, &own);
    ck_assert_double_eq(moments.mean, 1);
    ck_assert_double_eq_tol(own, 1, 1e-12);
}
END_TEST

START_TEST(lasting_chips_are_slow_from_the_beginning)
{
    struct straggler_config config = nobody_slow();
    config.lasting = spread(0.1);
    double own;
    struct moments moments = pace_of(&config, 512, 0, &own);
    struct sim_distribution *law = law_of(config.lasting);
    assert_mean(moments, sim_distribution_mean_maximum(law, 512));
    ck_assert_double_eq_tol(own, sim_distribution_mean(law), 1e-9);
    sim_distribution_destroy(law);
}
END_TEST

/* Some lemon is among h hosts with the chance 1 − (1 − s)^h. */
START_TEST(lemons_are_a_share_of_hosts)
{
    struct straggler_config config = nobody_slow();
    config.lemon_share = 0.005;
    config.lemon_factor = 1.1;
    double own;
    struct moments moments = pace_of(&config, 800, 0, &own);
    assert_mean(moments, 1 + 0.1 * (1 - pow(0.995, 100)));
    ck_assert_double_eq_tol(own, 1.0005, 2e-5);
}
END_TEST

/* Of lemons and others with a law for each chip and step, the slowest is the largest of both. */
START_TEST(lemons_and_jitter_together)
{
    struct straggler_config config = nobody_slow();
    config.lemon_share = 1;
    config.lemon_factor = 1.5;
    config.chip = spread(0.1);
    double own;
    struct moments moments = pace_of(&config, 512, 0, &own);
    struct sim_distribution *law = law_of(config.chip);
    assert_mean(moments, 1.5 * sim_distribution_mean_maximum(law, 512));
    ck_assert_double_eq_tol(own, 1.5 * sim_distribution_mean(law), 1e-9);
    sim_distribution_destroy(law);
}
END_TEST

/* Episodes of h hosts that last L and come every B are a queue with endless servers: some is there with the
 * chance 1 − exp(−h·L/B). */
START_TEST(episodes_come_and_go)
{
    struct straggler_config config = nobody_slow();
    config.fail_slow_between = 100000 * SIM_SECOND;
    config.fail_slow_factor = 1.2;
    config.fail_slow_duration = fixture_law(SIM_LAW_CONSTANT, 600);
    double own;
    struct moments moments = pace_of(&config, 800, 5000 * SIM_SECOND, &own);
    assert_mean(moments, 1 + 0.2 * (1 - exp(-100 * 600 / 1e5)));
    ck_assert_double_eq_tol(own, 1 + 0.2 * (1 - exp(-0.6)) * 8 / 800, 1e-4);
    ck_assert_double_eq_tol(pace_episodes(&config, 800, 8, 5000), 5, 1e-9);
}
END_TEST

START_TEST(chips_leave_and_join_and_are_all_accounted_for)
{
    struct straggler_config config = nobody_slow();
    struct pace_laws laws;
    struct pace pace;
    struct sim_stream stream;
    config.lasting = spread(0.2);
    config.lemon_share = 0.3;
    config.lemon_factor = 2;
    ck_assert(pace_laws_create(&laws, &config, NULL));
    pace_start(&pace, &laws, 1003, 8, 1, 0, 0);
    sim_stream_open(&stream, 1, 0, 0, 0);
    int64_t chips = 1003;
    for (int i = 0; i < 20000; i++) {
        int64_t moved = (int64_t)sim_stream_below(&stream, 200);
        if (sim_stream_below(&stream, 2) && chips + moved <= 1003) {
            pace_join(&pace, moved);
            chips += moved;
        } else if (moved <= chips) {
            pace_leave(&pace, moved);
            chips -= moved;
        }
        int64_t lemons = pace.lemon_hosts * 8 < chips ? pace.lemon_hosts * 8 : chips;
        ck_assert_int_eq(pace.chips, chips);
        ck_assert_int_eq(pace.lemons.units, lemons);
        ck_assert_int_eq(pace.healthy.units, chips - lemons);
        ck_assert(pace.lemon_hosts >= 0 && pace.lemon_hosts <= (chips + 7) / 8);
        double mean, slowest = chips ? pace_slowest(&pace, 0, &stream, &mean) : 1;
        ck_assert(slowest > 0 && isfinite(slowest));
    }
    pace_laws_destroy(&laws);
}
END_TEST

START_TEST(a_day_drifts_there_and_back)
{
    struct straggler_config config = nobody_slow();
    ck_assert_double_eq(straggler_drift(&config, 12345), 1);
    config.drift_amplitude = 0.02;
    ck_assert_double_eq(straggler_drift(&config, 0), 1);
    ck_assert_double_eq_tol(straggler_drift(&config, 43200 * SIM_SECOND), 1.02, 1e-12);
    ck_assert_double_eq_tol(straggler_drift(&config, 6 * 86400 * SIM_SECOND + 21600 * SIM_SECOND), 1.01,
                            1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hardware");
    TCase *layouts = tcase_create("layouts"), *slow = tcase_create("slow");
    tcase_add_test(layouts, an_all_reduce_meets_its_closed_form);
    tcase_add_test(layouts, an_all_to_all_uses_both_networks_at_once);
    tcase_add_test(layouts, a_data_parallel_step);
    tcase_add_test(layouts, a_pipeline_has_its_bubble);
    tcase_add_test(layouts, tensor_parallel_collectives);
    tcase_add_test(layouts, experts_are_reached_by_all_to_alls);
    tcase_add_test(layouts, a_replica_takes_whole_slices);
    tcase_add_test(layouts, own_chips_come_after_and_replace);
    tcase_add_loop_test(slow, the_slowest_has_its_law_whatever_came_before, 0,
                        sizeof histories / sizeof *histories);
    tcase_add_test(slow, nominal_chips_draw_nothing);
    tcase_add_test(slow, lasting_chips_are_slow_from_the_beginning);
    tcase_add_test(slow, lemons_are_a_share_of_hosts);
    tcase_add_test(slow, lemons_and_jitter_together);
    tcase_add_test(slow, episodes_come_and_go);
    tcase_add_test(slow, chips_leave_and_join_and_are_all_accounted_for);
    tcase_add_test(slow, a_day_drifts_there_and_back);
    suite_add_tcase(suite, layouts);
    suite_add_tcase(suite, slow);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
