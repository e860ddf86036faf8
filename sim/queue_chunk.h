/*
 * Buckets of events in no order, made of chunks: first in, first out, written once and read once, both in
 * sequence, so that the caches and the prefetcher never wait. Chunks come from a pool that grows by slabs and
 * keeps what was freed; the last freed is the next taken, while it is still in the cache.
 *
 * Invariant: every chunk of a bucket but the last is full.
 */
#ifndef SIM_QUEUE_CHUNK_H
#define SIM_QUEUE_CHUNK_H

#include "sim/queue.h"

enum {
    SIM_CHUNK_BYTES = 1024,
    SIM_CHUNK_EVENTS = (SIM_CHUNK_BYTES - sizeof(void *)) / sizeof(struct sim_event)
};

struct sim_chunk {
    struct sim_event event[SIM_CHUNK_EVENTS];
    struct sim_chunk *next;
};

/* All zeros is an empty bucket. */
struct sim_bucket {
    struct sim_chunk *first, *last;
    uint32_t room; /* events that LAST still takes */
    uint32_t chunks;
};

struct sim_slab;

struct sim_chunk_pool {
    struct sim_chunk *free;
    struct sim_chunk *fresh, *fresh_end; /* the part of the newest slab that was never used */
    struct sim_slab *slabs;
    size_t bytes; /* of all slabs */
    bool failed;  /* memory ran out: an event was lost */
};

void sim_chunk_pool_release(struct sim_chunk_pool *pool);

/* Adds a chunk at the end of BUCKET, whose last is full; false, and the pool failed, when memory runs out. */
bool sim_bucket_extend(struct sim_bucket *bucket, struct sim_chunk_pool *pool);

/* Where the next event of BUCKET, which has room, is to be written. */
static inline struct sim_event *sim_bucket_place(struct sim_bucket *bucket)
{
    return &bucket->last->event[SIM_CHUNK_EVENTS - bucket->room--];
}

static inline void sim_bucket_append(struct sim_bucket *bucket, const struct sim_event *event,
                                     struct sim_chunk_pool *pool)
{
    if (bucket->room > 0 || sim_bucket_extend(bucket, pool))
        *sim_bucket_place(bucket) = *event;
}

static inline size_t sim_bucket_count(const struct sim_bucket *bucket)
{
    return (size_t)bucket->chunks * SIM_CHUNK_EVENTS - bucket->room;
}

/* Events in CHUNK of BUCKET. */
static inline size_t sim_chunk_count(const struct sim_bucket *bucket, const struct sim_chunk *chunk)
{
    return chunk == bucket->last ? SIM_CHUNK_EVENTS - bucket->room : SIM_CHUNK_EVENTS;
}

/* Gives CHUNK back and returns the one after it. */
static inline struct sim_chunk *sim_chunk_free(struct sim_chunk *chunk, struct sim_chunk_pool *pool)
{
    struct sim_chunk *next = chunk->next;
    chunk->next = pool->free;
    pool->free = chunk;
    return next;
}

#endif
