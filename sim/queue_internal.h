/*
 * The queue's inside, and its two operations inline for the engine: a window of near events, sorted, over a
 * ladder of far ones.
 *
 * Invariants:
 * - near events have keys below the ladder's edge, far events at or above it; hence the next event is the
 *   first near one, and the ladder is asked only when there is none;
 * - a cancelled event leaves the near window at once; in the ladder it stays until it is taken or the ladder
 *   is cleaned, which happens when cancelled events may outnumber live ones;
 * - LAST is the highest key popped. An event pushed at the present time with a lower priority number lies
 *   below it, and is otherwise like any other.
 *
 * Whether a handle is pending is told without a table of events: below the edge the near window is
 * searched; above both the edge and LAST an event is there unless CANCELLED has it, or it is older than the
 * last cleaning (EPOCH) and SURVIVORS does not have it; between the edge and LAST, where few ever are, its
 * bucket is searched.
 */
#ifndef SIM_QUEUE_INTERNAL_H
#define SIM_QUEUE_INTERNAL_H

#include "sim/queue_ladder.h"
#include "sim/queue_near.h"
#include "sim/queue_numbers.h"
#include "sim/queue_sort.h"
#include <assert.h>

struct sim_queue {
    sim_key last;
    uint64_t sequence; /* of the last event pushed; the first has 1 */
    size_t count;      /* live events */
    sim_rank *rank;
    struct sim_numbers cancelled; /* since the last cleaning */
    size_t cancelled_there;       /* how many of them are still in the ladder */
    struct sim_numbers survivors; /* sequence numbers that were live at the last cleaning */
    uint64_t epoch;               /* the last sequence number of that time */
    bool failed;
    struct sim_ladder ladder;
    struct sim_near near;
};

/* Moves the latest near events to the ladder when there is no room for another. */
void sim_queue_make_room(struct sim_queue *queue);

/* Fills the empty near window from the ladder; false when that is empty, too. */
bool sim_queue_refill(struct sim_queue *queue);

static inline struct sim_handle sim_queue_push_inline(struct sim_queue *queue, sim_time time,
                                                      uint8_t priority, uint32_t actor, uint32_t argument) {
    struct sim_event event = {time, (uint64_t)priority << SIM_SEQUENCE_BITS | ++queue->sequence, actor,
                              argument};
    assert(time >= 0 && (uint64_t)time >= (uint64_t)(queue->last >> 64));
    if (sim_key_of(&event) < queue->ladder.edge && sim_near_count(&queue->near) == SIM_NEAR_LIMIT)
        sim_queue_make_room(queue);
    if (sim_key_of(&event) < queue->ladder.edge)
        sim_near_insert(&queue->near, &event);
    else
        sim_ladder_put(&queue->ladder, &event);
    if (queue->ladder.pool.failed) {
        queue->failed = true;
        return (struct sim_handle){0};
    }
    queue->count++;
    return (struct sim_handle){event.time, event.order};
}

static inline bool sim_queue_pop_inline(struct sim_queue *queue, sim_time limit, struct sim_event *event) {
    if (sim_near_count(&queue->near) == 0 && !sim_queue_refill(queue))
        return false;
    const struct sim_event *next = &queue->near.event[queue->near.head];
    if (next->time > limit)
        return false;
    *event = *next;
    queue->near.head++;
    queue->count--;
    sim_key key = sim_key_of(event);
    queue->last = key > queue->last ? key : queue->last;
    return true;
}

#endif
