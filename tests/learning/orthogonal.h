/*
 * What Muon's iteration must give, by singular values in double precision.
 */
#ifndef TESTS_LEARNING_ORTHOGONAL_H
#define TESTS_LEARNING_ORTHOGONAL_H

#include <stddef.h>

/* σ ← 3.4445σ − 4.7750σ³ + 2.0315σ⁵, five times. */
double orthogonal_value(double value);

/* U·diag(orthogonal_value(σ/(‖X‖ + 1e-7)))·Vᵀ of MATRIX X = U·diag(σ)·Vᵀ, rows × columns, row-major. */
void orthogonal_by_values(const double *matrix, size_t rows, size_t columns, double *result);

#endif
