/*
 * Vectors for tests.
 */
#include "tests/learning/vectors.h"
#include "sim/stream.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

void vectors_normal(uint64_t number, size_t count, real *vector)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 20, 0, 0, number);
    for (size_t i = 0; i < count; i++)
        vector[i] = (real)(float)sim_stream_normal(&stream);
}

real *vectors_zeros(size_t count)
{
    real *vector = calloc(count + 1, sizeof *vector);
    ck_assert_ptr_nonnull(vector);
    return vector;
}

double *vectors_wide_zeros(size_t count)
{
    double *vector = calloc(count + 1, sizeof *vector);
    ck_assert_ptr_nonnull(vector);
    return vector;
}

double *vectors_widen(size_t count, const real *vector)
{
    double *wide = vectors_wide_zeros(count);
    for (size_t i = 0; i < count; i++)
        wide[i] = (double)vector[i];
    return wide;
}

double vectors_error(size_t count, const real *got, const double *wanted)
{
    double off = 0, length = 0;
    for (size_t i = 0; i < count; i++) {
        off += ((double)got[i] - wanted[i]) * ((double)got[i] - wanted[i]);
        length += wanted[i] * wanted[i];
    }
    return length > 0 ? sqrt(off / length) : sqrt(off);
}
