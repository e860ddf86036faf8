/*
 * What orders events: one 128-bit number, the time above the order (priority, then sequence number). No two
 * events of a queue have the same key, so that any set of them, ties in time included, can be told apart and
 * split, and all arithmetic on keys is exact.
 */
#ifndef SIM_QUEUE_KEY_H
#define SIM_QUEUE_KEY_H

#include "sim/queue.h"
#include <string.h>

typedef unsigned __int128 sim_key;

#define SIM_KEY_MAX (~(sim_key)0) /* above every event's key */

enum { SIM_SEQUENCE_BITS = 56 };
#define SIM_SEQUENCE_MASK ((UINT64_C(1) << SIM_SEQUENCE_BITS) - 1)

static inline sim_key sim_key_make(sim_time time, uint64_t order)
{
    return (sim_key)(uint64_t)time << 64 | order;
}

static inline sim_key sim_key_of(const struct sim_event *event)
{
    return sim_key_make(event->time, event->order);
}

static inline struct sim_handle sim_handle_of(sim_key key)
{
    return (struct sim_handle){(sim_time)(key >> 64), (uint64_t)key};
}

/*
 * On its way in, an event travels in registers: as its key and its load, which is actor and argument as they
 * lie in memory. Events that may just have been written are read and copied in these words: a load that spans
 * two recent stores would wait for both.
 */
enum { SIM_LOAD_OFFSET = offsetof(struct sim_event, actor) };

static inline uint64_t sim_load_make(uint32_t actor, uint32_t argument)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint64_t)actor << 32 | argument;
#else
    return (uint64_t)argument << 32 | actor;
#endif
}

static inline uint64_t sim_load_of(const struct sim_event *event)
{
    uint64_t load;
    memcpy(&load, (const char *)event + SIM_LOAD_OFFSET, sizeof load);
    return load;
}

static inline void sim_event_set(struct sim_event *event, sim_key key, uint64_t load)
{
    event->time = (sim_time)(key >> 64);
    event->order = (uint64_t)key;
    memcpy((char *)event + SIM_LOAD_OFFSET, &load, sizeof load);
}

static inline void sim_event_copy(struct sim_event *to, const struct sim_event *from)
{
    sim_event_set(to, sim_key_of(from), sim_load_of(from));
}

#endif
