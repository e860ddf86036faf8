/*
 * The network as a scenario describes it. Two forms, one struct:
 *
 *   without sites  every learner has one full-duplex link to all others, "network.wan";
 *   with sites     learners live at sites (models/network/sites.h), which uplinks, links between pairs and
 *                  shared backbones connect. "network.wan" is then each learner's own access link, and there
 * only where it is set.
 *
 * What the network is made of, link by link, and the way from one place to another is in
 * models/network/route.h; how a link's capacity changes in models/network/capacity.h.
 */
#ifndef MODELS_NETWORK_NETWORK_H
#define MODELS_NETWORK_NETWORK_H

#include "models/parameter.h"
#include "sim/clock.h"

enum { NETWORK_NAME = 64 }; /* bytes of a site's or a backbone's name, with its end */

/* What the two ways of a link have to do with each other. */
enum duplex {
    DUPLEX_FULL, /* each way has the bandwidth */
    DUPLEX_HALF, /* both ways together have it */
};

/* Pairs of sites that have no entry in "network.links". They have a route if bandwidth or latency is given.
 */
struct network_between {
    double bandwidth; /* of each such pair, bit/s; NAN: no limit of its own */
    sim_time latency; /* one way; PARAMETER_UNSET: not given, 0 */
    int64_t duplex;   /* enum duplex */
    double loss;      /* share of packets lost */
    sim_time jitter;  /* mean of what is added to the latency */
    double price;     /* of 10⁹ bytes */
    char *backbone;   /* name; NULL: none */
    char *profile;    /* name; NULL: the capacity never changes */
};

struct network_config {
    double wan_bandwidth; /* bit/s each way; NAN: no access links (with sites, where it is not set) */
    sim_time wan_latency; /* one way, once a route; PARAMETER_UNSET: not set (with sites), 0 */
    char *wan_profile;    /* name; NULL: the capacity never changes */
    int64_t connections;  /* of one transfer, in parallel: what packet loss costs, see route.h */
    char *file;           /* always NULL: loading puts the file's contents in its place */
    struct network_between between;
    struct parameter_items sites;     /* struct network_site */
    struct parameter_items links;     /* struct network_link */
    struct parameter_items backbones; /* struct network_backbone */
    struct parameter_items profiles;  /* struct network_profile */
};

extern const struct parameter_table network_parameters; /* section "network" */
extern const struct parameter_list network_sites, network_links, network_backbones, network_profiles;

/* Without sites, "network.wan" has the defaults of its rows; with sites, only what is set counts. Loading
 * says which of the two were set. */
void network_settle(struct network_config *network, bool bandwidth_set, bool latency_set);

/* What is wrong with an entry of a list that is within its bounds field by field, or (list NULL) with the
 * table. */
struct network_fault {
    const struct parameter_list *list;
    size_t item;
    const char *field; /* of the item; or a path from the scenario's root */
    char message[300];
};

/* Holds the parts of NETWORK against each other: names used twice or unknown, a pair linked twice, half
 * duplex with two bandwidths, a schedule out of order ... Fills up to ROOM of FAULTS and returns how many
 * there are; 0: all is well, and the functions of sites.h, route.h and capacity.h may be used. */
size_t network_check(const struct network_config *network, struct network_fault *faults, size_t room);

#endif
