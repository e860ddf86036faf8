#include "sim/queue_internal.h"

#include <stdlib.h>

enum {
    NEAR_KEPT = 64,         /* near events left when the window was full */
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
    queue->cancelled_there = 0;
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
    *event = *next;
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

/* Gives all memory back; events are lost. */
static void fail(struct sim_queue *queue)
{
    sim_queue_close(queue);
    sim_near_fill(&queue->near, 0);
    queue->ladder.edge = 0;
    queue->failed = true;
}

struct sim_handle sim_queue_push_any(struct sim_queue *queue, sim_key key, uint64_t load)
{
    if (key < queue->ladder.edge && sim_near_count(&queue->near) == SIM_NEAR_LIMIT)
        make_room(queue);
    if (key < queue->ladder.edge)
        sim_near_insert(&queue->near, key, load);
    else if (!queue->failed)
        sim_ladder_put(&queue->ladder, key, load);
    if (queue->ladder.pool.failed)
        fail(queue);
    if (queue->failed)
        return (struct sim_handle){0};
    return (struct sim_handle){(sim_time)(key >> 64), (uint64_t)key};
}

static uint64_t sequence_of(uint64_t order)
{
    return order & SIM_SEQUENCE_MASK;
}

/* Copies the live events of BUCKET, which is used up, to EVENT and returns their number. */
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

bool sim_queue_refill(struct sim_queue *queue)
{
    struct sim_event event[SIM_RUN_LIMIT];
    struct sim_bucket bucket;
    size_t count = 0;
    while (count == 0) {
        if (queue->failed || !sim_ladder_take(&queue->ladder, SIM_RUN_LIMIT, &bucket))
            return false;
        count = gather(queue, &bucket, event);
        if (queue->ladder.pool.failed)
            fail(queue);
    }
    sim_run_sort(queue->rank, event, count, sim_near_fill(&queue->near, count));
    return true;
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
    if (key < queue->ladder.edge)
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

/* Takes the cancelled events out of the ladder and notes who is left; without the memory for that, all
 * stays as it is. */
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
        fail(queue);
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
    return sim_near_count(&queue->near) + queue->ladder.count - queue->cancelled_there;
}

size_t sim_queue_memory(const struct sim_queue *queue)
{
    return sizeof *queue + sim_ladder_memory(&queue->ladder) + sim_numbers_memory(&queue->cancelled) +
           sim_numbers_memory(&queue->survivors);
}

bool sim_queue_failed(const struct sim_queue *queue)
{
    return queue->failed;
}
