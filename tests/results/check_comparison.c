/*
 * The table as a person sees it, to the letter.
 */
#include "results/comparison.h"
#include "results/database.h"
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

/* The table after summarising; the caller frees. */
static char *table(void)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    char *text = comparison_table(store, study, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    return text;
}

static void assert_table(const char *expected)
{
    char *text = table();
    ck_assert_str_eq(text, expected);
    free(text);
}

/* Two strategies, three replications of a day on 1.2 million chips. */
static void add_day(const char *point)
{
    for (int64_t i = 0; i < 3; i++) {
        const double shift = 0.002 * (double)(i - 1);
        const struct fixture_run runs[] = {
            {.strategy = "plain",
             .point = point,
             .replication = i,
             .chips = 1200000,
             .seconds = 86400,
             .goodput = 0.27 + shift,
             .uptime = 0.28,
             .steps = 3590,
             .failures = 3288,
             .loss = BUDGET_RESTART},
            {.strategy = "decoupled",
             .point = point,
             .replication = i,
             .chips = 1200000,
             .seconds = 86400,
             .goodput = 0.88 - shift,
             .uptime = 1,
             .steps = 11700,
             .failures = 3288,
             .loss = BUDGET_RECONFIGURATION},
        };
        fixture_add_runs(store, study, runs, 2);
    }
}

START_TEST(one_point)
{
    add_day("{}");
    assert_table(
        "made-up: 1,200,000 chips, 1 d simulated\n"
        "\n"
        "strategy        goodput         uptime   steps  tokens  MTBF  failures  largest losses\n"
        "                      %              %  useful             s            of chip time\n"
        "plain      27.00 ± 0.50   28.00 ± 0.00   3,590  15.1 G  26.3     3,288  restart 73.0 %\n"
        "decoupled  88.00 ± 0.50  100.00 ± 0.00  11,700  49.1 G  26.3     3,288  reconfiguration 12.0 %\n"
        "\n"
        "Means of 3 replications, ± half-width of the 95 % interval.\n");
}
END_TEST

START_TEST(points_have_headings)
{
    add_day("{\"cluster.chips\":1200000,\"failures.chip.mtbi\":\"365 d\"}");
    const struct fixture_run run = {.strategy = "decoupled",
                                    .point = "{\"cluster.chips\":150000,\"failures.chip.mtbi\":\"365 d\"}",
                                    .chips = 150000,
                                    .seconds = 86400,
                                    .goodput = 0.98,
                                    .uptime = 1,
                                    .steps = 13000.25,
                                    .failures = 10};
    fixture_add_runs(store, study, &run, 1);
    assert_table(
        "made-up\n"
        "\n"
        "strategy        goodput         uptime   steps  tokens    MTBF  failures  largest losses\n"
        "                      %              %  useful               s            of chip time\n"
        "\n"
        "cluster.chips = 150000, failures.chip.mtbi = 365 d\n"
        "decoupled         98.00         100.00  13,000  54.5 G  8640.0        10  down 2.0 %\n"
        "\n"
        "cluster.chips = 1200000, failures.chip.mtbi = 365 d\n"
        "plain      27.00 ± 0.50   28.00 ± 0.00   3,590  15.1 G    26.3     3,288  restart 73.0 %\n"
        "decoupled  88.00 ± 0.50  100.00 ± 0.00  11,700  49.1 G    26.3     3,288  reconfiguration 12.0 %\n"
        "\n"
        "Means of 3 replications, ± half-width of the 95 % interval.\n");
}
END_TEST

START_TEST(runs_that_went_otherwise_are_told)
{
    const struct fixture_run runs[] = {
        {.strategy = "a",
         .replication = 0,
         .chips = 64,
         .seconds = 600,
         .goodput = 1,
         .uptime = 1,
         .steps = 99.5},
        {.strategy = "a",
         .replication = 1,
         .chips = 64,
         .seconds = 300,
         .goodput = 1,
         .status = RUN_INTERRUPTED},
        {.strategy = "b", .replication = 0, .chips = 64, .seconds = 600, .goodput = 0, .status = RUN_STALLED},
        {.strategy = "c", .replication = 0, .chips = 64, .seconds = 0, .goodput = 0, .status = RUN_FAILED},
    };
    fixture_add_runs(store, study, runs, 4);
    assert_table("made-up: 64 chips, 10 min simulated\n"
                 "\n"
                 "strategy  goodput  uptime   steps  tokens  MTBF  failures  largest losses\n"
                 "                %       %  useful             s            of chip time\n"
                 "a          100.00  100.00    99.5   417 M     –         0\n"
                 "b            0.00    0.00       0       0     –         0  down 100.0 %\n"
                 "c               –       –       –       –     –         –\n"
                 "\n"
                 "One replication: no intervals.\n"
                 "a: 1 of 2 runs interrupted, left out of the means.\n"
                 "b: 1 of 1 runs stalled.\n"
                 "c: 1 of 1 runs failed, left out of the means.\n");
}
END_TEST

/* Losses of one run: as many as are wanted, from the largest. */
static void add_losses(const char *strategy, const int *percent)
{
    struct fixture_run run = {.strategy = strategy, .chips = 100, .seconds = 100, .uptime = 1};
    struct run_result result = fixture_result(&run);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        result.ledger.amount[i] = (sim_amount)percent[i] * 100 * SIM_SECOND;
    const struct run_record record = {.strategy = strategy, .point = "{}", .seed = 1, .result = &result};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
}

START_TEST(the_largest_losses_come_first)
{
    add_losses("a", (int[BUDGET_CATEGORIES]){[BUDGET_USEFUL] = 50,
                                             [BUDGET_DOWN] = 5,
                                             [BUDGET_REDONE] = 30,
                                             [BUDGET_RESTART] = 14,
                                             [BUDGET_RESTORE] = 1});
    char *text = table();
    ck_assert_msg(strstr(text, "  redone 30.0 %, restart 14.0 %, down 5.0 %\n") != NULL, "%s", text);
    free(text);
}
END_TEST

static void add_cost(const char *strategy, double failures, double cost)
{
    struct fixture_run run = {.strategy = strategy,
                              .chips = 64,
                              .seconds = 3600,
                              .goodput = 0.5,
                              .uptime = 1,
                              .steps = 100,
                              .failures = failures};
    struct run_result result = fixture_result(&run);
    result.metrics[METRIC_COST_PER_BILLION_TOKENS] = cost;
    const struct run_record record = {.strategy = strategy, .point = "{}", .seed = 1, .result = &result};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
}

START_TEST(costs_stand_for_failures_that_there_are_none_of)
{
    add_cost("dear", 0, 1600.3);
    add_cost("cheap", 0, 10);
    assert_table("made-up: 64 chips, 1 h simulated\n"
                 "\n"
                 "strategy  goodput  uptime   steps  tokens            cost  largest losses\n"
                 "                %       %  useful          per 10⁹ tokens  of chip time\n"
                 "dear        50.00  100.00     100   419 M           1,600  down 50.0 %\n"
                 "cheap       50.00  100.00     100   419 M           10.00  down 50.0 %\n"
                 "\n"
                 "One replication: no intervals.\n");
}
END_TEST

START_TEST(costs_and_failures)
{
    add_cost("failing", 36, 12.345);
    char *text = table();
    ck_assert_msg(strstr(text, "           12.35   1.7        36  down 50.0 %\n") != NULL, "%s", text);
    free(text);
}
END_TEST

/* Fewer losses are named where three don't fit into the line. */
START_TEST(lines_stay_short)
{
    add_losses("a-strategy-with-a-long-name", (int[BUDGET_CATEGORIES]){[BUDGET_USEFUL] = 40,
                                                                       [BUDGET_COMMUNICATION_WAIT] = 30,
                                                                       [BUDGET_STRAGGLER_WAIT] = 20,
                                                                       [BUDGET_CHECKPOINT_SAVE] = 10});
    char *text = table();
    ck_assert_msg(strstr(text, "  communication wait 30.0 %\n") != NULL, "%s", text);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        ck_assert_uint_lt((size_t)(strchr(line, '\n') - line), 120);
    free(text);
}
END_TEST

static void add_expectation(const char *point, const char *metric, double wanted, double tolerance,
                            double got, bool met, const char *source)
{
    const struct expectation_record record = {.strategy = "plain",
                                              .point = point,
                                              .metric = metric,
                                              .wanted = wanted,
                                              .tolerance = tolerance,
                                              .got = got,
                                              .low = NAN,
                                              .high = NAN,
                                              .confidence = NAN,
                                              .met = met,
                                              .source = source};
    struct error error = {0};
    ck_assert_msg(store_add_expectation(store, study, &record, &error), "%s", error.message);
}

START_TEST(expectations_are_met_or_missed)
{
    const struct fixture_run run = {.strategy = "plain", .point = "{\"x\":1}", .chips = 64, .seconds = 60};
    fixture_add_runs(store, study, &run, 1);
    add_expectation("{\"x\":1}", "goodput", 0.88, 0.04, 0.8764, true, "arXiv 2604.21428 Table 1");
    add_expectation("{\"x\":1}", "share:down", 0.05, NAN, 0.06, false, NULL);
    add_expectation("{\"x\":1}", "uptime", 0.95, NAN, 0.97, true, NULL);
    add_expectation("{}", "steps", 1234, 12, NAN, false, NULL);
    char *text = table();
    const char *expected =
        "        strategy  at     metric              wanted      got  source\n"
        "met     plain     x = 1  goodput     88.00 ± 4.00 %  87.64 %  arXiv 2604.21428 Table 1\n"
        "MISSED  plain     x = 1  share:down        ≤ 5.00 %   6.00 %\n"
        "met     plain     x = 1  uptime           ≥ 95.00 %  97.00 %\n"
        "MISSED  plain            steps            1234 ± 12        –\n"
        "2 of 4 expectations met, the others MISSED\n";
    const char *found = strstr(text, "        strategy");
    ck_assert_str_eq(found ? found : text, expected);
    free(text);
}
END_TEST

START_TEST(figures_of_expectations_have_their_units)
{
    const struct fixture_run run = {.strategy = "plain", .point = "{}", .chips = 64, .seconds = 60};
    fixture_add_runs(store, study, &run, 1);
    add_expectation("{}", "ettr", 0.5, NAN, 0.7601, true, NULL);
    add_expectation("{}", "mttr", 3600, NAN, 292.39, true, NULL);
    add_expectation("{}", "mttr", 290, NAN, 292.39, false, NULL);
    add_expectation("{}", "mtbf", 1200, 600, 2314.3, false, NULL);
    add_expectation("{}", "mtbf", 5000, 2500, 6011, true, NULL);
    add_expectation("{}", "mtbf", 5400, NAN, NAN, false, NULL);
    add_expectation("{}", "wan_bytes", 5e12, 1e12, 958e9, false, NULL);
    add_expectation("{}", "link_peak", 2e9, NAN, 2.5e9, true, NULL);
    add_expectation("{}", "energy", 100, NAN, 99.5, false, NULL);
    add_expectation("{}", "final_loss", 2.5, 0.1, 2.52341, true, NULL);
    char *text = table();
    const char *expected = "        strategy  at  metric                   wanted         got  source\n"
                           "met     plain         ettr                  ≥ 50.00 %     76.01 %\n"
                           "met     plain         mttr                      ≤ 1 h   4.873 min\n"
                           "MISSED  plain         mttr                    ≤ 290 s     292.4 s\n"
                           "MISSED  plain         mtbf                20 ± 10 min   38.57 min\n"
                           "met     plain         mtbf              5000 ± 2500 s      6011 s\n"
                           "MISSED  plain         mtbf                      1.5 h           –\n"
                           "MISSED  plain         wan_bytes              5 ± 1 TB      958 GB\n"
                           "met     plain         link_peak            ≥ 2 Gbit/s  2.5 Gbit/s\n"
                           "MISSED  plain         energy                ≥ 100 kWh    99.5 kWh\n"
                           "met     plain         final_loss  2.5000 ± 0.1000 nat  2.5234 nat\n"
                           "5 of 10 expectations met, the others MISSED\n";
    const char *found = strstr(text, "        strategy");
    ck_assert_str_eq(found ? found : text, expected);
    free(text);
}
END_TEST

static void add_bound(const char *strategy, const char *point, enum expectation_bound bound,
                      double confidence, const char *against)
{
    const struct expectation_record record = {.strategy = strategy,
                                              .against = against,
                                              .point = point,
                                              .metric = against ? "final_loss" : "goodput",
                                              .bound = bound,
                                              .wanted = 0,
                                              .tolerance = NAN,
                                              .got = -0.003,
                                              .low = -0.0051,
                                              .high = -0.0009,
                                              .confidence = confidence};
    struct error error = {0};
    ck_assert_msg(store_add_expectation(store, study, &record, &error), "%s", error.message);
}

/* As in the table above them, whatever the order in which they were judged. */
START_TEST(expectations_stand_in_the_order_of_points_and_strategies)
{
    static const char *const strategies[] = {"plain", "decoupled"}, *const points[] = {"{\"x\":10}",
                                                                                       "{\"x\":9}"};
    for (size_t i = 0; i < 4; i++) {
        const struct fixture_run run = {
            .strategy = strategies[i % 2], .point = points[i / 2], .chips = 64, .seconds = 60};
        fixture_add_runs(store, study, &run, 1);
    }
    add_bound("decoupled", points[0], EXPECTATION_MINIMUM, 0.95, NULL);
    add_bound("plain", points[0], EXPECTATION_MINIMUM, NAN, NULL);
    add_bound("decoupled", points[1], EXPECTATION_MAXIMUM, NAN, "reference");
    add_bound("plain", points[1], EXPECTATION_MAXIMUM, NAN, NULL);
    char *text = table();
    const char *expected =
        "        strategy                     at      metric                wanted                     got  "
        "source\n"
        "MISSED  plain                        x = 9   goodput             ≤ 0.00 %                 -0.30 %\n"
        "MISSED  decoupled against reference  x = 9   final_loss          ≤ 0.00 %  -0.30 % [-0.51, -0.09]\n"
        "MISSED  plain                        x = 10  goodput             ≥ 0.00 %                 -0.30 %\n"
        "MISSED  decoupled                    x = 10  goodput     ≥ 0.00 % at 95 %  -0.30 % [-0.51, -0.09]\n"
        "0 of 4 expectations met, the others MISSED\n";
    const char *found = strstr(text, "        strategy");
    ck_assert_str_eq(found ? found : text, expected);
    free(text);
}
END_TEST

START_TEST(json_has_the_same_facts)
{
    add_day("{}");
    add_expectation("{}", "goodput", 0.27, 0.04, 0.27, true, NULL);
    struct error error = {0};
    free(table());
    char *text = comparison_json(store, -1, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    sqlite3_stmt *query =
        database_query(store_database(store),
                       "select json_extract(?1, '$.study.name'), json_extract(?1, '$.points[0].chips'),"
                       " json_extract(?1, '$.points[0].strategies[1].strategy'),"
                       " json_extract(?1, '$.points[0].strategies[1].metrics.goodput.mean'),"
                       " json_extract(?1, '$.points[0].strategies[0].runs.done'),"
                       " json_extract(?1, '$.points[0].strategies[0].metrics.\"share:restart\".n'),"
                       " json_extract(?1, '$.expectations[0].met')",
                       1, &(struct database_value){.type = DATABASE_TEXT, .text = text}, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    ck_assert_str_eq((const char *)sqlite3_column_text(query, 0), "made-up");
    ck_assert_int_eq(database_column_integer(query, 1), 1200000);
    ck_assert_str_eq((const char *)sqlite3_column_text(query, 2), "decoupled");
    ck_assert_double_eq_tol(database_column_real(query, 3), 0.88, 1e-15);
    ck_assert_int_eq(database_column_integer(query, 4), 3);
    ck_assert_int_eq(database_column_integer(query, 5), 3);
    ck_assert_int_eq(database_column_integer(query, 6), 1);
    sqlite3_finalize(query);
    free(text);
}
END_TEST

/* Five replications of a day, replayed, and the reference. */
static void add_learning(void)
{
    static const struct {
        const char *strategy;
        double goodput, final;
    } rows[] = {{"plain", 0.27, 2.9}, {"decoupled", 0.88, 2.35}, {"reference", 1, 2.34}};
    for (int64_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++) {
            double shift = 0.01 * (double)(i - 2);
            const struct fixture_run run = {.strategy = rows[j].strategy,
                                            .replication = i,
                                            .seed = 1,
                                            .chips = 1200000,
                                            .seconds = 86400,
                                            .goodput = rows[j].goodput,
                                            .uptime = 1,
                                            .steps = 13000 * rows[j].goodput,
                                            .failures = 3288,
                                            .loss = BUDGET_RECONFIGURATION};
            fixture_add_runs(store, study, &run, 1);
            fixture_add_replay(store, &(struct fixture_replay){.strategy = rows[j].strategy,
                                                               .replication = i,
                                                               .start = 4.2,
                                                               .final = rows[j].final + shift,
                                                               .floor = 2.3 + shift,
                                                               .statistical_goodput = 0.9 * rows[j].goodput,
                                                               .diverged = j == 0 && i == 4});
        }
}

START_TEST(learning_has_columns_and_the_reference_no_row)
{
    add_learning();
    assert_table(
        "made-up: 1,200,000 chips, 1 d simulated\n"
        "\n"
        "strategy        goodput         uptime   steps  tokens     final loss  excess  statistical  "
        "largest losses\n"
        "                      %              %  useful                           loss    goodput %  "
        "of chip time\n"
        "plain      27.00 ± 0.00  100.00 ± 0.00   3,510  14.7 G  2.895 ± 0.021  0.6000        24.30  "
        "reconfiguration 73.0 %\n"
        "decoupled  88.00 ± 0.00  100.00 ± 0.00  11,440  48.0 G  2.350 ± 0.020  0.0500        79.20  "
        "reconfiguration 12.0 %\n"
        "\n"
        "Means of 5 replications, ± half-width of the 95 % interval.\n"
        "plain: 1 of 5 replays diverged.\n");
}
END_TEST

START_TEST(several_learnings_are_told)
{
    add_learning();
    fixture_add_replay(
        store, &(struct fixture_replay){
                   .strategy = "plain", .learning = "other", .sha256 = "ijkl", .start = 4, .final = 1});
    fixture_add_replay(
        store, &(struct fixture_replay){.strategy = "plain", .sha256 = "efgh", .start = 4, .final = 1});
    char *text = table();
    ck_assert_msg(strstr(text, "Losses of the learning \"learning\"; 1 others were replayed too.\n") != NULL,
                  "%s", text);
    ck_assert_msg(strstr(text, "2.895") != NULL, "%s", text);
    free(text);
}
END_TEST

/* The integer or real that JSON has at PATH, NAN for none. */
static double real_at(const char *json, const char *path)
{
    const struct database_value values[] = {database_text(json), database_text(path)};
    struct error error = {0};
    sqlite3_stmt *query =
        database_query(store_database(store), "select json_extract(?1, ?2)", 2, values, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    double real = database_column_real(query, 0);
    sqlite3_finalize(query);
    return real;
}

START_TEST(json_has_what_was_learned)
{
    add_learning();
    free(table());
    struct error error = {0};
    char *text = comparison_json(store, study, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    ck_assert_double_eq(real_at(text, "$.points[0].strategies[0].learning[0].replays.diverged"), 1);
    ck_assert_double_eq(real_at(text, "$.points[0].strategies[0].learning[0].replays.done"), 4);
    ck_assert_double_eq_tol(real_at(text, "$.points[0].strategies[1].learning[0].metrics.final_loss.mean"),
                            2.35, 1e-12);
    ck_assert_double_eq_tol(real_at(text, "$.points[0].reference.learning[0].metrics.final_loss.mean"), 2.34,
                            1e-12);
    ck_assert_double_eq_tol(real_at(text, "$.points[0].reference.metrics.goodput.mean"), 1, 1e-12);
    ck_assert(isnan(real_at(text, "$.points[0].strategies[2]")));
    ck_assert(isnan(real_at(text, "$.points[0].strategies[1].metrics.final_loss")));
    free(text);
}
END_TEST

/* Nothing is trained: the bound stands beside the ratio. */
START_TEST(kernels_of_a_gpu_have_a_table_of_their_own)
{
    fixture_add_kernels(store, study, "sequential", "{}", 1, 0.6, -0.1);
    fixture_add_kernels(store, study, "baseline", "{}", 0.9, 0.6, -1e-6);
    assert_table("made-up: 4 chips, 10 s simulated\n"
                 "\n"
                 "strategy    pair     time    least    saved of  overlap  occupancy  largest losses\n"
                 "              ms  ratio %  ratio %  baseline %   rate %          %  of chip time\n"
                 "sequential  1.00   100.00    60.00      -10.00     0.00          –  down 50.0 %\n"
                 "baseline    0.90    90.00    60.00        0.00    25.00          –  down 50.0 %\n"
                 "\n"
                 "One replication: no intervals.\n");
}
END_TEST

static Suite *comparison_suite(void)
{
    Suite *suite = suite_create("comparison");
    TCase *tests = tcase_create("comparison");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, kernels_of_a_gpu_have_a_table_of_their_own);
    tcase_add_test(tests, one_point);
    tcase_add_test(tests, points_have_headings);
    tcase_add_test(tests, costs_stand_for_failures_that_there_are_none_of);
    tcase_add_test(tests, costs_and_failures);
    tcase_add_test(tests, runs_that_went_otherwise_are_told);
    tcase_add_test(tests, the_largest_losses_come_first);
    tcase_add_test(tests, lines_stay_short);
    tcase_add_test(tests, expectations_are_met_or_missed);
    tcase_add_test(tests, figures_of_expectations_have_their_units);
    tcase_add_test(tests, expectations_stand_in_the_order_of_points_and_strategies);
    tcase_add_test(tests, json_has_the_same_facts);
    tcase_add_test(tests, learning_has_columns_and_the_reference_no_row);
    tcase_add_test(tests, several_learnings_are_told);
    tcase_add_test(tests, json_has_what_was_learned);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(comparison_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
