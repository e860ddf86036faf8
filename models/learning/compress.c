/*
 * Compression of drifts, as the receiver sees it: every number becomes one that a code of so many bits can
 * name, given one scale for the tensor. What is left out can be kept and sent with the next drift.
 */
#include "models/learning/outer.h"
#include <assert.h>
#include <tgmath.h>

enum { MOST_BITS = 16, E3M0_LEAST_EXPONENT = -6 };

static real largest_magnitude(size_t count, const real *vector)
{
    real largest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(vector[i]) > largest)
            largest = fabs(vector[i]);
    return largest;
}

/* The sign times MAGNITUDE; what is no number stays none. */
static void to_signs(real magnitude, size_t count, real *vector)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(vector[i]))
            vector[i] = vector[i] < 0 ? -magnitude : magnitude;
}

/* Multiples of the scale. */
static void to_integers(int64_t bits, size_t count, real *vector)
{
    const real most = (real)((INT64_C(1) << (bits - 1)) - 1);
    const real scale = largest_magnitude(count, vector) / most;
    if (scale == 0) { /* of zeros, or too small to be told from them */
        for (size_t i = 0; i < count; i++)
            vector[i] *= 0;
        return;
    }
    for (size_t i = 0; i < count; i++)
        vector[i] = scale * rint(vector[i] / scale);
}

static real mean_magnitude(size_t count, const real *vector)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)fabs(vector[i]);
    return count == 0 ? 0 : (real)(sum / (double)count);
}

/* The nearest of 0 and 2^k, k = −6 … 0, to SHARE in 0 … 1. */
static real to_power_of_two(real share)
{
    int exponent;
    const real fraction = frexp(share, &exponent); /* 0.5 … 1 */
    if (share == 0 || exponent < E3M0_LEAST_EXPONENT)
        return 0;
    if (fraction < (real)0.75 && exponent > E3M0_LEAST_EXPONENT)
        exponent--;
    return ldexp((real)1, exponent);
}

static void to_exponents(size_t count, real *vector)
{
    const real largest = largest_magnitude(count, vector);
    if (largest == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (isfinite(vector[i]))
            vector[i] = copysign(largest * to_power_of_two(fabs(vector[i]) / largest), vector[i]);
}

static void encode(enum compression_format format, int64_t bits, size_t count, real *vector)
{
    assert(format != COMPRESSION_LINEAR || (bits >= 1 && bits <= MOST_BITS));
    if (format == COMPRESSION_E3M0)
        to_exponents(count, vector);
    else if (format == COMPRESSION_SIGN)
        to_signs(mean_magnitude(count, vector), count, vector);
    else if (format == COMPRESSION_LINEAR && bits == 1)
        to_signs(largest_magnitude(count, vector), count, vector);
    else if (format == COMPRESSION_LINEAR)
        to_integers(bits, count, vector);
}

/* Both become their sum. */
static void add_feedback(size_t count, real *restrict drift, real *restrict feedback)
{
    for (size_t i = 0; i < count; i++) {
        drift[i] += feedback[i];
        feedback[i] = drift[i];
    }
}

static void keep_the_rest(size_t count, const real *restrict sent, real *restrict feedback)
{
    for (size_t i = 0; i < count; i++)
        feedback[i] -= sent[i];
}

void compress(enum compression_format format, int64_t bits, size_t count, real *drift, real *feedback)
{
    if (feedback)
        add_feedback(count, drift, feedback);
    encode(format, bits, count, drift);
    if (feedback)
        keep_the_rest(count, drift, feedback);
}
