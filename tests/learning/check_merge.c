/*
 * Merges: against numbers worked out by hand, the formulas in double precision, and what they promise of
 * lengths, zeros and bits.
 */
#include "models/learning/outer.h"
#include "models/learning/vector_length.h"
#include "tests/learning/vectors.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 517, MOST = 16 };

static const enum merge_rule rules[] = {MERGE_MEAN, MERGE_RDA, MERGE_RDA_ALL};

struct drifts {
    real values[MOST][COUNT];
    const real *all[MOST];
    double weights[MOST];
};

static struct drifts random_drifts(void)
{
    struct drifts drifts;
    for (size_t k = 0; k < MOST; k++) {
        vectors_normal(k, COUNT, drifts.values[k]);
        for (size_t i = 0; i < COUNT; i++)
            drifts.values[k][i] *= (real)(k + 1); /* of different lengths */
        drifts.weights[k] = 1 + (double)(k % 5);
    }
    return drifts;
}

static void merge(enum merge_rule rule, enum tensor_role role, size_t n, struct drifts *drifts, real *merged)
{
    real scratch[COUNT];
    for (size_t k = 0; k < n; k++)
        drifts->all[k] = drifts->values[k];
    merge_drifts(rule, role, n, drifts->all, drifts->weights, COUNT, merged, scratch);
}

/* By hand: two drifts of two numbers. */
static void merges_to(enum merge_rule rule, const real one[2], const real other[2], const double weights[2],
                      double first, double second)
{
    real merged[2], scratch[2];
    merge_drifts(rule, TENSOR_MATRIX, 2, (const real *const[]){one, other}, weights, 2, merged, scratch);
    ck_assert_double_eq_tol((double)merged[0], first, 10 * CLOSE);
    ck_assert_double_eq_tol((double)merged[1], second, 10 * CLOSE);
}

START_TEST(the_mean_does_as_worked_out_by_hand)
{
    merges_to(MERGE_MEAN, (real[]){3, 4}, (real[]){0, -10}, (double[]){1, 3}, 0.75, -6.5);
}
END_TEST

/*
 * Weights 1/4, 3/4; lengths 5, 10; units (0.6, 0.8), (0, −1).
 *   mean length 8.75; mean of the units (0.15, −0.55), of length √0.325 = 0.5700877125495690
 *   8.75/0.570087712549569 · (0.15, −0.55) = (2.302277300680952, −8.44168343583016)
 */
START_TEST(radial_directional_does_as_worked_out_by_hand)
{
    merges_to(MERGE_RDA, (real[]){3, 4}, (real[]){0, -10}, (double[]){1, 3}, 2.302277300680952,
              -8.44168343583016);
}
END_TEST

/* 0 counts by its length, not by a direction: 2.5 along (0.6, 0.8). */
START_TEST(a_drift_of_zero_shortens_and_does_not_turn)
{
    merges_to(MERGE_RDA, (real[]){3, 4}, (real[]){0, 0}, (double[]){1, 1}, 1.5, 2);
    merges_to(MERGE_RDA, (real[]){0, 0}, (real[]){0, 0}, (double[]){1, 1}, 0, 0);
}
END_TEST

START_TEST(directions_that_cancel_give_nothing)
{
    merges_to(MERGE_RDA, (real[]){3, 4}, (real[]){-6, -8}, (double[]){1, 1}, 0, 0);
}
END_TEST

/* The formulas, in double precision. */
static void textbook(enum merge_rule rule, size_t n, const struct drifts *drifts, double *merged)
{
    double total = 0, mean_length = 0, length = 0;
    for (size_t k = 0; k < n; k++)
        total += drifts->weights[k];
    for (size_t k = 0; k < n; k++) {
        double squares = 0;
        for (size_t i = 0; i < COUNT; i++)
            squares += (double)drifts->values[k][i] * (double)drifts->values[k][i];
        mean_length += drifts->weights[k] / total * sqrt(squares);
        for (size_t i = 0; i < COUNT; i++)
            merged[i] += drifts->weights[k] / total * (double)drifts->values[k][i] /
                         (rule == MERGE_MEAN ? 1 : sqrt(squares));
    }
    if (rule == MERGE_MEAN)
        return;
    for (size_t i = 0; i < COUNT; i++)
        length += merged[i] * merged[i];
    for (size_t i = 0; i < COUNT; i++)
        merged[i] *= mean_length / sqrt(length);
}

START_TEST(each_does_as_the_textbook_does)
{
    struct drifts drifts = random_drifts();
    for (size_t n = 1; n <= MOST; n++) {
        real merged[COUNT];
        double *wanted = vectors_wide_zeros(COUNT);
        merge(rules[_i], TENSOR_MATRIX, n, &drifts, merged);
        textbook(rules[_i], n, &drifts, wanted);
        ck_assert_double_lt(vectors_error(COUNT, merged, wanted), CLOSE);
        free(wanted);
    }
}
END_TEST

/* Sixteen directions that have little to do with each other: the mean is about a quarter as long as they are,
 * the radial-directional average as long as they are in the mean. */
START_TEST(only_the_mean_shrinks_with_learners)
{
    struct drifts drifts = random_drifts();
    double mean_length = 0, weights = 0;
    for (size_t k = 0; k < MOST; k++) {
        mean_length += drifts.weights[k] * vector_length(COUNT, drifts.values[k]);
        weights += drifts.weights[k];
    }
    mean_length /= weights;
    real merged[COUNT];
    merge(MERGE_RDA, TENSOR_VECTOR, MOST, &drifts, merged);
    ck_assert_double_eq_tol(vector_length(COUNT, merged), mean_length, CLOSE * mean_length);
    merge(MERGE_MEAN, TENSOR_VECTOR, MOST, &drifts, merged);
    ck_assert_double_lt(vector_length(COUNT, merged), 0.4 * mean_length);
}
END_TEST

START_TEST(embeddings_are_averaged_unless_told_otherwise)
{
    struct drifts drifts = random_drifts();
    real mean[COUNT], embedding[COUNT], matrix[COUNT], all[COUNT];
    merge(MERGE_MEAN, TENSOR_EMBEDDING, 5, &drifts, mean);
    merge(MERGE_RDA, TENSOR_EMBEDDING, 5, &drifts, embedding);
    merge(MERGE_RDA, TENSOR_MATRIX, 5, &drifts, matrix);
    merge(MERGE_RDA_ALL, TENSOR_EMBEDDING, 5, &drifts, all);
    ck_assert_mem_eq(mean, embedding, sizeof mean);
    ck_assert_mem_eq(matrix, all, sizeof matrix);
    ck_assert_mem_ne(mean, all, sizeof mean);
}
END_TEST

START_TEST(the_mean_of_one_is_itself_to_the_bit)
{
    struct drifts drifts = random_drifts();
    real merged[COUNT];
    drifts.weights[0] = 0.3;
    merge(MERGE_MEAN, TENSOR_MATRIX, 1, &drifts, merged);
    ck_assert_mem_eq(merged, drifts.values[0], sizeof merged);
}
END_TEST

/* The absent: whatever stands in their place. */
START_TEST(a_drift_of_weight_zero_is_not_read)
{
    struct drifts drifts = random_drifts(), without = drifts;
    real merged[COUNT], wanted[COUNT];
    merge(rules[_i], TENSOR_MATRIX, 3, &without, wanted);
    drifts.weights[3] = 0;
    drifts.values[3][0] = (real)NAN;
    merge(rules[_i], TENSOR_MATRIX, 4, &drifts, merged);
    ck_assert_mem_eq(merged, wanted, sizeof merged);
}
END_TEST

START_TEST(the_same_participants_give_the_same_bits)
{
    struct drifts drifts = random_drifts();
    real one[COUNT], other[COUNT];
    merge(rules[_i], TENSOR_MATRIX, MOST, &drifts, one);
    for (size_t k = 0; k < MOST; k++)
        drifts.weights[k] *= 8; /* tokens in another unit */
    merge(rules[_i], TENSOR_MATRIX, MOST, &drifts, other);
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

START_TEST(the_result_may_take_a_drift_s_place)
{
    struct drifts drifts = random_drifts();
    real wanted[COUNT];
    merge(rules[_i], TENSOR_MATRIX, 6, &drifts, wanted);
    merge(rules[_i], TENSOR_MATRIX, 6, &drifts, drifts.values[2]);
    ck_assert_mem_eq(drifts.values[2], wanted, sizeof wanted);
}
END_TEST

START_TEST(divergence_shows)
{
    struct drifts drifts = random_drifts();
    real merged[COUNT];
    drifts.values[1][7] = (real)NAN;
    merge(rules[_i], TENSOR_MATRIX, 3, &drifts, merged);
    ck_assert(isnan(merged[7]));
    drifts.values[1][7] = (real)INFINITY;
    merge(rules[_i], TENSOR_MATRIX, 3, &drifts, merged);
    ck_assert(!isfinite(merged[7]));
}
END_TEST

START_TEST(an_empty_tensor_is_no_trouble)
{
    merge_drifts(rules[_i], TENSOR_MATRIX, 1, (const real *const[]){NULL}, (double[]){1}, 0, NULL, NULL);
}
END_TEST

/* Drifts so short that their units' factors fit no float. */
START_TEST(short_drifts_keep_their_directions)
{
    real merged[2], scratch[2], one[] = {(real)3e-39, 0}, other[] = {0, (real)3e-39};
    merge_drifts(MERGE_RDA, TENSOR_MATRIX, 2, (const real *const[]){one, other}, (double[]){1, 1}, 2, merged,
                 scratch);
    ck_assert_double_eq_tol((double)merged[0] / (double)one[0], M_SQRT1_2, 1e-5);
    ck_assert_double_eq_tol((double)merged[1] / (double)other[1], M_SQRT1_2, 1e-5);
}
END_TEST

/* The length: 3² + 4² + 12² + 84² = 85², at any place in the vector. */
START_TEST(lengths_are_euclidean)
{
    real vector[40] = {0};
    ck_assert_double_eq(vector_length(0, NULL), 0);
    ck_assert_double_eq(vector_length(40, vector), 0);
    vector[0] = 3, vector[9] = -4, vector[31] = 12, vector[38] = 84;
    ck_assert_double_eq_tol(vector_length(40, vector), 85, 1e-12);
    ck_assert_double_eq_tol(vector_length(38, vector), 13, 1e-12);
    vector[39] = (real)INFINITY;
    ck_assert(isinf(vector_length(40, vector)));
}
END_TEST

static Suite *merge_suite(void)
{
    Suite *suite = suite_create("merge");
    TCase *values = tcase_create("values");
    tcase_add_test(values, lengths_are_euclidean);
    tcase_add_test(values, the_mean_does_as_worked_out_by_hand);
    tcase_add_test(values, radial_directional_does_as_worked_out_by_hand);
    tcase_add_test(values, a_drift_of_zero_shortens_and_does_not_turn);
    tcase_add_test(values, directions_that_cancel_give_nothing);
    tcase_add_test(values, only_the_mean_shrinks_with_learners);
    tcase_add_test(values, embeddings_are_averaged_unless_told_otherwise);
    tcase_add_test(values, the_mean_of_one_is_itself_to_the_bit);
    tcase_add_test(values, short_drifts_keep_their_directions);
    suite_add_tcase(suite, values);

    TCase *all = tcase_create("all rules");
    const int count = sizeof rules / sizeof rules[0];
    tcase_add_loop_test(all, each_does_as_the_textbook_does, 0, count);
    tcase_add_loop_test(all, a_drift_of_weight_zero_is_not_read, 0, count);
    tcase_add_loop_test(all, the_same_participants_give_the_same_bits, 0, count);
    tcase_add_loop_test(all, the_result_may_take_a_drift_s_place, 0, count);
    tcase_add_loop_test(all, divergence_shows, 0, count);
    tcase_add_loop_test(all, an_empty_tensor_is_no_trouble, 0, count);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(merge_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
