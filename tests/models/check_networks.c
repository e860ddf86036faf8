/*
 * What holds for every run on networks made up at random, with failures, outages of links now and then or for
 * good, sites without bandwidth, and latencies above a step.
 */
#include "sim/stream.h"
#include "tests/models/fixture.h"
#include "tests/models/random_run.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 400, MOST_SITES = 6, PURPOSE_NETWORK = 2000 };

struct random_network {
    struct network_site sites[MOST_SITES];
    struct network_profile profiles[2];
    double gone_at[1], never[1];
    char names[MOST_SITES][8], comes_and_goes[16], gone[8];
};

static double uniform(struct sim_stream *stream)
{
    return sim_stream_uniform(stream);
}

static double log_uniform(struct sim_stream *stream, double low, double high)
{
    return low * exp(uniform(stream) * log(high / low));
}

/* Outages around as long as a step, one after another; or one that never ends, from the start or later. */
static void some_profiles(struct sim_stream *stream, struct random_network *random, double step, double end)
{
    strcpy(random->comes_and_goes, "comes and goes");
    strcpy(random->gone, "gone");
    random->profiles[0] = (struct network_profile)PROFILE(
        "comes and goes",
        .outage_after = fixture_law(SIM_LAW_EXPONENTIAL, step * log_uniform(stream, 0.1, 30)),
        .outage_lasting = fixture_law(SIM_LAW_EXPONENTIAL, step * log_uniform(stream, 0.1, 30)));
    random->gone_at[0] = uniform(stream) < 0.2 ? 0 : uniform(stream) * end;
    random->never[0] = 0;
    random->profiles[1] = (struct network_profile)PROFILE("gone", .schedule_at = {random->gone_at, 1},
                                                          .schedule_factor = {random->never, 1});
    random->profiles[0].name = random->comes_and_goes;
    random->profiles[1].name = random->gone;
}

/* Sites with prices of 8 for a gigabyte, 1 for a gigabit, out of the site; latencies up to ten steps. */
static void some_sites(struct sim_stream *stream, struct random_network *random, size_t count, double bits,
                       double step)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(random->names[i], sizeof random->names[i], "s%d", (int)i);
        struct network_site site = SITE("", .share = 1, .price = 8);
        site.name = random->names[i];
        site.uplink = uniform(stream) < 0.05 ? 0 : bits / (step * log_uniform(stream, 0.01, 30));
        site.latency =
            sim_time_from_seconds(uniform(stream) < 0.3 ? 0 : step * log_uniform(stream, 0.01, 10));
        if (uniform(stream) < 0.2)
            site.jitter = sim_time_from_seconds(step * log_uniform(stream, 0.01, 1));
        if (uniform(stream) < 0.4)
            site.profile = random->profiles[uniform(stream) < 0.7 ? 0 : 1].name;
        random->sites[i] = site;
    }
}

static struct fixture run_on_a_network(uint64_t number, struct random_network *random)
{
    struct sim_stream stream;
    struct fixture fixture = random_run(number);
    sim_stream_open(&stream, number, 0, PURPOSE_NETWORK, 0);
    int64_t kinds[] = {STRATEGY_DECOUPLED, STRATEGY_GOSSIP};
    random_strategy(&fixture, kinds[number % 2], number);
    size_t count = 2 + (size_t)sim_stream_below(&stream, MOST_SITES - 1);
    const struct workload_config *workload = &fixture.config.workload;
    double step = sim_time_to_seconds(workload->step_time);
    double bits = workload->parameters * (double)workload->bits_per_parameter;
    some_profiles(&stream, random, step, sim_time_to_seconds(fixture.config.duration));
    some_sites(&stream, random, count, bits, step);
    fixture.config.network = (struct network_config)NETWORK(.profiles = ITEMS(random->profiles));
    fixture.config.network.sites = (struct parameter_items){random->sites, count};
    fixture.config.network.between.latency = 0;
    if (number % 2 == 0) {
        fixture.options.decoupled.collective = (int64_t)sim_stream_below(&stream, 2);
        fixture.options.decoupled.timeout = sim_time_from_seconds(step * log_uniform(&stream, 0.1, 10));
        if (uniform(&stream) < 0.5)
            fixture.options.decoupled.timeout = 0;
        fixture.options.decoupled.syncer = random->sites[count - 1].name;
    } else if (uniform(&stream) < 0.5) {
        fixture.options.gossip.timeout = sim_time_from_seconds(step * log_uniform(&stream, 0.1, 10));
    }
    return fixture;
}

/* Whatever the network does, every run comes to its end, chip time is exact (fixture_run), and so is the
 * tape. What leaves a site is at most what was sent. */
START_TEST(test_any_network)
{
    for (uint64_t i = 0; i < RUNS; i++) {
        struct random_network random;
        struct fixture fixture = run_on_a_network(i, &random);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        struct simulation_fault fault;
        if (!simulation_check(&fixture.config, &strategy, &fault))
            continue;
        struct run_result result = fixture_run(&fixture, i, 0), taped;
        struct error error = {.kind = ERROR_NONE};
        struct tape *tape = NULL;
        ck_assert(simulation_run(&fixture.config, &strategy, i, 0, NULL, &taped, &tape, &error));
        ck_assert_msg(tape_check(tape, &error), "run %d: %s", (int)i, error.message);
        ck_assert_int_eq((int64_t)result.events, (int64_t)taped.events);
        tape_destroy(tape);
        double gigabits = result.metrics[METRIC_WAN_BYTES] * 8 / 1e9;
        double left = result.metrics[METRIC_NETWORK_COST];
        ck_assert_msg(left <= gigabits * (1 + 1e-9) + 1e-9, "run %d: %g of %g", (int)i, left, gigabits);
    }
}
END_TEST

/* With a learner at each site and the syncer at another, all that is sent leaves a site: bytes on links are
 * bytes of transfers. */
START_TEST(test_bytes_on_links_are_bytes_sent)
{
    int runs = 0;
    for (uint64_t i = 0; i < RUNS; i++) {
        struct random_network random;
        struct fixture fixture = run_on_a_network(i, &random);
        struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
        struct simulation_fault fault;
        size_t sites = fixture.config.network.sites.count;
        fixture.options.learner.learners = (int64_t)sites - 1;
        random.sites[sites - 1].share = 0;
        if (fixture.kind == STRATEGY_DECOUPLED)
            fixture.options.decoupled.quorum = 1;
        if (!simulation_check(&fixture.config, &strategy, &fault))
            continue;
        struct run_result result = fixture_run(&fixture, i, 0);
        double gigabits = result.metrics[METRIC_WAN_BYTES] * 8 / 1e9;
        ck_assert_double_eq_tol(result.metrics[METRIC_NETWORK_COST], gigabits, 1e-9 * gigabits + 1e-9);
        runs += gigabits > 0;
    }
    ck_assert_int_gt(runs, RUNS / 8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("networks");
    TCase *tests = tcase_create("networks");
    tcase_add_test(tests, test_any_network);
    tcase_add_test(tests, test_bytes_on_links_are_bytes_sent);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
