/*
 * Strategies on networks that are thin, cut, or both: rings against their formula, recovery while donors are
 * lost, time-outs. A learner is one slice of two chips; a step takes 10 s.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture decoupled_of(int64_t learners)
{
    struct fixture fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.cluster.chips = 2 * learners;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.config.network.wan_latency = SIM_SECOND / 2;
    fixture.options.learner.learners = learners;
    fixture.options.decoupled.quorum = learners;
    return fixture;
}

/* Report 0.5, request 0.5, and a ring of four: 2 · 3/4 of a model, 1.5 s, and six latencies. */
START_TEST(test_a_ring)
{
    struct fixture fixture = decoupled_of(4);
    fixture.options.decoupled.fragments = 1;
    fixture.options.decoupled.collective = DECOUPLED_RING;
    fixture.config.duration = (10 + 20 * 91 / 2) * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (20 * 40 + 10) * 8}, {BUDGET_QUORUM_WAIT, 20 * 4},
                   {BUDGET_COMMUNICATION_WAIT, 20 * 5 * 8});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 20);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 20 * 4 * 1.5e9 / 8);
}
END_TEST

/* Two sites of two learners: bytes cross between them as in a ring of two, 1 Gbit each way, however many
 * learners there are; inside, they take no time. */
START_TEST(test_rings_of_sites)
{
    struct network_site sites[] = {SITE("a", .learners = 2, .uplink = 1e9),
                                   SITE("b", .learners = 2, .uplink = 1e9)};
    struct fixture fixture = decoupled_of(4);
    fixture.options.decoupled.fragments = 1;
    fixture.options.decoupled.collective = DECOUPLED_RING;
    fixture.config.network = (struct network_config)NETWORK(.sites = ITEMS(sites), .between.latency = 0);
    fixture.config.duration = (10 + 20 * 41) * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (20 * 40 + 10) * 8}, {BUDGET_COMMUNICATION_WAIT, 20 * 8});
}
END_TEST

/* Recovery. */

/* A copy of the model takes 3 s, state and all 9. Learner 0 is lost at 20, and back at 25; it asks at the
 * merge of step 3, which it hears of by 33, and learner 1, which is asked first, is lost at 40: learner 2 is
 * asked then, and the learner steps again by 50 instead of 43. */
START_TEST(test_the_donor_is_lost)
{
    struct fixture fixture = decoupled_of(3);
    fixture.options.decoupled.quorum = 1;
    fixture.options.decoupled.overlap = 2;
    fixture.options.decoupled.grace = 0.5;
    fixture.options.decoupled.inner_steps = fixture.options.decoupled.fragments = 40;
    fixture.config.network.wan_bandwidth = 1e9 / 3;
    fixture.config.duration = 200 * SIM_SECOND;
    struct run_result one = SCRIPT_RUN(&fixture, {0, 12, 25});
    struct run_result two = SCRIPT_RUN(&fixture, {0, 12, 25}, {1, 35, NEVER_BACK});
    double first = (double)one.ledger.amount[BUDGET_RESTORE],
           again = (double)two.ledger.amount[BUDGET_RESTORE];
    ck_assert_double_eq_tol(first, 2 * 17.5e9, 2e9);
    ck_assert_double_eq_tol(again, 2 * 25e9, 2e9);
}
END_TEST

/* Gossip: three learners, 90 s for a state. The donor of the first is lost on the way. */
START_TEST(test_the_donor_of_a_gossiper_is_lost)
{
    struct fixture fixture = fixture_of(STRATEGY_GOSSIP);
    fixture.config.cluster.chips = 6;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.options.learner.learners = 3;
    fixture.options.gossip.inner_steps = 1000;
    fixture.config.network.wan_bandwidth = 1e9 / 30;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 5, 20}, {1, 55, NEVER_BACK});
    /* From 20 on from learner 1, until 60 when that one notices; then 90 s from learner 2. */
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_RESTORE), 2 * (40 + 90));
}
END_TEST

/* Cuts. */

struct cut {
    double at[1], factor[1];
    struct network_profile profiles[1];
    struct network_site sites[4];
};

/* A hub, and learners a, b and c at sites of their own; c is cut off for ever from second AT on. */
#define CUT(AT)                                                                                              \
    {                                                                                                        \
        .at = {AT}, .profiles = {PROFILE("cut")}, .sites = {                                                 \
            SITE("hub", .learners = 0),                                                                      \
            SITE("a", .learners = 1, .uplink = 1e9),                                                         \
            SITE("b", .learners = 1, .uplink = 1e9),                                                         \
            SITE("c", .learners = 1, .uplink = 1e9, .profile = (char[]){"cut"})                              \
        }                                                                                                    \
    }

static void use(struct fixture *fixture, struct cut *cut)
{
    cut->profiles[0].schedule_at = (struct sim_values){cut->at, 1};
    cut->profiles[0].schedule_factor = (struct sim_values){cut->factor, 1};
    fixture->config.network =
        (struct network_config)NETWORK(.sites = ITEMS(cut->sites), .profiles = ITEMS(cut->profiles),
                                       .between.latency = SIM_SECOND / 2);
}

/* Cut in the middle of a ring, at 11.7; without a time-out nobody goes on, with one a and b do, from 41 on.
 */
START_TEST(test_a_cut_ring_is_made_anew)
{
    struct fixture fixture = decoupled_of(3);
    fixture.options.decoupled.quorum = 1;
    fixture.options.decoupled.grace = 0.5;
    fixture.options.decoupled.overlap = 1;
    fixture.options.decoupled.collective = DECOUPLED_RING;
    fixture.options.decoupled.syncer = (char[]){"hub"};
    struct cut cut = CUT(11.1);
    use(&fixture, &cut);
    struct run_result stalled = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(stalled.metrics[METRIC_MERGES], 0);
    fixture.options.decoupled.timeout = 30 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_gt(result.metrics[METRIC_MERGES], 60);
    ck_assert_double_gt(result.metrics[METRIC_GOODPUT], 0.55); /* of a and b, two thirds */
    ck_assert_double_lt(result.metrics[METRIC_GOODPUT], 0.67);
}
END_TEST

/* Rounds of 40 s; c is cut off in the first exchanges. Whoever meets it waits for ever, or gives the round up
 * after 20 s. */
START_TEST(test_gossip_gives_a_round_up)
{
    struct fixture fixture = fixture_of(STRATEGY_GOSSIP);
    fixture.config.cluster.chips = 6;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.options.learner.learners = 3;
    struct cut cut = CUT(30);
    use(&fixture, &cut);
    fixture.config.duration = 4000 * SIM_SECOND;
    struct run_result stalled = script_run(&fixture, NULL, 0);
    ck_assert_double_lt(stalled.metrics[METRIC_GOODPUT], 0.1);
    fixture.options.gossip.timeout = 20 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_gt(result.metrics[METRIC_GOODPUT], 0.7);
    ck_assert_double_gt(result.metrics[METRIC_MERGES], 15);
}
END_TEST

/* AD-PSGD begins no exchange while its last one stands still, and waits for none. */
START_TEST(test_asynchronous_gossip_goes_on)
{
    struct fixture fixture = fixture_of(STRATEGY_GOSSIP);
    fixture.config.cluster.chips = 6;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.options.learner.learners = 3;
    fixture.options.learner.rule.algorithm = MIXING_AD_PSGD;
    struct cut cut = CUT(30);
    use(&fixture, &cut);
    fixture.config.duration = 4000 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 1);
    fixture.options.gossip.timeout = 20 * SIM_SECOND;
    struct run_result freed = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(freed.metrics[METRIC_GOODPUT], 1);
    ck_assert_double_gt(freed.metrics[METRIC_MERGES], result.metrics[METRIC_MERGES] + 20);
}
END_TEST

START_TEST(test_where_the_syncer_is)
{
    struct fixture fixture = decoupled_of(3);
    fixture.options.decoupled.syncer = (char[]){"hub"};
    ck_assert_str_eq(fixture_fault(&fixture).path, "syncer"); /* no sites */
    struct cut cut = CUT(1e6);
    use(&fixture, &cut);
    struct run_result far = fixture_run(&fixture, 1, 0);
    fixture.options.decoupled.syncer = (char[]){"a"};
    struct run_result near = fixture_run(&fixture, 1, 0);
    ck_assert_double_lt(near.metrics[METRIC_WAN_BYTES], far.metrics[METRIC_WAN_BYTES] * 1.1);
    ck_assert_double_ne(near.metrics[METRIC_GOODPUT], 0);
    fixture.options.decoupled.syncer = (char[]){"nowhere"};
    ck_assert_str_eq(fixture_fault(&fixture).path, "syncer");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wide area");
    TCase *tests = tcase_create("timelines");
    tcase_add_test(tests, test_a_ring);
    tcase_add_test(tests, test_rings_of_sites);
    tcase_add_test(tests, test_the_donor_is_lost);
    tcase_add_test(tests, test_the_donor_of_a_gossiper_is_lost);
    tcase_add_test(tests, test_a_cut_ring_is_made_anew);
    tcase_add_test(tests, test_gossip_gives_a_round_up);
    tcase_add_test(tests, test_asynchronous_gossip_goes_on);
    tcase_add_test(tests, test_where_the_syncer_is);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
