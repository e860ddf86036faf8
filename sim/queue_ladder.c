#include "sim/queue_ladder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKET_BITS_MOST = 11,
    BUCKET_BITS_LEAST = 3,
    BUCKET_SHARE = 24, /* events wanted in a bucket */
};

static inline uint32_t bucket_of(const struct sim_rung *rung, sim_key key)
{
    uint64_t word = (uint64_t)(key >> 64);
    if (rung->by_order) {
        if (word != rung->tie)
            return word < rung->tie ? 0 : rung->last;
        word = (uint64_t)key;
    }
    uint64_t index = word < rung->base ? 0 : (word - rung->base) >> rung->shift;
    return index < rung->last ? (uint32_t)index : rung->last;
}

/* The least key of bucket INDEX, which isn't the first. */
static sim_key bucket_begin(const struct sim_rung *rung, uint32_t index)
{
    uint64_t begin = rung->base + ((uint64_t)index << rung->shift);
    if (!rung->by_order)
        return (sim_key)begin << 64;
    return begin < rung->base ? (sim_key)(rung->tie + 1) << 64 : (sim_key)rung->tie << 64 | begin;
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

void sim_ladder_fail(struct sim_ladder *ladder)
{
    sim_ladder_close(ladder);
    ladder->failed = true;
}

/* The rung in which KEY, at or above the innermost edge, belongs; NULL for the
 * top. */
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

static struct sim_handle write_event(struct sim_ladder *ladder, struct sim_bucket *bucket, sim_key key,
                                     uint64_t load)
{
    sim_event_set(&bucket->last->event[SIM_CHUNK_EVENTS - bucket->room--], key, load);
    ladder->count++;
    return (struct sim_handle){(sim_time)(key >> 64), (uint64_t)key};
}

__attribute__((noinline)) static struct sim_handle
extend_and_write(struct sim_ladder *ladder, struct sim_bucket *bucket, sim_key key, uint64_t load)
{
    if (ladder->failed || !sim_bucket_extend(bucket, &ladder->pool)) {
        sim_ladder_fail(ladder);
        return (struct sim_handle){0};
    }
    return write_event(ladder, bucket, key, load);
}

struct sim_handle sim_ladder_put(struct sim_ladder *ladder, sim_key key, uint64_t load)
{
    const struct sim_rung *rung = find_rung(ladder, key);
    struct sim_bucket *bucket = rung ? untaken_bucket(rung, key) : &ladder->top;
    if (bucket->room == 0)
        return extend_and_write(ladder, bucket, key, load);
    return write_event(ladder, bucket, key, load);
}

/* A place for one more rung of BUCKETS buckets, zeroed; NULL when memory runs
 * out. */
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

/* Where the events of a bucket lie. */
struct survey {
    uint64_t count, least, most; /* time, or among equal times order */
    unsigned __int128 sum;
    bool by_order;
};

static inline void look(struct survey *survey, uint64_t word)
{
    survey->least = word < survey->least ? word : survey->least;
    survey->most = word > survey->most ? word : survey->most;
    survey->sum += word;
}

static struct survey look_through(const struct sim_bucket *bucket, bool by_order)
{
    struct survey survey = {sim_bucket_count(bucket), UINT64_MAX, 0, 0, by_order};
    for (const struct sim_chunk *chunk = bucket->first; chunk; chunk = chunk->next) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++)
            look(&survey, by_order ? chunk->event[i].order : (uint64_t)chunk->event[i].time);
    }
    return survey;
}

static struct survey survey(const struct sim_bucket *bucket)
{
    struct survey times = look_through(bucket, false);
    return times.least < times.most ? times : look_through(bucket, true);
}

static int bit_length(uint64_t word)
{
    return word ? 64 - __builtin_clzll(word) : 0;
}

/* Log2 of the number of buckets for COUNT events. */
static int bucket_bits(size_t count)
{
    int bits = bit_length(count / BUCKET_SHARE);
    bits = bits < BUCKET_BITS_LEAST ? BUCKET_BITS_LEAST : bits;
    return bits > BUCKET_BITS_MOST ? BUCKET_BITS_MOST : bits;
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

/* Spreads BUCKET over a new rung. Its buckets divide twice the mean distance
 * from the first event, where most events lie; what lies beyond waits in the
 * last. When memory runs out the events are lost. */
static void split(struct sim_ladder *ladder, struct sim_bucket *bucket, const struct survey *survey)
{
    int bits = bucket_bits(survey->count);
    struct sim_rung *rung = push_rung(ladder, (uint32_t)1 << bits);
    if (!rung) {
        ladder->pool.failed = true;
        return;
    }
    uint64_t span = survey->most - survey->least;
    uint64_t mean = (uint64_t)(survey->sum / survey->count) - survey->least;
    int shift = bit_length(mean < span / 2 ? 2 * mean : span) - bits;
    rung->base = survey->least;
    rung->by_order = survey->by_order;
    rung->tie = (uint64_t)bucket->first->event[0].time;
    rung->shift = shift > 0 ? shift : 0;
    rung->current = 0;
    rung->last = ((uint32_t)1 << bits) - 1;
    rung->edge = bucket_begin(rung, 0);
    spread(bucket, rung, &ladder->pool);
}

/* The top becomes a rung of its own, and what lies above it a new top. */
static void split_top(struct sim_ladder *ladder)
{
    struct sim_bucket bucket = ladder->top;
    struct survey whole = survey(&bucket);
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = (sim_key)((whole.by_order ? (uint64_t)bucket.first->event[0].time : whole.most) + 1)
                       << 64;
    split(ladder, &bucket, &whole);
}

/* Takes the next bucket of the innermost rung; false when there is none. A rung
 * without further buckets leaves the ladder. */
static bool take_bucket(struct sim_ladder *ladder, struct sim_bucket *taken)
{
    struct sim_rung *rung = &ladder->rung[ladder->rungs - 1];
    while (rung->current < rung->last && rung->bucket[rung->current].chunks == 0)
        rung->current++;
    *taken = rung->bucket[rung->current];
    rung->bucket[rung->current] = (struct sim_bucket){0};
    if (rung->current == rung->last) {
        ladder->rungs--;
        return taken->chunks > 0;
    }
    sim_key edge = bucket_begin(rung, rung->current + 1);
    sim_key outer = outer_edge(ladder, ladder->rungs - 1);
    rung->edge = edge < outer ? edge : outer;
    return true;
}

static void take_top(struct sim_ladder *ladder, struct sim_bucket *taken)
{
    *taken = ladder->top;
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = SIM_KEY_MAX;
}

/* Splits the bucket taken if it has more than LIMIT events; false if it did. */
static bool is_small(struct sim_ladder *ladder, struct sim_bucket *bucket, size_t limit)
{
    if (sim_bucket_count(bucket) <= limit)
        return true;
    struct survey whole = survey(bucket);
    split(ladder, bucket, &whole);
    return false;
}

/* Takes a bucket out of the innermost rung, or all of a small top. False when
 * there was none to take, or a large one to split: then there is more to do. */
static bool take_once(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket)
{
    if (ladder->rungs > 0)
        return take_bucket(ladder, bucket) && is_small(ladder, bucket, limit);
    if (sim_bucket_count(&ladder->top) > limit) {
        split_top(ladder);
        return false;
    }
    take_top(ladder, bucket);
    return true;
}

bool sim_ladder_take(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket)
{
    bool taken = false;
    while (!taken && (ladder->rungs > 0 || ladder->top.chunks > 0))
        taken = take_once(ladder, limit, bucket);
    ladder->edge = outer_edge(ladder, ladder->rungs);
    ladder->count -= taken ? sim_bucket_count(bucket) : 0;
    if (ladder->pool.failed)
        sim_ladder_fail(ladder);
    return taken && !ladder->failed;
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
    if (ladder->pool.failed)
        sim_ladder_fail(ladder);
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
