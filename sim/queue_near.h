/*
 * The near events: a sorted window in a fixed array. It pops at its front; an insertion shifts whichever
 * side of its place is shorter, which is nothing for the next event and for the last, and little for a
 * model of few events.
 *
 * Invariant: event[head … tail-1] ascend by key; 0 <= head <= tail <= SIM_NEAR_SPACE.
 */
#ifndef SIM_QUEUE_NEAR_H
#define SIM_QUEUE_NEAR_H

#include "sim/queue_key.h"

enum {
    SIM_NEAR_LIMIT = 256, /* the most events it holds */
    SIM_NEAR_SPACE = 512, /* room to slide in before the window is moved back to the middle */
};

struct sim_near {
    uint32_t head, tail;
    struct sim_event event[SIM_NEAR_SPACE];
};

static inline uint32_t sim_near_count(const struct sim_near *near) {
    return near->tail - near->head;
}

/* Empties it, and returns where COUNT events, in order, are to be written to fill it. */
struct sim_event *sim_near_fill(struct sim_near *near, uint32_t count);

/* There must be fewer than SIM_NEAR_LIMIT events. */
void sim_near_insert(struct sim_near *near, const struct sim_event *event);

/* Where the event of KEY is, or NULL. */
const struct sim_event *sim_near_find(const struct sim_near *near, sim_key key);

/* Takes out the event of KEY; false when it isn't there. */
bool sim_near_remove(struct sim_near *near, sim_key key);

#endif
