/*
 * Eight sums side by side, so that the order of summation is fixed and yet becomes vector code.
 */
#include "models/learning/vector_length.h"
#include <math.h>

enum { LANES = 8 };

double vector_length(size_t count, const real *vector)
{
    double sums[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] += (double)vector[i + lane] * (double)vector[i + lane];
    for (size_t lane = 0; i < count; i++, lane++)
        sums[lane] += (double)vector[i] * (double)vector[i];
    double sum = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    return sqrt(sum);
}
