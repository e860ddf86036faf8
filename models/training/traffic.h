/*
 * What the learners of a run send each other: transfers and collectives over the scenario's network.
 *
 * Places are learners, by number, and the syncer. Traffic finds the ways between them
 * (models/network/route.h), lets capacities change when their profiles say so, and knows what every link has
 * carried. A learner that spans sites sends from its largest part; in a collective each of its parts is a
 * rank of its own.
 *
 * Handlers are called as events of PRIORITY_MESSAGE. A transfer over a link without capacity stands still
 * until the capacity comes back; a strategy that does not want to wait so long schedules a time-out and
 * cancels.
 */
#ifndef MODELS_TRAINING_TRAFFIC_H
#define MODELS_TRAINING_TRAFFIC_H

#include "models/failures/fault.h"
#include "models/network/collective.h"
#include "models/network/route.h"

struct traffic;

/* A collective that is under way; gone just before its DONE is called. */
struct operation;

/* The syncer's number among places. */
enum { TRAFFIC_SYNCER = -1 };

/* The network of a run with LEARNERS learners. ENGINE and NETWORK outlive it. NULL (ERROR_SYSTEM) when memory
 * runs out; the caller destroys it. */
struct traffic *traffic_create(struct sim_engine *engine, const struct network_config *network,
                               int64_t learners, uint64_t seed, uint32_t replication, struct error *error);

/* Ends what is under way without calling anybody. NULL is allowed. */
void traffic_destroy(struct traffic *traffic);

/* True once memory has run out, here or for a caller that said so: nothing calls back any more. */
bool traffic_failed(const struct traffic *traffic);
void traffic_fail(struct traffic *traffic);

/* Puts the syncer at a site, behind its uplink but no access link. Until then it is at the site with most
 * learners, the first among equals; without sites it is in the middle of the network, which limits nothing.
 */
void traffic_place_syncer(struct traffic *traffic, int64_t site);

/* The site that the syncer is at; -1: none. */
int64_t traffic_syncer_site(const struct traffic *traffic);

/* To be called before anything is sent where traffic_strike may be called later. */
void traffic_expect_faults(struct traffic *traffic);

/* A fault of a kind that strikes links BEGINS, or ends. A link carries its bandwidth, as its profile has it,
 * times the factors of all throttles and 1 − loss of all losses at the time; nothing in a partition. What is
 * lost also slows the connections over it (route.h). What is under way goes on at the new rate: to the bit
 * what has left has left. Of a site both ways of its uplink are struck, of the cluster those of all sites, or
 * without sites the learners' links; FAULT_OF_LINK is numbered as failures/chaos.h says. A share of no limit
 * is no limit. False: the network has no such link, and nothing happens. */
bool traffic_strike(struct traffic *traffic, const struct fault *fault, bool begins);

/* A fault of a link that something crosses now, and whom to charge for it: of several the worst, which is a
 * partition before others, and of those the one that began first. ORDER is lower the worse it is. */
struct traffic_blame {
    int32_t cause; /* FAULT_NO_CAUSE: there is no fault */
    uint64_t order;
};
#define TRAFFIC_NO_BLAME ((struct traffic_blame){FAULT_NO_CAUSE, UINT64_MAX})

static inline struct traffic_blame traffic_worse(struct traffic_blame one, struct traffic_blame other)
{
    return one.order <= other.order ? one : other;
}

/* Of the way from FROM to TO. What leaves a link all it has is no fault: a throttle of one without limit. */
struct traffic_blame traffic_blame(const struct traffic *traffic, int64_t from, int64_t to);

/* Of a collective under way: it crosses, as long as it lasts, whatever any of its messages crosses. */
struct traffic_blame traffic_blame_operation(const struct traffic *traffic, struct operation *operation);

/* Whether any link has a fault now; and how often faults have begun or ended so far. */
bool traffic_is_struck(const struct traffic *traffic);
uint64_t traffic_changes(const struct traffic *traffic);

/* The site that a learner sends from; -1: there are no sites. */
int64_t traffic_site(const struct traffic *traffic, int64_t learner);

/* True while nothing gets from one place to another: a link between has no capacity, or there is no way. */
bool traffic_is_cut(struct traffic *traffic, int64_t from, int64_t to);

/* A slice of LEARNER, the NTH of its SLICES, has gone away or come back: slices fill its parts one after
 * another, and a part without any takes no part in collectives, unless the learner has none at all and gives
 * what it left. All are there at first. */
void traffic_slice_away(struct traffic *traffic, int64_t learner, int64_t nth, int64_t slices, bool away);

struct traffic_message {
    int64_t from, to; /* learners, or TRAFFIC_SYNCER */
    double bits;      /* sent as whole bits, rounded up; none: waits for its way, takes no time */
    uint32_t weight;  /* share of a link; 0 is taken for 1 */
    flows_handler *left, *arrived; /* NULL: nobody wants to know */
    void *context;                 /* given to both */
};

/* Starts a transfer now; 0 when memory ran out. Its name holds until it has arrived. Where no way leads, it
 * never arrives. */
flows_name traffic_send(struct traffic *traffic, const struct traffic_message *message);

/* Takes a transfer back and returns the bits that have left; 0 for a name that names none (any more). */
uint64_t traffic_cancel(struct traffic *traffic, flows_name name);

struct traffic_collective {
    enum collective_algorithm algorithm;
    const int64_t *learners; /* that take part; copied */
    size_t learner_count;    /* at least 1 */
    size_t root;             /* index into LEARNERS, of algorithms that have one */
    double bits;             /* of the whole vector, rounded up */
    flows_handler *done;
    void *context;
};

/* Starts a collective among all parts of the learners, in the order of their sites; where one part is alone
 * it is done at once, in an event of its own. NULL when memory ran out. */
struct operation *traffic_start(struct traffic *traffic, const struct traffic_collective *collective);

/* Takes a collective back; nobody is called. */
void traffic_stop(struct traffic *traffic, struct operation *operation);

/* Whether anything that is under way gets on: it does not where all of it waits for capacity or for a way. */
bool traffic_moves(struct traffic *traffic);

/* What has been carried since the start, or since traffic_begin_counting. A transfer counts its bits once,
 * however many links it crosses; the price is that of all links. */
void traffic_begin_counting(struct traffic *traffic);
double traffic_bits(struct traffic *traffic);
double traffic_price(struct traffic *traffic);

/* Visits the links that were used, in the order of their numbers (route.h). BITS are counted as above; the
 * peak is that of the whole run. */
struct traffic_link {
    struct route_link link;
    uint32_t number; /* among the links that were used, in the order of their first use */
    double bits;
    double peak; /* bit/s */
};
typedef void traffic_visitor(void *context, const struct traffic_link *link);
void traffic_visit(struct traffic *traffic, traffic_visitor *visitor, void *context);

/* Links that were used so far, and the bits that NUMBER, one of them, has carried since the start. */
uint32_t traffic_used_links(const struct traffic *traffic);
fluid_bits traffic_link_bits(struct traffic *traffic, uint32_t number);

#endif
