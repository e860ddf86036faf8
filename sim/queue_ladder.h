/*
 * The far events: a ladder of rungs below an unsorted top.
 *
 * A rung cuts a range of times into equal buckets, 2^shift wide; the first also
 * takes what lies below, the last what lies above. Rungs nest: each lies within
 * the bucket of the next outer one that was taken last. An event lies in the
 * outermost rung in whose untaken part its key falls. Buckets are taken in
 * order; a large one is spread over a new rung, a small one is handed out to be
 * sorted.
 *
 * When memory runs out the ladder fails: it gives up all its events, is empty
 * from then on, and refuses what it is given; its edge is 0.
 *
 * Invariant: EDGE is where the untaken part of a rung (or of the top) begins:
 * all its events have keys at or above it and below the edge of the next outer
 * one, and edges never ascend inwards. Every event below the innermost edge has
 * been handed out.
 */
#ifndef SIM_QUEUE_LADDER_H
#define SIM_QUEUE_LADDER_H

#include "sim/queue_chunk.h"
#include "sim/queue_key.h"

/* Its buckets are of times, or, where all the events it was made for have one
 * time, of orders. */
struct sim_rung {
    sim_key edge;
    uint64_t base; /* where the first bucket begins: a time or an order */
    uint64_t tie;  /* of a rung of orders: the time */
    bool by_order;
    int shift;
    uint32_t current; /* the bucket taken last: of its range, what lies below the
                         edge is gone */
    uint32_t last;    /* the last bucket's index */
    uint32_t capacity;
    struct sim_bucket *bucket;
};

struct sim_ladder {
    sim_key edge; /* the innermost */
    size_t count; /* of events */
    sim_key top_edge;
    struct sim_bucket top;
    struct sim_rung *rung; /* from the outermost to the innermost */
    uint32_t rungs, capacity;
    bool failed;
    struct sim_chunk_pool pool;
};

void sim_ladder_open(struct sim_ladder *ladder);
void sim_ladder_close(struct sim_ladder *ladder);
void sim_ladder_fail(struct sim_ladder *ladder);

/* Takes an event whose key is at or above the edge; {0} when refused. */
struct sim_handle sim_ladder_put(struct sim_ladder *ladder, sim_key key, uint64_t load);

/* Takes the events with the lowest keys out, at most LIMIT of them, and raises
 * the edge above them. The caller frees the bucket's chunks into the pool.
 * False when there are none. */
bool sim_ladder_take(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket);

/* Takes back COUNT > 0 events, in ascending order, the highest below the edge;
 * lowers the edge to the first. */
void sim_ladder_take_back(struct sim_ladder *ladder, const struct sim_event *event, size_t count);

/* True when the event of KEY, at or above the edge, is there: looks through its
 * bucket. */
bool sim_ladder_holds(const struct sim_ladder *ladder, sim_key key);

/* Calls VISIT for every event and keeps those for which it returns true. */
typedef bool sim_visit(const struct sim_event *event, void *context);
void sim_ladder_filter(struct sim_ladder *ladder, sim_visit *visit, void *context);

size_t sim_ladder_memory(const struct sim_ladder *ladder);

#endif
