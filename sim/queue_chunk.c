#include "sim/queue_chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

static_assert(sizeof(struct sim_chunk) <= SIM_CHUNK_BYTES, "a chunk is no larger than said");

enum {
    SLAB_LEAST = 16 * 1024, /* small simulations stay small */
    SLAB_SHARE = 8,         /* a slab adds an eighth: little lies idle */
    HUGE_PAGE = 2 * 1024 * 1024,
    HUGE_FROM = 2 * HUGE_PAGE, /* from this size on a pool grows by huge pages, where there are any */
};

/* A slab's memory begins with this header, in the place of its first chunk. */
struct sim_slab {
    struct sim_slab *next;
};

static size_t slab_bytes(size_t held)
{
    size_t unit = held >= HUGE_FROM ? HUGE_PAGE : SLAB_LEAST;
    return (held / SLAB_SHARE / unit + 1) * unit;
}

static bool pool_grow(struct sim_chunk_pool *pool)
{
    size_t bytes = slab_bytes(pool->bytes);
    size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : SIM_CHUNK_BYTES;
    struct sim_slab *slab = aligned_alloc(alignment, bytes);
    if (!slab)
        return false;
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_PAGE)
        (void)madvise(slab, bytes, MADV_HUGEPAGE); /* advice only: without it the pages are small */
#endif
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->bytes += bytes;
    pool->fresh = (struct sim_chunk *)((char *)slab + SIM_CHUNK_BYTES);
    pool->fresh_end = (struct sim_chunk *)((char *)slab + bytes);
    return true;
}

static struct sim_chunk *pool_take(struct sim_chunk_pool *pool)
{
    struct sim_chunk *chunk = pool->free;
    if (chunk) {
        pool->free = chunk->next;
        return chunk;
    }
    if (pool->fresh == pool->fresh_end && !pool_grow(pool))
        return NULL;
    chunk = pool->fresh;
    pool->fresh = (struct sim_chunk *)((char *)chunk + SIM_CHUNK_BYTES);
    return chunk;
}

void sim_chunk_pool_release(struct sim_chunk_pool *pool)
{
    for (struct sim_slab *slab = pool->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
    *pool = (struct sim_chunk_pool){0};
}

bool sim_bucket_extend(struct sim_bucket *bucket, struct sim_chunk_pool *pool)
{
    assert(bucket->room == 0);
    struct sim_chunk *chunk = pool_take(pool);
    if (!chunk) {
        pool->failed = true;
        return false;
    }
    chunk->next = NULL;
    if (bucket->chunks == 0)
        bucket->first = chunk;
    else
        bucket->last->next = chunk;
    bucket->last = chunk;
    bucket->room = SIM_CHUNK_EVENTS;
    bucket->chunks++;
    return true;
}
