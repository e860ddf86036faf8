/*
 * What the tests of models/learning share: vectors of random numbers and how close two of them are. Built in
 * single and in double precision, like what it tests.
 */
#ifndef TESTS_LEARNING_VECTORS_H
#define TESTS_LEARNING_VECTORS_H

#include "models/learning/real.h"
#include <stddef.h>
#include <stdint.h>

/* How far a few hundred operations may be off what is computed in double precision. */
#ifdef LEARNING_DOUBLE
#define CLOSE 1e-12
#else
#define CLOSE 1e-6
#endif

/* COUNT normal numbers of stream NUMBER, the same in both builds: each fits a float. */
void vectors_normal(uint64_t number, size_t count, real *vector);

/* Zeros; the caller frees them. Never NULL. */
real *vectors_zeros(size_t count);
double *vectors_wide_zeros(size_t count);

/* The same numbers in double precision; the caller frees them. */
double *vectors_widen(size_t count, const real *vector);

/* ‖got − wanted‖ / ‖wanted‖, or ‖got‖ where that is 0. */
double vectors_error(size_t count, const real *got, const double *wanted);

#endif
