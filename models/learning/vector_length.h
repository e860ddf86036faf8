/*
 * The Euclidean length of a vector of parameters.
 */
#ifndef MODELS_LEARNING_VECTOR_LENGTH_H
#define MODELS_LEARNING_VECTOR_LENGTH_H

#include "models/learning/real.h"
#include <stddef.h>

#define vector_length REAL(vector_length)

/* √Σx² over COUNT numbers, summed in double precision and always in the same order. 0 of none; not a number
 * or infinite where one of them is. Squares below 1e-308 are lost. */
double vector_length(size_t count, const real *vector);

#endif
