/*
 * The near events: a sorted window in a fixed array. It pops at its front, grows at either end, and an
 * insertion shifts the side of its middle on which its place is.
 *
 * Invariant: FIRST … END-1 ascend by key, within the array; END leaves room for SIM_NEAR_FEW + 1 events
 * before it, so that a small window can always grow at its front.
 */
#ifndef SIM_QUEUE_NEAR_H
#define SIM_QUEUE_NEAR_H

#include "sim/queue_key.h"

enum {
    SIM_NEAR_FEW = 4,     /* windows up to this size are kept inline */
    SIM_NEAR_LIMIT = 72,  /* the most events it holds */
    SIM_NEAR_SPACE = 256, /* room to slide in before the window is moved back to the middle */
};

struct sim_near {
    struct sim_event *first, *end;
    struct sim_event event[SIM_NEAR_SPACE];
};

static inline size_t sim_near_count(const struct sim_near *near)
{
    return (size_t)(near->end - near->first);
}

/* Empties it, and returns where COUNT events, in order, are to be written to fill it. */
struct sim_event *sim_near_fill(struct sim_near *near, size_t count);

/* KEY and LOAD are the event's; there must be fewer than SIM_NEAR_LIMIT events. */
void sim_near_insert(struct sim_near *near, sim_key key, uint64_t load);

/* The same for at most SIM_NEAR_FEW events, as small models have them all the time. */
static inline void sim_near_insert_few(struct sim_near *near, sim_key key, uint64_t load)
{
    struct sim_event *place = --near->first;
    const struct sim_event *last = near->end - 1;
    for (; place < last && sim_key_of(place + 1) < key; place++)
        sim_event_copy(place, place + 1);
    sim_event_set(place, key, load);
}

/* Where the event of KEY is, or NULL. */
const struct sim_event *sim_near_find(const struct sim_near *near, sim_key key);

/* Takes out the event of KEY; false when it isn't there. */
bool sim_near_remove(struct sim_near *near, sim_key key);

/* Forgets all but the first COUNT events. */
void sim_near_cut(struct sim_near *near, size_t count);

#endif
