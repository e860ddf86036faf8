/*
 * What an observer sees of transfers sent by hand: three sites, learner i at site i.
 */
#include "models/failures/causes.h"
#include "models/priority.h"
#include "models/training/observation.h"
#include "models/training/traffic.h"
#include "models/training/waste.h"
#include "tests/models/fixture.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 40 };

/* A network called NETWORK in the test that says so. */
#define THREE_SITES                                                                                          \
    struct network_site three[] = {SITE("a", .uplink = 100, .price = 8e9), SITE("b", .uplink = 200),         \
                                   SITE("c", .uplink = 1000)};                                               \
    const struct network_config network = NETWORK(.between.latency = 0, .sites = ITEMS(three))

static struct sim_engine *engine;
static struct traffic *traffic;
static struct observer *observer;
static sim_time counting_since;

static void begin(const struct network_config *described, int64_t learners, int64_t seconds)
{
    struct error error = {0};
    engine = sim_engine_create(&error);
    traffic = traffic_create(engine, described, learners, 1, 0, &error);
    observer = observer_create(
        engine, described, traffic,
        &(struct activity_plan){.learners = learners, .duration = seconds * SIM_SECOND}, &error);
    ck_assert_msg(observer != NULL, "%s", error.message);
    counting_since = 0;
}

static struct observation *finish(int64_t seconds)
{
    struct error error = {0};
    ck_assert(sim_engine_run(engine, seconds * SIM_SECOND, &error));
    const struct causes causes = {0};
    const struct waste waste = {0};
    struct observation *observation = observer_finish(observer, counting_since, &causes, &waste, &error);
    ck_assert_msg(observation != NULL, "%s", error.message);
    return observation;
}

static void end(struct observation *observation)
{
    observation_destroy(observation);
    observer_destroy(observer);
    traffic_destroy(traffic);
    sim_engine_destroy(engine);
}

static void send(int64_t from, int64_t to, double bits)
{
    ck_assert(traffic_send(traffic, &(struct traffic_message){.from = from, .to = to, .bits = bits}) != 0);
}

static const struct observed_link *find_link(const struct observation *observation, const char *name)
{
    for (size_t i = 0; i < observation->link_count; i++)
        if (strcmp(observation->links[i].name, name) == 0)
            return &observation->links[i];
    ck_abort_msg("no link %s", name);
}

static const struct observed_series *find_series(const struct observation *observation, const char *name)
{
    for (size_t i = 0; i < observation->series_count; i++)
        if (strcmp(observation->series[i].name, name) == 0)
            return &observation->series[i];
    return NULL;
}

/* 2000 bits over a's 100 bit/s in 20 s of 40; b's downlink carries them at half its rate. */
START_TEST(links_are_told_with_their_figures)
{
    THREE_SITES;
    begin(&network, 3, 40);
    send(0, 1, 2000);
    struct observation *observation = finish(40);
    ck_assert_uint_eq(observation->link_count, 2);
    const struct observed_link *up = &observation->links[0], *down = &observation->links[1];
    ck_assert_str_eq(up->name, "uplink of a");
    ck_assert_str_eq(up->kind, "uplink");
    ck_assert_double_eq(up->bytes, 250);
    ck_assert_double_eq(up->mean, 50);
    ck_assert_double_eq(up->peak, 100);
    ck_assert_double_eq(up->capacity, 100);
    ck_assert_double_eq_tol(up->price, 2000, 1e-9);
    ck_assert_str_eq(down->name, "downlink of b");
    ck_assert_double_eq(down->bytes, 250);
    ck_assert_double_eq(down->capacity, 200);
    ck_assert_double_nan(down->price);
    end(observation);
}
END_TEST

/* An interval is 0.2 s; the transfer ends in the middle of one. */
START_TEST(series_are_of_the_bits_carried)
{
    THREE_SITES;
    begin(&network, 3, 40);
    send(0, 1, 1010);
    struct observation *observation = finish(40);
    const struct observed_series *series = find_series(observation, "link:uplink of a");
    ck_assert_ptr_nonnull(series);
    ck_assert_uint_eq(observation->interval_count, OBSERVATION_INTERVALS);
    ck_assert_int_eq(observation->ends[0], SIM_SECOND / 5);
    ck_assert_int_eq(observation->ends[OBSERVATION_INTERVALS - 1], 40 * SIM_SECOND);
    for (size_t i = 0; i < OBSERVATION_INTERVALS; i++)
        ck_assert_double_eq_tol(series->values[i], i < 50 ? 100 : i == 50 ? 50 : 0, 1e-9);
    ck_assert_ptr_nonnull(find_series(observation, "link:downlink of b"));
    ck_assert_ptr_null(find_series(observation, "link:downlink of c"));
    end(observation);
}
END_TEST

static void on_later(struct sim_engine *at, void *actor, uint32_t argument)
{
    (void)actor;
    if (argument == 0) {
        counting_since = sim_engine_now(at);
        traffic_begin_counting(traffic);
        return;
    }
    send(2, 1, 300);
}

/* Half of the transfer is before the warm-up's end; a link that is used late has nothing in its early
 * intervals. */
START_TEST(the_warm_up_is_left_out)
{
    THREE_SITES;
    begin(&network, 3, 40);
    uint32_t actor = sim_engine_add_actor(engine, on_later, NULL);
    sim_engine_schedule(engine, 5 * SIM_SECOND, PRIORITY_WARM_UP, actor, 0);
    sim_engine_schedule(engine, 30 * SIM_SECOND, PRIORITY_LEARNER, actor, 1);
    send(0, 1, 1000);
    struct observation *observation = finish(40);
    const struct observed_link *up = find_link(observation, "uplink of a");
    ck_assert_double_eq(up->bytes, 500 / 8.0);
    ck_assert_double_eq_tol(up->mean, 500 / 35.0, 1e-12);
    ck_assert_double_eq(find_link(observation, "downlink of b")->bytes, 800 / 8.0);
    ck_assert_double_eq(find_link(observation, "downlink of b")->peak, 200);
    const struct observed_series *late = find_series(observation, "link:uplink of c");
    double bits = 0;
    for (size_t i = 0; i < OBSERVATION_INTERVALS; i++) {
        ck_assert(i >= 150 || late->values[i] == 0);
        bits += late->values[i] / 5;
    }
    ck_assert_double_eq_tol(bits, 300, 1e-9);
    end(observation);
}
END_TEST

/* Most of its capacity first, then bytes; what has no limit last. */
START_TEST(the_busiest_come_first)
{
    struct network_site sites[] = {SITE("a", .uplink = 1000), SITE("b", .uplink = 100),
                                   SITE("c", .price = 1)};
    const struct network_config mixed = NETWORK(.between.latency = 0, .sites = ITEMS(sites));
    static const char *const names[] = {"uplink of b", "downlink of a", "uplink of c"};
    begin(&mixed, 3, 100);
    send(1, 0, 2000);
    send(2, 0, 8000);
    struct observation *observation = finish(100);
    ck_assert_uint_eq(observation->link_count, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(observation->links[i].name, names[i]);
    ck_assert_double_nan(observation->links[2].capacity);
    end(observation);
}
END_TEST

/* 40 sites, each to each: 1560 pairs. Bytes and prices are whole, whoever has a row of its own. */
START_TEST(links_beyond_the_limit_are_summed)
{
    static struct network_site sites[MANY];
    static char names[MANY][8];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        sites[i] = (struct network_site)SITE("");
        sites[i].name = names[i];
    }
    const struct network_config dense =
        NETWORK(.between.bandwidth = 1e6, .between.latency = 0, .between.price = 8e9, .sites = ITEMS(sites));
    begin(&dense, MANY, 100);
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t j = 0; j < MANY; j++)
            if (i != j)
                send(i, j, (double)(1000 + i));
    double bytes = 0, price = 0;
    struct observation *observation = finish(100);
    ck_assert_uint_eq(observation->link_count, OBSERVATION_LINKS + 1);
    ck_assert_uint_eq(observation->series_count, OBSERVATION_SERIES);
    for (size_t i = 0; i < observation->link_count; i++) {
        bytes += observation->links[i].bytes;
        price += observation->links[i].price;
    }
    ck_assert_str_eq(observation->links[OBSERVATION_LINKS].name, "560 others");
    ck_assert_str_eq(observation->links[OBSERVATION_LINKS].kind, "others");
    ck_assert_double_eq(bytes, traffic_bits(traffic) / 8);
    ck_assert_double_eq_tol(price, traffic_price(traffic), 1e-6 * price);
    end(observation);
}
END_TEST

/* Two up from the start, one from 10.1 s on: half of that interval. */
START_TEST(learners_up_are_means_of_intervals)
{
    static const struct network_config plain = {.wan_bandwidth = 1e9};
    begin(&plain, 2, 40);
    observer_learners_up(observer, 2);
    struct error error = {0};
    ck_assert(sim_engine_run(engine, 101 * SIM_SECOND / 10, &error));
    observer_learners_up(observer, 1);
    send(0, 1, 1e6);
    struct observation *observation = finish(40);
    ck_assert_uint_eq(observation->series_count, 1);
    const struct observed_series *series = find_series(observation, "learners_up");
    for (size_t i = 0; i < OBSERVATION_INTERVALS; i++)
        ck_assert_double_eq_tol(series->values[i], i < 50 ? 2 : i == 50 ? 1.5 : 1, 1e-9);
    ck_assert_uint_eq(observer_events(observer), OBSERVATION_INTERVALS);
    ck_assert_uint_eq(observation->link_count, 2);
    end(observation);
}
END_TEST

START_TEST(what_never_changes_has_no_series)
{
    static const struct network_config plain = {.wan_bandwidth = 1e9};
    begin(&plain, 2, 40);
    observer_learners_up(observer, 2);
    struct observation *observation = finish(40);
    ck_assert_uint_eq(observation->series_count, 0);
    ck_assert_uint_eq(observation->link_count, 0);
    end(observation);
}
END_TEST

/* A run that is stopped has the intervals that were over. */
START_TEST(a_run_cut_short_has_fewer_intervals)
{
    THREE_SITES;
    begin(&network, 3, 40);
    send(0, 1, 1e6);
    struct observation *observation = finish(13);
    ck_assert_uint_eq(observation->interval_count, 65);
    ck_assert_double_eq(find_link(observation, "uplink of a")->mean, 100);
    end(observation);
}
END_TEST

START_TEST(an_observed_run_is_the_same_run)
{
    struct fixture fixture = fixture_of(_i);
    fixture.config.failures.enabled = true;
    fixture.config.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 40000);
    fixture.config.warm_up = 100 * SIM_SECOND;
    struct strategy_config strategy = {.kind = fixture.kind, .options = &fixture.options};
    struct run_result plain = fixture_run(&fixture, 1, 0), seen;
    struct observation *observation = NULL;
    const struct observation_wish wish = {.activity = true};
    const struct simulation_request request = {.config = &fixture.config,
                                               .strategy = &strategy,
                                               .seed = 1,
                                               .wish = &wish,
                                               .observation = &observation};
    ck_assert(simulation_run_observed(&request, &seen, NULL));
    ck_assert_mem_eq(&plain.ledger, &seen.ledger, sizeof seen.ledger);
    ck_assert_mem_eq(plain.metrics, seen.metrics, sizeof seen.metrics);
    ck_assert_uint_eq(plain.events, seen.events);
    ck_assert_uint_eq(observation->interval_count, OBSERVATION_INTERVALS);
    observation_destroy(observation);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observation");
    TCase *tests = tcase_create("observation");
    tcase_add_test(tests, links_are_told_with_their_figures);
    tcase_add_test(tests, series_are_of_the_bits_carried);
    tcase_add_test(tests, the_warm_up_is_left_out);
    tcase_add_test(tests, the_busiest_come_first);
    tcase_add_test(tests, links_beyond_the_limit_are_summed);
    tcase_add_test(tests, learners_up_are_means_of_intervals);
    tcase_add_test(tests, what_never_changes_has_no_series);
    tcase_add_test(tests, a_run_cut_short_has_fewer_intervals);
    tcase_add_loop_test(tests, an_observed_run_is_the_same_run, 0, STRATEGY_TRAINING_KINDS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
