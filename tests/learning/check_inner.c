/*
 * Inner optimisers: against numbers worked out by hand, against the textbook's formulas in double precision,
 * Muon's iteration against singular values; and that each of them descends.
 */
#include "models/learning/inner.h"
#include "tests/learning/orthogonal.h"
#include "tests/learning/vectors.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct inner_config adamw(void)
{
    return (struct inner_config){.optimiser = INNER_ADAMW,
                                 .rate = 0.01,
                                 .adamw_rate = NAN,
                                 .warm_up_steps = 0,
                                 .decay_steps = PARAMETER_UNSET,
                                 .beta1 = 0.9,
                                 .beta2 = 0.99,
                                 .epsilon = 1e-8,
                                 .weight_decay = 0.1,
                                 .momentum = 0.9,
                                 .clip = INFINITY};
}

static struct inner_config of(enum learning_optimiser optimiser)
{
    struct inner_config config = adamw();
    config.optimiser = optimiser;
    return config;
}

/* All that a step needs but the gradient. */
struct learner {
    struct inner_config config;
    const struct tensor *tensors;
    size_t tensor_count, count, state_size;
    real *parameters, *state, *scratch;
};

static struct learner learner_of(struct inner_config config, const struct tensor *tensors,
                                 size_t tensor_count)
{
    struct learner learner = {.config = config, .tensors = tensors, .tensor_count = tensor_count};
    for (size_t i = 0; i < tensor_count; i++)
        learner.count += tensors[i].rows * tensors[i].columns;
    learner.state_size = inner_state_size(&config, learner.count);
    learner.parameters = vectors_zeros(learner.count);
    learner.state = vectors_zeros(learner.state_size);
    learner.scratch = vectors_zeros(inner_scratch_size(&config, tensors, tensor_count));
    vectors_normal(1, learner.count, learner.parameters);
    return learner;
}

static void learner_free(struct learner *learner)
{
    free(learner->parameters);
    free(learner->state);
    free(learner->scratch);
}

static void take_step(struct learner *learner, int64_t step, real *gradient)
{
    inner_step(&learner->config, learner->tensors, learner->tensor_count, step, step, learner->parameters,
               gradient, learner->state, learner->scratch);
}

/* The schedule */

/*
 * rate 0.8, 4 steps of warm-up, cosine to a tenth at step 12:
 *   step 1: 0.8/4 = 0.2;  step 4: 0.8
 *   step 6, a quarter of the way: share 0.1 + 0.45(1 + cos(π/4)) = 0.1 + 0.45·1.7071067811865476 =
 * 0.8681980515339464 step 8, half the way: share 0.1 + 0.45 = 0.55;  step 12 and later: 0.1
 */
START_TEST(the_rate_warms_up_and_follows_a_cosine)
{
    struct inner_config config = {.rate = 0.8, .warm_up_steps = 4, .decay_steps = 12, .final_share = 0.1};
    ck_assert_double_eq_tol(inner_rate(&config, 1), 0.2, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, 3), 0.6, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, 4), 0.8, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, 6), 0.8 * 0.8681980515339464, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, 8), 0.44, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, 12), 0.08, 1e-15);
    ck_assert_double_eq_tol(inner_rate(&config, INT64_MAX), 0.08, 1e-15);
}
END_TEST

START_TEST(the_rate_is_constant_without_a_decay)
{
    struct inner_config config = {.rate = 0.8, .decay_steps = PARAMETER_UNSET, .final_share = 0.1};
    ck_assert_double_eq(inner_rate(&config, 1), 0.8);
    ck_assert_double_eq(inner_rate(&config, INT64_MAX), 0.8);
    config.warm_up_steps = 2;
    ck_assert_double_eq(inner_rate(&config, 1), 0.4);
    ck_assert_double_eq(inner_rate(&config, 3), 0.8);
}
END_TEST

START_TEST(a_decay_within_the_warm_up_is_a_jump_after_it)
{
    struct inner_config config = {.rate = 0.8, .warm_up_steps = 4, .decay_steps = 2, .final_share = 0.25};
    ck_assert_double_eq(inner_rate(&config, 4), 0.8);
    ck_assert_double_eq(inner_rate(&config, 5), 0.2);
    config.decay_steps = 4;
    ck_assert_double_eq(inner_rate(&config, 4), 0.8);
    ck_assert_double_eq(inner_rate(&config, 5), 0.2);
}
END_TEST

START_TEST(what_muon_leaves_to_adamw_goes_by_the_same_schedule)
{
    struct inner_config config = {
        .rate = 0.8, .adamw_rate = NAN, .warm_up_steps = 4, .decay_steps = 12, .final_share = 0.1};
    for (int64_t step = 1; step < 15; step++)
        ck_assert_double_eq(inner_adamw_rate(&config, step), inner_rate(&config, step));
    config.adamw_rate = 0.4;
    for (int64_t step = 1; step < 15; step++)
        ck_assert_double_eq(inner_adamw_rate(&config, step), inner_rate(&config, step) / 2);
    config.adamw_rate = 0;
    ck_assert_double_eq(inner_adamw_rate(&config, 6), 0);
}
END_TEST

/* Clipping */

/* (3, 4) has the length 5: it is scaled by 1/(5 + 1e-6) = 0.19999996000000800. */
START_TEST(a_long_gradient_is_cut_to_the_limit)
{
    real gradient[] = {3, 4};
    inner_clip(1, 2, gradient);
    ck_assert_double_eq_tol((double)gradient[0], 0.599999880000024, CLOSE);
    ck_assert_double_eq_tol((double)gradient[1], 0.799999840000032, CLOSE);
}
END_TEST

START_TEST(a_short_gradient_is_left_alone)
{
    real gradient[] = {(real)0.3, (real)-0.4}, zeros[] = {0, 0};
    inner_clip(1, 2, gradient);
    inner_clip(1, 2, zeros);
    ck_assert(gradient[0] == (real)0.3 && gradient[1] == (real)-0.4);
    ck_assert(zeros[0] == 0 && zeros[1] == 0);
    gradient[0] = (real)1e9;
    inner_clip(INFINITY, 2, gradient);
    ck_assert(gradient[0] == (real)1e9);
    inner_clip((double)NAN, 2, gradient);
    ck_assert(gradient[0] == (real)1e9);
    inner_clip(1, 0, NULL);
}
END_TEST

START_TEST(what_is_not_a_number_spreads_when_clipped)
{
    real gradient[] = {1, (real)NAN, 2};
    inner_clip(1, 3, gradient);
    for (int i = 0; i < 3; i++)
        ck_assert(isnan(gradient[i]));
}
END_TEST

/* By hand */

static const struct tensor one_number[] = {{"x", TENSOR_VECTOR, 0, 1, 1}};

/*
 * rate 0.1, decay 0.1, β1 = 0.9, β2 = 0.75, ε = 0.5, θ = 1.
 *   g = 0.5:  m = 0.05, m̂ = 0.5;  v = 0.0625, v̂ = 0.25
 *             θ = 0.99·1 − 0.1·0.5/(0.5 + 0.5) = 0.94
 *   g = −1:   m = 0.05 − 0.1·1.05 = −0.055, m̂ = −0.055/0.19 = −0.28947368421052633
 *             v = 0.0625 + 0.25·0.9375 = 0.296875, v̂ = 0.296875/0.4375, √v̂ = 0.823754471047914
 *             θ = 0.99·0.94 + 0.1·0.28947368421052633/1.323754471047914 = 0.9524676265532362
 */
START_TEST(adamw_does_as_worked_out_by_hand)
{
    struct inner_config config = adamw();
    config.rate = 0.1;
    config.beta2 = 0.75;
    config.epsilon = 0.5;
    struct learner learner = learner_of(config, one_number, 1);
    learner.parameters[0] = 1;
    take_step(&learner, 1, (real[]){(real)0.5});
    ck_assert_double_eq_tol((double)learner.parameters[0], 0.94, CLOSE);
    take_step(&learner, 2, (real[]){-1});
    ck_assert_double_eq_tol((double)learner.parameters[0], 0.9524676265532362, CLOSE);
    ck_assert_double_eq_tol((double)learner.state[0], -0.055, CLOSE);
    ck_assert_double_eq_tol((double)learner.state[1], 0.296875, CLOSE);
    learner_free(&learner);
}
END_TEST

/*
 * rate 0.1, decay 0.1, momentum 0.5, θ = 2.
 *   g = 1:   b = 1 + 0.2 = 1.2;                     θ = 2 − 0.12 = 1.88
 *   g = −3:  b = 0.6 + (−3 + 0.188) = −2.212;       θ = 1.88 + 0.2212 = 2.1012
 */
START_TEST(sgd_does_as_worked_out_by_hand)
{
    struct inner_config config = of(INNER_SGD);
    config.rate = 0.1;
    config.momentum = 0.5;
    struct learner learner = learner_of(config, one_number, 1);
    learner.parameters[0] = 2;
    take_step(&learner, 1, (real[]){1});
    ck_assert_double_eq_tol((double)learner.parameters[0], 1.88, 2 * CLOSE);
    take_step(&learner, 2, (real[]){-3});
    ck_assert_double_eq_tol((double)learner.parameters[0], 2.1012, 2 * CLOSE);
    learner_free(&learner);
}
END_TEST

/*
 * A matrix of rank one has one singular value, here its norm 3, which becomes 1 (less 1e-7/3). The polynomial
 * at 1 is the coefficients' sum, 0.701; five times from 1 it gives
 *   0.701, 1.1136202164814628, 0.72070594993713, 1.0899742015093417, 0.6964364094697522.
 */
START_TEST(muon_does_as_worked_out_by_hand)
{
    real matrix[6] = {0, 0, 3, 0, 0, 0}, scratch[6 + 2 * 4];
    inner_orthogonalise(matrix, 2, 3, scratch);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol((double)matrix[i], i == 2 ? 0.6964364094697522 : 0, 2e-6);
}
END_TEST

/* Against the textbook */

enum { COUNT = 1003, STEPS = 20 };
static const struct tensor some_vector[] = {{"x", TENSOR_VECTOR, 0, COUNT, 1}};

/* Loshchilov and Hutter's Algorithm 2 on one parameter. */
static void textbook_adamw(const struct inner_config *config, int64_t step, double g, double *theta,
                           double *m, double *v)
{
    const double rate = inner_rate(config, step);
    *m = config->beta1 * *m + (1 - config->beta1) * g;
    *v = config->beta2 * *v + (1 - config->beta2) * g * g;
    const double mean = *m / (1 - pow(config->beta1, (double)step));
    const double square = *v / (1 - pow(config->beta2, (double)step));
    *theta -= rate * (mean / (sqrt(square) + config->epsilon) + config->weight_decay * *theta);
}

static void textbook_sgd(const struct inner_config *config, int64_t step, double g, double *theta, double *b)
{
    *b = config->momentum * *b + g + config->weight_decay * *theta;
    *theta -= inner_rate(config, step) * *b;
}

static void scheduled(struct inner_config *config)
{
    config->warm_up_steps = 5;
    config->decay_steps = 18;
    config->final_share = 0.1;
    config->clip = 10; /* of about 32 */
}

/* Runs both; returns how far the optimiser is off. */
static double against_textbook(struct inner_config config)
{
    scheduled(&config);
    struct learner learner = learner_of(config, some_vector, 1);
    real *gradient = vectors_zeros(COUNT);
    double *theta = vectors_widen(COUNT, learner.parameters), *m = vectors_wide_zeros(COUNT),
           *v = vectors_wide_zeros(COUNT);
    for (int64_t step = 1; step <= STEPS; step++) {
        vectors_normal(100 + (uint64_t)step, COUNT, gradient);
        double length = 0;
        for (size_t i = 0; i < COUNT; i++)
            length += (double)gradient[i] * (double)gradient[i];
        const double scale = fmin(1, config.clip / (sqrt(length) + 1e-6));
        for (size_t i = 0; i < COUNT; i++)
            if (config.optimiser == INNER_SGD)
                textbook_sgd(&config, step, scale * (double)gradient[i], &theta[i], &m[i]);
            else
                textbook_adamw(&config, step, scale * (double)gradient[i], &theta[i], &m[i], &v[i]);
        take_step(&learner, step, gradient);
    }
    const double error = vectors_error(COUNT, learner.parameters, theta);
    learner_free(&learner);
    free(gradient);
    free(theta);
    free(m);
    free(v);
    return error;
}

START_TEST(adamw_and_sgd_do_as_the_textbook_does)
{
    ck_assert_double_lt(against_textbook(of(INNER_ADAMW)), CLOSE);
    ck_assert_double_lt(against_textbook(of(INNER_SGD)), CLOSE);
}
END_TEST

/* Muon */

/* Rounding in directions where a matrix has next to nothing grows by the polynomial's slope at 0, five times:
 * 3.4445^5 = 485. */
#define ORTHOGONAL_CLOSE (100 * CLOSE)

static const size_t shapes[][2] = {{5, 5}, {8, 3}, {3, 8}, {1, 6}, {6, 1}, {1, 1}, {32, 16}, {24, 48}};

START_TEST(orthogonalisation_sends_singular_values_where_the_polynomial_does)
{
    const size_t rows = shapes[_i][0], columns = shapes[_i][1], least = rows < columns ? rows : columns;
    real *matrix = vectors_zeros(rows * columns);
    real *scratch = vectors_zeros(rows * columns + 2 * least * least);
    vectors_normal(7, rows * columns, matrix);
    double *given = vectors_widen(rows * columns, matrix), *wanted = vectors_wide_zeros(rows * columns);
    orthogonal_by_values(given, rows, columns, wanted);
    inner_orthogonalise(matrix, rows, columns, scratch);
    ck_assert_double_lt(vectors_error(rows * columns, matrix, wanted), ORTHOGONAL_CLOSE);
    free(matrix);
    free(scratch);
    free(given);
    free(wanted);
}
END_TEST

/* The band that the header promises. */
START_TEST(singular_values_end_near_one)
{
    for (double value = 0.01; value <= 1; value *= 1.001) {
        ck_assert_double_gt(orthogonal_value(value), 0.68);
        ck_assert_double_lt(orthogonal_value(value), 1.14);
    }
}
END_TEST

/* XᵀX of the result is the unit matrix as far as the band goes: eigenvalues within 0.68² … 1.14². So for any
 * vector its length changes by a factor within 0.68 … 1.14. */
START_TEST(the_result_turns_vectors_and_hardly_stretches_them)
{
    enum { SIDE = 20 };
    real matrix[SIDE * SIDE], scratch[3 * SIDE * SIDE], vector[SIDE];
    vectors_normal(8, SIDE * SIDE, matrix);
    for (size_t i = 0; i < SIDE; i++)
        matrix[i * SIDE + i] += 4; /* no singular value below 0.01 of the norm */
    inner_orthogonalise(matrix, SIDE, SIDE, scratch);
    for (uint64_t trial = 0; trial < 50; trial++) {
        double before = 0, after = 0;
        vectors_normal(9 + trial, SIDE, vector);
        for (size_t i = 0; i < SIDE; i++) {
            double image = 0;
            for (size_t j = 0; j < SIDE; j++)
                image += (double)(matrix[i * SIDE + j] * vector[j]);
            after += image * image;
            before += (double)(vector[i] * vector[i]);
        }
        ck_assert_double_ge(sqrt(after / before), 0.68);
        ck_assert_double_le(sqrt(after / before), 1.14);
    }
}
END_TEST

START_TEST(nothing_to_orthogonalise_is_left_alone)
{
    real matrix[4] = {0}, scratch[12];
    inner_orthogonalise(matrix, 2, 2, scratch);
    for (int i = 0; i < 4; i++)
        ck_assert(matrix[i] == 0);
    inner_orthogonalise(NULL, 0, 4, NULL);
    inner_orthogonalise(NULL, 4, 0, NULL);
}
END_TEST

/* A tall and a wide matrix, an embedding and a vector, in no order of their places. */
static const struct tensor mixed[] = {{"tall", TENSOR_MATRIX, 20, 12, 4},
                                      {"embedding", TENSOR_EMBEDDING, 0, 5, 4},
                                      {"wide", TENSOR_MATRIX, 75, 3, 9},
                                      {"bias", TENSOR_VECTOR, 68, 7, 1}};
enum { MIXED_COUNT = 102 };

/* b ← μb + (1−μ)g; u = (1−μ)g + μb; θ ← θ − ρ·decay·θ − ρ·√max(1, rows/columns)·O(u). */
static void textbook_muon(const struct inner_config *config, int64_t step, const struct tensor *tensor,
                          const double *g, double *theta, double *b)
{
    const size_t count = tensor->rows * tensor->columns;
    const double rate = inner_rate(config, step);
    const double shape = sqrt(fmax(1, (double)tensor->rows / (double)tensor->columns));
    double *u = vectors_wide_zeros(count), *orthogonal = vectors_wide_zeros(count);
    for (size_t i = 0; i < count; i++) {
        b[i] = config->momentum * b[i] + (1 - config->momentum) * g[i];
        u[i] = (1 - config->momentum) * g[i] + config->momentum * b[i];
    }
    orthogonal_by_values(u, tensor->rows, tensor->columns, orthogonal);
    for (size_t i = 0; i < count; i++)
        theta[i] -= rate * (config->weight_decay * theta[i] + shape * orthogonal[i]);
    free(u);
    free(orthogonal);
}

static void textbook_step(const struct inner_config *config, int64_t step, const double *g, double *theta,
                          double *m, double *v)
{
    struct inner_config rest = *config;
    if (!isnan(config->adamw_rate))
        rest.rate = config->adamw_rate;
    for (size_t t = 0; t < 4; t++) {
        const size_t first = mixed[t].offset;
        if (mixed[t].role == TENSOR_MATRIX)
            textbook_muon(config, step, &mixed[t], g + first, theta + first, m + first);
        else
            for (size_t i = first; i < first + mixed[t].rows * mixed[t].columns; i++)
                textbook_adamw(&rest, step, g[i], &theta[i], &m[i], &v[i]);
    }
}

static const double adamw_rates[] = {NAN, 0.003, 0};

START_TEST(muon_does_as_its_definition_does)
{
    struct inner_config config = of(INNER_MUON);
    config.warm_up_steps = 3;
    config.adamw_rate = adamw_rates[_i];
    struct learner learner = learner_of(config, mixed, 4);
    ck_assert_uint_eq(learner.count, MIXED_COUNT);
    real gradient[MIXED_COUNT];
    double *theta = vectors_widen(MIXED_COUNT, learner.parameters), *m = vectors_wide_zeros(MIXED_COUNT),
           *v = vectors_wide_zeros(MIXED_COUNT);
    for (int64_t step = 1; step <= 10; step++) {
        vectors_normal(40 + (uint64_t)step, MIXED_COUNT, gradient);
        double *g = vectors_widen(MIXED_COUNT, gradient);
        textbook_step(&config, step, g, theta, m, v);
        take_step(&learner, step, gradient);
        free(g);
    }
    ck_assert_double_lt(vectors_error(MIXED_COUNT, learner.parameters, theta), 3 * CLOSE);
    learner_free(&learner);
    free(theta);
    free(m);
    free(v);
}
END_TEST

/* All of them */

START_TEST(the_others_have_one_rate)
{
    struct inner_config plain = of(_i == 0 ? INNER_ADAMW : INNER_SGD), other = plain;
    other.adamw_rate = 1;
    struct learner one = learner_of(plain, mixed, 4), two = learner_of(other, mixed, 4);
    real gradient[MIXED_COUNT];
    vectors_normal(30, MIXED_COUNT, gradient);
    take_step(&one, 1, gradient);
    take_step(&two, 1, gradient);
    ck_assert_mem_eq(one.parameters, two.parameters, one.count * sizeof(real));
    learner_free(&one);
    learner_free(&two);
}
END_TEST

static const enum learning_optimiser optimisers[] = {INNER_ADAMW, INNER_SGD, INNER_MUON};

/* ½Σ c(θ − 1)², curvatures c from 0.1 to 1. */
static double quadratic(size_t count, const real *theta, real *gradient)
{
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        const double curvature = pow(10, -(double)(i % 10) / 9), off = (double)theta[i] - 1;
        loss += 0.5 * curvature * off * off;
        gradient[i] = (real)(curvature * off);
    }
    return loss;
}

START_TEST(each_descends_a_quadratic)
{
    struct inner_config config = of(optimisers[_i]);
    config.rate = 0.1;
    config.weight_decay = 0;
    config.decay_steps = 400;
    struct learner learner = learner_of(config, mixed, 4);
    real gradient[MIXED_COUNT];
    const double at_first = quadratic(MIXED_COUNT, learner.parameters, gradient);
    for (int64_t step = 1; step <= 400; step++) {
        take_step(&learner, step, gradient);
        quadratic(MIXED_COUNT, learner.parameters, gradient);
    }
    ck_assert_double_lt(quadratic(MIXED_COUNT, learner.parameters, gradient), 1e-4 * at_first);
    learner_free(&learner);
}
END_TEST

/* Continues from STATE at step 4 to step 8. */
static void go_on(struct learner *learner)
{
    real gradient[MIXED_COUNT];
    for (int64_t step = 4; step <= 8; step++) {
        vectors_normal(60 + (uint64_t)step, MIXED_COUNT, gradient);
        take_step(learner, step, gradient);
    }
}

/* Recovery from a peer: parameters and state are all that there is. */
START_TEST(a_copy_goes_on_to_the_same_bits)
{
    struct inner_config config = of(optimisers[_i]);
    config.clip = 5;
    struct learner one = learner_of(config, mixed, 4), other = learner_of(config, mixed, 4);
    real gradient[MIXED_COUNT];
    for (int64_t step = 1; step <= 3; step++) {
        vectors_normal(60 + (uint64_t)step, MIXED_COUNT, gradient);
        take_step(&one, step, gradient);
    }
    memcpy(other.parameters, one.parameters, one.count * sizeof(real));
    memcpy(other.state, one.state, one.state_size * sizeof(real));
    go_on(&one);
    go_on(&other);
    ck_assert_mem_eq(one.parameters, other.parameters, one.count * sizeof(real));
    ck_assert_mem_eq(one.state, other.state, one.state_size * sizeof(real));
    inner_state_clear(one.state, one.state_size);
    for (size_t i = 0; i < one.state_size; i++)
        ck_assert(one.state[i] == 0);
    learner_free(&one);
    learner_free(&other);
}
END_TEST

/* The schedule goes on where the state is cleared, and what is corrected for the state's start begins anew.
 */
START_TEST(a_cleared_state_is_young_at_any_step)
{
    struct inner_config first = of(optimisers[_i]), later = first;
    real gradient[MIXED_COUNT], same[MIXED_COUNT];
    first.warm_up_steps = 0;
    first.rate /= 4;
    later.warm_up_steps = 400;
    struct learner one = learner_of(first, mixed, 4), other = learner_of(later, mixed, 4);
    for (int64_t age = 1; age <= 3; age++) {
        vectors_normal((uint64_t)age, MIXED_COUNT, gradient);
        memcpy(same, gradient, sizeof same);
        take_step(&one, age, gradient);
        inner_step(&later, other.tensors, other.tensor_count, 100, age, other.parameters, same, other.state,
                   other.scratch);
    }
    ck_assert_mem_eq(one.parameters, other.parameters, one.count * sizeof(real));
    ck_assert_mem_eq(one.state, other.state, one.state_size * sizeof(real));
    learner_free(&one);
    learner_free(&other);
}
END_TEST

START_TEST(no_parameters_are_no_trouble)
{
    struct inner_config config = of(optimisers[_i]);
    config.clip = 1;
    ck_assert_uint_eq(inner_state_size(&config, 0), 0);
    ck_assert_uint_eq(inner_scratch_size(&config, NULL, 0), 0);
    inner_step(&config, NULL, 0, 1, 1, NULL, NULL, NULL, NULL);
}
END_TEST

/* A gradient that is not a number is seen in the parameters, whatever the optimiser. */
START_TEST(divergence_shows)
{
    struct inner_config config = of(optimisers[_i]);
    struct learner learner = learner_of(config, mixed, 4);
    real gradient[MIXED_COUNT];
    vectors_normal(5, MIXED_COUNT, gradient);
    gradient[20] = (real)NAN;
    take_step(&learner, 1, gradient);
    ck_assert(isnan(learner.parameters[20]));
    learner_free(&learner);
}
END_TEST

static Suite *inner_suite(void)
{
    Suite *suite = suite_create("inner");
    TCase *shared = tcase_create("schedule and clipping");
    tcase_add_test(shared, the_rate_warms_up_and_follows_a_cosine);
    tcase_add_test(shared, the_rate_is_constant_without_a_decay);
    tcase_add_test(shared, a_decay_within_the_warm_up_is_a_jump_after_it);
    tcase_add_test(shared, what_muon_leaves_to_adamw_goes_by_the_same_schedule);
    tcase_add_test(shared, a_long_gradient_is_cut_to_the_limit);
    tcase_add_test(shared, a_short_gradient_is_left_alone);
    tcase_add_test(shared, what_is_not_a_number_spreads_when_clipped);
    suite_add_tcase(suite, shared);

    TCase *values = tcase_create("values");
    tcase_add_test(values, adamw_does_as_worked_out_by_hand);
    tcase_add_test(values, sgd_does_as_worked_out_by_hand);
    tcase_add_test(values, muon_does_as_worked_out_by_hand);
    tcase_add_test(values, adamw_and_sgd_do_as_the_textbook_does);
    tcase_add_loop_test(values, muon_does_as_its_definition_does, 0,
                        sizeof adamw_rates / sizeof adamw_rates[0]);
    suite_add_tcase(suite, values);

    TCase *muon = tcase_create("orthogonalisation");
    tcase_add_loop_test(muon, orthogonalisation_sends_singular_values_where_the_polynomial_does, 0,
                        sizeof shapes / sizeof shapes[0]);
    tcase_add_test(muon, singular_values_end_near_one);
    tcase_add_test(muon, the_result_turns_vectors_and_hardly_stretches_them);
    tcase_add_test(muon, nothing_to_orthogonalise_is_left_alone);
    suite_add_tcase(suite, muon);

    TCase *all = tcase_create("all optimisers");
    tcase_add_loop_test(all, the_others_have_one_rate, 0, 2);
    const int count = sizeof optimisers / sizeof optimisers[0];
    tcase_add_loop_test(all, each_descends_a_quadratic, 0, count);
    tcase_add_loop_test(all, a_copy_goes_on_to_the_same_bits, 0, count);
    tcase_add_loop_test(all, a_cleared_state_is_young_at_any_step, 0, count);
    tcase_add_loop_test(all, no_parameters_are_no_trouble, 0, count);
    tcase_add_loop_test(all, divergence_shows, 0, count);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(inner_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
