/*
 * The transformer's loss from first principles, for tests: plain loops over its definition (transformer.h),
 * one sequence and one number at a time, sharing nothing with the code under test.
 *
 * All arithmetic is complex, so that a derivative comes from a step along the imaginary axis,
 * dL/dθ = Im L(θ + ih)/h, without cancellation: at h = 1e-100 it is as exact as the arithmetic (Squire and
 * Trapp, SIAM Review 40, 1998).
 */
#ifndef TESTS_LEARNING_REFERENCE_H
#define TESTS_LEARNING_REFERENCE_H

#include "models/learning/model.h"
#include <complex.h>

enum { REFERENCE_CONTEXT = 12, REFERENCE_WIDTH = 16, REFERENCE_SYMBOLS = 16 }; /* at most */

struct reference {
    struct transformer_config shape;
    int64_t symbols;
    const struct tensor *tensors;
    size_t tensor_count;
    const double complex *parameters;
};

/* The loss of each token of a sequence of context + 1 symbols into LOSSES. */
void reference_losses(const struct reference *reference, const int32_t *sequence, double complex *losses);

#endif
