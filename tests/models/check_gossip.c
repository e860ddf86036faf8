/*
 * Gossip against timelines computed by hand, and against a recursion over rounds. A learner is one slice of
 * two chips; rounds of H = 4 steps of 10 s; an exchange of models takes 1 s and a latency of 0.5 s.
 */
#include "models/training/matching.h"
#include "models/training/topology.h"
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture fixture;

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_GOSSIP);
    fixture.config.network.wan_latency = SIM_SECOND / 2;
    fixture.config.failures.restart_time = 2 * SIM_SECOND;
}

static void with_learners(int64_t learners)
{
    fixture.options.learner.learners = learners;
    fixture.config.cluster.chips = 2 * learners;
    fixture.config.cluster.chips_per_slice = 2;
}

static struct tape *run_taped(void)
{
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct error error = {.kind = ERROR_NONE};
    struct run_result result;
    struct tape *tape = NULL;
    ck_assert_msg(simulation_run(&fixture.config, &strategy, 1, 0, NULL, &result, &tape, &error), "%s",
                  error.message);
    return tape;
}

static void with_end(int64_t seconds)
{
    fixture.config.duration = seconds * SIM_SECOND;
}

/* Rounds of 41.5 s, all in step. */
START_TEST(test_rounds)
{
    with_learners(4);
    with_end(24 * 83 / 2);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 24 * 8 * 40}, {BUDGET_COMMUNICATION_WAIT, 24 * 12});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 48);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 24 * 4 * 1e9 / 8);
}
END_TEST

/* Two models cross a learner's link one after the other. */
START_TEST(test_two_peers)
{
    with_learners(4);
    fixture.options.gossip.peers = 2;
    with_end(24 * 85 / 2);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 24 * 8 * 40}, {BUDGET_COMMUNICATION_WAIT, 24 * 20});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 96);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 24 * 8 * 1e9 / 8);
}
END_TEST

START_TEST(test_alone)
{
    with_learners(1);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2000});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 0);
}
END_TEST

/* A recursion. Learner i ends its steps of a round at a(i) = f(i) + H·step(i); it and its partner then go on
 * at f = max(a, a') + 1.5, whoever has no partner at f = a. Learners of uneven number and speed drift apart.
 */

enum { MOST = 9 };

struct course {
    double step[MOST], free[MOST];
    double useful, quorum, communication; /* learner-seconds until the end */
};

static double part(double from, double to, double end)
{
    return fmax(0, fmin(to, end) - fmin(from, end));
}

static void one_round(struct course *course, int64_t round, int64_t learners, double end)
{
    int32_t partner[MOST], scratch[MOST];
    double arrival[MOST];
    matching_draw(1, 0, round, 0, learners, partner, scratch);
    for (int64_t i = 0; i < learners; i++) {
        arrival[i] = course->free[i] + 4 * course->step[i];
        course->useful += part(course->free[i], arrival[i], end);
    }
    for (int64_t i = 0; i < learners; i++) {
        double meeting = partner[i] < 0 ? arrival[i] : fmax(arrival[i], arrival[partner[i]]);
        course->free[i] = partner[i] < 0 ? arrival[i] : meeting + 1.5;
        course->quorum += part(arrival[i], meeting, end);
        course->communication += part(meeting, course->free[i], end);
    }
}

static void assert_learner_seconds(const struct run_result *result, enum budget_category category,
                                   double wanted)
{
    double got = 0.5e-9 * (double)result->ledger.amount[category];
    ck_assert_msg(fabs(got - wanted) < 1e-4, "%s: %.9f learner-seconds, not %.9f", budget_names[category],
                  got, wanted);
}

START_TEST(test_uneven_learners)
{
    static const int64_t counts[] = {2, 3, 5, 8, 9};
    struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.4}, {.share = 1, .chip = 2, .mfu = 0.29}};
    int64_t learners = counts[_i];
    double end = 20000;
    with_learners(learners);
    with_end((int64_t)end);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    struct run_result result = script_run(&fixture, NULL, 0);
    struct course course = {.useful = 0};
    for (int64_t i = 0; i < learners; i++)
        course.step[i] = i < llround((double)learners / 2) ? 10 : 10 * 0.4 / 0.29;
    for (int64_t round = 0; round < 1000; round++)
        one_round(&course, round, learners, end);
    assert_learner_seconds(&result, BUDGET_USEFUL, course.useful);
    assert_learner_seconds(&result, BUDGET_QUORUM_WAIT, course.quorum);
    assert_learner_seconds(&result, BUDGET_COMMUNICATION_WAIT, course.communication);
}
END_TEST

/* All meet all, one after another on each link; 64 learners do in a round what 2016 pairs take. Beyond 1024,
 * the edges are too many. */
START_TEST(test_a_complete_graph)
{
    fixture.options.gossip.topology = TOPOLOGY_COMPLETE;
    fixture.config.network.wan_bandwidth = 1e12;
    with_learners(64);
    with_end(250);
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 6 * 64 * 63 / 2);
    with_learners(256);
    with_end(90);
    result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 2 * 256 * 255 / 2);
    with_learners(1025);
    ck_assert_str_eq(fixture_fault(&fixture).path, "topology");
}
END_TEST

/* Losses. */

/* Learner 1 fails at 25 and has met nobody. Learner 0 goes on alone at 40 and 80. Learner 1 is back at 100 +
 * 2 and has three copies at 105.5, when learner 0 has done two steps of its third round: it does the other
 * two until 125.5, while learner 0 waits from 120 on; they exchange until 127. */
START_TEST(test_the_partner_is_down)
{
    with_learners(2);
    with_end(137);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, 100});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 130 + 2 * 30}, {BUDGET_REDONE, 2 * 25}, {BUDGET_DOWN, 2 * 75},
                   {BUDGET_RESTART, 4}, {BUDGET_RESTORE, 7}, {BUDGET_QUORUM_WAIT, 11},
                   {BUDGET_COMMUNICATION_WAIT, 6});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 1);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 5 * 1e9 / 8);
}
END_TEST

/* It fails at 41, in the exchange 40–41.5, which is broken off; learner 0 goes on at 41. */
START_TEST(test_an_exchange_is_broken_off)
{
    with_learners(2);
    with_end(51);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 41, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 50}, {BUDGET_REDONE, 2 * 40}, {BUDGET_DOWN, 2 * 10},
                   {BUDGET_COMMUNICATION_WAIT, 4});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 0);
}
END_TEST

/* Learner 1 takes 20 s for a step, so that learner 0 waits from 40 on; when it fails at 50, the step that it
 * is in ends at 60, and learner 0 goes on then. */
START_TEST(test_nobody_waits_for_a_lost_partner)
{
    struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.4}, {.share = 1, .chip = 2, .mfu = 0.2}};
    with_learners(2);
    with_end(70);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    struct run_result result = SCRIPT_RUN(&fixture, {1, 50, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 50}, {BUDGET_REDONE, 2 * 50}, {BUDGET_DOWN, 2 * 20},
                   {BUDGET_QUORUM_WAIT, 2 * 20});
}
END_TEST

/* What a partner has got is safe: only the fifth step is lost with learner 1 at 60. */
START_TEST(test_what_was_exchanged_is_safe)
{
    with_learners(2);
    with_end(62);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 55, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 40 + 41 + 2 * 40}, {BUDGET_REDONE, 27}, {BUDGET_DOWN, 14},
                   {BUDGET_COMMUNICATION_WAIT, 6});
}
END_TEST

/* Who has met nobody has nothing safe: learner 0 does two rounds alone and is lost at 90. */
START_TEST(test_alone_nothing_is_safe)
{
    with_learners(2);
    with_end(92);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 25, NEVER_BACK}, {0, 85, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 2 * (25 + 85)}, {BUDGET_DOWN, 2 * (67 + 7)});
}
END_TEST

/* Both fail at 55. With no peer alive, learner 0 loads what was saved, from 70 + 2 to 79, and begins the
 * second round anew; learner 1 is back at 80 + 2 and gets three copies from it by 85.5. Learner 0 waits for
 * it from 119 on. */
START_TEST(test_all_are_lost)
{
    with_learners(2);
    with_end(126);
    fixture.config.checkpoints.load_time = 7 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 55, 70}, {1, 55, 80});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8 * 40}, {BUDGET_REDONE, 54}, {BUDGET_DOWN, 30 + 50},
                   {BUDGET_RESTART, 8}, {BUDGET_RESTORE, 14 + 7}, {BUDGET_QUORUM_WAIT, 13},
                   {BUDGET_COMMUNICATION_WAIT, 8});
}
END_TEST

/* AD-PSGD meets one neighbour at a time, each as often in the long run, and both hold the mean of the two. */
START_TEST(test_asynchronous_learners_meet_all_their_neighbours)
{
    enum { LEARNERS = 6, ROUNDS = 300 };
    int64_t met[LEARNERS][LEARNERS] = {{0}}, topology = TOPOLOGY_RING + _i;
    with_learners(LEARNERS);
    with_end(ROUNDS * 40 + 20);
    fixture.options.learner.rule.algorithm = MIXING_AD_PSGD;
    fixture.options.gossip.topology = topology;
    struct tape *tape = run_taped();
    for (size_t i = 0; i < tape->count; i++)
        if (tape->records[i].kind == TAPE_MIX) {
            met[tape->records[i].actor][tape->records[i].peer]++;
            ck_assert_double_eq(tape->records[i].weight, 1);
        }
    int64_t degree = topology_degree(topology, LEARNERS, 1);
    double share = 1 / (double)degree, spread = sqrt(ROUNDS * share * (1 - share));
    for (int64_t i = 0; i < LEARNERS; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < degree; k++) {
            int64_t times = met[i][topology_partner(topology, LEARNERS, i, k)];
            ck_assert_double_eq_tol((double)times, ROUNDS * share, 5 * spread);
            sum += times;
        }
        ck_assert_int_eq(sum, ROUNDS); /* and nobody else */
    }
    tape_destroy(tape);
}
END_TEST

/* Two peers at once take half of the difference to each; AD-PSGD meets them one by one. */
START_TEST(test_the_mixing_left_out)
{
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    fixture.options.learner.rule.mixing = NAN;
    ck_assert(strategy_rule(&strategy).gossips);
    ck_assert_double_eq(strategy_rule(&strategy).mixing, 1);
    fixture.options.gossip.peers = 2;
    ck_assert_double_eq(strategy_rule(&strategy).mixing, 0.5);
    fixture.options.learner.rule.algorithm = MIXING_AD_PSGD;
    ck_assert_double_eq(strategy_rule(&strategy).mixing, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gossip");
    TCase *tests = tcase_create("gossip");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, test_rounds);
    tcase_add_test(tests, test_two_peers);
    tcase_add_test(tests, test_alone);
    tcase_add_test(tests, test_a_complete_graph);
    tcase_add_loop_test(tests, test_uneven_learners, 0, 5);
    tcase_add_test(tests, test_the_partner_is_down);
    tcase_add_test(tests, test_an_exchange_is_broken_off);
    tcase_add_test(tests, test_nobody_waits_for_a_lost_partner);
    tcase_add_test(tests, test_what_was_exchanged_is_safe);
    tcase_add_test(tests, test_alone_nothing_is_safe);
    tcase_add_test(tests, test_all_are_lost);
    tcase_add_test(tests, test_the_mixing_left_out);
    tcase_add_loop_test(tests, test_asynchronous_learners_meet_all_their_neighbours, 0, 3);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
