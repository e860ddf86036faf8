/*
 * Collectives on an idle network of like ranks take what their formulas say. A rank has a link out and a link
 * in; for hierarchical ones, another two to the other groups.
 */
#include "models/network/collective.h"
#include "tests/models/scarce_memory.h"

#include <check.h>
#include <stdlib.h>

enum { RANKS_MOST = 66 };

static const double bandwidth = 10e9;
static const sim_time latency = 3 * SIM_MICROSECOND;
static const uint64_t bits = UINT64_C(8000000007);

struct world {
    struct sim_engine *engine;
    struct flows *flows;
    uint32_t out[RANKS_MOST], in[RANKS_MOST], far_out[RANKS_MOST], far_in[RANKS_MOST];
    uint32_t group[RANKS_MOST];
    double far_bandwidth;
    sim_time far_latency;
    sim_time slow_latency; /* of rank 0 to rank 1, if any */
    bool parted;           /* no way to the last rank */
    uint32_t asked;        /* how often, where chance has a part in latencies; else 0 */
    uint32_t ranks;
    bool confused; /* somebody asked for what makes no sense */
    int done;
    sim_time done_at;
};

static struct world world;

static void open_world(uint32_t ranks)
{
    world = (struct world){.engine = sim_engine_create(NULL), .ranks = ranks};
    world.flows = flows_create(world.engine, 20, NULL);
    for (uint32_t r = 0; r < ranks; r++) {
        world.out[r] = flows_add_link(world.flows, bandwidth);
        world.in[r] = flows_add_link(world.flows, bandwidth);
    }
}

static void add_groups(uint32_t size, double far_bandwidth, sim_time far_latency)
{
    world.far_latency = far_latency;
    for (uint32_t r = 0; r < world.ranks; r++) {
        world.group[r] = 100 + r / size;
        world.far_out[r] = flows_add_link(world.flows, far_bandwidth);
        world.far_in[r] = flows_add_link(world.flows, far_bandwidth);
    }
}

static void close_world(void)
{
    ck_assert(!flows_failed(world.flows) && !world.confused);
    flows_destroy(world.flows);
    sim_engine_destroy(world.engine);
}

static bool find_route(void *context, uint32_t from, uint32_t to, struct collective_route *route)
{
    world.confused |= context != &world || from == to;
    if (world.parted && to == world.ranks - 1)
        return false;
    bool far = world.group[from] != world.group[to];
    route->links[0] = far ? world.far_out[from] : world.out[from];
    route->links[1] = far ? world.far_in[to] : world.in[to];
    route->links_count = 2;
    route->latency = far ? world.far_latency : latency;
    if (world.slow_latency && from == 0 && to == 1)
        route->latency = world.slow_latency;
    if (world.asked)
        route->latency = world.asked <= world.ranks ? world.asked * latency : SIM_SECOND;
    world.asked += world.asked > 0;
    return true;
}

static void note_done(struct sim_engine *engine, void *context)
{
    world.confused |= context != &world;
    world.done++;
    world.done_at = sim_engine_now(engine);
}

static struct collective *start(struct collective_demand demand)
{
    demand.ranks = world.ranks;
    demand.route = find_route;
    demand.done = note_done;
    demand.context = &world;
    if (demand.algorithm == COLLECTIVE_HIERARCHICAL)
        demand.groups = world.group;
    struct collective *collective = collective_start(world.flows, &demand, NULL);
    ck_assert_ptr_nonnull(collective);
    return collective;
}

static void run_to_end(void)
{
    ck_assert(sim_engine_run(world.engine, SIM_NEVER, NULL));
    ck_assert_int_eq(world.done, 1);
    ck_assert_uint_eq(flows_count(world.flows), 0);
}

static sim_time time_of(uint32_t ranks, enum collective_algorithm algorithm, bool stepwise)
{
    open_world(ranks);
    start((struct collective_demand){
        .algorithm = algorithm, .bits = bits, .stepwise = stepwise, .root = ranks > 2 ? 2 : 0});
    run_to_end();
    close_world();
    return world.done_at;
}

static uint64_t divided_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Of so many bits to leave, in ns; all links here have whole or half bits a nanosecond. */
static sim_time sending(uint64_t sent, double rate)
{
    uint64_t twice = (uint64_t)(2 * rate / 1e9);
    return (sim_time)divided_up(2 * sent, twice);
}

static uint32_t ceil_log2(uint32_t p)
{
    uint32_t log = 0;
    while ((1u << log) < p)
        log++;
    return log;
}

static sim_time message(uint64_t sent)
{
    return latency + sending(sent, bandwidth);
}

START_TEST(test_steady_rings)
{
    for (uint32_t p = 1; p <= 33; p++) {
        sim_time once = (p - 1) * latency + sending(divided_up((p - 1) * bits, p), bandwidth);
        sim_time twice = 2 * (p - 1) * latency + sending(divided_up(2 * (p - 1) * bits, p), bandwidth);
        ck_assert_int_eq(time_of(p, COLLECTIVE_RING, false), twice);
        ck_assert_int_eq(time_of(p, COLLECTIVE_REDUCE_SCATTER, false), once);
        ck_assert_int_eq(time_of(p, COLLECTIVE_ALL_GATHER, false), once);
    }
}
END_TEST

START_TEST(test_stepwise_rings)
{
    for (uint32_t p = 1; p <= 33; p++) {
        sim_time step = message(divided_up(bits, p));
        ck_assert_int_eq(time_of(p, COLLECTIVE_RING, true), 2 * (p - 1) * step);
        ck_assert_int_eq(time_of(p, COLLECTIVE_REDUCE_SCATTER, true), (p - 1) * step);
        ck_assert_int_eq(time_of(p, COLLECTIVE_ALL_GATHER, true), (p - 1) * step);
    }
}
END_TEST

/* p − 1 blocks in ⌈lg p⌉ rounds there, and as many back. */
START_TEST(test_halving_doubling)
{
    for (uint32_t p = 1; p <= 33; p++) {
        sim_time expected = 0;
        uint32_t blocks = 0;
        for (uint32_t k = 0; k < ceil_log2(p); k++) {
            uint32_t part = p - (1u << k) < 1u << k ? p - (1u << k) : 1u << k;
            expected += 2 * message(divided_up(bits * part, p));
            blocks += part;
        }
        ck_assert_uint_eq(blocks, p - 1);
        ck_assert_int_eq(time_of(p, COLLECTIVE_HALVING_DOUBLING, false), expected);
        sim_time formula = 2 * ceil_log2(p) * latency + 2 * sending(divided_up(blocks * bits, p), bandwidth);
        ck_assert_int_le(llabs(expected - formula), 4 * ceil_log2(p));
    }
}
END_TEST

START_TEST(test_trees)
{
    for (uint32_t p = 1; p <= 33; p++) {
        ck_assert_int_eq(time_of(p, COLLECTIVE_TREE, false), 2 * ceil_log2(p) * message(bits));
        ck_assert_int_eq(time_of(p, COLLECTIVE_BROADCAST, false), ceil_log2(p) * message(bits));
    }
}
END_TEST

START_TEST(test_server_and_exchange)
{
    for (uint32_t p = 2; p <= 33; p++) {
        ck_assert_int_eq(time_of(p, COLLECTIVE_PUSH, false), message((p - 1) * bits));
        ck_assert_int_eq(time_of(p, COLLECTIVE_PULL, false), message((p - 1) * bits));
        ck_assert_int_eq(time_of(p, COLLECTIVE_EXCHANGE, false), (p - 1) * message(bits));
    }
}
END_TEST

static sim_time hierarchical_time(uint32_t size, uint32_t groups, bool stepwise)
{
    open_world(size * groups);
    add_groups(size, 2.5e9, SIM_MILLISECOND);
    start(
        (struct collective_demand){.algorithm = COLLECTIVE_HIERARCHICAL, .bits = bits, .stepwise = stepwise});
    run_to_end();
    close_world();
    return world.done_at;
}

START_TEST(test_hierarchical)
{
    for (uint32_t g = 1; g <= 8; g++)
        for (uint32_t p = 1; p <= 8; p++) {
            sim_time inner = (g - 1) * latency + sending(divided_up((g - 1) * bits, g), bandwidth);
            uint64_t sent = divided_up(2 * (p - 1) * bits, p * g);
            sim_time outer = 2 * (p - 1) * SIM_MILLISECOND + sending(sent, 2.5e9);
            ck_assert_int_eq(hierarchical_time(g, p, false), 2 * inner + outer);
            sim_time step = SIM_MILLISECOND + sending(divided_up(bits, p * g), 2.5e9);
            ck_assert_int_eq(hierarchical_time(g, p, true),
                             2 * (g - 1) * message(divided_up(bits, g)) + 2 * (p - 1) * step);
        }
}
END_TEST

/* Two groups of two and one of three: 3 rings among the groups, the small ones' first ranks in two of them.
 */
START_TEST(test_groups_of_different_sizes)
{
    for (int stepwise = 0; stepwise <= 1; stepwise++) {
        open_world(7);
        add_groups(2, 2.5e9, SIM_MILLISECOND);
        world.group[6] = world.group[5];
        start((struct collective_demand){
            .algorithm = COLLECTIVE_HIERARCHICAL, .bits = bits, .stepwise = stepwise});
        run_to_end();
        fluid_bits sent = 0;
        for (uint32_t r = 0; r < 7; r++)
            sent += flows_traffic(world.flows, world.far_out[r]).bits;
        ck_assert_uint_ge((uint64_t)sent, 4 * bits);
        ck_assert_uint_le((uint64_t)sent, 4 * bits + 100);
        close_world();
    }
}
END_TEST

/* A block passes a slow hop twice on its way through a ring; nobody waits for more. */
START_TEST(test_one_slow_hop)
{
    sim_time expected =
        14 * latency + 2 * (SIM_SECOND - latency) + sending(divided_up(14 * bits, 8), bandwidth);
    for (int stepwise = 0; stepwise <= 1; stepwise++) {
        open_world(8);
        world.slow_latency = SIM_SECOND;
        start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits, .stepwise = stepwise});
        run_to_end();
        ck_assert_int_ge(world.done_at, expected);
        ck_assert_int_le(world.done_at, expected + 14);
        close_world();
    }
}
END_TEST

/* Four hops of 1 to 4 latencies, drawn once each: six rounds go round once and over the third and fourth. */
START_TEST(test_latencies_by_chance)
{
    open_world(4);
    world.asked = 1;
    start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits});
    run_to_end();
    ck_assert_int_eq(world.done_at, sending(divided_up(6 * bits, 4), bandwidth) + (10 + 7) * latency);
    close_world();
}
END_TEST

/* Two that share all links take twice as long as one. */
START_TEST(test_two_at_once)
{
    open_world(8);
    start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits});
    start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits});
    ck_assert(sim_engine_run(world.engine, SIM_NEVER, NULL));
    ck_assert_int_eq(world.done, 2);
    ck_assert_int_eq(world.done_at, 14 * latency + sending(2 * divided_up(14 * bits, 8), bandwidth));
    close_world();
}
END_TEST

START_TEST(test_traffic_is_what_the_algorithm_sends)
{
    for (int algorithm = 0; algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
        open_world(8);
        add_groups(8, 1e9, 0);
        start((struct collective_demand){.algorithm = (enum collective_algorithm)algorithm, .bits = 8000});
        run_to_end();
        fluid_bits out = 0, in = 0;
        for (uint32_t r = 0; r < 8; r++) {
            out += flows_traffic(world.flows, world.out[r]).bits;
            in += flows_traffic(world.flows, world.in[r]).bits;
        }
        static const uint64_t expected[COLLECTIVE_ALGORITHMS] = {
            [COLLECTIVE_RING] = 14 * 8000,          [COLLECTIVE_HALVING_DOUBLING] = 14 * 8000,
            [COLLECTIVE_TREE] = 14 * 8000,          [COLLECTIVE_HIERARCHICAL] = 14 * 8000,
            [COLLECTIVE_REDUCE_SCATTER] = 7 * 8000, [COLLECTIVE_ALL_GATHER] = 7 * 8000,
            [COLLECTIVE_BROADCAST] = 7 * 8000,      [COLLECTIVE_PUSH] = 7 * 8000,
            [COLLECTIVE_PULL] = 7 * 8000,           [COLLECTIVE_EXCHANGE] = 56 * 8000,
        };
        ck_assert_uint_eq((uint64_t)out, expected[algorithm]);
        ck_assert_uint_eq((uint64_t)in, expected[algorithm]);
        close_world();
    }
}
END_TEST

START_TEST(test_cancel)
{
    for (int algorithm = 0; algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
        open_world(9);
        add_groups(3, 1e9, 100);
        struct collective *collective = start(
            (struct collective_demand){.algorithm = (enum collective_algorithm)algorithm, .bits = bits});
        ck_assert(sim_engine_run(world.engine, SIM_SECOND / 10, NULL));
        fluid_bits sent = collective_cancel(collective), out = 0;
        ck_assert(sim_engine_run(world.engine, SIM_NEVER, NULL));
        ck_assert_int_eq(world.done, 0);
        for (uint32_t r = 0; r < 9; r++)
            out += flows_traffic(world.flows, world.out[r]).bits +
                   flows_traffic(world.flows, world.far_out[r]).bits;
        ck_assert(sent > 0 && sent == out);
        close_world();
    }
}
END_TEST

START_TEST(test_one_rank)
{
    for (int algorithm = 0; algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
        open_world(1);
        struct collective *collective = start(
            (struct collective_demand){.algorithm = (enum collective_algorithm)algorithm, .bits = bits});
        ck_assert_int_eq(world.done, 0);
        if (algorithm % 2)
            ck_assert(collective_cancel(collective) == 0);
        ck_assert(sim_engine_run(world.engine, SIM_NEVER, NULL));
        ck_assert_int_eq(world.done, algorithm % 2 ? 0 : 1);
        close_world();
    }
}
END_TEST

/* A message of more bits than a flow can have has as many as it can. */
START_TEST(test_the_most_bits)
{
    for (int algorithm = 0; algorithm < 2 * COLLECTIVE_ALGORITHMS; algorithm++) {
        open_world(4);
        add_groups(2, bandwidth, latency);
        struct collective *collective =
            start((struct collective_demand){.algorithm = (enum collective_algorithm)(algorithm / 2),
                                             .stepwise = algorithm % 2,
                                             .bits = FLUID_BITS_LIMIT});
        ck_assert(sim_engine_run(world.engine, 1000 * SIM_SECOND, NULL));
        ck_assert_int_eq(world.done, 0);
        ck_assert(flows_carried(world.flows) > 0);
        collective_cancel(collective);
        close_world();
    }
}
END_TEST

/* It waits without an event, and can be taken back. */
START_TEST(test_no_route)
{
    open_world(4);
    world.parted = true;
    struct collective *collective =
        start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits});
    ck_assert(sim_engine_run(world.engine, SIM_NEVER, NULL));
    ck_assert_int_eq(world.done, 0);
    ck_assert(collective_cancel(collective) > 0);
    close_world();
}
END_TEST

/* The links of a rank are down for a second. */
START_TEST(test_outage)
{
    for (int stepwise = 0; stepwise <= 1; stepwise++) {
        sim_time plain = time_of(4, COLLECTIVE_RING, stepwise);
        open_world(4);
        start((struct collective_demand){.algorithm = COLLECTIVE_RING, .bits = bits, .stepwise = stepwise});
        ck_assert(sim_engine_run(world.engine, SIM_SECOND / 10, NULL));
        flows_set_capacity(world.flows, world.out[1], 0);
        ck_assert(sim_engine_run(world.engine, SIM_SECOND / 10 + SIM_SECOND, NULL));
        flows_set_capacity(world.flows, world.out[1], bandwidth);
        run_to_end();
        ck_assert_int_ge(world.done_at, plain + SIM_SECOND);
        ck_assert_int_le(world.done_at, plain + SIM_SECOND + 1);
        close_world();
    }
}
END_TEST

/* True when nothing failed; *TOLD when that, or what failed, was told. Check allocates, and so asserts
 * nothing here.
 */
static bool try_all(bool *told)
{
    struct error error = {.kind = ERROR_NONE};
    struct collective *collective = NULL;
    world = (struct world){.engine = sim_engine_create(&error), .ranks = 6};
    world.flows = world.engine ? flows_create(world.engine, 20, &error) : NULL;
    bool good = world.flows != NULL;
    for (uint32_t r = 0; good && r < world.ranks; r++) {
        world.group[r] = r / 4;
        world.out[r] = world.far_out[r] = flows_add_link(world.flows, bandwidth * (1 + r));
        world.in[r] = world.far_in[r] = flows_add_link(world.flows, bandwidth);
        good = world.in[r] != UINT32_MAX;
    }
    for (int algorithm = 0; good && algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
        struct collective_demand demand = {.algorithm = (enum collective_algorithm)algorithm,
                                           .ranks = world.ranks,
                                           .bits = bits,
                                           .groups = world.group,
                                           .route = find_route,
                                           .done = note_done,
                                           .context = &world};
        collective = collective_start(world.flows, &demand, &error);
        good = collective && sim_engine_run(world.engine, SIM_NEVER, &error) && !flows_failed(world.flows);
        good = good && world.done == algorithm + 1;
    }
    if (!good && collective && world.flows)
        collective_cancel(collective);
    *told = good || error.kind == ERROR_SYSTEM || flows_failed(world.flows);
    flows_destroy(world.flows);
    sim_engine_destroy(world.engine);
    return good;
}

START_TEST(test_memory_runs_out)
{
    long failure = 0;
    for (bool good = false; !good; failure++) {
        scarce_memory_left = failure;
        bool told;
        good = try_all(&told);
        scarce_memory_left = -1;
        ck_assert(told);
    }
    ck_assert_int_gt(failure, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("collective");
    TCase *tests = tcase_create("collective");
    tcase_add_test(tests, test_steady_rings);
    tcase_add_test(tests, test_stepwise_rings);
    tcase_add_test(tests, test_halving_doubling);
    tcase_add_test(tests, test_trees);
    tcase_add_test(tests, test_server_and_exchange);
    tcase_add_test(tests, test_hierarchical);
    tcase_add_test(tests, test_groups_of_different_sizes);
    tcase_add_test(tests, test_one_slow_hop);
    tcase_add_test(tests, test_latencies_by_chance);
    tcase_add_test(tests, test_two_at_once);
    tcase_add_test(tests, test_traffic_is_what_the_algorithm_sends);
    tcase_add_test(tests, test_cancel);
    tcase_add_test(tests, test_one_rank);
    tcase_add_test(tests, test_the_most_bits);
    tcase_add_test(tests, test_no_route);
    tcase_add_test(tests, test_outage);
    tcase_add_test(tests, test_memory_runs_out);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
