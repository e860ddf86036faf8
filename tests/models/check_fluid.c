/*
 * The solver against progressive filling in long double, which shares nothing with it: all rates rise
 * together, in proportion to the weights, until a link is full or a cap is reached; what is held there stays,
 * the others go on.
 */
#include "models/network/fluid.h"
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
    bool settled;
};

struct mirror {
    struct fluid *fluid;
    struct sim_stream stream;
    sim_time now;
    double capacity[LINKS_MOST];
    fluid_bits carried[LINKS_MOST]; /* by flows that are over */
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
        forget(mirror, i, mirror->flow[i].bits);
    }
}

static void let_pass(struct mirror *mirror)
{
    sim_time next = fluid_next(mirror->fluid);
    if (next == SIM_NEVER)
        mirror->now += 1000;
    else if (below(mirror, 2))
        mirror->now = next;
    else
        mirror->now += (next - mirror->now) / (1 + below(mirror, 5));
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
    for (uint32_t link = 0; link < mirror->links_count; link++) {
        fluid_bits bits = mirror->carried[link];
        for (uint32_t i = 0; i < mirror->flows_count; i++)
            if (passes(&mirror->flow[i], link))
                bits += fluid_sent(mirror->fluid, mirror->flow[i].name);
        ck_assert(fluid_traffic(mirror->fluid, link).bits == bits);
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

int main(void)
{
    Suite *suite = suite_create("fluid");
    TCase *tests = tcase_create("fluid");
    tcase_add_test(tests, test_random_networks);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
