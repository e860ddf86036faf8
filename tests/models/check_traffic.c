/*
 * What learners send each other, by times and bytes computed by hand.
 */
#include "models/training/traffic.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

static struct sim_engine *engine;
static struct traffic *traffic;

static void open_traffic(const struct network_config *network, int64_t learners)
{
    struct network_fault fault;
    ck_assert_msg(network_check(network, &fault, 1) == 0, "%s: %s", fault.field, fault.message);
    engine = sim_engine_create(NULL);
    traffic = traffic_create(engine, network, learners, 1, 0, NULL);
    ck_assert(engine && traffic);
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

/* When a message left and arrived, or a collective was done, in seconds; -1: not yet. */
struct witness {
    double left, arrived;
};

static void on_left(struct sim_engine *at, void *context)
{
    ((struct witness *)context)->left = sim_time_to_seconds(sim_engine_now(at));
}

static void on_arrived(struct sim_engine *at, void *context)
{
    ((struct witness *)context)->arrived = sim_time_to_seconds(sim_engine_now(at));
}

static flows_name send(int64_t from, int64_t to, double bits, struct witness *witness)
{
    *witness = (struct witness){-1, -1};
    return traffic_send(traffic, &(struct traffic_message){.from = from,
                                                           .to = to,
                                                           .bits = bits,
                                                           .left = on_left,
                                                           .arrived = on_arrived,
                                                           .context = witness});
}

static struct operation *start(enum collective_algorithm algorithm, const int64_t *learners, size_t count,
                               double bits, struct witness *witness)
{
    *witness = (struct witness){-1, -1};
    return traffic_start(traffic, &(struct traffic_collective){.algorithm = algorithm,
                                                               .learners = learners,
                                                               .learner_count = count,
                                                               .bits = bits,
                                                               .done = on_arrived,
                                                               .context = witness});
}

/* Links of 1 Gbit/s, half a second long. */
static const struct network_config no_sites = NETWORK(.wan_bandwidth = 1e9, .wan_latency = SIM_SECOND / 2);

START_TEST(test_between_learners)
{
    struct witness one, other;
    open_traffic(&no_sites, 3);
    send(0, 1, 2e9, &one);
    send(1, 0, 1e9, &other);
    run_until(100);
    ck_assert_double_eq(one.left, 2);
    ck_assert_double_eq(one.arrived, 2.5);
    ck_assert_double_eq(other.arrived, 1.5);
    ck_assert_double_eq(traffic_bits(traffic), 3e9);
    close_traffic();
}
END_TEST

/* Two share the sender's link until the shorter one is through. */
START_TEST(test_messages_share_links)
{
    struct witness shorter, longer;
    open_traffic(&no_sites, 3);
    send(0, 1, 1e9, &shorter);
    send(0, 2, 2e9, &longer);
    run_until(100);
    ck_assert_double_eq(shorter.left, 2);
    ck_assert_double_eq(longer.left, 3);
    close_traffic();
}
END_TEST

/* In the middle of the network the syncer sends to everybody at once. */
START_TEST(test_the_syncer_without_sites)
{
    struct witness first, second;
    open_traffic(&no_sites, 2);
    send(TRAFFIC_SYNCER, 0, 1e9, &first);
    send(TRAFFIC_SYNCER, 1, 1e9, &second);
    run_until(100);
    ck_assert_double_eq(first.arrived, 1.5);
    ck_assert_double_eq(second.arrived, 1.5);
    close_traffic();
}
END_TEST

/* What a learner sends itself takes no time. */
START_TEST(test_to_oneself)
{
    struct witness witness;
    open_traffic(&no_sites, 2);
    send(1, 1, 1e15, &witness);
    run_until(0);
    ck_assert_double_eq(witness.arrived, 0);
    close_traffic();
}
END_TEST

START_TEST(test_cancelled)
{
    struct witness witness;
    open_traffic(&no_sites, 2);
    flows_name name = send(0, 1, 8e9, &witness);
    run_until(2);
    ck_assert_uint_eq(traffic_cancel(traffic, name), 2000000000);
    ck_assert_uint_eq(traffic_cancel(traffic, name), 0);
    run_until(100);
    ck_assert_double_eq(witness.left, -1);
    ck_assert_double_eq(traffic_bits(traffic), 2e9);
    close_traffic();
}
END_TEST

/* Two learners here, one there; the link between is cut from 1 to 11. */
static void open_sites(void)
{
    static char here[] = "here", there[] = "there", cut[] = "cut";
    static double at[] = {1, 11}, factor[] = {0, 1};
    static struct network_site sites[2];
    static struct network_link link;
    static struct network_profile profile;
    static struct network_config network;
    const struct network_site first = SITE("", .learners = 2, .price = 8);
    const struct network_site second = SITE("", .learners = 1, .uplink = 0.5e9);
    const struct network_link between = LINK("", "", .bandwidth = 1e9, .price = 80);
    const struct network_profile plain = PROFILE("", .schedule_at = {at, 2}, .schedule_factor = {factor, 2});
    const struct network_config whole =
        NETWORK(.sites = {sites, 2}, .links = {&link, 1}, .profiles = {&profile, 1});
    sites[0] = first, sites[1] = second, link = between, profile = plain, network = whole;
    sites[0].name = link.from = here;
    sites[1].name = link.to = there;
    profile.name = link.profile = cut;
    open_traffic(&network, 3);
}

/* Through the uplink of half the rate, as far as it gets, and on when the way is there again. */
START_TEST(test_a_message_waits_for_its_way)
{
    struct witness witness;
    open_sites();
    send(2, 0, 1e9, &witness);
    run_until(5);
    ck_assert(traffic_is_cut(traffic, 2, 0) && traffic_is_cut(traffic, 0, 2));
    ck_assert(!traffic_is_cut(traffic, 0, 1));
    run_until(100);
    ck_assert_double_eq(witness.arrived, 12);
    close_traffic();
}
END_TEST

/* It is here, where most learners are, unless it is put elsewhere. */
START_TEST(test_the_syncer_at_a_site)
{
    struct witness near, far;
    open_sites();
    send(TRAFFIC_SYNCER, 1, 1e9, &near);
    run_until(0);
    ck_assert_double_eq(near.arrived, 0);
    traffic_place_syncer(traffic, 1);
    send(TRAFFIC_SYNCER, 1, 0.25e9, &far);
    run_until(100);
    ck_assert_double_eq(far.arrived, 0.5);
    close_traffic();
}
END_TEST

static void find_link(void *context, const struct traffic_link *link)
{
    struct traffic_link *wanted = context;
    if (link->link.kind == wanted->link.kind && link->link.back == wanted->link.back)
        *wanted = *link;
}

/* A gigabit from here costs 8/8 as it leaves the site and 80/8 on the link. */
START_TEST(test_bytes_and_their_price)
{
    struct witness witness;
    struct traffic_link wanted = {.link = {.kind = LINK_PAIR, .back = false}};
    open_sites();
    send(0, 2, 0.5e9, &witness);
    run_until(1);
    ck_assert_double_eq(witness.arrived, 1); /* through the downlink of half the rate */
    ck_assert_double_eq(traffic_price(traffic), 5.5);
    traffic_visit(traffic, find_link, &wanted);
    ck_assert_double_eq(wanted.bits, 0.5e9);
    ck_assert_double_eq(wanted.peak, 0.5e9);
    traffic_begin_counting(traffic);
    ck_assert_double_eq(traffic_bits(traffic), 0);
    ck_assert_double_eq(traffic_price(traffic), 0);
    close_traffic();
}
END_TEST

/* Three in a ring: 2(p − 1) latencies, and 2(p − 1)/p of the bits. */
START_TEST(test_a_ring)
{
    const int64_t learners[] = {2, 0, 3};
    struct witness witness;
    open_traffic(&no_sites, 4);
    ck_assert_ptr_nonnull(start(COLLECTIVE_RING, learners, 3, 3e9, &witness));
    run_until(100);
    ck_assert_double_eq(witness.arrived, 4 * 0.5 + 4);
    ck_assert_double_eq(traffic_bits(traffic), 12e9);
    close_traffic();
}
END_TEST

/* It is done in an event of its own, also where there is nothing to send. */
START_TEST(test_a_collective_of_one)
{
    const int64_t learner = 1, both[] = {0, 1};
    struct witness alone, empty;
    open_traffic(&no_sites, 2);
    start(COLLECTIVE_RING, &learner, 1, 3e9, &alone);
    start(COLLECTIVE_TREE, both, 2, 0, &empty);
    ck_assert_double_eq(alone.arrived, -1);
    run_until(0);
    ck_assert_double_eq(alone.arrived, 0);
    ck_assert_double_eq(empty.arrived, 0);
    close_traffic();
}
END_TEST

START_TEST(test_a_stopped_collective)
{
    const int64_t both[] = {0, 1};
    struct witness witness, second;
    open_traffic(&no_sites, 2);
    struct operation *operation = start(COLLECTIVE_RING, both, 2, 3e9, &witness);
    run_until(1);
    traffic_stop(traffic, operation);
    start(COLLECTIVE_RING, both, 2, 1e9, &second);
    run_until(100);
    ck_assert_double_eq(witness.arrived, -1);
    ck_assert_double_eq(second.arrived, 3);
    ck_assert_double_eq(traffic_bits(traffic), 2e9 + 2e9);
    close_traffic();
}
END_TEST

/* One learner over two sites is two ranks. */
START_TEST(test_a_learner_with_parts)
{
    const struct network_site both[] = {SITE("a", .uplink = 1e9), SITE("b", .uplink = 1e9)};
    struct network_site sites[2] = {both[0], both[1]};
    const struct network_config network = NETWORK(.sites = {sites, 2}, .between.latency = 0);
    const int64_t learner = 0;
    struct witness witness;
    open_traffic(&network, 1);
    ck_assert_int_eq(traffic_site(traffic, 0), 0);
    start(COLLECTIVE_RING, &learner, 1, 3e9, &witness);
    run_until(100);
    ck_assert_double_eq(witness.arrived, 3);
    close_traffic();
}
END_TEST

/* Nobody is called once all is taken down, whatever is under way. */
START_TEST(test_taken_down_in_the_middle)
{
    const int64_t both[] = {0, 1};
    struct witness message, ring, alone;
    open_traffic(&no_sites, 2);
    send(0, 1, 1e12, &message);
    start(COLLECTIVE_RING, both, 2, 1e12, &ring);
    start(COLLECTIVE_RING, both, 1, 1e12, &alone);
    close_traffic();
    ck_assert_double_eq(ring.arrived, -1);
    ck_assert_double_eq(alone.arrived, -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traffic");
    TCase *messages = tcase_create("messages"), *collectives = tcase_create("collectives");
    tcase_add_test(messages, test_between_learners);
    tcase_add_test(messages, test_messages_share_links);
    tcase_add_test(messages, test_the_syncer_without_sites);
    tcase_add_test(messages, test_to_oneself);
    tcase_add_test(messages, test_cancelled);
    tcase_add_test(messages, test_a_message_waits_for_its_way);
    tcase_add_test(messages, test_the_syncer_at_a_site);
    tcase_add_test(messages, test_bytes_and_their_price);
    tcase_add_test(collectives, test_a_ring);
    tcase_add_test(collectives, test_a_collective_of_one);
    tcase_add_test(collectives, test_a_stopped_collective);
    tcase_add_test(collectives, test_a_learner_with_parts);
    tcase_add_test(collectives, test_taken_down_in_the_middle);
    suite_add_tcase(suite, messages);
    suite_add_tcase(suite, collectives);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
