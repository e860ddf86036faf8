/*
 * One direction of a link: messages go out one after another, first come first served.
 */
#ifndef MODELS_NETWORK_LINK_H
#define MODELS_NETWORK_LINK_H

#include "sim/clock.h"

struct link {
    double bandwidth; /* bit/s */
    sim_time latency;
    sim_time free_at; /* when the last accepted message has left */
    double bits;      /* accepted so far */
};

/* Time that BITS take to leave at BANDWIDTH, rounded up to a nanosecond. */
sim_time link_transfer_time(double bits, double bandwidth);

/* Accepts a message of BITS that is ready at READY and returns when its last bit arrives. */
sim_time link_send(struct link *link, sim_time ready, double bits);

#endif
