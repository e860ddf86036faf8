/*
 * The network of one strategy as numbered links, and the ways through it.
 *
 * Links are numbered 0 … routes_link_count − 1, each with a capacity of its own in one direction; half duplex
 * is one link that both ways cross. Without sites a way is: access of the sender (up), access of the
 * receiver (down). With sites, in the order crossed, what of it there is:
 *
 *   access up, uplink, the site's backbone, the pair's link (or "between"), its backbone, the other site's
 *   backbone, downlink, access down;     within one site: inner up, inner down
 *
 * A link without a limit is on a route only if it has a price. A capacity that several of these share is on a
 * route once. Where a site with half duplex has a price, the way out is a link of its own, without a limit.
 *
 * Packet loss p costs twice. A link carries bandwidth · (1 − p) of what is not sent again, and no transfer is
 * faster than its connections, each at (MSS / RTT) · √(3/2) / √p (Mathis, Semke, Mahdavi and Ott, "The
 * macroscopic behavior of the TCP congestion avoidance algorithm", CCR 27(3), 1997, eq. 3, an acknowledgement
 * for every packet), with a segment of 1460 bytes, RTT = twice latency and jitter of the route, and p = 1 −
 * Π(1 − pᵢ).
 */
#ifndef MODELS_NETWORK_ROUTE_H
#define MODELS_NETWORK_ROUTE_H

#include "models/network/capacity.h"
#include "models/network/sites.h"
#include "sim/stream.h"

struct routes;

/* Numbers the links of NETWORK (which network_check accepts) for a strategy with PLACEMENT; both outlive it.
 * NULL when out of memory; the caller destroys it. Read only afterwards. */
struct routes *routes_create(const struct network_config *network, const struct placement *placement,
                             struct error *error);
void routes_destroy(struct routes *routes); /* NULL is allowed */

/* Routes name links without a limit and a price, too: for a run in which any may be struck. */
void routes_keep_all(struct routes *routes);

enum link_kind {
    LINK_ACCESS,   /* of a part */
    LINK_INNER,    /* of a part, to others of its site */
    LINK_UPLINK,   /* of a site, both its ways */
    LINK_PAIR,     /* an entry of "network.links" */
    LINK_BETWEEN,  /* of a pair without one */
    LINK_BACKBONE, /* an entry of "network.backbones" */
    LINK_KINDS
};

enum { ROUTE_NAME = 2 * NETWORK_NAME + 8 }; /* room for the longest: "A and B" */

/* One numbered link. NAME, whole: "uplink of A", "A to B", "backbone X (back)", for tables and messages. */
struct route_link {
    enum link_kind kind;
    bool back;        /* the second way: down, in, or from TO to FROM (higher to lower) */
    bool shared;      /* half duplex: both ways */
    int64_t number;   /* of the part, site, entry, or FROM · sites + TO */
    double bandwidth; /* bit/s that arrive: · (1 − loss); INFINITY: no limit */
    const struct network_profile *profile; /* NULL: it never changes */
    double price;                          /* of a bit that crosses it */
    char name[ROUTE_NAME];
};

size_t routes_link_count(const struct routes *routes);
struct route_link routes_link(const struct routes *routes, size_t link);

/* The capacity over time of LINK, a factor on its bandwidth; NULL without error: it has no profile. The
 * caller destroys it. A link's changes depend on the scenario alone, not on the strategy. */
struct capacity *routes_capacity(const struct routes *routes, size_t link, uint64_t seed,
                                 uint32_t replication, struct error *error);

/* A place that sends or receives: a part of a learner, a site (a syncer there, behind no access link), or,
 * without sites, the middle of the network (part -1, site -1), which no link of its own limits. */
struct endpoint {
    int64_t part; /* of the placement; -1: none */
    int64_t site; /* that of the part; -1: no sites */
};
struct endpoint endpoint_of_learner(const struct placement *placement, int64_t learner); /* its home */
struct endpoint endpoint_of_part(const struct placement *placement, int64_t part);
struct endpoint endpoint_of_site(int64_t site);

enum { ROUTE_LONGEST = 10 };

struct route {
    uint32_t links[ROUTE_LONGEST]; /* those with a limit or a price, in the order crossed */
    size_t count;
    sim_time latency; /* one way */
    sim_time jitter;  /* mean of what is added to it */
    double loss;      /* of packets, end to end */
    double window;    /* bit/s that CAP would be if every packet were lost; INFINITY: a way of no length */
    double cap;       /* fastest rate of one transfer because of loss, bit/s; INFINITY: none */
    double price;     /* of a bit, all links together */
};

/* The way from FROM to TO; from a place to itself it has no links and no latency. False: there is none. */
bool route_find(const struct routes *routes, struct endpoint from, struct endpoint to, struct route *route);

/* True if all sites with learners reach each other, both ways; else the pair that does not. */
bool routes_complete(const struct routes *routes, int64_t *from_site, int64_t *to_site);

/* One message's delay: the latency, and an exponential draw whose mean is the jitter; no draw without jitter.
 */
sim_time route_delay(const struct route *route, struct sim_stream *stream);

#endif
