/*
 * The queue's inside, and its two operations inline for the engine: a sorted window of near events over a
 * ladder of far ones.
 *
 * Invariants:
 * - near events have keys below the ladder's edge, far events at or above it; hence the next event is the
 *   first near one, and the ladder is asked only when there is none;
 * - the near window holds live events alone. What is cancelled in the ladder stays there until it is handed
 *   out, or until the ladder is cleaned because so many were cancelled.
 *
 * Whether a handle is pending is told without a table of events. Below the edge, the near window is searched.
 * Above it the event was not popped; it was cancelled if CANCELLED has its sequence number, or if it is older
 * than the last cleaning and SURVIVORS doesn't have it. One case lies between: when the edge was lowered
 * among events of the present time, some of those above it may have been popped before; below DOUBTFUL the
 * event's bucket is searched.
 */
#ifndef SIM_QUEUE_INTERNAL_H
#define SIM_QUEUE_INTERNAL_H

#include "sim/queue_ladder.h"
#include "sim/queue_near.h"
#include "sim/queue_numbers.h"
#include "sim/queue_sort.h"
#include <assert.h>

struct sim_queue {
    sim_time now;      /* of the last event popped, or later */
    uint64_t sequence; /* of the last event pushed; the first has 1 */
    sim_key doubtful;  /* no event at or above both this and the edge was popped */
    struct sim_ladder ladder;
    struct sim_numbers cancelled; /* since the last cleaning */
    size_t cancelled_there;       /* how many of them are still in the ladder */
    struct sim_numbers survivors; /* sequence numbers that were live at the last cleaning */
    uint64_t cleaned;             /* the last sequence number of that time */
    sim_rank *rank;
    struct sim_near near;
};

void sim_queue_open(struct sim_queue *queue);
void sim_queue_close(struct sim_queue *queue);

/* Pushes an event that belongs in the near window. */
struct sim_handle sim_queue_push_near(struct sim_queue *queue, sim_key key, uint64_t load);

/* Fills the empty near window from the ladder; false when that is empty, too. */
bool sim_queue_refill(struct sim_queue *queue);

static inline struct sim_handle sim_queue_push_inline(struct sim_queue *queue, sim_time time,
                                                      uint8_t priority, uint32_t actor, uint32_t argument)
{
    assert(time >= queue->now);
    uint64_t order = (uint64_t)priority << SIM_SEQUENCE_BITS | ++queue->sequence;
    sim_key key = sim_key_make(time, order);
    uint64_t load = sim_load_make(actor, argument);
    if (key >= queue->ladder.edge)
        return sim_ladder_put(&queue->ladder, key, load);
    if (sim_near_count(&queue->near) > SIM_NEAR_FEW)
        return sim_queue_push_near(queue, key, load);
    sim_near_insert_few(&queue->near, key, load);
    return (struct sim_handle){time, order};
}

/* The earliest event, taken out; NULL if there is none up to LIMIT. It may be read until the next push. */
static inline const struct sim_event *sim_queue_next(struct sim_queue *queue, sim_time limit)
{
    if (queue->near.first == queue->near.end && !sim_queue_refill(queue))
        return NULL;
    const struct sim_event *event = queue->near.first;
    if (event->time > limit)
        return NULL;
    queue->near.first++;
    queue->now = event->time;
    return event;
}

#endif
