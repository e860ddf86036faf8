/*
 * What planted matrices determine: the numbers are known beforehand.
 */
#include "studies/determination.h"

#include <check.h>
#include <gsl/gsl_errno.h>
#include <math.h>

/* ROWS of COLUMNS numbers. */
static struct determination determination_of(const double *numbers, size_t rows, size_t columns)
{
    struct determination determination;
    struct error error = {.kind = ERROR_NONE};
    const gsl_matrix_const_view view = gsl_matrix_const_view_array(numbers, rows, columns);
    ck_assert(determination_find(&view.matrix, &determination, &error));
    return determination;
}

START_TEST(independent_fields_are_determined)
{
    static const double numbers[] = {30, 0, 0, 40, 0, 0};
    struct determination determination = determination_of(numbers, 3, 2);
    ck_assert(determination.determined[0] && determination.determined[1]);
    ck_assert_uint_eq(determination.combination_count, 0);
    ck_assert_double_eq_tol(determination.singular_values[0], 40, 1e-12);
    ck_assert_double_eq_tol(determination.singular_values[1], 30, 1e-12);
    ck_assert_double_eq_tol(gsl_matrix_get(determination.inverse, 0, 0), 1 / 30.0, 1e-12);
    ck_assert_double_eq_tol(gsl_matrix_get(determination.inverse, 1, 1), 1 / 40.0, 1e-12);
    ck_assert_double_eq_tol(gsl_matrix_get(determination.inverse, 1, 0), 0, 1e-12);
    determination_free(&determination);
}
END_TEST

/* The second column is the first times -2: half as much of it makes up for the first. */
START_TEST(a_pair_that_balances_is_named)
{
    static const double numbers[] = {10, -20, 0, 20, -40, 0, 5, -10, 50};
    struct determination determination = determination_of(numbers, 3, 3);
    ck_assert(!determination.determined[0] && !determination.determined[1]);
    ck_assert(determination.determined[2]);
    ck_assert_uint_eq(determination.combination_count, 1);
    ck_assert_double_eq_tol(determination.combinations[0].shares[0], 1, 1e-9);
    ck_assert_double_eq_tol(determination.combinations[0].shares[1], 0.5, 1e-9);
    ck_assert_double_eq(determination.combinations[0].shares[2], 0);
    ck_assert_double_lt(determination.combinations[0].independence, 1e-9);
    ck_assert_double_lt(determination.singular_values[2], 1e-9);
    determination_free(&determination);
}
END_TEST

/* At 11 degrees to each other columns are as near as the threshold allows: smallest value √(1 − cos α). */
START_TEST(the_threshold_is_where_it_is_said_to_be)
{
    for (int side = -1; side <= 1; side += 2) {
        double angle = acos(1 - pow(DETERMINATION_INDEPENDENCE * (1 + 0.01 * side), 2));
        const double numbers[] = {10, 10 * cos(angle), 0, 10 * sin(angle)};
        struct determination determination = determination_of(numbers, 2, 2);
        ck_assert_uint_eq(determination.combination_count, side < 0 ? 1U : 0U);
        determination_free(&determination);
    }
}
END_TEST

START_TEST(a_field_without_effect_is_no_combination)
{
    static const double numbers[] = {10, 0, 0, 20, 0, 0.7};
    struct determination determination = determination_of(numbers, 2, 3);
    ck_assert(determination.determined[0] && !determination.determined[1] && !determination.determined[2]);
    ck_assert_double_eq(determination.effects[1], 0);
    ck_assert_double_eq_tol(determination.effects[2], 0.7, 1e-12);
    ck_assert_uint_eq(determination.combination_count, 0);
    ck_assert_double_eq(gsl_matrix_get(determination.inverse, 2, 1), 0);
    determination_free(&determination);
}
END_TEST

START_TEST(more_fields_than_figures_are_not_all_determined)
{
    static const double numbers[] = {30, 40, 0};
    struct determination determination = determination_of(numbers, 1, 3);
    ck_assert_uint_eq(determination.combination_count, 1);
    ck_assert(!determination.determined[0] && !determination.determined[1] && !determination.determined[2]);
    /* 4 of the first and -3 of the second: 30 · 4 = 40 · 3 */
    ck_assert_double_eq_tol(determination.combinations[0].shares[0], 1, 1e-9);
    ck_assert_double_eq_tol(determination.combinations[0].shares[1], -0.75, 1e-9);
    /* the shortest way to change the figure by 1 */
    ck_assert_double_eq_tol(gsl_matrix_get(determination.inverse, 0, 0), 0.5 / 30, 1e-9);
    determination_free(&determination);
}
END_TEST

START_TEST(a_fit_follows_figures_by_their_leverage)
{
    static const double numbers[] = {3, 0, 4, 0, 0, 7};
    struct determination determination = determination_of(numbers, 3, 2);
    ck_assert_double_eq_tol(gsl_vector_get(determination.leverages, 0), 0.36, 1e-12);
    ck_assert_double_eq_tol(gsl_vector_get(determination.leverages, 1), 0.64, 1e-12);
    ck_assert_double_eq_tol(gsl_vector_get(determination.leverages, 2), 1, 1e-12);
    determination_free(&determination);
}
END_TEST

START_TEST(nothing_determines_nothing)
{
    static const double numbers[] = {0, 0};
    struct determination determination = determination_of(numbers, 2, 1);
    ck_assert(!determination.determined[0]);
    ck_assert_uint_eq(determination.combination_count, 0);
    determination_free(&determination);
}
END_TEST

int main(void)
{
    gsl_set_error_handler_off();
    Suite *suite = suite_create("determination");
    TCase *tests = tcase_create("determination");
    tcase_add_test(tests, independent_fields_are_determined);
    tcase_add_test(tests, a_pair_that_balances_is_named);
    tcase_add_test(tests, the_threshold_is_where_it_is_said_to_be);
    tcase_add_test(tests, a_field_without_effect_is_no_combination);
    tcase_add_test(tests, more_fields_than_figures_are_not_all_determined);
    tcase_add_test(tests, a_fit_follows_figures_by_their_leverage);
    tcase_add_test(tests, nothing_determines_nothing);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
