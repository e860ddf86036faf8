/*
 * Whole runs against closed forms: of uptime by renewal, of checkpoints, of the slowest learner. Means are
 * held to five standard errors, and to the stated tolerance where the form leaves something out.
 */
#include "sim/tally.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

static const double day = 86400;

/* 1,200,000 chips in slices of 64, each failing once a year; a step of 5.5 s in which a chip fails counts,
 * state is kept, and what falls into a reconfiguration or restart is absorbed: as in arXiv 2604.21428 App.
 * E.1. */
static struct fixture large(int64_t kind, int64_t chips)
{
    struct fixture fixture = fixture_of(kind);
    fixture.config.duration = sim_time_from_seconds(0.25 * day);
    fixture.config.workload.step_time = 5500 * SIM_MILLISECOND;
    fixture.config.cluster.chips = chips;
    fixture.config.cluster.chips_per_slice = 64;
    fixture.config.failures = (struct failure_config){
        .enabled = true,
        .chip = fixture_law(SIM_LAW_EXPONENTIAL, 365 * day),
        .repair = fixture_shaped(SIM_LAW_EXPONENTIATED_WEIBULL, 300, 0.7),
        .downscale_time = 13 * SIM_SECOND,
        .upscale_time = 13 * SIM_SECOND,
        .restart_time = 84 * SIM_SECOND,
        .during_restart = DURING_RESTART_ABSORB,
        .failed_step = FAILED_STEP_COUNTS,
    };
    return fixture;
}

/* A step of S is followed by R with the chance P that it sees an event: s / (s + r·P). */
static double uptime_of(double step, double stop, double rate)
{
    return step / (step + stop * -expm1(-rate * step));
}

/* Every failure is followed by a return, so that there are two events for each. Those of the first repairs
 * are missing, and returns come in the steps that failures leave: half a point. */
static double elastic_uptime(double chips)
{
    return uptime_of(5.5, 13, 2 * chips / (365 * day));
}

static const int64_t sizes[] = {150000, 600000, 2400000};

START_TEST(test_plain_uptime)
{
    struct fixture fixture = large(STRATEGY_ALL_REDUCE, sizes[_i]);
    double wanted = uptime_of(5.5, 84, (double)sizes[_i] / (365 * day));
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_UPTIME, 20), wanted, 0.002);
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 20), wanted, 0.002);
}
END_TEST

START_TEST(test_elastic_uptime)
{
    struct fixture fixture = large(STRATEGY_ALL_REDUCE, sizes[_i]);
    fixture.options.learner.elastic = true;
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_UPTIME, 20), elastic_uptime((double)sizes[_i]),
                        0.005);
}
END_TEST

/* Goodput is below uptime by the slices that are missing: 64 chips for 300 s and what they wait to be taken
 * in, for each failure. */
START_TEST(test_elastic_goodput_is_a_little_below_uptime)
{
    struct fixture fixture = large(STRATEGY_ALL_REDUCE, 1200000);
    fixture.options.learner.elastic = true;
    struct run_result result = fixture_run(&fixture, 1, 0);
    double below = result.metrics[METRIC_UPTIME] - result.metrics[METRIC_GOODPUT];
    ck_assert_double_gt(below, 0.0002);
    ck_assert_double_lt(below, 0.002);
}
END_TEST

/* M learners, nearly independent: some learner is up for 1 − (1 − u)^M of the time. */
START_TEST(test_uptime_of_independent_learners)
{
    static const int64_t learners[] = {2, 4};
    struct fixture fixture = large(STRATEGY_DECOUPLED, 1200000);
    fixture.config.network.wan_bandwidth = 1e12;
    fixture.options.decoupled.learner.learners = learners[_i];
    fixture.options.decoupled.quorum = 1;
    fixture.options.decoupled.overlap = 2;
    double one = elastic_uptime(1200000.0 / (double)learners[_i]);
    double wanted = 1 - pow(1 - one, (double)learners[_i]);
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_UPTIME, 10), wanted, 0.005);
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 10), one, 0.01);
}
END_TEST

/* Checkpoints: E[T]/T_s = M·e^{R/M}·(e^{(τ+δ)/M} − 1)/τ (Daly 2006). A failure is noticed at the end of its
 * step, which adds half a step for each: 0.1 %. */
static double daly_efficiency(double between, double restart, double work, double write)
{
    return work / (between * exp(restart / between) * expm1((work + write) / between));
}

START_TEST(test_checkpoints)
{
    static const double settings[][2] = {{618, 0}, {300, 0}, {1200, 0}, {618, 200}, {618, 1800}};
    double work = settings[_i][0], restart = settings[_i][1];
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.duration = sim_time_from_seconds(10 * day);
    fixture.config.workload.step_time = 6 * SIM_SECOND;
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 256 * 3600);
    fixture.config.failures.repair = fixture_law(SIM_LAW_CONSTANT, 1e-3);
    fixture.config.failures.restart_time = sim_time_from_seconds(restart);
    fixture.config.failures.during_restart = DURING_RESTART_RESTART;
    fixture.config.checkpoints.interval = sim_time_from_seconds(work);
    fixture.config.checkpoints.write_time = 60 * SIM_SECOND;
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 20),
                        daly_efficiency(3600, restart, work, 60), 0.0015);
}
END_TEST

/* The waiting rule under Table 5's conditions: four learners 17 % faster than the other four, and an
 * independent factor of 10 % on every step. */
static struct fixture mixed_generations(void)
{
    static struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.65},
                                         {.share = 1, .chip = 3, .mfu = 0.38}};
    struct fixture fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.duration = 20000 * SIM_SECOND;
    fixture.config.workload.step_time = SIM_SECOND;
    fixture.config.stragglers.step = fixture_spread(SIM_LAW_NORMAL, 1, 0.1);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    fixture.config.network.wan_bandwidth = 1e15;
    fixture.options.decoupled = (struct decoupled_options){
        .learner = {.learners = 8, .elastic = true}, .inner_steps = 24, .fragments = 24, .quorum = 8};
    return fixture;
}

static const double fast_step = 459 * 0.65 / (918 * 0.38);

/* P(the slowest of four of either kind takes longer than X). */
static double slowest_survival(double x, void *unused)
{
    (void)unused;
    double slow = gsl_cdf_gaussian_P(x - 1, 0.1), fast = gsl_cdf_gaussian_P(x / fast_step - 1, 0.1);
    return 1 - pow(slow * fast, 4);
}

/* K = 8, τ = 0: everybody waits for the slowest of eight in every step. */
START_TEST(test_all_wait_for_the_slowest)
{
    struct fixture fixture = mixed_generations();
    gsl_function survival = {.function = slowest_survival};
    double slowest, error;
    size_t evaluations;
    gsl_integration_qng(&survival, 0.5, 2, 1e-9, 1e-9, &slowest, &error, &evaluations);
    double wanted = (1 + fast_step) / 2 / (0.5 + slowest);
    ck_assert_double_eq_tol(wanted, 0.837, 0.02);
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 5), wanted, 0);
}
END_TEST

/* Two steps of overlap level the jitter out, but not the lasting difference. */
START_TEST(test_overlap_levels_jitter_out)
{
    struct fixture fixture = mixed_generations();
    fixture.options.decoupled.overlap = 2;
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 5), 0.92, 0.02);
    fixture.options.decoupled.overlap = 20;
    double most = (1 + fast_step) / 2;
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 5), most, 0.01);
}
END_TEST

START_TEST(test_a_quorum_of_one_waits_for_nobody)
{
    struct fixture fixture = mixed_generations();
    fixture.options.decoupled.quorum = 1;
    fixture.options.decoupled.overlap = 2;
    fixture.options.decoupled.grace = _i * 0.5;
    fixture_assert_near(fixture_mean_of(&fixture, METRIC_GOODPUT, 3), 1, 0.005);
}
END_TEST

/* Slices fail and are replaced all the time; a step waits for the slowest of 256 chips that are slow for
 * good, whoever came and went. */
START_TEST(test_lasting_slow_chips)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    struct sim_law_spec *lasting = &fixture.config.stragglers.lasting;
    *lasting = fixture_spread(SIM_LAW_LOG_NORMAL, NAN, 0.1);
    lasting->median = 1;
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 256 * 100);
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    fixture.config.duration = 10000 * SIM_SECOND;
    struct sim_distribution *law = sim_distribution_create(lasting, NULL);
    ck_assert_ptr_nonnull(law);
    struct sim_tally *tally = sim_tally_create();
    for (uint32_t i = 0; i < 200; i++) {
        struct run_result result = fixture_run(&fixture, 1, i);
        sim_tally_add(tally, 1000 / result.metrics[METRIC_STEPS]);
    }
    struct fixture_mean step = {sim_tally_mean(tally), sim_tally_deviation(tally) / sqrt(200)};
    fixture_assert_near(step, sim_distribution_mean_maximum(law, 256), 0.002);
    sim_tally_destroy(tally);
    sim_distribution_destroy(law);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("closed forms");
    TCase *tests = tcase_create("closed forms");
    tcase_add_loop_test(tests, test_plain_uptime, 0, 3);
    tcase_add_loop_test(tests, test_elastic_uptime, 0, 3);
    tcase_add_test(tests, test_elastic_goodput_is_a_little_below_uptime);
    tcase_add_loop_test(tests, test_uptime_of_independent_learners, 0, 2);
    tcase_add_loop_test(tests, test_checkpoints, 0, 5);
    tcase_add_test(tests, test_lasting_slow_chips);
    tcase_add_test(tests, test_all_wait_for_the_slowest);
    tcase_add_test(tests, test_overlap_levels_jitter_out);
    tcase_add_loop_test(tests, test_a_quorum_of_one_waits_for_nobody, 0, 2);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
