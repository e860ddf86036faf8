/*
 * Decoupled DiLoCo against timelines computed by hand. A learner is one slice of two chips; a step takes 10
 * s, a copy of the model 1 s on a link, and every message 0.5 s more, so that a merge of a whole model is
 * with the learners 4 s after the last step it takes in: report 0.5, request 0.5, fragment 1 + 0.5, merge 1 +
 * 0.5.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture fixture;
static struct decoupled_options *options;
static struct chip_group groups[2];

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.network.wan_latency = SIM_SECOND / 2;
    options = &fixture.options.decoupled;
}

static void with_learners(int64_t learners)
{
    fixture.config.cluster.chips = 2 * learners;
    fixture.config.cluster.chips_per_slice = 2;
    options->learner.learners = learners;
    options->quorum = learners;
}

/* The second half of the learners takes FACTOR times as long for a step. */
static void with_a_slow_half(double factor)
{
    groups[0] = (struct chip_group){.share = 1, .chip = 2, .mfu = 0.6};
    groups[1] = (struct chip_group){.share = 1, .chip = 2, .mfu = 0.6 / factor};
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
}

static void with_fragments(int64_t inner_steps, int64_t fragments)
{
    options->inner_steps = inner_steps;
    options->fragments = fragments;
}

static void with_end(int64_t seconds)
{
    fixture.config.duration = seconds * SIM_SECOND;
}

/* Fragments of a quarter of the model, 2.5 s after the step: 12.5 s a step. All learners are in every merge,
 * the first included. */
START_TEST(test_all_in_step)
{
    with_learners(4);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 80 * 10 * 8}, {BUDGET_QUORUM_WAIT, 80 * 4},
                   {BUDGET_COMMUNICATION_WAIT, 80 * 2 * 8});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 80);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 80 * 8 * 0.25e9 / 8);
}
END_TEST

/* One fragment: due at steps 1, 5, 9, …, at each of which everybody stands still for 4 s. */
START_TEST(test_one_fragment)
{
    with_learners(4);
    with_fragments(4, 1);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (22 * 40 + 32) * 8}, {BUDGET_QUORUM_WAIT, 22 * 4},
                   {BUDGET_COMMUNICATION_WAIT, 22 * 28});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 22);
}
END_TEST

START_TEST(test_int4_is_a_quarter)
{
    with_learners(4);
    struct run_result wide = script_run(&fixture, NULL, 0);
    options->learner.rule.compression_bits = 4;
    fixture.config.network.wan_bandwidth /= 4;
    struct run_result narrow = script_run(&fixture, NULL, 0);
    ck_assert_double_eq(narrow.metrics[METRIC_GOODPUT], wide.metrics[METRIC_GOODPUT]);
    ck_assert_double_eq(narrow.metrics[METRIC_WAN_BYTES], wide.metrics[METRIC_WAN_BYTES] / 4);
}
END_TEST

/* 2.5 s hide behind two steps; the merges of steps 1 … 99 are made by the end. */
START_TEST(test_overlap_hides_all)
{
    with_learners(4);
    options->overlap = 2;
    options->quorum = 1;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8000});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 99);
}
END_TEST

/* A fragment at each step, 14 s on the way, τ = 1: two steps, then 4 s until the merge of the first is there.
 * A step takes max(T, (T + sync) / (τ + 1)). */
START_TEST(test_overlap_hides_a_part)
{
    with_learners(4);
    with_end(960);
    fixture.config.network.wan_bandwidth = 0.25e9 / 6;
    options->overlap = 1;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 * 8}, {BUDGET_COMMUNICATION_WAIT, 160 * 8});
}
END_TEST

/* 15 s for a fragment each way: whatever the overlap, a step can't be faster than the link. */
START_TEST(test_the_link_is_the_bottleneck)
{
    with_learners(4);
    fixture.config.network.wan_bandwidth = 0.25e9 / 15;
    fixture.config.duration = 100000 * SIM_SECOND;
    options->overlap = 6;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq_tol(result.metrics[METRIC_GOODPUT], 10.0 / 15, 1e-3);
}
END_TEST

/* P fragments in H steps, each hidden behind τ of them, where they are further than τ apart: exposed
 * communication is e = 2V/(HBT) − Pτ/H, and what four latencies add. 2V: a fragment goes up and down, where a
 * ring of n has 2(n−1)/n. Here six steps and 2·12 + 4·0.5 − 20 = 6 s. */
START_TEST(test_exposed_communication)
{
    with_learners(4);
    with_end(86 + 14 * 66);
    with_fragments(108, 18);
    options->overlap = 2;
    fixture.config.network.wan_bandwidth = 1e9 / 18 / 12;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (80 + 14 * 60) * 8}, {BUDGET_COMMUNICATION_WAIT, 15 * 6 * 8});
    with_end(86 + 66 * 300);
    result = script_run(&fixture, NULL, 0);
    double model = 18 * 12, exposed = 2 * model / (108 * 10) - 18 * 2 / 108.0 + 18 * 4 * 0.5 / (108 * 10);
    ck_assert_double_eq_tol(result.metrics[METRIC_COMPUTE_UTILIZATION], 1 / (1 + exposed), 1e-3);
}
END_TEST

/* Whoever reports at the same instant is in the merge, even if a quorum of one needs nobody else. */
START_TEST(test_ties_are_taken_together)
{
    with_learners(4);
    options->quorum = 1;
    options->overlap = _i;
    fixture.config.network.wan_latency = 0;
    struct run_result result = script_run(&fixture, NULL, 0);
    double merges = result.metrics[METRIC_MERGES];
    ck_assert_double_gt(merges, 90);
    ck_assert_double_eq_tol(result.metrics[METRIC_WAN_BYTES], merges * 8 * 0.25e9 / 8, 8 * 0.25e9 / 8);
}
END_TEST

/* In how many merges each of the slow half was, as a share: of four learners, two are in every merge, and all
 * get every merge but, perhaps, the last. */
static double slow_share(double grace)
{
    options->grace = grace;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 80000});
    ck_assert_double_le(result.metrics[METRIC_MERGES], 1000);
    double messages = result.metrics[METRIC_WAN_BYTES] / (0.25e9 / 8);
    return (messages / result.metrics[METRIC_MERGES] - 6) / 2;
}

/* The slow half takes 2 s longer: a step of it ends before five merges of six, and it is in those. Without
 * grace it is hardly ever in time. Nobody waits, and the syncer takes no step that the fast have not. */
START_TEST(test_grace)
{
    with_learners(4);
    with_a_slow_half(1.2);
    with_end(10000);
    options->overlap = 2;
    options->quorum = 1;
    ck_assert_double_eq_tol(slow_share(0.5), 5.0 / 6, 0.02);
    ck_assert_double_lt(slow_share(0), 0.2);
}
END_TEST

/* Participations that are missing in a run's merges, all of whose learners are up and get all merges but,
 * perhaps, the last. */
static double missing_parts(const struct run_result *result, int64_t learners)
{
    double messages = result->metrics[METRIC_WAN_BYTES] / (0.25e9 / 8);
    return result->metrics[METRIC_MERGES] * (double)(2 * learners) - messages;
}

/* A slice of learner 3's two fails within its second step, which is lost, and it reconfigures for some
 * seconds: from then on it steps as the others do, and as late after them as may be. The window of nine to
 * ten seconds takes in whoever is a little late, and the next merge whoever is late for that; it misses those
 * that are made while it stands still. */
START_TEST(test_nobody_stays_out_for_being_late)
{
    with_learners(4);
    fixture.config.cluster.chips_per_slice = 1;
    fixture.config.failures.downscale_time = _i * SIM_SECOND / 2;
    options->overlap = 2;
    options->quorum = 1;
    options->grace = 0.5;
    struct run_result result = SCRIPT_RUN(&fixture, {7, 12, NEVER_BACK});
    ck_assert_double_ge(result.metrics[METRIC_MERGES], 98);
    ck_assert_double_le(missing_parts(&result, 4), 2 + _i * 0.05);
    ck_assert(result.ledger.amount[BUDGET_QUORUM_WAIT] == 0);
}
END_TEST

/* By learner: merges in a row that it was not in, at most; how far it was behind one that it was in. */
struct absence {
    int64_t longest[8], now[8], behind[8];
    int64_t merges, steps[8];
};

static void note_merge(struct absence *absence, const struct tape *tape, const struct tape_record *merge)
{
    absence->merges++;
    for (int i = 0; i < tape->learners; i++)
        absence->now[i]++;
    for (uint32_t k = 0; k < merge->parts; k++) {
        const struct tape_part *part = &tape->parts[merge->first_part + k];
        absence->now[part->learner] = 0;
        if (merge->clock - part->clock > absence->behind[part->learner])
            absence->behind[part->learner] = merge->clock - part->clock;
    }
    for (int i = 0; i < tape->learners; i++)
        if (absence->now[i] > absence->longest[i])
            absence->longest[i] = absence->now[i];
}

static struct absence absence_of_run(void)
{
    struct strategy_config strategy = {.kind = STRATEGY_DECOUPLED, .options = options};
    struct error error = {.kind = ERROR_NONE};
    struct absence absence = {.merges = 0};
    struct run_result result;
    struct tape *tape = NULL;
    bool done = simulation_run(&fixture.config, &strategy, 1, 0, NULL, &result, &tape, &error);
    ck_assert_msg(done && tape_check(tape, &error), "%s", error.message);
    for (size_t i = 0; i < tape->count; i++) {
        const struct tape_record *record = &tape->records[i];
        if (record->kind == TAPE_MERGE)
            note_merge(&absence, tape, record);
        else if (record->kind == TAPE_STEP_END)
            absence.steps[record->actor]++;
    }
    tape_destroy(tape);
    return absence;
}

/* Two generations, steps varying by 10 %. With grace nobody is left out of three merges in a row, or in one
 * for which it is more than two steps behind; without, the slow half is out for long. The syncer never takes
 * more steps than who is ahead by then. */
START_TEST(test_uneven_learners_are_heard)
{
    with_learners(8);
    with_a_slow_half(1.17);
    with_end(20000);
    fixture.config.stragglers.step = fixture_spread(SIM_LAW_NORMAL, 1, 0.1);
    options->overlap = 2;
    options->quorum = 1;
    options->grace = _i * 0.5;
    struct absence absence = absence_of_run();
    for (int i = 0; i < 8; i++) {
        ck_assert_int_le(absence.behind[i], _i > 0 ? 2 : 0);
        if (_i > 0)
            ck_assert_int_le(absence.longest[i], 2);
        else
            ck_assert_int_ge(absence.longest[i], i < 4 ? 20 : 100);
    }
    ck_assert_double_le((double)absence.merges, (double)absence.steps[0] * 1.04);
}
END_TEST

/* Losses. */

/* Learner 0 reports at 10.5; while the grace window is open, it is lost at 20. The merge waits for learner 1,
 * who reports at 30.5. Learner 0 is back at 25, hears of that merge at 32.5 and has three copies at 36.5. Of
 * its first step, nothing was merged. Learner 1 takes 30 s for a step, and the windows of steps 2 and 3 end
 * without it at 58.8 and 70.4. */
START_TEST(test_a_quorum_is_lost_in_the_grace_window)
{
    with_learners(2);
    with_a_slow_half(3);
    with_end(77);
    options->overlap = 2;
    options->quorum = 1;
    options->grace = 1;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 12, 25});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 77 + 81}, {BUDGET_REDONE, 2 * 12}, {BUDGET_DOWN, 2 * 13},
                   {BUDGET_RESTORE, 23});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 3);
}
END_TEST

/* Both fail at 45, after the merge of step 4, with them at 44. Learner 0 restarts from 60 to 62 and gets the
 * model from the syncer, one copy and two latencies, by 64. Learner 1 restarts from 63 to 65, waits for the
 * merge of step 8, which it hears of at 108, and gets three copies by 112. */
START_TEST(test_all_are_lost)
{
    with_learners(2);
    with_fragments(4, 1);
    with_end(122);
    fixture.config.failures.restart_time = 2 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 45, 60}, {1, 45, 63});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * (94 + 50)}, {BUDGET_REDONE, 4}, {BUDGET_DOWN, 2 * (15 + 18)},
                   {BUDGET_RESTART, 8}, {BUDGET_RESTORE, 2 * (2 + 47)}, {BUDGET_QUORUM_WAIT, 3},
                   {BUDGET_COMMUNICATION_WAIT, 21});
    double copies = 2 * 2 + 2 * 1 + 1 + 3; /* the merge of step 4, that of step 8, and two recoveries */
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], copies * 1e9 / 8 + 1e9 / 8);
}
END_TEST

/* Learner 0 had reported step 4 when it was lost at 50; it is back at 73 with the state of step 3. The merge
 * of step 4 waits for what it does then, until 83.5, and comes to be at 86.5. */
START_TEST(test_reports_of_a_lost_state_are_void)
{
    with_learners(2);
    with_a_slow_half(2);
    with_fragments(1, 1);
    options->overlap = 4;
    fixture.config.workload.parameters *= 2;
    with_end(86);
    struct run_result result = SCRIPT_RUN(&fixture, {0, 45, 51});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 3);
    with_end(87);
    result = SCRIPT_RUN(&fixture, {0, 45, 51});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 4);
}
END_TEST

/* The same, while the learner waits: it is lost at 60.2, and its report of step 6 arrives at 60.5, when it
 * has no state. */
START_TEST(test_reports_under_way_are_void)
{
    static const int64_t ends[] = {86, 87}, merges[] = {3, 4};
    with_learners(2);
    with_a_slow_half(2);
    with_fragments(1, 1);
    options->overlap = 3;
    fixture.config.workload.parameters *= 2;
    with_end(ends[_i]);
    struct run_result result = SCRIPT_RUN(&fixture, {0, 60.2, 61});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], (double)merges[_i]);
}
END_TEST

/* There is no merge until step 100. Learner 1 fails at 21, is lost at 30, and waits for it; learner 0 fails
 * at 37 and is lost at 40, so that learner 1 gets the syncer's model by 42. */
START_TEST(test_the_last_peer_is_lost)
{
    with_learners(2);
    with_fragments(100, 1);
    options->overlap = 2;
    with_end(60);
    struct run_result result = SCRIPT_RUN(&fixture, {1, 21, 25}, {0, 37, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 18}, {BUDGET_REDONE, 2 * (37 + 21)},
                   {BUDGET_DOWN, 2 * (23 + 4)}, {BUDGET_RECONFIGURATION, 2 * 5}, {BUDGET_RESTORE, 2 * 12});
}
END_TEST

/* What is lost once is not lost again. Of two steps, fragment 1 has one and fragment 2 both when the learner
 * is lost at 30: 12.5 s are lost, as if each had 7.5 s. It is back at 32; fragment 3 is pulled after 10 s
 * more and fragment 0 after 20, so that 12.5 s are lost again at 62. */
START_TEST(test_nothing_is_lost_twice)
{
    with_learners(1);
    options->overlap = 2;
    with_end(64);
    struct run_result result = SCRIPT_RUN(&fixture, {0, 21, 29}, {0, 54, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 15}, {BUDGET_REDONE, 25 + 25 + 2 * (1 + 2)},
                   {BUDGET_DOWN, 2 * (8 + 10)}, {BUDGET_RECONFIGURATION, 2}, {BUDGET_RESTORE, 2 * 2});
}
END_TEST

/* A model takes 30 s on a link. Learner 0 sends it after each of its five steps until it is lost at 60, and
 * is through at 160; what learner 1 alone sends for steps 6 and 7 is there at 114 and 144, and waits. */
START_TEST(test_merges_come_in_order)
{
    static const int64_t ends[] = {159, 161}, merges[] = {4, 7};
    with_learners(2);
    with_a_slow_half(1.4);
    with_fragments(1, 1);
    options->overlap = 5;
    options->quorum = 1;
    fixture.config.network.wan_bandwidth = 1e9 / 30;
    fixture.config.network.wan_latency = 0;
    with_end(ends[_i]);
    struct run_result result = SCRIPT_RUN(&fixture, {0, 55, NEVER_BACK});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], (double)merges[_i]);
}
END_TEST

/* Three copies take 30 s, and as long again as the fragments that share their links: more than H = 2 syncer
 * steps go by meanwhile, and learner 0 asks again, but not a third time. H = 6 are enough for the first. */
START_TEST(test_recovery_within_h_steps)
{
    with_learners(2);
    with_fragments(2, 2);
    fixture.config.network.wan_bandwidth = 0.1e9;
    options->overlap = 3;
    options->quorum = 1;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 15, 25});
    ck_assert(result.ledger.amount[BUDGET_RESTORE] > 2 * 80 * (sim_amount)SIM_SECOND);
    ck_assert(result.ledger.amount[BUDGET_RESTORE] < 2 * 160 * (sim_amount)SIM_SECOND);
    with_fragments(6, 6);
    result = SCRIPT_RUN(&fixture, {0, 15, 25});
    ck_assert(result.ledger.amount[BUDGET_RESTORE] < 2 * 60 * (sim_amount)SIM_SECOND);
}
END_TEST

/* Four come back at once to a site that four others have to send them copies over one link, 30 s each or 120
 * s all together, when H = 8 steps of 10 s make a copy too old. They ask once more, one after another. */
START_TEST(test_many_that_come_back_take_turns)
{
    struct network_site sites[] = {SITE("here", .learners = 4),
                                   SITE("there", .learners = 4, .uplink = 0.1e9)};
    fixture.config.network = (struct network_config)NETWORK(.sites = ITEMS(sites), .between.latency = 0);
    with_learners(8);
    with_fragments(8, 1);
    options->overlap = 8;
    options->quorum = 1;
    with_end(600);
    struct run_result result = SCRIPT_RUN(&fixture, {4, 15, 25}, {5, 15, 25}, {6, 15, 25}, {7, 15, 25});
    double restore = (double)result.ledger.amount[BUDGET_RESTORE] / 2e9;
    ck_assert_double_gt(restore, 4 * 120 + 30 + 60 + 90 + 120);
    ck_assert_double_lt(restore, 4 * 400); /* of 575 s that are left when they are back */
}
END_TEST

/* Two that come back at once ask two different peers: each has its copy as soon as one alone would. */
START_TEST(test_copies_come_from_different_peers)
{
    with_learners(4);
    options->overlap = 2;
    options->quorum = 1;
    struct run_result one = SCRIPT_RUN(&fixture, {3, 15, 25});
    struct run_result two = SCRIPT_RUN(&fixture, {2, 15, 25}, {3, 15, 25});
    sim_amount alone = one.ledger.amount[BUDGET_RESTORE];
    ck_assert(alone > 2 * 3 * (sim_amount)SIM_SECOND);
    ck_assert(two.ledger.amount[BUDGET_RESTORE] == 2 * alone);
}
END_TEST

/* Three learners at sites of their own, and the syncer at another. The last learner reports step 1 and is cut
 * off before its fragment has left: the merge closed at 10.5 is made at 15.5 without it, and the others go on
 * at 16.25, a step each 12.5 s from then on. With nothing to end the wait, all three do one step. */
START_TEST(test_a_cut_off_learner_is_left_out)
{
    double at[] = {10.7}, factor[] = {0};
    struct network_profile profiles[] = {
        PROFILE("cut", .schedule_at = {at, 1}, .schedule_factor = {factor, 1})};
    struct network_site sites[] = {SITE("hub", .learners = 0), SITE("a", .learners = 1, .uplink = 1e9),
                                   SITE("b", .learners = 1, .uplink = 1e9),
                                   SITE("c", .learners = 1, .uplink = 1e9, .profile = (char[]){"cut"})};
    fixture.config.network =
        (struct network_config)NETWORK(.sites = ITEMS(sites), .profiles = ITEMS(profiles),
                                       .between.latency = SIM_SECOND / 2);
    with_learners(3);
    with_end(90);
    options->quorum = 1;
    options->syncer = (char[]){"hub"};
    options->timeout = 5 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_USEFUL), 2 * 10 * (7 + 7 + 1));
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 6);
    options->timeout = PARAMETER_UNSET;
    result = script_run(&fixture, NULL, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_USEFUL), 2 * 10 * 3);
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 0);
}
END_TEST

/* Part of what a lost learner did since each fragment was last pulled is lost: it stops at 30, after two
 * steps and half of a third. Fragment 0 was pulled after step 1 and fragment 1 after step 2, 2 and 3 never.
 */
START_TEST(test_what_was_not_pulled_is_lost)
{
    with_learners(2);
    with_end(40);
    options->overlap = 2;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2 * 40 + (2 * 20 - 25)}, {BUDGET_REDONE, 25 + 10},
                   {BUDGET_DOWN, 30});
    ck_assert_double_eq(result.metrics[METRIC_STEPS_LOST], 0.5 + 0.5 * 1.25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decoupled");
    TCase *timing = tcase_create("timing"), *losses = tcase_create("losses");
    tcase_add_checked_fixture(timing, set_up, NULL);
    tcase_add_checked_fixture(losses, set_up, NULL);
    tcase_add_test(timing, test_all_in_step);
    tcase_add_test(timing, test_one_fragment);
    tcase_add_test(timing, test_int4_is_a_quarter);
    tcase_add_test(timing, test_overlap_hides_all);
    tcase_add_test(timing, test_overlap_hides_a_part);
    tcase_add_test(timing, test_the_link_is_the_bottleneck);
    tcase_add_test(timing, test_exposed_communication);
    tcase_add_loop_test(timing, test_ties_are_taken_together, 0, 2);
    tcase_add_test(timing, test_grace);
    tcase_add_loop_test(timing, test_nobody_stays_out_for_being_late, 0, 60);
    tcase_add_loop_test(timing, test_uneven_learners_are_heard, 0, 3);
    tcase_add_test(losses, test_a_quorum_is_lost_in_the_grace_window);
    tcase_add_test(losses, test_all_are_lost);
    tcase_add_test(losses, test_reports_of_a_lost_state_are_void);
    tcase_add_loop_test(losses, test_reports_under_way_are_void, 0, 2);
    tcase_add_test(losses, test_the_last_peer_is_lost);
    tcase_add_test(losses, test_nothing_is_lost_twice);
    tcase_add_loop_test(losses, test_merges_come_in_order, 0, 2);
    tcase_add_test(losses, test_recovery_within_h_steps);
    tcase_add_test(losses, test_many_that_come_back_take_turns);
    tcase_add_test(losses, test_what_was_not_pulled_is_lost);
    tcase_add_test(losses, test_copies_come_from_different_peers);
    tcase_add_test(losses, test_a_cut_off_learner_is_left_out);
    suite_add_tcase(suite, timing);
    suite_add_tcase(suite, losses);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
