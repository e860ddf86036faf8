/*
 * Fluid flows that share links max-min fairly.
 *
 * A flow carries a number of bits over a list of links. Every moment its rate is its weight times the least
 * level among its links, where the level of a link is the rate per unit of weight at which the flows that no
 * other link holds lower fill what the others leave of its capacity; a link that isn't full has no level.
 * That is the weighted max-min fair share: nobody's rate per weight can rise without that of somebody no
 * better off falling (Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2). A rate cap is a link of
 * the flow's own.
 *
 * A change is solved when it is asked about: many starts, ends and changes of capacity of one instant cost
 * one solution. Only links whose level changes are visited, from the lowest changed level upwards; a flow is
 * touched when it starts, ends, or is held by another link than before.
 *
 * Time is in nanoseconds and only goes forward. A flow is over at the first nanosecond at which all its bits
 * have left, rounded up by 2^-28 bit per unit of its weight at most, and by as much for each change of its
 * rate; a moment less than 1/1024 ns, or two parts in 2^50 of the wait, after a nanosecond counts as that
 * nanosecond; but no flow is over in the nanosecond of its start. The same calls give the same bits. Bits are
 * conserved exactly: what a link has carried is the sum of what its flows have sent, in whole bits, whatever
 * happens meanwhile.
 *
 * When memory runs out, fluid_failed is true from then on, fluid_next is SIM_NEVER, and what was started is
 * lost: fluid_pop gives none of it, and what else a function returns means nothing. All may still be called.
 */
#ifndef MODELS_NETWORK_FLUID_H
#define MODELS_NETWORK_FLUID_H

#include "sim/clock.h"
#include "sim/error.h"

#include <stdbool.h>
#include <stdint.h>

#define FLUID_CAPACITY_LIMIT 1e15            /* bit/s */
#define FLUID_BITS_LIMIT (UINT64_C(1) << 62) /* of one flow */
#define FLUID_WEIGHT_LIMIT 1000000

struct fluid;

typedef unsigned __int128 fluid_bits; /* of a link: years of terabits per second pass 64 bits */

/* Names a flow until it is popped or cancelled, and none for 4e9 flows afterwards; 0 names none. */
typedef uint64_t fluid_flow;

/* What is to be sent. LINKS (copied) may be in any order; naming a link twice counts once. */
struct fluid_demand {
    const uint32_t *links;
    uint32_t links_count; /* at least 1 */
    uint32_t weight;      /* 1 to FLUID_WEIGHT_LIMIT */
    uint64_t bits;        /* 1 to FLUID_BITS_LIMIT */
    double rate_cap;      /* bit/s, above 0; 0 and infinity: none */
    void *context;        /* the caller's */
};

/* What a link has carried since it was added. The mean rate is BITS over the time. */
struct fluid_traffic {
    fluid_bits bits;
    double peak; /* greatest rate that lasted for a nanosecond or more before the clock's time, bit/s */
};

struct fluid *fluid_create(struct error *error); /* NULL when out of memory; the caller destroys it */
void fluid_destroy(struct fluid *fluid);         /* NULL is allowed */
bool fluid_failed(const struct fluid *fluid);    /* memory ran out */

/* Adds a link of CAPACITY, 0 to FLUID_CAPACITY_LIMIT bit/s, and returns its number, counted from 0;
 * UINT32_MAX when memory runs out. A full-duplex link is two links. */
uint32_t fluid_add_link(struct fluid *fluid, double capacity);

/* Moves the clock on to NOW, at most fluid_next and not SIM_NEVER; every other function works at the clock's
 * time. What ends at NOW has ended from here on, before anything else of that instant. */
void fluid_advance(struct fluid *fluid, sim_time now);

/* From now on the link's capacity is CAPACITY, as in fluid_add_link. At 0 its flows stand still until it
 * changes again. */
void fluid_set_capacity(struct fluid *fluid, uint32_t link, double capacity);

/* From now on FLOW, which was started with a rate cap below FLUID_CAPACITY_LIMIT, has this one, above 0; one
 * that has ended, or a name that names none, stays as it is. */
void fluid_set_rate_cap(struct fluid *fluid, fluid_flow flow, double rate_cap);

/* Whether FLOW, under way, goes over LINK. */
bool fluid_crosses(const struct fluid *fluid, fluid_flow flow, uint32_t link);

/* Starts a flow; 0 when memory ran out. */
fluid_flow fluid_start(struct fluid *fluid, const struct fluid_demand *demand);

/* Takes a flow out, under way or ended, and returns the whole bits that it sent; 0 for a name of none. */
uint64_t fluid_cancel(struct fluid *fluid, fluid_flow flow);

/* When the next flow ends, unless something changes before; SIM_NEVER when no flow moves. */
sim_time fluid_next(struct fluid *fluid);

/* Takes out a flow that has ended, those of one instant in the order of their starts, and gives its context;
 * 0 when there is none (left). */
fluid_flow fluid_pop(struct fluid *fluid, void **context);

uint32_t fluid_count(const struct fluid *fluid);                 /* flows under way */
double fluid_rate(struct fluid *fluid, fluid_flow flow);         /* bit/s */
uint64_t fluid_sent(const struct fluid *fluid, fluid_flow flow); /* whole bits so far */
double fluid_load(struct fluid *fluid, uint32_t link);           /* sum of its flows' rates, bit/s */
double fluid_capacity(const struct fluid *fluid, uint32_t link); /* bit/s */

/* Takes time by the number of the link's flows, or of all flows. */
struct fluid_traffic fluid_traffic(struct fluid *fluid, uint32_t link);

#endif
