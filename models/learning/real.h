/*
 * The number type of parameters. The sources of models/learning that compute on parameters are built twice,
 * in single and in double precision (-DLEARNING_DOUBLE), under names that differ by a suffix; callers include
 * the headers as usual and get the build that they are part of.
 *
 * Matrix products go through CBLAS. GSL's header declares that interface wherever GSL is; the library that
 * is linked is OpenBLAS where present.
 */
#ifndef MODELS_LEARNING_REAL_H
#define MODELS_LEARNING_REAL_H

#include <gsl/gsl_cblas.h>

#ifdef LEARNING_DOUBLE
typedef double real;
#define REAL(name) name##_double
#define real_gemm cblas_dgemm
#else
typedef float real;
#define REAL(name) name##_single
#define real_gemm cblas_sgemm
#endif

#endif
