/*
 * GELU by its tanh form (Hendrycks and Gimpel, arXiv 1606.08415, section 2), with ½(1 + tanh z) = σ(2z), the
 * logistic function:
 *
 *   gelu(u) = u σ(2z),  z = √(2/π) (u + 0.044715 u³),
 *   gelu'(u) = σ + u σ(1 − σ) · 2z',  z' = √(2/π) (1 + 3 · 0.044715 u²).
 *
 * The way forward leaves the derivative where its argument was: the way back is then one product.
 *
 * Part of the kernels: included by each of their builds.
 */
#include "models/learning/exponential.h"
#include "models/learning/kernels.h"

static void gelu_forward(size_t n, size_t width, const real *restrict bias, real *restrict x,
                         real *restrict out)
{
    const real twice_root = (real)1.5957691216057307117598; /* 2√(2/π) */
    const real cubic = (real)0.044715;
    for (size_t row = 0; row < n; row++, x += width, out += width)
        for (size_t i = 0; i < width; i++) {
            real u = x[i] + bias[i], square = cubic * u * u;
            real logistic = 1 / (1 + exponential(-twice_root * u * (1 + square)));
            out[i] = u * logistic;
            x[i] = logistic + out[i] * (1 - logistic) * twice_root * (1 + 3 * square);
        }
}

static void gelu_backward(size_t n, size_t width, const real *restrict slope, real *restrict gradient,
                          real *restrict bias_gradient)
{
    for (size_t row = 0; row < n; row++, slope += width, gradient += width)
        for (size_t i = 0; i < width; i++) {
            gradient[i] *= slope[i];
            bias_gradient[i] += gradient[i];
        }
}
