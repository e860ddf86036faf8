/*
 * Whom waits for bytes are charged to while links have faults: by times computed by hand, and at random,
 * where spans with a cause lie in faults of that cause and sum to what is charged.
 *
 * By hand: four learners of one slice of two chips, steps of 10 s, and links of 1 Gbit/s without latency,
 * which a model takes 1 s to cross and a ring of four 1.5 s.
 */
#include "sim/stream.h"
#include "tests/models/random_run.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 200, MOST_ENTRIES = 5, MOST_TIMES = 8, MOST_CAUSES = 64, PURPOSE_CHAOS_OF_TEST = 2100 };

static struct fixture fixture;
static uint64_t seed = 1; /* of what strategies draw */
static struct chaos_entry entries[MOST_ENTRIES];
static double times[MOST_ENTRIES][MOST_TIMES], units[MOST_ENTRIES];
static char names[MOST_ENTRIES][2] = {"a", "b", "c", "d", "e"};

static void set_up(int64_t kind)
{
    fixture = fixture_of(kind);
    fixture.config.cluster.chips = 8;
    fixture.config.cluster.chips_per_slice = 2;
    fixture.config.chaos = (struct chaos_config){.learners = 1, .entries = {entries, 0}};
}

/* The next entry is called after its place: "a", "b", … */
static struct chaos_entry *add(int64_t action, int64_t target, double at, double seconds, double factor)
{
    size_t place = fixture.config.chaos.entries.count++;
    times[place][0] = at;
    entries[place] = (struct chaos_entry){.name = names[place],
                                          .at = {times[place], 1},
                                          .every = PARAMETER_UNSET,
                                          .rate.law = PARAMETER_UNSET,
                                          .until = PARAMETER_UNSET,
                                          .action = action,
                                          .target = target,
                                          .all = target == FAULT_OF_CLUSTER,
                                          .count = PARAMETER_UNSET,
                                          .share = NAN,
                                          .up_to = NAN,
                                          .lasting = sim_time_from_seconds(seconds),
                                          .factor = factor,
                                          .detection = PARAMETER_UNSET,
                                          .notice = PARAMETER_UNSET};
    return &entries[place];
}

static void of_unit(struct chaos_entry *entry, int64_t unit)
{
    double *place = &units[entry - entries];
    *place = (double)unit;
    entry->units = (struct sim_values){place, 1};
}

static void cut(int64_t learner, double at, double seconds)
{
    of_unit(add(CHAOS_PARTITION, FAULT_OF_LINK, at, seconds, NAN), learner);
}

static struct observation *observe(double seconds, const struct observation_wish *wish,
                                   struct run_result *result)
{
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct simulation_fault fault = {.path = ""};
    struct error error = {.kind = ERROR_NONE};
    struct observation *observation = NULL;
    const struct simulation_request request = {.config = &fixture.config,
                                               .strategy = &strategy,
                                               .seed = seed,
                                               .wish = wish,
                                               .observation = &observation};
    fixture.config.duration = sim_time_from_seconds(seconds);
    ck_assert_msg(simulation_check(&fixture.config, &strategy, &fault), "%s: %s", fault.path, fault.message);
    ck_assert_msg(simulation_run_observed(&request, result, &error), "%s", error.message);
    return observation;
}

/* Runs for SECONDS: the strikes, in the order of entries, cost so many chip-seconds of waits for bytes and
 * nothing else, of ALL that there are. */
static void assert_costs(double seconds, double all, const double *costs, size_t count)
{
    struct run_result result;
    struct observation *observation = observe(seconds, NULL, &result);
    ck_assert_uint_eq(observation->cause_count, count + 1);
    for (size_t i = 0; i < count; i++) {
        const sim_amount *waste = observation->causes[i + 1].waste;
        for (int category = 0; category < BUDGET_CATEGORIES; category++) {
            double wanted = category == BUDGET_COMMUNICATION_WAIT ? costs[i] : 0;
            ck_assert_msg(waste[category] == (sim_amount)(wanted * SIM_SECOND),
                          "%s: %.9g chip-seconds of %s, not %.9g", observation->causes[i + 1].cause.name,
                          sim_amount_to_seconds(waste[category]), budget_names[category], wanted);
        }
    }
    ck_assert_double_eq(sim_amount_to_seconds(result.ledger.amount[BUDGET_COMMUNICATION_WAIT]), all);
    ck_assert_double_eq(result.metrics[METRIC_INTERRUPTIONS], 0);
    observation_destroy(observation);
}
#define COSTS(seconds, all, ...)                                                                             \
    assert_costs(seconds, all, (const double[]){__VA_ARGS__},                                                \
                 sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* A reduction begins at 40, stands still from 41 to 141 and ends at 141.5. */
START_TEST(test_a_partition_within_a_wait)
{
    set_up(STRATEGY_DILOCO);
    cut(1, 41, 100);
    COSTS(150, 8 * 101.5, 8 * 100);
}
END_TEST

/* From before the wait on: half a second of the two is in the fault. */
START_TEST(test_a_partition_before_a_wait)
{
    set_up(STRATEGY_DILOCO);
    cut(1, 35, 5.5);
    COSTS(50, 8 * 2, 8 * 0.5);
}
END_TEST

/* What nobody waits for costs nothing, nor what nobody needs. */
START_TEST(test_a_partition_between_waits)
{
    set_up(STRATEGY_DILOCO);
    cut(1, 50, 25);
    add(CHAOS_THROTTLE, FAULT_OF_CLUSTER, 0, 100, 1);
    add(CHAOS_LOSE_PACKETS, FAULT_OF_CLUSTER, 0, 100, 0);
    COSTS(90, 8 * 3, 0, 0, 0);
}
END_TEST

/* Half the bandwidth, so that a reduction takes 3 s: from 40 to 53, and four times more. The partition goes
 * before the throttles, and of these the one that began first. */
START_TEST(test_faults_at_a_time)
{
    set_up(STRATEGY_DILOCO);
    add(CHAOS_THROTTLE, FAULT_OF_CLUSTER, 0, 40.5, 1 - 0x1p-40);
    add(CHAOS_THROTTLE, FAULT_OF_CLUSTER, 1, 1000, 0.5);
    cut(1, 41, 10);
    of_unit(add(CHAOS_THROTTLE, FAULT_OF_LINK, 60, 1000, 1 - 0x1p-40), 2);
    struct run_result result;
    struct observation *observation = observe(220, NULL, &result);
    const double wanted[] = {8 * 0.5, 8 * (2.5 + 3 * 3), 8 * 10, 0};
    for (size_t i = 0; i < 4; i++) {
        double got = sim_amount_to_seconds(observation->causes[i + 1].waste[BUDGET_COMMUNICATION_WAIT]);
        ck_assert_msg(fabs(got - wanted[i]) < 1e-6, "%s: %.12g chip-seconds, not %.12g",
                      observation->causes[i + 1].cause.name, got, wanted[i]);
    }
    observation_destroy(observation);
}
END_TEST

/* Fragments of a quarter, needed at once: 0.375 s after each step. */
START_TEST(test_streaming)
{
    set_up(STRATEGY_STREAMING);
    fixture.options.streaming.overlap = 0;
    cut(3, 10.125, 5);
    COSTS(20, 8 * 5.375, 8 * 5);
}
END_TEST

/* Between two sites, 2 · 1/2 of the gradients: 1 s. */
START_TEST(test_all_reduce)
{
    struct network_site sites[] = {SITE("x", .uplink = 1e9), SITE("y", .uplink = 1e9)};
    set_up(STRATEGY_ALL_REDUCE);
    fixture.config.network = (struct network_config)NETWORK(.sites = ITEMS(sites), .between.latency = 0);
    fixture.options.all_reduce.reduction = REDUCTION_NETWORK;
    of_unit(add(CHAOS_PARTITION, FAULT_OF_SITE, 10.25, 5, NAN), 1);
    COSTS(20, 8 * 6, 8 * 5);
}
END_TEST

/* In pairs: who meets learner 0 waits with it, from 40.25 to 50.25, and then for what is left; others until
 * 41. */
START_TEST(test_gossip)
{
    set_up(STRATEGY_GOSSIP);
    cut(0, 40.25, 10);
    COSTS(55, 4 * 11 + 4 * 1, 4 * 10);
}
END_TEST

/* Two peers, one after the other, and learner 0 at half its bandwidth. Its first peer, whose model shares
 * that from 41 on with the second's, is done with it at 43, and sends to its own second until 44: nobody
 * waits for learner 0 then but its second, until 44 too. */
START_TEST(test_gossip_with_two_peers)
{
    set_up(STRATEGY_GOSSIP);
    fixture.options.gossip.peers = 2;
    seed = 4; /* learner 0 meets two others */
    of_unit(add(CHAOS_THROTTLE, FAULT_OF_LINK, 5, 100, 0.5), 0);
    COSTS(45, 8 * 4, 2 * (4 + 4 + 3));
    seed = 1;
}
END_TEST

static void with_decoupled(void)
{
    set_up(STRATEGY_DECOUPLED);
    fixture.options.decoupled.inner_steps = fixture.options.decoupled.fragments = 1;
}

/* Fragments come from 10 to 11, the last by 21, and the merge goes back until 22: all wait for it. */
START_TEST(test_fragments_to_the_syncer)
{
    with_decoupled();
    cut(0, 10.5, 10);
    COSTS(22, 8 * 12, 8 * 10);
}
END_TEST

/* The merge is with the others at 12, and with learner 0 at 22. They wait for it then, but not for bytes. */
START_TEST(test_the_merge_to_a_learner)
{
    with_decoupled();
    cut(0, 11.5, 10);
    COSTS(30, 6 * 2 + 2 * 12, 2 * 10);
}
END_TEST

/* At half its bandwidth learner 0 sends until 12, and has the merge at 14; the others at 13. All wait for its
 * fragment, and it alone for its merge. */
START_TEST(test_a_throttled_learner)
{
    with_decoupled();
    of_unit(add(CHAOS_THROTTLE, FAULT_OF_LINK, 5, 100, 0.5), 0);
    COSTS(20, 6 * 3 + 2 * 4, 8 * 2 + 2 * 2);
}
END_TEST

/* A ring from 10 to 11.5, with a gap. */
START_TEST(test_rings)
{
    with_decoupled();
    fixture.options.decoupled.collective = DECOUPLED_RING;
    cut(2, 10.5, 10);
    COSTS(21.5, 8 * 11.5, 8 * 10);
}
END_TEST

/* At random. */

struct heard {
    sim_amount by_cause[MOST_CAUSES];
    const struct chaos_schedule *schedule;
    struct activity_span *spans; /* waits for bytes that have a cause */
    size_t count, room;
};

static void hear_span(void *context, const struct activity_span *span)
{
    struct heard *heard = context;
    if (span->category != BUDGET_COMMUNICATION_WAIT || span->cause == FAULT_NO_CAUSE)
        return;
    heard->by_cause[span->cause] += span->chip_time;
    if (heard->count == heard->room) {
        heard->room = 2 * heard->room + 64;
        heard->spans = realloc(heard->spans, heard->room * sizeof *heard->spans);
        ck_assert(heard->spans);
    }
    heard->spans[heard->count++] = *span;
}

/* In the schedule, causes are numbered from 0; in the run after those that were there before. */
static bool lies_in_a_fault(const struct activity_span *span, const struct chaos_schedule *schedule,
                            int32_t first_cause)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct chaos_fault *fault = &schedule->faults[i];
        if (fault->fault.cause + first_cause == span->cause && fault->outcome == FAULT_STRUCK &&
            span->begin >= fault->at && span->end <= sim_time_add(fault->at, fault->fault.duration))
            return true;
    }
    return false;
}

static void some_chaos(uint64_t number)
{
    static const int64_t actions[] = {CHAOS_LOSE_PACKETS, CHAOS_THROTTLE, CHAOS_PARTITION};
    struct sim_stream stream;
    double duration = sim_time_to_seconds(fixture.config.duration);
    bool sites = fixture.config.network.sites.count > 0;
    sim_stream_open(&stream, number, 0, PURPOSE_CHAOS_OF_TEST, 0);
    fixture.config.chaos = (struct chaos_config){.learners = 1, .entries = {entries, 0}};
    size_t count = 1 + sim_stream_below(&stream, MOST_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        int64_t action = actions[sim_stream_below(&stream, 3)];
        double factor = action == CHAOS_PARTITION ? NAN : sim_stream_uniform(&stream);
        double lasting = sim_stream_uniform(&stream) * duration / 5 + 1e-9;
        int64_t target = sites ? FAULT_OF_SITE : FAULT_OF_LINK;
        target = sim_stream_below(&stream, 3) ? target : FAULT_OF_CLUSTER;
        struct chaos_entry *entry = add(action, target, 0, lasting, factor);
        if (target == FAULT_OF_LINK)
            of_unit(entry, (int64_t)sim_stream_below(&stream, 4));
        entry->at.count = 1 + sim_stream_below(&stream, MOST_TIMES);
        for (size_t k = 0; k < entry->at.count; k++)
            times[i][k] = sim_stream_uniform(&stream) * duration;
    }
}

static size_t assert_charged(uint64_t number, const struct run_result *result,
                             const struct observation *observation, const struct heard *heard)
{
    sim_amount sum = 0;
    int32_t first = (int32_t)(observation->cause_count - observation->chaos->cause_count);
    for (size_t i = 0; i < observation->cause_count; i++) {
        sim_amount charged = observation->causes[i].waste[BUDGET_COMMUNICATION_WAIT];
        ck_assert_msg(charged == heard->by_cause[i], "run %llu, %s: %.17g chip-seconds, %.17g in spans",
                      (unsigned long long)number, observation->causes[i].cause.name,
                      sim_amount_to_seconds(charged), sim_amount_to_seconds(heard->by_cause[i]));
        sum += charged;
    }
    ck_assert(sum <= result->ledger.amount[BUDGET_COMMUNICATION_WAIT]);
    for (size_t i = 0; i < heard->count; i++)
        ck_assert_msg(lies_in_a_fault(&heard->spans[i], observation->chaos, first),
                      "run %llu: from %lld to %lld", (unsigned long long)number,
                      (long long)heard->spans[i].begin, (long long)heard->spans[i].end);
    return heard->count;
}

START_TEST(test_waits_at_random)
{
    size_t waits = 0;
    for (uint64_t i = (uint64_t)_i * RUNS; i < (uint64_t)(_i + 1) * RUNS; i++) {
        struct heard heard = {.count = 0};
        const struct activity_listener listener = {.context = &heard, .span = hear_span};
        const struct observation_wish wish = {.listener = &listener};
        struct simulation_fault fault = {.path = ""};
        struct run_result result;
        fixture = random_run(i);
        fixture.config.warm_up = 0;
        some_chaos(i);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        if (!simulation_check(&fixture.config, &strategy, &fault)) {
            ck_assert_msg(strncmp(fault.path, "chaos", 5) != 0, "run %llu, %s: %s", (unsigned long long)i,
                          fault.path, fault.message);
            continue; /* what is made up at random is not always sound */
        }
        struct observation *observation =
            observe(sim_time_to_seconds(fixture.config.duration), &wish, &result);
        if (observation->chaos)
            waits += assert_charged(i, &result, observation, &heard);
        observation_destroy(observation);
        free(heard.spans);
    }
    ck_assert_uint_gt(waits, RUNS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link waits");
    TCase *tests = tcase_create("link waits");
    tcase_add_test(tests, test_a_partition_within_a_wait);
    tcase_add_test(tests, test_a_partition_before_a_wait);
    tcase_add_test(tests, test_a_partition_between_waits);
    tcase_add_test(tests, test_faults_at_a_time);
    tcase_add_test(tests, test_streaming);
    tcase_add_test(tests, test_all_reduce);
    tcase_add_test(tests, test_gossip);
    tcase_add_test(tests, test_gossip_with_two_peers);
    tcase_add_test(tests, test_fragments_to_the_syncer);
    tcase_add_test(tests, test_the_merge_to_a_learner);
    tcase_add_test(tests, test_a_throttled_learner);
    tcase_add_test(tests, test_rings);
    tcase_add_loop_test(tests, test_waits_at_random, 0, 4);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
