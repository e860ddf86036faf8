#include "tests/bench/flow_workload.h"

#include <stdlib.h>
#include <time.h>

enum { GROUP = 10 };

const char *const flow_traffic_names[FLOW_TRAFFICS] = {"groups", "all", "thin"};

void flow_workload_open(struct flow_workload *workload, enum flow_traffic traffic)
{
    *workload = (struct flow_workload){.traffic = traffic};
    sim_stream_open(&workload->stream, 1, 0, 0, traffic);
    for (uint32_t i = 0; i < FLOW_WORKLOAD_SITES; i++)
        workload->capacity[i] = 10e9 * (0.5 + sim_stream_uniform(&workload->stream));
    for (uint32_t i = FLOW_WORKLOAD_SITES; i < FLOW_WORKLOAD_LINKS; i++)
        workload->capacity[i] = traffic == FLOW_TRAFFIC_THIN ? 50e9 : 400e9;
}

void flow_workload_close(struct flow_workload *workload)
{
    free(workload->ahead);
}

static struct flow_demand draw(struct flow_workload *workload)
{
    struct sim_stream *stream = &workload->stream;
    uint32_t sites = workload->traffic == FLOW_TRAFFIC_GROUPS ? GROUP : FLOW_WORKLOAD_SITES;
    uint32_t base = GROUP * (uint32_t)sim_stream_below(stream, FLOW_WORKLOAD_SITES / GROUP);
    uint32_t from = (uint32_t)sim_stream_below(stream, sites),
             to = (uint32_t)sim_stream_below(stream, sites - 1);
    to += to >= from;
    if (sites == FLOW_WORKLOAD_SITES)
        base = 0;
    uint32_t backbone = FLOW_WORKLOAD_SITES + (uint32_t)sim_stream_below(stream, FLOW_WORKLOAD_BACKBONES);
    return (struct flow_demand){{base + from, backbone, base + to},
                                1 + sim_stream_below(stream, UINT64_C(8000000000))};
}

bool flow_workload_draw_ahead(struct flow_workload *workload, uint32_t count)
{
    uint32_t kept = workload->ahead_count - workload->next;
    struct flow_demand *ahead = malloc((kept + count) * sizeof *ahead);
    if (!ahead)
        return false;
    for (uint32_t i = 0; i < kept; i++)
        ahead[i] = workload->ahead[workload->next + i];
    for (uint32_t i = 0; i < count; i++)
        ahead[kept + i] = draw(workload);
    free(workload->ahead);
    workload->ahead = ahead;
    workload->ahead_count = kept + count;
    workload->next = 0;
    return true;
}

struct flow_demand flow_workload_next(struct flow_workload *workload)
{
    return workload->next < workload->ahead_count ? workload->ahead[workload->next++] : draw(workload);
}

void flow_workload_start(struct flow_workload *workload, struct fluid *fluid)
{
    struct flow_demand drawn = flow_workload_next(workload);
    struct fluid_demand demand = {
        .links = drawn.link, .links_count = FLOW_WORKLOAD_PATH, .weight = 1, .bits = drawn.bits};
    fluid_start(fluid, &demand);
}

struct fluid *flow_workload_fluid(struct flow_workload *workload, uint32_t flows)
{
    struct fluid *fluid = fluid_create(NULL);
    for (uint32_t i = 0; fluid && i < FLOW_WORKLOAD_LINKS; i++)
        fluid_add_link(fluid, workload->capacity[i]);
    for (uint32_t i = 0; fluid && i < flows; i++)
        flow_workload_start(workload, fluid);
    if (fluid && !fluid_failed(fluid))
        return fluid;
    fluid_destroy(fluid);
    return NULL;
}

double flow_workload_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
