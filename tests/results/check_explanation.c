/*
 * What a run's time was lost to, as it is told: of a run made up by hand, whose amounts add up to the
 * nanosecond.
 */
#include "models/training/waste.h"
#include "results/database.h"
#include "results/explanation.h"
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

#define SPAN(lane, category, cause, begin, end)                                                              \
    {                                                                                                        \
        lane, category, cause, (begin)*SIM_SECOND, (end)*SIM_SECOND, 0                                       \
    }

/* Learners 0 and 1 stand still from 100 s to 160 s for the flood, learner 1 alone from 400 s to 422 s for a
 * chip, and at 500 s for nothing. */
static struct activity_span spans[] = {SPAN(-1, BUDGET_USEFUL, -1, 0, 1000),
                                       SPAN(0, BUDGET_USEFUL, -1, 0, 100),
                                       SPAN(0, BUDGET_DOWN, 3, 100, 150),
                                       SPAN(0, BUDGET_RESTART, 3, 150, 160),
                                       SPAN(0, BUDGET_USEFUL, -1, 160, 1000),
                                       SPAN(1, BUDGET_USEFUL, -1, 0, 100),
                                       SPAN(1, BUDGET_DOWN, 3, 100, 160),
                                       SPAN(1, BUDGET_USEFUL, -1, 160, 390),
                                       SPAN(1, BUDGET_QUORUM_WAIT, -1, 390, 395),
                                       SPAN(1, BUDGET_COMMUNICATION_WAIT, -1, 395, 405),
                                       SPAN(1, BUDGET_RECONFIGURATION, 0, 405, 410),
                                       SPAN(1, BUDGET_QUORUM_WAIT, -1, 410, 412),
                                       SPAN(1, BUDGET_RECONFIGURATION, 0, 412, 422),
                                       SPAN(1, BUDGET_QUORUM_WAIT, -1, 422, 480),
                                       SPAN(1, BUDGET_USEFUL, -1, 480, 500),
                                       SPAN(1, BUDGET_COMMUNICATION_WAIT, -1, 500, 700),
                                       SPAN(1, BUDGET_USEFUL, -1, 700, 1000)};

/* The chip fails while the learner has waited for 10 s already. */
static struct activity_mark marks[] = {{0, 100 * SIM_SECOND, FAULT_PREEMPTION, 3, 4},
                                       {1, 400 * SIM_SECOND, FAULT_STOP, 0, 1},
                                       {ACTIVITY_NETWORK, 500 * SIM_SECOND, FAULT_PARTITION, 2, 1}};

/* Of 8 chips for 1000 s half are useful; 100 chip-seconds and 1 ns go to floods, which began to cost before
 * the chips' 200 did, and the rest to nothing. */
static void add_run(int64_t replication, bool cut_links)
{
    struct observed_cause causes[] = {
        {.cause = {"failures.chip", FAULT_STOP, FAULT_OF_CHIP, false},
         .struck = 7,
         .ignored = 2,
         .first = 50 * SIM_SECOND,
         .last = 930 * SIM_SECOND,
         .cost_since = 130 * SIM_SECOND},
        {.cause = {"idle", FAULT_STOP, FAULT_OF_RACK, false}, .cost_since = WASTE_NEVER},
        {.cause = {"flood 1", FAULT_PREEMPTION, FAULT_OF_SITE, true},
         .struck = 1,
         .first = 80 * SIM_SECOND,
         .last = 80 * SIM_SECOND,
         .cost_since = WASTE_NEVER},
        {.cause = {"flood 2", FAULT_PREEMPTION, FAULT_OF_SITE, true},
         .struck = 1,
         .first = 100 * SIM_SECOND,
         .last = 100 * SIM_SECOND,
         .cost_since = 100 * SIM_SECOND},
        {.cause = {"cut", FAULT_PARTITION, FAULT_OF_LINK, false},
         .struck = cut_links ? 1 : 0,
         .first = 500 * SIM_SECOND,
         .last = 500 * SIM_SECOND,
         .cost_since = WASTE_NEVER}};
    causes[0].waste[BUDGET_DOWN] = 200 * (sim_amount)SIM_SECOND;
    causes[3].waste[BUDGET_DOWN] = 100 * (sim_amount)SIM_SECOND + 1;
    struct observation observation = {.causes = causes,
                                      .cause_count = 5,
                                      .activity = {.learners = 2,
                                                   .spans = spans,
                                                   .span_count = sizeof spans / sizeof *spans,
                                                   .marks = marks,
                                                   .mark_count = 3}};
    const struct fixture_run run = {.strategy = "plain",
                                    .point = "{\"cluster.chips\":8}",
                                    .replication = replication,
                                    .chips = 8,
                                    .seconds = 1000,
                                    .goodput = 0.5,
                                    .steps = 10};
    fixture_add_observed(store, study, &run, &observation);
}

static void add(int64_t replication)
{
    add_run(replication, false);
}

static char *explain(bool json, int64_t run)
{
    struct error error = {0};
    char *text = json ? explanation_json(store, run, &error) : explanation_table(store, run, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    return text;
}

static void assert_has(const char *text, const char *wanted)
{
    ck_assert_msg(strstr(text, wanted) != NULL, "\"%s\" is not in:\n%s", wanted, text);
}

static void assert_in_order(const char *text, const char *first, const char *second)
{
    assert_has(text, first);
    assert_has(strstr(text, first), second);
}

START_TEST(causes_come_in_the_order_of_their_costs)
{
    add(0);
    char *text = explain(false, 1);
    assert_has(text, "Run 1 of study 1 (made-up): strategy plain at {\"cluster.chips\":8}, replication 0");
    assert_has(text, "16.7 min simulated of 8 chips; goodput 50.00 %");
    assert_in_order(text, "  flood ", "  failures.chip");
    assert_in_order(text, "  failures.chip", "Lost to no failure");
    assert_has(text, "     50 s  0:15:30     0:02:10");
    assert_has(text, "down 100 %");
    ck_assert_ptr_null(strstr(text, "idle"));
    free(text);
}
END_TEST

START_TEST(the_longest_stretches_are_told)
{
    add(0);
    char *text = explain(false, 1);
    assert_has(text, "at 0:01:40 for 1 min: learners 0 and 1, after flood 2: down 50 s, restart 10 s");
    assert_in_order(text, "after flood 2",
                    "at 0:06:40 for 22 s: learner 1, after failures.chip: "
                    "reconfiguration 15 s, communication wait 5 s, quorum wait 2 s");
    ck_assert_ptr_null(strstr(text, "at 0:08:20"));
    free(text);
}
END_TEST

START_TEST(where_faults_of_links_show_is_said)
{
    add_run(0, true);
    add_run(1, false);
    char *cut = explain(false, 1), *whole = explain(false, 2);
    assert_in_order(cut, "  cut ", "Faults of links are charged with the waits for bytes");
    ck_assert_ptr_null(strstr(whole, "links"));
    free(cut);
    free(whole);
}
END_TEST

START_TEST(without_a_timeline_it_says_so)
{
    add(1);
    char *text = explain(false, 1);
    assert_has(text, "of replication 0 at a study's first point alone");
    free(text);
    text = explain(true, 1);
    assert_has(text, "\"longest_stretches\":null");
    free(text);
}
END_TEST

/* Sums over parts of the document, in chip-nanoseconds. */
static const char sums_sql[] =
    "with a(path, s, n) as (select path, max(iif(key = 'chip_s', atom, null)), max(iif(key = 'chip_ns', atom,"
    " null)) from json_tree(?1) where key in ('chip_s', 'chip_ns') group by path)"
    " select s * 1000000000 + n - (select sum(s * 1000000000 + n) from a where path = '$.useful' or"
    " (path like '$.causes[%]' and path not like '%categories%') or path like '%without_cause%')"
    " from a where path = '$.allocated'";

/* Two runs of another version, whose times are not known. */
static void forget_times(void)
{
    struct error error = {0};
    ck_assert(database_execute(store_database(store),
                               "update cause set first_ns = null, last_ns = null, cost_since_ns = null;"
                               "delete from span; delete from mark; delete from timeline",
                               &error));
}

static int64_t left_over(const char *json)
{
    const struct database_value text = database_text(json);
    struct error error = {0};
    sqlite3_stmt *query = database_query(store_database(store), sums_sql, 1, &text, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    int64_t left = database_column_integer(query, 0);
    sqlite3_finalize(query);
    return left;
}

START_TEST(all_adds_up_to_the_budget)
{
    add(0);
    for (int old = 0; old < 2; old++) {
        char *json = explain(true, 1);
        ck_assert_int_eq(left_over(json), 0);
        assert_has(json, "\"name\":\"flood\"");
        assert_has(json, "\"chip_s\":100,\"chip_ns\":1");
        assert_has(json, old ? "\"first_s\":null" : "\"cost_since_s\":100,\"first_s\":80");
        free(json);
        forget_times();
    }
    char *text = explain(false, 1);
    assert_in_order(text, "  failures.chip", "  flood ");
    assert_has(text, "–");
    free(text);
}
END_TEST

START_TEST(no_such_run)
{
    struct error error = {0};
    ck_assert_ptr_null(explanation_table(store, 7, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    assert_has(error.message, "there is no run 7");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explanation");
    TCase *tests = tcase_create("explanation");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, causes_come_in_the_order_of_their_costs);
    tcase_add_test(tests, the_longest_stretches_are_told);
    tcase_add_test(tests, where_faults_of_links_show_is_said);
    tcase_add_test(tests, without_a_timeline_it_says_so);
    tcase_add_test(tests, all_adds_up_to_the_budget);
    tcase_add_test(tests, no_such_run);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
