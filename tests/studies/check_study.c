/*
 * A study from plan to judgement, with the real simulation.
 */
#include "results/outline.h"
#include "studies/study.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char expectations[] = "expect:\n"
                                   "  - {strategy: elastic, metric: goodput, min: 0.5}\n"
                                   "  - {strategy: plain, metric: goodput, max: 0.5}\n";

static struct study_outcome carry_out(const struct plan *plan, struct store *store, const atomic_bool *stop)
{
    struct study_outcome outcome;
    struct error error = {.kind = ERROR_NONE};
    struct study_request request = {.plan = plan,
                                    .version = "1.2.3",
                                    .command_line = "trainstorm run 'a b'",
                                    .runner = {.workers = 2, .stop = stop}};
    ck_assert_msg(study_run(&request, store, &outcome, &error), "%s", error.message);
    return outcome;
}

static void expect_text(struct fixture_store *fixture, const char *query, const char *wanted)
{
    char *found = fixture_query(fixture, query);
    ck_assert_str_eq(found, wanted);
    free(found);
}

START_TEST(a_study_is_run_summarised_and_judged)
{
    struct plan *plan = fixture_plan(expectations, false);
    struct fixture_store fixture;
    fixture_open(&fixture);
    struct study_outcome outcome = carry_out(plan, fixture.store, NULL);
    ck_assert_uint_eq(outcome.runs.finished, 6);
    ck_assert_uint_eq(outcome.expectations.count, 2);
    ck_assert_uint_eq(outcome.expectations.missed, 1);
    ck_assert(outcome.expectations.items[0].met);
    expect_text(&fixture, "select name || version || command_line from study",
                "fixture1.2.3trainstorm run 'a b'");
    expect_text(&fixture, "select count(*) from summary where metric = 'goodput' and n = 3", "2");
    expect_text(&fixture, "select group_concat(met, '') from expectation", "10");
    char *scenario = fixture_query(&fixture, "select scenario from study");
    ck_assert_str_eq(scenario, plan->resolved);
    free(scenario);
    expect_text(&fixture, "select scenario_sha256 from study", plan->digest);
    study_outcome_free(&outcome);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Runs are begun the longest first, and these have different lengths. */
START_TEST(strategies_are_shown_in_the_scenarios_order)
{
    static const char more[] = "  - {name: many, kind: diloco, learners: 8}\n";
    struct plan *plan = fixture_plan(more, false);
    struct fixture_store fixture;
    struct error error = {.kind = ERROR_NONE};
    fixture_open(&fixture);
    struct study_outcome outcome = carry_out(plan, fixture.store, NULL);
    expect_text(&fixture, "select strategy from run order by id limit 1", "many");
    struct outline *outline = outline_create(fixture.store, outcome.study, &error);
    ck_assert_msg(outline != NULL, "%s", error.message);
    ck_assert_uint_eq(outline->strategy_count, 3);
    ck_assert_str_eq(outline->strategies[0], "plain");
    ck_assert_str_eq(outline->strategies[1], "elastic");
    ck_assert_str_eq(outline->strategies[2], "many");
    outline_destroy(outline);
    study_outcome_free(&outcome);
    fixture_close(&fixture);
    plan_destroy(plan);
}
END_TEST

/* Far more than can be finished before the writer looks at the wish to stop. */
START_TEST(an_interrupted_study_is_summarised_but_not_judged)
{
    char *more = NULL;
    ck_assert_int_gt(asprintf(&more, "%s%s", expectations, "sweep: {duration: [2 h, 30000 d]}\n"), 0);
    struct plan *plan = fixture_plan(more, true);
    struct fixture_store fixture;
    atomic_bool stop = true;
    fixture_open(&fixture);
    struct study_outcome outcome = carry_out(plan, fixture.store, &stop);
    ck_assert(outcome.runs.interrupted);
    ck_assert_uint_lt(outcome.runs.finished, plan->run_count);
    ck_assert_uint_eq(outcome.expectations.count, 0);
    expect_text(&fixture, "select count(*) from expectation", "0");
    expect_text(&fixture, "select count(*) from run where status = 'interrupted'", "0");
    study_outcome_free(&outcome);
    fixture_close(&fixture);
    plan_destroy(plan);
    free(more);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("study");
    TCase *studies = tcase_create("studies");
    tcase_add_test(studies, a_study_is_run_summarised_and_judged);
    tcase_add_test(studies, strategies_are_shown_in_the_scenarios_order);
    tcase_add_test(studies, an_interrupted_study_is_summarised_but_not_judged);
    suite_add_tcase(suite, studies);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
