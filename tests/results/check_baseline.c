/*
 * Regressions: one that is there is found among few pairs; of studies that differ by chance alone no more are
 * reported than the confidence says.
 */
#include "results/baseline.h"
#include "results/database.h"
#include "results/junit.h"
#include "results/markdown.h"
#include "results/table.h"
#include "tests/results/fixture.h"
#include "tests/results/xml.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct fixture before, now;
static struct store *baseline, *store;

static void set_up(void)
{
    before = fixture_create("before.sqlite");
    now = fixture_create("now.sqlite");
    baseline = fixture_open(&before);
    store = fixture_open(&now);
}

static void tear_down(void)
{
    store_close(baseline);
    store_close(store);
    fixture_remove(&before);
    fixture_remove(&now);
}

/* A figure that varies between replications by some percent, the same for the same seed. */
static double vary(uint64_t seed, int64_t replication)
{
    uint64_t x = (seed * 1000003 + (uint64_t)replication + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 31;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 29;
    x *= UINT64_C(0x94D049BB133111EB);
    return 0.04 * ((double)(x >> 11) / 0x1p53 - 0.5);
}

/* A study of COUNT replications whose goodput is about MEAN. */
static int64_t add(struct store *to, const char *strategy, uint64_t seed, int64_t count, double mean)
{
    int64_t study = fixture_add_study(to, "guarded");
    for (int64_t i = 0; i < count; i++) {
        const struct fixture_run run = {.strategy = strategy,
                                        .replication = i,
                                        .seed = seed,
                                        .chips = 4096,
                                        .seconds = 3600,
                                        .goodput = mean * (1 + vary(seed, i)),
                                        .uptime = 0.9};
        fixture_add_runs(to, study, &run, 1);
    }
    struct error error = {0};
    ck_assert(store_summarise(to, study, &error));
    return study;
}

static struct baseline_outcome judge(int64_t study, const char *metric, double allowed)
{
    const struct baseline_options options = {
        .database = before.path, .metric = metric, .allowed = allowed, .confidence = 0.95};
    struct baseline_outcome outcome;
    struct error error = {0};
    ck_assert_msg(baseline_judge(store, study, &options, &outcome, &error), "%s", error.message);
    return outcome;
}

START_TEST(a_regression_is_found_in_pairs)
{
    add(baseline, "a", 1, 5, 0.8);
    struct baseline_outcome same = judge(add(store, "a", 1, 5, 0.8), "goodput", 0.01);
    ck_assert_uint_eq(same.compared, 1);
    ck_assert_uint_eq(same.regressed, 0);
    ck_assert_uint_eq(same.unclear, 0);
    ck_assert_uint_eq(judge(add(store, "a", 1, 5, 0.8 * 0.992), "goodput", 0.01).regressed, 0);
    int64_t worse = add(store, "a", 1, 5, 0.8 * 0.988);
    ck_assert_uint_eq(judge(worse, "goodput", 0.01).regressed, 1);
    ck_assert_double_eq_tol(fixture_real(store, "select change from baseline_change order by rowid desc"),
                            -0.012, 1e-9);
    ck_assert_int_eq(fixture_integer(store, "select paired and n = 5 from baseline_change"), 1);
    /* Judged again, it is kept once. */
    ck_assert_uint_eq(judge(worse, "goodput", 0.01).regressed, 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from baseline_change where study = 3"), 1);
    ck_assert_uint_eq(judge(add(store, "a", 1, 5, 0.9), "goodput", 0.01).regressed, 0);
}
END_TEST

START_TEST(without_pairs_as_much_is_not_enough)
{
    add(baseline, "a", 1, 5, 0.8);
    struct baseline_outcome outcome = judge(add(store, "a", 2, 5, 0.8 * 0.985), "goodput", 0.01);
    ck_assert_uint_eq(outcome.regressed, 0);
    ck_assert_int_eq(fixture_integer(store, "select paired from baseline_change"), 0);
    ck_assert_uint_eq(judge(add(store, "a", 2, 5, 0.7), "goodput", 0.01).regressed, 1);
}
END_TEST

/* Of 400 studies of an unchanged program under other seeds, 5 % may be reported that are worse at all. */
START_TEST(chance_is_reported_no_more_than_said)
{
    enum { STUDIES = 400 };
    size_t regressed = 0, unclear = 0;
    add(baseline, "a", 1, 12, 0.8);
    for (uint64_t seed = 100; seed < 100 + STUDIES; seed++) {
        struct baseline_outcome outcome = judge(add(store, "a", seed, 12, 0.8), "goodput", 1e-6);
        regressed += outcome.regressed;
        unclear += outcome.unclear;
    }
    ck_assert_uint_gt(unclear, 60);
    /* The baseline is the same each time, and so it is not quite a test at 5 %. */
    ck_assert_uint_lt(regressed, STUDIES / 8);
}
END_TEST

/* What the guard no longer sees is told. */
START_TEST(figures_that_are_gone_are_counted)
{
    add(baseline, "a", 1, 3, 0.8);
    ck_assert_uint_eq(judge(add(store, "a", 1, 3, 0.8), "goodput", 0).gone, 0);
    int64_t study = add(store, "a", 1, 3, 0.8);
    struct error error = {0};
    ck_assert(
        database_execute(store_database(baseline),
                         "insert into run (id, study, strategy, point, replication, seed, status,"
                         " simulated_s, wall_s, events) select 100 + id, study, 'b', point, replication,"
                         " seed, status, simulated_s, wall_s, events from run;"
                         "insert into study_run (study, run) select study, run + 100 from study_run;"
                         "insert into metric (run, name, value, unit) select run + 100, name, value, unit"
                         " from metric",
                         &error));
    struct baseline_outcome outcome = judge(study, "goodput", 0);
    ck_assert_uint_eq(outcome.gone, 1);
    ck_assert_uint_eq(outcome.compared, 1);
    ck_assert_uint_eq(outcome.regressed, 0);
}
END_TEST

START_TEST(of_costs_less_is_better)
{
    ck_assert(baseline_greater_is_better("goodput"));
    ck_assert(!baseline_greater_is_better("cost"));
    ck_assert(!baseline_greater_is_better("share:down"));
    ck_assert(baseline_greater_is_better("share:useful"));
    ck_assert(baseline_greater_is_better("ettr"));
    ck_assert(baseline_greater_is_better("job_goodput"));
    ck_assert(baseline_greater_is_better("tokens:merged"));
    ck_assert(baseline_greater_is_better("tokens_merged"));
    ck_assert(baseline_greater_is_better("overlap_rate"));
    add(baseline, "a", 1, 3, 0.8);
    int64_t better = add(store, "a", 1, 3, 0.9), worse = add(store, "a", 1, 3, 0.7);
    ck_assert_uint_eq(judge(better, "share:down", 0.01).regressed, 0);
    ck_assert_uint_eq(judge(worse, "share:down", 0.01).regressed, 1);
    ck_assert_uint_eq(judge(worse, "uptime", 0.01).regressed, 0);
}
END_TEST

START_TEST(one_pair_decides_by_itself_and_one_run_tells_nothing)
{
    add(baseline, "a", 1, 1, 0.8);
    ck_assert_uint_eq(judge(add(store, "a", 1, 1, 0.7), "goodput", 0.01).regressed, 1);
    struct baseline_outcome alone = judge(add(store, "a", 2, 1, 0.7), "goodput", 0.01);
    ck_assert_uint_eq(alone.regressed, 0);
    ck_assert_uint_eq(alone.unclear, 1);
}
END_TEST

START_TEST(a_baseline_without_the_study_or_the_figure_is_refused)
{
    const struct baseline_options options = {
        .database = before.path, .metric = "goodput", .allowed = 0.01, .confidence = 0.95};
    struct baseline_outcome outcome;
    struct error error = {0};
    int64_t study = add(store, "a", 1, 3, 0.8);
    ck_assert(!baseline_judge(store, study, &options, &outcome, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, "no study called \"guarded\"") != NULL, "%s", error.message);
    add(baseline, "b", 1, 3, 0.8);
    error = (struct error){0};
    ck_assert(!baseline_judge(store, study, &options, &outcome, &error));
    ck_assert_msg(strstr(error.message, "no figure \"goodput\"") != NULL, "%s", error.message);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from baseline_change"), 0);
}
END_TEST

/* The reports */

static int64_t add_reported(void)
{
    struct error error = {0};
    add(baseline, "a<&>\"b", 1, 4, 0.8);
    int64_t study = add(store, "a<&>\"b", 1, 4, 0.7);
    const struct fixture_run failed = {
        .strategy = "bad\x01\xff", .seed = 1, .chips = 64, .seconds = 60, .status = RUN_FAILED};
    fixture_add_runs(store, study, &failed, 1);
    const struct expectation_record expectations[] = {{.strategy = "a<&>\"b",
                                                       .point = "{}",
                                                       .metric = "goodput",
                                                       .wanted = 0.2,
                                                       .tolerance = 0.05,
                                                       .got = 0.7,
                                                       .low = NAN,
                                                       .high = NAN,
                                                       .confidence = NAN,
                                                       .met = false,
                                                       .source = "a table, \"x\" < y"},
                                                      {.strategy = "a<&>\"b",
                                                       .point = "{}",
                                                       .metric = "goodput",
                                                       .bound = EXPECTATION_MINIMUM,
                                                       .wanted = 0.5,
                                                       .tolerance = NAN,
                                                       .got = 0.7,
                                                       .low = NAN,
                                                       .high = NAN,
                                                       .confidence = NAN,
                                                       .met = true}};
    for (size_t i = 0; i < 2; i++)
        ck_assert(store_add_expectation(store, study, &expectations[i], &error));
    ck_assert_uint_eq(judge(study, "goodput", 0.01).regressed, 1);
    ck_assert(store_summarise(store, study, &error));
    return study;
}

START_TEST(the_junit_report_keeps_to_the_rules)
{
    struct error error = {0};
    char *report = junit_report(store, add_reported(), NULL, &error);
    ck_assert_msg(report != NULL, "%s", error.message);
    struct xml_tally tally;
    xml_check_junit(report, &tally);
    ck_assert_uint_eq(tally.tests, 5); /* two strategies, two expectations, one figure */
    ck_assert_uint_eq(tally.failures, 2);
    ck_assert_uint_eq(tally.errors, 1);
    ck_assert_ptr_nonnull(
        strstr(report, "wanted 20.00 ± 5.00 %, got 70.00 %; source: a table, &quot;x&quot; &lt; y"));
    ck_assert_ptr_nonnull(strstr(report, "guarded.a&lt;&amp;&gt;&quot;b"));
    ck_assert_ptr_nonnull(strstr(report, "guarded.bad\xEF\xBF\xBD\xEF\xBF\xBD"));
    ck_assert_ptr_nonnull(strstr(report, "1 of 1 runs failed"));
    free(report);
}
END_TEST

static void expect_of(int64_t study, const char *strategy, double wanted, const char *source)
{
    const struct expectation_record record = {.strategy = strategy,
                                              .point = "{}",
                                              .metric = "goodput",
                                              .wanted = wanted,
                                              .tolerance = 0.05,
                                              .got = 0.8,
                                              .low = NAN,
                                              .high = NAN,
                                              .confidence = NAN,
                                              .met = true,
                                              .source = source};
    struct error error = {0};
    ck_assert(store_add_expectation(store, study, &record, &error));
}

/* Alike but for the source, for less than is shown, for nothing, and for bytes that XML has no place for. */
START_TEST(no_two_cases_have_one_name)
{
    struct error error = {0};
    int64_t study = add(store, "a", 1, 2, 0.8);
    static const char *const sources[] = {"b", "c", "c", NULL, NULL, "c (2)"};
    for (size_t i = 0; i < 6; i++)
        expect_of(study, "a", i == 4 ? 0.80001 : 0.8, sources[i]);
    expect_of(study, "a", 0.7, "alone");
    expect_of(study, "e\x01", 0.8, NULL);
    expect_of(study, "e\x02", 0.8, NULL);
    char *report = junit_report(store, study, NULL, &error);
    ck_assert_msg(report != NULL, "%s", error.message);
    struct xml_tally tally;
    xml_check_junit(report, &tally);
    ck_assert_uint_eq(tally.tests, 10);
    static const char *const names[] = {
        "80.00 ± 5.00 % (b)\"", "80.00 ± 5.00 % (c)\"",     "80.00 ± 5.00 % (c) (2)\"", "80.00 ± 5.00 %\"",
        "80.00 ± 5.00 % (2)\"", "80.00 ± 5.00 % (c (2))\"", "70.00 ± 5.00 %\""};
    for (size_t i = 0; i < 7; i++)
        ck_assert_msg(strstr(report, names[i]) != NULL, "no %s in %s", names[i], report);
    free(report);
}
END_TEST

START_TEST(the_summary_says_what_is_wrong)
{
    struct error error = {0};
    char *text = markdown_summary(store, add_reported(), NULL, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    ck_assert_ptr_nonnull(
        strstr(text, "**FAILED**: 1 of 2 expectations met, 1 of 1 figures regressed, 1 runs failed"));
    ck_assert_ptr_nonnull(strstr(text, "| REGRESSED | "));
    ck_assert_ptr_nonnull(strstr(text, "| MISSED | "));
    free(text);
    ck_assert_ptr_null(junit_report(store, 99, NULL, &error));
    ck_assert_ptr_null(markdown_summary(store, 99, NULL, &error));
}
END_TEST

START_TEST(a_study_without_anything_to_judge_passes)
{
    struct error error = {0};
    int64_t study = add(store, "a", 1, 2, 0.8);
    char *report = junit_report(store, study, NULL, &error),
         *text = markdown_summary(store, study, NULL, &error);
    struct xml_tally tally;
    xml_check_junit(report, &tally);
    ck_assert_uint_eq(tally.tests, 1);
    ck_assert_uint_eq(tally.failures + tally.errors, 0);
    ck_assert_ptr_nonnull(strstr(text, "**passed**\n"));
    free(report);
    free(text);
}
END_TEST

/* A study that was broken off has nothing that failed, and yet hasn't passed. */
START_TEST(what_came_between_is_no_pass)
{
    struct error error = {0};
    int64_t study = add(store, "a", 1, 2, 0.8);
    const char *trouble = "interrupted; 2 of 9 runs were finished & kept";
    char *report = junit_report(store, study, trouble, &error),
         *text = markdown_summary(store, study, trouble, &error);
    struct xml_tally tally;
    xml_check_junit(report, &tally);
    ck_assert_uint_eq(tally.tests, 2);
    ck_assert_uint_eq(tally.errors, 1);
    ck_assert_ptr_nonnull(strstr(report, "interrupted; 2 of 9 runs were finished &amp; kept"));
    ck_assert_ptr_nonnull(strstr(text, "**FAILED**: interrupted; 2 of 9 runs were finished & kept\n"));
    free(report);
    free(text);
}
END_TEST

START_TEST(a_shard_has_no_verdict)
{
    struct error error = {0};
    int64_t study = add(store, "a", 1, 2, 0.8);
    ck_assert(database_execute(store_database(store), "update study set shard = 2, shards = 4", &error));
    char *text = markdown_summary(store, study, NULL, &error);
    ck_assert_ptr_nonnull(strstr(text, "**shard 2 of 4**\n"));
    free(text);
}
END_TEST

START_TEST(marks_of_markdown_are_text)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    table_write_markdown_text("strategies.*.a_b, _c_ a|b <i> `x` \\ AT&T &lt; & 3\nnext\x1b", out);
    fclose(out);
    ck_assert_str_eq(text, "strategies.\\*.a_b, \\_c\\_ a\\|b \\<i> \\`x\\` \\\\ AT\\&T \\&lt; & 3 next ");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("baseline");
    TCase *changes = tcase_create("changes"), *reports = tcase_create("reports");
    tcase_add_checked_fixture(changes, set_up, tear_down);
    tcase_add_test(changes, a_regression_is_found_in_pairs);
    tcase_add_test(changes, without_pairs_as_much_is_not_enough);
    tcase_add_test(changes, chance_is_reported_no_more_than_said);
    tcase_add_test(changes, figures_that_are_gone_are_counted);
    tcase_add_test(changes, of_costs_less_is_better);
    tcase_add_test(changes, one_pair_decides_by_itself_and_one_run_tells_nothing);
    tcase_add_test(changes, a_baseline_without_the_study_or_the_figure_is_refused);
    suite_add_tcase(suite, changes);
    tcase_add_checked_fixture(reports, set_up, tear_down);
    tcase_add_test(reports, the_junit_report_keeps_to_the_rules);
    tcase_add_test(reports, no_two_cases_have_one_name);
    tcase_add_test(reports, the_summary_says_what_is_wrong);
    tcase_add_test(reports, a_study_without_anything_to_judge_passes);
    tcase_add_test(reports, what_came_between_is_no_pass);
    tcase_add_test(reports, a_shard_has_no_verdict);
    tcase_add_test(reports, marks_of_markdown_are_text);
    suite_add_tcase(suite, reports);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
