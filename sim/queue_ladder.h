/*
 * The far events: a ladder of rungs below an unsorted top.
 *
 * Rungs nest: each lies within the bucket of the next outer one that was taken last, the outermost below the
 * top. An event lies in the outermost rung in whose untaken part its key falls. A small bucket is handed out
 * to be sorted; a large one becomes a new rung.
 *
 * Invariant: the edges of the top and the rungs never ascend inwards, and what lies in a rung is below the
 * edge of the next outer one. Every event below the innermost edge has been handed out.
 *
 * When memory runs out the ladder fails: it loses all its events, stays empty, and refuses what it is given;
 * its edge is 0.
 */
#ifndef SIM_QUEUE_LADDER_H
#define SIM_QUEUE_LADDER_H

#include "sim/queue_rung.h"

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

/* Takes in an event whose key is at or above the edge; {0} when it is refused. */
struct sim_handle sim_ladder_put(struct sim_ladder *ladder, sim_key key, uint64_t load);

/* Hands out the events with the lowest keys, at most LIMIT >= 1 of them, and raises the edge above them. The
 * caller frees the bucket's chunks into the pool. False when there is none. */
bool sim_ladder_take(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket);

/* Takes back COUNT > 0 events in ascending order, the highest of those below the edge, and lowers the edge to
 * the first of them. */
void sim_ladder_take_back(struct sim_ladder *ladder, const struct sim_event *event, size_t count);

/* True when the event of KEY, at or above the edge, is there: looks through its bucket. */
bool sim_ladder_holds(const struct sim_ladder *ladder, sim_key key);

/* Calls VISIT for every event and keeps those for which it returns true. */
typedef bool sim_visit(const struct sim_event *event, void *context);
void sim_ladder_filter(struct sim_ladder *ladder, sim_visit *visit, void *context);

size_t sim_ladder_memory(const struct sim_ladder *ladder); /* bytes held */

#endif
