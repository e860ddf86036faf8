/*
 * What orders events: one 128-bit number, the time above the order (priority, sequence number). No two
 * events of a queue have the same key, so that any set of them can be split by key, ties in time
 * included, and all arithmetic on keys is exact.
 */
#ifndef SIM_QUEUE_KEY_H
#define SIM_QUEUE_KEY_H

#include "sim/queue.h"

typedef unsigned __int128 sim_key;

#define SIM_KEY_MAX (~(sim_key)0) /* above every event's key */

enum { SIM_SEQUENCE_BITS = 56 };
#define SIM_SEQUENCE_MASK ((UINT64_C(1) << SIM_SEQUENCE_BITS) - 1)

static inline sim_key sim_key_make(sim_time time, uint64_t order) {
    return (sim_key)(uint64_t)time << 64 | order;
}

static inline sim_key sim_key_of(const struct sim_event *event) {
    return sim_key_make(event->time, event->order);
}

#endif
