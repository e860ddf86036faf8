/*
 * Random streams, counter-based: Philox4x32-10 (Salmon et al., SC '11; Random123).
 *
 * A stream is named by (seed, replication, purpose, entity) and is a pure function of that name:
 * streams don't share state, so a draw added to one changes nothing in another, and results don't
 * depend on threads or order. The key is one Philox block of (seed, replication, purpose); the
 * counter is (block number, entity).
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

enum { SIM_STREAM_WORDS = 32 }; /* 64-bit words made at a time once a stream is in steady use */

/* Fields are private. No allocation; copying the struct copies the stream's state. */
struct sim_stream {
    uint64_t key;
    uint64_t entity;
    uint64_t block;                   /* the next counter */
    uint64_t next;                    /* the first word that is not drawn yet */
    uint64_t words[SIM_STREAM_WORDS]; /* set from NEXT on */
};

void sim_stream_open(struct sim_stream *stream, uint64_t seed, uint32_t replication, uint32_t purpose,
                     uint64_t entity);

/* The same in two steps, for one draw from each of very many entities: the key is computed once, and
 * opening then costs four stores. sim_stream_open(s, seed, replication, purpose, entity) is
 * sim_stream_open_keyed(s, sim_stream_key(seed, replication, purpose), entity). */
uint64_t sim_stream_key(uint64_t seed, uint32_t replication, uint32_t purpose);
static inline void sim_stream_open_keyed(struct sim_stream *stream, uint64_t key, uint64_t entity)
{
    stream->key = key;
    stream->entity = entity;
    stream->block = 0;
    stream->next = SIM_STREAM_WORDS;
}

/* Private: makes the next words of a stream that has none left. */
void sim_stream_refill(struct sim_stream *stream);

/* 64 uniform bits. */
static inline uint64_t sim_stream_bits(struct sim_stream *stream)
{
    if (stream->next == SIM_STREAM_WORDS)
        sim_stream_refill(stream);
    return stream->words[stream->next++];
}

double sim_stream_uniform(struct sim_stream *stream);             /* (0, 1), 53 bits, neither end */
double sim_stream_exponential(struct sim_stream *stream);         /* mean 1, never 0 */
double sim_stream_normal(struct sim_stream *stream);              /* mean 0, variance 1 */
uint64_t sim_stream_below(struct sim_stream *stream, uint64_t n); /* uniform on 0 … n-1, unbiased; n >= 1 */

/* The stream as a GSL generator, so that every GSL distribution works on it. The view points to
 * STREAM and lives as long; nothing is to be freed. sim_stream_type can also be given to
 * gsl_rng_alloc: gsl_rng_set(seed) then opens (seed, 0, 0, 0). */
extern const gsl_rng_type *const sim_stream_type;
gsl_rng sim_stream_as_gsl(struct sim_stream *stream);

#endif
