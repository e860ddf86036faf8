/*
 * Links that are cut, throttled or lose packets while something is under way, by times computed by hand.
 */
#include "models/training/traffic.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static struct sim_engine *engine;
static struct traffic *traffic;

static void open_traffic(const struct network_config *network, int64_t learners)
{
    engine = sim_engine_create(NULL);
    traffic = traffic_create(engine, network, learners, 1, 0, NULL);
    ck_assert(engine && traffic);
    traffic_expect_faults(traffic);
}

static void run_until(double seconds)
{
    ck_assert(sim_engine_run(engine, sim_time_from_seconds(seconds), NULL));
}

static void close_traffic(void)
{
    ck_assert(!traffic_failed(traffic));
    traffic_destroy(traffic);
    sim_engine_destroy(engine);
}

static void on_left(struct sim_engine *at, void *context)
{
    *(double *)context = sim_time_to_seconds(sim_engine_now(at));
}

/* When the last bit leaves is put into *LEFT, -1 until then. */
static flows_name send(int64_t from, int64_t to, double bits, double *left)
{
    *left = -1;
    return traffic_send(traffic, &(struct traffic_message){
                                     .from = from, .to = to, .bits = bits, .left = on_left, .context = left});
}

static bool strike_at(double seconds, struct fault fault, bool begins)
{
    run_until(seconds);
    return traffic_strike(traffic, &fault, begins);
}

#define FAULT(KIND, DOMAIN, UNIT, ...)                                                                       \
    ((struct fault){.kind = KIND, .domain = DOMAIN, .unit = UNIT, __VA_ARGS__})

/* Links of 1 Gbit/s, half a second long. */
static const struct network_config no_sites = NETWORK(.wan_bandwidth = 1e9, .wan_latency = SIM_SECOND / 2);

START_TEST(test_partition)
{
    const struct fault cut = FAULT(FAULT_PARTITION, FAULT_OF_LINK, 1);
    double one, other;
    open_traffic(&no_sites, 3);
    send(0, 1, 2e9, &one);
    send(0, 2, 2e9, &other); /* shares the sender's link until the first stands still */
    ck_assert(strike_at(1, cut, true));
    ck_assert(traffic_is_cut(traffic, 0, 1) && traffic_is_cut(traffic, 1, 2));
    ck_assert(!traffic_is_cut(traffic, 0, 2));
    run_until(2);
    ck_assert_double_eq(traffic_bits(traffic), 2e9);
    ck_assert(strike_at(11, cut, false));
    run_until(100);
    ck_assert_double_eq(other, 2.5);
    ck_assert_double_eq(one, 12.5);
    ck_assert_double_eq(traffic_bits(traffic), 4e9);
    close_traffic();
}
END_TEST

/* A half of a half is a quarter, until the first of them ends. */
START_TEST(test_throttles_multiply)
{
    const struct fault one = FAULT(FAULT_THROTTLE, FAULT_OF_CLUSTER, 0, .factor = 0.5, .cause = 1);
    const struct fault two = FAULT(FAULT_THROTTLE, FAULT_OF_LINK, 0, .factor = 0.5, .cause = 2);
    double left;
    open_traffic(&no_sites, 2);
    ck_assert(strike_at(0, one, true));
    send(0, 1, 2e9, &left);
    ck_assert(strike_at(1, two, true));  /* 0.5e9 by now */
    ck_assert(strike_at(3, one, false)); /* 1e9 */
    ck_assert(strike_at(4, two, false)); /* 1.5e9 */
    run_until(100);
    ck_assert_double_eq(left, 4.5);
    close_traffic();
}
END_TEST

/* Before the fault at full rate; then as Mathis has it; then at full rate again. */
START_TEST(test_loss)
{
    const struct fault loss = FAULT(FAULT_LOSS, FAULT_OF_LINK, 0, .factor = 0.25);
    double left, later, rate = 1460 * 8 / 1.0 * sqrt(1.5) / sqrt(0.25);
    open_traffic(&no_sites, 2);
    send(0, 1, 1e9, &left);
    ck_assert(strike_at(0.5, loss, true));
    send(1, 0, 1e6, &later); /* started meanwhile */
    ck_assert(strike_at(10.5, loss, false));
    run_until(100);
    ck_assert_double_eq_tol(left, 10.5 + (0.5e9 - 10 * rate) / 1e9, 1e-8);
    ck_assert_double_eq_tol(later, 10.5 + (1e6 - 10 * rate) / 1e9, 1e-8);
    ck_assert_double_eq(traffic_bits(traffic), 1e9 + 1e6);
    close_traffic();
}
END_TEST

/* What is sent again takes its share of the bandwidth: so many connections that only that counts. */
START_TEST(test_loss_takes_bandwidth)
{
    const struct network_config many =
        NETWORK(.wan_bandwidth = 1e9, .wan_latency = SIM_SECOND / 2, .connections = 1000000);
    double left;
    open_traffic(&many, 2);
    ck_assert(strike_at(0, FAULT(FAULT_LOSS, FAULT_OF_LINK, 1, .factor = 0.5, .cause = 1), true));
    ck_assert(strike_at(0, FAULT(FAULT_LOSS, FAULT_OF_CLUSTER, 0, .factor = 0.2, .cause = 2), true));
    send(0, 1, 0.8e9, &left);
    run_until(100);
    ck_assert_double_eq(left, 2); /* 0.8 · 0.5 of the receiver's link */
    close_traffic();
}
END_TEST

/* Three sites: an entry between the first two, nothing but latency between others. */
static void open_sites(void)
{
    static struct network_site sites[3];
    static struct network_link link;
    static struct network_profile profile;
    static struct network_config network;
    static double at[] = {2}, factor[] = {0.5};
    static char names[3][2] = {"A", "B", "C"}, half[] = "half";
    const struct network_site site = SITE("", .uplink = 1e9, .learners = 1);
    const struct network_link entry = LINK("", "", .bandwidth = 2e9);
    const struct network_profile plain = PROFILE("", .schedule_at = {at, 1}, .schedule_factor = {factor, 1});
    const struct network_config whole = NETWORK(.sites = {sites, 3}, .links = {&link, 1},
                                                .profiles = {&profile, 1}, .between.latency = SIM_SECOND);
    for (int i = 0; i < 3; i++) {
        sites[i] = site;
        sites[i].name = names[i];
    }
    link = entry, profile = plain, network = whole;
    link.from = names[0];
    link.to = names[1];
    profile.name = sites[2].profile = half;
    open_traffic(&network, 3);
}

START_TEST(test_a_site)
{
    const struct fault cut = FAULT(FAULT_PARTITION, FAULT_OF_SITE, 1);
    double in, out, beside;
    open_sites();
    send(0, 1, 1e9, &in);
    send(1, 2, 0.5e9, &out);
    ck_assert(strike_at(0.25, cut, true));
    send(0, 2, 1e9, &beside);
    ck_assert(strike_at(1.25, cut, false));
    run_until(100);
    ck_assert_double_eq(beside, 1.25); /* alone on the first's uplink */
    ck_assert_double_eq(in, 2);
    ck_assert_double_eq(out, 1.5);
    close_traffic();
}
END_TEST

START_TEST(test_links_by_number)
{
    double between, entry;
    open_sites();
    /* C and A, which only a latency is between: number 1 + 0 · 3 + 2. */
    ck_assert(strike_at(0, FAULT(FAULT_PARTITION, FAULT_OF_LINK, 3), true));
    send(2, 0, 1e9, &between);
    send(0, 1, 1e9, &entry);
    ck_assert(traffic_is_cut(traffic, 0, 2) && !traffic_is_cut(traffic, 1, 2));
    ck_assert(strike_at(0.5, FAULT(FAULT_THROTTLE, FAULT_OF_LINK, 0, .factor = 0.25), true));
    run_until(1);
    ck_assert(strike_at(1, FAULT(FAULT_PARTITION, FAULT_OF_LINK, 3), false));
    run_until(100);
    ck_assert_double_eq(between, 2);
    ck_assert_double_eq(entry, 1.5);
    close_traffic();
}
END_TEST

/* On top of a profile that halves C's link from the second second on. */
START_TEST(test_with_a_profile)
{
    const struct fault half = FAULT(FAULT_THROTTLE, FAULT_OF_CLUSTER, 0, .factor = 0.5);
    double left;
    open_sites();
    ck_assert(strike_at(0, half, true));
    send(0, 2, 2e9, &left); /* 1e9 at 2 s, 1.25e9 at 3 s, then 0.5 Gbit/s */
    ck_assert(strike_at(3, half, false));
    run_until(100);
    ck_assert_double_eq(left, 4.5);
    close_traffic();
}
END_TEST

static void on_done(struct sim_engine *at, void *context)
{
    *(double *)context = sim_time_to_seconds(sim_engine_now(at));
}

/* 2(p − 1) messages one after another: the one on its way stands still for ten seconds. */
START_TEST(test_a_ring_stands_still)
{
    const int64_t both[] = {0, 1};
    const struct fault cut = FAULT(FAULT_PARTITION, FAULT_OF_CLUSTER, 0);
    double done = -1;
    open_traffic(&no_sites, 2);
    ck_assert_ptr_nonnull(traffic_start(
        traffic, &(struct traffic_collective){COLLECTIVE_RING, both, 2, 0, 2e9, on_done, &done}));
    ck_assert(strike_at(0.5, cut, true));
    ck_assert(strike_at(10.5, cut, false));
    run_until(100);
    ck_assert_double_eq(done, 10 + 2 * 1.5);
    ck_assert_double_eq(traffic_bits(traffic), 4e9);
    close_traffic();
}
END_TEST

START_TEST(test_no_such_link)
{
    open_traffic(&no_sites, 2);
    ck_assert(!strike_at(0, FAULT(FAULT_PARTITION, FAULT_OF_LINK, 2), true));
    ck_assert(!strike_at(0, FAULT(FAULT_PARTITION, FAULT_OF_SITE, 0), true));
    close_traffic();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults of links");
    TCase *tests = tcase_create("faults");
    tcase_add_test(tests, test_partition);
    tcase_add_test(tests, test_throttles_multiply);
    tcase_add_test(tests, test_loss);
    tcase_add_test(tests, test_loss_takes_bandwidth);
    tcase_add_test(tests, test_a_site);
    tcase_add_test(tests, test_links_by_number);
    tcase_add_test(tests, test_with_a_profile);
    tcase_add_test(tests, test_a_ring_stands_still);
    tcase_add_test(tests, test_no_such_link);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
