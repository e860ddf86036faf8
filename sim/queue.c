#include "sim/queue_internal.h"

#include <stdlib.h>

enum {
    NEAR_KEPT = 24,         /* near events left when the window is full */
    CANCELLED_LEAST = 1024, /* cancelled events that are not worth a cleaning */
};

void sim_queue_open(struct sim_queue *queue)
{
    *queue = (struct sim_queue){.rank = sim_rank_choose()};
    sim_ladder_open(&queue->ladder);
    sim_near_fill(&queue->near, 0);
}

void sim_queue_close(struct sim_queue *queue)
{
    sim_ladder_close(&queue->ladder);
    sim_numbers_release(&queue->cancelled);
    sim_numbers_release(&queue->survivors);
}

struct sim_queue *sim_queue_create(void)
{
    struct sim_queue *queue = malloc(sizeof *queue);
    if (queue)
        sim_queue_open(queue);
    return queue;
}

void sim_queue_destroy(struct sim_queue *queue)
{
    if (!queue)
        return;
    sim_queue_close(queue);
    free(queue);
}

struct sim_handle sim_queue_push(struct sim_queue *queue, sim_time time, uint8_t priority, uint32_t actor,
                                 uint32_t argument)
{
    return sim_queue_push_inline(queue, time, priority, actor, argument);
}

bool sim_queue_pop(struct sim_queue *queue, struct sim_event *event)
{
    return sim_queue_pop_until(queue, SIM_NEVER, event);
}

bool sim_queue_pop_until(struct sim_queue *queue, sim_time limit, struct sim_event *event)
{
    const struct sim_event *next = sim_queue_next(queue, limit);
    if (!next)
        return false;
    sim_event_copy(event, next);
    return true;
}

/* Moves the latest near events to the ladder. Events popped at the present time may have had higher keys. */
static void make_room(struct sim_queue *queue)
{
    struct sim_near *near = &queue->near;
    sim_key handed_out = queue->ladder.edge, future = sim_key_make(queue->now, UINT64_MAX) + 1;
    sim_ladder_take_back(&queue->ladder, near->first + NEAR_KEPT, sim_near_count(near) - NEAR_KEPT);
    sim_near_cut(near, NEAR_KEPT);
    sim_key popped = handed_out < future ? handed_out : future;
    if (popped > queue->doubtful && popped > queue->ladder.edge)
        queue->doubtful = popped;
}

struct sim_handle sim_queue_push_near(struct sim_queue *queue, sim_key key, uint64_t load)
{
    if (sim_near_count(&queue->near) == SIM_NEAR_LIMIT) {
        make_room(queue);
        if (key >= queue->ladder.edge)
            return sim_ladder_put(&queue->ladder, key, load);
    }
    sim_near_insert(&queue->near, key, load);
    return sim_handle_of(key);
}

static uint64_t sequence_of(uint64_t order)
{
    return order & SIM_SEQUENCE_MASK;
}

/* Copies the live events of BUCKET to EVENT, frees it, and returns their number. */
static size_t gather(struct sim_queue *queue, struct sim_bucket *bucket, struct sim_event *event)
{
    size_t gathered = 0;
    for (struct sim_chunk *chunk = bucket->first; chunk;) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++) {
            event[gathered] = chunk->event[i];
            bool dead = queue->cancelled_there > 0 &&
                        sim_numbers_has(&queue->cancelled, sequence_of(chunk->event[i].order));
            queue->cancelled_there -= dead;
            gathered += !dead;
        }
        chunk = sim_chunk_free(chunk, &queue->ladder.pool);
    }
    return gathered;
}

/* Sorts the live events of BUCKET into the empty near window and frees it; false when none lives. */
static bool sort_bucket(struct sim_queue *queue, struct sim_bucket *bucket)
{
    struct sim_event gathered[SIM_RUN_LIMIT];
    const struct sim_event *event = gathered;
    size_t count;
    if (bucket->chunks == 1 && queue->cancelled_there == 0) {
        count = sim_bucket_count(bucket);
        event = bucket->first->event;
        sim_chunk_free(bucket->first, &queue->ladder.pool); /* to be overwritten, but not yet */
    } else {
        count = gather(queue, bucket, gathered);
    }
    if (count > 0)
        sim_run_sort(queue->rank, event, count, sim_near_fill(&queue->near, count));
    return count > 0;
}

bool sim_queue_refill(struct sim_queue *queue)
{
    struct sim_bucket bucket;
    while (sim_ladder_take(&queue->ladder, SIM_RUN_LIMIT, &bucket))
        if (sort_bucket(queue, &bucket))
            return true;
    return false;
}

/* Whether the event of HANDLE, which was not popped, was cancelled. */
static bool was_cancelled(const struct sim_queue *queue, struct sim_handle handle)
{
    uint64_t sequence = sequence_of(handle.order);
    if (sequence <= queue->cleaned && !sim_numbers_has(&queue->survivors, sequence))
        return true;
    return sim_numbers_has(&queue->cancelled, sequence);
}

bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle)
{
    sim_key key = sim_key_make(handle.time, handle.order);
    if (handle.order == 0)
        return false;
    if (key < queue->ladder.edge || queue->ladder.failed)
        return sim_near_find(&queue->near, key) != NULL;
    if (key < queue->doubtful && !sim_ladder_holds(&queue->ladder, key))
        return false;
    return !was_cancelled(queue, handle);
}

/* One event of the ladder, as it is cleaned. */
static bool keep_live(const struct sim_event *event, void *context)
{
    struct sim_queue *queue = context;
    uint64_t sequence = sequence_of(event->order);
    bool live = !sim_numbers_has(&queue->cancelled, sequence);
    if (live)
        sim_numbers_add(&queue->survivors, sequence);
    return live;
}

/* Takes the cancelled events out of the ladder and notes who is left; without the memory for that, all stays
 * as it is. */
static void clean(struct sim_queue *queue)
{
    struct sim_numbers survivors = {0};
    if (!sim_numbers_reserve(&survivors, sim_queue_count(queue)))
        return;
    sim_numbers_release(&queue->survivors);
    queue->survivors = survivors;
    queue->cleaned = queue->sequence;
    for (const struct sim_event *event = queue->near.first; event < queue->near.end; event++)
        sim_numbers_add(&queue->survivors, sequence_of(event->order));
    sim_ladder_filter(&queue->ladder, keep_live, queue);
    sim_numbers_release(&queue->cancelled);
    queue->cancelled_there = 0;
}

bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle)
{
    if (!sim_queue_is_pending(queue, handle))
        return false;
    if (!sim_numbers_add(&queue->cancelled, sequence_of(handle.order))) {
        sim_ladder_fail(&queue->ladder);
        return false;
    }
    if (!sim_near_remove(&queue->near, sim_key_make(handle.time, handle.order)))
        queue->cancelled_there++;
    if (queue->cancelled.count > sim_queue_count(queue) + CANCELLED_LEAST)
        clean(queue);
    return true;
}

size_t sim_queue_count(const struct sim_queue *queue)
{
    size_t far = queue->ladder.failed ? 0 : queue->ladder.count - queue->cancelled_there;
    return sim_near_count(&queue->near) + far;
}

size_t sim_queue_memory(const struct sim_queue *queue)
{
    return sizeof *queue + sim_ladder_memory(&queue->ladder) + sim_numbers_memory(&queue->cancelled) +
           sim_numbers_memory(&queue->survivors);
}

bool sim_queue_failed(const struct sim_queue *queue)
{
    return queue->ladder.failed;
}
