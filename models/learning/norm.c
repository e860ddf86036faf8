/*
 * Layer norm (Ba et al., arXiv 1607.06450), row by row:
 *
 *   x̂ = (x − mean) · scale,  scale = 1/√(variance + 1e-5),  out = x̂ ⊙ weight + bias.
 *
 * Backward, with g = out_gradient ⊙ weight:  dx = scale · (g − mean(g) − x̂ mean(g ⊙ x̂)).
 *
 * Part of the kernels: included by each of their builds.
 */
#include "models/learning/kernels.h"
#include <tgmath.h>

#define NORM_EPSILON ((real)1e-5)

static void add_bias(size_t n, size_t width, const real *restrict in, const real *restrict bias,
                     real *restrict out)
{
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < width; i++)
            out[row * width + i] = in[row * width + i] + bias[i];
}

static real mean_of(size_t width, const real *x)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < width; i++)
        sum += x[i];
    return sum / (real)width;
}

static real variance_of(size_t width, const real *x, real mean)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < width; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / (real)width;
}

static void norm_forward(size_t n, size_t width, const real *restrict x, const real *restrict weight,
                         const real *restrict bias, real *restrict out, real *restrict mean,
                         real *restrict scale)
{
    for (size_t row = 0; row < n; row++, x += width, out += width) {
        mean[row] = mean_of(width, x);
        scale[row] = 1 / sqrt(variance_of(width, x, mean[row]) + NORM_EPSILON);
        for (size_t i = 0; i < width; i++)
            out[i] = (x[i] - mean[row]) * scale[row] * weight[i] + bias[i];
    }
}

/* One row of the way back; SCALE and MEAN are that row's. */
static inline void norm_backward_row(size_t width, const real *restrict x, real mean, real scale,
                                     const real *restrict weight, const real *restrict out_gradient,
                                     real *restrict stream, real *restrict weight_gradient,
                                     real *restrict bias_gradient, real *restrict joined)
{
    real sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
    for (size_t i = 0; i < width; i++) {
        real g = out_gradient[i] * weight[i];
        sum += g;
        product += g * ((x[i] - mean) * scale);
    }
    const real mean_g = sum / (real)width, mean_product = product / (real)width;
    for (size_t i = 0; i < width; i++) {
        real normal = (x[i] - mean) * scale;
        weight_gradient[i] += out_gradient[i] * normal;
        bias_gradient[i] += out_gradient[i];
        stream[i] += scale * (out_gradient[i] * weight[i] - mean_g - normal * mean_product);
        joined[i] += stream[i];
    }
}

static void norm_backward(size_t n, size_t width, const real *x, const real *mean, const real *scale,
                          const real *weight, const real *out_gradient, real *stream, real *weight_gradient,
                          real *bias_gradient, real *joined)
{
    for (size_t row = 0; row < n; row++)
        norm_backward_row(width, x + row * width, mean[row], scale[row], weight, out_gradient + row * width,
                          stream + row * width, weight_gradient, bias_gradient, joined);
}
