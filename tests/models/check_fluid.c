/*
 * The solver against progressive filling in long double, which shares nothing with it: all rates rise
 * together, in proportion to the weights, until a link is full or a cap is reached; what is held there stays,
 * the others go on.
 */
#include "models/network/fluid_internal.h"
#include "sim/stream.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { LINKS_MOST = 12, FLOWS_MOST = 40, PATH_MOST = 4, NETWORKS = 1000, CHANGES = 40 };

struct mirror_flow {
    fluid_flow name;
    uint32_t link[PATH_MOST];
    uint32_t links_count;
    uint32_t weight;
    uint64_t bits;
    double cap; /* 0: none */
    long double rate;
    long double served; /* bits, by the rates found here */
    bool settled;
};

struct mirror {
    struct fluid *fluid;
    struct sim_stream stream;
    sim_time now;
    double capacity[LINKS_MOST];
    fluid_bits carried[LINKS_MOST]; /* by flows that are over */
    long double peak[LINKS_MOST];   /* greatest rate that lasted, bit/s */
    uint32_t links_count;
    struct mirror_flow flow[FLOWS_MOST];
    uint32_t flows_count;
};

static uint32_t below(struct mirror *mirror, uint32_t n)
{
    return (uint32_t)sim_stream_below(&mirror->stream, n);
}

static double power_of_ten(struct mirror *mirror, double low, double high)
{
    return pow(10, low + (high - low) * sim_stream_uniform(&mirror->stream));
}

static bool passes(const struct mirror_flow *flow, uint32_t link)
{
    for (uint32_t i = 0; i < flow->links_count; i++)
        if (flow->link[i] == link)
            return true;
    return false;
}

/* The level at which LINK is full, by what is settled so far; INFINITY when all is settled. */
static long double full_at(const struct mirror *mirror, uint32_t link)
{
    long double left = mirror->capacity[link], weight = 0;
    for (uint32_t i = 0; i < mirror->flows_count; i++) {
        const struct mirror_flow *flow = &mirror->flow[i];
        if (!passes(flow, link))
            continue;
        if (flow->settled)
            left -= flow->rate;
        else
            weight += flow->weight;
    }
    return weight > 0 ? fmaxl(left, 0) / weight : INFINITY;
}

static void settle(struct mirror_flow *flow, long double level)
{
    flow->rate = flow->weight * level;
    flow->settled = true;
}

static bool settle_lowest(struct mirror *mirror)
{
    long double least = INFINITY;
    uint32_t link = 0;
    for (uint32_t i = 0; i < mirror->links_count; i++)
        if (full_at(mirror, i) < least)
            least = full_at(mirror, link = i);
    struct mirror_flow *capped = NULL;
    for (struct mirror_flow *flow = mirror->flow; flow < mirror->flow + mirror->flows_count; flow++)
        if (!flow->settled && flow->cap > 0 && flow->cap / flow->weight < least) {
            least = (long double)flow->cap / flow->weight;
            capped = flow;
        }
    if (isinf(least))
        return false;
    if (capped)
        settle(capped, least);
    else
        for (uint32_t i = 0; i < mirror->flows_count; i++)
            if (!mirror->flow[i].settled && passes(&mirror->flow[i], link))
                settle(&mirror->flow[i], least);
    return true;
}

static void settle_all(struct mirror *mirror)
{
    for (uint32_t i = 0; i < mirror->flows_count; i++)
        mirror->flow[i].settled = false;
    while (settle_lowest(mirror))
        ;
}

static void open_mirror(struct mirror *mirror, uint64_t seed)
{
    *mirror = (struct mirror){.fluid = fluid_create(NULL)};
    sim_stream_open(&mirror->stream, seed, 0, 0, 0);
    mirror->links_count = 1 + below(mirror, LINKS_MOST);
    bool alike = below(mirror, 2);
    for (uint32_t i = 0; i < mirror->links_count; i++) {
        mirror->capacity[i] = alike ? 1e9 : power_of_ten(mirror, 6, 10);
        ck_assert_uint_eq(fluid_add_link(mirror->fluid, mirror->capacity[i]), i);
    }
}

static void start(struct mirror *mirror)
{
    struct mirror_flow flow = {.weight = below(mirror, 2) ? 1 : 1 + below(mirror, 9),
                               .links_count = 1 + below(mirror, PATH_MOST),
                               .bits = (uint64_t)power_of_ten(mirror, 0, 12),
                               .cap = below(mirror, 4) ? 0 : power_of_ten(mirror, 5, 10)};
    for (uint32_t i = 0; i < flow.links_count; i++)
        flow.link[i] = below(mirror, mirror->links_count);
    struct fluid_demand demand = {.links = flow.link,
                                  .links_count = flow.links_count,
                                  .weight = flow.weight,
                                  .bits = flow.bits,
                                  .rate_cap = flow.cap};
    flow.name = fluid_start(mirror->fluid, &demand);
    ck_assert_uint_ne(flow.name, 0);
    mirror->flow[mirror->flows_count++] = flow;
}

static void forget(struct mirror *mirror, uint32_t number, uint64_t bits)
{
    const struct mirror_flow *flow = &mirror->flow[number];
    for (uint32_t i = 0; i < mirror->links_count; i++)
        if (passes(flow, i))
            mirror->carried[i] += bits;
    mirror->flow[number] = mirror->flow[--mirror->flows_count];
}

static void cancel(struct mirror *mirror)
{
    uint32_t number = below(mirror, mirror->flows_count);
    fluid_flow name = mirror->flow[number].name;
    uint64_t sent = fluid_sent(mirror->fluid, name), bits = fluid_cancel(mirror->fluid, name);
    ck_assert_uint_eq(sent, bits);
    ck_assert_uint_le(bits, mirror->flow[number].bits);
    ck_assert_uint_eq(fluid_cancel(mirror->fluid, name), 0);
    forget(mirror, number, bits);
}

static void pop_all(struct mirror *mirror)
{
    void *context;
    for (fluid_flow name; (name = fluid_pop(mirror->fluid, &context)) != 0;) {
        uint32_t i = 0;
        while (i < mirror->flows_count && mirror->flow[i].name != name)
            i++;
        ck_assert_uint_lt(i, mirror->flows_count);
        const struct mirror_flow *flow = &mirror->flow[i];
        long double bits = (long double)flow->bits, slack = 1e-6L + 1e-9L * bits;
        ck_assert(flow->served >= bits - slack - flow->rate * 1e-12L);
        ck_assert(flow->served - flow->rate * 1e-9L <= bits + slack);
        forget(mirror, i, mirror->flow[i].bits);
    }
}

static void note_peaks(struct mirror *mirror)
{
    for (uint32_t link = 0; link < mirror->links_count; link++) {
        long double load = 0;
        for (uint32_t i = 0; i < mirror->flows_count; i++)
            load += passes(&mirror->flow[i], link) ? mirror->flow[i].rate : 0;
        mirror->peak[link] = fmaxl(mirror->peak[link], load);
    }
}

static void serve(struct mirror *mirror, sim_time time)
{
    settle_all(mirror);
    if (time > 0)
        note_peaks(mirror);
    for (uint32_t i = 0; i < mirror->flows_count; i++)
        mirror->flow[i].served += mirror->flow[i].rate * (long double)time * 1e-9L;
}

static void let_pass(struct mirror *mirror)
{
    sim_time next = fluid_next(mirror->fluid), before = mirror->now;
    if (next == SIM_NEVER)
        mirror->now += 1000;
    else if (below(mirror, 2))
        mirror->now = next;
    else
        mirror->now += (next - mirror->now) / (1 + below(mirror, 5));
    serve(mirror, mirror->now - before);
    fluid_advance(mirror->fluid, mirror->now);
    pop_all(mirror);
}

static void change_capacity(struct mirror *mirror)
{
    uint32_t link = below(mirror, mirror->links_count);
    mirror->capacity[link] = below(mirror, 4) ? power_of_ten(mirror, 6, 10) : 0;
    fluid_set_capacity(mirror->fluid, link, mirror->capacity[link]);
}

static void change(struct mirror *mirror)
{
    for (uint32_t times = 1 + below(mirror, 3); times > 0; times--)
        switch (below(mirror, 6)) {
        case 0:
            if (mirror->flows_count)
                cancel(mirror);
            break;
        case 1:
            change_capacity(mirror);
            break;
        case 2:
            let_pass(mirror);
            break;
        default:
            if (mirror->flows_count < FLOWS_MOST)
                start(mirror);
        }
}

static void compare_rates(struct mirror *mirror)
{
    settle_all(mirror);
    for (uint32_t i = 0; i < mirror->flows_count; i++) {
        double rate = fluid_rate(mirror->fluid, mirror->flow[i].name);
        ck_assert_double_le(fabs(rate - (double)mirror->flow[i].rate), 1e-9 * (double)mirror->flow[i].rate);
    }
}

/* Everyone is among the largest, by weight, on a full link, or at its cap; no link carries too much. */
static bool is_held(const struct mirror *mirror, const struct mirror_flow *flow, const double load[],
                    const double most[])
{
    double rate = fluid_rate(mirror->fluid, flow->name);
    if (flow->cap > 0 && rate >= flow->cap * (1 - 1e-9))
        return true;
    for (uint32_t i = 0; i < flow->links_count; i++) {
        uint32_t link = flow->link[i];
        if (load[link] >= mirror->capacity[link] * (1 - 1e-9) &&
            rate / flow->weight >= most[link] * (1 - 1e-9))
            return true;
    }
    return false;
}

static void check_condition(struct mirror *mirror)
{
    double load[LINKS_MOST] = {0}, most[LINKS_MOST] = {0};
    for (const struct mirror_flow *flow = mirror->flow; flow < mirror->flow + mirror->flows_count; flow++)
        for (uint32_t i = 0; i < mirror->links_count; i++) {
            if (!passes(flow, i))
                continue;
            double rate = fluid_rate(mirror->fluid, flow->name);
            load[i] += rate;
            most[i] = fmax(most[i], rate / flow->weight);
        }
    for (uint32_t i = 0; i < mirror->links_count; i++) {
        ck_assert_double_le(load[i], mirror->capacity[i] * (1 + 1e-9));
        ck_assert_double_le(fabs(load[i] - fluid_load(mirror->fluid, i)), 1e-9 * load[i]);
    }
    for (uint32_t i = 0; i < mirror->flows_count; i++)
        ck_assert(is_held(mirror, &mirror->flow[i], load, most));
}

static void check_bits(struct mirror *mirror)
{
    for (uint32_t i = 0; i < mirror->flows_count; i++) {
        const struct mirror_flow *flow = &mirror->flow[i];
        long double sent = (long double)fluid_sent(mirror->fluid, flow->name);
        ck_assert(sent <= flow->served + 1e-6L + 1e-9L * flow->served);
        ck_assert(sent >= flow->served - 1 - 1e-6L - 1e-9L * flow->served);
    }
    for (uint32_t link = 0; link < mirror->links_count; link++) {
        fluid_bits bits = mirror->carried[link];
        for (uint32_t i = 0; i < mirror->flows_count; i++)
            if (passes(&mirror->flow[i], link))
                bits += fluid_sent(mirror->fluid, mirror->flow[i].name);
        struct fluid_traffic traffic = fluid_traffic(mirror->fluid, link);
        ck_assert(traffic.bits == bits);
        ck_assert(fabsl(traffic.peak - mirror->peak[link]) <= 1e-9L * mirror->peak[link]);
    }
}

START_TEST(test_random_networks)
{
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        struct mirror mirror;
        open_mirror(&mirror, seed);
        for (int i = 0; i < CHANGES; i++) {
            change(&mirror);
            compare_rates(&mirror);
            check_condition(&mirror);
            check_bits(&mirror);
        }
        ck_assert_uint_eq(fluid_count(mirror.fluid), mirror.flows_count);
        ck_assert(!fluid_failed(mirror.fluid));
        fluid_destroy(mirror.fluid);
    }
}
END_TEST

/* The same after very many changes: nothing drifts. */
START_TEST(test_long_life)
{
    struct mirror mirror;
    open_mirror(&mirror, NETWORKS);
    for (int i = 0; i < 100000; i++)
        change(&mirror);
    compare_rates(&mirror);
    check_condition(&mirror);
    check_bits(&mirror);
    fluid_destroy(mirror.fluid);
}
END_TEST

static fluid_flow send(struct fluid *fluid, const uint32_t *links, uint32_t count, uint64_t bits)
{
    fluid_flow flow = fluid_start(
        fluid, &(struct fluid_demand){.links = links, .links_count = count, .weight = 1, .bits = bits});
    ck_assert_uint_ne(flow, 0);
    return flow;
}

/* One flow over a link and 29 others, and one over it and each of these: when its level changes, each of
 * the others hears of it twice, and has room for both. */
START_TEST(test_two_of_one_pair)
{
    enum { OTHERS = 29 };
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[1 + OTHERS];
    fluid_flow alone[OTHERS];
    for (int i = 0; i <= OTHERS; i++)
        link[i] = fluid_add_link(fluid, i ? 1e9 : 60e6);
    fluid_flow all = send(fluid, link, 1 + OTHERS, UINT64_C(1) << 60);
    for (int i = 0; i < OTHERS; i++) {
        send(fluid, (uint32_t[]){link[0], link[1 + i]}, 2, UINT64_C(1) << 60);
        alone[i] = send(fluid, &link[1 + i], 1, UINT64_C(1) << 60);
    }
    for (int change = 2; change < 12; change++) {
        fluid_set_capacity(fluid, link[0], 30e6 * change);
        ck_assert_double_eq(fluid_rate(fluid, all), 1e6 * change);
        for (int i = 0; i < OTHERS; i++)
            ck_assert_double_eq(fluid_rate(fluid, alone[i]), 1e9 - 2e6 * change);
    }
    fluid_destroy(fluid);
}
END_TEST

/* A long flow over n links, each with a short one of its own: everybody has half (parking lot). Where a link
 * is thinner, the long one has half of that, and the short ones elsewhere the rest. */
START_TEST(test_parking_lot)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[4];
    fluid_flow cross[4];
    for (int i = 0; i < 4; i++)
        link[i] = fluid_add_link(fluid, 1e9);
    fluid_flow along = send(fluid, link, 4, 1000000);
    for (int i = 0; i < 4; i++)
        cross[i] = send(fluid, &link[i], 1, 1000000);
    ck_assert_double_eq(fluid_rate(fluid, along), 5e8);
    fluid_set_capacity(fluid, link[2], 1e8);
    ck_assert_double_eq(fluid_rate(fluid, along), 5e7);
    ck_assert_double_eq(fluid_rate(fluid, cross[2]), 5e7);
    ck_assert_double_eq(fluid_rate(fluid, cross[0]), 9.5e8);
    fluid_cancel(fluid, cross[2]);
    ck_assert_double_eq(fluid_rate(fluid, along), 1e8);
    ck_assert_double_eq(fluid_rate(fluid, cross[3]), 9e8);
    fluid_destroy(fluid);
}
END_TEST

static const uint64_t ten_terabytes = UINT64_C(80000000000000);

START_TEST(test_one_byte_and_ten_terabytes)
{
    struct fluid *fluid = fluid_create(NULL);
    void *context;
    uint32_t link = fluid_add_link(fluid, 1e9);
    fluid_flow large = send(fluid, &link, 1, ten_terabytes), small = send(fluid, &link, 1, 8);
    ck_assert_int_eq(fluid_next(fluid), 16);
    fluid_advance(fluid, 16);
    ck_assert_uint_eq(fluid_pop(fluid, &context), small);
    ck_assert_uint_eq(fluid_sent(fluid, large), 8);
    ck_assert_int_eq(fluid_next(fluid), (sim_time)ten_terabytes + 8);
    fluid_advance(fluid, (sim_time)ten_terabytes);
    small = send(fluid, &link, 1, 4);
    fluid_advance(fluid, (sim_time)ten_terabytes + 8);
    ck_assert_uint_eq(fluid_pop(fluid, &context), small);
    ck_assert_int_eq(fluid_next(fluid), (sim_time)ten_terabytes + 12);
    fluid_advance(fluid, (sim_time)ten_terabytes + 12);
    ck_assert_uint_eq(fluid_pop(fluid, &context), large);
    ck_assert(fluid_traffic(fluid, link).bits == ten_terabytes + 12);
    fluid_destroy(fluid);
}
END_TEST

/* An exabyte over a petabit a second, and a bit at a bit a second. */
START_TEST(test_extremes)
{
    struct fluid *fluid = fluid_create(NULL);
    void *context;
    uint32_t wide = fluid_add_link(fluid, HUGE_VAL), thin = fluid_add_link(fluid, 1);
    send(fluid, &wide, 1, UINT64_C(4000000000000000000));
    send(fluid, &thin, 1, 1);
    ck_assert_int_eq(fluid_next(fluid), SIM_SECOND);
    fluid_advance(fluid, SIM_SECOND);
    ck_assert_uint_ne(fluid_pop(fluid, &context), 0);
    ck_assert_int_eq(fluid_next(fluid), 4000 * SIM_SECOND);
    fluid_advance(fluid, 4000 * SIM_SECOND);
    ck_assert_uint_ne(fluid_pop(fluid, &context), 0);
    ck_assert_double_eq(fluid_traffic(fluid, wide).peak, FLUID_CAPACITY_LIMIT);
    fluid_destroy(fluid);
}
END_TEST

START_TEST(test_no_capacity)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[2] = {fluid_add_link(fluid, 1e9), fluid_add_link(fluid, 0)};
    fluid_flow stalled = send(fluid, link, 2, 1000), other = send(fluid, link, 1, 1000);
    ck_assert_double_eq(fluid_rate(fluid, stalled), 0);
    ck_assert_double_eq(fluid_rate(fluid, other), 1e9);
    ck_assert_int_eq(fluid_next(fluid), 1000);
    fluid_cancel(fluid, other);
    ck_assert_int_eq(fluid_next(fluid), SIM_NEVER);
    fluid_advance(fluid, SIM_SECOND);
    ck_assert_uint_eq(fluid_sent(fluid, stalled), 0);
    fluid_set_capacity(fluid, link[1], 5e8);
    ck_assert_int_eq(fluid_next(fluid), SIM_SECOND + 2000);
    ck_assert_double_eq(fluid_load(fluid, link[0]), 5e8);
    fluid_destroy(fluid);
}
END_TEST

/* What lasts no time is no peak; what ends leaves one. */
START_TEST(test_peak)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[3] = {fluid_add_link(fluid, 1e9), fluid_add_link(fluid, 3e8), fluid_add_link(fluid, 2e8)};
    send(fluid, (uint32_t[]){link[0], link[1]}, 2, 3000);
    fluid_flow brief = send(fluid, link, 1, 1000);
    ck_assert_double_eq_tol(fluid_load(fluid, link[0]), 1e9, 1e-3);
    fluid_cancel(fluid, brief);
    fluid_advance(fluid, 10);
    ck_assert_double_eq_tol(fluid_traffic(fluid, link[0]).peak, 3e8, 1e-3);
    send(fluid, (uint32_t[]){link[0], link[2]}, 2, 2000);
    fluid_advance(fluid, 20);
    ck_assert_double_eq_tol(fluid_traffic(fluid, link[0]).peak, 5e8, 1e-3);
    ck_assert_double_eq_tol(fluid_traffic(fluid, link[2]).peak, 2e8, 1e-3);
    ck_assert(fluid_traffic(fluid, link[0]).bits == 3 + 3 + 2);
    fluid_set_capacity(fluid, link[1], 1e8);
    fluid_advance(fluid, 30);
    ck_assert_double_eq_tol(fluid_load(fluid, link[0]), 3e8, 1e-3);
    ck_assert_double_eq_tol(fluid_traffic(fluid, link[0]).peak, 5e8, 1e-3);
    fluid_destroy(fluid);
}
END_TEST

/* A flow may need nearly all the time there is; one that needs more never ends. */
START_TEST(test_longest_waits)
{
    struct fluid *fluid = fluid_create(NULL);
    void *context;
    uint32_t link = fluid_add_link(fluid, 1e9), thin = fluid_add_link(fluid, 5e8);
    fluid_flow flow = send(fluid, &link, 1, FLUID_BITS_LIMIT);
    send(fluid, &thin, 1, FLUID_BITS_LIMIT);
    ck_assert_double_eq_tol((double)fluid_next(fluid), 0x1p62, 0x1p13);
    fluid_advance(fluid, fluid_next(fluid));
    ck_assert_uint_eq(fluid_pop(fluid, &context), flow);
    ck_assert_int_eq(fluid_next(fluid), SIM_NEVER);
    fluid_destroy(fluid);
}
END_TEST

/* A link whose level stays for half a year, as each flow that ends is followed by another, still tells
 * nanoseconds apart. */
START_TEST(test_steady_level)
{
    struct fluid *fluid = fluid_create(NULL);
    void *context;
    uint32_t link = fluid_add_link(fluid, 2e9);
    send(fluid, &link, 1, FLUID_BITS_LIMIT);
    send(fluid, &link, 1, UINT64_C(1) << 54);
    sim_time now = fluid_next(fluid);
    for (uint64_t bits = 1; bits < 200; bits++) {
        ck_assert_int_eq(fluid_next(fluid), now);
        fluid_advance(fluid, now);
        ck_assert_uint_ne(fluid_pop(fluid, &context), 0);
        send(fluid, &link, 1, bits);
        now += (sim_time)bits;
    }
    fluid_destroy(fluid);
}
END_TEST

/* What a link was about to carry for no time leaves no rounding behind. */
START_TEST(test_peak_after_a_moment_of_much_more)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[3] = {fluid_add_link(fluid, 3e9), fluid_add_link(fluid, 0.1), fluid_add_link(fluid, 0.1)};
    send(fluid, (uint32_t[]){link[0], link[1]}, 2, 1000);
    send(fluid, (uint32_t[]){link[0], link[2]}, 2, 1000);
    ck_assert_double_eq_tol(fluid_load(fluid, link[0]), 0.2, 1e-12);
    fluid_set_capacity(fluid, link[2], FLUID_CAPACITY_LIMIT);
    ck_assert_int_lt(fluid_next(fluid), SIM_SECOND);
    fluid_set_capacity(fluid, link[2], 0.1);
    fluid_advance(fluid, 1);
    ck_assert_double_eq_tol(fluid_traffic(fluid, link[0]).peak, 0.2, 1e-6);
    fluid_destroy(fluid);
}
END_TEST

enum { SPOKES = 20, HUB = SPOKES, TURNS = 20000 };

/* A flow from each of many links over one that all share and that has room to spare. The rates go up and down
 * until loads have been summed afresh, which makes a hub of it; it takes a tenth of a second. */
static struct fluid *open_star(fluid_flow flow[SPOKES])
{
    struct fluid *fluid = fluid_create(NULL);
    for (uint32_t i = 0; i < SPOKES; i++)
        fluid_add_link(fluid, 1e9);
    fluid_add_link(fluid, 1e11);
    for (uint32_t i = 0; i < SPOKES; i++)
        flow[i] = send(fluid, (uint32_t[]){HUB, i}, 2, ten_terabytes);
    for (sim_time now = 1; now <= TURNS; now++) {
        fluid_advance(fluid, now * 5000);
        fluid_set_capacity(fluid, (uint32_t)now % SPOKES, now / SPOKES % 2 ? 1e9 : 2e9);
    }
    for (uint32_t i = 0; i < SPOKES; i++)
        fluid_set_capacity(fluid, i, 1e9);
    return fluid;
}

START_TEST(test_hub)
{
    fluid_flow flow[SPOKES];
    struct fluid *fluid = open_star(flow);
    fluid_bits sent = 0;
    for (uint32_t i = 0; i < SPOKES; i++) {
        ck_assert(fluid_crosses(fluid, flow[i], HUB) && fluid_crosses(fluid, flow[i], i));
        ck_assert_double_eq_tol(fluid_rate(fluid, flow[i]), 1e9, 1);
        sent += fluid_sent(fluid, flow[i]);
    }
    ck_assert(!fluid_crosses(fluid, send(fluid, (uint32_t[]){0}, 1, 1), HUB));
    ck_assert(fluid_traffic(fluid, HUB).bits == sent);
    ck_assert_double_eq_tol(fluid_traffic(fluid, HUB).peak, 4e10, 100);
    ck_assert_double_eq_tol(fluid_load(fluid, HUB), 1.95e10, 100);
    uint64_t bits = fluid_sent(fluid, flow[0]);
    ck_assert_uint_eq(fluid_cancel(fluid, flow[0]), bits);
    ck_assert_double_eq_tol(fluid_load(fluid, HUB), 1.9e10, 100);
    ck_assert(fluid_traffic(fluid, HUB).bits == sent);
    fluid_destroy(fluid);
}
END_TEST

/* Whatever fills the hub: less capacity, faster flows, or one that nothing else holds. */
START_TEST(test_hub_fills)
{
    fluid_flow flow[SPOKES];
    for (int how = 0; how < 3; how++) {
        struct fluid *fluid = open_star(flow);
        fluid_flow alone = 0;
        if (how == 0)
            fluid_set_capacity(fluid, HUB, 1e10);
        else if (how == 1)
            for (uint32_t i = 0; i < SPOKES; i++)
                fluid_set_capacity(fluid, i, 6e9);
        else
            alone = send(fluid, (uint32_t[]){HUB}, 1, ten_terabytes);
        double rate = how == 0 ? 5e8 : how == 1 ? 5e9 : 1e9;
        for (uint32_t i = 0; i < SPOKES; i++)
            ck_assert_double_eq_tol(fluid_rate(fluid, flow[i]), rate, 10);
        if (alone)
            ck_assert_double_eq_tol(fluid_rate(fluid, alone), 8e10, 100);
        ck_assert_double_eq_tol(fluid_load(fluid, HUB), how == 0 ? 1e10 : 1e11, 100);
        fluid_destroy(fluid);
    }
}
END_TEST

/* A load that was far above a link's capacity until the link took it over leaves nothing of its rounding:
 * what goes there later is held when it is too much. */
START_TEST(test_load_after_a_flood)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t shared = fluid_add_link(fluid, 1e6), slow = fluid_add_link(fluid, 1000.3),
             wide = fluid_add_link(fluid, 1e3), rest = fluid_add_link(fluid, 1e6 - 1000.3 + 0.04);
    fluid_flow stays = send(fluid, (uint32_t[]){slow, shared}, 2, 1000000);
    fluid_flow flood = send(fluid, (uint32_t[]){wide, shared}, 2, 1000000);
    fluid_advance(fluid, 10);
    fluid_set_capacity(fluid, wide, FLUID_CAPACITY_LIMIT);
    fluid_advance(fluid, 20);
    fluid_cancel(fluid, flood);
    fluid_flow other = send(fluid, (uint32_t[]){rest, shared}, 2, 1000000);
    ck_assert_double_eq_tol(fluid_rate(fluid, stays), 1000.3, 1e-6);
    ck_assert_double_eq_tol(fluid_rate(fluid, other), 1e6 - 1000.3, 1e-6);
    fluid_destroy(fluid);
}
END_TEST

START_TEST(test_names)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link = fluid_add_link(fluid, 1e9);
    int marks[3];
    fluid_flow flow[3];
    void *context = NULL;
    ck_assert_uint_eq(fluid_cancel(fluid, 0), 0);
    for (int i = 0; i < 3; i++)
        flow[i] = fluid_start(fluid, &(struct fluid_demand){.links = (uint32_t[]){link, link},
                                                            .links_count = 2,
                                                            .weight = 1,
                                                            .bits = 100,
                                                            .context = &marks[i]});
    fluid_advance(fluid, fluid_next(fluid));
    ck_assert_uint_eq(fluid_cancel(fluid, flow[1]), 100);
    ck_assert_uint_eq(fluid_pop(fluid, &context), flow[0]);
    ck_assert_ptr_eq(context, &marks[0]);
    ck_assert_uint_eq(fluid_pop(fluid, &context), flow[2]);
    ck_assert_ptr_eq(context, &marks[2]);
    ck_assert_uint_eq(fluid_pop(fluid, &context), 0);
    ck_assert(fluid_traffic(fluid, link).bits == 300);
    flow[0] = send(fluid, &link, 1, 5);
    ck_assert_uint_eq(fluid_cancel(fluid, flow[2]), 0);
    ck_assert_uint_eq(fluid_count(fluid), 1);
    fluid_destroy(fluid);
}
END_TEST

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* All rates and times of a random life, in a number. */
static uint64_t life(uint64_t seed)
{
    struct mirror mirror;
    uint64_t hash = 1;
    open_mirror(&mirror, seed);
    for (int i = 0; i < 2000; i++) {
        change(&mirror);
        sim_time next = fluid_next(mirror.fluid);
        hash = mix(hash, &next, sizeof next);
        for (uint32_t j = 0; j < mirror.flows_count; j++) {
            double rate = fluid_rate(mirror.fluid, mirror.flow[j].name);
            hash = mix(hash, &rate, sizeof rate);
        }
    }
    fluid_destroy(mirror.fluid);
    return hash;
}

/* Other addresses change nothing. */
/* As after four thousand million flows one after the other. */
START_TEST(test_names_come_round)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link = fluid_add_link(fluid, 1e9);
    fluid_flow first = send(fluid, &link, 1, 5);
    fluid_cancel(fluid, first);
    fluid->flow[0].generation = UINT32_MAX;
    fluid_flow last = send(fluid, &link, 1, 5);
    ck_assert_uint_eq(last, (uint64_t)UINT32_MAX << 32);
    fluid_cancel(fluid, last);
    ck_assert_uint_eq(send(fluid, &link, 1, 5), first);
    ck_assert_uint_eq(fluid_cancel(fluid, last), 0);
    fluid_destroy(fluid);
}
END_TEST

START_TEST(test_same_calls_same_bits)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t first = life(seed);
        void *elsewhere[100];
        for (size_t i = 0; i < 100; i++)
            elsewhere[i] = malloc(16 + 37 * i);
        for (size_t i = 0; i < 100; i += 2)
            free(elsewhere[i]);
        ck_assert_uint_eq(life(seed), first);
        for (size_t i = 1; i < 100; i += 2)
            free(elsewhere[i]);
        ck_assert_uint_ne(life(seed + 1), first);
    }
}
END_TEST

/* Ten thousand flows come at once, and go at once. */
START_TEST(test_a_crowd)
{
    struct fluid *fluid = fluid_create(NULL);
    uint32_t link[2] = {fluid_add_link(fluid, 1e9), fluid_add_link(fluid, 2e9)};
    void *context;
    for (int i = 0; i < 10000; i++)
        send(fluid, link, 1 + (uint32_t)i % 2, 1000);
    ck_assert_int_eq(fluid_next(fluid), 10000 * 1000);
    fluid_advance(fluid, fluid_next(fluid));
    int popped = 0;
    while (fluid_pop(fluid, &context))
        popped++;
    ck_assert_int_eq(popped, 10000);
    ck_assert_int_eq(fluid_next(fluid), SIM_NEVER);
    ck_assert(fluid_traffic(fluid, link[0]).bits == 10000000);
    ck_assert(fluid_traffic(fluid, link[1]).bits == 5000000);
    fluid_destroy(fluid);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fluid");
    TCase *tests = tcase_create("fluid");
    tcase_add_test(tests, test_random_networks);
    tcase_add_test(tests, test_long_life);
    tcase_add_test(tests, test_parking_lot);
    tcase_add_test(tests, test_one_byte_and_ten_terabytes);
    tcase_add_test(tests, test_extremes);
    tcase_add_test(tests, test_no_capacity);
    tcase_add_test(tests, test_longest_waits);
    tcase_add_test(tests, test_steady_level);
    tcase_add_test(tests, test_peak);
    tcase_add_test(tests, test_peak_after_a_moment_of_much_more);
    tcase_add_test(tests, test_hub);
    tcase_add_test(tests, test_hub_fills);
    tcase_add_test(tests, test_two_of_one_pair);
    tcase_add_test(tests, test_load_after_a_flood);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_names_come_round);
    tcase_add_test(tests, test_same_calls_same_bits);
    tcase_add_test(tests, test_a_crowd);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
