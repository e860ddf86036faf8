/*
 * Streams over Philox blocks. The words of a stream are those of its blocks 0, 1, 2, …, however many
 * are made at a time: a fresh stream makes them one by one, since many streams give a single draw, and
 * a stream that is drawn from again and again makes them in batches.
 */
#include "sim/stream.h"
#include "sim/philox.h"
#include <assert.h>
#include <limits.h>

static_assert(SIM_STREAM_WORDS == 2 * SIM_PHILOX_BATCH, "a refill is a batch");

/* Blocks made one by one before batches begin: about what a batch costs. */
enum { SINGLE_BLOCKS = 4 };

/* Names are hashed under a fixed key: the first 64 bits of the fraction of pi. */
static const uint64_t name_key = UINT64_C(0x243f6a8885a308d3);

uint64_t sim_stream_key(uint64_t seed, uint32_t replication, uint32_t purpose)
{
    uint64_t words[2];
    sim_philox_block(name_key, (uint64_t)purpose << 32 | replication, seed, words);
    return words[0];
}

void sim_stream_open(struct sim_stream *stream, uint64_t seed, uint32_t replication, uint32_t purpose,
                     uint64_t entity)
{
    sim_stream_open_keyed(stream, sim_stream_key(seed, replication, purpose), entity);
}

void sim_stream_refill(struct sim_stream *stream)
{
    assert(stream->next == SIM_STREAM_WORDS);
    if (stream->block < SINGLE_BLOCKS) {
        stream->next = SIM_STREAM_WORDS - 2;
        sim_philox_block(stream->key, stream->entity, stream->block, stream->words + stream->next);
        stream->block += 1;
    } else {
        stream->next = 0;
        sim_philox_batch(stream->key, stream->entity, stream->block, stream->words);
        stream->block += SIM_PHILOX_BATCH;
    }
}

/* The upper 53 bits as a fraction of [0, 1). */
static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double sim_stream_uniform(struct sim_stream *stream)
{
    double u;
    do
        u = fraction(sim_stream_bits(stream));
    while (u == 0);
    return u;
}

/* Lemire, "Fast random integer generation in an interval" (2019): the high half of a product, drawn
 * again where the low half falls into the remainder that would favour some values. */
uint64_t sim_stream_below(struct sim_stream *stream, uint64_t n)
{
    assert(n >= 1);
    unsigned __int128 product = (unsigned __int128)sim_stream_bits(stream) * n;
    if ((uint64_t)product < n) {
        uint64_t remainder = -n % n;
        while ((uint64_t)product < remainder)
            product = (unsigned __int128)sim_stream_bits(stream) * n;
    }
    return (uint64_t)(product >> 64);
}

static void gsl_set(void *state, unsigned long seed)
{
    sim_stream_open(state, seed, 0, 0, 0);
}

static unsigned long gsl_get(void *state)
{
    return (unsigned long)sim_stream_bits(state);
}

static double gsl_get_double(void *state)
{
    return fraction(sim_stream_bits(state));
}

static const gsl_rng_type philox_type = {
    .name = "philox4x32-10",
    .max = ULONG_MAX,
    .min = 0,
    .size = sizeof(struct sim_stream),
    .set = gsl_set,
    .get = gsl_get,
    .get_double = gsl_get_double,
};

const gsl_rng_type *const sim_stream_type = &philox_type;

gsl_rng sim_stream_as_gsl(struct sim_stream *stream)
{
    return (gsl_rng){.type = sim_stream_type, .state = stream};
}
