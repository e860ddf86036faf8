/*
 * Flows that come and go on shared links: the incremental solver beside plain progressive filling, which
 * computes all rates anew after every end; both keep account of the bits and the greatest rate of every link.
 * An event is one end together with the start that follows it. Both go through the same events, drawn before
 * the clock runs, in turns, so that what else the machine does meets both; shown are the medians of the
 * rounds' rates and of their ratios, and the ratio of the fastest rounds, which others disturbed least. A
 * turn is so long that neither spends much of it on finding its data again in the caches that the other has
 * used.
 *
 *     bench_flows [FLOWS…]
 */
#include "models/network/fluid.h"
#include "tests/bench/flow_workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = FLOW_WORKLOAD_LINKS, PATH = FLOW_WORKLOAD_PATH, ROUNDS = 11 };

/* The incremental solver. */
struct ours {
    struct flow_workload workload;
    struct fluid *fluid;
};

static bool open_ours(struct ours *ours, enum flow_traffic traffic, uint32_t flows)
{
    flow_workload_open(&ours->workload, traffic);
    ours->fluid = flow_workload_fluid(&ours->workload, flows);
    return ours->fluid;
}

static void close_ours(struct ours *ours)
{
    flow_workload_close(&ours->workload);
    fluid_destroy(ours->fluid);
}

/* Returns the simulated time, in seconds, after EVENTS more events. */
static double run_ours(struct ours *ours, uint32_t events)
{
    sim_time now = 0;
    void *context;
    for (uint32_t done = 0; done < events;) {
        now = fluid_next(ours->fluid);
        if (fluid_failed(ours->fluid))
            break;
        fluid_advance(ours->fluid, now);
        for (; fluid_pop(ours->fluid, &context); done++)
            flow_workload_start(&ours->workload, ours->fluid);
    }
    return sim_time_to_seconds(now);
}

/* Plain progressive filling. */
struct plain_flow {
    uint32_t link[PATH];
    uint32_t place[PATH]; /* among the link's flows */
    uint64_t bits;
    double left; /* bits */
    double rate;
    uint32_t settled; /* the solution in which its rate was found */
};

struct plain_link {
    uint32_t *flow;
    uint32_t count;
    uint64_t bits; /* of flows that are over */
    double peak;   /* greatest rate */
};

struct plain {
    struct flow_workload workload;
    struct plain_flow *flow;
    struct plain_link link[LINKS];
    uint32_t flows;
    uint32_t solutions;
    double now;
};

static void start_plain(struct plain *plain, uint32_t number)
{
    struct flow_demand drawn = flow_workload_next(&plain->workload);
    struct plain_flow *flow = &plain->flow[number];
    flow->bits = drawn.bits;
    flow->left = (double)drawn.bits;
    for (uint32_t i = 0; i < PATH; i++) {
        struct plain_link *link = &plain->link[flow->link[i] = drawn.link[i]];
        flow->place[i] = link->count;
        link->flow[link->count++] = number;
    }
}

static void end_plain(struct plain *plain, uint32_t number)
{
    const struct plain_flow *flow = &plain->flow[number];
    for (uint32_t i = 0; i < PATH; i++) {
        struct plain_link *link = &plain->link[flow->link[i]];
        uint32_t last = link->flow[--link->count];
        link->bits += flow->bits;
        link->flow[flow->place[i]] = last;
        for (uint32_t j = 0; j < PATH; j++)
            if (plain->flow[last].link[j] == flow->link[i])
                plain->flow[last].place[j] = flow->place[i];
    }
}

static bool open_plain(struct plain *plain, enum flow_traffic traffic, uint32_t flows)
{
    *plain = (struct plain){.flows = flows, .flow = calloc(flows, sizeof *plain->flow)};
    flow_workload_open(&plain->workload, traffic);
    bool good = plain->flow;
    for (uint32_t i = 0; i < LINKS; i++)
        good &= (plain->link[i].flow = calloc(flows, sizeof *plain->link[i].flow)) != NULL;
    for (uint32_t i = 0; good && i < flows; i++)
        start_plain(plain, i);
    return good;
}

static void close_plain(struct plain *plain)
{
    flow_workload_close(&plain->workload);
    free(plain->flow);
    for (uint32_t i = 0; i < LINKS; i++)
        free(plain->link[i].flow);
}

/* The links that hold flows without a rate yet. */
struct filling {
    double left[LINKS];
    uint32_t open[LINKS]; /* flows without a rate, by link */
    uint32_t link[LINKS]; /* those that have any */
    uint32_t links;
};

static double lowest(struct filling *filling, uint32_t *link)
{
    double least = INFINITY;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filling->links; i++) {
        uint32_t number = filling->link[i];
        if (!filling->open[number])
            continue;
        filling->link[kept++] = number;
        double level = filling->left[number] / filling->open[number];
        if (level < least) {
            least = level;
            *link = number;
        }
    }
    filling->links = kept;
    return least;
}

static void settle_link(struct plain *plain, struct filling *filling, const struct plain_link *link,
                        double rate)
{
    for (uint32_t i = 0; i < link->count; i++) {
        struct plain_flow *flow = &plain->flow[link->flow[i]];
        if (flow->settled == plain->solutions)
            continue;
        flow->settled = plain->solutions;
        flow->rate = rate;
        for (uint32_t j = 0; j < PATH; j++) {
            filling->left[flow->link[j]] -= rate;
            filling->open[flow->link[j]]--;
        }
    }
}

static void solve_plain(struct plain *plain)
{
    struct filling filling = {.links = LINKS};
    for (uint32_t i = 0; i < LINKS; i++) {
        filling.left[i] = plain->workload.capacity[i];
        filling.open[i] = plain->link[i].count;
        filling.link[i] = i;
    }
    plain->solutions++;
    uint32_t link = 0;
    for (double rate; (rate = lowest(&filling, &link)) < INFINITY;)
        settle_link(plain, &filling, &plain->link[link], rate);
    for (uint32_t i = 0; i < LINKS; i++) {
        double load = plain->workload.capacity[i] - filling.left[i];
        plain->link[i].peak = load > plain->link[i].peak ? load : plain->link[i].peak;
    }
}

static uint32_t first_to_end(const struct plain *plain, double *wait)
{
    uint32_t first = 0;
    *wait = INFINITY;
    for (uint32_t i = 0; i < plain->flows; i++)
        if (plain->flow[i].left < *wait * plain->flow[i].rate) {
            *wait = plain->flow[i].left / plain->flow[i].rate;
            first = i;
        }
    return first;
}

static double run_plain(struct plain *plain, uint32_t events)
{
    for (uint32_t done = 0; done < events; done++) {
        solve_plain(plain);
        double wait;
        uint32_t first = first_to_end(plain, &wait);
        for (uint32_t i = 0; i < plain->flows; i++)
            plain->flow[i].left -= wait * plain->flow[i].rate;
        plain->now += wait;
        end_plain(plain, first);
        start_plain(plain, first);
    }
    return plain->now;
}

static double run_ours_any(void *solver, uint32_t events)
{
    return run_ours(solver, events);
}

static double run_plain_any(void *solver, uint32_t events)
{
    return run_plain(solver, events);
}

struct rival {
    double (*run)(void *solver, uint32_t events);
    void *solver;
    struct flow_workload *workload; /* the solver's */
    double rate[ROUNDS];            /* events/s */
};

/* Returns the seconds that EVENTS more take; infinite without memory. */
static double time_round(const struct rival *rival, uint32_t events)
{
    if (!flow_workload_draw_ahead(rival->workload, events))
        return INFINITY;
    double start = flow_workload_seconds();
    rival->run(rival->solver, events);
    return flow_workload_seconds() - start;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value with so many below it. */
static double ranked(const double value[ROUNDS], size_t rank)
{
    double sorted[ROUNDS];
    memcpy(sorted, value, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, by_size);
    return sorted[rank];
}

static double median(const double value[ROUNDS])
{
    return ranked(value, ROUNDS / 2);
}

static double greatest(const double value[ROUNDS])
{
    return ranked(value, ROUNDS - 1);
}

/* Takes both through the same events until they take RIVAL, the slower, so many seconds: by then the flows
 * have settled in. Returns the number of events of the last round. */
static uint32_t size_rounds(const struct rival *rival, const struct rival *other, double seconds)
{
    uint32_t events = 500;
    do {
        events *= 2;
        time_round(other, events);
    } while (time_round(rival, events) < seconds);
    return events;
}

/* Both go through the same events, so that they always have the same flows before them. Returns the median of
 * the ratios of their rates. */
static double take_turns(struct rival *one, struct rival *other)
{
    double ratio[ROUNDS];
    uint32_t events = size_rounds(other, one, 0.8);
    for (int round = 0; round < ROUNDS; round++) {
        one->rate[round] = events / time_round(one, events);
        other->rate[round] = events / time_round(other, events);
        ratio[round] = one->rate[round] / other->rate[round];
    }
    return median(ratio);
}

/* Bits that have gone over a link. */
static double plain_bits(const struct plain *plain, const struct plain_link *link)
{
    double bits = (double)link->bits;
    for (uint32_t i = 0; i < link->count; i++)
        bits += (double)plain->flow[link->flow[i]].bits - plain->flow[link->flow[i]].left;
    return bits;
}

/* But for our whole nanoseconds. */
static bool near(double ours, double plain)
{
    return fabs(ours - plain) <= 1e-6 * plain;
}

static bool same_traffic(const struct ours *ours, const struct plain *plain)
{
    for (uint32_t i = 0; i < LINKS; i++) {
        struct fluid_traffic traffic = fluid_traffic(ours->fluid, i);
        if (!near((double)traffic.bits, plain_bits(plain, &plain->link[i])) ||
            !near(traffic.peak, plain->link[i].peak))
            return false;
    }
    return true;
}

/* Both must come to the same time, with the same traffic, when each flow has been followed by another or two:
 * our whole nanoseconds make a difference that grows from flow to flow. */
static bool agree(enum flow_traffic traffic, uint32_t flows)
{
    uint32_t events = flows < 1000 ? 2 * flows : 2000;
    struct ours ours;
    struct plain plain;
    bool good = open_ours(&ours, traffic, flows) & open_plain(&plain, traffic, flows);
    if (good) {
        double a = run_ours(&ours, events), b = run_plain(&plain, events);
        good = !fluid_failed(ours.fluid) && near(a, b) && same_traffic(&ours, &plain);
        if (!good)
            fprintf(stderr, "after %" PRIu32 " events: %.9f s and %.9f s, or other traffic\n", events, a, b);
    }
    close_ours(&ours);
    close_plain(&plain);
    return good;
}

static bool measure(enum flow_traffic traffic, uint32_t flows)
{
    struct ours ours;
    struct plain plain;
    if (!agree(traffic, flows))
        return false;
    bool good = open_ours(&ours, traffic, flows) & open_plain(&plain, traffic, flows);
    if (good) {
        struct rival incremental = {run_ours_any, &ours, &ours.workload, {0}};
        struct rival scratch = {run_plain_any, &plain, &plain.workload, {0}};
        double ratio = take_turns(&incremental, &scratch);
        good = ratio > 0 && !fluid_failed(ours.fluid);
        if (good)
            printf("%-8s %8" PRIu32 " %12.0f %12.0f %8.1f %8.1f\n", flow_traffic_names[traffic], flows,
                   median(incremental.rate), median(scratch.rate), ratio,
                   greatest(incremental.rate) / greatest(scratch.rate));
        fflush(stdout);
    }
    close_ours(&ours);
    close_plain(&plain);
    return good;
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = {100, 1000, 10000};
    size_t sizes = argc > 1 ? (size_t)(argc - 1) : sizeof usual / sizeof *usual;
    printf("%-8s %8s %12s %12s %8s %8s\n%-8s %8s %12s %12s %8s %8s\n", "traffic", "flows", "incremental",
           "plain", "ratio", "ratio", "", "", "events/s", "events/s", "median", "fastest");
    for (enum flow_traffic traffic = 0; traffic < FLOW_TRAFFICS; traffic++)
        for (size_t i = 0; i < sizes; i++)
            if (!measure(traffic, argc > 1 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : usual[i])) {
                fprintf(stderr, "out of memory, or the solvers disagree\n");
                return EXIT_FAILURE;
            }
    return EXIT_SUCCESS;
}
