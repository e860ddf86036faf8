/*
 * Laws: each sampler against its own survival function, that against closed forms and quadrature,
 * maxima and residual lives against brute force and published figures, and every way to misstate a law.
 *
 * GSL's error handler stays the default one, which aborts: a law that ever reaches it fails the test.
 */
#include "sim/distribution.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 200000 };

static double sample[SAMPLE];

static const double observed[] = {7, 1, 3, 3, 12, 0, 4.5};
enum { OBSERVED = sizeof observed / sizeof observed[0] };

/* A specification with nothing given but what the macro's arguments name. */
#define LAW(kind, ...)                                                                                       \
    {                                                                                                        \
        .law = SIM_LAW_##kind, .mean = NAN, .median = NAN, .low = NAN, .high = NAN, .deviation = NAN,        \
        .shape = NAN, .power = NAN, .sigma = NAN, __VA_ARGS__                                                \
    }

#pragma GCC diagnostic ignored "-Woverride-init"

static const struct sim_law_spec laws[] = {
    LAW(CONSTANT, .mean = 5),
    LAW(UNIFORM, .low = 0, .high = 3),
    LAW(UNIFORM, .low = 10, .high = 11),
    LAW(EXPONENTIAL, .mean = 365 * 86400.0),
    LAW(WEIBULL, .mean = 100, .shape = 0.5),
    LAW(WEIBULL, .mean = 100, .shape = 0.8),
    LAW(WEIBULL, .median = 3, .shape = 3),
    LAW(EXPONENTIATED_WEIBULL, .mean = 2, .shape = 0.6, .power = 4),
    LAW(EXPONENTIATED_WEIBULL, .median = 2, .shape = 2, .power = 0.3),
    LAW(EXPONENTIATED_WEIBULL, .median = 1, .shape = 1, .power = 1),
    LAW(NORMAL, .mean = 10, .deviation = 1),
    LAW(NORMAL, .mean = 1, .deviation = 1),
    LAW(NORMAL, .mean = 0.1, .deviation = 2),
    LAW(LOG_NORMAL, .median = 1, .sigma = 0.1),
    LAW(LOG_NORMAL, .mean = 4, .sigma = 1),
    LAW(GAMMA, .mean = 6, .shape = 0.1),
    LAW(GAMMA, .mean = 6, .shape = 2.5),
    LAW(GAMMA, .mean = 6, .shape = 400),
    LAW(EMPIRICAL, .values = {observed, OBSERVED}),
    LAW(EMPIRICAL, .mean = 2, .values = {observed, OBSERVED}),
};
enum { LAWS = sizeof laws / sizeof laws[0] };

static bool is_continuous(const struct sim_law_spec *spec)
{
    return spec->law != SIM_LAW_CONSTANT && spec->law != SIM_LAW_EMPIRICAL;
}

static struct sim_distribution *make(const struct sim_law_spec *spec)
{
    struct error error = {0};
    struct sim_distribution *distribution = sim_distribution_create(spec, &error);
    ck_assert_msg(distribution != NULL, "%s", error.message);
    return distribution;
}

static struct sim_stream stream_of(uint64_t seed)
{
    struct sim_stream stream;
    sim_stream_open(&stream, seed, 0, 0, 0);
    return stream;
}

static double survival(const void *law, double x)
{
    return sim_distribution_survival(law, x);
}

START_TEST(samples_follow_the_survival_function)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    struct sim_stream stream = stream_of(1);
    for (int i = 0; i < SAMPLE; i++)
        sample[i] = sim_distribution_sample(distribution, &stream);
    double mean = sim_distribution_mean(distribution), deviation = sim_distribution_deviation(distribution);
    if (deviation > 0)
        ck_assert_double_lt(fabs(mean_error(sample, SAMPLE, mean, deviation)), SIGMAS);
    ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE, survival, distribution), KS_LIMIT);
    sim_distribution_destroy(distribution);
}
END_TEST

/* The integral of POWER · x^(POWER−1) · (1 − (1 − Q(x))^n). */
struct moment {
    const struct sim_distribution *distribution;
    double n;
    int power;
};

static double moment_density(double x, void *argument)
{
    const struct moment *moment = argument;
    double above = sim_distribution_survival(moment->distribution, x);
    double tail = above >= 1 ? 1 : -expm1(moment->n * log1p(-above));
    return moment->power * pow(x, moment->power - 1) * tail;
}

/* By GSL's adaptive rules, in pieces between quantiles; a road of its own beside the library's. */
static double integrate_moment(const struct sim_distribution *distribution, double n, int power)
{
    struct moment moment = {distribution, n, power};
    gsl_function function = {moment_density, &moment};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(1000);
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* roundoff is reported as an error */
    double from = 0, sum = 0;
    for (int decade = 0; decade <= 280; decade += decade < 20 ? 1 : 20) {
        double to = sim_distribution_upper_quantile(distribution, 0.9 * pow(10, -decade)), piece, error;
        gsl_integration_qag(&function, from, to, 0, 1e-12, 1000, GSL_INTEG_GAUSS31, workspace, &piece,
                            &error);
        sum += piece;
        from = to;
    }
    gsl_set_error_handler(handler);
    gsl_integration_workspace_free(workspace);
    return sum;
}

START_TEST(moments_are_those_of_the_survival_function)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    double mean = sim_distribution_mean(distribution), deviation = sim_distribution_deviation(distribution);
    if (is_continuous(&laws[_i])) {
        double square = integrate_moment(distribution, 1, 2);
        ck_assert_double_eq_tol(integrate_moment(distribution, 1, 1) / mean, 1, 1e-10);
        ck_assert_double_eq_tol((square - mean * mean) / (deviation * deviation), 1, 1e-7);
    }
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(upper_quantiles_invert_the_survival_function)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    double previous = INFINITY;
    for (double q = 1e-279; q < 0.5 && is_continuous(&laws[_i]); q *= 1.7) {
        double x = sim_distribution_upper_quantile(distribution, q);
        ck_assert_double_le(x, previous);
        /* a bounded law's survival cannot be finer than the spacing of x below its bound */
        double spacing = (nextafter(x, INFINITY) - x) / sim_distribution_deviation(distribution);
        ck_assert_double_eq_tol(sim_distribution_survival(distribution, x), q,
                                1e-12 * q + (laws[_i].law == SIM_LAW_UNIFORM ? spacing : 0));
        previous = x;
    }
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(quantiles_invert_the_distribution_function)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    double at_zero = 1 - sim_distribution_survival(distribution, 0); /* mass of a law cut at 0 */
    for (double p = 1e-6; p < 1 && is_continuous(&laws[_i]); p += 0.003) {
        double x = sim_distribution_quantile(distribution, p);
        if (p <= at_zero) {
            ck_assert_double_eq(x, 0);
            continue;
        }
        ck_assert_double_eq_tol(1 - sim_distribution_survival(distribution, x), p, 1e-11);
        ck_assert_double_eq_tol(x, sim_distribution_upper_quantile(distribution, 1 - p), 1e-8 * x);
    }
    sim_distribution_destroy(distribution);
}
END_TEST

/* Where p is so small that 1 − p is 1, the quantile is known in closed form. */
START_TEST(lower_tails_keep_their_digits)
{
    struct sim_distribution *weibull = make(&(struct sim_law_spec)LAW(WEIBULL, .median = 1, .shape = 2));
    struct sim_distribution *exponentiated =
        make(&(struct sim_law_spec)LAW(EXPONENTIATED_WEIBULL, .median = 1, .shape = 2, .power = 3));
    struct sim_distribution *log_normal =
        make(&(struct sim_law_spec)LAW(LOG_NORMAL, .median = 2, .sigma = 0.5));
    struct sim_distribution *gamma = make(&(struct sim_law_spec)LAW(GAMMA, .mean = 3, .shape = 3));
    double weibull_scale = 1 / sqrt(M_LN2), exponentiated_scale = 1 / sqrt(-log(1 - cbrt(0.5)));
    for (double p = 1e-290; p < 1e-60; p *= 1e10) {
        ck_assert_double_eq_tol(sim_distribution_quantile(weibull, p) / (weibull_scale * sqrt(p)), 1, 1e-14);
        ck_assert_double_eq_tol(
            sim_distribution_quantile(exponentiated, p) / (exponentiated_scale * pow(p, 1.0 / 6)), 1, 1e-12);
        ck_assert_double_eq_tol(
            sim_distribution_quantile(log_normal, p) / (2 * exp(0.5 * gsl_cdf_ugaussian_Pinv(p))), 1, 1e-13);
        ck_assert_double_eq_tol(sim_distribution_quantile(gamma, p) / cbrt(p * 6), 1, 1e-12);
    }
    sim_distribution_destroy(weibull);
    sim_distribution_destroy(exponentiated);
    sim_distribution_destroy(log_normal);
    sim_distribution_destroy(gamma);
}
END_TEST

/* Wherever gamma's shape and probability lie, the search ends at the root. */
START_TEST(gamma_quantiles_are_found_everywhere)
{
    for (double shape = 0.01; shape <= 10000; shape *= 2.3) {
        struct sim_distribution *gamma =
            make(&(struct sim_law_spec)LAW(GAMMA, .mean = shape, .shape = shape));
        double previous = 0;
        for (double hazard = 1e-200; hazard < 640; hazard *= hazard < 1e-3 ? 50 : 1.3) {
            double p = -expm1(-hazard), x = sim_distribution_quantile(gamma, fmin(p, 0.5));
            if (p >= 0.5) {
                x = sim_distribution_upper_quantile(gamma, exp(-hazard));
                ck_assert_double_eq_tol(sim_distribution_survival(gamma, x) / exp(-hazard), 1, 1e-10);
            } else if (x > 0)
                ck_assert_double_eq_tol(gsl_sf_gamma_inc_P(shape, x) / p, 1, 1e-9);
            ck_assert_double_ge(x, previous);
            previous = x;
        }
        sim_distribution_destroy(gamma);
    }
}
END_TEST

/* E[X^m] = scale^m · a · Γ(1 + m/k) · Σ (−1)^j C(a−1, j) (j+1)^(−1−m/k) for a whole power a. */
static double exponentiated_moment(double k, int a, int m)
{
    double sum = 0;
    for (int j = 0; j < a; j++)
        sum += (j % 2 ? -1 : 1) * gsl_sf_choose((unsigned)a - 1, (unsigned)j) * pow(j + 1, -1 - m / k);
    return a * tgamma(1 + m / k) * sum;
}

START_TEST(exponentiated_weibull_meets_its_series)
{
    for (double k = 0.2; k < 10; k *= 2)
        for (int a = 1; a <= 8; a++) {
            struct sim_distribution *distribution =
                make(&(struct sim_law_spec)LAW(EXPONENTIATED_WEIBULL, .median = 1, .shape = k, .power = a));
            double scale = pow(-log1p(-pow(0.5, 1.0 / a)), -1 / k);
            double mean = scale * exponentiated_moment(k, a, 1);
            double variance = scale * scale * exponentiated_moment(k, a, 2) - mean * mean;
            ck_assert_double_eq_tol(sim_distribution_mean(distribution) / mean, 1, 1e-11);
            ck_assert_double_eq_tol(sim_distribution_deviation(distribution) / sqrt(variance), 1, 1e-9);
            ck_assert_double_eq_tol(sim_distribution_survival(distribution, 1), 0.5, 1e-14);
            sim_distribution_destroy(distribution);
        }
}
END_TEST

START_TEST(extreme_shapes_work_or_are_refused)
{
    static const double shapes[] = {0.05, 0.2, 1, 30, 1000}, powers[] = {0.001, 0.03, 1, 40, 1000};
    struct sim_stream stream = stream_of(1);
    for (int i = 0; i < 25; i++) {
        struct error error = {0};
        struct sim_law_spec spec =
            LAW(EXPONENTIATED_WEIBULL, .mean = 7, .shape = shapes[i / 5], .power = powers[i % 5]);
        struct sim_distribution *distribution = sim_distribution_create(&spec, &error);
        if (distribution == NULL) {
            ck_assert_str_eq(error.message,
                             "mean: with these parameters the law exponentiated-weibull has no "
                             "finite mean, deviation or scale");
            continue;
        }
        ck_assert_double_eq_tol(sim_distribution_mean_maximum(distribution, 1), 7, 1e-9);
        for (int draw = 0; draw < 1000; draw++)
            ck_assert(isfinite(sim_distribution_sample(distribution, &stream)));
        sim_distribution_destroy(distribution);
    }
}
END_TEST

/* 1 − F^n as a survival function, for maxima. */
struct maximum {
    const struct sim_distribution *distribution;
    double n;
};

static double maximum_survival(const void *law, double x)
{
    const struct maximum *maximum = law;
    double above = sim_distribution_survival(maximum->distribution, x);
    return above >= 1 ? 1 : -expm1(maximum->n * log1p(-above));
}

static const uint64_t sizes[] = {1, 2, 7, 1000000, 1000000000};

START_TEST(a_maximum_in_one_draw_follows_its_law)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct maximum maximum = {distribution, (double)sizes[k]};
        struct sim_stream stream = stream_of(k);
        for (int i = 0; i < SAMPLE / 10; i++)
            sample[i] = sim_distribution_maximum(distribution, sizes[k], &stream);
        double deviation = gsl_stats_sd(sample, 1, SAMPLE / 10);
        double mean = sim_distribution_mean_maximum(distribution, sizes[k]);
        ck_assert_double_le(fabs(gsl_stats_mean(sample, 1, SAMPLE / 10) - mean),
                            SIGMAS * deviation / sqrt(SAMPLE / 10.0) + 1e-13 * mean);
        if (laws[_i].law != SIM_LAW_UNIFORM || sizes[k] < 1000000) /* its steps in x are too wide there */
            ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE / 10, maximum_survival, &maximum),
                                KS_LIMIT);
    }
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(a_maximum_is_the_greatest_of_draws)
{
    enum { DRAWS = 7, MAXIMA = SAMPLE / 20 };
    struct sim_distribution *distribution = make(&laws[_i]);
    struct maximum maximum = {distribution, DRAWS};
    struct sim_stream stream = stream_of(3);
    for (int i = 0; i < MAXIMA; i++) {
        sample[i] = 0;
        for (int draw = 0; draw < DRAWS; draw++)
            sample[i] = fmax(sample[i], sim_distribution_sample(distribution, &stream));
    }
    double mean = sim_distribution_mean_maximum(distribution, DRAWS);
    double deviation = gsl_stats_sd(sample, 1, MAXIMA);
    ck_assert_double_le(fabs(gsl_stats_mean(sample, 1, MAXIMA) - mean), SIGMAS * deviation / sqrt(MAXIMA));
    ck_assert_double_lt(kolmogorov_smirnov(sample, MAXIMA, maximum_survival, &maximum), KS_LIMIT);
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(mean_maxima_meet_quadrature)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && is_continuous(&laws[_i]); k++) {
        double expected = integrate_moment(distribution, (double)sizes[k], 1);
        ck_assert_double_eq_tol(sim_distribution_mean_maximum(distribution, sizes[k]) / expected, 1, 1e-9);
    }
    sim_distribution_destroy(distribution);
}
END_TEST

static double mean_maximum_of(struct sim_law_spec spec, uint64_t n)
{
    struct sim_distribution *distribution = make(&spec);
    double mean = sim_distribution_mean_maximum(distribution, n);
    sim_distribution_destroy(distribution);
    return mean;
}

START_TEST(mean_maxima_meet_known_figures)
{
    double harmonic = 0;
    for (int k = 1000000; k >= 1; k--)
        harmonic += 1.0 / k;
    ck_assert_double_eq_tol(mean_maximum_of((struct sim_law_spec)LAW(EXPONENTIAL, .mean = 3), 1000000),
                            3 * harmonic, 1e-12);
    ck_assert_double_eq_tol(
        mean_maximum_of((struct sim_law_spec)LAW(WEIBULL, .median = M_LN2, .shape = 1), 1000000), harmonic,
        1e-11);
    ck_assert_double_eq_tol(
        mean_maximum_of((struct sim_law_spec)LAW(LOG_NORMAL, .median = 1, .sigma = 0.1), 1000000), 1.6268,
        5e-5);
    ck_assert_double_eq_tol(
        mean_maximum_of((struct sim_law_spec)LAW(LOG_NORMAL, .median = 1, .sigma = 0.5), 1000000), 11.467,
        5e-4);
    ck_assert_double_eq_tol(mean_maximum_of((struct sim_law_spec)LAW(UNIFORM, .low = 1, .high = 3), 9), 2.8,
                            1e-15);
    /* three normal draws: 3 / (2 sqrt(pi)) */
    ck_assert_double_eq_tol(
        mean_maximum_of((struct sim_law_spec)LAW(NORMAL, .mean = 100, .deviation = 1), 3) - 100, 0.8462843753,
        1e-9);
}
END_TEST

START_TEST(more_draws_from_one_stream_have_a_larger_maximum)
{
    struct sim_distribution *distribution = make(&laws[_i]);
    for (uint64_t seed = 0; seed < 200; seed++) {
        double previous = 0;
        for (uint64_t n = 1; n < 1000000000; n *= 3) {
            struct sim_stream stream = stream_of(seed);
            double maximum = sim_distribution_maximum(distribution, n, &stream);
            ck_assert_double_ge(maximum, previous);
            previous = maximum;
        }
    }
    sim_distribution_destroy(distribution);
}
END_TEST

/* The first failure of n fresh units: scale · n^(−1/k) · Γ(1 + 1/k). */
START_TEST(the_least_of_weibulls_meets_its_closed_form)
{
    enum { UNITS = 50, MINIMA = 20000 };
    const double k = 0.7;
    struct sim_distribution *distribution =
        make(&(struct sim_law_spec)LAW(WEIBULL, .mean = tgamma(1 + 1 / k), .shape = k));
    struct sim_stream stream = stream_of(9);
    for (int i = 0; i < MINIMA; i++) {
        sample[i] = INFINITY;
        for (int unit = 0; unit < UNITS; unit++)
            sample[i] = fmin(sample[i], sim_distribution_sample(distribution, &stream));
    }
    double mean = pow(UNITS, -1 / k) * tgamma(1 + 1 / k);
    double square = pow(UNITS, -2 / k) * tgamma(1 + 2 / k);
    ck_assert_double_lt(fabs(mean_error(sample, MINIMA, mean, sqrt(square - mean * mean))), SIGMAS);
    sim_distribution_destroy(distribution);
}
END_TEST

/* P(X > age + x) / P(X > age). */
struct residual {
    const struct sim_distribution *distribution;
    double age;
};

static double residual_survival(const void *law, double x)
{
    const struct residual *residual = law;
    if (x < 0)
        return 1;
    return sim_distribution_survival(residual->distribution, residual->age + x) /
           sim_distribution_survival(residual->distribution, residual->age);
}

/* With a continuous law; with atoms the sum age + x rounds to either side of them. */
START_TEST(residual_lives_follow_the_conditional_law)
{
    static const double reached[] = {0.3, 1e-3, 1e-8, 1e-32, 1e-60}; /* Q(age) */
    struct sim_distribution *distribution = make(&laws[_i]);
    bool bounded = laws[_i].law == SIM_LAW_UNIFORM; /* too few doubles are left near its end */
    for (int k = -1; k < (bounded ? 2 : 5) && is_continuous(&laws[_i]); k++) {
        double age = k < 0 ? 0 : sim_distribution_upper_quantile(distribution, reached[k]);
        struct residual residual = {distribution, age};
        struct sim_stream stream = stream_of(4);
        for (int i = 0; i < SAMPLE / 10; i++)
            sample[i] = sim_distribution_residual(distribution, age, &stream);
        ck_assert_double_lt(kolmogorov_smirnov(sample, SAMPLE / 10, residual_survival, &residual), KS_LIMIT);
    }
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(residual_lives_of_atoms_are_what_is_left_to_them)
{
    struct sim_distribution *constant = make(&laws[0]), *empirical = make(&laws[18]);
    struct sim_stream stream = stream_of(4);
    ck_assert_double_eq(sim_distribution_residual(constant, 2, &stream), 3);
    ck_assert_double_eq(sim_distribution_residual(constant, 5, &stream), 0);
    ck_assert_double_eq(sim_distribution_residual(empirical, 12, &stream), 0);
    uint64_t counts[3] = {0}; /* 4.5, 7 and 12 lie beyond 4 */
    for (int i = 0; i < SAMPLE; i++) {
        double x = sim_distribution_residual(empirical, 4, &stream);
        ck_assert(x == 0.5 || x == 3 || x == 8);
        counts[x == 0.5 ? 0 : x == 3 ? 1 : 2]++;
    }
    ck_assert_double_lt(fabs(chi_square_sigmas(counts, 3)), SIGMAS);
    sim_distribution_destroy(constant);
    sim_distribution_destroy(empirical);
}
END_TEST

/* An old Weibull unit's life left is tiny beside its age, and keeps its digits: near the end hazards are
 * constant, the mean life left 1/h(age). */
START_TEST(residual_lives_of_the_old_keep_their_digits)
{
    struct sim_distribution *distribution =
        make(&(struct sim_law_spec)LAW(WEIBULL, .mean = tgamma(1 + 1.0 / 6), .shape = 6));
    struct sim_stream stream = stream_of(4);
    const double age = 1e4, rate = 6 * pow(age, 5);
    for (int i = 0; i < SAMPLE; i++)
        sample[i] = sim_distribution_residual(distribution, age, &stream);
    ck_assert_double_lt(fabs(mean_error(sample, SAMPLE, 1 / rate, 1 / rate)), SIGMAS);
    sim_distribution_destroy(distribution);
}
END_TEST

START_TEST(only_the_exponential_has_no_memory)
{
    for (int i = 0; i < LAWS; i++) {
        struct sim_distribution *distribution = make(&laws[i]);
        ck_assert_int_eq(sim_distribution_is_memoryless(distribution), laws[i].law == SIM_LAW_EXPONENTIAL);
        sim_distribution_destroy(distribution);
    }
}
END_TEST

START_TEST(empirical_laws_read_their_values)
{
    struct sim_distribution *plain = make(&laws[18]), *scaled = make(&laws[19]);
    struct sim_distribution *by_median =
        make(&(struct sim_law_spec)LAW(EMPIRICAL, .median = 30, .values = {observed, OBSERVED}));
    ck_assert_double_eq_tol(sim_distribution_mean(plain), 30.5 / 7, 1e-15);
    ck_assert_double_eq_tol(sim_distribution_mean(scaled), 2, 1e-15);
    ck_assert_double_eq_tol(sim_distribution_mean(by_median), 305.0 / 7, 1e-13);
    ck_assert_double_eq_tol(sim_distribution_survival(plain, 3), 3.0 / 7, 1e-15);
    ck_assert_double_eq(sim_distribution_survival(plain, 12), 0);
    static const double ascending[] = {0, 1, 3, 3, 4.5, 7, 12};
    for (int i = 0; i < OBSERVED; i++) /* in the middle of each step, and at its end */
        ck_assert_double_eq(sim_distribution_quantile(plain, (i + 0.5) / OBSERVED), ascending[i]);
    for (int i = 0; i + 1 < OBSERVED; i++)
        ck_assert_double_eq(sim_distribution_quantile(plain, (i + 1.0) / OBSERVED), ascending[i]);
    ck_assert_double_eq(sim_distribution_upper_quantile(plain, 1e-300), 12);
    sim_distribution_destroy(plain);
    sim_distribution_destroy(scaled);
    sim_distribution_destroy(by_median);
}
END_TEST

/* The quantile of a value's own probability is that value, however the logarithms round. */
START_TEST(empirical_quantiles_hit_every_value)
{
    enum { MOST = 200 };
    double values[MOST];
    for (int count = 1; count <= MOST; count++) {
        values[count - 1] = count;
        struct sim_distribution *distribution =
            make(&(struct sim_law_spec)LAW(EMPIRICAL, .values = {values, (size_t)count}));
        for (int i = 1; i < count; i++) {
            ck_assert_double_eq(sim_distribution_quantile(distribution, (double)i / count), i);
            ck_assert_double_eq(sim_distribution_upper_quantile(distribution, (double)i / count), count - i);
        }
        sim_distribution_destroy(distribution);
    }
}
END_TEST

START_TEST(a_law_without_spread_is_constant)
{
    const struct sim_law_spec specs[] = {
        LAW(LOG_NORMAL, .mean = 4, .sigma = 0),
        LAW(LOG_NORMAL, .median = 4, .sigma = 0),
        LAW(NORMAL, .mean = 4, .deviation = 0),
        LAW(UNIFORM, .low = 4, .high = 4),
    };
    struct sim_stream stream = stream_of(4);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct sim_distribution *distribution = make(&specs[i]);
        ck_assert_double_eq(sim_distribution_sample(distribution, &stream), 4);
        ck_assert_double_eq(sim_distribution_maximum(distribution, 1000, &stream), 4);
        ck_assert_double_eq(sim_distribution_mean(distribution), 4);
        ck_assert_double_eq(sim_distribution_deviation(distribution), 0);
        ck_assert_double_eq(sim_distribution_survival(distribution, 3.9), 1);
        ck_assert_double_eq(sim_distribution_survival(distribution, 4), 0);
        sim_distribution_destroy(distribution);
    }
}
END_TEST

static const struct {
    struct sim_law_spec spec;
    const char *message;
} misstated[] = {
    {LAW(COUNT, .mean = 1), "law: there is no law number 9"},
    {LAW(EXPONENTIAL), "mean: missing; the law exponential takes mean"},
    {LAW(EXPONENTIAL, .mean = 1, .shape = 2), "shape: unused; the law exponential takes mean"},
    {LAW(EXPONENTIAL, .median = 1), "median: unused; the law exponential takes mean"},
    {LAW(EXPONENTIAL, .mean = 0), "mean: 0 must be finite and above 0"},
    {LAW(EXPONENTIAL, .mean = -2), "mean: -2 must be finite and above 0"},
    {LAW(EXPONENTIAL, .mean = INFINITY), "mean: inf must be finite and above 0"},
    {LAW(WEIBULL, .mean = 1), "shape: missing; the law weibull takes mean or median, shape"},
    {LAW(WEIBULL, .shape = 1), "mean: missing; the law weibull takes mean or median, shape"},
    {LAW(WEIBULL, .mean = 1, .median = 1, .shape = 1),
     "median: given together with mean; the law weibull takes mean or median, shape"},
    {LAW(WEIBULL, .mean = 1, .shape = 0.01), "shape: 0.01 is not within 0.05 and 1000"},
    {LAW(WEIBULL, .mean = 1, .shape = 1, .sigma = 1),
     "sigma: unused; the law weibull takes mean or median, shape"},
    {LAW(EXPONENTIATED_WEIBULL, .mean = 1, .shape = 1),
     "power: missing; the law exponentiated-weibull takes mean or median, shape, power"},
    {LAW(EXPONENTIATED_WEIBULL, .mean = 1, .shape = 1, .power = 0), "power: 0 is not within 0.001 and 1000"},
    {LAW(LOG_NORMAL, .mean = 1, .sigma = -1), "sigma: -1 is not within 0 and 10"},
    {LAW(NORMAL, .mean = 1, .deviation = -1), "deviation: -1 must be finite and at least 0"},
    {LAW(GAMMA, .mean = 1, .shape = 1e9), "shape: 1e+09 is not within 0.01 and 10000"},
    {LAW(UNIFORM, .low = 1), "high: missing; the law uniform takes low, high"},
    {LAW(UNIFORM, .low = 2, .high = 1), "high: 1 must not be below low, 2"},
    {LAW(UNIFORM, .low = -1, .high = 1), "low: -1 must be finite and at least 0"},
    {LAW(EMPIRICAL), "values: missing; the law empirical takes perhaps mean or median, values"},
    {LAW(EMPIRICAL, .values = {(const double[]){1, -1}, 2}),
     "values: number 2, -1, must be finite and not below 0"},
    {LAW(EMPIRICAL, .values = {(const double[]){0, 0}, 2}), "values: their mean or median is 0"},
    {LAW(EMPIRICAL, .median = 1, .values = {(const double[]){0, 0, 1}, 3}),
     "values: their mean or median is 0"},
    {LAW(CONSTANT, .mean = 1, .values = {observed, 1}), "values: unused; the law constant takes mean"},
};

START_TEST(a_misstated_law_is_refused)
{
    struct error error = {0};
    ck_assert_ptr_null(sim_distribution_create(&misstated[_i].spec, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, misstated[_i].message);
}
END_TEST

START_TEST(every_law_has_a_name_and_a_description)
{
    for (int i = 0; i < SIM_LAW_COUNT; i++) {
        ck_assert_str_ne(sim_law_names[i], "");
        size_t length = strlen(sim_law_description((enum sim_law)i));
        ck_assert_uint_gt(length, 20);
        ck_assert_int_eq(sim_law_description((enum sim_law)i)[length - 1], '.');
    }
    ck_assert_ptr_null(sim_law_names[SIM_LAW_COUNT]);
}
END_TEST

static Suite *distribution_suite(void)
{
    Suite *suite = suite_create("distribution");
    TCase *each = tcase_create("law by law");
    tcase_set_timeout(each, 120);
    tcase_add_loop_test(each, samples_follow_the_survival_function, 0, LAWS);
    tcase_add_loop_test(each, moments_are_those_of_the_survival_function, 0, LAWS);
    tcase_add_loop_test(each, upper_quantiles_invert_the_survival_function, 0, LAWS);
    tcase_add_loop_test(each, quantiles_invert_the_distribution_function, 0, LAWS);
    tcase_add_loop_test(each, a_maximum_in_one_draw_follows_its_law, 0, LAWS);
    tcase_add_loop_test(each, a_maximum_is_the_greatest_of_draws, 0, LAWS);
    tcase_add_loop_test(each, mean_maxima_meet_quadrature, 0, LAWS);
    tcase_add_loop_test(each, more_draws_from_one_stream_have_a_larger_maximum, 0, LAWS);
    tcase_add_loop_test(each, residual_lives_follow_the_conditional_law, 0, LAWS);
    suite_add_tcase(suite, each);

    TCase *known = tcase_create("known figures");
    tcase_set_timeout(known, 60);
    tcase_add_test(known, lower_tails_keep_their_digits);
    tcase_add_test(known, gamma_quantiles_are_found_everywhere);
    tcase_add_test(known, exponentiated_weibull_meets_its_series);
    tcase_add_test(known, extreme_shapes_work_or_are_refused);
    tcase_add_test(known, mean_maxima_meet_known_figures);
    tcase_add_test(known, the_least_of_weibulls_meets_its_closed_form);
    tcase_add_test(known, residual_lives_of_atoms_are_what_is_left_to_them);
    tcase_add_test(known, residual_lives_of_the_old_keep_their_digits);
    tcase_add_test(known, only_the_exponential_has_no_memory);
    tcase_add_test(known, empirical_laws_read_their_values);
    tcase_add_test(known, empirical_quantiles_hit_every_value);
    tcase_add_test(known, a_law_without_spread_is_constant);
    suite_add_tcase(suite, known);

    TCase *stated = tcase_create("statements");
    tcase_add_loop_test(stated, a_misstated_law_is_refused, 0, sizeof misstated / sizeof misstated[0]);
    tcase_add_test(stated, every_law_has_a_name_and_a_description);
    suite_add_tcase(suite, stated);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(distribution_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
