/*
 * Checkpoints in the long run: the best interval, found by simulation alone, is the exact one; and under
 * failures that age the goodput is what numerical integration gives.
 */
#include "models/failures/interval.h"
#include "tests/models/fixture.h"
#include <check.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>

#define MEAN 3600.0
#define WRITE 60.0
enum { INTERVALS = 7, REPLICATIONS = 6, STEP = 20 };

/* One chip that a spare replaces at once, steps of 20 s, and checkpoints that take a minute. */
static struct fixture job(struct sim_law_spec life, double restart)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    struct failure_config *failures = &fixture.config.failures;
    fixture.config.workload.step_time = STEP * SIM_SECOND;
    fixture.config.cluster.chips = fixture.config.cluster.chips_per_slice = 1;
    failures->enabled = true;
    failures->chip = life;
    failures->repair = fixture_law(SIM_LAW_CONSTANT, 1e-6);
    failures->restart_time = sim_time_from_seconds(restart);
    failures->during_restart = DURING_RESTART_RESTART;
    failures->noticed = NOTICED_AT_ONCE;
    fixture.config.checkpoints.write_time = sim_time_from_seconds(WRITE);
    return fixture;
}

/* Mean time to finish 200000 steps, over the same seeds whatever the interval. */
static double time_with(double interval)
{
    struct fixture fixture = job(fixture_law(SIM_LAW_EXPONENTIAL, MEAN), 0);
    fixture.config.checkpoints.interval = sim_time_from_seconds(interval);
    fixture.config.until.steps = 200000;
    fixture.config.duration = 365 * 86400 * SIM_SECOND;
    return fixture_mean_of(&fixture, METRIC_TIME_TO_FINISH, REPLICATIONS).mean;
}

/* Least squares of time = a + b/τ + cτ, which is least at √(b/c). */
static double best_of(const double *intervals, const double *times, size_t count)
{
    gsl_matrix *terms = gsl_matrix_alloc(count, 3), *covariance = gsl_matrix_alloc(3, 3);
    gsl_vector *wanted = gsl_vector_alloc(count), *coefficients = gsl_vector_alloc(3);
    gsl_multifit_linear_workspace *workspace = gsl_multifit_linear_alloc(count, 3);
    double squares;
    for (size_t i = 0; i < count; i++) {
        gsl_matrix_set(terms, i, 0, 1);
        gsl_matrix_set(terms, i, 1, 1 / intervals[i]);
        gsl_matrix_set(terms, i, 2, intervals[i]);
        gsl_vector_set(wanted, i, times[i]);
    }
    gsl_multifit_linear(terms, wanted, coefficients, covariance, &squares, workspace);
    double best = sqrt(gsl_vector_get(coefficients, 1) / gsl_vector_get(coefficients, 2));
    gsl_multifit_linear_free(workspace);
    gsl_vector_free(wanted);
    gsl_vector_free(coefficients);
    gsl_matrix_free(terms);
    gsl_matrix_free(covariance);
    return best;
}

START_TEST(test_the_best_interval_is_the_exact_one)
{
    static const double intervals[INTERVALS] = {360, 420, 500, 600, 720, 860, 1020};
    double times[INTERVALS], exact = interval_exact(MEAN, WRITE);
    for (size_t i = 0; i < INTERVALS; i++)
        times[i] = time_with(intervals[i]);
    double best = best_of(intervals, times, INTERVALS);
    ck_assert_msg(fabs(best / exact - 1) < 0.05, "%.1f s, not %.1f", best, exact);
    ck_assert(interval_cost(best, MEAN, WRITE, 0) < 1.001 * interval_cost(exact, MEAN, WRITE, 0));
}
END_TEST

static double survival(double time, void *law)
{
    return sim_distribution_survival(law, time);
}

/* A life that begins with a restart R sees as many segments x = τ + δ complete as fit into it: Σ S(R + kx) in
 * the mean, each of work τ; over the mean life ∫S. */
static double goodput_of(const struct sim_law_spec *life, double restart, double interval)
{
    struct sim_distribution *law = sim_distribution_create(life, NULL);
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(1000);
    gsl_function function = {survival, law};
    double mean, error, segments = 0, more = 1;
    gsl_integration_qagiu(&function, 0, 0, 1e-8, 1000, workspace, &mean, &error);
    for (int k = 1; more > 1e-12; k++)
        segments += more = sim_distribution_survival(law, restart + k * (interval + WRITE));
    gsl_integration_workspace_free(workspace);
    sim_distribution_destroy(law);
    return interval * segments / mean;
}

/* A life that ends in its restart sees nothing complete, and the next one begins with a restart, too. */
START_TEST(test_lives_that_age)
{
    static const double shapes[] = {0.5, 0.7, 1, 2}, restarts[] = {0, 120, 600}, intervals[] = {300, 1200};
    double restart = restarts[_i % 3], interval = intervals[_i / 3 % 2], shape = shapes[_i / 6];
    struct sim_law_spec life = fixture_shaped(SIM_LAW_WEIBULL, MEAN, shape);
    struct fixture fixture = job(life, restart);
    fixture.config.checkpoints.interval = sim_time_from_seconds(interval);
    fixture.config.workload.step_time = 5 * STEP * SIM_SECOND;
    fixture.config.duration = sim_time_from_seconds(2000 * MEAN);
    struct fixture_mean got = fixture_mean_of(&fixture, METRIC_GOODPUT, 10);
    fixture_assert_near(got, goodput_of(&life, restart, interval), 0);
    ck_assert(got.error < 0.005);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("optimum");
    TCase *tests = tcase_create("optimum");
    tcase_add_test(tests, test_the_best_interval_is_the_exact_one);
    tcase_add_loop_test(tests, test_lives_that_age, 0, 24);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
