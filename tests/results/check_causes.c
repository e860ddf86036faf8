/*
 * Whom failures are charged to: kept with a run, added up by source, asked for like any other metric.
 */
#include "results/comparison.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "made-up");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

/* Of 8 chips for 1000 s: FLOOD seconds of all are lost to the second of two floods. */
static void add(const char *strategy, int64_t replication, int64_t flood)
{
    struct observed_cause causes[] = {
        {.cause = {"failures.chip", FAULT_STOP, FAULT_OF_CHIP, false}, .struck = 7, .ignored = 2},
        {.cause = {"rack 12", FAULT_STOP, FAULT_OF_RACK, false}, .struck = 1},
        {.cause = {"flood 1", FAULT_PREEMPTION, FAULT_OF_SITE, true}, .ignored = 1},
        {.cause = {"flood 2", FAULT_PREEMPTION, FAULT_OF_SITE, true}, .struck = 1}};
    causes[0].waste[BUDGET_DOWN] = 80 * (sim_amount)SIM_SECOND + 1;
    causes[0].waste[BUDGET_REDONE] = 160 * (sim_amount)SIM_SECOND - 1;
    causes[3].waste[BUDGET_DOWN] = 8 * (sim_amount)flood * SIM_SECOND;
    struct observation observation = {.causes = causes, .cause_count = 4};
    const struct fixture_run run = {.strategy = strategy,
                                    .point = "{}",
                                    .replication = replication,
                                    .chips = 8,
                                    .seconds = 1000,
                                    .goodput = 0.5,
                                    .steps = 10};
    fixture_add_observed(store, study, &run, &observation);
}

START_TEST(causes_are_rows)
{
    add("plain", 0, 100);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from cause where run = 1"), 4);
    ck_assert_int_eq(fixture_integer(store, "select struck * 10 + ignored from cause where number = 0"), 72);
    ck_assert_int_eq(
        fixture_integer(store, "select count(*) from cause where source = 'flood' and fault = 'preemption'"
                               " and domain = 'site'"),
        2);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from cause where source = 'rack 12'"), 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from waste"), 3);
    ck_assert_int_eq(fixture_integer(store,
                                     "select chip_s * 1000000000 + chip_ns from waste where cause = 0 and"
                                     " category = 'redone'"),
                     160 * SIM_SECOND - 1);
}
END_TEST

START_TEST(waste_is_summarised_by_source)
{
    struct error error = {0};
    struct store_mean mean;
    add("plain", 0, 100);
    add("plain", 1, 300);
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    ck_assert(store_mean(store, study, "plain", "{}", "waste:flood", &mean));
    ck_assert_double_eq_tol(mean.mean, 0.2, 1e-12);
    ck_assert_int_eq(mean.count, 2);
    ck_assert(store_mean(store, study, "plain", "{}", "waste:failures.chip", &mean));
    ck_assert_double_eq_tol(mean.mean, 0.03, 1e-12);
    ck_assert(store_mean(store, study, "plain", "{}", "waste:rack 12", &mean));
    ck_assert_double_eq(mean.mean, 0);
    ck_assert(!store_mean(store, study, "plain", "{}", "waste:flood 2", &mean));
    ck_assert_double_eq_tol(
        fixture_real(store, "select value from run_figure where run = 2 and name = 'waste:flood'"), 0.3,
        1e-12);
}
END_TEST

/* The dearest first; of a study in which one thing failed there is nothing to tell. */
START_TEST(the_dearest_are_told)
{
    struct error error = {0};
    add("plain", 0, 100);
    add("plain", 1, 300);
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    char *text = comparison_table(store, study, &error);
    ck_assert_msg(text, "%s", error.message);
    const char *flood =
        strstr(text, "plain     flood          preemption of site       1       20.00 %             0.44");
    const char *chip =
        strstr(text, "failures.chip  stop of chip             7        3.00 %             0.01");
    ck_assert_msg(flood && chip && flood < chip, "in:\n%s", text);
    ck_assert_msg(strstr(text, "rack 12        stop of rack             1        0.00 %                0"),
                  "in:\n%s", text);
    free(text);
    sqlite3_exec(store_connection(store), "update cause set struck = 0 where number > 0", NULL, NULL, NULL);
    text = comparison_table(store, study, &error);
    ck_assert_ptr_null(strstr(text, "what failed"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causes");
    TCase *tests = tcase_create("causes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, causes_are_rows);
    tcase_add_test(tests, waste_is_summarised_by_source);
    tcase_add_test(tests, the_dearest_are_told);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
