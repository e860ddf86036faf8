#include "sim/queue_ladder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

static struct sim_rung *innermost(const struct sim_ladder *ladder)
{
    return &ladder->rung[ladder->rungs - 1];
}

/* The rung in which KEY, at or above the edge, belongs; NULL for the top. */
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
    sim_event_set(sim_bucket_place(bucket), key, load);
    ladder->count++;
    return sim_handle_of(key);
}

/* Apart from sim_ladder_put, which is leaner for it. */
__attribute__((noinline)) static struct sim_handle
extend_and_write(struct sim_ladder *ladder, struct sim_bucket *bucket, sim_key key, uint64_t load)
{
    if (!ladder->failed && sim_bucket_extend(bucket, &ladder->pool))
        return write_event(ladder, bucket, key, load);
    sim_ladder_fail(ladder);
    return (struct sim_handle){0};
}

struct sim_handle sim_ladder_put(struct sim_ladder *ladder, sim_key key, uint64_t load)
{
    const struct sim_rung *rung = find_rung(ladder, key);
    struct sim_bucket *bucket = rung ? sim_rung_bucket(rung, key) : &ladder->top;
    if (bucket->room == 0)
        return extend_and_write(ladder, bucket, key, load);
    return write_event(ladder, bucket, key, load);
}

static bool reserve_rung(struct sim_ladder *ladder)
{
    if (ladder->rungs < ladder->capacity)
        return true;
    uint32_t capacity = ladder->capacity ? 2 * ladder->capacity : 4;
    struct sim_rung *rung = realloc(ladder->rung, capacity * sizeof *rung);
    if (!rung)
        return false;
    memset(rung + ladder->capacity, 0, (capacity - ladder->capacity) * sizeof *rung);
    ladder->rung = rung;
    ladder->capacity = capacity;
    return true;
}

/* BUCKET's events become the innermost rung. */
static void split(struct sim_ladder *ladder, struct sim_bucket *bucket, const struct sim_survey *survey)
{
    if (reserve_rung(ladder) && sim_rung_build(&ladder->rung[ladder->rungs], bucket, survey, &ladder->pool))
        ladder->rungs++;
    else
        sim_ladder_fail(ladder);
}

/* The top's events become a rung, and what lies beyond them a new top. */
static void split_top(struct sim_ladder *ladder)
{
    struct sim_bucket bucket = ladder->top;
    struct sim_survey survey = sim_survey_bucket(&bucket);
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = (sim_key)(survey.time + 1) << 64;
    split(ladder, &bucket, &survey);
}

/* All that is left becomes near, and so does what comes, as in a simulation of few events. */
static struct sim_bucket take_top(struct sim_ladder *ladder)
{
    struct sim_bucket taken = ladder->top;
    ladder->top = (struct sim_bucket){0};
    ladder->top_edge = SIM_KEY_MAX;
    return taken;
}

/* The next bucket of the innermost rung; empty when there is none. A rung without further buckets leaves. */
static struct sim_bucket take_from_rung(struct sim_ladder *ladder)
{
    sim_key limit = ladder->rungs == 1 ? ladder->top_edge : innermost(ladder)[-1].edge;
    struct sim_bucket taken = sim_rung_take(innermost(ladder), limit);
    if (sim_rung_is_exhausted(innermost(ladder)))
        ladder->rungs--;
    return taken;
}

/* A step towards small buckets: one of at most LIMIT events, or an empty one and less to do. */
static struct sim_bucket take_step(struct sim_ladder *ladder, size_t limit)
{
    struct sim_bucket taken = {0};
    if (ladder->rungs > 0) {
        taken = take_from_rung(ladder);
    } else if (sim_bucket_count(&ladder->top) > limit) {
        split_top(ladder);
    } else {
        taken = take_top(ladder);
    }
    if (sim_bucket_count(&taken) > limit) {
        struct sim_survey survey = sim_survey_bucket(&taken);
        split(ladder, &taken, &survey);
        taken = (struct sim_bucket){0};
    }
    return taken;
}

bool sim_ladder_take(struct sim_ladder *ladder, size_t limit, struct sim_bucket *bucket)
{
    *bucket = (struct sim_bucket){0};
    while (bucket->chunks == 0 && (ladder->rungs > 0 || ladder->top.chunks > 0))
        *bucket = take_step(ladder, limit);
    ladder->edge = ladder->rungs > 0 ? innermost(ladder)->edge : ladder->top_edge;
    ladder->count -= sim_bucket_count(bucket);
    return bucket->chunks > 0;
}

void sim_ladder_take_back(struct sim_ladder *ladder, const struct sim_event *event, size_t count)
{
    assert(count > 0 && sim_key_of(&event[count - 1]) < ladder->edge);
    struct sim_bucket *bucket = &ladder->top;
    sim_key *edge = &ladder->top_edge;
    if (ladder->rungs > 0) {
        bucket = &innermost(ladder)->bucket[innermost(ladder)->current];
        edge = &innermost(ladder)->edge;
    }
    *edge = ladder->edge = sim_key_of(&event[0]);
    ladder->count += count;
    for (size_t i = 0; i < count; i++)
        sim_bucket_append(bucket, &event[i], &ladder->pool);
    if (ladder->pool.failed)
        sim_ladder_fail(ladder);
}

bool sim_ladder_holds(const struct sim_ladder *ladder, sim_key key)
{
    const struct sim_rung *rung = find_rung(ladder, key);
    const struct sim_bucket *bucket = rung ? sim_rung_bucket(rung, key) : &ladder->top;
    for (const struct sim_chunk *chunk = bucket->first; chunk; chunk = chunk->next) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++)
            if (sim_key_of(&chunk->event[i]) == key)
                return true;
    }
    return false;
}

/* Returns the number of events kept. */
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
    if (ladder->pool.failed)
        sim_ladder_fail(ladder);
}

size_t sim_ladder_memory(const struct sim_ladder *ladder)
{
    size_t bytes = ladder->pool.bytes + ladder->capacity * sizeof *ladder->rung;
    for (uint32_t i = 0; i < ladder->capacity; i++)
        bytes += ladder->rung[i].capacity * sizeof *ladder->rung[i].bucket;
    return bytes;
}
