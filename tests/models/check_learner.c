/*
 * One learner through every state, its chip time computed by hand: 40 chips in slices of 16, 16 and 8, steps
 * of 10 s, 200 s.
 */
#include "tests/models/fixture.h"
#include "tests/models/script.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

#define NEVER_BACK 1e6

static struct fixture fixture;

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    fixture.config.duration = 200 * SIM_SECOND;
    fixture.config.cluster.chips = 40;
    fixture.config.failures.downscale_time = 20 * SIM_SECOND;
    fixture.config.failures.upscale_time = 30 * SIM_SECOND;
    fixture.config.failures.restart_time = 35 * SIM_SECOND;
}

static void elastic(void)
{
    fixture.options.learner.elastic = true;
}

static void waiting_for_repair(void)
{
    fixture.options.learner.slice_loss = LOSS_WAIT;
}

static void with_checkpoints(void)
{
    fixture.config.checkpoints = (struct checkpoint_config){
        .interval = 30 * SIM_SECOND, .write_time = 5 * SIM_SECOND, .load_time = 7 * SIM_SECOND};
}

static void assert_work(const struct run_result *result, double steps, double lost, double tokens)
{
    ck_assert_double_eq_tol(result->metrics[METRIC_STEPS], steps, 1e-9);
    ck_assert_double_eq_tol(result->metrics[METRIC_STEPS_LOST], lost, 1e-9);
    ck_assert_double_eq_tol(result->metrics[METRIC_TOKENS], tokens, 1e-3);
}

START_TEST(test_nothing_happens)
{
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8000});
    assert_work(&result, 20, 0, 20e6);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 1);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME], 1);
    ck_assert_double_eq(result.metrics[METRIC_LEARNERS_UP], 1);
    ck_assert_double_nan(result.metrics[METRIC_MTBF]);
    ck_assert_double_eq(result.metrics[METRIC_STEP_TIME], 10);
    ck_assert_double_eq(result.metrics[METRIC_STEP_TIME_DEVIATION], 0);
    ck_assert_double_eq(result.metrics[METRIC_INTERRUPTIONS_PER_DAY], 0);
    ck_assert_double_nan(result.metrics[METRIC_INTERRUPTION_TIME]);
}
END_TEST

/* Downscaling 30–50; then restarts of 35 s, of which the warm-up leaves the second. */
START_TEST(test_times_of_interruptions)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, NEVER_BACK});
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTION_TIME], 20, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTIONS_PER_DAY], 86400 / 200.0, 1e-9);
    fixture.options.learner.elastic = false;
    result = SCRIPT_RUN(&fixture, {2, 25, NEVER_BACK}, {1, 115, NEVER_BACK});
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTIONS], 2, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTION_TIME], 35, 1e-9);
    fixture.config.warm_up = 100 * SIM_SECOND;
    result = SCRIPT_RUN(&fixture, {2, 25, NEVER_BACK}, {1, 115, NEVER_BACK});
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTION_TIME], 35, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_INTERRUPTIONS_PER_DAY], 86400 / 100.0, 1e-9);
}
END_TEST

START_TEST(test_a_step_cut_by_the_end_counts_pro_rata)
{
    fixture.config.duration = 147 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 5880});
    assert_work(&result, 14.7, 0, 14.7e6);
}
END_TEST

/* 20–30 is lost, 30–50 downscaling, three steps of 32 chips, 80–110 upscaling, nine steps. */
START_TEST(test_elastic)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 960 + 3600}, {BUDGET_REDONE, 200 + 160},
                   {BUDGET_RECONFIGURATION, 640 + 40 + 1200}, {BUDGET_DOWN, 400});
    assert_work(&result, 14, 1, 2e6 + 2.4e6 + 9e6);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME], 0.75);
    ck_assert_double_eq(result.metrics[METRIC_FAILURES], 1);
    ck_assert_double_eq(result.metrics[METRIC_MTBF], 200);
    ck_assert_double_eq(result.metrics[METRIC_RECONFIGURATIONS], 2);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 0);
    ck_assert_double_eq(result.metrics[METRIC_LEARNERS_UP], 1);
}
END_TEST

START_TEST(test_elastic_failed_step_counts)
{
    elastic();
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 1160 + 960 + 3600}, {BUDGET_RECONFIGURATION, 640 + 40 + 1200},
                   {BUDGET_DOWN, 400});
    assert_work(&result, 15, 0, 3e6 + 2.4e6 + 9e6);
}
END_TEST

/* A failure and a return of one step share a reconfiguration, which lasts the longer of the two times:
 * 30–50, then from 80 to 110. */
START_TEST(test_elastic_handles_a_steps_events_together)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75}, {1, 72, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 640 + 90 * 24}, {BUDGET_REDONE, 360 + 2 * 32 + 8 * 16},
                   {BUDGET_RECONFIGURATION, 640 + 40 + 30 * 24}, {BUDGET_DOWN, 400 + 128 * 16});
    ck_assert_double_eq(result.metrics[METRIC_RECONFIGURATIONS], 2);
}
END_TEST

/* The longer time may be the failure's. */
START_TEST(test_elastic_takes_the_longer_time)
{
    elastic();
    fixture.config.failures.downscale_time = 40 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 28});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 130 * 40}, {BUDGET_REDONE, 5 * 40 + 5 * 32},
                   {BUDGET_DOWN, 3 * 8}, {BUDGET_RECONFIGURATION, 2 * 8 + 40 * 40});
}
END_TEST

/* A step in which all chips failed is lost although failed steps count: nobody ended it. */
START_TEST(test_a_step_of_nobody_does_not_count)
{
    elastic();
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    struct run_result result =
        SCRIPT_RUN(&fixture, {0, 25, NEVER_BACK}, {1, 25, NEVER_BACK}, {2, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800}, {BUDGET_REDONE, 200}, {BUDGET_DOWN, 175 * 40});
    assert_work(&result, 2, 1, 2e6);
}
END_TEST

/* Taken in at 110, the slice works like any other, and takes the step with it when it fails again. */
START_TEST(test_a_slice_fails_twice)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75}, {2, 125, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 960 + 400 + 50 * 32}, {BUDGET_REDONE, 360 + 360},
                   {BUDGET_RECONFIGURATION, 640 + 40 + 1200 + 640}, {BUDGET_DOWN, 400 + 75 * 8});
}
END_TEST

/* An event at the very end of a step belongs to it. */
START_TEST(test_a_failure_at_a_boundary_fails_the_step_before)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 30, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 150 * 32}, {BUDGET_REDONE, 400},
                   {BUDGET_RECONFIGURATION, 640}, {BUDGET_DOWN, 170 * 8});
}
END_TEST

/* The returned slice has no part in the step 70–80, and its failure at 76 does not cost that step. */
START_TEST(test_a_slice_that_is_not_taken_in_fails_no_step)
{
    elastic();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 72}, {2, 76, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 960 + 90 * 32}, {BUDGET_REDONE, 360},
                   {BUDGET_RECONFIGURATION, 640 + 8 * 4 + 30 * 32}, {BUDGET_DOWN, 8 * (47 + 124)});
    ck_assert_double_eq(result.metrics[METRIC_STEPS_LOST], 1);
}
END_TEST

/* A second slice fails at 40, in the downscaling 30–50. */
static struct run_result run_during_reconfiguration(enum during_restart what)
{
    elastic();
    fixture.config.failures.during_restart = what;
    return SCRIPT_RUN(&fixture, {2, 25, NEVER_BACK}, {1, 40, NEVER_BACK});
}

START_TEST(test_elastic_absorbs)
{
    struct run_result result = run_during_reconfiguration(DURING_RESTART_ABSORB);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 150 * 16}, {BUDGET_REDONE, 360},
                   {BUDGET_RECONFIGURATION, 320 + 160}, {BUDGET_DOWN, 175 * 8 + 160 * 16});
    ck_assert_double_eq(result.metrics[METRIC_RECONFIGURATIONS], 1);
}
END_TEST

START_TEST(test_elastic_extends)
{
    struct run_result result = run_during_reconfiguration(DURING_RESTART_EXTEND);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 130 * 16}, {BUDGET_REDONE, 360},
                   {BUDGET_RECONFIGURATION, 320 + 480}, {BUDGET_DOWN, 175 * 8 + 160 * 16});
    ck_assert_double_eq(result.metrics[METRIC_RECONFIGURATIONS], 2);
}
END_TEST

START_TEST(test_elastic_begins_again)
{
    struct run_result result = run_during_reconfiguration(DURING_RESTART_RESTART);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 140 * 16}, {BUDGET_REDONE, 360},
                   {BUDGET_RECONFIGURATION, 320 + 320}, {BUDGET_DOWN, 175 * 8 + 160 * 16});
    ck_assert_double_eq(result.metrics[METRIC_RECONFIGURATIONS], 1);
}
END_TEST

/* What returns in a downscaling is taken in at its end; where such events are not absorbed, the upscaling
 * comes after it. */
START_TEST(test_a_return_while_downscaling)
{
    static const int64_t more[] = {0, 30, 30};
    elastic();
    fixture.config.failures.during_restart = _i;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 40});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + (150 - more[_i]) * 40}, {BUDGET_REDONE, 360},
                   {BUDGET_RECONFIGURATION, 640 + 80 + more[_i] * 40}, {BUDGET_DOWN, 15 * 8});
}
END_TEST

/* All fail at 45. The step from 30 on was not saved. Slice 0 returns at 100, restarts until 135 and loads
 * until 142; slice 1 returns at 150 and is taken in from 152 to 182. */
START_TEST(test_elastic_loses_everything)
{
    elastic();
    with_checkpoints();
    fixture.config.checkpoints.write_time = 0;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 45, 100}, {1, 45, 150}, {2, 45, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 1200 + 160 + 18 * 32}, {BUDGET_REDONE, 400 + 200},
                   {BUDGET_DOWN, 55 * 16 + 105 * 16 + 155 * 8}, {BUDGET_RESTART, 35 * 16},
                   {BUDGET_RESTORE, 7 * 16}, {BUDGET_RECONFIGURATION, 2 * 16 + 30 * 32});
    assert_work(&result, 3 + 1 + 1.8, 2, 3e6 + 0.4e6 + 1.8 * 0.8e6);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
    ck_assert_double_eq(result.metrics[METRIC_LEARNERS_UP], 145.0 / 200);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME], 78.0 / 200);
}
END_TEST

/* The last slice that holds the state fails at 45, in the downscaling 30–50 after the other one's failure;
 * what returned at 40 cannot go on, but restarts. */
START_TEST(test_elastic_state_dies_in_a_reconfiguration)
{
    elastic();
    with_checkpoints();
    fixture.config.cluster.chips = 32;
    fixture.config.checkpoints.write_time = 0;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 25, 40}, {1, 45, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 108 * 16}, {BUDGET_REDONE, 640 + 160 + 80},
                   {BUDGET_RECONFIGURATION, 15 * 16 + 10 * 16}, {BUDGET_DOWN, 15 * 16 + 155 * 16},
                   {BUDGET_RESTART, 35 * 16}, {BUDGET_RESTORE, 7 * 16});
}
END_TEST

/* Without elasticity, a failed slice replaced: 20–30 is lost, restart until 65. */
START_TEST(test_plain)
{
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 155 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 1400});
    assert_work(&result, 15.5, 1, 15.5e6);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
    ck_assert_double_eq(result.metrics[METRIC_LEARNERS_UP], 1);
}
END_TEST

START_TEST(test_plain_failed_step_counts)
{
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 165 * 40}, {BUDGET_RESTART, 1400});
}
END_TEST

/* Steps to 30, saved by 35; 35–45 is done, 45–55 fails and takes both; restart to 90, loading to 97; three
 * rounds of 30 s and a save, the last of which is cut at 3 s. */
START_TEST(test_plain_goes_back_to_its_checkpoint)
{
    with_checkpoints();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 52, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 120 * 40}, {BUDGET_REDONE, 20 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 18 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
    assert_work(&result, 12, 2, 12e6);
}
END_TEST

/* The step that counts although a chip failed in it is not safe for that. */
START_TEST(test_plain_goes_back_although_the_step_counts)
{
    with_checkpoints();
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 52, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 120 * 40}, {BUDGET_REDONE, 20 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 18 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
}
END_TEST

/* A failure at 33 spoils the checkpoint of 30–35, and with it all so far. Restart to 70, loading to 77, then
 * 77–107, save, 112–142, save, 147–177, save, 182–200. */
START_TEST(test_plain_failure_spoils_a_checkpoint)
{
    with_checkpoints();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 33, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 108 * 40}, {BUDGET_REDONE, 30 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 20 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
}
END_TEST

/* The failure at 80 comes in the loading 70–77… of a longer load: it ends, and another restart follows. */
START_TEST(test_plain_failure_while_loading)
{
    with_checkpoints();
    fixture.config.checkpoints.load_time = 20 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 33, 75}, {2, 80, 100});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 50 * 40}, {BUDGET_REDONE, 30 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 10 * 40}, {BUDGET_RESTART, 2800}, {BUDGET_RESTORE, 1600});
}
END_TEST

/* Failures at 25 and 50, restart of 35 s from 30 on. */
static struct run_result run_during_restart(enum during_restart what)
{
    fixture.config.failures.during_restart = what;
    return SCRIPT_RUN(&fixture, {2, 25, 75}, {1, 50, 75});
}

START_TEST(test_plain_absorbs)
{
    struct run_result result = run_during_restart(DURING_RESTART_ABSORB);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 155 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 35 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
}
END_TEST

START_TEST(test_plain_extends)
{
    struct run_result result = run_during_restart(DURING_RESTART_EXTEND);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 120 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 70 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 2);
}
END_TEST

START_TEST(test_plain_begins_again)
{
    struct run_result result = run_during_restart(DURING_RESTART_RESTART);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 135 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 55 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
}
END_TEST

/* 20 s for 40 chips, on the line between 20 and 60, and 2 for any. */
static void with_initialisation(void)
{
    static const double chips[] = {20, 60}, times[] = {10, 30};
    fixture.config.failures.initialisation =
        (struct initialisation_config){2 * SIM_SECOND, {chips, 2}, {times, 2}};
}

/* Restart from 30 to 65, then until 87 before it steps. */
START_TEST(test_plain_initialises)
{
    with_initialisation();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 133 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 1400},
                   {BUDGET_INITIALISATION, 22 * 40});
}
END_TEST

/* A failure at 75 begins the restart again, which ends at 110. */
START_TEST(test_plain_initialises_again)
{
    with_initialisation();
    fixture.config.failures.during_restart = DURING_RESTART_RESTART;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 40}, {1, 75, 90});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 88 * 40}, {BUDGET_REDONE, 400}, {BUDGET_RESTART, 2800},
                   {BUDGET_INITIALISATION, 32 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
}
END_TEST

/* The first slice back restarts from 40 to 75 and initialises alone, in 12 s; the second one, back at 80, is
 * taken in with it. */
START_TEST(test_elastic_initialises)
{
    elastic();
    with_initialisation();
    struct run_result result = SCRIPT_RUN(&fixture, {0, 25, 40}, {1, 25, 80}, {2, 25, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 113 * 32}, {BUDGET_REDONE, 200},
                   {BUDGET_DOWN, 15 * 16 + 55 * 16 + 175 * 8}, {BUDGET_RESTART, 35 * 16},
                   {BUDGET_INITIALISATION, 12 * 16 + 7 * 16});
}
END_TEST

/* The others wait from 30 until the slice returns at 75, then all restart until 110. */
START_TEST(test_plain_waits)
{
    waiting_for_repair();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 3600}, {BUDGET_REDONE, 360}, {BUDGET_REPAIR_WAIT, 45 * 32},
                   {BUDGET_DOWN, 50 * 8}, {BUDGET_RESTART, 35 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME], 0.6);
}
END_TEST

/* Back at 26, within the step that it failed: no time of its own counts until the restart at 30. */
START_TEST(test_plain_waits_for_a_quick_repair)
{
    waiting_for_repair();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 22, 26});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 135 * 40}, {BUDGET_REDONE, 2 * 40 + 8 * 32},
                   {BUDGET_DOWN, 32}, {BUDGET_RECONFIGURATION, 32}, {BUDGET_RESTART, 1400});
}
END_TEST

START_TEST(test_plain_waits_for_several)
{
    waiting_for_repair();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75}, {0, 40, 60}, {1, 70, 90});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 75 * 40}, {BUDGET_REDONE, 360},
                   {BUDGET_REPAIR_WAIT, 10 * 32 + 20 * 16 + 10 * 32 + 5 * 16 + 15 * 24},
                   {BUDGET_DOWN, 50 * 8 + 20 * 16 + 20 * 16}, {BUDGET_RESTART, 35 * 40});
}
END_TEST

/* All fail at 25; it restarts when the last one is back, at 75, and not with the first. */
START_TEST(test_plain_waits_for_all)
{
    waiting_for_repair();
    struct run_result result = SCRIPT_RUN(&fixture, {0, 25, 50}, {1, 25, 60}, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 3600}, {BUDGET_REDONE, 200},
                   {BUDGET_REPAIR_WAIT, 25 * 16 + 15 * 16}, {BUDGET_DOWN, 25 * 16 + 35 * 16 + 50 * 8},
                   {BUDGET_RESTART, 35 * 40});
    ck_assert_double_eq(result.metrics[METRIC_LEARNERS_UP], 0.875);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
}
END_TEST

/* The slices that hold the state fail one after the other, each back before the next one goes: the state is
 * lost, and the checkpoint is loaded. */
START_TEST(test_plain_state_dies_while_it_waits)
{
    waiting_for_repair();
    fixture.config.checkpoints.load_time = 7 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 60}, {0, 40, 50}, {1, 55, 70});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 88 * 40}, {BUDGET_REDONE, 360},
                   {BUDGET_REPAIR_WAIT, 10 * 32 + 10 * 16 + 5 * 32 + 5 * 16 + 10 * 24},
                   {BUDGET_DOWN, 35 * 8 + 10 * 16 + 15 * 16}, {BUDGET_RESTART, 35 * 40},
                   {BUDGET_RESTORE, 7 * 40});
}
END_TEST

/* Slice 0 fails at 90, in the restart 75–110, and returns at 130. */
static struct run_result run_waiting(enum during_restart what)
{
    waiting_for_repair();
    fixture.config.failures.during_restart = what;
    return SCRIPT_RUN(&fixture, {2, 25, 75}, {0, 90, 130});
}

START_TEST(test_plain_waits_again)
{
    static const enum during_restart any[] = {DURING_RESTART_ABSORB, DURING_RESTART_EXTEND};
    struct run_result result = run_waiting(any[_i]);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 35 * 40}, {BUDGET_REDONE, 360},
                   {BUDGET_REPAIR_WAIT, 45 * 32 + 20 * 24}, {BUDGET_DOWN, 400 + 640},
                   {BUDGET_RESTART, 15 * 40 + 20 * 24 + 35 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 2);
}
END_TEST

/* The restart begins again at 90 and ends at 125 without slice 0. */
START_TEST(test_plain_begins_again_and_waits)
{
    struct run_result result = run_waiting(DURING_RESTART_RESTART);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 35 * 40}, {BUDGET_REDONE, 360},
                   {BUDGET_REPAIR_WAIT, 45 * 32 + 5 * 24}, {BUDGET_DOWN, 400 + 640},
                   {BUDGET_RESTART, 15 * 40 + 35 * 24 + 35 * 40});
}
END_TEST

/* Warm-up. */

START_TEST(test_warm_up_is_left_out)
{
    fixture.config.warm_up = 25 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 1000}, {BUDGET_USEFUL, 7000});
    assert_work(&result, 17.5, 0, 17.5e6);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 1);
}
END_TEST

START_TEST(test_warm_up_ends_in_a_step_that_fails)
{
    fixture.config.warm_up = 25 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 12, 20}, {2, 72, 80});
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 1000}, {BUDGET_RESTART, 30 * 40 + 35 * 40},
                   {BUDGET_USEFUL, 10 * 40 + 90 * 40}, {BUDGET_REDONE, 10 * 40});
    assert_work(&result, 10, 1, 10e6);
    ck_assert_double_eq(result.metrics[METRIC_FAILURES], 1);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 1);
    ck_assert_double_eq(result.metrics[METRIC_MTBF], 175);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME], 110.0 / 175);
}
END_TEST

START_TEST(test_half_a_lost_step_lies_in_the_warm_up)
{
    fixture.config.warm_up = 25 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 28, 80});
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 1000}, {BUDGET_RESTART, 35 * 40}, {BUDGET_USEFUL, 135 * 40},
                   {BUDGET_REDONE, 5 * 40});
    assert_work(&result, 13.5, 0.5, 13.5e6);
}
END_TEST

/* What a rollback takes back is what counted: the step from 25 on, not those of the warm-up. */
START_TEST(test_warm_up_is_not_taken_back)
{
    with_checkpoints();
    fixture.config.checkpoints.interval = 100 * SIM_SECOND;
    fixture.config.warm_up = 25 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 52, 80});
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 1000}, {BUDGET_RESTART, 35 * 40}, {BUDGET_RESTORE, 7 * 40},
                   {BUDGET_USEFUL, 98 * 40}, {BUDGET_REDONE, 35 * 40});
    assert_work(&result, 9.8, 3.5, 9.8e6);
}
END_TEST

/* Slow chips. */

START_TEST(test_a_slow_learner_is_useful_all_the_time)
{
    fixture.config.stragglers.learner = fixture_law(SIM_LAW_CONSTANT, 1.25);
    fixture.config.stragglers.step = fixture_law(SIM_LAW_CONSTANT, 2);
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 8000});
    assert_work(&result, 8, 0, 8e6);
}
END_TEST

static void play(enum straggler_order order, double median)
{
    static double values[] = {4, 2, 6};
    struct sim_law_spec *step = &fixture.config.stragglers.step;
    *step = fixture_law(SIM_LAW_EMPIRICAL, NAN);
    step->values = (struct sim_values){values, 3};
    step->median = median;
    fixture.config.stragglers.step_order = order;
}

/* Steps of 20, 10 and 30 s in this order, three times, and the first once more: 200 s. Sorted they would be
 * half a step more. Twice as long, they are half as many. */
START_TEST(test_measured_steps_are_played_in_order)
{
    play(STRAGGLERS_PLAYED, 2);
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_work(&result, 10, 0, 10e6);
    ck_assert_double_eq_tol(result.metrics[METRIC_STEP_TIME], 20, 1e-9);
    ck_assert_double_eq_tol(result.metrics[METRIC_STEP_TIME_DEVIATION], sqrt(60), 1e-9);
    play(STRAGGLERS_PLAYED, 4);
    result = script_run(&fixture, NULL, 0);
    assert_work(&result, 5 + 1.0 / 3, 0, (5 + 1.0 / 3) * 1e6);
}
END_TEST

/* The last 20 s are a step, 20 s of a step of 30 s, or a step of 10 s and 10 s of one of 30. */
START_TEST(test_measured_steps_begin_anywhere)
{
    static const double steps[] = {10, 9 + 2.0 / 3, 10 + 1.0 / 3};
    int counts[3] = {0};
    play(STRAGGLERS_PLAYED_APART, 2);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct run_result result = fixture_run(&fixture, seed, 0);
        for (int i = 0; i < 3; i++)
            counts[i] += fabs(result.metrics[METRIC_STEPS] - steps[i]) < 1e-9;
    }
    ck_assert_int_eq(counts[0] + counts[1] + counts[2], 60);
    for (int i = 0; i < 3; i++)
        ck_assert_int_gt(counts[i], 8); /* of 20 ± 3.7 */
}
END_TEST

/* Half the chips are twice as fast, and wait half the time. */
START_TEST(test_mixed_chips_wait_for_the_slowest)
{
    struct chip_group groups[] = {{.share = 1, .chip = 2, .mfu = 0.3}, {.share = 1, .chip = 2, .mfu = 0.6}};
    fixture.config.cluster.chips = 32;
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4800}, {BUDGET_STRAGGLER_WAIT, 1600});
    assert_work(&result, 20, 0, 20e6);
}
END_TEST

/* The mean of the largest of 40 uniform factors on 0.5 … 1.5 is 0.5 + 40/41. */
START_TEST(test_a_step_lasts_as_long_as_its_slowest_chip)
{
    struct sim_law_spec uniform = fixture_law(SIM_LAW_UNIFORM, NAN);
    uniform.low = 0.5;
    uniform.high = 1.5;
    fixture.config.stragglers.chip = uniform;
    fixture.config.duration = 200000 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    double slowest = 0.5 + 40.0 / 41;
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS], 20000 / slowest, 10);
    ck_assert_double_eq_tol(result.metrics[METRIC_GOODPUT], 1 / slowest, 1e-3);
}
END_TEST

/* Factors of next to nothing, on learners, steps or chips: a step takes 1 % of its 10 s all the same. */
START_TEST(test_no_step_is_of_no_length)
{
    struct straggler_config *stragglers = &fixture.config.stragglers;
    struct sim_law_spec *laws[] = {&stragglers->learner, &stragglers->step, &stragglers->chip};
    *laws[_i] = fixture_law(SIM_LAW_CONSTANT, 1e-12);
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS], 2000, 1e-6);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 1);
}
END_TEST

static struct run_result run_told_to_stop(void)
{
    const atomic_bool stop = true;
    struct strategy_config strategy = {.kind = STRATEGY_ALL_REDUCE, .options = &fixture.options};
    struct run_result result;
    ck_assert(simulation_run(&fixture.config, &strategy, 1, 0, &stop, &result, NULL, NULL));
    ck_assert_int_eq(result.status, RUN_INTERRUPTED);
    return result;
}

/* Told to stop, it begins nothing any more. */
START_TEST(test_stop)
{
    script_run(&fixture, NULL, 0);
    struct run_result result = run_told_to_stop();
    ck_assert_int_eq(result.simulated, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 0});
}
END_TEST

/* It needs no step's end for that. */
START_TEST(test_stop_without_a_step)
{
    fixture.config.workload.step_time = 5000 * SIM_SECOND;
    SCRIPT_RUN(&fixture, {2, 22, 26}, {3, 500, 600});
    ck_assert_int_eq(run_told_to_stop().simulated, 0);
}
END_TEST

START_TEST(test_a_run_without_a_step_is_stalled)
{
    struct run_result result = SCRIPT_RUN(&fixture, {0, 3, NEVER_BACK});
    ck_assert_int_eq(result.status, RUN_DONE);
    waiting_for_repair();
    result = SCRIPT_RUN(&fixture, {0, 3, NEVER_BACK});
    ck_assert_int_eq(result.status, RUN_STALLED);
    ck_assert_double_eq(result.metrics[METRIC_GOODPUT], 0);
}
END_TEST

/* Failures noticed at once. */

static void with_checkpoints_at_once(void)
{
    with_checkpoints();
    fixture.config.failures.noticed = NOTICED_AT_ONCE;
}

/* Saved by 35, failed at 52, in the second step after that: restart to 87, loading to 94, then three rounds
 * of 30 s and a save, and a second of a step. */
START_TEST(test_at_once_a_step_is_broken_off)
{
    with_checkpoints_at_once();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 52, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 121 * 40}, {BUDGET_REDONE, 17 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 20 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
    assert_work(&result, 12.1, 1.7, 12.1e6);
}
END_TEST

START_TEST(test_at_once_a_checkpoint_is_broken_off)
{
    with_checkpoints_at_once();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 33, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 110 * 40}, {BUDGET_REDONE, 30 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 18 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
}
END_TEST

/* The failure at 70 comes in the load 68–75. */
START_TEST(test_at_once_a_load_is_broken_off)
{
    with_checkpoints_at_once();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 33, 65}, {2, 70, 80});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 78 * 40}, {BUDGET_REDONE, 30 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 13 * 40}, {BUDGET_RESTART, 2800}, {BUDGET_RESTORE, 9 * 40});
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 2);
}
END_TEST

/* 20–25 is lost, 25–45 downscaling, three steps of 32 chips, 75–105 upscaling. */
START_TEST(test_at_once_elastic)
{
    elastic();
    fixture.config.failures.noticed = NOTICED_AT_ONCE;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 25, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 800 + 960 + 3800}, {BUDGET_REDONE, 200},
                   {BUDGET_RECONFIGURATION, 640 + 1200}, {BUDGET_DOWN, 400});
    assert_work(&result, 14.5, 0.5, 2e6 + 2.4e6 + 9.5e6);
}
END_TEST

/* All fail at 45 in the step from 40 on, whose round was saved at 30; slice 0 is back at 100. */
START_TEST(test_at_once_elastic_loses_everything)
{
    elastic();
    with_checkpoints_at_once();
    fixture.config.checkpoints.write_time = 0;
    struct run_result result = SCRIPT_RUN(&fixture, {0, 45, 100}, {1, 45, NEVER_BACK}, {2, 45, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 1200 + 58 * 16}, {BUDGET_REDONE, 600},
                   {BUDGET_DOWN, 55 * 16 + 155 * 16 + 155 * 8}, {BUDGET_RESTART, 35 * 16},
                   {BUDGET_RESTORE, 7 * 16});
}
END_TEST

/* The sixth step ends at 52, with a fifth of its tokens; from 87 on there are 11.3 more. */
START_TEST(test_at_once_a_failed_step_counts)
{
    fixture.config.failures.noticed = NOTICED_AT_ONCE;
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 52, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (52 + 113) * 40}, {BUDGET_RESTART, 1400});
    assert_work(&result, 17.3, 0, 16.5e6);
}
END_TEST

/* The warm-up ends within the step that is broken off: half of it is counted. */
START_TEST(test_at_once_a_failed_step_counts_from_the_warm_up_on)
{
    fixture.config.failures.noticed = NOTICED_AT_ONCE;
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    fixture.config.warm_up = 54 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 58, 75});
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 54 * 40}, {BUDGET_USEFUL, (4 + 107) * 40},
                   {BUDGET_RESTART, 1400});
    assert_work(&result, 0.5 + 10.7, 0, 11.1e6);
}
END_TEST

START_TEST(test_at_once_what_is_sent_in_a_step_does_not_count)
{
    fixture = fixture_of(STRATEGY_DILOCO);
    fixture.config.failures.noticed = NOTICED_AT_ONCE;
    fixture.config.failures.failed_step = FAILED_STEP_COUNTS;
    ck_assert_str_eq(fixture_fault(&fixture).path, "failures.failed_step");
}
END_TEST

static void assert_finished(const struct run_result *result, double seconds)
{
    ck_assert_int_eq(result->status, RUN_DONE);
    ck_assert_double_eq(result->metrics[METRIC_TIME_TO_FINISH], seconds);
    ck_assert_int_eq(result->simulated, sim_time_from_seconds(seconds));
}

/* Checkpoints of other kinds. */

/* Training stands still for 2 s after 30 s of steps, and the write takes 12 s more. */
static void with_asynchronous_checkpoints(void)
{
    with_checkpoints();
    fixture.config.checkpoints.mode = CHECKPOINTS_ASYNCHRONOUS;
    fixture.config.checkpoints.blocking_time = 2 * SIM_SECOND;
    fixture.config.checkpoints.write_time = 12 * SIM_SECOND;
}

/* Begun at 32, 64, 96, 128, 160 and 192. */
START_TEST(test_asynchronous)
{
    with_asynchronous_checkpoints();
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 188 * 40}, {BUDGET_CHECKPOINT_SAVE, 12 * 40});
}
END_TEST

/* The checkpoint of 32 is complete at 44, that of 64 would be at 76. A failure at 70, in the step 64–74,
 * spoils it and takes all since 32: restart to 109, loading to 116. */
START_TEST(test_asynchronous_falls_back)
{
    with_asynchronous_checkpoints();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 70, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (30 + 80) * 40}, {BUDGET_REDONE, 40 * 40},
                   {BUDGET_CHECKPOINT_SAVE, (4 + 4) * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS_LOST], 4, 1e-9);
}
END_TEST

/* At 78 it is complete, and keeps what it has. */
START_TEST(test_asynchronous_in_time)
{
    with_asynchronous_checkpoints();
    struct run_result result = SCRIPT_RUN(&fixture, {2, 78, 79});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (60 + 70) * 40}, {BUDGET_REDONE, 20 * 40},
                   {BUDGET_CHECKPOINT_SAVE, (4 + 4) * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
}
END_TEST

/* The second is due at 62, and waits until the first one, begun at 32, is complete at 77. */
START_TEST(test_asynchronous_waits_for_the_one_before)
{
    with_asynchronous_checkpoints();
    fixture.config.checkpoints.write_time = 45 * SIM_SECOND;
    fixture.config.duration = 90 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 71 * 40}, {BUDGET_CHECKPOINT_SAVE, (2 + 17) * 40});
}
END_TEST

/* An elastic learner goes on when a failure spoils it, and saves as soon as it can again: the failure at 35
 * leads to 32 chips from 62 on, after which the state of 60 steps is saved at once. */
START_TEST(test_asynchronous_is_made_up_for)
{
    with_asynchronous_checkpoints();
    elastic();
    fixture.config.duration = 70 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 35, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 1200 + 6 * 32}, {BUDGET_REDONE, 3 * 40 + 7 * 32},
                   {BUDGET_CHECKPOINT_SAVE, 80 + 64}, {BUDGET_RECONFIGURATION, 640}, {BUDGET_DOWN, 35 * 8});
}
END_TEST

/* The run ends when the last one is complete, until when there is nothing to do. */
START_TEST(test_until_it_is_saved_in_the_background)
{
    with_asynchronous_checkpoints();
    fixture.config.until.steps = 4;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_finished(&result, 30 + 2 + 10 + 2 + 2 + 12);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 1600}, {BUDGET_CHECKPOINT_SAVE, 18 * 40});
}
END_TEST

/* In memory after 30 s of steps, for 1 s; every third goes on to storage. */
static void with_checkpoints_in_memory(enum checkpoint_copies copies)
{
    with_checkpoints();
    fixture.config.checkpoints.memory =
        (struct memory_checkpoints){.copies = copies, .write_time = SIM_SECOND, .load_time = 2 * SIM_SECOND};
}

/* A failure at 35, in the step 31–41: restart to 76, loading from the peer to 78. */
START_TEST(test_in_memory)
{
    with_checkpoints_in_memory(COPIES_PEER);
    struct run_result result = SCRIPT_RUN(&fixture, {2, 35, 40});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (30 + 119) * 40}, {BUDGET_REDONE, 10 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 4 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 80});
}
END_TEST

/* Of the ring of three slices, any two have the only copies of something: all is lost with the second one, in
 * the restart, and the start is loaded from storage in 7 s. Hosts alone lose it with the first one. */
static void assert_memory_lost(const struct script_line *lines, size_t count)
{
    struct run_result result = script_run(&fixture, lines, count);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 114 * 40}, {BUDGET_REDONE, 40 * 40},
                   {BUDGET_CHECKPOINT_SAVE, 4 * 40}, {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
    ck_assert_double_eq_tol(result.metrics[METRIC_STEPS_LOST], 4, 1e-9);
}

START_TEST(test_in_memory_and_lost)
{
    static const struct script_line lines[] = {{2, 35, 40}, {0, 50, 60}};
    with_checkpoints_in_memory(COPIES_PEER);
    assert_memory_lost(lines, 2);
    with_checkpoints_in_memory(COPIES_HOST);
    assert_memory_lost(lines, 1);
}
END_TEST

/* A slice that comes back has its copies again, so that another one may fail after that. */
START_TEST(test_in_memory_twice)
{
    with_checkpoints_in_memory(COPIES_PEER);
    struct run_result result = SCRIPT_RUN(&fixture, {2, 35, 40}, {0, 80, 85});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (30 + 73) * 40}, {BUDGET_REDONE, (10 + 10) * 40},
                   {BUDGET_CHECKPOINT_SAVE, 3 * 40}, {BUDGET_RESTART, 2800}, {BUDGET_RESTORE, 160});
}
END_TEST

/* The second is saved in 5 s, too, until 67; then both slices are lost at 70 in the step 67–77. Restart to
 * 112, loading from storage to 119. */
START_TEST(test_in_tiers)
{
    with_checkpoints_in_memory(COPIES_PEER);
    fixture.config.checkpoints.memory.storage_every = 2;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 70, 75}, {0, 70, 75});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, (60 + 74) * 40}, {BUDGET_REDONE, 10 * 40},
                   {BUDGET_CHECKPOINT_SAVE, (1 + 6 + 1 + 6) * 40}, {BUDGET_RESTART, 1400},
                   {BUDGET_RESTORE, 280});
}
END_TEST

START_TEST(test_in_memory_of_nobody_else)
{
    with_checkpoints_in_memory(COPIES_PEER);
    fixture.config.cluster.chips = 16;
    ck_assert_str_eq(fixture_fault(&fixture).path, "checkpoints.memory.copies");
}
END_TEST

/* By the clock: reconfigurations count, and a checkpoint is due at the first boundary 30 s after the last. */
START_TEST(test_by_the_clock)
{
    with_checkpoints();
    elastic();
    fixture.config.checkpoints.measure = INTERVAL_OF_TIME;
    fixture.config.duration = 70 * SIM_SECOND;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 5, NEVER_BACK});
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 35 * 32}, {BUDGET_REDONE, 5 * 40 + 5 * 32},
                   {BUDGET_RECONFIGURATION, 640}, {BUDGET_DOWN, 65 * 8}, {BUDGET_CHECKPOINT_SAVE, 5 * 32});
}
END_TEST

/* Fixed work. */

/* The run ends with the step that completes the work. */
START_TEST(test_until_steps)
{
    fixture.config.until.steps = 15;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_finished(&result, 150);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 6000});
    assert_work(&result, 15, 0, 15e6);
}
END_TEST

START_TEST(test_until_tokens)
{
    fixture.config.until.tokens = 14.5e6;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_finished(&result, 150);
}
END_TEST

/* Rounds to 35 and 70, a step to 80, and a last checkpoint to 85. */
START_TEST(test_until_it_is_saved)
{
    with_checkpoints();
    fixture.config.until.steps = 7;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_finished(&result, 85);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2800}, {BUDGET_CHECKPOINT_SAVE, 600});
}
END_TEST

/* The last checkpoint fails at 82, and its step with it: restart to 120, loading to 127, the step and the
 * checkpoint again. */
START_TEST(test_until_it_is_saved_again)
{
    with_checkpoints();
    fixture.config.until.steps = 7;
    struct run_result result = SCRIPT_RUN(&fixture, {2, 82, 90});
    assert_finished(&result, 142);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 2800}, {BUDGET_CHECKPOINT_SAVE, 800}, {BUDGET_REDONE, 400},
                   {BUDGET_RESTART, 1400}, {BUDGET_RESTORE, 280});
    assert_work(&result, 7, 1, 7e6);
}
END_TEST

START_TEST(test_until_the_time_is_up)
{
    fixture.config.until.steps = 21;
    struct run_result result = script_run(&fixture, NULL, 0);
    ck_assert_int_eq(result.status, RUN_UNFINISHED);
    ck_assert_double_nan(result.metrics[METRIC_TIME_TO_FINISH]);
}
END_TEST

/* The steps of the warm-up are work like any; its time is no part of the shares, of which none are left. */
START_TEST(test_until_within_the_warm_up)
{
    fixture.config.until.steps = 2;
    fixture.config.warm_up = 25 * SIM_SECOND;
    struct run_result result = script_run(&fixture, NULL, 0);
    assert_finished(&result, 20);
    FIXTURE_BUDGET(&result, {BUDGET_WARM_UP, 800});
    ck_assert_double_nan(result.metrics[METRIC_GOODPUT]);
}
END_TEST

/* Learners that write no checkpoints have done it together at the end of the third step. */
START_TEST(test_until_all_have_done_it_together)
{
    fixture = fixture_of(_i);
    fixture.config.network.wan_bandwidth = 1e18;
    fixture.config.until.steps = 3;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(result.status, RUN_DONE);
    ck_assert_double_eq_tol(result.metrics[METRIC_TIME_TO_FINISH], 30, 1e-3);
}
END_TEST

START_TEST(test_until_one_of_them)
{
    fixture.config.until.steps = 2;
    fixture.config.until.tokens = 2e6;
    ck_assert_str_eq(fixture_fault(&fixture).path, "until.steps");
}
END_TEST

static TCase *learner_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, NULL);
    suite_add_tcase(suite, tests);
    return tests;
}

static void add_elastic(Suite *suite)
{
    TCase *tests = learner_case(suite, "elastic");
    tcase_add_test(tests, test_elastic);
    tcase_add_test(tests, test_elastic_failed_step_counts);
    tcase_add_test(tests, test_elastic_handles_a_steps_events_together);
    tcase_add_test(tests, test_elastic_takes_the_longer_time);
    tcase_add_test(tests, test_a_step_of_nobody_does_not_count);
    tcase_add_test(tests, test_a_slice_fails_twice);
    tcase_add_loop_test(tests, test_a_return_while_downscaling, 0, 3);
    tcase_add_test(tests, test_a_failure_at_a_boundary_fails_the_step_before);
    tcase_add_test(tests, test_a_slice_that_is_not_taken_in_fails_no_step);
    tcase_add_test(tests, test_elastic_absorbs);
    tcase_add_test(tests, test_elastic_extends);
    tcase_add_test(tests, test_elastic_begins_again);
    tcase_add_test(tests, test_elastic_loses_everything);
    tcase_add_test(tests, test_elastic_state_dies_in_a_reconfiguration);
}

static void add_plain(Suite *suite)
{
    TCase *tests = learner_case(suite, "plain");
    tcase_add_test(tests, test_plain);
    tcase_add_test(tests, test_plain_failed_step_counts);
    tcase_add_test(tests, test_plain_goes_back_to_its_checkpoint);
    tcase_add_test(tests, test_plain_goes_back_although_the_step_counts);
    tcase_add_test(tests, test_plain_failure_spoils_a_checkpoint);
    tcase_add_test(tests, test_plain_failure_while_loading);
    tcase_add_test(tests, test_plain_absorbs);
    tcase_add_test(tests, test_plain_extends);
    tcase_add_test(tests, test_plain_begins_again);
    tcase_add_test(tests, test_plain_initialises);
    tcase_add_test(tests, test_plain_initialises_again);
    tcase_add_test(tests, test_elastic_initialises);
}

static void add_waiting(Suite *suite)
{
    TCase *tests = learner_case(suite, "waiting for repair");
    tcase_add_test(tests, test_plain_waits);
    tcase_add_test(tests, test_plain_waits_for_a_quick_repair);
    tcase_add_test(tests, test_plain_waits_for_several);
    tcase_add_test(tests, test_plain_waits_for_all);
    tcase_add_test(tests, test_plain_state_dies_while_it_waits);
    tcase_add_loop_test(tests, test_plain_waits_again, 0, 2);
    tcase_add_test(tests, test_plain_begins_again_and_waits);
}

static void add_others(Suite *suite)
{
    TCase *tests = learner_case(suite, "warm-up, slow chips, ends");
    tcase_add_test(tests, test_nothing_happens);
    tcase_add_test(tests, test_a_step_cut_by_the_end_counts_pro_rata);
    tcase_add_test(tests, test_warm_up_is_left_out);
    tcase_add_test(tests, test_warm_up_ends_in_a_step_that_fails);
    tcase_add_test(tests, test_half_a_lost_step_lies_in_the_warm_up);
    tcase_add_test(tests, test_warm_up_is_not_taken_back);
    tcase_add_test(tests, test_a_slow_learner_is_useful_all_the_time);
    tcase_add_test(tests, test_mixed_chips_wait_for_the_slowest);
    tcase_add_test(tests, test_measured_steps_are_played_in_order);
    tcase_add_test(tests, test_measured_steps_begin_anywhere);
    tcase_add_test(tests, test_a_step_lasts_as_long_as_its_slowest_chip);
    tcase_add_loop_test(tests, test_no_step_is_of_no_length, 0, 3);
    tcase_add_test(tests, test_stop);
    tcase_add_test(tests, test_stop_without_a_step);
    tcase_add_test(tests, test_a_run_without_a_step_is_stalled);
}

static void add_at_once(Suite *suite)
{
    TCase *tests = learner_case(suite, "failures noticed at once");
    tcase_add_test(tests, test_at_once_a_step_is_broken_off);
    tcase_add_test(tests, test_at_once_a_checkpoint_is_broken_off);
    tcase_add_test(tests, test_at_once_a_load_is_broken_off);
    tcase_add_test(tests, test_at_once_elastic);
    tcase_add_test(tests, test_at_once_elastic_loses_everything);
    tcase_add_test(tests, test_at_once_a_failed_step_counts);
    tcase_add_test(tests, test_at_once_a_failed_step_counts_from_the_warm_up_on);
    tcase_add_test(tests, test_at_once_what_is_sent_in_a_step_does_not_count);
}

static void add_checkpoints(Suite *suite)
{
    TCase *tests = learner_case(suite, "checkpoints of other kinds");
    tcase_add_test(tests, test_asynchronous);
    tcase_add_test(tests, test_asynchronous_falls_back);
    tcase_add_test(tests, test_asynchronous_in_time);
    tcase_add_test(tests, test_asynchronous_waits_for_the_one_before);
    tcase_add_test(tests, test_asynchronous_is_made_up_for);
    tcase_add_test(tests, test_until_it_is_saved_in_the_background);
    tcase_add_test(tests, test_in_memory);
    tcase_add_test(tests, test_in_memory_and_lost);
    tcase_add_test(tests, test_in_memory_twice);
    tcase_add_test(tests, test_in_tiers);
    tcase_add_test(tests, test_in_memory_of_nobody_else);
    tcase_add_test(tests, test_by_the_clock);
}

static void add_fixed_work(Suite *suite)
{
    TCase *tests = learner_case(suite, "fixed work");
    tcase_add_test(tests, test_until_steps);
    tcase_add_test(tests, test_until_tokens);
    tcase_add_test(tests, test_until_it_is_saved);
    tcase_add_test(tests, test_until_it_is_saved_again);
    tcase_add_test(tests, test_times_of_interruptions);
    tcase_add_test(tests, test_until_the_time_is_up);
    tcase_add_test(tests, test_until_within_the_warm_up);
    tcase_add_loop_test(tests, test_until_all_have_done_it_together, STRATEGY_DILOCO,
                        STRATEGY_TRAINING_KINDS);
    tcase_add_test(tests, test_until_one_of_them);
}

int main(void)
{
    Suite *suite = suite_create("learner");
    add_elastic(suite);
    add_plain(suite);
    add_waiting(suite);
    add_others(suite);
    add_at_once(suite);
    add_checkpoints(suite);
    add_fixed_work(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
