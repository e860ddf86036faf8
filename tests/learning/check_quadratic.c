/*
 * The noisy quadratic: its gradient against its loss, and SGD's expectation and variance on it against
 * their closed forms (quadratic.h).
 */
#include "models/learning/quadratic.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static const struct learning_config plain = {
    .model = LEARNING_QUADRATIC,
    .quadratic = {.dimension = 12, .condition = 100, .noise = 0.5, .skew = 0},
    .data = {.shards = 4}};

static struct model *create(const struct learning_config *config, int64_t learners, uint64_t seed)
{
    struct error error = {0};
    struct model *model = model_create(config, NULL, learners, seed, &error);
    ck_assert_msg(model != NULL, "%s", error.message);
    return model;
}

START_TEST(the_spectrum_is_geometric)
{
    struct model *model = create(&plain, 1, 1);
    const double *curvature = quadratic_curvature(model);
    ck_assert_double_eq(curvature[0], 1);
    ck_assert_double_eq_tol(curvature[11], 0.01, 1e-15);
    for (size_t i = 1; i < 12; i++)
        ck_assert_double_eq_tol(curvature[i] / curvature[i - 1], pow(100, -1.0 / 11), 1e-12);
    model_destroy(model);
}
END_TEST

START_TEST(the_optimum_is_the_least)
{
    struct learning_config config = plain;
    config.quadratic.skew = 0.7;
    struct model *model = create(&config, 2, 1);
    real parameters[12];
    for (size_t i = 0; i < 12; i++)
        parameters[i] = (real)quadratic_optimum(model)[i];
    double least = model_floor_loss(model, 1);
    ck_assert_double_gt(least, 0);
    ck_assert_double_eq_tol(model_held_out_loss(model, parameters, 1), least, 1e-12);
    for (size_t i = 0; i < 12; i++) {
        real before = parameters[i];
        parameters[i] = before + (real)0.125;
        double worse = model_held_out_loss(model, parameters, 1);
        ck_assert_double_eq_tol(worse - least, quadratic_curvature(model)[i] / 128, 1e-12);
        parameters[i] = before;
    }
    model_destroy(model);
}
END_TEST

START_TEST(one_shard_s_floor_is_zero)
{
    struct model *model = create(&plain, 1, 1);
    ck_assert_double_eq(model_floor_loss(model, 1), 0);
    model_destroy(model);
}
END_TEST

START_TEST(without_noise_the_gradient_is_the_slope)
{
    struct learning_config config = plain;
    config.quadratic.noise = 0;
    config.quadratic.skew = 0.3;
    struct model *model = create(&config, 2, 1);
    real parameters[12], gradient[12], unused[12];
    for (size_t i = 0; i < 12; i++)
        parameters[i] = (real)0.1 * (real)i;
    struct batch batch = {1, 0, 3};
    model_gradient(model, parameters, batch, gradient);
    for (size_t i = 0; i < 12; i++) {
        real before = parameters[i];
        parameters[i] = before + (real)0.5;
        double above = model_gradient(model, parameters, batch, unused);
        parameters[i] = before - (real)0.5;
        double below = model_gradient(model, parameters, batch, unused);
        parameters[i] = before;
        ck_assert_double_eq_tol(above - below, gradient[i], 1e-12); /* exact for a quadratic */
    }
    model_destroy(model);
}
END_TEST

START_TEST(gradients_are_a_function_of_their_batch)
{
    struct model *model = create(&plain, 2, 3);
    real parameters[12] = {0}, one[12], other[12];
    model_gradient(model, parameters, (struct batch){1, 5, 4}, one);
    model_gradient(model, parameters, (struct batch){1, 6, 4}, other);
    ck_assert_mem_ne(one, other, sizeof one);
    model_gradient(model, parameters, (struct batch){1, 5, 4}, other);
    ck_assert_mem_eq(one, other, sizeof one);
    model_destroy(model);
}
END_TEST

/* The learners' batches of a position are, together, one learner's of as many sequences. */
START_TEST(learners_share_out_the_same_noise)
{
    struct model *many = create(&plain, 3, 3), *alone = create(&plain, 1, 3);
    real parameters[12] = {0}, part[12], whole[12];
    double sum[12] = {0};
    for (int64_t learner = 0; learner < 3; learner++) {
        model_gradient(many, parameters, (struct batch){learner, 2, 5}, part);
        for (size_t i = 0; i < 12; i++)
            sum[i] += part[i] / 3;
    }
    model_gradient(alone, parameters, (struct batch){0, 2, 15}, whole);
    for (size_t i = 0; i < 12; i++)
        ck_assert_double_eq_tol(sum[i], whole[i], 1e-14);
    model_destroy(many);
    model_destroy(alone);
}
END_TEST

enum { RUNS = 4000, STEPS = 30, BATCH = 4 };
static const double rate = 0.3;

/* θ after STEPS of SGD from 0, in the run that begins at POSITION. */
static void descend(struct model *model, int64_t position, real *parameters)
{
    real gradient[12];
    model_initialise(model, parameters);
    for (int64_t step = 0; step < STEPS; step++) {
        model_gradient(model, parameters, (struct batch){0, position + step, BATCH}, gradient);
        for (size_t i = 0; i < 12; i++)
            parameters[i] -= rate * gradient[i];
    }
}

/* Mean and variance of each coordinate's distance from the optimum, over RUNS runs. */
static void moments(struct model *model, double *mean, double *variance)
{
    real parameters[12];
    double sum[12] = {0}, squares[12] = {0};
    for (int64_t run = 0; run < RUNS; run++) {
        descend(model, run * STEPS, parameters);
        for (size_t i = 0; i < 12; i++) {
            double distance = parameters[i] - quadratic_optimum(model)[i];
            sum[i] += distance;
            squares[i] += distance * distance;
        }
    }
    for (size_t i = 0; i < 12; i++) {
        mean[i] = sum[i] / RUNS;
        variance[i] = (squares[i] - RUNS * mean[i] * mean[i]) / (RUNS - 1);
    }
}

/* Within 4 standard errors: of 24 figures, all are in 998 of 1,000 seeds, and the seed is fixed. */
START_TEST(sgd_has_its_mean_and_variance)
{
    struct model *model = create(&plain, 1, 11);
    double mean[12], variance[12];
    moments(model, mean, variance);
    for (size_t i = 0; i < 12; i++) {
        double keep = 1 - rate * quadratic_curvature(model)[i];
        double expected = -pow(keep, STEPS) * quadratic_optimum(model)[i];
        double spread = rate * rate * 0.5 * 0.5 / BATCH * (1 - pow(keep, 2 * STEPS)) / (1 - keep * keep);
        ck_assert_double_eq_tol(mean[i], expected, 4 * sqrt(spread / RUNS));
        ck_assert_double_eq_tol(variance[i] / spread, 1, 4 * sqrt(2.0 / (RUNS - 1)));
    }
    model_destroy(model);
}
END_TEST

START_TEST(blocks_cover_any_dimension)
{
    static const int64_t dimensions[] = {1, 7, 8, 9, 1000};
    for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
        struct learning_config config = plain;
        config.quadratic.dimension = dimensions[d];
        struct model *model = create(&config, 1, 1);
        size_t count, next = 0;
        const struct tensor *tensors = model_tensors(model, &count);
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_eq(tensors[i].offset, next);
            ck_assert_uint_gt(tensors[i].rows, 0);
            next += tensors[i].rows;
        }
        ck_assert_uint_eq(next, model_size(model));
        model_destroy(model);
    }
}
END_TEST

static Suite *quadratic_suite(void)
{
    Suite *suite = suite_create("quadratic");
    TCase *cases = tcase_create("quadratic");
    tcase_add_test(cases, the_spectrum_is_geometric);
    tcase_add_test(cases, the_optimum_is_the_least);
    tcase_add_test(cases, one_shard_s_floor_is_zero);
    tcase_add_test(cases, without_noise_the_gradient_is_the_slope);
    tcase_add_test(cases, gradients_are_a_function_of_their_batch);
    tcase_add_test(cases, learners_share_out_the_same_noise);
    tcase_add_test(cases, sgd_has_its_mean_and_variance);
    tcase_add_test(cases, blocks_cover_any_dimension);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(quadratic_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
