/*
 * Questions solved by simulation, against the closed form of blocking DiLoCo: with steps T, H steps a round
 * and C bits to send at B bit/s the utilisation is TH / (TH + C/B).
 */
#include "studies/solve.h"

#include "scenarios/question.h"
#include "studies/solved.h"
#include "studies/study.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* T = 5 s, H = 10, 80 Gbit; as many rounds as fit into a duration that cuts few of them. */
static const char blocking[] = "name: blocking\n"
                               "duration: 60 h\n"
                               "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 5 s}\n"
                               "cluster: {chips: 128, chips_per_slice: 64}\n"
                               "failures: {enabled: false}\n"
                               "network: {wan: {bandwidth: 10 Gbit/s, latency: 0 s}}\n"
                               "strategies:\n"
                               "  - {name: diloco, kind: diloco, learners: 2, inner_steps: 10}\n";

static double bandwidth_for(double utilisation)
{
    return 8e10 / (50 * (1 / utilisation - 1));
}

static struct plan *create_plan(const char *yaml, const char *more, bool sweep)
{
    struct error error = {.kind = ERROR_NONE};
    char name[] = "blocking.yaml", *bytes = NULL;
    ck_assert_int_gt(asprintf(&bytes, "%s%s", yaml, more), 0);
    struct scenario_text text = {name, bytes, strlen(bytes)};
    struct plan *plan = plan_create(&(struct plan_request){.text = &text, .sweep = sweep}, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    free(bytes);
    return plan;
}

/* What is common to the tests: a database with a study that runs nothing but what is tried. */
struct solving {
    struct fixture_store fixture;
    struct plan *plan;
    struct solve_results results;
    int64_t study;
    struct error error;
};

static bool solve(struct solving *solving, const struct solve_question *questions, size_t count,
                  size_t workers)
{
    const struct study_request request = {
        .plan = solving->plan, .version = "0", .command_line = "test", .runner = {.workers = workers}};
    return study_solve(&request, solving->fixture.store, questions, count, &solving->study, &solving->results,
                       &solving->error);
}

static void open_solving(struct solving *solving, const char *yaml, const char *more)
{
    *solving = (struct solving){.study = -1};
    fixture_open(&solving->fixture);
    solving->plan = create_plan(yaml, more, false);
}

static void close_solving(struct solving *solving)
{
    solve_free(&solving->results);
    plan_destroy(solving->plan);
    fixture_close(&solving->fixture);
}

static struct scenario_question *parse(const char *vary, const char *until, const char *grid)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_question *question = scenario_question_create(vary, until, grid, &error);
    ck_assert_msg(question != NULL, "%s", error.message);
    return question;
}

static struct solve_question ask(const struct scenario_question *question, const char *strategy)
{
    return (struct solve_question){
        .strategy = strategy, .search = &question->search, .target = &question->target, .tolerance = 1e-3};
}

static double answer_of(const struct solving *solving, const struct solve_question *questions, size_t i)
{
    const struct search_state *state = &solving->results.answers[i].state;
    ck_assert_int_eq(state->status, SEARCH_FOUND);
    return search_value(questions[i].search, state->meets->position);
}

static void expect_near(double got, double wanted, double share)
{
    ck_assert_msg(fabs(got / wanted - 1) <= share, "%.6g for %.6g", got, wanted);
}

static void expect_query(struct solving *solving, const char *query, const char *wanted)
{
    char *got = fixture_query(&solving->fixture, query);
    ck_assert_str_eq(got, wanted);
    free(got);
}

START_TEST(the_root_of_a_closed_form_is_found)
{
    static const char *const untils[] = {"compute_utilization>=50 %", "compute_utilization>=0.8",
                                         "compute_utilization>=0.95"};
    static const double utilisations[] = {0.5, 0.8, 0.95};
    struct scenario_question *asked[3];
    struct solve_question questions[3];
    struct solving solving;
    open_solving(&solving, blocking, "");
    for (size_t i = 0; i < 3; i++) {
        asked[i] = parse("network.wan.bandwidth=0.01..10000 Gbit/s", untils[i], NULL);
        questions[i] = ask(asked[i], "diloco");
    }
    ck_assert_msg(solve(&solving, questions, 3, 2), "%s", solving.error.message);
    for (size_t i = 0; i < 3; i++)
        expect_near(answer_of(&solving, questions, i), bandwidth_for(utilisations[i]), 3e-3);
    /* The ends were shared, and what was run is what was asked for. */
    ck_assert_uint_lt(solving.results.runs.finished, 3 * 16);
    char runs[20];
    snprintf(runs, sizeof runs, "%zu", solving.results.runs.finished);
    expect_query(&solving, "select count(*) from run where status = 'done'", runs);
    expect_query(&solving, "select count(*) from run where point = '{}'", "0");
    expect_query(&solving,
                 "select count(*) from run where point = '{\"network.wan.bandwidth\":\"10 Tbit/s\"}'", "1");
    for (size_t i = 0; i < 3; i++)
        scenario_question_destroy(asked[i]);
    close_solving(&solving);
}
END_TEST

START_TEST(a_whole_number_is_solved_as_one)
{
    struct solving solving;
    open_solving(&solving, blocking, "");
    struct scenario_question *asked =
        parse("strategies.diloco.inner_steps=1..500", "compute_utilization>=0.949", NULL);
    struct solve_question question = ask(asked, "diloco");
    ck_assert_msg(solve(&solving, &question, 1, 1), "%s", solving.error.message);
    /* At 10 Gbit/s a round waits for 8 s: 0.949 · 8 / 0.051 / 5 = 29.77 steps. */
    ck_assert_double_eq(answer_of(&solving, &question, 0), 30);
    ck_assert_double_eq(search_value(question.search, solving.results.answers[0].state.misses->position), 29);
    scenario_question_destroy(asked);
    close_solving(&solving);
}
END_TEST

/* The larger the model, the lower the utilisation. */
START_TEST(where_the_metric_falls_the_greatest_value_is_found)
{
    struct solving solving;
    open_solving(&solving, blocking, "");
    struct scenario_question *asked =
        parse("workload.parameters=1e9..1e12", "compute_utilization>=0.5", NULL);
    struct solve_question question = ask(asked, "diloco");
    ck_assert_msg(solve(&solving, &question, 1, 1), "%s", solving.error.message);
    ck_assert(solving.results.answers[0].state.falling);
    expect_near(answer_of(&solving, &question, 0), 50 * 1e10 / 16, 3e-3);
    scenario_question_destroy(asked);
    close_solving(&solving);
}
END_TEST

START_TEST(fields_set_beside_are_part_of_the_point)
{
    struct scenario_setting settings[] = {{(char[]){"workload.parameters"}, (char[]){"1e10"}}};
    const struct scenario_point at = {settings, 1};
    struct solving solving;
    open_solving(&solving, blocking, "");
    struct scenario_question *asked =
        parse("network.wan.bandwidth=0.1..1000 Gbit/s", "compute_utilization>=0.8", NULL);
    struct solve_question questions[] = {ask(asked, "diloco"), ask(asked, "diloco")};
    questions[1].at = &at;
    ck_assert_msg(solve(&solving, questions, 2, 2), "%s", solving.error.message);
    expect_near(answer_of(&solving, questions, 0), bandwidth_for(0.8), 3e-3);
    expect_near(answer_of(&solving, questions, 1), 2 * bandwidth_for(0.8), 3e-3);
    char *json = solve_point_json(&questions[1], 2e9);
    ck_assert_str_eq(json, "{\"network.wan.bandwidth\":\"2 Gbit/s\",\"workload.parameters\":1e10}");
    free(json);
    scenario_question_destroy(asked);
    close_solving(&solving);
}
END_TEST

/* The same figures, whatever the number of workers and whoever else asks. */
START_TEST(workers_and_company_change_no_answer)
{
    struct scenario_question *asked = parse("failures.chip.mtbi=1 d..1000 d", "goodput>=0.8", NULL);
    struct search_try alone = {0}, beside = {0};
    for (int both = 0; both < 2; both++) {
        struct solving solving;
        open_solving(&solving, fixture_scenario, "");
        struct solve_question questions[] = {ask(asked, "plain"), ask(asked, "elastic")};
        ck_assert_msg(solve(&solving, questions, both ? 2 : 1, both ? 3 : 1), "%s", solving.error.message);
        ck_assert_int_eq(solving.results.answers[0].state.status, SEARCH_FOUND);
        *(both ? &beside : &alone) = *solving.results.answers[0].state.meets;
        close_solving(&solving);
    }
    ck_assert_double_eq(alone.position, beside.position);
    ck_assert_double_eq(alone.metric, beside.metric);
    ck_assert_double_eq(alone.low, beside.low);
    scenario_question_destroy(asked);
}
END_TEST

/* Three replications of chance: the closed interval holds the target between two tries. */
START_TEST(noise_is_told_by_intervals)
{
    struct solving solving;
    open_solving(&solving, fixture_scenario, "");
    struct scenario_question *asked = parse("failures.chip.mtbi=1 d..1000 d", "goodput>=0.8", NULL);
    struct solve_question question = ask(asked, "plain");
    ck_assert_msg(solve(&solving, &question, 1, 2), "%s", solving.error.message);
    const struct search_state *state = &solving.results.answers[0].state;
    ck_assert_int_eq(state->status, SEARCH_FOUND);
    ck_assert_double_lt(state->meets->low, state->meets->metric);
    double meets = state->meets->position;
    ck_assert_double_lt(state->between[0], meets);
    ck_assert_double_gt(state->between[1], meets);
    ck_assert_double_lt(state->between[1] - state->between[0], log(10)); /* not all of the range */
    scenario_question_destroy(asked);
    close_solving(&solving);
}
END_TEST

START_TEST(what_can_not_be_tried_is_said_before_there_is_a_study)
{
    struct solving solving;
    open_solving(&solving, blocking, "");
    struct scenario_question *asked =
        parse("strategies.nobody.inner_steps=1..500", "compute_utilization>=0.9", NULL);
    struct solve_question question = ask(asked, "diloco");
    ck_assert(!solve(&solving, &question, 1, 1));
    ck_assert_int_eq(solving.error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(solving.error.message, "no item of the list is called \"nobody\""));
    expect_query(&solving, "select count(*) from study", "0");
    scenario_question_destroy(asked);
    close_solving(&solving);
}
END_TEST

static const char expected[] =
    "expect:\n"
    "  - {strategy: diloco, metric: compute_utilization, min: 0.5}\n"
    "  - {strategy: diloco, solve: network.wan.bandwidth, until: 'compute_utilization>=0.8', value: 6.4 "
    "Gbit/s,"
    " relative: 0.01, at: {workload.parameters: 5e9}, source: a formula}\n"
    "  - {strategy: diloco, solve: network.wan.bandwidth, grid: 'log 0.1..1000 Gbit/s, 50 points',"
    " until: 'compute_utilization>=0.5', value: 1.4 Gbit/s, tolerance: 100 Mbit/s}\n"
    "  - {strategy: diloco, solve: network.wan.bandwidth, range: 100..200 Gbit/s,"
    " until: 'compute_utilization>=0.5', max: 2 Gbit/s}\n"
    "  - {strategy: diloco, solve: duration, range: 1..2 h, until: 'compute_utilization>=1', min: 1 h}\n"
    "sweep: {cluster.chips: [128, 256]}\n";

START_TEST(expectations_about_fields_are_judged_when_asked_for)
{
    struct solving solving;
    struct study_outcome outcome;
    open_solving(&solving, blocking, expected);
    struct study_request request = {.plan = solving.plan, .version = "0", .command_line = "test"};
    ck_assert(study_run(&request, solving.fixture.store, &outcome, &solving.error));
    ck_assert_uint_eq(outcome.expectations.count, 1);
    ck_assert_uint_eq(outcome.expectations.solvable, 4);
    ck_assert_uint_eq(outcome.expectations.skipped, 0);
    study_outcome_free(&outcome);
    request.solve = true;
    ck_assert(study_run(&request, solving.fixture.store, &outcome, &solving.error));
    ck_assert_uint_eq(outcome.expectations.count, 5);
    ck_assert_uint_eq(outcome.expectations.solvable, 0);
    ck_assert_uint_eq(outcome.expectations.missed, 2);
    const struct expectation_result *results = outcome.expectations.items;
    expect_near(results[1].got, 6.4, 3e-3);
    ck_assert_double_eq(results[2].got, 1e8 * pow(1e4, 14 / 49.0) / 1e9);
    ck_assert_double_eq(results[2].tolerance, 0.1);
    ck_assert_int_eq(results[3].status, SEARCH_ALL_MEET);
    ck_assert_int_eq(results[4].status, SEARCH_NONE_MEETS);
    expect_query(
        &solving,
        "select group_concat(point || ' ' || metric || ' ' || until || ' ' || wanted || ' ' ||"
        " ifnull(source, '-') || ' ' || unit || ' ' || met || ' ' || ifnull(bound, '-'), ';') from"
        " expectation where study = 2 and until is not null",
        "{\"workload.parameters\":5e9} network.wan.bandwidth compute_utilization>=0.8 6.4 a formula Gbit/s"
        " 1 -;{} network.wan.bandwidth compute_utilization>=0.5 1.4 - Gbit/s 1 -;"
        "{} network.wan.bandwidth compute_utilization>=0.5 2.0 - Gbit/s 0 max;"
        "{} duration compute_utilization>=1 3600.0 - s 0 min");
    study_outcome_free(&outcome);
    close_solving(&solving);
}
END_TEST

/* What the sweep has run is not run again. */
START_TEST(points_of_the_sweep_are_tries_already)
{
    struct solving solving;
    struct study_outcome outcome;
    open_solving(&solving, blocking, "");
    plan_destroy(solving.plan);
    solving.plan = create_plan(
        blocking,
        "sweep: {network.wan.bandwidth: [1 Gbit/s, 1e5 Mbit/s]}\n"
        "expect: [{strategy: diloco, solve: network.wan.bandwidth, until: 'compute_utilization>=0.8',"
        " range: 1..100 Gbit/s, value: 6.4 Gbit/s, relative: 0.01}]\n",
        true);
    const struct study_request request = {
        .plan = solving.plan, .version = "0", .command_line = "test", .solve = true};
    ck_assert_msg(study_run(&request, solving.fixture.store, &outcome, &solving.error), "%s",
                  solving.error.message);
    ck_assert_uint_eq(outcome.expectations.count, 1);
    ck_assert_uint_eq(outcome.expectations.missed, 0);
    expect_query(&solving,
                 "select count(*) from run where json_extract(point, '$.\"network.wan.bandwidth\"') in"
                 " ('1 Gbit/s', '100 Gbit/s')",
                 "2");
    study_outcome_free(&outcome);
    close_solving(&solving);
}
END_TEST

int main(void)
{
    gsl_set_error_handler_off();
    Suite *suite = suite_create("solve");
    TCase *solve = tcase_create("solve");
    tcase_set_timeout(solve, 120);
    tcase_add_test(solve, the_root_of_a_closed_form_is_found);
    tcase_add_test(solve, a_whole_number_is_solved_as_one);
    tcase_add_test(solve, where_the_metric_falls_the_greatest_value_is_found);
    tcase_add_test(solve, fields_set_beside_are_part_of_the_point);
    tcase_add_test(solve, workers_and_company_change_no_answer);
    tcase_add_test(solve, noise_is_told_by_intervals);
    tcase_add_test(solve, what_can_not_be_tried_is_said_before_there_is_a_study);
    tcase_add_test(solve, expectations_about_fields_are_judged_when_asked_for);
    tcase_add_test(solve, points_of_the_sweep_are_tries_already);
    suite_add_tcase(suite, solve);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
