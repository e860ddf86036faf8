/*
 * Transfers over a network in virtual time: the fluid solver (fluid.h) on the engine.
 *
 * A transfer's bits leave over its links at its max-min fair rate. The last one leaves at the first
 * nanosecond at which all have (rounded up); the transfer arrives its latency later, and latency takes no
 * capacity. A transfer without links, or without bits, leaves when it is started. A transfer over a link
 * without capacity stands still, without an event, until the capacity comes back; whoever wants a time-out
 * schedules one and cancels.
 *
 * Whatever happens at one instant is solved once, after all else of that instant. Until then a transfer
 * started has moved nothing. Transfers that leave together call back in the order of their starts.
 *
 * When memory runs out, flows_failed is true from then on and nothing calls back any more.
 */
#ifndef MODELS_NETWORK_FLOWS_H
#define MODELS_NETWORK_FLOWS_H

#include "models/network/fluid.h"
#include "sim/engine.h"

struct flows;

/* Called when a transfer has left or arrived; it may start and cancel transfers. */
typedef void flows_handler(struct sim_engine *engine, void *context);

/* Names a transfer until it has arrived or is cancelled, and none afterwards; 0 names none. */
typedef uint64_t flows_name;

struct flows_transfer {
    const uint32_t *links; /* copied; NULL when there are none */
    uint32_t links_count;
    uint32_t weight; /* share of a link in proportion to it, 1 to FLUID_WEIGHT_LIMIT; 0 is taken for 1 */
    uint64_t bits;   /* 0 to FLUID_BITS_LIMIT */
    double rate_cap; /* bit/s; 0 and infinity: none */
    double window; /* above 0: packets that links lose from now on (flows_set_loss) cap it at WINDOW / √p */
    double loss;   /* where p = 1 − (1 − LOSS) · Π (1 − the links') */
    sim_time latency;
    flows_handler *left;    /* the last bit has left; NULL: nobody wants to know */
    flows_handler *arrived; /* likewise */
    void *context;          /* given to both */
};

/* Transfers on ENGINE, which outlives them; PRIORITY is that of the events that call back. NULL when out of
 * memory; the caller destroys them. */
struct flows *flows_create(struct sim_engine *engine, uint8_t priority, struct error *error);
void flows_destroy(struct flows *flows); /* NULL is allowed */
bool flows_failed(const struct flows *flows);

/* Adds a link in one direction of CAPACITY >= 0 bit/s (more than FLUID_CAPACITY_LIMIT counts as that much)
 * and returns its number, counted from 0; UINT32_MAX when memory runs out. */
uint32_t flows_add_link(struct flows *flows, double capacity);

/* From now on LINK has CAPACITY. */
void flows_set_capacity(struct flows *flows, uint32_t link, double capacity);

/* From now on LINK loses that share of packets, 0 … 1, beside what transfers know of. It caps those that have
 * a window, also under way; the link's capacity is the caller's to see to. */
void flows_set_loss(struct flows *flows, uint32_t link, double loss);

/* Starts a transfer now; 0 when memory ran out. */
flows_name flows_start(struct flows *flows, const struct flows_transfer *transfer);

/* Takes a transfer back; it calls nobody any more. Returns the bits that have left, all of them once LEFT
 * could have been called; those stay in the links' traffic. 0 for a name that names none. */
uint64_t flows_cancel(struct flows *flows, flows_name name);

/* Bits of a transfer that have left, and its rate in bit/s; 0 for a name that names none. */
uint64_t flows_sent(struct flows *flows, flows_name name);
double flows_rate(struct flows *flows, flows_name name);

uint32_t flows_count(const struct flows *flows);       /* transfers that have not arrived */
bool flows_move(struct flows *flows);                  /* not all of these stand still for want of capacity */
fluid_bits flows_carried(struct flows *flows);         /* bits of all transfers that have left so far */
double flows_load(struct flows *flows, uint32_t link); /* bit/s now */
double flows_capacity(const struct flows *flows, uint32_t link);
struct fluid_traffic flows_traffic(struct flows *flows, uint32_t link); /* so far, see fluid.h */

#endif
