/*
 * Flows that come and go on shared links: 100 sites with an uplink each, shared by what goes in and out, and
 * 4 backbones that all share. A flow goes over its source's uplink, a backbone and its destination's uplink;
 * when it ends, another begins, so that the number of flows stays. The incremental solver is held against
 * plain progressive filling, which computes all rates anew after every end, with the same flows. An event is
 * one end together with the start that follows it.
 *
 *     bench_flows [FLOWS…]
 *
 * Traffic: "groups" stays among ten sites that are drawn together, "all" goes from anywhere to anywhere, and
 * "thin" does so over backbones so thin that they hold most flows.
 */
#include "models/network/fluid.h"
#include "sim/stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SITES = 100, BACKBONES = 4, LINKS = SITES + BACKBONES, PATH = 3, GROUP = 10, ROUNDS = 3 };

enum traffic { GROUPS, ALL, THIN, TRAFFICS };

static const char *const traffic_names[TRAFFICS] = {"groups", "all", "thin"};

struct demand {
    uint32_t link[PATH];
    uint64_t bits;
};

struct workload {
    enum traffic traffic;
    double capacity[LINKS];
    struct sim_stream stream;
};

static void open_workload(struct workload *workload, enum traffic traffic)
{
    workload->traffic = traffic;
    sim_stream_open(&workload->stream, 1, 0, 0, traffic);
    for (uint32_t i = 0; i < SITES; i++)
        workload->capacity[i] = 10e9 * (0.5 + sim_stream_uniform(&workload->stream));
    for (uint32_t i = SITES; i < LINKS; i++)
        workload->capacity[i] = traffic == THIN ? 50e9 : 400e9;
}

static struct demand draw(struct workload *workload)
{
    struct sim_stream *stream = &workload->stream;
    uint32_t sites = workload->traffic == GROUPS ? GROUP : SITES;
    uint32_t base = GROUP * (uint32_t)sim_stream_below(stream, SITES / GROUP);
    uint32_t from = (uint32_t)sim_stream_below(stream, sites),
             to = (uint32_t)sim_stream_below(stream, sites - 1);
    to += to >= from;
    if (sites == SITES)
        base = 0;
    uint32_t backbone = SITES + (uint32_t)sim_stream_below(stream, BACKBONES);
    return (struct demand){{base + from, backbone, base + to},
                           1 + sim_stream_below(stream, UINT64_C(8000000000))};
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The incremental solver. */
struct ours {
    struct workload workload;
    struct fluid *fluid;
};

static void start_ours(struct ours *ours)
{
    struct demand drawn = draw(&ours->workload);
    struct fluid_demand demand = {.links = drawn.link, .links_count = PATH, .weight = 1, .bits = drawn.bits};
    fluid_start(ours->fluid, &demand);
}

static void open_ours(struct ours *ours, enum traffic traffic, uint32_t flows)
{
    open_workload(&ours->workload, traffic);
    ours->fluid = fluid_create(NULL);
    for (uint32_t i = 0; i < LINKS; i++)
        fluid_add_link(ours->fluid, ours->workload.capacity[i]);
    for (uint32_t i = 0; i < flows; i++)
        start_ours(ours);
}

/* Returns the simulated time, in seconds, after EVENTS more events. */
static double run_ours(struct ours *ours, uint32_t events)
{
    sim_time now = 0;
    void *context;
    for (uint32_t done = 0; done < events;) {
        now = fluid_next(ours->fluid);
        fluid_advance(ours->fluid, now);
        for (; fluid_pop(ours->fluid, &context); done++)
            start_ours(ours);
    }
    return sim_time_to_seconds(now);
}

/* Plain progressive filling. */
struct plain_flow {
    uint32_t link[PATH];
    uint32_t place[PATH]; /* among the link's flows */
    double left;          /* bits */
    double rate;
    uint32_t settled; /* the solution in which its rate was found */
};

struct plain_link {
    uint32_t *flow;
    uint32_t count;
};

struct plain {
    struct workload workload;
    struct plain_flow *flow;
    struct plain_link link[LINKS];
    uint32_t flows;
    uint32_t solutions;
    double now;
};

static void start_plain(struct plain *plain, uint32_t number)
{
    struct demand drawn = draw(&plain->workload);
    struct plain_flow *flow = &plain->flow[number];
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
        link->flow[flow->place[i]] = last;
        for (uint32_t j = 0; j < PATH; j++)
            if (plain->flow[last].link[j] == flow->link[i])
                plain->flow[last].place[j] = flow->place[i];
    }
}

static bool open_plain(struct plain *plain, enum traffic traffic, uint32_t flows)
{
    *plain = (struct plain){.flows = flows, .flow = calloc(flows, sizeof *plain->flow)};
    open_workload(&plain->workload, traffic);
    bool good = plain->flow;
    for (uint32_t i = 0; i < LINKS; i++)
        good &= (plain->link[i].flow = calloc(flows, sizeof *plain->link[i].flow)) != NULL;
    for (uint32_t i = 0; good && i < flows; i++)
        start_plain(plain, i);
    return good;
}

static void close_plain(struct plain *plain)
{
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

/* Events in a round of about so many seconds, found by doubling; the flows settle in meanwhile. */
static uint32_t size_round(double (*run)(void *, uint32_t), void *solver, uint32_t least, double seconds)
{
    for (uint32_t events = least;; events *= 2) {
        double start = seconds_now();
        run(solver, events);
        double spent = seconds_now() - start;
        if (spent > seconds / 2)
            return events;
    }
}

static double run_ours_any(void *solver, uint32_t events)
{
    return run_ours(solver, events);
}

static double run_plain_any(void *solver, uint32_t events)
{
    return run_plain(solver, events);
}

static double best_rate(double (*run)(void *, uint32_t), void *solver, uint32_t least)
{
    uint32_t events = size_round(run, solver, least, 0.4);
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds_now();
        run(solver, events);
        best = fmax(best, events / (seconds_now() - start));
    }
    return best;
}

/* Both must come to the same time, but for our whole nanoseconds. */
static bool agree(enum traffic traffic, uint32_t flows)
{
    struct ours ours;
    struct plain plain;
    open_ours(&ours, traffic, flows);
    bool good = open_plain(&plain, traffic, flows);
    if (good) {
        double a = run_ours(&ours, 2 * flows), b = run_plain(&plain, 2 * flows);
        good = fabs(a - b) <= 1e-6 * b;
        if (!good)
            fprintf(stderr, "after %" PRIu32 " events: %.9f s and %.9f s\n", 2 * flows, a, b);
    }
    fluid_destroy(ours.fluid);
    close_plain(&plain);
    return good;
}

static bool measure(enum traffic traffic, uint32_t flows)
{
    struct ours ours;
    struct plain plain;
    if (flows <= 1000 && !agree(traffic, flows))
        return false;
    open_ours(&ours, traffic, flows);
    bool good = open_plain(&plain, traffic, flows);
    if (good) {
        double incremental = best_rate(run_ours_any, &ours, flows),
               scratch = best_rate(run_plain_any, &plain, flows / 4 + 1);
        printf("%-8s %8" PRIu32 " %12.0f %12.0f %8.1f\n", traffic_names[traffic], flows, incremental, scratch,
               incremental / scratch);
        fflush(stdout);
    }
    good &= !fluid_failed(ours.fluid);
    fluid_destroy(ours.fluid);
    close_plain(&plain);
    return good;
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = {100, 1000, 10000};
    size_t sizes = argc > 1 ? (size_t)(argc - 1) : sizeof usual / sizeof *usual;
    printf("%-8s %8s %12s %12s %8s\n%-8s %8s %12s %12s\n", "traffic", "flows", "incremental", "plain",
           "ratio", "", "", "events/s", "events/s");
    for (enum traffic traffic = 0; traffic < TRAFFICS; traffic++)
        for (size_t i = 0; i < sizes; i++)
            if (!measure(traffic, argc > 1 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : usual[i])) {
                fprintf(stderr, "out of memory, or the solvers disagree\n");
                return EXIT_FAILURE;
            }
    return EXIT_SUCCESS;
}
