/*
 * Ten thousand flows on a hundred links and four backbones that all share: now and then, all rates are held
 * against progressive filling in long double, which starts from nothing each time; and what the links have
 * carried against what was sent.
 */
#include "models/network/fluid.h"
#include "sim/stream.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { FLOWS = 10000, SITES = 100, BACKBONES = 4, LINKS = SITES + BACKBONES, PATH = 3 };
enum { CHANGES = 8000, CHANGES_BETWEEN = 2000 };

struct flow {
    fluid_flow name;
    uint32_t link[PATH];
    uint32_t weight;
    uint64_t bits;
    double cap; /* 0: none */
    long double rate;
    bool settled;
};

struct crowd {
    struct fluid *fluid;
    struct sim_stream stream;
    double capacity[LINKS];
    fluid_bits carried[LINKS]; /* by flows that are over */
    struct flow flow[FLOWS];
};

static uint32_t below(struct crowd *crowd, uint32_t n)
{
    return (uint32_t)sim_stream_below(&crowd->stream, n);
}

static double some_capacity(struct crowd *crowd)
{
    return 1e10 * (0.5 + sim_stream_uniform(&crowd->stream));
}

/* One of ten has a cap, of about what a flow gets. */
static void start(struct crowd *crowd, struct flow *flow)
{
    uint32_t from = below(crowd, SITES), to = (from + 1 + below(crowd, SITES - 1)) % SITES;
    *flow = (struct flow){.link = {to, from, SITES + below(crowd, BACKBONES)},
                          .weight = 1 + (below(crowd, 4) == 0) * below(crowd, 5),
                          .bits = 1 + sim_stream_below(&crowd->stream, UINT64_C(8000000000)),
                          .cap = below(crowd, 10) ? 0 : 1e8 * sim_stream_uniform(&crowd->stream)};
    flow->name = fluid_start(crowd->fluid, &(struct fluid_demand){.links = flow->link,
                                                                  .links_count = PATH,
                                                                  .weight = flow->weight,
                                                                  .bits = flow->bits,
                                                                  .rate_cap = flow->cap,
                                                                  .context = flow});
    ck_assert_uint_ne(flow->name, 0);
}

static void open_crowd(struct crowd *crowd, double backbone)
{
    *crowd = (struct crowd){.fluid = fluid_create(NULL)};
    sim_stream_open(&crowd->stream, 7, 0, 0, 0);
    for (uint32_t i = 0; i < LINKS; i++) {
        crowd->capacity[i] = i < SITES ? some_capacity(crowd) : backbone;
        fluid_add_link(crowd->fluid, crowd->capacity[i]);
    }
    for (uint32_t i = 0; i < FLOWS; i++)
        start(crowd, &crowd->flow[i]);
}

static void forget(struct crowd *crowd, const struct flow *flow, uint64_t bits)
{
    for (uint32_t i = 0; i < PATH; i++)
        crowd->carried[flow->link[i]] += bits;
}

/* An end, a flow taken out, or another capacity; whoever goes is replaced. */
static void change(struct crowd *crowd)
{
    uint32_t kind = below(crowd, 20), link = below(crowd, SITES);
    struct flow *flow = &crowd->flow[below(crowd, FLOWS)];
    if (kind == 0) {
        fluid_set_capacity(crowd->fluid, link, crowd->capacity[link] = some_capacity(crowd));
    } else if (kind == 1) {
        forget(crowd, flow, fluid_cancel(crowd->fluid, flow->name));
        start(crowd, flow);
    } else {
        void *context;
        fluid_advance(crowd->fluid, fluid_next(crowd->fluid));
        while (fluid_pop(crowd->fluid, &context)) {
            flow = context;
            forget(crowd, flow, flow->bits);
            start(crowd, flow);
        }
    }
}

static bool passes(const struct flow *flow, uint32_t link)
{
    return flow->link[0] == link || flow->link[1] == link || flow->link[2] == link;
}

struct filling {
    long double left[LINKS];
    long double weight[LINKS]; /* of flows without a rate yet */
};

static void settle(struct filling *filling, struct flow *flow, long double level)
{
    flow->settled = true;
    flow->rate = level * flow->weight;
    for (uint32_t i = 0; i < PATH; i++) {
        filling->left[flow->link[i]] -= flow->rate;
        filling->weight[flow->link[i]] -= flow->weight;
    }
}

static uint32_t fullest(const struct filling *filling, long double *level)
{
    uint32_t link = LINKS;
    *level = INFINITY;
    for (uint32_t i = 0; i < LINKS; i++)
        if (filling->weight[i] > 0 && filling->left[i] / filling->weight[i] < *level)
            *level = filling->left[link = i] / filling->weight[i];
    return link;
}

static int by_cap(const void *a, const void *b)
{
    const struct flow *x = *(struct flow *const *)a, *y = *(struct flow *const *)b;
    double one = x->cap / x->weight, other = y->cap / y->weight;
    return (one > other) - (one < other);
}

static uint32_t list_capped(struct crowd *crowd, struct flow *capped[])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FLOWS; i++)
        if (crowd->flow[i].cap > 0)
            capped[count++] = &crowd->flow[i];
    qsort(capped, count, sizeof *capped, by_cap);
    return count;
}

static void open_filling(struct crowd *crowd, struct filling *filling)
{
    for (uint32_t i = 0; i < LINKS; i++) {
        filling->left[i] = crowd->capacity[i];
        filling->weight[i] = 0;
    }
    for (struct flow *flow = crowd->flow; flow < crowd->flow + FLOWS; flow++) {
        flow->settled = false;
        for (uint32_t i = 0; i < PATH; i++)
            filling->weight[flow->link[i]] += flow->weight;
    }
}

static void fill(struct crowd *crowd)
{
    static const uint32_t none = LINKS;
    struct flow *capped[FLOWS];
    struct filling filling;
    uint32_t next = 0, count = list_capped(crowd, capped);
    open_filling(crowd, &filling);
    for (;;) {
        long double level;
        uint32_t link = fullest(&filling, &level);
        while (next < count && capped[next]->settled)
            next++;
        if (next < count && capped[next]->cap <= level * capped[next]->weight) {
            settle(&filling, capped[next], (long double)capped[next]->cap / capped[next]->weight);
            continue;
        }
        if (link == none)
            break;
        for (uint32_t i = 0; i < FLOWS; i++)
            if (!crowd->flow[i].settled && passes(&crowd->flow[i], link))
                settle(&filling, &crowd->flow[i], level);
    }
}

static void compare_loads(struct crowd *crowd)
{
    long double load[LINKS] = {0};
    for (const struct flow *flow = crowd->flow; flow < crowd->flow + FLOWS; flow++)
        for (uint32_t i = 0; i < PATH; i++)
            load[flow->link[i]] += flow->rate;
    for (uint32_t i = 0; i < LINKS; i++)
        ck_assert_double_le(fabs(fluid_load(crowd->fluid, i) - (double)load[i]), 1e-9 * (double)load[i]);
}

static void compare(struct crowd *crowd)
{
    fluid_bits bits[LINKS];
    for (uint32_t i = 0; i < LINKS; i++)
        bits[i] = crowd->carried[i];
    fill(crowd);
    compare_loads(crowd);
    for (const struct flow *flow = crowd->flow; flow < crowd->flow + FLOWS; flow++) {
        double rate = fluid_rate(crowd->fluid, flow->name), wanted = (double)flow->rate;
        ck_assert_double_le(fabs(rate - wanted), 1e-9 * wanted);
        for (uint32_t i = 0; i < PATH; i++)
            bits[flow->link[i]] += fluid_sent(crowd->fluid, flow->name);
    }
    for (uint32_t i = 0; i < LINKS; i++)
        ck_assert(fluid_traffic(crowd->fluid, i).bits == bits[i]);
}

static void live(double backbone)
{
    struct crowd *crowd = malloc(sizeof *crowd);
    ck_assert_ptr_nonnull(crowd);
    open_crowd(crowd, backbone);
    compare(crowd);
    for (int i = 1; i <= CHANGES; i++) {
        change(crowd);
        if (i % CHANGES_BETWEEN == 0)
            compare(crowd);
    }
    ck_assert_uint_eq(fluid_count(crowd->fluid), FLOWS);
    ck_assert(!fluid_failed(crowd->fluid));
    fluid_destroy(crowd->fluid);
    free(crowd);
}

START_TEST(test_uplinks_hold)
{
    live(4e11);
}
END_TEST

START_TEST(test_backbones_hold_too)
{
    live(1e11);
}
END_TEST

/* Wide backbones that many share become hubs, and thin ones ordinary links again. */
START_TEST(test_backbones_change)
{
    struct crowd *crowd = malloc(sizeof *crowd);
    ck_assert_ptr_nonnull(crowd);
    open_crowd(crowd, 4e11);
    for (int phase = 0; phase < 6; phase++) {
        for (uint32_t i = 0; i < BACKBONES; i++) {
            uint32_t link = SITES + i;
            crowd->capacity[link] = (phase + (int)i) % 3 ? 4e11 : 6e10;
            fluid_set_capacity(crowd->fluid, link, crowd->capacity[link]);
        }
        for (int i = 0; i < CHANGES_BETWEEN; i++)
            change(crowd);
        compare(crowd);
    }
    ck_assert(!fluid_failed(crowd->fluid));
    fluid_destroy(crowd->fluid);
    free(crowd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("many flows");
    TCase *tests = tcase_create("many flows");
    tcase_add_test(tests, test_uplinks_hold);
    tcase_add_test(tests, test_backbones_hold_too);
    tcase_add_test(tests, test_backbones_change);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
