/*
 * The flows of bench_flows in SimGrid, beside our solver: tests/bench/simgrid.sh builds and runs it. Every
 * flow is an actor that sends the next demand as soon as its last one has arrived, so that an event is one
 * end together with the start that follows it, as there. The fluid model is SimGrid's max-min sharing (CM02)
 * without latencies, TCP windows and traffic back: the setting that shares as we do.
 *
 *     flows_simgrid TRAFFIC FLOWS EVENTS Lazy|Full PLATFORM
 *
 * Lazy and Full are SimGrid's two ways to bring its flows up to date. PLATFORM is the file that the links are
 * written to for SimGrid. EVENTS settle the flows in, and as many are timed. Prints traffic, flows, the way,
 * the events per second of ours and of SimGrid, their ratio, and how far apart the times of the last event
 * are. Status 1: something failed, or these are apart by more than a thousandth.
 */
#include "models/network/fluid.h"
#include "tests/bench/flow_workload.h"

#include <inttypes.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = FLOW_WORKLOAD_SITES, BACKBONES = FLOW_WORKLOAD_BACKBONES, LINKS = FLOW_WORKLOAD_LINKS };

struct timing {
    struct flow_workload workload;
    uint32_t events, done;
    double begin, used; /* s of the processor */
    double last;        /* simulated s when the last event took place */
};

static void count_event(struct timing *timing, double now)
{
    timing->done++;
    if (timing->done == timing->events)
        timing->begin = flow_workload_seconds();
    if (timing->done == 2 * timing->events) {
        timing->used = flow_workload_seconds() - timing->begin;
        timing->last = now;
    }
}

static bool open_timing(struct timing *timing, enum flow_traffic traffic, uint32_t flows, uint32_t events)
{
    *timing = (struct timing){.events = events};
    flow_workload_open(&timing->workload, traffic);
    return flow_workload_draw_ahead(&timing->workload, flows + 2 * events);
}

/* A host for each site and backbone, as SimGrid has one route between two hosts. */
static void write_hosts(FILE *out)
{
    for (int site = 0; site < SITES; site++)
        for (int backbone = 0; backbone < BACKBONES; backbone++)
            fprintf(out, "<host id=\"%d-%d\" speed=\"1Gf\"/>\n", site, backbone);
}

static void write_routes(FILE *out)
{
    for (int backbone = 0; backbone < BACKBONES; backbone++)
        for (int from = 0; from < SITES; from++)
            for (int to = from + 1; to < SITES; to++)
                fprintf(out,
                        "<route src=\"%d-%d\" dst=\"%d-%d\"><link_ctn id=\"%d\"/><link_ctn id=\"%d\"/>"
                        "<link_ctn id=\"%d\"/></route>\n",
                        from, backbone, to, backbone, from, SITES + backbone, to);
}

static bool write_platform(const char *path, const double *capacity)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">\n",
          out);
    write_hosts(out);
    for (int link = 0; link < LINKS; link++)
        fprintf(out, "<link id=\"%d\" bandwidth=\"%.17gBps\" latency=\"0s\" sharing_policy=\"SHARED\"/>\n",
                link, capacity[link] / 8);
    write_routes(out);
    fputs("</zone></platform>\n", out);
    return fclose(out) == 0;
}

static sg_host_t host_of(uint32_t site, uint32_t backbone)
{
    char name[32];
    snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu32, site, backbone - SITES);
    return sg_host_by_name(name);
}

static void send_one_after_the_other(int argc, char *argv[])
{
    (void)argc, (void)argv;
    struct timing *timing = sg_actor_self_get_data();
    while (timing->done < 2 * timing->events) {
        struct flow_demand demand = flow_workload_next(&timing->workload);
        sg_host_sendto(host_of(demand.link[0], demand.link[1]), host_of(demand.link[2], demand.link[1]),
                       (double)demand.bits / 8);
        count_event(timing, simgrid_get_clock());
    }
}

static void run_theirs(struct timing *timing, uint32_t flows, const char *way, const char *platform)
{
    char optimisation[64];
    snprintf(optimisation, sizeof optimisation, "--cfg=network/optim:%s", way);
    char *settings[] = {"flows_simgrid",
                        "--cfg=network/model:CM02",
                        optimisation,
                        "--cfg=network/TCP-gamma:0",
                        "--cfg=network/crosstraffic:0",
                        "--cfg=contexts/stack-size:32",
                        "--log=root.thres:error",
                        NULL};
    int count = sizeof settings / sizeof *settings - 1;
    simgrid_init(&count, settings);
    simgrid_load_platform(platform);
    for (uint32_t i = 0; i < flows; i++) {
        sg_actor_t actor = sg_actor_init("flow", host_of(0, SITES));
        sg_actor_set_data(actor, timing);
        sg_actor_start(actor, send_one_after_the_other, 0, NULL);
    }
    simgrid_run();
}

static bool run_ours(struct timing *timing, uint32_t flows)
{
    struct fluid *fluid = flow_workload_fluid(&timing->workload, flows);
    if (!fluid)
        return false;
    void *context;
    while (timing->done < 2 * timing->events) {
        sim_time now = fluid_next(fluid);
        if (fluid_failed(fluid))
            break;
        fluid_advance(fluid, now);
        for (; fluid_pop(fluid, &context); flow_workload_start(&timing->workload, fluid))
            count_event(timing, sim_time_to_seconds(now));
    }
    bool good = !fluid_failed(fluid);
    fluid_destroy(fluid);
    return good;
}

/* FLOW_TRAFFICS when NAME names none. */
static enum flow_traffic traffic_of(const char *name)
{
    enum flow_traffic traffic = 0;
    while (traffic < FLOW_TRAFFICS && strcmp(name, flow_traffic_names[traffic]) != 0)
        traffic++;
    return traffic;
}

static bool compare(enum flow_traffic traffic, uint32_t flows, uint32_t events, const char *way,
                    const char *platform)
{
    struct timing ours, theirs;
    if (!open_timing(&ours, traffic, flows, events) || !open_timing(&theirs, traffic, flows, events) ||
        !run_ours(&ours, flows) || !write_platform(platform, theirs.workload.capacity))
        return false;
    run_theirs(&theirs, flows, way, platform);
    double apart = fabs(ours.last - theirs.last) / theirs.last;
    printf("%-8s %8" PRIu32 "  %-4s %12.0f %12.0f %8.1f %10.1e\n", flow_traffic_names[traffic], flows, way,
           events / ours.used, events / theirs.used, theirs.used / ours.used, apart);
    flow_workload_close(&ours.workload);
    flow_workload_close(&theirs.workload);
    return apart <= 1e-3;
}

int main(int argc, char **argv)
{
    uint32_t flows = argc == 6 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint32_t events = argc == 6 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    enum flow_traffic traffic = argc == 6 ? traffic_of(argv[1]) : FLOW_TRAFFICS;
    if (!flows || !events || traffic == FLOW_TRAFFICS) {
        fprintf(stderr, "usage: %s groups|all|thin FLOWS EVENTS Lazy|Full PLATFORM\n", argv[0]);
        return EXIT_FAILURE;
    }
    return compare(traffic, flows, events, argv[4], argv[5]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
