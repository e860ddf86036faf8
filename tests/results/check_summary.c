/*
 * Against figures worked out by hand. With 2 degrees of freedom Student's t of p is
 * (2p − 1) √(2 / (4p (1 − p))), 4.30265273 for 97.5 %.
 */
#include "results/database.h"
#include "results/store.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

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

static void summarise(void)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
}

static const struct fixture_run three[] = {
    {.strategy = "a",
     .replication = 0,
     .chips = 10,
     .seconds = 1000,
     .goodput = 0.1,
     .steps = 7,
     .failures = 2},
    {.strategy = "a",
     .replication = 1,
     .chips = 10,
     .seconds = 1000,
     .goodput = 0.2,
     .steps = 7,
     .failures = 0},
    {.strategy = "a",
     .replication = 2,
     .chips = 10,
     .seconds = 1000,
     .goodput = 0.4,
     .steps = 7,
     .failures = 0},
};

START_TEST(mean_deviation_and_interval_are_students)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
    struct store_mean mean;
    ck_assert(store_mean(store, study, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 3);
    ck_assert_double_eq_tol(mean.mean, 0.7 / 3, 1e-15);
    ck_assert_double_eq_tol(mean.deviation, 0.15275252316519467, 1e-15);
    ck_assert_double_eq_tol(mean.low, -0.14612497002634287, 1e-12);
    ck_assert_double_eq_tol(mean.high, 0.6127916366930096, 1e-12);
}
END_TEST

/* Of 0.1, 0.2 and 0.4 the 5 % quantile is a tenth of the way from the first to the second. */
START_TEST(quantiles_are_kept)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
#define GOODPUT " from summary where metric = 'goodput'"
    ck_assert_double_eq_tol(fixture_real(store, "select p05" GOODPUT), 0.11, 1e-12);
    ck_assert_double_eq(fixture_real(store, "select median" GOODPUT), 0.2);
    ck_assert_double_eq_tol(fixture_real(store, "select p95" GOODPUT), 0.38, 1e-12);
}
END_TEST

START_TEST(budget_shares_are_metrics)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
    struct store_mean useful, down, idle;
    ck_assert(store_mean(store, study, "a", "{}", "share:useful", &useful));
    ck_assert(store_mean(store, study, "a", "{}", "share:down", &down));
    ck_assert(store_mean(store, study, "a", "{}", "share:idle_spare", &idle));
    ck_assert_double_eq_tol(useful.mean, 0.7 / 3, 1e-12);
    ck_assert_double_eq_tol(useful.mean + down.mean, 1, 1e-15);
    ck_assert_double_eq(idle.mean, 0);
    ck_assert_double_eq(idle.high, 0);
}
END_TEST

START_TEST(equal_observations_have_no_width)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
    struct store_mean steps;
    ck_assert(store_mean(store, study, "a", "{}", "steps", &steps));
    ck_assert_double_eq(steps.mean, 7);
    ck_assert_double_eq(steps.deviation, 0);
    ck_assert_double_eq(steps.low, 7);
    ck_assert_double_eq(steps.high, 7);
}
END_TEST

/* MTBF has a value in one of the three runs. */
START_TEST(one_observation_has_a_mean_alone)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
    struct store_mean mtbf;
    ck_assert(store_mean(store, study, "a", "{}", "mtbf", &mtbf));
    ck_assert_int_eq(mtbf.count, 1);
    ck_assert_double_eq(mtbf.mean, 500);
    ck_assert(isnan(mtbf.deviation) && isnan(mtbf.low) && isnan(mtbf.high));
    ck_assert_int_eq(fixture_integer(store,
                                     "select count(*) from summary where metric = 'mtbf' and sd is null"
                                     " and ci95_low is null and ci95_high is null and replay is null"),
                     1);
}
END_TEST

START_TEST(what_is_not_there_is_said_to_be_missing)
{
    fixture_add_runs(store, study, three, 3);
    struct store_mean mean;
    ck_assert(!store_mean(store, study, "a", "{}", "goodput", &mean));
    summarise();
    ck_assert(store_mean(store, -1, "a", "{}", "goodput", &mean));
    ck_assert(!store_mean(store, study + 1, "a", "{}", "goodput", &mean));
    ck_assert(!store_mean(store, study, "b", "{}", "goodput", &mean));
    ck_assert(!store_mean(store, study, "a", "{\"x\":1}", "goodput", &mean));
    ck_assert(!store_mean(store, study, "a", "{}", "loss", &mean));
}
END_TEST

START_TEST(strategies_and_points_stay_apart)
{
    const struct fixture_run runs[] = {
        {.strategy = "a", .point = "{\"x\":1}", .chips = 1, .seconds = 1, .goodput = 0.25},
        {.strategy = "a", .point = "{\"x\":2}", .chips = 1, .seconds = 1, .goodput = 0.5},
        {.strategy = "b", .point = "{\"x\":1}", .chips = 1, .seconds = 1, .goodput = 0.75},
    };
    fixture_add_runs(store, study, runs, 3);
    summarise();
    for (size_t i = 0; i < 3; i++) {
        struct store_mean mean;
        ck_assert(store_mean(store, study, runs[i].strategy, runs[i].point, "goodput", &mean));
        ck_assert_int_eq(mean.count, 1);
        ck_assert_double_eq(mean.mean, runs[i].goodput);
    }
}
END_TEST

START_TEST(runs_without_a_result_are_left_out)
{
    static const enum run_status statuses[] = {RUN_DONE, RUN_UNFINISHED, RUN_STALLED, RUN_FAILED,
                                               RUN_INTERRUPTED};
    for (int64_t i = 0; i < 5; i++) {
        struct fixture_run run = {.strategy = "a", .replication = i, .chips = 1, .seconds = 1};
        run.goodput = 0.1 * (double)(i + 1);
        run.status = statuses[i];
        fixture_add_runs(store, study, &run, 1);
    }
    summarise();
    struct store_mean mean;
    ck_assert(store_mean(store, study, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 3);
    ck_assert_double_eq_tol(mean.mean, 0.2, 1e-15);
}
END_TEST

START_TEST(summarising_again_replaces)
{
    fixture_add_runs(store, study, three, 2);
    summarise();
    int64_t rows = fixture_integer(store, "select count(*) from summary");
    fixture_add_runs(store, study, &three[2], 1);
    summarise();
    summarise();
    ck_assert_int_eq(fixture_integer(store, "select count(*) from summary"), rows);
    ck_assert_int_eq(fixture_integer(store, "select n from summary where metric = 'goodput'"), 3);
}
END_TEST

START_TEST(another_study_is_not_touched)
{
    fixture_add_runs(store, study, three, 3);
    summarise();
    int64_t first = study;
    study = fixture_add_study(store, "second");
    fixture_add_runs(store, study, three, 2);
    summarise();
    struct store_mean mean;
    ck_assert(store_mean(store, first, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 3);
    ck_assert(store_mean(store, study, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 2);
}
END_TEST

/* A run that an earlier study ran, used again by a later one. */
START_TEST(reused_runs_count)
{
    fixture_add_runs(store, study, three, 3);
    study = fixture_add_study(store, "second");
    struct error error = {0};
    ck_assert(database_execute(store_database(store), "insert into study_run select 2, id from run", &error));
    summarise();
    struct store_mean mean;
    ck_assert(store_mean(store, study, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 3);
}
END_TEST

/* Twelve numbers whose sum depends on the order of adding. */
START_TEST(the_order_of_finishing_is_not_seen)
{
    struct fixture_run runs[12];
    for (int64_t i = 0; i < 12; i++)
        runs[i] = (struct fixture_run){.strategy = "a",
                                       .replication = i,
                                       .chips = 3,
                                       .seconds = 7,
                                       .goodput = fmod(0.7310585 * (double)(i + 1), 1)};
    fixture_add_runs(store, study, runs, 12);
    summarise();
    study = fixture_add_study(store, "second");
    for (size_t i = 12; i-- > 0;)
        fixture_add_runs(store, study, &runs[i], 1);
    summarise();
    ck_assert_int_eq(fixture_integer(store, "select count(*) from summary a join summary b on a.study = 1"
                                            " and b.study = 2 and a.metric = b.metric and a.mean = b.mean"
                                            " and a.sd = b.sd and a.ci95_low = b.ci95_low"),
                     fixture_integer(store, "select count(*) from summary where study = 1"));
}
END_TEST

/* Adds a replay of replication I of strategy a. */
static void add_replay(int64_t i, const char *learning, const char *sha256, double final)
{
    fixture_add_replay(store, &(struct fixture_replay){.strategy = "a",
                                                       .replication = i,
                                                       .learning = learning,
                                                       .sha256 = sha256,
                                                       .start = 4,
                                                       .final = final,
                                                       .diverged = isnan(final)});
}

static void assert_mean(const char *metric, double expected, int64_t count)
{
    struct store_mean mean;
    ck_assert_msg(store_mean(store, study, "a", "{}", metric, &mean), "%s", metric);
    ck_assert_int_eq(mean.count, count);
    ck_assert_double_eq_tol(mean.mean, expected, 1e-15);
}

START_TEST(replays_are_summarised_by_learning)
{
    fixture_add_runs(store, study, three, 3);
    for (int64_t i = 0; i < 3; i++)
        add_replay(i, "small", "s", 2 + 0.5 * (double)i);
    add_replay(0, "large", "l", 1);
    summarise();
    assert_mean("final_loss", 2.5, 3);
    assert_mean("goodput", 0.7 / 3, 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from summary where metric = 'final_loss'"), 2);
    ck_assert_double_eq(fixture_real(store, "select mean from summary where replay = 'large'"), 1);
    ck_assert_double_eq_tol(fixture_real(store, "select sd from summary where replay = 'small'"), 0.5, 1e-15);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from summary where metric = 'goodput'"), 1);
}
END_TEST

/* The same name for two learnings: that which most runs were replayed with counts, or else the newest. */
START_TEST(learnings_of_one_name_are_not_mixed)
{
    fixture_add_runs(store, study, three, 3);
    for (int64_t i = 0; i < 2; i++)
        add_replay(i, "small", "first", 2);
    add_replay(0, "small", "second", 3);
    summarise();
    assert_mean("final_loss", 2, 2);
    add_replay(1, "small", "second", 3);
    summarise();
    assert_mean("final_loss", 3, 2);
}
END_TEST

START_TEST(a_diverged_replay_has_no_final_loss)
{
    fixture_add_runs(store, study, three, 3);
    add_replay(0, "small", "s", 2);
    add_replay(1, "small", "s", NAN);
    summarise();
    assert_mean("final_loss", 2, 1);
}
END_TEST

static Suite *summary_suite(void)
{
    Suite *suite = suite_create("summary");
    TCase *tests = tcase_create("summary");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, mean_deviation_and_interval_are_students);
    tcase_add_test(tests, quantiles_are_kept);
    tcase_add_test(tests, budget_shares_are_metrics);
    tcase_add_test(tests, equal_observations_have_no_width);
    tcase_add_test(tests, one_observation_has_a_mean_alone);
    tcase_add_test(tests, what_is_not_there_is_said_to_be_missing);
    tcase_add_test(tests, strategies_and_points_stay_apart);
    tcase_add_test(tests, runs_without_a_result_are_left_out);
    tcase_add_test(tests, summarising_again_replaces);
    tcase_add_test(tests, another_study_is_not_touched);
    tcase_add_test(tests, reused_runs_count);
    tcase_add_test(tests, the_order_of_finishing_is_not_seen);
    tcase_add_test(tests, replays_are_summarised_by_learning);
    tcase_add_test(tests, learnings_of_one_name_are_not_mixed);
    tcase_add_test(tests, a_diverged_replay_has_no_final_loss);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(summary_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
