#include "sim/queue_ladder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS_MOST = 512,
    BUCKETS_LEAST = 8,
    BUCKET_SHARE = 12, /* events wanted in a bucket */
};

/* How a rung maps keys to buckets. */
static inline uint32_t bucket_of(const struct sim_rung *rung, sim_key key)
{
    if (key < rung->base)
        return 0;
    sim_key offset = key - rung->base;
    if (rung->shift >= 64) { /* buckets of whole times */
        uint64_t index = (uint64_t)(offset >> 64) >> (rung->shift - 64);
        return index < rung->last ? (uint32_t)index : rung->last;
    }
    sim_key index = offset >> rung->shift;
    return index < rung->last ? (uint32_t)index : rung->last;
}

/* The bucket for KEY, at or above the edge. */
static inline struct sim_bucket *untaken_bucket(const struct sim_rung *rung, sim_key key)
{
    uint32_t index = bucket_of(rung, key);
    return &rung->bucket[index < rung->current ? rung->current : index];
}

static sim_key outer_edge(const struct sim_ladder *ladder, uint32_t rung)
{
    return rung == 0 ? ladder->top_edge : ladder->rung[rung - 1].edge;
}

void sim_ladder_open(struct sim_ladder *ladder)
{
    *ladder = (struct sim_ladder){.edge = SIM_KEY_MAX, .top_edge = SIM_KEY_MAX};
}

void sim_ladder_close(struct sim_ladder *ladder)
{
    sim_chunk_pool_release(&ladder->pool);
    for (uint32_t i = 0; i < ladder->capacity; i++)
        free(ladder->rung[i].bucket);
    free(ladder->rung);
    *ladder = (struct sim_ladder){0};
}

/* The rung in which KEY, at or above the innermost edge, belongs; NULL for the top. */
static inline const struct sim_rung *find_rung(const struct sim_ladder *ladder, sim_key key)
{
    assert(key >= ladder->edge);
    if (key >= ladder->top_edge)
        return NULL;
    const struct sim_rung *rung = ladder->rung;
    while (key < rung->edge)
        rung++;
    return rung;
}

bool sim_ladder_put(struct sim_ladder *ladder, sim_key key, uint64_t load)
{
    const struct sim_rung *rung = find_rung(ladder, key);
    struct sim_event *place =
        sim_bucket_place(rung ? untaken_bucket(rung, key) : &ladder->top, &ladder->pool);
    if (!place)
        return false;
    sim_event_set(place, key, load);
    ladder->count++;
    return true;
}

/* A place for one more rung of BUCKETS buckets, zeroed; NULL when memory runs out. */
static struct sim_rung *push_rung(struct sim_ladder *ladder, uint32_t buckets)
{
    if (ladder->rungs == ladder->capacity) {
        uint32_t capacity = ladder->capacity ? 2 * ladder->capacity : 4;
        struct sim_rung *rung = realloc(ladder->rung, capacity * sizeof *rung);
        if (!rung)
            return NULL;
        memset(rung + ladder->capacity, 0, (capacity - ladder->capacity) * sizeof *rung);
        ladder->rung = rung;
        ladder->capacity = capacity;
    }
    struct sim_rung *rung = &ladder->rung[ladder->rungs];
    if (rung->capacity < buckets) {
        struct sim_bucket *bucket = realloc(rung->bucket, buckets * sizeof *bucket);
        if (!bucket)
            return NULL;
        rung->bucket = bucket;
        rung->capacity = buckets;
    }
    memset(rung->bucket, 0, buckets * sizeof *rung->bucket);
    ladder->rungs++;
    return rung;
}

struct span {
    sim_key least, most;
};

static struct span measure(const struct sim_bucket *bucket)
{
    struct span span = {SIM_KEY_MAX, 0};
    for (const struct sim_chunk *chunk = bucket->first; chunk; chunk = chunk->next) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++) {
            sim_key key = sim_key_of(&chunk->event[i]);
            span.least = key < span.least ? key : span.least;
            span.most = key > span.most ? key : span.most;
        }
    }
    return span;
}

static int bit_length(sim_key key)
{
    uint64_t high = (uint64_t)(key >> 64), low = (uint64_t)key;
    if (high)
        return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* Log2 of the number of buckets for COUNT events. */
static int bucket_bits(size_t count)
{
    size_t wanted = count / BUCKET_SHARE;
    int bits = 3;
    while (((size_t)1 << bits) < wanted && ((size_t)1 << bits) < BUCKETS_MOST)
        bits++;
    return bits;
}

static void prefetch_chunk(const struct sim_chunk *chunk)
{
    for (size_t line = 0; line < SIM_CHUNK_BYTES; line += 64)
        __builtin_prefetch((const char *)chunk + line);
}

/* Moves BUCKET's events into RUNG, in the order in which they came. */
static void spread(struct sim_bucket *bucket, const struct sim_rung *rung, struct sim_chunk_pool *pool)
{
    struct sim_rung local = *rung; /* a copy that no store can change: it stays in registers */
    for (struct sim_chunk *chunk = bucket->first; chunk;) {
        size_t count = sim_chunk_count(bucket, chunk);
        if (chunk->next)
            prefetch_chunk(chunk->next);
        for (size_t i = 0; i < count; i++) {
            const struct sim_event *event = &chunk->event[i];
            sim_bucket_append(&local.bucket[bucket_of(&local, sim_key_of(event))], event, pool);
        }
        chunk = sim_chunk_free(chunk, pool);
    }
}

/* Spreads BUCKET, of at least two events, over a new rung. When memory runs out its events are lost. */
static void split(struct sim_ladder *ladder, struct sim_bucket *bucket, struct span span)
{
    int bits = bucket_bits(sim_bucket_count(bucket));
    struct sim_rung *rung = push_rung(ladder, (uint32_t)1 << bits);
    if (!rung) {
        ladder->pool.failed = true;
        return;
    }
    int shift = bit_length(span.most - span.least) - bits;
    rung->base = rung->edge = span.least;
    rung->shift = shift > 0 ? shift : 0;
    rung->current = 0;
    rung->last = ((uint32_t)1 << bits) - 1;
    spread(bucket, rung, &ladder->pool);
}

/* The top becomes a rung of its own, and what lies above it a new top. */
static void split_top(struct sim_ladder *ladder)
{
    struct sim_bucket bucket = ladder->top;
    struct span span = measure(&bucket);
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = span.most + 1;
    split(ladder, &bucket, span);
}

/* Takes the next bucket of the innermost rung; false when there is none. A rung without further buckets
 * leaves the ladder. */
static bool take_bucket(struct sim_ladder *ladder, struct sim_bucket *taken)
{
    struct sim_rung *rung = &ladder->rung[ladder->rungs - 1];
    while (rung->current < rung->last && rung->bucket[rung->current].chunks == 0)
        rung->current++;
    *taken = rung->bucket[rung->current];
    rung->bucket[rung->current] = (struct sim_bucket){0};
    sim_key edge = rung->base + ((sim_key)(rung->current + 1) << rung->shift);
    sim_key outer = outer_edge(ladder, ladder->rungs - 1);
    rung->edge = edge < outer ? edge : outer;
    if (rung->current == rung->last)
        ladder->rungs--;
    return taken->chunks > 0;
}

static void take_top(struct sim_ladder *ladder, struct sim_bucket *taken)
{
    *taken = ladder->top;
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = SIM_KEY_MAX;
}

bool sim_ladder_take(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket)
{
    assert(limit >= 1);
    bool taken = false;
    while (!taken && (ladder->rungs > 0 || ladder->top.chunks > 0)) {
        if (ladder->rungs > 0) {
            taken = take_bucket(ladder, bucket);
        } else if (sim_bucket_count(&ladder->top) > limit) {
            split_top(ladder);
        } else {
            take_top(ladder, bucket);
            taken = true;
        }
        if (taken && sim_bucket_count(bucket) > limit) {
            split(ladder, bucket, measure(bucket));
            taken = false;
        }
    }
    ladder->edge = outer_edge(ladder, ladder->rungs);
    ladder->count -= taken ? sim_bucket_count(bucket) : 0;
    return taken;
}

void sim_ladder_take_back(struct sim_ladder *ladder, const struct sim_event *event, size_t count)
{
    assert(count > 0 && sim_key_of(&event[count - 1]) < ladder->edge);
    struct sim_bucket *bucket = &ladder->top;
    sim_key *edge = &ladder->top_edge;
    if (ladder->rungs > 0) {
        struct sim_rung *rung = &ladder->rung[ladder->rungs - 1];
        bucket = &rung->bucket[rung->current];
        edge = &rung->edge;
    }
    for (size_t i = 0; i < count; i++)
        sim_bucket_append(bucket, &event[i], &ladder->pool);
    ladder->count += count;
    *edge = ladder->edge = sim_key_of(&event[0]);
}

bool sim_ladder_holds(const struct sim_ladder *ladder, sim_key key)
{
    const struct sim_rung *rung = find_rung(ladder, key);
    const struct sim_bucket *bucket = rung ? untaken_bucket(rung, key) : &ladder->top;
    for (const struct sim_chunk *chunk = bucket->first; chunk; chunk = chunk->next) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++)
            if (sim_key_of(&chunk->event[i]) == key)
                return true;
    }
    return false;
}

/* Returns the number of events left. */
static size_t filter_bucket(struct sim_bucket *bucket, struct sim_chunk_pool *pool, sim_visit *visit,
                            void *context)
{
    struct sim_bucket kept = {0};
    for (struct sim_chunk *chunk = bucket->first; chunk;) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++)
            if (visit(&chunk->event[i], context))
                sim_bucket_append(&kept, &chunk->event[i], pool);
        chunk = sim_chunk_free(chunk, pool);
    }
    *bucket = kept;
    return sim_bucket_count(bucket);
}

void sim_ladder_filter(struct sim_ladder *ladder, sim_visit *visit, void *context)
{
    ladder->count = filter_bucket(&ladder->top, &ladder->pool, visit, context);
    for (uint32_t i = 0; i < ladder->rungs; i++) {
        struct sim_rung *rung = &ladder->rung[i];
        for (uint32_t j = rung->current; j <= rung->last; j++)
            ladder->count += filter_bucket(&rung->bucket[j], &ladder->pool, visit, context);
    }
}

size_t sim_ladder_memory(const struct sim_ladder *ladder)
{
    size_t bytes = ladder->pool.bytes + ladder->capacity * sizeof *ladder->rung;
    for (uint32_t i = 0; i < ladder->capacity; i++)
        bytes += ladder->rung[i].capacity * sizeof *ladder->rung[i].bucket;
    return bytes;
}
