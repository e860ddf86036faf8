/*
 * What the parts of traffic share: messages, figures and its life (traffic.c), the links that are in use
 * (traffic_links.c), their faults (traffic_faults.c) and collectives (traffic_collectives.c).
 */
#ifndef MODELS_TRAINING_TRAFFIC_INTERNAL_H
#define MODELS_TRAINING_TRAFFIC_INTERNAL_H

#include "models/training/traffic.h"

#include <math.h>

#define TRAFFIC_CLOSED UINT32_MAX

/* A link that was opened; its number in the flows is its place among all that were. */
struct open_link {
    size_t number; /* of the routes */
    double bandwidth, price;
    struct capacity *capacity; /* NULL: it does not change */
    fluid_bits uncounted;      /* carried before counting began */
    struct traffic_blame blame;
};

struct link_fault {
    struct fault fault;
    uint64_t order; /* traffic_blame's */
};

/* Of a part of a learner; counted when the first of them goes. */
struct part_slices {
    int64_t all, gone;
};

struct traffic {
    struct sim_engine *engine;
    const struct network_config *network;
    uint64_t seed;
    uint32_t replication;
    struct placement *placement;
    struct routes *routes;
    struct flows *flows;
    uint32_t *number_in_flows; /* by number in the routes; TRAFFIC_CLOSED */
    struct open_link *links;
    uint32_t link_count, link_room;
    struct part_slices *slices; /* by part of the placement */
    struct endpoint syncer;
    struct sim_stream delays;
    struct operation *operations;
    fluid_bits uncounted;
    struct link_fault *faults; /* at present, in the order in which they began */
    size_t fault_count, fault_room;
    uint64_t changes; /* faults that have begun or ended */
    bool expects_faults;
    uint32_t actor;
    bool failed;
};

/* What faults leave of a link: a share of its bandwidth, and of its packets. */
struct traffic_left {
    double share, passing;
};

static inline uint64_t traffic_whole_bits(double bits)
{
    return bits < (double)FLUID_BITS_LIMIT ? (uint64_t)ceil(bits) : FLUID_BITS_LIMIT;
}

/* The links of ROUTE, as the flows number them, into LINKS; those that nothing has crossed yet are opened.
 * False when out of memory, and the traffic has failed then. */
bool traffic_use_links(struct traffic *traffic, const struct route *route, uint32_t *links);

/* Of a transfer over ROUTE that may come to be slowed by lost packets; 0 of others. */
double traffic_window_of(const struct traffic *traffic, const struct route *route);

/* What LINK can carry at the moment, bit/s. */
double traffic_capacity_now(const struct traffic *traffic, const struct open_link *link);

/* The link OPENED in the flows has another capacity from now on. */
void traffic_on_change(struct sim_engine *engine, void *actor, uint32_t opened);

struct traffic_left traffic_left_by_faults(const struct traffic *traffic, const struct open_link *link);

/* The worst of the faults that slow the routes' link NUMBER; or any on the way from FROM to TO. */
struct traffic_blame traffic_find_blame(const struct traffic *traffic, size_t number);
struct traffic_blame traffic_blame_way(const struct traffic *traffic, struct endpoint from,
                                       struct endpoint to);

#endif
