/*
 * Merging drifts. The mean shortens what points apart, the more so the more learners there are;
 * radial-directional averaging takes length and direction each for itself.
 */
#include "models/learning/outer.h"
#include "models/learning/vector_length.h"
#include <assert.h>
#include <stdbool.h>

static double sum_of(size_t n, const double *weights)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        assert(weights[i] >= 0);
        sum += weights[i];
    }
    assert(sum > 0);
    return sum;
}

static void add(size_t count, double factor, const real *restrict vector, real *restrict sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += (real)(factor * (double)vector[i]);
}

static void scale_into(size_t count, double factor, const real *restrict vector, real *restrict result)
{
    for (size_t i = 0; i < count; i++)
        result[i] = (real)(factor * (double)vector[i]);
}

/* Adds the unit vectors up in SUM; returns the mean length. Not a number and infinity spread. */
static double add_directions(size_t n, const real *const *drifts, const double *weights, double total,
                             size_t count, real *sum)
{
    double mean_length = 0;
    for (size_t k = 0; k < n; k++) {
        const double length = weights[k] == 0 ? 0 : vector_length(count, drifts[k]);
        if (length == 0)
            continue;
        const double share = weights[k] / total;
        mean_length += share * length;
        add(count, share / length, drifts[k], sum);
    }
    return mean_length;
}

static void add_whole(size_t n, const real *const *drifts, const double *weights, double total, size_t count,
                      real *sum)
{
    for (size_t k = 0; k < n; k++)
        if (weights[k] != 0)
            add(count, weights[k] / total, drifts[k], sum);
}

void merge_drifts(enum merge_rule rule, enum tensor_role role, size_t n, const real *const *drifts,
                  const double *weights, size_t count, real *merged, real *scratch)
{
    const double total = sum_of(n, weights);
    const bool radial = rule == MERGE_RDA_ALL || (rule == MERGE_RDA && role != TENSOR_EMBEDDING);
    double factor = 1;
    for (size_t i = 0; i < count; i++)
        scratch[i] = 0;
    if (radial) {
        const double mean_length = add_directions(n, drifts, weights, total, count, scratch);
        const double length = vector_length(count, scratch);
        factor = length == 0 ? 0 : mean_length / length;
    } else {
        add_whole(n, drifts, weights, total, count, scratch);
    }
    scale_into(count, factor, scratch, merged);
}
