/*
 * Outer optimisers: against numbers worked out by hand and the textbook's formulas in double precision; that
 * one replica without outer momentum is the inner optimiser alone; and that replicas find the optimum.
 */
#include "models/learning/inner.h"
#include "models/learning/outer.h"
#include "tests/learning/vectors.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 203 };

static const struct outer_rule rules[] = {
    {.optimiser = OUTER_NESTEROV, .rate = 0.7, .momentum = 0.9},
    {.optimiser = OUTER_AVERAGE, .rate = NAN, .momentum = NAN},
    {.optimiser = OUTER_ADAM, .rate = 0.1, .momentum = 0.9, .beta2 = 0.99, .epsilon = 1e-3},
    {.optimiser = OUTER_DELAYED_NESTEROV, .rate = 0.4, .momentum = 0.8, .delay = 4, .spread = 0.2},
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* By hand */

/* Takes DRIFTS one by one from 1; the parameter must be at WANTED after each. */
static void follow(struct outer_rule rule, int64_t count, const double *drifts, const double *wanted)
{
    real theta = 1, state[2] = {0};
    for (int64_t step = 1; step <= count; step++) {
        const real drift = (real)drifts[step - 1];
        outer_step(&rule, step, 1, &theta, &drift, state);
        ck_assert_double_eq_tol((double)theta, wanted[step - 1], 2 * CLOSE);
    }
}

/*
 * ε = 0.7, μ = 0.9.
 *   Δ = 0.5:   m = 0.5;   θ = 1 − 0.7(0.5 + 0.45) = 0.335
 *   Δ = −0.2:  m = 0.25;  θ = 0.335 − 0.7(−0.2 + 0.225) = 0.3175
 */
START_TEST(nesterov_does_as_worked_out_by_hand)
{
    follow(rules[OUTER_NESTEROV], 2, (double[]){0.5, -0.2}, (double[]){0.335, 0.3175});
}
END_TEST

START_TEST(averaging_follows_the_drift_to_its_end)
{
    follow(rules[OUTER_AVERAGE], 2, (double[]){0.5, -0.2}, (double[]){0.5, 0.7});
}
END_TEST

/*
 * ε = 0.1, β1 = 0.9, β2 = 0.75, epsilon = 0.5.
 *   Δ = 0.5:  m̂ = 0.5, √v̂ = 0.5;  θ = 1 − 0.1·0.5/1 = 0.95
 *   Δ = −1:   m = 0.05 − 0.1·1.05 = −0.055, m̂ = −0.055/0.19 = −0.28947368421052633
 *             v = 0.0625 + 0.25·0.9375 = 0.296875, √v̂ = √(0.296875/0.4375) = 0.823754471047914
 *             θ = 0.95 + 0.1·0.28947368421052633/1.323754471047914 = 0.9718676265532362
 */
START_TEST(adam_does_as_worked_out_by_hand)
{
    struct outer_rule rule = {.optimiser = OUTER_ADAM, .rate = 0.1, .momentum = 0.9};
    rule.beta2 = 0.75;
    rule.epsilon = 0.5;
    follow(rule, 2, (double[]){0.5, -1}, (double[]){0.95, 0.9718676265532362});
}
END_TEST

/* From the first drift of 1: θ = 1 − 0.1·1/(1 + 0.001), and v = 0.01. */
START_TEST(adam_has_defaults)
{
    const struct outer_rule rule = {.optimiser = OUTER_ADAM, .rate = 0.1, .momentum = 0.9};
    real theta = 1, state[2] = {0};
    outer_step(&rule, 1, 1, &theta, (real[]){1}, state);
    ck_assert_double_eq_tol((double)theta, 1 - 0.1 / 1.001, CLOSE);
    ck_assert_double_eq_tol((double)state[1], 0.01, CLOSE);
}
END_TEST

/*
 * ε = 0.5, μ = 0.8, N = 2, c = 0.25, so that the momentum counts by cμ = 0.2 and by (1 − cN + c)μ = 0.6.
 *   Δ = 0.4:   D = 0.4;            θ = 1 − 0.5(0 + 0.2) = 0.9
 *   Δ = −0.2:  m = 0.2/2 = 0.1;    θ = 0.9 − 0.5(0.06 − 0.1) = 0.92
 *   Δ = 0.6:   D = 0.6;            θ = 0.92 − 0.5(0.02 + 0.3) = 0.76
 *   Δ = 0.2:   m = 0.08 + 0.8/2 = 0.48;  θ = 0.76 − 0.5(0.288 + 0.1) = 0.566
 */
START_TEST(delayed_nesterov_does_as_worked_out_by_hand)
{
    struct outer_rule rule = {.optimiser = OUTER_DELAYED_NESTEROV, .rate = 0.5, .momentum = 0.8};
    rule.delay = 2;
    rule.spread = 0.25;
    follow(rule, 4, (double[]){0.4, -0.2, 0.6, 0.2}, (double[]){0.9, 0.92, 0.76, 0.566});
}
END_TEST

/* Against the textbook */

static void textbook_step(const struct outer_rule *rule, int64_t step, double drift, double *theta, double *m,
                          double *other)
{
    const double mu = rule->momentum, n = (double)rule->delay, c = rule->spread;
    switch ((enum outer_optimiser)rule->optimiser) {
    case OUTER_NESTEROV:
        *m = mu * *m + drift;
        *theta -= rule->rate * (drift + mu * *m);
        break;
    case OUTER_AVERAGE:
        *theta -= drift;
        break;
    case OUTER_ADAM:
        *m = mu * *m + (1 - mu) * drift;
        *other = rule->beta2 * *other + (1 - rule->beta2) * drift * drift;
        *theta -= rule->rate * *m / (1 - pow(mu, (double)step)) /
                  (sqrt(*other / (1 - pow(rule->beta2, (double)step))) + rule->epsilon);
        break;
    case OUTER_DELAYED_NESTEROV:
        *other += drift;
        if (step % rule->delay == 0) {
            *m = mu * *m + *other / n;
            *other = 0;
        }
        *theta -= rule->rate * ((step % rule->delay == 0 ? 1 - c * n + c : c) * mu * *m + drift / n);
        break;
    }
}

START_TEST(each_does_as_the_textbook_does)
{
    const struct outer_rule *rule = &rules[_i];
    real parameters[COUNT], drift[COUNT], *state = vectors_zeros(outer_state_size(rule, COUNT));
    vectors_normal(1, COUNT, parameters);
    double *theta = vectors_widen(COUNT, parameters), *m = vectors_wide_zeros(COUNT),
           *other = vectors_wide_zeros(COUNT);
    for (int64_t step = 1; step <= 20; step++) {
        vectors_normal(1 + (uint64_t)step, COUNT, drift);
        for (size_t i = 0; i < COUNT; i++)
            textbook_step(rule, step, (double)drift[i], &theta[i], &m[i], &other[i]);
        outer_step(rule, step, COUNT, parameters, drift, state);
    }
    ck_assert_double_lt(vectors_error(COUNT, parameters, theta), CLOSE);
    free(state);
    free(theta);
    free(m);
    free(other);
}
END_TEST

START_TEST(delayed_by_one_is_nesterov_to_the_bit)
{
    const struct outer_rule nesterov = rules[OUTER_NESTEROV];
    struct outer_rule delayed = nesterov;
    delayed.optimiser = OUTER_DELAYED_NESTEROV;
    delayed.delay = 1;
    real one[COUNT], other[COUNT], drift[COUNT], momentum[COUNT] = {0}, state[2 * COUNT] = {0};
    vectors_normal(1, COUNT, one);
    memcpy(other, one, sizeof one);
    for (int64_t step = 1; step <= 10; step++) {
        vectors_normal(1 + (uint64_t)step, COUNT, drift);
        outer_step(&nesterov, step, COUNT, one, drift, momentum);
        outer_step(&delayed, step, COUNT, other, drift, state);
    }
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

/* With the inner optimisers */

static const struct tensor tensors[] = {{"matrix", TENSOR_MATRIX, 0, 14, 12},
                                        {"vector", TENSOR_VECTOR, 168, 35, 1}};

static struct inner_config inner_of(enum learning_optimiser optimiser)
{
    return (struct inner_config){.optimiser = optimiser,
                                 .rate = 0.02,
                                 .adamw_rate = NAN,
                                 .warm_up_steps = 5,
                                 .decay_steps = 60,
                                 .final_share = 0.1,
                                 .beta1 = 0.9,
                                 .beta2 = 0.99,
                                 .epsilon = 1e-8,
                                 .weight_decay = 0.1,
                                 .momentum = 0.9,
                                 .clip = 3};
}

struct replica {
    struct inner_config config;
    real parameters[COUNT], state[2 * COUNT], scratch[2 * 14 * 12 + 2 * 12 * 12];
    double optimum; /* of all its parameters */
};

static void replica_start(struct replica *replica, enum learning_optimiser optimiser, double optimum)
{
    *replica = (struct replica){.config = inner_of(optimiser), .optimum = optimum};
    vectors_normal(1, COUNT, replica->parameters);
}

/* A step on ½Σ c(θ − optimum)², c from 0.1 to 1. */
static void replica_step(struct replica *replica, int64_t step)
{
    real gradient[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        gradient[i] =
            (real)(pow(10, -(double)(i % 10) / 9) * ((double)replica->parameters[i] - replica->optimum));
    inner_step(&replica->config, tensors, 2, step, step, replica->parameters, gradient, replica->state,
               replica->scratch);
}

/* An outer step: the drifts of N replicas, merged by tensor; all go on from the new parameters. */
static void synchronise(struct replica *replicas, size_t n, const struct outer_rule *outer, int64_t step,
                        enum merge_rule merge, real *theta, real *state)
{
    real drifts[4][COUNT], merged[COUNT], scratch[COUNT];
    const double weights[4] = {1, 1, 1, 1};
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < COUNT; i++)
            drifts[r][i] = theta[i] - replicas[r].parameters[i];
    for (size_t t = 0; t < 2; t++) {
        const real *parts[4];
        for (size_t r = 0; r < n; r++)
            parts[r] = drifts[r] + tensors[t].offset;
        merge_drifts(merge, tensors[t].role, n, parts, weights, tensors[t].rows * tensors[t].columns,
                     merged + tensors[t].offset, scratch);
    }
    outer_step(outer, step, COUNT, theta, merged, state);
    for (size_t r = 0; r < n; r++)
        memcpy(replicas[r].parameters, theta, COUNT * sizeof *theta);
}

static const enum learning_optimiser optimisers[] = {INNER_ADAMW, INNER_SGD, INNER_MUON};

static void is_the_inner_optimiser_alone(enum learning_optimiser optimiser, const struct outer_rule *outer,
                                         enum merge_rule merge)
{
    struct replica alone, replica;
    real theta[COUNT], state[2 * COUNT] = {0};
    replica_start(&alone, optimiser, 1);
    replica_start(&replica, optimiser, 1);
    memcpy(theta, replica.parameters, sizeof theta);
    for (int64_t step = 1; step <= 50; step++) {
        replica_step(&alone, step);
        replica_step(&replica, step);
        synchronise(&replica, 1, outer, step, merge, theta, state);
        double *wanted = vectors_widen(COUNT, alone.parameters);
        ck_assert_double_lt(vectors_error(COUNT, theta, wanted), 2 * CLOSE);
        free(wanted);
    }
}

/* θ − (θ − θ_i) is not quite θ_i. */
START_TEST(one_replica_without_outer_momentum_is_the_inner_optimiser)
{
    const struct outer_rule plain = {.optimiser = OUTER_NESTEROV, .rate = 1, .momentum = 0};
    is_the_inner_optimiser_alone(optimisers[_i], &plain, MERGE_MEAN);
    is_the_inner_optimiser_alone(optimisers[_i], &plain, MERGE_RDA);
    is_the_inner_optimiser_alone(optimisers[_i], &rules[OUTER_AVERAGE], MERGE_MEAN);
}
END_TEST

/* Four replicas with optima −0.5, 0.5, 1.5, 2.5 find their mean, 1, by SGD (which is linear). */
START_TEST(replicas_find_the_mean_optimum)
{
    const struct outer_rule *outer = &rules[_i];
    struct replica replicas[4];
    real theta[COUNT], state[2 * COUNT] = {0};
    for (size_t r = 0; r < 4; r++) {
        replica_start(&replicas[r], INNER_SGD, (double)r - 0.5);
        replicas[r].config.rate = 0.1;
        replicas[r].config.weight_decay = 0;
        replicas[r].config.momentum = 0;
        replicas[r].config.decay_steps = PARAMETER_UNSET;
        replicas[r].config.clip = INFINITY;
    }
    memcpy(theta, replicas[0].parameters, sizeof theta);
    for (int64_t round = 1; round <= 2000; round++) {
        for (int64_t step = 1; step <= 3; step++)
            for (size_t r = 0; r < 4; r++)
                replica_step(&replicas[r], 3 * (round - 1) + step);
        synchronise(replicas, 4, outer, round, MERGE_MEAN, theta, state);
    }
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_double_eq_tol((double)theta[i], 1, 1e-4);
}
END_TEST

/* All of them */

START_TEST(the_same_drifts_give_the_same_bits)
{
    const struct outer_rule *rule = &rules[_i];
    real one[COUNT], other[COUNT], drift[COUNT], before[COUNT], states[2][2 * COUNT] = {{0}};
    vectors_normal(1, COUNT, one);
    vectors_normal(1, COUNT, other);
    for (int64_t step = 1; step <= 5; step++) {
        vectors_normal(1 + (uint64_t)step, COUNT, drift);
        memcpy(before, drift, sizeof drift);
        outer_step(rule, step, COUNT, one, drift, states[0]);
        outer_step(rule, step, COUNT, other, drift, states[1]);
        ck_assert_mem_eq(drift, before, sizeof drift);
    }
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

/* A fragment has its own state: two halves are the whole. */
START_TEST(parameters_do_not_know_each_other)
{
    enum { HALF = COUNT / 2 };
    const struct outer_rule *rule = &rules[_i];
    real whole[COUNT], parts[COUNT], drift[COUNT], state[2 * COUNT] = {0}, first[2 * COUNT] = {0},
                                                             second[2 * COUNT] = {0};
    vectors_normal(1, COUNT, whole);
    memcpy(parts, whole, sizeof whole);
    for (int64_t step = 1; step <= 5; step++) {
        vectors_normal(1 + (uint64_t)step, COUNT, drift);
        outer_step(rule, step, COUNT, whole, drift, state);
        outer_step(rule, step, HALF, parts, drift, first);
        outer_step(rule, step, COUNT - HALF, parts + HALF, drift + HALF, second);
    }
    ck_assert_mem_eq(whole, parts, sizeof whole);
}
END_TEST

START_TEST(no_parameters_are_no_trouble)
{
    static const size_t parts[RULES] = {1, 0, 2, 2};
    ck_assert_uint_eq(outer_state_size(&rules[_i], 7), 7 * parts[_i]);
    ck_assert_uint_eq(outer_state_size(&rules[_i], 0), 0);
    outer_step(&rules[_i], 1, 0, NULL, NULL, NULL);
}
END_TEST

static Suite *outer_suite(void)
{
    Suite *suite = suite_create("outer");
    TCase *values = tcase_create("values");
    tcase_add_test(values, nesterov_does_as_worked_out_by_hand);
    tcase_add_test(values, averaging_follows_the_drift_to_its_end);
    tcase_add_test(values, adam_does_as_worked_out_by_hand);
    tcase_add_test(values, adam_has_defaults);
    tcase_add_test(values, delayed_nesterov_does_as_worked_out_by_hand);
    tcase_add_loop_test(values, each_does_as_the_textbook_does, 0, RULES);
    tcase_add_test(values, delayed_by_one_is_nesterov_to_the_bit);
    suite_add_tcase(suite, values);

    TCase *replicas = tcase_create("with inner optimisers");
    tcase_add_loop_test(replicas, one_replica_without_outer_momentum_is_the_inner_optimiser, 0,
                        sizeof optimisers / sizeof optimisers[0]);
    tcase_add_loop_test(replicas, replicas_find_the_mean_optimum, 0, RULES);
    suite_add_tcase(suite, replicas);

    TCase *all = tcase_create("all optimisers");
    tcase_add_loop_test(all, the_same_drifts_give_the_same_bits, 0, RULES);
    tcase_add_loop_test(all, parameters_do_not_know_each_other, 0, RULES);
    tcase_add_loop_test(all, no_parameters_are_no_trouble, 0, RULES);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(outer_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
