/*
 * Chips that come and go, to the second: the schedule itself, what slices are told, and a run by hand.
 */
#include "models/failures/outages.h"
#include "tests/models/fixture.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

#define S SIM_SECOND

static const struct availability nightly = {.from = 80 * S, .lasting = 30 * S, .every = 100 * S};
static const struct availability once = {.from = 80 * S, .lasting = 30 * S};

START_TEST(test_schedule)
{
    ck_assert(availability_at(&nightly, 0) && availability_at(&nightly, 10 * S - 1));
    ck_assert(!availability_at(&nightly, 10 * S) && !availability_at(&nightly, 80 * S - 1));
    ck_assert(availability_at(&nightly, 180 * S));
    ck_assert_int_eq(availability_next(&nightly, 0), 10 * S);
    ck_assert_int_eq(availability_next(&nightly, 10 * S), 80 * S);
    ck_assert_int_eq(availability_next(&nightly, 80 * S), 110 * S);
    ck_assert_int_eq(availability_time(&nightly, 5 * S, 1005 * S), 300 * S);
    ck_assert_int_eq(availability_time(&nightly, 12 * S, 90 * S), 10 * S);
}
END_TEST

START_TEST(test_once)
{
    ck_assert(!availability_at(&once, 0) && availability_at(&once, 80 * S) &&
              !availability_at(&once, 110 * S));
    ck_assert_int_eq(availability_next(&once, 0), 80 * S);
    ck_assert_int_eq(availability_next(&once, 110 * S), SIM_NEVER);
    ck_assert_int_eq(availability_time(&once, 0, 1000 * S), 30 * S);
}
END_TEST

START_TEST(test_always)
{
    const struct availability left_out = {.every = 100 * S},
                              all_day = {.from = 3 * S, .lasting = 100 * S, .every = 100 * S};
    ck_assert(!availability_is_limited(&left_out) && !availability_is_limited(&all_day));
    ck_assert(availability_at(&left_out, 0) && availability_at(&all_day, 0));
    ck_assert_int_eq(availability_next(&all_day, 0), SIM_NEVER);
    ck_assert_int_eq(availability_time(&left_out, 0, 7 * S), 7 * S);
}
END_TEST

/* What slices are told. */

struct watch {
    struct sim_engine *engine;
    bool down[4], away[4];
    uint64_t failures; /* downs that are not departures */
    uint64_t departures;
};

static void on_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    struct watch *watch = context;
    (void)fault, (void)mark;
    ck_assert(!watch->down[slice]);
    watch->down[slice] = true;
    watch->failures++;
}

static void on_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    struct watch *watch = context;
    (void)cause, (void)mark;
    ck_assert(watch->down[slice] && !watch->away[slice]);
    watch->down[slice] = false;
}

/* A slice that goes is told to be down first, at the same moment: what is counted as a failure then is none.
 */
static void on_away(void *context, int64_t slice, bool away, int32_t cause)
{
    (void)cause;
    struct watch *watch = context;
    ck_assert(watch->down[slice] && watch->away[slice] != away);
    ck_assert(away != availability_at(&nightly, sim_engine_now(watch->engine)));
    watch->away[slice] = away;
    watch->departures += away;
}

/* Slices 1 and 2 of four come and go for 10,000 s, while chips fail every 20 s and repairs take as long as an
 * absence. Failures of those away go unnoticed, and so do ends of their repairs. */
START_TEST(test_failures_meanwhile)
{
    struct error error = {.kind = ERROR_NONE};
    struct watch watch = {.engine = sim_engine_create(&error)};
    const struct failure_config failures = {.enabled = true,
                                            .chip = fixture_law(SIM_LAW_EXPONENTIAL, 320),
                                            .repair = fixture_law(SIM_LAW_EXPONENTIAL, 70)};
    struct outages_observer observer = {
        .context = &watch, .slice_down = on_down, .slice_up = on_up, .slice_away = on_away};
    struct units units;
    units_init(&units, 16, 4);
    struct outages *outages =
        outages_create(watch.engine, &failures, &units, (uint64_t)_i, 0, 10000 * S, observer, &error);
    ck_assert(outages && outages_add_availability(outages, 1, 3, &nightly, &error));
    ck_assert(sim_engine_run(watch.engine, 10000 * S, &error) && !outages_failed(outages));
    ck_assert_uint_eq(watch.departures, 200);
    ck_assert_uint_gt(outages_count(outages), 100);
    ck_assert_uint_ge(outages_count(outages) + watch.departures, watch.failures);
    ck_assert_uint_le(outages_count(outages), watch.failures);
    ck_assert(!watch.away[0] && !watch.away[3]);
    outages_destroy(outages);
    sim_engine_destroy(watch.engine);
}
END_TEST

/* Runs. */

static struct fixture fixture;
static struct chip_group groups[2];

/* Half of 256 chips are there from 205 s to 505 s alone. */
static void set_up(void)
{
    fixture = fixture_of(STRATEGY_ALL_REDUCE);
    groups[0] = (struct chip_group){.share = 1, .chip = 2, .mfu = 0.6, .price_per_hour = 3600};
    groups[1] = groups[0];
    groups[1].available = (struct availability){.from = 205 * S, .lasting = 300 * S};
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    fixture.options.learner.elastic = true;
}

/* The step from 0 is lost with half of the chips, and so is that from 500; who comes at 205 waits for the end
 * of the step. */
START_TEST(test_a_run)
{
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 128 * 200 + 256 * 290 + 128 * 490}, {BUDGET_AWAY, 128 * 700},
                   {BUDGET_REDONE, 128 * 10 + 256 * 5 + 128 * 5}, {BUDGET_RECONFIGURATION, 128 * 5});
    ck_assert_double_eq_tol(result.metrics[METRIC_GOODPUT], 162560.0 / (256000 - 128 * 700), 1e-12);
    ck_assert_double_eq_tol(result.metrics[METRIC_COST], 128 * 1000 + 128 * 300, 1e-6);
    ck_assert_double_eq(result.metrics[METRIC_FAILURES], 0);
}
END_TEST

/* Gradients cross the network only while both sites have chips: after the step that ends at 210, and 29 more.
 */
START_TEST(test_who_is_away_reduces_nothing)
{
    struct network_site sites[] = {SITE("own", .share = 1), SITE("other", .share = 1)};
    fixture.config.network =
        (struct network_config)NETWORK(.sites = ITEMS(sites), .between.bandwidth = INFINITY);
    fixture.options.all_reduce.reduction = REDUCTION_NETWORK;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_double_eq(result.metrics[METRIC_WAN_BYTES], 30 * 2 * 1e9 / 8);
}
END_TEST

/* A learner that goes as a whole is away, and has to start again. */
START_TEST(test_a_whole_learner)
{
    fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.cluster.groups = (struct parameter_items){groups, 2};
    fixture.options.decoupled.quorum = 1;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_AWAY), 128 * 700);
    ck_assert_double_eq(result.metrics[METRIC_RESTARTS], 2);
    ck_assert_double_eq(result.metrics[METRIC_COST], 128 * 1000 + 128 * 300);
}
END_TEST

START_TEST(test_nothing_replaces_them)
{
    fixture.options.learner.elastic = false;
    ck_assert_str_eq(fixture_fault(&fixture).path, "slice_loss");
    fixture.options.learner.slice_loss = LOSS_WAIT;
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_AWAY), 128 * 700);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("availability");
    TCase *schedule = tcase_create("schedule"), *runs = tcase_create("runs");
    tcase_add_checked_fixture(runs, set_up, NULL);
    tcase_add_test(schedule, test_schedule);
    tcase_add_test(schedule, test_once);
    tcase_add_test(schedule, test_always);
    tcase_add_loop_test(schedule, test_failures_meanwhile, 0, 5);
    tcase_add_test(runs, test_a_run);
    tcase_add_test(runs, test_who_is_away_reduces_nothing);
    tcase_add_test(runs, test_a_whole_learner);
    tcase_add_test(runs, test_nothing_replaces_them);
    suite_add_tcase(suite, schedule);
    suite_add_tcase(suite, runs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
