/*
 * e^x without a call, a table or a branch, so that loops over it become vector code.
 *
 * x = k ln 2 + r with k whole and |r| <= ln 2 / 2; e^r by its Taylor series, whose remainder is below a
 * quarter of the last place; 2^k by the exponent's bits. Below the smallest normal number it is 0, above the
 * largest it stays there; what is not a number stays so.
 */
#ifndef MODELS_LEARNING_EXPONENTIAL_H
#define MODELS_LEARNING_EXPONENTIAL_H

#include "models/learning/real.h"
#include <stdint.h>
#include <string.h>

#ifdef LEARNING_DOUBLE
typedef uint64_t real_bits;
enum { REAL_FRACTION_BITS = 52, REAL_EXPONENT_BIAS = 1023 };
#define EXPONENTIAL_LOWEST (-708.0)
#define EXPONENTIAL_HIGHEST 709.0
#define LN2_HIGH 0x1.62e42fee00000p-1 /* 32 bits, so that its product with a whole k below 2^20 is exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#else
typedef uint32_t real_bits;
enum { REAL_FRACTION_BITS = 23, REAL_EXPONENT_BIAS = 127 };
#define EXPONENTIAL_LOWEST (-87.0f)
#define EXPONENTIAL_HIGHEST 88.0f
#define LN2_HIGH 0x1.62e4p-1f /* 15 bits */
#define LN2_LOW 0x1.7f7d1cp-20f
#endif

static inline real real_of_bits(real_bits bits)
{
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline real_bits bits_of_real(real x)
{
    real_bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* e^r for |r| <= ln 2 / 2, Horner's rule on 1 + r(1 + r/2 (1 + r/3 …)) written with 1/n!. */
static inline real exponential_series(real r)
{
#ifdef LEARNING_DOUBLE
    real p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
#else
    real p = 1.0f / 5040;
#endif
    p = p * r + (real)1 / 720;
    p = p * r + (real)1 / 120;
    p = p * r + (real)1 / 24;
    p = p * r + (real)1 / 6;
    p = p * r + (real)1 / 2;
    p = p * r + 1;
    return p * r + 1;
}

static inline real exponential(real x)
{
    const real log2_e = (real)0x1.71547652b82fep+0;
    /* Adding it leaves a whole number in the lowest bits. */
    const real whole = (real)3 * (real)((real_bits)1 << (REAL_FRACTION_BITS - 1));
    real bounded = x > EXPONENTIAL_HIGHEST ? EXPONENTIAL_HIGHEST : x;
    bounded = bounded < EXPONENTIAL_LOWEST ? EXPONENTIAL_LOWEST : bounded;
    real shifted = bounded * log2_e + whole, k = shifted - whole;
    real r = bounded - k * LN2_HIGH;
    r -= k * LN2_LOW;
    real_bits power = (bits_of_real(shifted) + REAL_EXPONENT_BIAS) << REAL_FRACTION_BITS;
    real result = exponential_series(r) * real_of_bits(power);
    return x < EXPONENTIAL_LOWEST ? 0 : result;
}

#endif
