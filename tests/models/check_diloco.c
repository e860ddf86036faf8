/*
 * DiLoCo against timelines computed by hand. Four learners of one slice of two chips; H = 4 steps of 10 s;
 * the model takes 3 s on a link and every hop 0.5 s, so that a ring all-reduce takes 4.5 + 3 s among four, 4
 * + 2 among three, 3 + 1 among two, and fetching the model 3.5 s. A restart takes 2 s.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include <check.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture fixture;

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.cluster.chips = 8;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.config.workload.parameters *= 3;
    fixture.config.network.wan_latency = SIM_SECOND / 2;
    fixture.config.failures.restart_time = 2 * SIM_SECOND;
}

static void with_end(int64_t seconds)
{
    fixture.config.duration = seconds * SIM_SECOND;
}

/* 21 rounds of 47.5 s, and 2.5 s. */
START_TEST(test_rounds)
{
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8 * 21 * 40 + 20}, {BUDGET_COMMUNICATION_WAIT, 8 * 21 * 15 / 2});
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 842.5 / 1000);
    ck_assert_double_eq(result.metrics[METRIC_STEPS], 84.25);
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 21);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 21 * 4 * 4.5e9 / 8);
    ck_assert_double_eq_tol(result.metrics[METRIC_UPTIME], 0.8425, 1e-12);
}
END_TEST

START_TEST(test_one_learner_has_nobody_to_wait_for)
{
    fixture.options.learner.learners = 1;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8000});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 25);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 0);
}
END_TEST

/* The barrier waits for the slow half: 80 s a round, 40 of which the fast half waits. */
START_TEST(test_the_barrier_waits_for_the_slowest)
{
    struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.4}, {.share = 1, .chip = 2, .mfu = 0.2}};
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    with_end(10 * 175 / 2);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 10 * (4 * 40 + 4 * 80)}, {BUDGET_QUORUM_WAIT, 10 * 4 * 40},
                   {BUDGET_COMMUNICATION_WAIT, 10 * 8 * 15 / 2});
}
END_TEST

/* Learner 3 fails at 25 and is lost at 30, with its two steps. The others synchronise from 40 to 46; it has
 * restarted by 37, waits, and fetches the model from 46 to 49.5. Its round ends at 89.5, and the others wait
 * from 86 on; all synchronise until 97. */
START_TEST(test_a_lost_learner_is_dropped)
{
    with_end(97);
    struct run_result result = SCRIPT_RUN(&fixture, {3, 25, 35});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 6 * 80 + 2 * 40}, {BUDGET_REDONE, 2 * 25}, {BUDGET_DOWN, 2 * 10},
                   {BUDGET_RESTART, 2 * 2}, {BUDGET_RESTORE, 2 * 9 + 7}, {BUDGET_QUORUM_WAIT, 6 * 7 / 2},
                   {BUDGET_COMMUNICATION_WAIT, 6 * 6 + 8 * 15 / 2});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 2);
    ck_assert_double_eq(result.metrics[METRIC_STEPS_LOST], 3.0 / 4);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], (3 * 4e9 + 3e9 + 4 * 4.5e9) / 8);
}
END_TEST

/* The others wait from 40 on; it fetches the model from 37 to 40.5 and does its round until 80.5. */
START_TEST(test_a_lost_learner_is_waited_for)
{
    with_end(88);
    fixture.options.diloco.learner_loss = LEARNER_LOSS_WAIT;
    struct run_result result = SCRIPT_RUN(&fixture, {3, 25, 35});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8 * 40}, {BUDGET_REDONE, 2 * 25}, {BUDGET_DOWN, 2 * 10},
                   {BUDGET_RESTART, 2 * 2}, {BUDGET_RESTORE, 7}, {BUDGET_QUORUM_WAIT, 6 * 81 / 2},
                   {BUDGET_COMMUNICATION_WAIT, 8 * 15 / 2});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 1);
}
END_TEST

START_TEST(test_waiting_for_one_that_never_returns)
{
    fixture.options.diloco.learner_loss = LEARNER_LOSS_WAIT;
    struct run_result result = SCRIPT_RUN(&fixture, {3, 55, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 6 * 80 + 2 * 40}, {BUDGET_REDONE, 15}, {BUDGET_DOWN, 2 * 945},
                   {BUDGET_QUORUM_WAIT, 6 * 1825 / 2}, {BUDGET_COMMUNICATION_WAIT, 8 * 15 / 2});
}
END_TEST

/* Learner 0 is lost at 25, the others fail at 62 and are lost at 66, in the second round. Learner 0 has
 * restarted by 45 and fetches the model after the synchronisation, until 49.5; learner 1 at 70 + 2 waits for
 * the next one, which learner 0 makes alone at 89.5. */
START_TEST(test_one_is_left)
{
    with_end(93);
    struct run_result result =
        SCRIPT_RUN(&fixture, {0, 25, 43}, {1, 62, 70}, {2, 62, NEVER_BACK}, {3, 62, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 40 + 6 * 40 + 7}, {BUDGET_REDONE, 2 * 25 + 6 * 16},
                   {BUDGET_DOWN, 2 * 18 + 2 * 8 + 4 * 31}, {BUDGET_RESTART, 4 + 4},
                   {BUDGET_RESTORE, 2 + 7 + 2 * 21}, {BUDGET_COMMUNICATION_WAIT, 6 * 6});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 2);
}
END_TEST

/* All are lost at 70, in the second round, and take their first 22.5 s with them. Learner 0 is back at 90 + 2
 * and begins a round from the last model; learner 1, 10 s later, waits for its end at 135.5. */
START_TEST(test_all_are_lost)
{
    with_end(149);
    struct run_result result =
        SCRIPT_RUN(&fixture, {0, 70, 90}, {1, 70, 100}, {2, 70, NEVER_BACK}, {3, 70, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8 * 40 + 2 * 40 + 27 + 20}, {BUDGET_REDONE, 8 * 45 / 2},
                   {BUDGET_DOWN, 2 * 20 + 2 * 30 + 4 * 79}, {BUDGET_RESTART, 8}, {BUDGET_RESTORE, 7 + 2 * 37},
                   {BUDGET_COMMUNICATION_WAIT, 8 * 15 / 2});
}
END_TEST

/* Who waits to be let in when the last one is lost, goes on at once. Learner 3 has restarted by 37 and waits;
 * the others fail at 38 and are lost at 40. */
START_TEST(test_who_waits_is_let_in)
{
    with_end(54);
    struct run_result result =
        SCRIPT_RUN(&fixture, {3, 25, 35}, {0, 38, NEVER_BACK}, {1, 38, NEVER_BACK}, {2, 38, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 21}, {BUDGET_REDONE, 2 * 25 + 6 * 38},
                   {BUDGET_DOWN, 2 * 10 + 6 * 16}, {BUDGET_RESTART, 4}, {BUDGET_RESTORE, 6 + 7});
}
END_TEST

/* A learner that fails at 44, while the four synchronise, is out at once; the others go on at 47.5. */
START_TEST(test_lost_at_the_barrier)
{
    with_end(58);
    struct run_result result = SCRIPT_RUN(&fixture, {3, 44, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 6 * 40 + 63}, {BUDGET_REDONE, 2 * 40}, {BUDGET_DOWN, 2 * 14},
                   {BUDGET_COMMUNICATION_WAIT, 45 + 2 * 4});
}
END_TEST

/* Learner 3 fails at 44, while the four synchronise, and has restarted by 46.5. It is to be waited for, but
 * the model to fetch is that of 47.5; its round ends at 91, and the others have waited from 87.5 on. */
START_TEST(test_back_within_the_synchronisation)
{
    with_end(97);
    fixture.options.diloco.learner_loss = LEARNER_LOSS_WAIT;
    struct run_result result = SCRIPT_RUN(&fixture, {3, 44, 44.5});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 6 * 80 + 2 * 40}, {BUDGET_REDONE, 2 * 40}, {BUDGET_DOWN, 1},
                   {BUDGET_RESTART, 4}, {BUDGET_RESTORE, 2 + 7}, {BUDGET_QUORUM_WAIT, 6 * 7 / 2},
                   {BUDGET_COMMUNICATION_WAIT, 45 + 2 * 4 + 8 * 6});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 1);
}
END_TEST

/* All fail at 44, while they synchronise: there is no merge. Learner 0 has restarted by 46 and begins anew
 * from 49.5 on. */
START_TEST(test_a_synchronisation_is_broken_off)
{
    with_end(55);
    struct run_result result =
        SCRIPT_RUN(&fixture, {0, 44, 44}, {1, 44, NEVER_BACK}, {2, 44, NEVER_BACK}, {3, 44, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 11}, {BUDGET_REDONE, 8 * 40}, {BUDGET_DOWN, 6 * 11},
                   {BUDGET_RESTART, 4}, {BUDGET_RESTORE, 7}, {BUDGET_COMMUNICATION_WAIT, 8 * 4});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 0);
}
END_TEST

/* A learner of two slices goes on with one after 20 s; the barrier waits for it. */
START_TEST(test_learners_are_elastic)
{
    fixture.config.cluster.chips = 16;
    fixture.config.failures.downscale_time = 20 * SIM_SECOND;
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    with_end(69);
    struct run_result result = SCRIPT_RUN(&fixture, {7, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 12 * 40 + 4 * 25 + 2 * 5 + 2 * 10 + 14 * 3 / 2},
                   {BUDGET_RECONFIGURATION, 40}, {BUDGET_DOWN, 2 * 44}, {BUDGET_QUORUM_WAIT, 12 * 20},
                   {BUDGET_COMMUNICATION_WAIT, 14 * 15 / 2});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("diloco");
    TCase *tests = tcase_create("diloco");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, test_rounds);
    tcase_add_test(tests, test_one_learner_has_nobody_to_wait_for);
    tcase_add_test(tests, test_the_barrier_waits_for_the_slowest);
    tcase_add_test(tests, test_a_lost_learner_is_dropped);
    tcase_add_test(tests, test_a_lost_learner_is_waited_for);
    tcase_add_test(tests, test_waiting_for_one_that_never_returns);
    tcase_add_test(tests, test_one_is_left);
    tcase_add_test(tests, test_all_are_lost);
    tcase_add_test(tests, test_who_waits_is_let_in);
    tcase_add_test(tests, test_lost_at_the_barrier);
    tcase_add_test(tests, test_back_within_the_synchronisation);
    tcase_add_test(tests, test_a_synchronisation_is_broken_off);
    tcase_add_test(tests, test_learners_are_elastic);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
