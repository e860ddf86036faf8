/*
 * Fitted laws against sums done by hand, against what samples were drawn from (with lives cut off, too), and
 * against any other parameters: nothing near is likelier.
 */
#include "sim/fit.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { LIVES = 20000, SAMPLES = 200, SMALL = 400 };

static const enum sim_law laws[] = {SIM_LAW_EXPONENTIAL, SIM_LAW_WEIBULL, SIM_LAW_LOG_NORMAL};

static struct sim_distribution *make(enum sim_law law, double mean, double shape)
{
    struct sim_law_spec spec = {.law = law,
                                .mean = mean,
                                .median = NAN,
                                .low = NAN,
                                .high = NAN,
                                .deviation = NAN,
                                .shape = law == SIM_LAW_WEIBULL ? shape : NAN,
                                .power = NAN,
                                .sigma = law == SIM_LAW_LOG_NORMAL ? shape : NAN};
    struct error error = {.kind = ERROR_NONE};
    struct sim_distribution *distribution = sim_distribution_create(&spec, &error);
    ck_assert_msg(distribution != NULL, "%s", error.message);
    return distribution;
}

/* COUNT lives of LAW, of which each was watched for a time that is uniform up to WATCHED. */
static struct sim_life *draw(const struct sim_distribution *law, size_t count, double watched, uint64_t seed)
{
    struct sim_life *lives = malloc(count * sizeof *lives);
    struct sim_stream stream;
    sim_stream_open(&stream, seed, 0, 0, 0);
    for (size_t i = 0; i < count; i++) {
        double length = sim_distribution_sample(law, &stream);
        double seen = isinf(watched) ? INFINITY : watched * sim_stream_uniform(&stream);
        lives[i] = (struct sim_life){fmin(length, seen), length <= seen};
    }
    return lives;
}

static double log_density(const struct sim_distribution *law, double x)
{
    double h = 1e-4 * x;
    return log((sim_distribution_survival(law, x - h) - sim_distribution_survival(law, x + h)) / (2 * h));
}

static double log_likelihood(const struct sim_distribution *law, const struct sim_life *lives, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lives[i].ended ? log_density(law, lives[i].length)
                              : log(sim_distribution_survival(law, lives[i].length));
    return sum;
}

START_TEST(an_exponential_law_is_total_time_over_deaths)
{
    struct sim_life lives[] = {{4, true}, {1, true}, {3, false}, {2, true}};
    struct sim_fit fit;
    ck_assert(sim_fit(SIM_LAW_EXPONENTIAL, lives, 4, &fit, NULL));
    ck_assert_double_eq_tol(fit.mean.value, 10.0 / 3, 1e-12);
    ck_assert_double_eq_tol(fit.median, 10.0 / 3 * M_LN2, 1e-12);
    ck_assert_double_eq_tol(fit.log_likelihood, -3 * log(10.0 / 3) - 3, 1e-12);
    ck_assert_double_eq_tol(fit.aic, 2 + 6 * log(10.0 / 3) + 6, 1e-12);
    ck_assert_double_eq_tol(fit.mean.high / fit.mean.value, exp(1.959964 / sqrt(3)), 1e-4);
    ck_assert_double_nan(fit.shape.value);
    /* Kaplan and Meier: 3/4 after 1, 1/2 after 2, 0 after 4. The furthest from it is the law at 4, before. */
    ck_assert_double_eq_tol(fit.distance, exp(-1.2), 1e-12);
}
END_TEST

START_TEST(a_log_normal_law_without_cuts_is_moments_of_logarithms)
{
    struct sim_life lives[] = {{exp(1), true}, {exp(4), true}, {exp(1), true}};
    struct sim_fit fit;
    ck_assert(sim_fit(SIM_LAW_LOG_NORMAL, lives, 3, &fit, NULL));
    ck_assert_double_eq_tol(log(fit.median), 2, 1e-12);
    ck_assert_double_eq_tol(fit.shape.value, M_SQRT2, 1e-12);
    ck_assert_double_eq_tol(log(fit.mean.value), 3, 1e-12);
    /* The information of ln sigma is 2n. */
    ck_assert_double_eq_tol(log(fit.shape.high / fit.shape.value), 1.959964 / sqrt(6), 1e-4);
}
END_TEST

/* Five standard errors, which are the interval's half over 1.96. */
static void check_near(const struct sim_fit_value *fit, double planted)
{
    double error = log(fit->high / fit->low) / (2 * 1.96);
    ck_assert_double_lt(fabs(log(fit->value / planted)), SIGMAS * error);
    ck_assert_double_lt(error, 0.06);
}

START_TEST(what_was_planted_comes_back)
{
    static const double watched[] = {INFINITY, 3e5};
    for (int i = 0; i < 2; i++)
        for (int law = 0; law < 3; law++)
            for (double shape = 0.5; shape < 3; shape *= 2) {
                struct sim_distribution *planted = make(laws[law], 1e5, shape);
                struct sim_life *lives = draw(planted, LIVES, watched[i], 7);
                struct sim_fit fit;
                ck_assert(sim_fit(laws[law], lives, LIVES, &fit, NULL));
                check_near(&fit.mean, 1e5);
                if (law > 0)
                    check_near(&fit.shape, shape);
                ck_assert_double_lt(sqrt(LIVES) * fit.distance, KS_LIMIT * (i ? 2 : 1));
                free(lives);
                sim_distribution_destroy(planted);
            }
}
END_TEST

START_TEST(nothing_near_is_likelier)
{
    for (int law = 0; law < 3; law++) {
        struct sim_distribution *planted = make(laws[law], 50, 0.8);
        struct sim_life *lives = draw(planted, 1000, 100, 3);
        struct sim_fit fit;
        ck_assert(sim_fit(laws[law], lives, 1000, &fit, NULL));
        for (int mean = -1; mean <= 1; mean++)
            for (int shape = -1; shape <= 1; shape++) {
                struct sim_distribution *other =
                    make(laws[law], fit.mean.value * (1 + 0.02 * mean), fit.shape.value * (1 + 0.02 * shape));
                double likelihood = log_likelihood(other, lives, 1000);
                if (mean == 0 && shape == 0)
                    ck_assert_double_eq_tol(likelihood, fit.log_likelihood, 1e-2);
                else if (mean != 0 || law > 0)
                    ck_assert_double_lt(likelihood, fit.log_likelihood);
                sim_distribution_destroy(other);
            }
        free(lives);
        sim_distribution_destroy(planted);
    }
}
END_TEST

/* Of 200 intervals about 190 hold what was planted; 15.4 is five standard deviations of that count. */
START_TEST(intervals_hold_in_95_of_100_cases)
{
    for (int law = 0; law < 3; law++) {
        struct sim_distribution *planted = make(laws[law], 50, 0.7);
        int means = 0, shapes = 0;
        for (uint64_t seed = 0; seed < SAMPLES; seed++) {
            struct sim_life *lives = draw(planted, SMALL, 200, seed);
            struct sim_fit fit;
            ck_assert(sim_fit(laws[law], lives, SMALL, &fit, NULL));
            means += fit.mean.low <= 50 && fit.mean.high >= 50;
            shapes += law == 0 || (fit.shape.low <= 0.7 && fit.shape.high >= 0.7);
            free(lives);
        }
        ck_assert_int_ge(means, 174);
        ck_assert_int_ge(shapes, 174);
        ck_assert(means < SAMPLES && (law == 0 || shapes < SAMPLES));
        sim_distribution_destroy(planted);
    }
}
END_TEST

START_TEST(the_law_of_the_sample_is_the_likeliest)
{
    for (int planted = 0; planted < 3; planted++) {
        struct sim_distribution *law = make(laws[planted], 50, planted == 1 ? 0.6 : 1.4);
        struct sim_life *lives = draw(law, LIVES, 200, 11);
        double aic[3], distance[3];
        for (int i = 0; i < 3; i++) {
            struct sim_fit fit;
            ck_assert(sim_fit(laws[i], lives, LIVES, &fit, NULL));
            aic[i] = fit.aic;
            distance[i] = fit.distance;
        }
        for (int i = 0; i < 3; i++) {
            /* Weibull holds the exponential law, and may gain a little by its shape. */
            ck_assert_double_le(aic[planted], aic[i] + (planted == 0 && i == 1 ? 25 : 0));
            ck_assert_double_le(distance[planted], distance[i] + (planted == 0 && i == 1 ? 0.01 : 0));
        }
        free(lives);
        sim_distribution_destroy(law);
    }
}
END_TEST

/* Seconds or years: the shape and the differences of likelihoods don't ask. */
START_TEST(units_do_not_matter)
{
    for (int law = 0; law < 3; law++) {
        struct sim_distribution *planted = make(laws[law], 1, 0.6);
        struct sim_life *lives = draw(planted, 500, 3, 5), *scaled = draw(planted, 500, 3, 5);
        struct sim_fit fit, other;
        for (int i = 0; i < 500; i++)
            scaled[i].length *= 1e150;
        ck_assert(sim_fit(laws[law], lives, 500, &fit, NULL));
        ck_assert(sim_fit(laws[law], scaled, 500, &other, NULL));
        ck_assert_double_eq_tol(other.mean.value / fit.mean.value / 1e150, 1, 1e-9);
        ck_assert_double_eq_tol(other.distance, fit.distance, 1e-9);
        if (law > 0)
            ck_assert_double_eq_tol(other.shape.value, fit.shape.value, 1e-9);
        free(lives);
        free(scaled);
        sim_distribution_destroy(planted);
    }
}
END_TEST

static void check_refused(struct sim_life *lives, size_t count)
{
    for (int law = 0; law < 3; law++) {
        struct error error = {.kind = ERROR_NONE};
        struct sim_fit fit;
        ck_assert(!sim_fit(laws[law], lives, count, &fit, &error));
        ck_assert_int_eq(error.kind, ERROR_INPUT);
    }
}

START_TEST(too_little_is_refused)
{
    struct sim_life one[] = {{3, true}, {5, false}}, same[] = {{3, true}, {3, true}, {9, false}};
    struct sim_life none[] = {{3, false}, {4, false}};
    check_refused(one, 0);
    check_refused(one, 2);
    check_refused(same, 3);
    check_refused(none, 2);
}
END_TEST

/* A Weibull law would be of a shape beyond 1000. */
START_TEST(a_law_beyond_its_bounds_is_refused)
{
    struct sim_life lives[] = {{1, true}, {1 + 1e-9, true}};
    struct error error = {.kind = ERROR_NONE};
    struct sim_fit fit;
    ck_assert(!sim_fit(SIM_LAW_WEIBULL, lives, 2, &fit, &error));
    ck_assert(sim_fit(SIM_LAW_LOG_NORMAL, lives, 2, &fit, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit");
    TCase *tests = tcase_create("fit");
    tcase_add_test(tests, an_exponential_law_is_total_time_over_deaths);
    tcase_add_test(tests, a_log_normal_law_without_cuts_is_moments_of_logarithms);
    tcase_add_test(tests, what_was_planted_comes_back);
    tcase_add_test(tests, nothing_near_is_likelier);
    tcase_add_test(tests, intervals_hold_in_95_of_100_cases);
    tcase_add_test(tests, the_law_of_the_sample_is_the_likeliest);
    tcase_add_test(tests, units_do_not_matter);
    tcase_add_test(tests, too_little_is_refused);
    tcase_add_test(tests, a_law_beyond_its_bounds_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
