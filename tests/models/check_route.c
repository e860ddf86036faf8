/*
 * Ways through networks: which links they cross, their delays, what loss does to them, and the numbers of
 * links.
 */
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A network with its routes for so many learners. */
struct world {
    struct placement *placement;
    struct routes *routes;
};

static struct world open_world(const struct network_config *network, int64_t learners)
{
    struct network_fault fault;
    ck_assert_msg(network_check(network, &fault, 1) == 0, "%s: %s", fault.field, fault.message);
    struct placement *placement = placement_create(network, learners, NULL);
    struct routes *routes = routes_create(network, placement, NULL);
    ck_assert_ptr_nonnull(routes);
    return (struct world){placement, routes};
}

static void close_world(struct world *world)
{
    routes_destroy(world->routes);
    placement_destroy(world->placement);
}

static struct route find(const struct world *world, struct endpoint from, struct endpoint to)
{
    struct route route;
    ck_assert(route_find(world->routes, from, to, &route));
    return route;
}

static struct route between_learners(const struct world *world, int64_t from, int64_t to)
{
    return find(world, endpoint_of_learner(world->placement, from),
                endpoint_of_learner(world->placement, to));
}

/* The names of the links crossed, with commas between them. */
static const char *names(const struct world *world, const struct route *route, char text[1000])
{
    text[0] = '\0';
    for (size_t i = 0; i < route->count; i++) {
        strcat(text, i ? ", " : "");
        strcat(text, routes_link(world->routes, route->links[i]).name);
    }
    return text;
}

#define EXPECT_WAY(world, route, wanted)                                                                     \
    do {                                                                                                     \
        char text[1000];                                                                                     \
        ck_assert_str_eq(names(world, &(route), text), wanted);                                              \
    } while (0)

static double bandwidth_of(const struct world *world, const struct route *route, size_t index)
{
    return routes_link(world->routes, route->links[index]).bandwidth;
}

START_TEST(without_sites_learners_have_a_link_each)
{
    struct network_config network = NETWORK(.wan_bandwidth = 2e9, .wan_latency = 30 * SIM_MILLISECOND);
    struct world world = open_world(&network, 3);
    struct route route = between_learners(&world, 2, 0);
    EXPECT_WAY(&world, route, "uplink of learner 2, downlink of learner 0");
    ck_assert_int_eq(route.latency, 30 * SIM_MILLISECOND);
    ck_assert_double_eq(bandwidth_of(&world, &route, 0), 2e9);
    ck_assert_double_eq(route.cap, INFINITY);
    route = find(&world, endpoint_of_learner(world.placement, 1), endpoint_of_site(-1));
    EXPECT_WAY(&world, route, "uplink of learner 1");
    ck_assert_int_eq(route.latency, 30 * SIM_MILLISECOND);
    route = between_learners(&world, 1, 1);
    ck_assert_uint_eq(route.count, 0);
    ck_assert_int_eq(route.latency, 0);
    close_world(&world);
}
END_TEST

START_TEST(all_that_lies_between_two_learners_is_crossed)
{
    struct network_site sites[] = {SITE("a", .uplink = 10e9, .downlink = 20e9, .latency = 1,
                                        .backbone = (char[]){"west"}, .inner_bandwidth = 400e9,
                                        .inner_latency = 7),
                                   SITE("b", .uplink = 5e9, .latency = 10, .backbone = (char[]){"east"})};
    struct network_link links[] = {
        LINK("a", "b", .bandwidth = 2e9, .latency = 100, .backbone = (char[]){"sea"})};
    struct network_backbone backbones[] = {
        {.name = (char[]){"sea"}, .bandwidth = 3e9},
        {.name = (char[]){"west"}, .bandwidth = 4e9},
        {.name = (char[]){"east"}, .bandwidth = 6e9, .duplex = DUPLEX_HALF}};
    struct network_config network = NETWORK(.wan_bandwidth = 1e9, .wan_latency = 1000, .sites = ITEMS(sites),
                                            .links = ITEMS(links), .backbones = ITEMS(backbones));
    struct world world = open_world(&network, 4);
    struct route route = between_learners(&world, 1, 2);
    EXPECT_WAY(&world, route,
               "uplink of learner 1, uplink of a, west, a to b, sea, east, downlink of b, "
               "downlink of learner 2");
    ck_assert_int_eq(route.latency, 1111);
    static const double there[] = {1e9, 10e9, 4e9, 2e9, 3e9, 6e9, 5e9, 1e9};
    for (size_t i = 0; i < route.count; i++)
        ck_assert_double_eq(bandwidth_of(&world, &route, i), there[i]);
    route = between_learners(&world, 2, 1);
    EXPECT_WAY(&world, route,
               "uplink of learner 2, uplink of b, east, b to a, sea (back), west (back), "
               "downlink of a, downlink of learner 1");
    ck_assert_double_eq(bandwidth_of(&world, &route, 6), 20e9);
    route = between_learners(&world, 0, 1);
    EXPECT_WAY(&world, route, "inner uplink of learner 0, inner downlink of learner 1");
    ck_assert_int_eq(route.latency, 7);
    route = find(&world, endpoint_of_site(1), endpoint_of_learner(world.placement, 0));
    EXPECT_WAY(&world, route,
               "uplink of b, east, b to a, sea (back), west (back), downlink of a, downlink of learner 0");
    close_world(&world);
}
END_TEST

START_TEST(what_has_no_limit_is_not_there)
{
    struct network_site sites[] = {SITE("a"), SITE("b")};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .between.latency = 5);
    struct world world = open_world(&network, 2);
    struct route route = between_learners(&world, 0, 1);
    ck_assert_uint_eq(route.count, 0);
    ck_assert_int_eq(route.latency, 5);
    close_world(&world);
}
END_TEST

START_TEST(half_duplex_is_one_link)
{
    struct network_site sites[] = {SITE("a", .uplink = 1e9, .duplex = DUPLEX_HALF), SITE("b"), SITE("c")};
    struct network_link links[] = {LINK("b", "a", .bandwidth = 3e9, .duplex = DUPLEX_HALF)};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links),
                                            .between.bandwidth = 2e9, .between.duplex = DUPLEX_HALF);
    struct world world = open_world(&network, 3);
    struct route there = between_learners(&world, 0, 1), back = between_learners(&world, 1, 0);
    EXPECT_WAY(&world, there, "uplink and downlink of a, b and a");
    EXPECT_WAY(&world, back, "b and a, uplink and downlink of a");
    ck_assert_uint_eq(there.links[0], back.links[1]);
    ck_assert_uint_eq(there.links[1], back.links[0]);
    there = between_learners(&world, 2, 1);
    back = between_learners(&world, 1, 2);
    EXPECT_WAY(&world, there, "b and c");
    EXPECT_WAY(&world, back, "b and c");
    close_world(&world);
}
END_TEST

START_TEST(pairs_have_their_own_way_or_the_default_one)
{
    struct network_site sites[] = {SITE("a"), SITE("b"), SITE("c")};
    struct network_link links[] = {LINK("a", "b", .bandwidth = 3e9, .one_way = true, .latency = 9),
                                   LINK("b", "a", .bandwidth = 4e9, .one_way = true)};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links));
    struct world world = open_world(&network, 3);
    struct route route = between_learners(&world, 0, 1);
    ck_assert_double_eq(bandwidth_of(&world, &route, 0), 3e9);
    route = between_learners(&world, 1, 0);
    ck_assert_double_eq(bandwidth_of(&world, &route, 0), 4e9);
    int64_t from, to;
    ck_assert(!routes_complete(world.routes, &from, &to));
    ck_assert_int_eq(from, 0);
    ck_assert_int_eq(to, 2);
    ck_assert(!route_find(world.routes, endpoint_of_site(2), endpoint_of_site(0), &route));
    close_world(&world);
    network.between.bandwidth = 1e9;
    network.between.latency = 50;
    world = open_world(&network, 3);
    ck_assert(routes_complete(world.routes, &from, &to));
    route = between_learners(&world, 2, 0);
    EXPECT_WAY(&world, route, "c to a");
    ck_assert_int_eq(route.latency, 50);
    route = between_learners(&world, 0, 1);
    EXPECT_WAY(&world, route, "a to b");
    ck_assert_int_eq(route.latency, 9);
    close_world(&world);
}
END_TEST

/* Only where learners are must they reach each other. */
START_TEST(empty_sites_need_no_route)
{
    struct network_site sites[] = {SITE("a", .learners = 2), SITE("b", .learners = 2),
                                   SITE("c", .learners = 0)};
    struct network_link links[] = {LINK("a", "b")};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links));
    struct world world = open_world(&network, 4);
    int64_t from, to;
    ck_assert(routes_complete(world.routes, &from, &to));
    close_world(&world);
    links[0].one_way = true;
    world = open_world(&network, 4);
    ck_assert(!routes_complete(world.routes, &from, &to));
    ck_assert_int_eq(from, 1);
    ck_assert_int_eq(to, 0);
    close_world(&world);
}
END_TEST

START_TEST(parts_of_a_learner_have_ways_too)
{
    struct network_site sites[] = {SITE("a", .uplink = 1e9), SITE("b", .uplink = 2e9)};
    struct network_config network =
        NETWORK(.wan_bandwidth = 8e9, .sites = ITEMS(sites), .between.latency = 1);
    struct world world = open_world(&network, 1);
    ck_assert_int_eq(world.placement->part_count, 2);
    struct route route =
        find(&world, endpoint_of_part(world.placement, 1), endpoint_of_part(world.placement, 0));
    EXPECT_WAY(&world, route,
               "uplink of learner 0 at b, uplink of b, downlink of a, downlink of learner 0 at a");
    close_world(&world);
}
END_TEST

/* Mathis et al. 1997, eq. 3: 1460 bytes, 100 ms, 1 % give 1.43 Mbit/s a connection. */
START_TEST(loss_slows_transfers_down)
{
    struct network_site sites[] = {SITE("a"), SITE("b")};
    struct network_link links[] = {
        LINK("a", "b", .bandwidth = 1e9, .latency = 50 * SIM_MILLISECOND, .loss = 0.01)};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links));
    struct world world = open_world(&network, 2);
    struct route route = between_learners(&world, 0, 1);
    ck_assert_double_eq_tol(route.cap, 11680 / 0.1 * sqrt(1.5) / 0.1, 1e-3);
    ck_assert_double_eq_tol(bandwidth_of(&world, &route, 0), 0.99e9, 1e-3);
    network.connections = 64;
    ck_assert_double_eq_tol(between_learners(&world, 0, 1).cap, 64 * 1430501.9, 64);
    links[0].latency = 0;
    ck_assert_double_eq(between_learners(&world, 0, 1).cap, INFINITY);
    sites[0].loss = 0.5;
    ck_assert_double_eq_tol(between_learners(&world, 0, 1).loss, 1 - 0.5 * 0.99, 1e-15);
    close_world(&world);
}
END_TEST

START_TEST(prices_are_those_of_the_way)
{
    struct network_site sites[] = {SITE("a", .price = 0.09, .uplink = 1e9, .duplex = DUPLEX_HALF),
                                   SITE("b", .price = 0.02)};
    struct network_link links[] = {LINK("a", "b", .price = 0.01)};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links));
    struct world world = open_world(&network, 2);
    for (int64_t from = 0; from < 2; from++) {
        struct route route = between_learners(&world, from, 1 - from);
        double sum = 0;
        for (size_t i = 0; i < route.count; i++)
            sum += routes_link(world.routes, route.links[i]).price;
        ck_assert_double_eq_tol(route.price * 8e9, from ? 0.03 : 0.10, 1e-15);
        ck_assert_double_eq_tol(sum, route.price, 1e-24);
    }
    struct route route = between_learners(&world, 0, 1);
    EXPECT_WAY(&world, route, "uplink and downlink of a, way out of a, a to b");
    ck_assert_double_eq(bandwidth_of(&world, &route, 1), INFINITY);
    close_world(&world);
}
END_TEST

START_TEST(jitter_is_exponential)
{
    enum { DRAWS = 20000 };
    struct route route = {.latency = 1000, .jitter = 100 * SIM_MILLISECOND};
    struct sim_stream stream;
    double sum = 0;
    sim_stream_open(&stream, 1, 0, 9, 0);
    for (int i = 0; i < DRAWS; i++) {
        sim_time delay = route_delay(&route, &stream);
        ck_assert_int_ge(delay, 1000);
        sum += (double)(delay - 1000);
    }
    ck_assert_double_eq_tol(sum / DRAWS / 1e8, 1, 5 / sqrt(DRAWS));
    route.jitter = 0;
    uint64_t next = stream.next;
    ck_assert_int_eq(route_delay(&route, &stream), 1000);
    ck_assert_uint_eq(stream.next, next);
}
END_TEST

static double capacity_of(const struct routes *routes, size_t link, sim_time t)
{
    struct error error = {0};
    struct capacity *capacity = routes_capacity(routes, link, 1, 0, &error);
    ck_assert_msg(capacity != NULL, "%s", error.message);
    double factor = capacity_at(capacity, t);
    capacity_destroy(capacity);
    return factor;
}

/* Both ways of a thing change together, different things on their own, and strategies with different numbers
 * of learners meet the same changes. */
START_TEST(changes_belong_to_the_link)
{
    struct network_profile profiles[] = {PROFILE("p",
                                                 .random_factor = {.law = SIM_LAW_UNIFORM,
                                                                   .low = 0,
                                                                   .high = 1,
                                                                   .mean = NAN,
                                                                   .median = NAN,
                                                                   .deviation = NAN,
                                                                   .shape = NAN,
                                                                   .power = NAN,
                                                                   .sigma = NAN},
                                                 .random_lasting = {.law = SIM_LAW_EXPONENTIAL,
                                                                    .mean = 60,
                                                                    .low = NAN,
                                                                    .high = NAN,
                                                                    .median = NAN,
                                                                    .deviation = NAN,
                                                                    .shape = NAN,
                                                                    .power = NAN,
                                                                    .sigma = NAN})};
    struct network_site sites[] = {SITE("a", .uplink = 1e9, .profile = (char[]){"p"}),
                                   SITE("b", .uplink = 1e9, .profile = (char[]){"p"})};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .profiles = ITEMS(profiles),
                                            .between.bandwidth = 1e9, .between.profile = (char[]){"p"});
    struct world two = open_world(&network, 2), many = open_world(&network, 10);
    struct route there = between_learners(&two, 0, 1), back = between_learners(&two, 1, 0);
    struct route same = between_learners(&many, 0, 9);
    sim_time t = 1000 * SIM_SECOND;
    double a = capacity_of(two.routes, there.links[0], t), b = capacity_of(two.routes, there.links[2], t);
    double between = capacity_of(two.routes, there.links[1], t);
    ck_assert(a != b && a != between && b != between);
    ck_assert_double_eq(capacity_of(two.routes, back.links[2], t), a);
    ck_assert_double_eq(capacity_of(two.routes, back.links[0], t), b);
    ck_assert_double_eq(capacity_of(two.routes, back.links[1], t), between);
    ck_assert_double_eq(capacity_of(many.routes, same.links[0], t), a);
    ck_assert_double_eq(capacity_of(many.routes, same.links[1], t), between);
    ck_assert_double_eq(capacity_of(many.routes, same.links[2], t), b);
    close_world(&two);
    close_world(&many);
}
END_TEST

/* Numbers are dense, and every link on a route is below their count. */
START_TEST(every_number_is_a_link)
{
    struct network_site sites[] = {SITE("a", .uplink = 1e9), SITE("b", .inner_bandwidth = 1e9), SITE("c")};
    struct network_backbone backbones[] = {{.name = (char[]){"x"}, .bandwidth = 3e9}};
    struct network_link links[] = {LINK("a", "c", .bandwidth = 1e9)};
    struct network_config network =
        NETWORK(.sites = ITEMS(sites), .links = ITEMS(links), .backbones = ITEMS(backbones),
                .between.bandwidth = 1e9, .between.backbone = (char[]){"x"});
    struct world world = open_world(&network, 5);
    size_t count = routes_link_count(world.routes);
    ck_assert_uint_eq(count, 2 * 5 + 2 * 5 + 2 * 3 + 2 * 1 + 3 * 3 + 2 * 1);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_gt(strlen(routes_link(world.routes, i).name), 0);
    for (int64_t from = 0; from < 5; from++)
        for (int64_t to = 0; to < 5; to++) {
            struct route route = between_learners(&world, from, to);
            for (size_t i = 0; i < route.count; i++)
                ck_assert_uint_lt(route.links[i], count);
        }
    close_world(&world);
}
END_TEST

/* As long as names may be, and different in their last byte alone. */
#define LONG "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdefgh"

START_TEST(long_names_are_whole)
{
    struct network_site sites[] = {SITE(LONG "1", .uplink = 1e9, .backbone = (char[]){LONG "x"}),
                                   SITE(LONG "2", .uplink = 1e9, .backbone = (char[]){LONG "y"}),
                                   SITE(LONG "3", .uplink = 1e9)};
    struct network_backbone backbones[] = {{.name = (char[]){LONG "x"}, .bandwidth = 3e9},
                                           {.name = (char[]){LONG "y"}, .bandwidth = 3e9}};
    struct network_link links[] = {LINK(LONG "1", LONG "2", .bandwidth = 1e9, .duplex = DUPLEX_HALF)};
    struct network_config network = NETWORK(.sites = ITEMS(sites), .links = ITEMS(links),
                                            .backbones = ITEMS(backbones), .between.bandwidth = 1e9);
    struct world world = open_world(&network, 3);
    struct route route = between_learners(&world, 0, 1);
    EXPECT_WAY(&world, route,
               "uplink of " LONG "1, " LONG "x, " LONG "1 and " LONG "2, " LONG "y (back), downlink of " LONG
               "2");
    route = between_learners(&world, 2, 0);
    EXPECT_WAY(&world, route,
               "uplink of " LONG "3, " LONG "3 to " LONG "1, " LONG "x (back), downlink of " LONG "1");
    close_world(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("route");
    TCase *tests = tcase_create("route");
    tcase_add_test(tests, without_sites_learners_have_a_link_each);
    tcase_add_test(tests, all_that_lies_between_two_learners_is_crossed);
    tcase_add_test(tests, what_has_no_limit_is_not_there);
    tcase_add_test(tests, half_duplex_is_one_link);
    tcase_add_test(tests, pairs_have_their_own_way_or_the_default_one);
    tcase_add_test(tests, empty_sites_need_no_route);
    tcase_add_test(tests, parts_of_a_learner_have_ways_too);
    tcase_add_test(tests, loss_slows_transfers_down);
    tcase_add_test(tests, prices_are_those_of_the_way);
    tcase_add_test(tests, jitter_is_exponential);
    tcase_add_test(tests, changes_belong_to_the_link);
    tcase_add_test(tests, every_number_is_a_link);
    tcase_add_test(tests, long_names_are_whole);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
