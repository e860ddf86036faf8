#include "sim/queue_rung.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS_MOST_BITS = 10, /* the ends of so many buckets stay in the nearer caches */
    BUCKET_WANTED = 16,     /* events in a bucket that is to be sorted */
};

static struct sim_survey survey_words(const struct sim_bucket *bucket, bool by_order)
{
    uint64_t least = UINT64_MAX, most = 0;
    unsigned __int128 sum = 0;
    for (const struct sim_chunk *chunk = bucket->first; chunk; chunk = chunk->next) {
        size_t count = sim_chunk_count(bucket, chunk);
        for (size_t i = 0; i < count; i++) {
            uint64_t word = by_order ? chunk->event[i].order : (uint64_t)chunk->event[i].time;
            least = word < least ? word : least;
            most = word > most ? word : most;
            sum += word;
        }
    }
    size_t count = sim_bucket_count(bucket);
    return (struct sim_survey){count, least, most, (uint64_t)(sum / count), by_order, most};
}

struct sim_survey sim_survey_bucket(const struct sim_bucket *bucket)
{
    struct sim_survey times = survey_words(bucket, false);
    if (times.least < times.most)
        return times;
    struct sim_survey orders = survey_words(bucket, true);
    orders.time = times.time;
    return orders;
}

static int bit_length(uint64_t word)
{
    return word ? 64 - __builtin_clzll(word) : 0;
}

/* Twice the mean distance from the first event: where most events lie, however far the last one is. */
static uint64_t reach_of(const struct sim_survey *survey)
{
    uint64_t span = survey->most - survey->least, mean = survey->mean - survey->least;
    return mean < span / 2 ? 2 * mean : span;
}

/* Log2 of the width of buckets that divide REACH so that each gets BUCKET_WANTED of COUNT events, or more
 * where that would make too many buckets. */
static int width_bits(uint64_t reach, uint64_t count)
{
    int wanted = bit_length(reach / (count / BUCKET_WANTED + 1)) - 1;
    int least = bit_length(reach) - BUCKETS_MOST_BITS;
    int bits = wanted > least ? wanted : least;
    return bits > 0 ? bits : 0;
}

static bool reserve_buckets(struct sim_rung *rung, uint32_t buckets)
{
    if (rung->capacity < buckets) {
        struct sim_bucket *bucket = malloc(buckets * sizeof *bucket);
        if (!bucket)
            return false;
        free(rung->bucket);
        rung->bucket = bucket;
        rung->capacity = buckets;
    }
    memset(rung->bucket, 0, buckets * sizeof *rung->bucket);
    return true;
}

static void prefetch_chunk(const struct sim_chunk *chunk)
{
    for (size_t line = 0; line < SIM_CHUNK_BYTES; line += 64)
        __builtin_prefetch((const char *)chunk + line);
}

/* Moves BUCKET's events into RUNG, in the order in which they came. */
static void spread(struct sim_bucket *bucket, const struct sim_rung *rung, struct sim_chunk_pool *pool)
{
    struct sim_rung local = *rung; /* a copy that no store can change stays in registers */
    for (struct sim_chunk *chunk = bucket->first; chunk;) {
        size_t count = sim_chunk_count(bucket, chunk);
        if (chunk->next)
            prefetch_chunk(chunk->next);
        for (size_t i = 0; i < count; i++) {
            const struct sim_event *event = &chunk->event[i];
            sim_bucket_append(&local.bucket[sim_rung_index(&local, sim_key_of(event))], event, pool);
        }
        chunk = sim_chunk_free(chunk, pool);
    }
}

bool sim_rung_build(struct sim_rung *rung, struct sim_bucket *bucket, const struct sim_survey *survey,
                    struct sim_chunk_pool *pool)
{
    uint64_t reach = reach_of(survey);
    rung->base = survey->least;
    rung->by_order = survey->by_order;
    rung->tie = survey->time;
    rung->shift = width_bits(reach, survey->count);
    rung->current = 0;
    rung->last = (uint32_t)(reach >> rung->shift) + 1;
    rung->edge =
        survey->by_order ? (sim_key)survey->time << 64 | survey->least : (sim_key)survey->least << 64;
    if (!reserve_buckets(rung, rung->last + 1))
        return false;
    spread(bucket, rung, pool);
    return !pool->failed;
}

/* The key at which bucket INDEX, not the first, begins. The orders of a rung of orders end with their time.
 */
static sim_key bucket_begin(const struct sim_rung *rung, uint32_t index)
{
    sim_key word = rung->base + ((sim_key)index << rung->shift);
    if (!rung->by_order)
        return word << 64;
    return word > UINT64_MAX ? (sim_key)(rung->tie + 1) << 64 : (sim_key)rung->tie << 64 | word;
}

struct sim_bucket sim_rung_take(struct sim_rung *rung, sim_key limit)
{
    while (rung->bucket[rung->current].chunks == 0 && rung->current < rung->last)
        rung->current++;
    struct sim_bucket taken = rung->bucket[rung->current];
    rung->bucket[rung->current] = (struct sim_bucket){0};
    sim_key edge = rung->current < rung->last ? bucket_begin(rung, rung->current + 1) : limit;
    rung->edge = edge < limit ? edge : limit;
    return taken;
}
