/* clang-format off */
/*
 * Collective operations as transfers (flows.h) between ranks.
 *
 * With p ranks, n bits, a latency α and β seconds a bit, on an idle network where every rank has a link out
 * and a link in of its own and all routes are alike, they take (Thakur, Rabenseifner and Gropp, "Optimization
 * of collective communication operations in MPICH", IJHPCA 19(1), 2005; ⌈lg p⌉ rounds for any p by
 * circulants: Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing
 * systems", IEEE TPDS 8(11), 1997):
 *
 *   RING              2(p−1)α + 2((p−1)/p)nβ       all-reduce: reduce-scatter, then all-gather, each to the
 *                                                  next rank
 *   HALVING_DOUBLING  2⌈lg p⌉α + 2((p−1)/p)nβ      all-reduce: half the blocks, a quarter, …, and back; between
 *                                                  r and r xor 2ᵏ if p is a power of two, else from r to
 *                                                  r + 2ᵏ and back
 *   TREE              2⌈lg p⌉(α + nβ)              all-reduce: binomial reduce to ROOT, then broadcast
 *   HIERARCHICAL      2(g−1)α + 2((g−1)/g)nβ       all-reduce: reduce-scatter among the g ranks of each group,
 *                     + 2(P−1)α + 2((P−1)/P)(n/g)β g rings side by side among the P groups, all-gather in
 *                                                  each group
 *   REDUCE_SCATTER    (p−1)α + ((p−1)/p)nβ         by ring
 *   ALL_GATHER        (p−1)α + ((p−1)/p)nβ         by ring
 *   BROADCAST         ⌈lg p⌉(α + nβ)               binomial, from ROOT
 *   PUSH              α + (p−1)nβ                  everybody to ROOT, all at once
 *   PULL              α + (p−1)nβ                  ROOT to everybody, all at once
 *   EXCHANGE          (p−1)(α + nβ)                everybody n bits to everybody else: to r + 1, r + 2, …
 *
 * Each message is whole bits, rounded up, and leaves at a whole nanosecond, rounded up. Elsewhere they take
 * what the network gives: messages share links with one another and with all else, and wait for one another:
 *
 * - A rank begins its next round when all that it receives in this one has arrived and all that it sends has
 *   left. It may be ahead of the rank that receives.
 * - In TREE and BROADCAST a message keeps both of its ranks busy from when both are ready until it has
 *   arrived, α included, as the formula has it.
 * - Rings (RING, REDUCE_SCATTER, ALL_GATHER, HIERARCHICAL) are steady unless STEPWISE is set: a rank's
 *   messages of all rounds are one transfer to its neighbour, whose latency is that of the last hops that a
 *   block takes to get there, one a round. It costs p transfers rather than 2p(p−1), and takes the same time
 *   where all routes are alike; where one link is slower, its transfer sets the pace from the start. What it
 *   leaves out is the wait for a late block: with STEPWISE, a rank that a burst of other traffic delays
 *   delays its successors, too. Keep STEPWISE for tests and few ranks.
 * - Groups of different sizes: the rings among groups are as many as the largest group has ranks, and smaller
 *   groups' ranks serve several, in turn.
 */
/* clang-format on */
#ifndef MODELS_NETWORK_COLLECTIVE_H
#define MODELS_NETWORK_COLLECTIVE_H

#include "models/network/flows.h"

enum collective_algorithm {
    COLLECTIVE_RING,
    COLLECTIVE_HALVING_DOUBLING,
    COLLECTIVE_TREE,
    COLLECTIVE_HIERARCHICAL,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_PUSH,
    COLLECTIVE_PULL,
    COLLECTIVE_EXCHANGE,
    COLLECTIVE_ALGORITHMS
};

enum { COLLECTIVE_LINKS_MOST = 16 }; /* of a route */

struct collective_route {
    uint32_t links[COLLECTIVE_LINKS_MOST]; /* numbers of flows_add_link */
    uint32_t links_count;
    sim_time latency;
    double rate_cap;     /* bit/s; 0 and infinity: none */
    double window, loss; /* as of a flows_transfer */
};

/* Fills *ROUTE (zeroed before) with the way from rank FROM to rank TO, counted from 0. False: there is none,
 * and the message waits for ever. Asked when the collective starts and again when each message does. */
typedef bool collective_route_finder(void *context, uint32_t from, uint32_t to,
                                     struct collective_route *route);

struct collective_demand {
    enum collective_algorithm algorithm;
    uint32_t ranks;         /* p, at least 1; one alone is done at once */
    uint64_t bits;          /* n, 0 to FLUID_BITS_LIMIT, which no message exceeds either: of the whole vector;
                               of EXCHANGE, what everybody has for everybody else */
    uint32_t root;          /* of TREE, BROADCAST, PUSH and PULL */
    const uint32_t *groups; /* of HIERARCHICAL: a number for each rank, the same within a site; not kept */
    bool stepwise;          /* rings message by message */
    uint32_t weight;        /* of each transfer; 0 is taken for 1 */
    collective_route_finder *route;
    flows_handler *done; /* called once, when every rank has what it should; may start others */
    void *context;       /* given to both */
};

struct collective;

/* Starts a collective on FLOWS, which outlive it. It belongs to the network: it ends itself just before DONE
 * is called, and the pointer then names nothing. NULL when out of memory. */
struct collective *collective_start(struct flows *flows, const struct collective_demand *demand,
                                    struct error *error);

/* Visits all messages that COLLECTIVE sends, be they under way, past or yet to come. */
typedef void collective_visitor(void *context, uint32_t from, uint32_t to);
void collective_visit(const struct collective *collective, collective_visitor *visitor, void *context);

/* Takes a collective back before it is done: its transfers are cancelled, and nobody is called. Whoever stops
 * before all are done cancels them, before destroying FLOWS. Returns the bits that have left, over all ranks.
 */
fluid_bits collective_cancel(struct collective *collective);

#endif
