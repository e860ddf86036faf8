/*
 * Exponential and normal draws by ziggurat (Marsaglia and Tsang, 2000; tables from
 * sim/ziggurat_generate.c). One 64-bit word decides 99 draws of 100: 8 bits choose the layer, one the
 * sign, and the upper 52 with a last bit of 1 the place across it, so that no draw is 0. Different bits
 * serve each choice, which the original's 32-bit words could not afford (Doornik, 2005).
 */
#include "sim/stream.h"
#include "sim/ziggurat_tables.h"
#include <math.h>
#include <stdbool.h>

#define LIKELY(condition) __builtin_expect(condition, 1)

static unsigned layer_of(uint64_t bits)
{
    return bits % ZIGGURAT_LAYERS;
}

/* An odd number below 2^53. */
static uint64_t place_of(uint64_t bits)
{
    return bits >> 11 | 1;
}

/* True when a point of layer I, at a uniform height between the layer's floor and its top, lies under
 * the density, which is DENSITY at the point. */
static bool under(const struct ziggurat_layer *layer, double density, struct sim_stream *stream)
{
    double height = layer[0].height + sim_stream_uniform(stream) * (layer[1].height - layer[0].height);
    return height < density;
}

/* A draw whose first BITS fell outside of their layer's box: one in about a hundred. Out of line, so that the
 * common case saves no registers for it. */
static double __attribute__((noinline, cold)) exponential_outside(struct sim_stream *stream, uint64_t bits)
{
    double base = 0; /* the tail beyond the last layer is the whole law again, moved right */
    for (;;) {
        uint64_t place = place_of(bits);
        const struct ziggurat_layer *layer = &exponential_layers[layer_of(bits)];
        double x = (double)(int64_t)place * layer->width;
        if (place < layer->inside)
            return base + x;
        if (layer == exponential_layers)
            base += exponential_tail;
        else if (under(layer, exp(-x), stream))
            return base + x;
        bits = sim_stream_bits(stream);
    }
}

double sim_stream_exponential(struct sim_stream *stream)
{
    uint64_t bits = sim_stream_bits(stream), place = place_of(bits);
    const struct ziggurat_layer *layer = &exponential_layers[layer_of(bits)];
    if (LIKELY(place < layer->inside))
        return (double)(int64_t)place * layer->width;
    return exponential_outside(stream, bits);
}

/* Marsaglia, "Generating a variable from the tail of the normal distribution" (1964). */
static double normal_beyond(double r, struct sim_stream *stream)
{
    double x, y;
    do {
        x = sim_stream_exponential(stream) / r;
        y = sim_stream_exponential(stream);
    } while (2 * y < x * x);
    return r + x;
}

double sim_stream_normal(struct sim_stream *stream)
{
    for (;;) {
        uint64_t bits = sim_stream_bits(stream), place = place_of(bits);
        double sign =
            (double)(1 - (int)(bits / (ZIGGURAT_LAYERS / 2) & 2)); /* a branch would be a coin toss */
        const struct ziggurat_layer *layer = &normal_layers[layer_of(bits)];
        double x = (double)(int64_t)place * layer->width;
        if (LIKELY(place < layer->inside))
            return sign * x;
        if (layer == normal_layers)
            return sign * normal_beyond(normal_tail, stream);
        if (under(layer, exp(-0.5 * x * x), stream))
            return sign * x;
    }
}
