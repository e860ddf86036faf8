/*
 * What the benchmarks of the network send: 100 sites with an uplink each, shared by what goes in and out, and
 * 4 backbones that all share. A flow goes over its source's uplink, a backbone and its destination's uplink;
 * when it ends, another begins, so that the number of flows stays.
 */
#ifndef TESTS_BENCH_FLOW_WORKLOAD_H
#define TESTS_BENCH_FLOW_WORKLOAD_H

#include "models/network/fluid.h"
#include "sim/stream.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FLOW_WORKLOAD_SITES = 100,
    FLOW_WORKLOAD_BACKBONES = 4,
    FLOW_WORKLOAD_LINKS = FLOW_WORKLOAD_SITES + FLOW_WORKLOAD_BACKBONES, /* the backbones come last */
    FLOW_WORKLOAD_PATH = 3                                               /* links of a flow */
};

/* Among ten sites that are drawn together; from anywhere to anywhere; and so over backbones so thin that they
 * hold most flows. */
enum flow_traffic { FLOW_TRAFFIC_GROUPS, FLOW_TRAFFIC_ALL, FLOW_TRAFFIC_THIN, FLOW_TRAFFICS };

extern const char *const flow_traffic_names[FLOW_TRAFFICS];

struct flow_demand {
    uint32_t link[FLOW_WORKLOAD_PATH]; /* an uplink, a backbone and another uplink */
    uint64_t bits;
};

struct flow_workload {
    enum flow_traffic traffic;
    double capacity[FLOW_WORKLOAD_LINKS]; /* bit/s */
    struct sim_stream stream;
    struct flow_demand *ahead; /* drawn, from NEXT on */
    uint32_t ahead_count, next;
};

void flow_workload_open(struct flow_workload *workload, enum flow_traffic traffic); /* the caller closes it */
void flow_workload_close(struct flow_workload *workload);

/* Draws the next COUNT demands ahead of their time; false without memory. */
bool flow_workload_draw_ahead(struct flow_workload *workload, uint32_t count);
struct flow_demand flow_workload_next(struct flow_workload *workload);

/* Our solver with the workload's links and its first FLOWS, which the caller destroys; NULL without memory.
 */
struct fluid *flow_workload_fluid(struct flow_workload *workload, uint32_t flows);
void flow_workload_start(struct flow_workload *workload, struct fluid *fluid); /* the next demand */

double flow_workload_seconds(void); /* of the processor, so far */

#endif
