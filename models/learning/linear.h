/*
 * A linear layer without its bias, as products of matrices: y = x Wᵀ with x [n][inputs], W [outputs][inputs],
 * y [n][outputs]. With dy the gradient of y, that of x is dy W and that of W is dyᵀ x.
 */
#ifndef MODELS_LEARNING_LINEAR_H
#define MODELS_LEARNING_LINEAR_H

#include "models/learning/real.h"
#include <stddef.h>

/* y = KEEP y + x Wᵀ; where KEEP is 0 what was in y doesn't matter. */
static inline void linear_forward(size_t n, size_t inputs, size_t outputs, const real *x, const real *weight,
                                  real keep, real *y)
{
    real_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)outputs, (int)inputs, 1, x, (int)inputs,
              weight, (int)inputs, keep, y, (int)outputs);
}

/* Sets X_GRADIENT, adds to WEIGHT_GRADIENT. */
static inline void linear_backward(size_t n, size_t inputs, size_t outputs, const real *x, const real *weight,
                                   const real *y_gradient, real *x_gradient, real *weight_gradient)
{
    real_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)inputs, (int)outputs, 1, y_gradient,
              (int)outputs, weight, (int)inputs, 0, x_gradient, (int)inputs);
    real_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)outputs, (int)inputs, (int)n, 1, y_gradient,
              (int)outputs, x, (int)inputs, 1, weight_gradient, (int)inputs);
}

#endif
