#include "results/outline.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
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

static void add_run(const char *strategy, const char *point, int64_t chips, int64_t seconds)
{
    const struct fixture_run run = {.strategy = strategy, .point = point, .chips = chips, .seconds = seconds};
    fixture_add_runs(store, study, &run, 1);
}

static struct outline *outline_of_study(void)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    struct outline *outline = outline_create(store, study, &error);
    ck_assert_msg(outline != NULL, "%s", error.message);
    return outline;
}

START_TEST(numbers_ascend)
{
    static const char *const points[] = {"{\"chips\":2400000}", "{\"chips\":150000}", "{\"chips\":1.2e6}"};
    for (size_t i = 0; i < 3; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert_uint_eq(outline->axis_count, 1);
    ck_assert_str_eq(outline->axes[0].path, "chips");
    ck_assert(outline->axes[0].numeric);
    ck_assert_str_eq(outline->axes[0].unit, "");
    static const char *const texts[] = {"150000", "1200000", "2400000"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(outline->points[i].settings[0].text, texts[i]);
    ck_assert_double_eq(outline->points[1].settings[0].number, 1200000);
    outline_destroy(outline);
}
END_TEST

START_TEST(units_of_one_kind_are_one_axis)
{
    static const char *const points[] = {"{\"t\":\"2 d\"}", "{\"t\":\"12 h\"}", "{\"t\":\"20 d\"}",
                                         "{\"t\":\"36 h\"}"};
    for (size_t i = 0; i < 4; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert(outline->axes[0].numeric);
    ck_assert_str_eq(outline->axes[0].unit, "d");
    static const double days[] = {0.5, 1.5, 2, 20};
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq(outline->points[i].settings[0].number, days[i]);
    outline_destroy(outline);
}
END_TEST

/* A search writes numbers that nobody would, each in the shortest of units. */
START_TEST(values_of_a_search_are_in_a_unit_that_suits_them)
{
    static const char *const points[] = {"{\"mtbi\":\"63072000 s\",\"step\":\"38125 ms\"}",
                                         "{\"mtbi\":\"525600 min\",\"step\":\"2.5 s\"}"};
    static const double years[] = {1, 2}, seconds[] = {2.5, 38.125};
    for (size_t i = 0; i < 2; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert_str_eq(outline->axes[0].unit, "year");
    ck_assert_str_eq(outline->axes[1].unit, "s");
    for (size_t i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(outline->points[i].settings[0].number, years[i], 1e-4);
        ck_assert_double_eq(outline->points[i].settings[1].number, seconds[i]);
    }
    outline_destroy(outline);
}
END_TEST

START_TEST(words_keep_their_order)
{
    static const char *const points[] = {"{\"chip\":\"tpu-v6e\"}", "{\"chip\":\"tpu-v5p\"}",
                                         "{\"chip\":\"5 d\"}"};
    for (size_t i = 0; i < 3; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert(!outline->axes[0].numeric);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(outline->points[i].json, points[i]);
        ck_assert_double_eq(outline->points[i].settings[0].number, (double)i);
    }
    outline_destroy(outline);
}
END_TEST

START_TEST(the_last_axis_is_fastest)
{
    static const char *const points[] = {"{\"a\":2,\"b\":true}", "{\"a\":1,\"b\":false}",
                                         "{\"a\":2,\"b\":false}", "{\"a\":1,\"b\":true}", "{}"};
    static const size_t order[] = {4, 3, 1, 0, 2};
    for (size_t i = 0; i < 5; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert_uint_eq(outline->axis_count, 2);
    ck_assert_uint_eq(outline->point_count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(outline->points[i].json, points[order[i]]);
    char *words = outline_point_words(outline, &outline->points[1]);
    ck_assert_str_eq(words, "a = 1, b = true");
    free(words);
    words = outline_point_words(outline, &outline->points[0]);
    ck_assert_str_eq(words, "");
    free(words);
    outline_destroy(outline);
}
END_TEST

START_TEST(axes_that_move_together_have_a_leader)
{
    static const char *const points[] = {"{\"chips\":1,\"memory\":5,\"seed\":1,\"t\":\"1 d\"}",
                                         "{\"chips\":2,\"memory\":5,\"seed\":1,\"t\":\"4 d\"}",
                                         "{\"chips\":1,\"memory\":5,\"seed\":2,\"t\":\"1 d\"}",
                                         "{\"chips\":3,\"memory\":5,\"seed\":2,\"t\":\"2 d\"}"};
    static const size_t leaders[] = {0, 1, 2, 0};
    for (size_t i = 0; i < 4; i++)
        add_run("a", points[i], 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert_uint_eq(outline->axis_count, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(outline->axes[i].leader, leaders[i]);
    char *words = outline_point_words(outline, &outline->points[3]);
    ck_assert_str_eq(words, "chips = 3, memory = 5, seed = 2");
    free(words);
    outline_destroy(outline);
}
END_TEST

START_TEST(strategies_come_as_the_study_names_them)
{
    const struct study_record record = {.name = "named",
                                        .scenario = "",
                                        .scenario_sha256 = "",
                                        .version = "",
                                        .command_line = "",
                                        .host = "",
                                        .strategies = "[\"z\",\"unused\",\"a\"]"};
    struct error error = {0};
    study = store_add_study(store, &record, &error);
    ck_assert_msg(study > 0, "%s", error.message);
    static const char *const added[] = {"late", "a", "later", "z"}, *const shown[] = {"z", "a", "late",
                                                                                      "later"};
    for (size_t i = 0; i < 4; i++)
        add_run(added[i], "{}", 10, 10);
    struct outline *outline = outline_of_study();
    ck_assert_uint_eq(outline->strategy_count, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_str_eq(outline->strategies[i], shown[i]);
    outline_destroy(outline);
}
END_TEST

START_TEST(chips_and_duration_come_from_the_ledger)
{
    add_run("a", "{\"x\":1}", 1200000, 86400);
    add_run("b", "{\"x\":1}", 1200000, 86400);
    add_run("a", "{\"x\":2}", 64, 10);
    add_run("b", "{\"x\":2}", 128, 20);
    struct outline *outline = outline_of_study();
    ck_assert_int_eq(outline->points[0].chips, 1200000);
    ck_assert_double_eq(outline->points[0].seconds, 86400);
    ck_assert_int_eq(outline->points[1].chips, 0);
    ck_assert(isnan(outline->points[1].seconds));
    ck_assert_int_eq(outline->replications, 1);
    ck_assert_int_eq(outline->points[0].runs[1].all, 1);
    ck_assert_int_eq(outline->points[0].runs[1].with[RUN_DONE], 1);
    outline_destroy(outline);
}
END_TEST

START_TEST(a_study_without_runs_is_empty)
{
    struct outline *outline = outline_of_study();
    ck_assert_str_eq(outline->name, "made-up");
    ck_assert_uint_eq(outline->strategy_count + outline->point_count + outline->axis_count, 0);
    ck_assert_int_eq(outline->replications, 0);
    outline_destroy(outline);
    struct error error = {0};
    ck_assert_ptr_null(outline_create(store, 99, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "99"));
}
END_TEST

/* A run and its replay of LEARNING. */
static void add_replayed(const char *strategy, const char *point, int64_t replication, const char *learning,
                         bool diverged)
{
    const struct fixture_run run = {.strategy = strategy,
                                    .point = point,
                                    .replication = replication,
                                    .chips = 1,
                                    .seconds = 1,
                                    .steps = 1};
    fixture_add_runs(store, study, &run, 1);
    fixture_add_replay(store, &(struct fixture_replay){.strategy = strategy,
                                                       .point = point,
                                                       .replication = replication,
                                                       .learning = learning,
                                                       .sha256 = learning,
                                                       .start = 4,
                                                       .final = 2,
                                                       .diverged = diverged});
}

START_TEST(the_reference_is_no_strategy)
{
    add_replayed("reference", "{}", 0, "small", false);
    add_replayed("reference", "{}", 1, "small", false);
    add_replayed("a", "{\"x\":1}", 0, "small", true);
    struct outline *outline = outline_of_study();
    ck_assert_str_eq(outline->reference, "reference");
    ck_assert_uint_eq(outline->strategy_count, 1);
    ck_assert_str_eq(outline->strategies[0], "a");
    ck_assert_uint_eq(outline->point_count, 1);
    ck_assert_str_eq(outline->points[0].json, "{\"x\":1}");
    ck_assert_int_eq(outline->replications, 1);
    ck_assert_int_eq(outline->points[0].runs[0].replays, 1);
    ck_assert_int_eq(outline->points[0].runs[0].diverged, 1);
    outline_destroy(outline);
}
END_TEST

START_TEST(a_strategy_that_the_study_names_is_no_reference)
{
    const struct study_record record = {.name = "b",
                                        .scenario = "",
                                        .scenario_sha256 = "",
                                        .version = "",
                                        .command_line = "",
                                        .host = "",
                                        .strategies = "[\"a\",\"reference\"]"};
    struct error error = {0};
    study = store_add_study(store, &record, &error);
    ck_assert_int_gt(study, 0);
    add_run("reference", "{}", 1, 1);
    add_run("a", "{}", 1, 1);
    struct outline *outline = outline_of_study();
    ck_assert_ptr_null(outline->reference);
    ck_assert_ptr_null(outline->learning);
    ck_assert_uint_eq(outline->strategy_count, 2);
    ck_assert_str_eq(outline->strategies[1], "reference");
    outline_destroy(outline);
}
END_TEST

START_TEST(the_learning_with_most_replays_is_shown)
{
    add_replayed("a", "{}", 0, "small", false);
    add_replayed("a", "{}", 1, "small", false);
    add_replayed("a", "{}", 2, "large", false);
    struct outline *outline = outline_of_study();
    ck_assert_uint_eq(outline->learnings, 2);
    ck_assert_str_eq(outline->learning, "small");
    ck_assert_int_eq(outline->points[0].runs[0].replays, 2);
    ck_assert_int_eq(outline->points[0].runs[0].diverged, 0);
    outline_destroy(outline);
}
END_TEST

static Suite *outline_suite(void)
{
    Suite *suite = suite_create("outline");
    TCase *tests = tcase_create("outline");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, numbers_ascend);
    tcase_add_test(tests, units_of_one_kind_are_one_axis);
    tcase_add_test(tests, values_of_a_search_are_in_a_unit_that_suits_them);
    tcase_add_test(tests, words_keep_their_order);
    tcase_add_test(tests, the_reference_is_no_strategy);
    tcase_add_test(tests, a_strategy_that_the_study_names_is_no_reference);
    tcase_add_test(tests, the_learning_with_most_replays_is_shown);
    tcase_add_test(tests, the_last_axis_is_fastest);
    tcase_add_test(tests, axes_that_move_together_have_a_leader);
    tcase_add_test(tests, strategies_come_as_the_study_names_them);
    tcase_add_test(tests, chips_and_duration_come_from_the_ledger);
    tcase_add_test(tests, a_study_without_runs_is_empty);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(outline_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
