/*
 * The loss of the syncer against timelines computed by hand, and at random. Two learners of one slice of two
 * chips each; a step takes 10 s for 10⁶ tokens, and a whole model is merged after each, which is with the
 * learners 4 s after the step: report 0.5, request 0.5, fragment 1 + 0.5, merge 1 + 0.5. The syncer
 * merges 2.5 s after a step.
 */
#include "models/failures/process.h"
#include "sim/stream.h"
#include "tests/models/fixture.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static struct fixture fixture;
static struct decoupled_options *options;
static struct chaos_entry entries[4];

#define ENTRY(...)                                                                                           \
    ((struct chaos_entry){.every = PARAMETER_UNSET,                                                          \
                          .rate.law = PARAMETER_UNSET,                                                       \
                          .until = PARAMETER_UNSET,                                                          \
                          .target = PARAMETER_UNSET,                                                         \
                          .count = PARAMETER_UNSET,                                                          \
                          .share = NAN,                                                                      \
                          .up_to = NAN,                                                                      \
                          .lasting = PARAMETER_UNSET,                                                        \
                          .factor = NAN,                                                                     \
                          .detection = PARAMETER_UNSET,                                                      \
                          .notice = PARAMETER_UNSET,                                                         \
                          __VA_ARGS__})
#define VALUES(...)                                                                                          \
    {                                                                                                        \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)                \
    }
#define SYNCER(SECONDS, ...)                                                                                 \
    ENTRY(.at = VALUES(__VA_ARGS__), .target = FAULT_OF_SYNCER, .lasting = (SECONDS)*SIM_SECOND)

static void set_up(void)
{
    fixture = fixture_of(STRATEGY_DECOUPLED);
    fixture.config.network.wan_latency = SIM_SECOND / 2;
    fixture.config.cluster.chips = 4;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.config.failures.enabled = false;
    fixture.config.chaos = (struct chaos_config){.learners = 1, .entries = {entries, 0}};
    options = &fixture.options.decoupled;
    options->learner.learners = options->quorum = 2;
    options->inner_steps = options->fragments = 1;
    options->snapshot_interval = 40 * SIM_SECOND;
    options->snapshot_time = 10 * SIM_SECOND;
    options->syncer_restart = 20 * SIM_SECOND;
}

static void add(struct chaos_entry entry)
{
    entries[fixture.config.chaos.entries.count++] = entry;
}

static void assert_tokens(const struct run_result *result, double merged, double lost, double pending)
{
    ck_assert_double_eq(result->metrics[METRIC_TOKENS_MERGED], merged);
    ck_assert_double_eq(result->metrics[METRIC_TOKENS_LOST], lost);
    ck_assert_double_eq(result->metrics[METRIC_TOKENS_PENDING], pending);
}

/* Lost from 100 to 170. Until then 7 steps of 14 s; the eighth, and those after it, are followed by the next
 * at once, up to the fifteenth, which ends at 178 and is merged again; then 58 of 14 s, and six tenths of
 * one. The snapshot is that of 80: steps 6 and 7 were merged since. */
START_TEST(test_learners_go_on)
{
    add(SYNCER(50, 100));
    struct run_result result = fixture_run(&fixture, 1, 0);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * 716}, {BUDGET_REDONE, 4 * 20}, {BUDGET_QUORUM_WAIT, 66 * 2},
                   {BUDGET_COMMUNICATION_WAIT, 66 * 14});
    ck_assert_double_eq(result.metrics[METRIC_MERGES], 7 + 59);
    assert_tokens(&result, 71e6, 2e6, 0.6e6);
}
END_TEST

/* A snapshot that is not complete is of no use: that of 40 is the last, and steps 3 to 7 were merged since.
 */
START_TEST(test_an_incomplete_snapshot)
{
    options->snapshot_time = 21 * SIM_SECOND;
    add(SYNCER(50, 100));
    struct run_result result = fixture_run(&fixture, 1, 0);
    assert_tokens(&result, 68e6, 5e6, 0.6e6);
}
END_TEST

/* A second loss goes back to the same snapshot, and loses nothing more than what was merged between. */
START_TEST(test_lost_twice)
{
    options->snapshot_interval = 1000 * SIM_SECOND;
    add(SYNCER(10, 30, 75));
    struct run_result result = fixture_run(&fixture, 1, 0);
    /* Merges 1 and 2 by 30; back at 60, when the clocks are 5; step 6 is merged at 70.5, with what is in it.
     */
    assert_tokens(&result,
                  result.metrics[METRIC_TOKENS_TRAINED] - 6e6 - result.metrics[METRIC_TOKENS_PENDING], 6e6,
                  result.metrics[METRIC_TOKENS_PENDING]);
}
END_TEST

/* In a ring the outer parameters are with the learners. */
START_TEST(test_a_ring)
{
    options->collective = DECOUPLED_RING;
    add(SYNCER(50, 100));
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert(result.ledger.amount[BUDGET_REDONE] == 0);
    ck_assert_double_eq(result.metrics[METRIC_TOKENS_LOST], 0);
    ck_assert_double_eq(result.metrics[METRIC_UPTIME] * 1000,
                        (double)(result.ledger.amount[BUDGET_USEFUL] / SIM_SECOND) / 4);
}
END_TEST

/* At 110 step 8's fragments are on their way, and their learners wait: they go on at once, and what they sent
 * goes with the next. All that was merged is lost: the only snapshot is the start. Clock 15 at 180, step 16
 * ends at 190. */
START_TEST(test_fragments_under_way_come_back)
{
    options->snapshot_interval = 0;
    options->snapshot_time = 0;
    add(SYNCER(50, 110));
    struct run_result result = fixture_run(&fixture, 1, 0);
    int64_t steps = 8 + 8 + 57; /* and eight tenths: the 57th cycle from 194 on ends at 992 */
    assert_tokens(&result, (double)(steps - 7) * 1e6, 7e6, 0.8e6);
    FIXTURE_BUDGET(&result, {BUDGET_USEFUL, 4 * (738 - 70)}, {BUDGET_REDONE, 4 * 70},
                   {BUDGET_QUORUM_WAIT, 66 * 2}, {BUDGET_COMMUNICATION_WAIT, 4 * 262 - 66 * 2});
}
END_TEST

/* Held from 100 to 150, the second fault is of no consequence; the third strikes the restart, which begins
 * again. */
START_TEST(test_faults_that_overlap)
{
    struct run_result one, other;
    add(SYNCER(50, 100, 120));
    one = fixture_run(&fixture, 1, 0);
    assert_tokens(&one, 71e6, 2e6, 0.6e6);
    entries[0] = SYNCER(50, 100);
    add(SYNCER(5, 160)); /* back at 185 */
    other = fixture_run(&fixture, 1, 0);
    ck_assert_double_eq(other.metrics[METRIC_MERGES], one.metrics[METRIC_MERGES] - 1);
    ck_assert_double_eq(other.metrics[METRIC_TOKENS_LOST], 2e6);
}
END_TEST

/* One that finds the syncer gone already is ignored, and so it stands with the faults and with the causes. */
START_TEST(test_a_fault_that_is_ignored)
{
    struct strategy_config strategy = {.kind = STRATEGY_DECOUPLED, .options = options};
    struct observation *seen;
    struct run_result result;
    const struct simulation_request request = {
        .config = &fixture.config, .strategy = &strategy, .seed = 1, .observation = &seen};
    add(SYNCER(50, 100, 120));
    ck_assert(simulation_run_observed(&request, &result, NULL));
    const struct chaos_fault *faults = seen->chaos->faults;
    ck_assert_int_eq(faults[0].outcome, FAULT_STRUCK);
    ck_assert_int_eq(faults[1].outcome, FAULT_IGNORED);
    for (size_t i = 0; i < 2; i++) {
        const struct observed_cause *cause = &seen->causes[seen->cause_count - 2 + i];
        ck_assert_uint_eq(cause->struck, faults[i].outcome == FAULT_STRUCK);
        ck_assert_uint_eq(cause->ignored, faults[i].outcome == FAULT_IGNORED);
    }
    observation_destroy(seen);
}
END_TEST

static struct failure_process site_that_stops(void)
{
    static char name[] = "site";
    return (struct failure_process){.name = name,
                                    .domain = FAULT_OF_SITE,
                                    .node_rate = NAN,
                                    .overall_mtbf = PARAMETER_UNSET,
                                    .overall_at_chips = PARAMETER_UNSET,
                                    .every = 1000000 * SIM_SECOND,
                                    .from = 100 * SIM_SECOND,
                                    .duration = fixture_law(SIM_LAW_CONSTANT, 50),
                                    .detection = {.law = PARAMETER_UNSET},
                                    .factor = NAN,
                                    .lemon_factor = 1,
                                    .burst_units = 2,
                                    .burst_neighbourhood = PARAMETER_UNSET};
}

/* The first site goes at 100 s for 50 s, whoever strikes it: so does the syncer, if that is where it is. */
START_TEST(test_a_site_takes_its_syncer_along)
{
    struct network_site sites[] = {SITE("a"), SITE("b")};
    struct failure_process process = site_that_stops();
    fixture.config.network =
        (struct network_config)NETWORK(.sites = ITEMS(sites), .between.latency = SIM_SECOND);
    options->quorum = 1;
    struct run_result result[2][2]; /* by the syncer's site, and who strikes */
    for (int site = 0; site < 2; site++) {
        options->syncer = sites[site].name;
        fixture.config.failures.enabled = true;
        fixture.config.failures.chip.mean = 1e15;
        fixture.config.failures.processes = (struct parameter_items){&process, 1};
        result[site][0] = fixture_run(&fixture, 1, 0);
        fixture.config.failures.enabled = false;
        add(ENTRY(.at = VALUES(100), .target = FAULT_OF_SITE, .units = {(const double[]){0}, 1},
                  .lasting = 50 * SIM_SECOND));
        result[site][1] = fixture_run(&fixture, 1, 0);
        fixture.config.chaos.entries.count = 0;
        ck_assert_mem_eq(&result[site][0].ledger, &result[site][1].ledger, sizeof result[site][0].ledger);
        ck_assert_double_eq(result[site][0].metrics[METRIC_MERGES], result[site][1].metrics[METRIC_MERGES]);
    }
    ck_assert(result[0][0].metrics[METRIC_MERGES] < result[1][0].metrics[METRIC_MERGES]);
}
END_TEST

/* There is no broadcast to wait for: a learner gone from 120 to 140 has its peer's state 4.5 s later: request
 * 0.5, three copies 3 + 0.5 and, since nothing comes without a request, 0.5 more of the way. */
START_TEST(test_a_learner_comes_back_meanwhile)
{
    add(SYNCER(50, 100));
    add(ENTRY(.at = VALUES(120), .units = VALUES(1), .lasting = 20 * SIM_SECOND));
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_RESTORE), 2 * 4);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_DOWN), 2 * 20);
}
END_TEST

/* Nobody has a state: both wait for the syncer, which is back at 170 and sends its own to each in 2 s. */
START_TEST(test_all_are_lost_meanwhile)
{
    add(SYNCER(50, 100));
    add(ENTRY(.at = VALUES(120), .all = true, .lasting = 20 * SIM_SECOND));
    struct run_result result = fixture_run(&fixture, 1, 0);
    ck_assert_int_eq(fixture_chip_seconds(&result, BUDGET_RESTORE), 4 * 32);
}
END_TEST

/* At random. */

static int64_t between(struct sim_stream *stream, int64_t low, int64_t high)
{
    return low + (int64_t)sim_stream_below(stream, (uint64_t)(high - low + 1));
}

static struct sim_law_spec every(double mean)
{
    return fixture_law(SIM_LAW_EXPONENTIAL, mean);
}

static void some_run(struct sim_stream *stream)
{
    static const double first[] = {0};
    set_up();
    fixture.config.cluster.chips = 16;
    options->learner.learners = between(stream, 1, 5);
    options->quorum = between(stream, 1, options->learner.learners);
    options->inner_steps = between(stream, 1, 6);
    options->fragments = between(stream, 1, options->inner_steps);
    options->overlap = between(stream, 0, 3);
    options->grace = 0.5 * (double)between(stream, 0, 1);
    options->collective = between(stream, 0, 2) == 0 ? DECOUPLED_RING : DECOUPLED_SYNCER;
    options->timeout = between(stream, 0, 1) * between(stream, 1, 20) * SIM_SECOND / 2;
    options->snapshot_interval = between(stream, 0, 4) * 25 * SIM_SECOND;
    options->snapshot_time = options->snapshot_interval / 3;
    options->syncer_restart = between(stream, 0, 2) * 7 * SIM_SECOND;
    fixture.config.failures.restart_time = between(stream, 0, 1) * 5 * SIM_SECOND;
    fixture.config.stragglers.step = fixture_spread(SIM_LAW_NORMAL, 1, 0.2);
    add(ENTRY(.rate = every(150), .target = FAULT_OF_SYNCER,
              .lasting = between(stream, 0, 3) * 10 * SIM_SECOND));
    add(ENTRY(.rate = every(60), .count = between(stream, 1, 4), .lasting = 30 * SIM_SECOND));
    add(ENTRY(.rate = every(80), .action = CHAOS_PARTITION, .target = FAULT_OF_LINK, .units = {first, 1},
              .lasting = 15 * SIM_SECOND));
    add(ENTRY(.rate = every(100), .action = CHAOS_THROTTLE, .factor = 0.1, .lasting = 20 * SIM_SECOND));
}

/* The tape of it is causal. */
static void assert_causal(uint64_t seed)
{
    struct strategy_config strategy = {.kind = STRATEGY_DECOUPLED, .options = options};
    struct error error = {.kind = ERROR_NONE};
    struct run_result result;
    struct tape *tape = NULL;
    ck_assert(simulation_run(&fixture.config, &strategy, seed, 0, NULL, &result, &tape, &error));
    ck_assert_msg(tape_check(tape, &error), "seed %d: %s", (int)seed, error.message);
    tape_destroy(tape);
}

/* fixture_run holds each against trained = merged + lost + pending. */
START_TEST(test_any_run)
{
    double lost = 0, merged = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sim_stream stream;
        sim_stream_open(&stream, seed, 0, 1000, 0);
        some_run(&stream);
        struct run_result result = fixture_run(&fixture, seed, 0);
        lost += result.metrics[METRIC_TOKENS_LOST];
        merged += result.metrics[METRIC_TOKENS_MERGED];
        assert_causal(seed);
    }
    ck_assert(lost > 0.01 * merged && merged > lost);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("syncer loss");
    TCase *tests = tcase_create("syncer");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, test_learners_go_on);
    tcase_add_test(tests, test_an_incomplete_snapshot);
    tcase_add_test(tests, test_lost_twice);
    tcase_add_test(tests, test_a_ring);
    tcase_add_test(tests, test_fragments_under_way_come_back);
    tcase_add_test(tests, test_faults_that_overlap);
    tcase_add_test(tests, test_a_fault_that_is_ignored);
    tcase_add_test(tests, test_a_site_takes_its_syncer_along);
    tcase_add_test(tests, test_a_learner_comes_back_meanwhile);
    tcase_add_test(tests, test_all_are_lost_meanwhile);
    tcase_add_test(tests, test_any_run);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
