/*
 * Softmax and cross-entropy in one: with p = softmax(logits), the loss of a row is −log p(target) and its
 * gradient p − 1 at the target, p elsewhere. Logits are taken less their largest, so that no power overflows.
 *
 * Part of the kernels: included by each of their builds.
 */
#include "models/learning/exponential.h"
#include "models/learning/kernels.h"
#include <math.h>

static inline real largest_of(size_t count, const real *x)
{
    real largest = x[0];
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < count; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

/* Replaces X by e^(x − LARGEST), and returns their sum. */
static inline real powers_of(size_t count, real largest, real *x)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        x[i] = exponential(x[i] - largest);
        sum += x[i];
    }
    return sum;
}

static void cross_entropy(size_t n, size_t symbols, const int32_t *targets, real share, real *logits,
                          double *losses)
{
    for (size_t row = 0; row < n; row++, logits += symbols) {
        real largest = largest_of(symbols, logits), target = logits[targets[row]] - largest;
        real sum = powers_of(symbols, largest, logits);
        losses[row] = log((double)sum) - (double)target;
        const real factor = share / sum;
        for (size_t i = 0; i < symbols; i++)
            logits[i] *= factor;
        logits[targets[row]] -= share;
    }
}
