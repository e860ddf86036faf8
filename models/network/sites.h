/*
 * Sites, what connects them, and which learners live where.
 *
 * A learner is at one site, as long as there are at least as many learners as sites with learners. Fewer
 * learners than sites span them: the sites lie side by side, each as wide as its share, and the learners cut
 * that line into equal lengths. So the one learner of all-reduce has a part at every site. Parts are what
 * routes run between; a learner at one site is one part.
 */
#ifndef MODELS_NETWORK_SITES_H
#define MODELS_NETWORK_SITES_H

#include "models/network/network.h"
#include "sim/error.h"

enum { SITES_MOST = 1000 };

/* An entry of "network.sites". Bandwidths in bit/s; NAN: no limit. Where uplink is given and downlink is
 * not, they are equal (half duplex: one and the same). */
struct network_site {
    char *name;
    int64_t learners; /* PARAMETER_UNSET: by share; 0 if others give theirs */
    double share;     /* of learners and chips, relative to the others'; NAN: 0 if others give theirs,
                       * the same for all if none does */
    double uplink;
    double downlink;
    int64_t duplex;         /* enum duplex, of uplink and downlink */
    sim_time latency;       /* from the site to where links and backbones begin, one way */
    double loss;            /* share of packets lost on that way */
    sim_time jitter;        /* mean of what is added to that latency */
    double inner_bandwidth; /* of each learner to others of this site, each way */
    sim_time inner_latency; /* between two learners of this site, one way */
    double price;           /* of 10⁹ bytes that leave the site */
    char *backbone;         /* crossed by all that leaves or enters the site; NULL: none */
    char *profile;          /* of uplink and downlink; NULL: they never change */
};

/* An entry of "network.links": a pair of sites, both ways unless ONE_WAY. */
struct network_link {
    char *from, *to;
    double bandwidth; /* bit/s, see DUPLEX; 0: nothing ever passes */
    sim_time latency; /* one way */
    int64_t duplex;   /* enum duplex */
    bool one_way;     /* the other way has its own entry, or takes "between" */
    double loss;
    sim_time jitter;
    double price;   /* of 10⁹ bytes, either way */
    char *backbone; /* that this link is a share of; NULL: none */
    char *profile;
};

/* An entry of "network.backbones": capacity that several routes share. It has two ways (full duplex): out of
 * the sites and along FROM → TO of the links that name it, and back. */
struct network_backbone {
    char *name;
    double bandwidth; /* bit/s */
    int64_t duplex;   /* enum duplex */
    char *profile;
};

static inline const struct network_site *sites_of(const struct network_config *network)
{
    return (const struct network_site *)network->sites.items;
}

/* Index of the site called NAME, or -1. */
int64_t sites_find(const struct network_config *network, const char *name);

/* What of a learner is at one site. Without sites SITE is -1. */
struct site_part {
    int64_t learner;
    int64_t site;
    double share; /* of the learner's chips, above 0; a learner's parts sum to 1 */
};

/* Where the learners of a strategy are. PARTS are in the order of learners, a learner's in the order of
 * sites. */
struct placement {
    size_t sites; /* 0: the scenario has none */
    int64_t learners;
    int64_t *first; /* learner's parts are [first[learner], first[learner + 1]) */
    struct site_part *parts;
    int64_t part_count; /* = first[learners] */
};

/* Places LEARNERS >= 1. If sites give their learners and these sum to LEARNERS, so; else by share (or
 * in proportion to the sites' learners), with largest remainders, the earlier site first among equals.
 * Learner 0 is at the first site with learners, and so on. NULL when out of memory; the caller destroys it.
 */
struct placement *placement_create(const struct network_config *network, int64_t learners,
                                   struct error *error);
void placement_destroy(struct placement *placement); /* NULL is allowed */

/* Learners that placement_create puts at each site, in COUNTS (room for all sites); all 0 where fewer
 * learners than sites span them. */
void sites_count_learners(const struct network_config *network, int64_t learners, int64_t *counts);

/* The part that speaks for a learner: its largest, the first among equals. */
int64_t placement_home(const struct placement *placement, int64_t learner);

#endif
