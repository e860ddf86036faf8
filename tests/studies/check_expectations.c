/*
 * Expectations against runs made by hand, whose means are known.
 */
#include "studies/expectations.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result of which only the goodput is known, 0 for a share of nothing. */
static struct run_result result_of(double goodput)
{
    struct run_result result = {.status = RUN_DONE};
    for (int i = 0; i < RUN_METRICS; i++)
        result.metrics[i] = NAN;
    result.metrics[METRIC_GOODPUT] = goodput;
    sim_ledger_charge(&result.ledger, BUDGET_USEFUL, 4096, SIM_SECOND);
    return result;
}

static int64_t add_study(struct store *store)
{
    struct study_record record = {.name = "fixture",
                                  .scenario = fixture_scenario,
                                  .scenario_sha256 = "",
                                  .version = "0",
                                  .command_line = "check_expectations",
                                  .host = "here"};
    return store_add_study(store, &record, NULL);
}

/* Of "plain" goodputs of 0.87, 0.88 and 0.89 plus the point's number over 10, of "elastic" 0.02, 0.03 and
 * 0.04 more.
 */
static double goodput_of(const struct plan_run *run)
{
    double plain = 0.87 + 0.01 * run->replication + 0.1 * (double)run->point;
    return strcmp(run->strategy->name, "plain") == 0 ? plain : plain + 0.01 * (2 + run->replication);
}

static int64_t store_runs(const struct plan *plan, struct store *store)
{
    struct error error = {.kind = ERROR_NONE};
    int64_t study = add_study(store);
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct plan_run *run = &plan->runs[i];
        struct run_result result = result_of(goodput_of(run));
        struct run_record record = {.strategy = run->strategy->name,
                                    .point = plan->points[run->point].json,
                                    .replication = run->replication,
                                    .seed = 7,
                                    .result = &result};
        ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
    }
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    return study;
}

/* Judges the expectations of the scenario with MORE lines after it; calls CHECK with the results and the
 * database. */
static void judged(const char *more, bool sweep,
                   void (*check)(const struct plan *, const struct expectation_results *,
                                 struct fixture_store *))
{
    struct plan *plan = fixture_plan(more, sweep);
    struct fixture_store fixture;
    struct expectation_results results;
    struct error error = {.kind = ERROR_NONE};
    fixture_open(&fixture);
    int64_t study = store_runs(plan, fixture.store);
    ck_assert_msg(expectations_judge(plan, fixture.store, study, &results, &error), "%s", error.message);
    check(plan, &results, &fixture);
    expectations_free(&results);
    fixture_close(&fixture);
    plan_destroy(plan);
}

static const char figures[] =
    "expect:\n"
    "  - {strategy: plain, metric: goodput, value: 0.92, tolerance: 0.04, source: a paper}\n"
    "  - {strategy: plain, metric: goodput, value: 0.92, tolerance: 0.0399}\n"
    "  - {strategy: plain, metric: goodput, value: 0.80, relative: 0.1}\n"
    "  - {strategy: plain, metric: goodput, value: 0.80, relative: 0.0999}\n"
    "  - {strategy: plain, metric: goodput, min: 0.88}\n"
    "  - {strategy: plain, metric: goodput, min: 0.881}\n"
    "  - {strategy: plain, metric: goodput, max: 0.88}\n"
    "  - {strategy: plain, metric: goodput, max: 0.879}\n"
    "  - {strategy: plain, metric: goodput, min: 0.8, max: 0.9}\n"
    "  - {strategy: plain, metric: 'share:useful', value: 1, tolerance: 0}\n"
    "  - {strategy: plain, metric: mtbf, min: 0 s}\n";

static const struct {
    double wanted, tolerance;
    bool met;
} verdicts[] = {
    {0.92, 0.04, true}, {0.92, 0.0399, false}, {0.80, 0.08, true}, {0.80, 0.07992, false},
    {0.88, NAN, true},  {0.881, NAN, false},   {0.88, NAN, true},  {0.879, NAN, false},
    {0.85, 0.05, true}, {1, 0, true},          {0, NAN, false},
};

static void check_verdicts(const struct plan *plan, const struct expectation_results *results,
                           struct fixture_store *fixture)
{
    (void)plan;
    ck_assert_uint_eq(results->count, sizeof verdicts / sizeof *verdicts);
    ck_assert_uint_eq(results->missed, 5);
    for (size_t i = 0; i < results->count; i++) {
        const struct expectation_result *result = &results->items[i];
        ck_assert_msg(result->met == verdicts[i].met, "expectation %zu: got %g", i, result->got);
        ck_assert_double_eq_tol(result->wanted, verdicts[i].wanted, 1e-12);
        ck_assert_int_eq(isnan(result->tolerance), isnan(verdicts[i].tolerance));
        if (!isnan(result->tolerance))
            ck_assert_double_eq_tol(result->tolerance, verdicts[i].tolerance, 1e-12);
    }
    ck_assert_double_eq_tol(results->items[0].got, 0.88, 1e-12);
    ck_assert(isnan(results->items[10].got));
    char *rows = fixture_query(fixture, "select group_concat(met, '') from expectation");
    ck_assert_str_eq(rows, "10101010110");
    free(rows);
    char *source = fixture_query(fixture, "select source from expectation where source is not null");
    ck_assert_str_eq(source, "a paper");
    free(source);
}

START_TEST(figures_and_bounds_are_judged_by_the_mean)
{
    judged(figures, false, check_verdicts);
}
END_TEST

/* Three pairs: the mean difference is 0.03 / 0.88, and its interval 4.3027 * 0.01 / sqrt(3) / 0.88 at 95 %.
 */
static const char pairs[] =
    "expect:\n"
    "  - {strategy: elastic, against: plain, metric: goodput, value: 0.034, tolerance: 0.0001}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, value: 0.034, tolerance: 0.00009}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, min: 0.01}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, min: 0.01, confidence: 0.95}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, min: 0.005, confidence: 0.95}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, max: 0.06, confidence: 0.95}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, max: 0.06, confidence: 0.9}\n"
    "  - {strategy: plain, against: elastic, metric: goodput, max: 0, confidence: 0.95}\n"
    "  - {strategy: elastic, against: plain, metric: mtbf, max: 0}\n"
    "  - {strategy: plain, metric: goodput, min: 0.86, confidence: 0.95}\n";

static const bool pairs_met[] = {true, false, true, false, true, false, true, true, false, false};

static void check_pairs(const struct plan *plan, const struct expectation_results *results,
                        struct fixture_store *fixture)
{
    (void)plan;
    ck_assert_uint_eq(results->count, sizeof pairs_met / sizeof *pairs_met);
    for (size_t i = 0; i < results->count; i++)
        ck_assert_msg(results->items[i].met == pairs_met[i], "expectation %zu: got %g in %g ... %g", i,
                      results->items[i].got, results->items[i].low, results->items[i].high);
    double half = 4.302652729911275 * 0.01 / sqrt(3) / 0.88;
    ck_assert_double_eq_tol(results->items[0].got, 0.03 / 0.88, 1e-12);
    ck_assert_double_eq_tol(results->items[0].low, 0.03 / 0.88 - half, 1e-9);
    ck_assert_double_eq_tol(results->items[0].high, 0.03 / 0.88 + half, 1e-9);
    ck_assert_double_eq_tol(results->items[7].got, -0.03 / 0.91, 1e-12);
    ck_assert_double_nan(results->items[8].got);
    char *row = fixture_query(fixture, "select group_concat(ifnull(bound, '-') || ' ' || against, ', ')"
                                       " from expectation where confidence = 0.95 and against is not null");
    ck_assert_str_eq(row, "min plain, min plain, max plain, max elastic");
    free(row);
}

START_TEST(strategies_are_held_against_each_other_pair_by_pair)
{
    judged(pairs, false, check_pairs);
}
END_TEST

/* With two degrees of freedom the half-width at a level P is P sqrt(2 / (1 - P * P)) deviations over sqrt(3).
 */
static double half_width(double level, double deviation)
{
    return level * sqrt(2 / (1 - level * level)) * deviation / sqrt(3);
}

/* Alone it would be missed: 0.9 is further from 0.88 than the interval of 90 % reaches, but not than that of
 * two values together. The bound doesn't count. */
static const char values[] =
    "expect:\n"
    "  - {strategy: plain, metric: goodput, value: 0.9, confidence: 0.9}\n"
    "  - {strategy: elastic, metric: goodput, min: 0, confidence: 0.9}\n"
    "  - {strategy: elastic, against: plain, metric: goodput, value: 0, confidence: 0.9}\n";

static void check_values(const struct plan *plan, const struct expectation_results *results,
                         struct fixture_store *fixture)
{
    (void)plan;
    double together = half_width(sqrt(0.9), 0.01);
    ck_assert_double_gt(together, 0.02);
    ck_assert_double_lt(half_width(0.9, 0.01), 0.02);
    ck_assert_uint_eq(results->count, 3);
    ck_assert(results->items[0].met && results->items[1].met && !results->items[2].met);
    ck_assert_double_eq_tol(results->items[0].tolerance, together, 1e-9);
    ck_assert_double_eq_tol(results->items[1].high - results->items[1].got, half_width(0.9, 0.02), 1e-9);
    ck_assert_double_eq_tol(results->items[2].tolerance, together / 0.88, 1e-9);
    char *row = fixture_query(fixture, "select count(*) from expectation where tolerance is not null");
    ck_assert_str_eq(row, "2");
    free(row);
}

START_TEST(values_with_a_confidence_hold_together)
{
    judged(values, false, check_values);
}
END_TEST

START_TEST(pairs_need_both_strategies)
{
    struct error error = {.kind = ERROR_NONE};
    char name[] = "fixture.yaml", *bytes = fixture_text(pairs);
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    struct plan *plan = plan_create(
        &(struct plan_request){.text = &text, .strategies = (const char *[]){"elastic"}, .strategy_count = 1},
        &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    struct fixture_store fixture;
    struct expectation_results results;
    fixture_open(&fixture);
    ck_assert(expectations_judge(plan, fixture.store, store_runs(plan, fixture.store), &results, &error));
    ck_assert_uint_eq(results.count, 0);
    ck_assert_uint_eq(results.skipped, plan->base->expectation_count);
    expectations_free(&results);
    fixture_close(&fixture);
    plan_destroy(plan);
    free(bytes);
}
END_TEST

static const char points[] = "expect:\n"
                             "  - {strategy: elastic, at: {duration: 24 h}, metric: goodput, min: 0}\n"
                             "  - {strategy: elastic, at: {duration: 3 d}, metric: goodput, min: 0}\n"
                             "  - {strategy: elastic, at: {cluster.chips: 2048}, metric: goodput, max: 0}\n"
                             "  - {strategy: elastic, metric: goodput, min: 0}\n"
                             "sweep:\n"
                             "  cluster.chips: [1024, 2048]\n"
                             "  duration: [1 d, 2 d]\n";

static void check_points(const struct plan *plan, const struct expectation_results *results,
                         struct fixture_store *fixture)
{
    static const size_t wanted[] = {0, 2, 2, 3, 0, 1, 2, 3};
    (void)plan;
    ck_assert_uint_eq(results->count, sizeof wanted / sizeof *wanted);
    ck_assert_uint_eq(results->missed, 2);
    for (size_t i = 0; i < results->count; i++)
        ck_assert_uint_eq(results->items[i].point, wanted[i]);
    char *rows = fixture_query(fixture, "select count(*) from expectation");
    ck_assert_str_eq(rows, "8");
    free(rows);
}

START_TEST(a_point_is_picked_by_the_settings_that_are_named)
{
    judged(points, true, check_points);
}
END_TEST

static void check_base(const struct plan *plan, const struct expectation_results *results,
                       struct fixture_store *fixture)
{
    (void)plan;
    (void)fixture;
    ck_assert_uint_eq(results->count, 1); /* the one that names no point */
    ck_assert_uint_eq(results->missed, 0);
}

START_TEST(points_that_did_not_run_are_skipped)
{
    judged(points, false, check_base);
}
END_TEST

/* How many of the expectations MORE are judged, and how many skipped, when what REQUEST says is run. */
static void counted(const char *more, struct plan_request request, size_t count, size_t skipped)
{
    struct error error = {.kind = ERROR_NONE};
    char name[] = "fixture.yaml", *bytes = fixture_text(more);
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    request.text = &text;
    struct plan *plan = plan_create(&request, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    struct fixture_store fixture;
    struct expectation_results results;
    fixture_open(&fixture);
    int64_t study = store_runs(plan, fixture.store);
    ck_assert(expectations_judge(plan, fixture.store, study, &results, &error));
    ck_assert_uint_eq(results.count, count);
    ck_assert_uint_eq(results.skipped, skipped);
    expectations_free(&results);
    fixture_close(&fixture);
    plan_destroy(plan);
    free(bytes);
}

START_TEST(strategies_that_did_not_run_are_skipped)
{
    counted(figures, (struct plan_request){.strategies = (const char *[]){"elastic"}, .strategy_count = 1}, 0,
            sizeof verdicts / sizeof *verdicts);
}
END_TEST

START_TEST(confidence_in_one_replication_is_skipped)
{
    static const char confident[] =
        "expect:\n"
        "  - {strategy: elastic, against: plain, metric: goodput, min: 0}\n"
        "  - {strategy: elastic, against: plain, metric: goodput, min: 0, confidence: 0.95}\n"
        "  - {strategy: plain, metric: goodput, min: 0, confidence: 0.95}\n";
    const struct scenario_override once = {.path = "replications", .value = "1", .origin = "--replications"};
    counted(confident, (struct plan_request){.overrides = &once, .override_count = 1}, 1, 2);
    counted(confident, (struct plan_request){0}, 3, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expectations");
    TCase *expectations = tcase_create("expectations");
    tcase_add_test(expectations, figures_and_bounds_are_judged_by_the_mean);
    tcase_add_test(expectations, strategies_are_held_against_each_other_pair_by_pair);
    tcase_add_test(expectations, values_with_a_confidence_hold_together);
    tcase_add_test(expectations, pairs_need_both_strategies);
    tcase_add_test(expectations, a_point_is_picked_by_the_settings_that_are_named);
    tcase_add_test(expectations, points_that_did_not_run_are_skipped);
    tcase_add_test(expectations, strategies_that_did_not_run_are_skipped);
    tcase_add_test(expectations, confidence_in_one_replication_is_skipped);
    suite_add_tcase(suite, expectations);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
