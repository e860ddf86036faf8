/*
 * A rung: a range of times cut into equal buckets, 2^shift wide; the first also takes what lies below, the
 * last what lies above. Where all events have one time, their orders are cut instead. Buckets are taken in
 * order.
 *
 * Invariant: EDGE is where the untaken part begins. Every event of the rung has a key at or above it and lies
 * in bucket CURRENT or later: in CURRENT, of which the part below the edge was taken, or in the one its time
 * (or order) says.
 */
#ifndef SIM_QUEUE_RUNG_H
#define SIM_QUEUE_RUNG_H

#include "sim/queue_chunk.h"
#include "sim/queue_key.h"

struct sim_rung {
    sim_key edge;
    uint64_t base; /* where the first bucket begins: a time or an order */
    uint64_t tie;  /* of a rung of orders: their time */
    bool by_order;
    int shift;
    uint32_t current;
    uint32_t last; /* the last bucket's index */
    uint32_t capacity;
    struct sim_bucket *bucket;
};

/* Where the events of a bucket lie: their times, or their orders where the times are all the same. */
struct sim_survey {
    uint64_t count, least, most, mean;
    bool by_order;
    uint64_t time; /* the highest */
};

struct sim_survey sim_survey_bucket(const struct sim_bucket *bucket);

/* Makes RUNG, whose bucket array may be used before, of the events of BUCKET, at least two, which is used up.
 * False, and the events are lost, when memory runs out. */
bool sim_rung_build(struct sim_rung *rung, struct sim_bucket *bucket, const struct sim_survey *survey,
                    struct sim_chunk_pool *pool);

/* Takes the next bucket that isn't empty, if there is one, and raises the edge above it, up to LIMIT; an
 * empty bucket if there is none. */
struct sim_bucket sim_rung_take(struct sim_rung *rung, sim_key limit);

static inline bool sim_rung_is_exhausted(const struct sim_rung *rung)
{
    return rung->current == rung->last && rung->bucket[rung->last].chunks == 0;
}

/* The bucket that KEY's time or order says. */
static inline uint32_t sim_rung_index(const struct sim_rung *rung, sim_key key)
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

/* The bucket for KEY, which is at or above the edge. */
static inline struct sim_bucket *sim_rung_bucket(const struct sim_rung *rung, sim_key key)
{
    uint32_t index = sim_rung_index(rung, key);
    return &rung->bucket[index < rung->current ? rung->current : index];
}

#endif
