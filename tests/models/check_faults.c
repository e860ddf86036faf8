/*
 * What each kind of fault does to a learner, by runs that are computed by hand; faults come at a planned
 * time. And how often processes strike: their rates, lemons and bursts.
 */
#include "models/failures/chaos.h"
#include "models/failures/process.h"
#include "tests/models/fixture.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND

/* Strikes the first unit of DOMAIN at 25 s, and no other. */
static struct failure_process once(enum fault_kind kind, enum fault_domain domain, double duration)
{
    return (struct failure_process){.name = "fault",
                                    .domain = domain,
                                    .kind = kind,
                                    .node_rate = NAN,
                                    .overall_mtbf = PARAMETER_UNSET,
                                    .overall_at_chips = PARAMETER_UNSET,
                                    .overall_exponent = 1,
                                    .every = 1000000 * S,
                                    .from = 25 * S,
                                    .duration = fixture_law(SIM_LAW_CONSTANT, duration),
                                    .detection = {.law = PARAMETER_UNSET},
                                    .factor = NAN,
                                    .lemon_factor = 1,
                                    .burst_units = 2,
                                    .burst_neighbourhood = PARAMETER_UNSET};
}

/* One elastic learner of 16 slices. */
static struct fixture fixture_with(struct failure_process *processes, size_t count)
{
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.options.learner.elastic = true;
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip.mean = 1e15;
    fixture.config.failures.processes = (struct parameter_items){processes, count};
    return fixture;
}

/* The step that hangs is lost, after 5 s of it; the slice goes down when the time-out is over. */
START_TEST(test_hang)
{
    struct failure_process process = once(FAULT_HANG, FAULT_OF_SLICE, 100);
    process.detection = fixture_law(SIM_LAW_CONSTANT, 60);
    struct fixture fixture = fixture_with(&process, 1);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 20 * 256 + 100 * 240 + 815 * 256}, {BUDGET_REDONE, 5 * 256},
                   {BUDGET_DETECTION, 60 * 256}, {BUDGET_DOWN, 100 * 16});
}
END_TEST

/* Nothing was ever saved: all since the start is wrong when it is found out at 85 s. */
START_TEST(test_corruption)
{
    struct failure_process process = once(FAULT_CORRUPTION, FAULT_OF_SLICE, 100);
    process.detection = fixture_law(SIM_LAW_CONSTANT, 60);
    struct fixture fixture = fixture_with(&process, 1);
    fixture.config.checkpoints.interval = 100000 * S;
    fixture.config.failures.restart_time = 20 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 85 * 256}, {BUDGET_RESTART, 20 * 240},
                   {BUDGET_USEFUL, 80 * 240 + 815 * 256}, {BUDGET_DOWN, 100 * 16});
}
END_TEST

/* Of checkpoints after every step the one at 20 s is the last from before the fault, however soon the learner
 * goes back when it is found out. */
START_TEST(test_corruption_of_checkpoints)
{
    struct failure_process process = once(FAULT_CORRUPTION, FAULT_OF_SLICE, 100);
    process.detection = fixture_law(SIM_LAW_CONSTANT, 60);
    struct fixture fixture = fixture_with(&process, 1);
    fixture.options.learner.elastic = false;
    fixture.config.checkpoints.interval = 10 * S;
    fixture.config.checkpoints.kept = 100;
    fixture.config.failures.restart_time = 20 * S;
    fixture.config.failures.noticed = _i;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 65 * 256}, {BUDGET_RESTART, 20 * 256},
                   {BUDGET_USEFUL, (20 + 895) * 256});
}
END_TEST

/* The step under way ends; the next one has no data until 45 s. */
START_TEST(test_stall)
{
    struct failure_process process = once(FAULT_STALL, FAULT_OF_CLUSTER, 20);
    struct fixture fixture = fixture_with(&process, 1);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 985 * 256}, {BUDGET_DATA_WAIT, 15 * 256});
}
END_TEST

/* The steps that begin at 30 s and 50 s take twice as long. */
START_TEST(test_slow)
{
    struct failure_process process = once(FAULT_SLOW, FAULT_OF_CHIP, 30);
    process.factor = 2;
    struct fixture fixture = fixture_with(&process, 1);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 980 * 256}, {BUDGET_STRAGGLER_WAIT, 20 * 256});
}
END_TEST

/* An elastic learner gives the slice up at the next boundary, 30 s; it is gone from 37 s to 137 s, and is
 * taken in after the step that ends at 140 s. */
START_TEST(test_notice)
{
    struct failure_process process = once(_i ? FAULT_PREEMPTION : FAULT_MAINTENANCE, FAULT_OF_SLICE, 100);
    process.notice = 12 * S;
    struct fixture fixture = fixture_with(&process, 1);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 30 * 256 + 110 * 240 + 860 * 256}, {BUDGET_DOWN, 107 * 16},
                   {BUDGET_RECONFIGURATION, 3 * 16});
}
END_TEST

/* Another saves in time what it has done, at 30 s for 2 s, and loses the step from 32 s on. */
START_TEST(test_notice_without_elasticity)
{
    struct failure_process process = once(FAULT_PREEMPTION, FAULT_OF_SLICE, 100);
    process.notice = 12 * S;
    struct fixture fixture = fixture_with(&process, 1);
    fixture.options.learner.elastic = false;
    fixture.config.checkpoints.interval = 100000 * S;
    fixture.config.checkpoints.write_time = 2 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 30 * 256 + 958 * 256}, {BUDGET_CHECKPOINT_SAVE, 2 * 256},
                   {BUDGET_REDONE, 10 * 256});
}
END_TEST

/* Until 70 s, one boundary after the other would do: it saves at the last of them, 60 s, alone. */
START_TEST(test_long_notice_without_elasticity)
{
    struct failure_process process = once(FAULT_PREEMPTION, FAULT_OF_SLICE, 100);
    process.notice = 45 * S;
    struct fixture fixture = fixture_with(&process, 1);
    fixture.options.learner.elastic = false;
    fixture.config.checkpoints.interval = 100000 * S;
    fixture.config.checkpoints.write_time = 2 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 988 * 256}, {BUDGET_CHECKPOINT_SAVE, 2 * 256},
                   {BUDGET_REDONE, 10 * 256});
}
END_TEST

/* What is written in the background has to be there by then: begun at 50 s, complete at 63 s, where one begun
 * at 60 s would come too late. */
START_TEST(test_notice_with_a_write_in_the_background)
{
    struct failure_process process = once(FAULT_PREEMPTION, FAULT_OF_SLICE, 100);
    process.notice = 45 * S;
    struct fixture fixture = fixture_with(&process, 1);
    fixture.options.learner.elastic = false;
    fixture.config.checkpoints.interval = 100000 * S;
    fixture.config.checkpoints.mode = CHECKPOINTS_ASYNCHRONOUS;
    fixture.config.checkpoints.write_time = 12 * S;
    fixture.config.checkpoints.blocking_time = 1 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 979 * 256}, {BUDGET_CHECKPOINT_SAVE, 1 * 256},
                   {BUDGET_REDONE, 20 * 256});
}
END_TEST

/* The step ends and is lost; nobody knows until 45 s. */
START_TEST(test_detection)
{
    struct failure_process process = once(FAULT_STOP, FAULT_OF_HOST, 100);
    struct fixture fixture = fixture_with(&process, 1);
    fixture.config.failures.detection.stop = fixture_law(SIM_LAW_CONSTANT, 20);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 20 * 256 + 80 * 240 + 875 * 256},
                   {BUDGET_REDONE, 5 * 256 + 5 * 240}, {BUDGET_DETECTION, 15 * 240}, {BUDGET_DOWN, 100 * 16});
}
END_TEST

/* What the first two causes after failures.chip cost of CATEGORY, in chip-seconds. */
static void assert_costs(const struct fixture *fixture, enum budget_category category, int64_t first,
                         int64_t second)
{
    struct strategy_config strategy = {.kind = fixture->kind, .options = (void *)&fixture->options};
    struct observation *observation;
    struct run_result result;
    const struct simulation_request request = {
        .config = &fixture->config, .strategy = &strategy, .seed = 1, .observation = &observation};
    ck_assert(simulation_run_observed(&request, &result, NULL));
    ck_assert_uint_eq(observation->cause_count, 3);
    ck_assert(observation->causes[1].waste[category] == (sim_amount)first * S);
    ck_assert(observation->causes[2].waste[category] == (sim_amount)second * S);
    ck_assert_uint_eq(observation->causes[1].struck + observation->causes[2].struck, 2);
    observation_destroy(observation);
}

/* A rack of two slices is down from 25 s to 125 s, one of them for its own sake from 50 s to 250 s. */
START_TEST(test_a_slice_may_be_down_for_two_reasons)
{
    struct failure_process processes[] = {once(FAULT_STOP, FAULT_OF_RACK, 100),
                                          once(FAULT_STOP, FAULT_OF_SLICE, 200)};
    processes[1].name = "other";
    processes[1].from = 50 * S;
    struct fixture fixture = fixture_with(processes, 2);
    fixture.config.cluster.rack_chips = 32;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_DOWN), 16 * (225 + 100));
    assert_costs(&fixture, BUDGET_DOWN, 16 * 200, 16 * 125);
}
END_TEST

/* Rates. */

static struct failure_process often(enum fault_domain domain)
{
    struct failure_process process = once(FAULT_STOP, domain, 1e-6);
    process.life = fixture_law(SIM_LAW_EXPONENTIAL, 1);
    process.every = PARAMETER_UNSET;
    return process;
}

/* Within five standard errors of WANTED failures in all, each of which brings so many others. */
static void assert_failures(struct failure_process *process, double wanted, double size)
{
    struct fixture fixture = fixture_with(process, 1);
    fixture.config.duration = 100000 * S;
    double got = fixture_run(&fixture, 1, 0).metrics[METRIC_FAILURES];
    ck_assert_msg(fabs(got - wanted) <= SIGMAS * sqrt(wanted * size), "%g failures, not %g", got, wanted);
}

START_TEST(test_rate_of_nodes)
{
    struct failure_process process = often(_i ? FAULT_OF_HOST : FAULT_OF_SLICE);
    process.node_rate = 1000 * 10; /* 64 hosts that fail ten times a day */
    assert_failures(&process, 64 * 10 * 100000 / 86400.0, 1);
}
END_TEST

/* A quarter of the chips that the rate was measured on fail at 4^−1.5 of it. */
START_TEST(test_rate_of_all)
{
    struct failure_process process = often(FAULT_OF_CHIP);
    process.overall_mtbf = 20 * S;
    process.overall_at_chips = 1024;
    process.overall_exponent = 1.5;
    assert_failures(&process, 100000 / 20.0 / 8, 1);
}
END_TEST

/* Whether units have a memory or none, all of them are lemons. */
START_TEST(test_lemons_fail_more_often)
{
    struct failure_process process = often(FAULT_OF_CHIP);
    if (_i)
        process.life = fixture_shaped(SIM_LAW_WEIBULL, 1, 1);
    process.overall_mtbf = 200 * S;
    process.lemon_share = 1;
    process.lemon_factor = 4;
    assert_failures(&process, 2000, 1);
}
END_TEST

/* Where every failure is repaired, of 256 units each fails once as a lemon, and then like the others; and it
 * needs no stages of repair for that. */
START_TEST(test_lemons_are_cured)
{
    struct failure_process process = often(FAULT_OF_CHIP);
    if (_i)
        process.life = fixture_shaped(SIM_LAW_WEIBULL, 1, 1);
    process.overall_mtbf = 100000 * S;
    process.duration.law = PARAMETER_UNSET;
    process.lemon_share = 1;
    process.lemon_factor = 1e4;
    process.lemon_cured = true;
    assert_failures(&process, 256, 1);
}
END_TEST

START_TEST(test_bursts)
{
    struct failure_process process = often(FAULT_OF_SLICE);
    process.overall_mtbf = 500 * S;
    process.burst_chance = 1;
    process.burst_units = 4;
    process.burst_neighbourhood = 8;
    process.burst_within = 10 * S;
    assert_failures(&process, 200 * 4, 4);
}
END_TEST

/* Failures so frequent that nothing is ever trained end the run as stalled, in good time. */
START_TEST(test_nothing_progresses)
{
    struct failure_process process = often(FAULT_OF_SLICE);
    process.overall_mtbf = S;
    struct fixture fixture = fixture_with(&process, 1);
    fixture.options.learner.elastic = false;
    fixture.config.failures.during_restart = DURING_RESTART_RESTART;
    fixture.config.failures.restart_time = 60 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(result.status, RUN_STALLED);
}
END_TEST

static const struct refusal {
    struct failure_process process;
    const char *field;
} refusals[] = {
    {{.domain = FAULT_OF_RACK, .kind = FAULT_STOP}, "unit"},
    {{.domain = FAULT_OF_SITE, .kind = FAULT_STOP}, "unit"},
    {{.domain = FAULT_OF_CHIP, .kind = FAULT_LOSS}, "unit"},
    {{.domain = FAULT_OF_SYNCER, .kind = FAULT_SLOW}, "unit"},
    {{.domain = FAULT_OF_CHIP, .kind = FAULT_SLOW, .factor = 1}, "factor"},
    {{.domain = FAULT_OF_CHIP, .kind = FAULT_STOP, .lemon_share = 1, .lemon_cured = true}, "lemon.cured"},
};

START_TEST(test_what_is_refused)
{
    struct failure_process process = once(FAULT_STOP, FAULT_OF_CHIP, 1);
    char path[64];
    process.domain = refusals[_i].process.domain;
    process.kind = refusals[_i].process.kind;
    process.factor = refusals[_i].process.factor;
    process.lemon_share = refusals[_i].process.lemon_share;
    process.lemon_cured = refusals[_i].process.lemon_cured;
    struct fixture fixture = fixture_with(&process, 1);
    struct simulation_fault fault = fixture_fault(&fixture);
    snprintf(path, sizeof path, "failures.processes.fault.%s", refusals[_i].field);
    ck_assert_str_eq(fault.path, path);
}
END_TEST

START_TEST(test_too_many_events_are_refused)
{
    struct failure_process process = often(FAULT_OF_CHIP);
    process.overall_mtbf = 1;
    struct fixture fixture = fixture_with(&process, 1);
    fixture.config.duration = 100000 * S;
    ck_assert_ptr_nonnull(strstr(fixture_fault(&fixture).message, "events"));
}
END_TEST

/* Faults one after another. */

static struct chaos_recorded strike(int64_t at, enum fault_kind kind, int64_t unit, int64_t seconds,
                                    int64_t detection)
{
    bool noticed = kind == FAULT_PREEMPTION || kind == FAULT_MAINTENANCE;
    return (struct chaos_recorded){.at = at * S,
                                   .cause = (char *[]){"A", "B", "C", "D"}[at / 20 % 4],
                                   .kind = kind,
                                   .domain = FAULT_OF_SLICE,
                                   .unit = unit,
                                   .lasting = seconds * S,
                                   .detection = detection > 0 ? detection * S : PARAMETER_UNSET,
                                   .notice = noticed ? 20 * S : PARAMETER_UNSET,
                                   .factor = kind == FAULT_SLOW ? 2 : NAN};
}

static struct fixture fixture_struck(struct chaos_recorded *faults, size_t count)
{
    struct fixture fixture = fixture_with(NULL, 0);
    fixture.config.chaos = (struct chaos_config){.schedule = {faults, count}, .learners = 1};
    fixture.config.checkpoints.interval = 10 * S;
    fixture.config.checkpoints.kept = 100;
    return fixture;
}

/* What a slice computes wrong since 25 s is found out when it stops at 45 s, in a step, and is over with
 * that: the checkpoint at 20 s is the last from before. */
START_TEST(test_corruption_ends_with_its_slice)
{
    struct chaos_recorded faults[] = {strike(25, FAULT_CORRUPTION, 0, 100, 60),
                                      strike(45, FAULT_STOP, 0, 10, 0)};
    struct fixture fixture = fixture_struck(faults, 2);
    fixture.options.learner.elastic = false;
    fixture.config.failures.restart_time = 20 * S;
    fixture.config.failures.noticed = _i;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 25 * 256}, {BUDGET_RESTART, 20 * 256},
                   {BUDGET_USEFUL, (20 + 935) * 256});
}
END_TEST

/* So is a hang: the slice is back at 55 s, is taken in at 60 s, and the time-out at 85 s passes. */
START_TEST(test_a_hang_ends_with_its_slice)
{
    struct chaos_recorded faults[] = {strike(25, FAULT_HANG, 0, 100, 60), strike(45, FAULT_STOP, 0, 10, 0)};
    struct fixture fixture = fixture_struck(faults, 2);
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 5 * 256}, {BUDGET_DETECTION, 20 * 256}, {BUDGET_DOWN, 10 * 16},
                   {BUDGET_USEFUL, 20 * 256 + 10 * 240 + 945 * 256});
}
END_TEST

/* At 85 s the learner begins to load its state of 50 s; that this is wrong, too, is found out at 95 s. */
START_TEST(test_what_is_loaded_is_wrong)
{
    struct chaos_recorded faults[] = {strike(25, FAULT_CORRUPTION, 0, 10, 70),
                                      strike(55, FAULT_CORRUPTION, 1, 10, 30)};
    struct fixture fixture = fixture_struck(faults, 2);
    fixture.config.checkpoints.load_time = 30 * S;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_REDONE), 65 * 256);
}
END_TEST

/* Slices 0 and 1 hold a copy of the model: without the one the other stands still, and nobody cares whether
 * it hangs, waits for data or is to go. The step from 20 s to 30 s is lost; slice 0 is back at 225 s. */
static const struct idle {
    enum fault_kind kind;
    int64_t detection, down; /* seconds of slice 1 */
} idle[] = {{FAULT_PREEMPTION, 0, 50}, {FAULT_MAINTENANCE, 0, 50}, {FAULT_HANG, 60, 50}, {FAULT_STALL, 0, 0}};

START_TEST(test_slices_that_stand_still)
{
    struct chaos_recorded faults[] = {strike(25, FAULT_STOP, 0, 200, 0),
                                      strike(45, idle[_i].kind, 1, 50, idle[_i].detection)};
    struct fixture fixture = fixture_struck(faults, 2);
    fixture.config.cluster.parallel.pipeline = 32;
    fixture.config.cluster.parallel.blast_radius = BLAST_REPLICA;
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_REDONE, 5 * 256 + 5 * 224}, {BUDGET_DOWN, 16 * (200 + idle[_i].down)},
                   {BUDGET_REPAIR_WAIT, 16 * (200 - idle[_i].down)}, {BUDGET_RECONFIGURATION, 5 * 32},
                   {BUDGET_USEFUL, 20 * 256 + 200 * 224 + 770 * 256});
}
END_TEST

/* The standby is slow from 15 s to 115 s, and no more once it is in slice 0's place, at 25 s; it hangs from
 * 65 s to 165 s. */
START_TEST(test_a_standby_was_slow)
{
    struct chaos_recorded faults[] = {strike(15, FAULT_SLOW, 16, 100, 0), strike(25, FAULT_STOP, 0, 100, 0),
                                      strike(65, FAULT_HANG, 16, 100, 100)};
    struct fixture fixture = fixture_struck(faults, 3);
    fixture.config.cluster.chips = 272;
    fixture.config.cluster.spares = (struct reserve_config){.standbys = 1};
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_DETECTION), 100 * 256);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_STRAGGLER_WAIT), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *tests = tcase_create("faults");
    tcase_add_loop_test(tests, test_corruption_of_checkpoints, 0, 2);
    tcase_add_test(tests, test_hang);
    tcase_add_loop_test(tests, test_corruption_ends_with_its_slice, 0, 2);
    tcase_add_test(tests, test_a_hang_ends_with_its_slice);
    tcase_add_test(tests, test_what_is_loaded_is_wrong);
    tcase_add_loop_test(tests, test_slices_that_stand_still, 0, (int)(sizeof idle / sizeof *idle));
    tcase_add_test(tests, test_a_standby_was_slow);
    tcase_add_test(tests, test_corruption);
    tcase_add_test(tests, test_stall);
    tcase_add_test(tests, test_slow);
    tcase_add_loop_test(tests, test_notice, 0, 2);
    tcase_add_test(tests, test_notice_without_elasticity);
    tcase_add_test(tests, test_long_notice_without_elasticity);
    tcase_add_test(tests, test_notice_with_a_write_in_the_background);
    tcase_add_test(tests, test_detection);
    tcase_add_test(tests, test_a_slice_may_be_down_for_two_reasons);
    tcase_add_loop_test(tests, test_rate_of_nodes, 0, 2);
    tcase_add_test(tests, test_rate_of_all);
    tcase_add_loop_test(tests, test_lemons_fail_more_often, 0, 2);
    tcase_add_loop_test(tests, test_lemons_are_cured, 0, 2);
    tcase_add_test(tests, test_bursts);
    tcase_add_test(tests, test_nothing_progresses);
    tcase_add_loop_test(tests, test_what_is_refused, 0, (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tests, test_too_many_events_are_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
