#include "results/base_values.h"
#include "results/sensitivity.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;

/* Of which the made-up study is one. */
static void set_scenario(const char *text)
{
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(store_connection(store), "update study set scenario = ?1", -1, &statement, NULL);
    sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
}

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "made-up");
    set_scenario("name: made-up\n"
                 "cluster: {chips: 1000}\n"
                 "failures:\n"
                 "  chip:\n"
                 "    mtbi: 10 d\n"
                 "strategies:\n"
                 "  - {name: a, learners: 1}\n"
                 "  - {name: a.b, learners: 4}\n");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

/* Replications whose goodput is BASE and CHANGE, the noise of a replication being that of the base. */
static void add(const char *strategy, const char *point, double change, double own_noise,
                int64_t replications)
{
    for (int64_t i = 0; i < replications; i++) {
        const struct fixture_run run = {.strategy = strategy,
                                        .point = point,
                                        .replication = i,
                                        .chips = 1000,
                                        .seconds = 86400,
                                        .goodput = 0.5 + 0.05 * (double)i + change +
                                                   (i % 2 ? own_noise : -own_noise),
                                        .uptime = 1,
                                        .steps = 100,
                                        .failures = 1};
        fixture_add_runs(store, study, &run, 1);
    }
}

static void add_study(int64_t replications)
{
    add("a.b", "{}", 0, 0, replications);
    add("a.b", "{\"cluster.chips\":900}", 0.04, 0, replications);
    add("a.b", "{\"cluster.chips\":1100}", -0.03, 0, replications);
    add("a.b", "{\"failures.chip.mtbi\":\"216 h\"}", -0.05, 0, replications);
    add("a.b", "{\"failures.chip.mtbi\":\"11 d\"}", 0.045, 0, replications);
    add("a.b", "{\"strategies.a.b.learners\":5}", 0.01, 0, replications);
    add("a.b", "{\"workload.noise\":9}", 0.001, 0.2, replications);
    add("a.b", "{\"workload.noise\":11}", 0, 0.2, replications);
    add("a.b", "{\"workload.nothing\":9}", 0, 0, replications);
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
}

static struct sensitivity *rank(struct outline **outline)
{
    struct error error = {0};
    *outline = outline_create(store, study, &error);
    ck_assert_msg(*outline != NULL, "%s", error.message);
    ck_assert(sensitivity_is_study(*outline));
    struct sensitivity *sensitivity = sensitivity_create(store, *outline, "a.b", "goodput", &error);
    ck_assert_msg(sensitivity != NULL, "%s", error.message);
    return sensitivity;
}

START_TEST(numbers_are_ranked_by_what_they_change)
{
    struct outline *outline;
    add_study(4);
    struct sensitivity *ranked = rank(&outline);
    static const char *const paths[] = {"failures.chip.mtbi", "cluster.chips", "strategies.a.b.learners"};
    ck_assert_uint_eq(ranked->count, 5);
    ck_assert_uint_eq(ranked->felt, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(ranked->rows[i].path, paths[i]);
    ck_assert_str_eq(ranked->rows[3].path, "workload.noise");
    ck_assert(!ranked->rows[3].felt && ranked->rows[3].span > 0);
    ck_assert_double_eq_tol(ranked->base, 0.575, 1e-9);
    ck_assert_int_eq(ranked->pairs, 4);
    sensitivity_destroy(ranked);
    outline_destroy(outline);
}
END_TEST

START_TEST(sides_have_values_differences_and_elasticity)
{
    struct outline *outline;
    add_study(4);
    struct sensitivity *ranked = rank(&outline);
    const struct sensitivity_row *row = &ranked->rows[0];
    ck_assert_str_eq(row->base, "10 d");
    ck_assert_str_eq(row->sides[0].value, "9 d"); /* 216 h */
    ck_assert_str_eq(row->sides[1].value, "11 d");
    ck_assert_double_eq_tol(row->sides[0].difference, -0.05, 1e-9);
    ck_assert_double_eq_tol(row->sides[1].high, 0.045, 1e-6); /* pairs have their noise in common */
    ck_assert_double_eq_tol(row->span, 0.095, 1e-9);
    ck_assert_double_eq_tol(row->elasticity, 0.095 / 0.575 / 0.2, 1e-6);
    row = &ranked->rows[2];
    ck_assert_str_eq(row->base, "4"); /* of the item with the longest name */
    ck_assert_str_eq(row->sides[0].value, "");
    ck_assert_str_eq(row->sides[1].value, "5");
    ck_assert_double_eq_tol(row->elasticity, 0.01 / 0.575 / 0.25, 1e-6);
    ck_assert(isnan(ranked->rows[4].elasticity)); /* its base is not known */
    sensitivity_destroy(ranked);
    outline_destroy(outline);
}
END_TEST

START_TEST(the_table_has_what_is_felt)
{
    struct error error = {0};
    add_study(4);
    char *table = sensitivity_table(store, study, "goodput", &error);
    ck_assert_msg(table != NULL, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(table, "a.b: goodput 57.50 %\n"));
    ck_assert_ptr_nonnull(strstr(table, "failures.chip.mtbi        10 d    9 d  -5.000 ± 0.000    11 d"));
    ck_assert_ptr_nonnull(strstr(table, "+0.826\n"));
    ck_assert_ptr_nonnull(strstr(table, "2 of 5 parameters change nothing beyond the noise."));
    ck_assert_ptr_null(strstr(table, "workload.noise"));
    free(table);
    ck_assert_ptr_null(sensitivity_table(store, study, "bogus", &error));
    ck_assert_ptr_nonnull(strstr(error.message, "no two points with the metric \"bogus\""));
}
END_TEST

/* Nothing tells a difference of one pair from noise, but that it is none. */
START_TEST(one_pair_has_no_interval)
{
    struct error error = {0};
    add_study(1);
    char *table = sensitivity_table(store, study, "goodput", &error);
    ck_assert_msg(table != NULL, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(table, "-5.000 "));
    ck_assert_ptr_nonnull(strstr(table, "of one pair"));
    ck_assert_ptr_nonnull(strstr(table, "1 of 5 parameters change nothing"));
    free(table);
}
END_TEST

START_TEST(other_studies_are_told)
{
    struct error error = {0};
    add("a", "{\"cluster.chips\":900}", 0, 0, 1);
    add("a", "{\"cluster.chips\":1100}", 0, 0, 1);
    ck_assert_ptr_null(sensitivity_table(store, study, "goodput", &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "is no sensitivity analysis"));
    add("a", "{}", 0, 0, 1);
    char *table = sensitivity_table(store, study, "goodput", &error);
    ck_assert_ptr_nonnull(table);
    free(table);
    add("a", "{\"cluster.chips\":900,\"failures.chip.mtbi\":\"9 d\"}", 0, 0, 1);
    ck_assert_ptr_null(sensitivity_table(store, study, "goodput", &error));
}
END_TEST

START_TEST(values_are_found_by_path)
{
    char text[16];
    struct base_values *values = base_values_create(store, study);
    ck_assert_ptr_nonnull(values);
    ck_assert(base_values_find(values, "strategies.a.learners", text, sizeof text));
    ck_assert_str_eq(text, "1");
    ck_assert(base_values_find(values, "strategies.1.learners", text, sizeof text));
    ck_assert_str_eq(text, "4");
    ck_assert(!base_values_find(values, "strategies.c.learners", text, sizeof text));
    ck_assert(!base_values_find(values, "failures.chip", text, sizeof text));
    ck_assert(!base_values_find(values, "failures.chip.mtbi.unit", text, sizeof text));
    ck_assert(!base_values_find(values, "failures.chip.mtbi", text, 4));
    base_values_destroy(values);
    set_scenario("{");
    ck_assert_ptr_null(base_values_create(store, study));
    ck_assert(!base_values_find(NULL, "name", text, sizeof text));
}
END_TEST

static Suite *sensitivity_suite(void)
{
    Suite *suite = suite_create("sensitivity");
    TCase *ranking = tcase_create("ranking");
    tcase_add_checked_fixture(ranking, set_up, tear_down);
    tcase_add_test(ranking, numbers_are_ranked_by_what_they_change);
    tcase_add_test(ranking, sides_have_values_differences_and_elasticity);
    tcase_add_test(ranking, the_table_has_what_is_felt);
    tcase_add_test(ranking, one_pair_has_no_interval);
    tcase_add_test(ranking, other_studies_are_told);
    tcase_add_test(ranking, values_are_found_by_path);
    suite_add_tcase(suite, ranking);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(sensitivity_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
