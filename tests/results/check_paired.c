/*
 * Differences by hand: 0.1, 0.3, 0.2, 0.4 have the mean 0.25 and the deviation √(1/60); with 3 degrees of
 * freedom Student's t for 97.5 % is 3.182446305.
 */
#include "results/database.h"
#include "results/paired.h"
#include "results/settling.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
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

static void add_seeded(const char *strategy, const char *point, int64_t replication, uint64_t seed,
                       double goodput, enum run_status status)
{
    const struct fixture_run run = {.strategy = strategy,
                                    .point = point,
                                    .replication = replication,
                                    .seed = seed,
                                    .chips = 10,
                                    .seconds = 1000,
                                    .goodput = goodput,
                                    .steps = 1000 * goodput,
                                    .status = status};
    fixture_add_runs(store, study, &run, 1);
}

static void add_run(const char *strategy, const char *point, int64_t replication, double goodput,
                    enum run_status status)
{
    add_seeded(strategy, point, replication, 5, goodput, status);
}

/* Four pairs at one point, and runs without a partner. */
static void add_pairs(void)
{
    static const double better[] = {0.9, 0.8, 0.6, 0.5}, worse[] = {0.8, 0.5, 0.4, 0.1};
    for (int64_t i = 3; i >= 0; i--) {
        add_run("better", "{}", i, better[i], RUN_DONE);
        add_run("worse", "{}", 3 - i, worse[3 - i], RUN_DONE);
    }
    add_run("better", "{}", 4, 0.2, RUN_DONE);
    add_run("better", "{}", 5, 0.2, RUN_DONE);
    add_run("worse", "{}", 5, 0.9, RUN_INTERRUPTED);
}

static struct paired *compare(const char *a, const char *b, const char *metric)
{
    struct error error = {0};
    struct paired *paired = paired_create(store, study, a, b, metric, &error);
    ck_assert_msg(paired != NULL, "%s", error.message);
    return paired;
}

START_TEST(the_interval_is_of_differences)
{
    add_pairs();
    struct paired *paired = compare("better", "worse", NULL);
    ck_assert_str_eq(paired->metric, "goodput");
    ck_assert_uint_eq(paired->point_count, 1);
    const struct paired_point *point = &paired->points[0];
    double half = 3.182446305284263 * sqrt(1.0 / 60) / 2;
    ck_assert_int_eq(point->pairs, 4);
    ck_assert_double_eq_tol(point->mean_a, 0.7, 1e-15);
    ck_assert_double_eq_tol(point->mean_b, 0.45, 1e-15);
    ck_assert_double_eq_tol(point->difference, 0.25, 1e-15);
    ck_assert_double_eq_tol(point->deviation, sqrt(1.0 / 60), 1e-15);
    ck_assert_double_eq_tol(point->low, 0.25 - half, 1e-9);
    ck_assert_double_eq_tol(point->high, 0.25 + half, 1e-9);
    ck_assert(point->bootstrap.low >= 0.1 && point->bootstrap.low < 0.2);
    ck_assert(point->bootstrap.high > 0.3 && point->bootstrap.high <= 0.4);
    ck_assert_int_eq(point->needed, 0);
    paired_destroy(paired);
}
END_TEST

/* Differences of 0.1, −0.05, 0.2 and −0.1 have the mean 0.0375 and the deviation 0.1377. With t of 54
 * degrees, 2.0049, that is as much as 55 pairs tell apart. */
START_TEST(too_few_replications_are_told)
{
    static const double a[] = {0.6, 0.45, 0.7, 0.4};
    for (int64_t i = 0; i < 4; i++) {
        add_run("a", "{}", i, a[i], RUN_DONE);
        add_run("b", "{}", i, 0.5, RUN_DONE);
    }
    struct error error = {0};
    struct paired *paired = compare("a", "b", NULL);
    ck_assert_int_eq(paired->points[0].needed, 55);
    char *text = paired_table(store, paired, &error);
    ck_assert_ptr_nonnull(
        strstr(text, "\nToo few replications to tell the two apart: about 55 pairs would do.\n"));
    free(text);
    text = paired_json(paired, &error);
    ck_assert_ptr_nonnull(strstr(text, "\"pairs\":4,\"pairs_needed\":55,"));
    free(text);
    paired_destroy(paired);
}
END_TEST

/* Run RUN has 8 learners up, and from second SETTLED on 6; and a little of something else. It is 1000 s long.
 */
static void add_course(int64_t run, double settled)
{
    char sql[300];
    for (int i = 1; i <= 200; i++) {
        snprintf(sql, sizeof sql, "insert into series values (%lld, null, 'learners_up', %d, null, null, %g)",
                 (long long)run, 5 * i, (5 * i <= settled ? 8 : 6) + (i * 7 % 10) / 10.0);
        ck_assert_int_eq(sqlite3_exec(store_connection(store), sql, NULL, NULL, NULL), SQLITE_OK);
    }
}

/* Of a run's 1000 s the warm-up then takes 400. */
START_TEST(what_has_not_settled_is_told)
{
    struct error error = {0};
    double seconds;
    add_run("a", "{}", 0, 0.5, RUN_DONE);
    add_run("b", "{}", 0, 0.5, RUN_DONE);
    ck_assert(settling_read(store, study, "a", &seconds, &error));
    ck_assert_double_eq(seconds, 0);
    add_course(1, 200);
    add_course(2, 0);
    ck_assert(settling_read(store, study, "a", &seconds, &error));
    ck_assert_double_eq_tol(seconds, 200, 30);
    ck_assert(settling_read(store, study, "b", &seconds, &error));
    ck_assert_double_eq(seconds, 0);
    struct paired *paired = compare("b", "a", NULL);
    char *text = paired_table(store, paired, &error);
    ck_assert_ptr_nonnull(strstr(text, " more learners of a are up than later, or fewer"));
    free(text);
    sqlite3_exec(store_connection(store),
                 "update budget set chip_s = chip_s + 4000 where category = 'warm_up';"
                 "update budget set chip_s = chip_s - 4000 where category = 'useful'",
                 NULL, NULL, NULL);
    ck_assert(settling_read(store, study, "a", &seconds, &error));
    ck_assert_double_eq(seconds, 0);
    paired_destroy(paired);
}
END_TEST

/* Seeds differ at one point, and at the other only one of the two has a run. */
START_TEST(runs_of_other_seeds_are_compared_by_welch)
{
    static const double a[] = {0.9, 0.8, 0.6, 0.5}, b[] = {0.8, 0.5};
    for (int64_t i = 0; i < 4; i++)
        add_seeded("a", "{\"x\":1}", i, 5, a[i], RUN_DONE);
    for (int64_t i = 0; i < 2; i++)
        add_seeded("b", "{\"x\":1}", i, 6, b[i], RUN_DONE);
    add_run("a", "{\"x\":2}", 0, 0.1, RUN_DONE);
    struct error error = {0};
    struct paired *paired = compare("a", "b", NULL);
    struct inference_difference wanted = inference_welch(a, 4, b, 2, 0.95);
    ck_assert_uint_eq(paired->point_count, 1);
    const struct paired_point *point = &paired->points[0];
    ck_assert_int_eq(point->pairs, 0);
    ck_assert_int_eq(point->runs_a, 4);
    ck_assert_int_eq(point->runs_b, 2);
    ck_assert_double_eq_tol(point->mean_b, 0.65, 1e-15);
    ck_assert_double_eq_tol(point->difference, 0.05, 1e-12);
    ck_assert_double_eq_tol(point->low, wanted.interval.low, 1e-9);
    ck_assert_double_eq_tol(point->high, wanted.interval.high, 1e-9);
    char *text = paired_table(store, paired, &error);
    ck_assert(strstr(text, "4 and 2 apart") && strstr(text, "their intervals are Welch's"));
    free(text);
    paired_destroy(paired);
}
END_TEST

START_TEST(exchanging_the_strategies_turns_the_sign)
{
    add_pairs();
    struct paired *one = compare("better", "worse", NULL), *other = compare("worse", "better", NULL);
    ck_assert_double_eq_tol(one->points[0].difference, -other->points[0].difference, 1e-15);
    ck_assert_double_eq_tol(one->points[0].low, -other->points[0].high, 1e-15);
    paired_destroy(one);
    paired_destroy(other);
}
END_TEST

START_TEST(a_strategy_equals_itself)
{
    add_pairs();
    struct paired *paired = compare("better", "better", "share:useful");
    ck_assert_int_eq(paired->points[0].pairs, 6);
    ck_assert_double_eq(paired->points[0].difference, 0);
    ck_assert_double_eq(paired->points[0].high, 0);
    paired_destroy(paired);
}
END_TEST

START_TEST(points_are_compared_one_by_one)
{
    add_run("a", "{\"x\":20}", 0, 0.5, RUN_DONE);
    add_run("b", "{\"x\":20}", 0, 0.25, RUN_DONE);
    add_run("a", "{\"x\":3}", 0, 0.5, RUN_DONE);
    add_run("b", "{\"x\":3}", 0, 0.75, RUN_DONE);
    add_run("a", "{\"x\":1}", 0, 0.5, RUN_DONE);
    struct paired *paired = compare("a", "b", "goodput");
    ck_assert_uint_eq(paired->point_count, 2);
    ck_assert_str_eq(paired->points[0].point, "{\"x\":3}");
    ck_assert_double_eq(paired->points[0].difference, -0.25);
    ck_assert_double_eq(paired->points[1].difference, 0.25);
    ck_assert(isnan(paired->points[0].deviation) && isnan(paired->points[0].low));
    paired_destroy(paired);
}
END_TEST

START_TEST(the_table_is_golden)
{
    add_pairs();
    struct error error = {0};
    struct paired *paired = compare("better", "worse", NULL);
    char *text = paired_table(store, paired, &error);
    ck_assert_str_eq(text, "made-up: goodput of better minus worse, in % and points, paired by replication\n"
                           "\n"
                           "  better  worse  difference   95 % interval  pairs\n"
                           "   70.00  45.00      +25.00  +4.46 … +45.54      4\n");
    free(text);
    paired_destroy(paired);
    paired = compare("better", "worse", "steps");
    text = paired_table(store, paired, &error);
    ck_assert_str_eq(text, "made-up: useful steps of better minus worse, paired by replication\n"
                           "\n"
                           "  better  worse  difference    95 % interval  pairs\n"
                           "     700    450        +250  +44.57 … +455.4      4\n");
    free(text);
    paired_destroy(paired);
}
END_TEST

START_TEST(the_json_is_golden)
{
    add_run("a", "{\"x\":20}", 0, 0.5, RUN_DONE);
    add_run("b", "{\"x\":20}", 0, 0.25, RUN_DONE);
    struct error error = {0};
    struct paired *paired = compare("a", "b", "goodput");
    char *text = paired_json(paired, &error);
    ck_assert_str_eq(
        text, "{\"study\":1,\"a\":\"a\",\"b\":\"b\",\"metric\":\"goodput\",\"points\":[{\"point\":{\"x\":20},"
              "\"pairs\":1,\"mean_a\":0.5,\"mean_b\":0.25,\"difference\":0.25,\"sd\":null,\"ci95_low\":null,"
              "\"ci95_high\":null,\"bootstrap95_low\":null,\"bootstrap95_high\":null}]}\n");
    free(text);
    paired_destroy(paired);
}
END_TEST

static void assert_refused(const char *a, const char *b, const char *metric, const char *words)
{
    struct error error = {0};
    ck_assert_ptr_null(paired_create(store, study, a, b, metric, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

START_TEST(unknown_names_are_told_with_the_known_ones)
{
    add_pairs();
    assert_refused("best", "worse", NULL, "no strategy \"best\"; it has better, worse");
    assert_refused("better", "worst", NULL, "no strategy \"worst\"");
    assert_refused("better", "worse", "good", "no metric \"good\"; it has failures, goodput, share:");
    add_run("lonely", "{\"x\":1}", 0, 1, RUN_DONE);
    assert_refused("better", "lonely", NULL, "better");
}
END_TEST

START_TEST(replays_and_the_reference_are_compared)
{
    static const double final[] = {2.5, 2.75, 3.0};
    for (int64_t i = 0; i < 3; i++) {
        add_run("a", "{}", i, 0.5, RUN_DONE);
        add_run("reference", "{}", i, 1, RUN_DONE);
        fixture_add_replay(store, &(struct fixture_replay){
                                      .strategy = "a", .replication = i, .start = 4, .final = final[i]});
        fixture_add_replay(store, &(struct fixture_replay){
                                      .strategy = "reference", .replication = i, .start = 4, .final = 2});
    }
    fixture_add_replay(store,
                       &(struct fixture_replay){
                           .strategy = "a", .learning = "other", .sha256 = "other", .start = 4, .final = 9});
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    struct paired *paired = compare("a", "reference", "final_loss");
    ck_assert_int_eq(paired->points[0].pairs, 3);
    ck_assert_double_eq_tol(paired->points[0].difference, 0.75, 1e-15);
    ck_assert_double_eq_tol(paired->points[0].deviation, 0.25, 1e-15);
    char *text = paired_table(store, paired, &error);
    ck_assert_msg(text && strstr(text, "2.7500     2.0000     +0.7500  +0.1290 … +1.3710") != NULL, "%s",
                  text);
    free(text);
    paired_destroy(paired);
}
END_TEST

/* Large figures have suffixes, where they would be powers of ten. */
START_TEST(large_figures_are_readable)
{
    for (int i = 0; i < 2; i++) {
        const struct fixture_run runs[] = {
            {.strategy = "a", .replication = i, .chips = 1, .seconds = 1, .steps = 3000 + i},
            {.strategy = "b", .replication = i, .chips = 1, .seconds = 1, .steps = 1000}};
        fixture_add_runs(store, study, runs, 2);
    }
    struct error error = {0};
    struct paired *paired = compare("a", "b", "tokens");
    char *text = paired_table(store, paired, &error);
    ck_assert_msg(text && strstr(text, "12.6 G  4.19 G     +8.39 G") != NULL, "%s", text);
    free(text);
    paired_destroy(paired);
}
END_TEST

static Suite *paired_suite(void)
{
    Suite *suite = suite_create("paired");
    TCase *tests = tcase_create("paired");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_interval_is_of_differences);
    tcase_add_test(tests, too_few_replications_are_told);
    tcase_add_test(tests, what_has_not_settled_is_told);
    tcase_add_test(tests, runs_of_other_seeds_are_compared_by_welch);
    tcase_add_test(tests, exchanging_the_strategies_turns_the_sign);
    tcase_add_test(tests, a_strategy_equals_itself);
    tcase_add_test(tests, points_are_compared_one_by_one);
    tcase_add_test(tests, replays_and_the_reference_are_compared);
    tcase_add_test(tests, large_figures_are_readable);
    tcase_add_test(tests, the_table_is_golden);
    tcase_add_test(tests, the_json_is_golden);
    tcase_add_test(tests, unknown_names_are_told_with_the_known_ones);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(paired_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
