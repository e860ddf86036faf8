/*
 * The iteration X ← aX + b(XXᵀ)X + c(XXᵀ)²X leaves the singular vectors of X alone and sends each singular
 * value σ to aσ + bσ³ + cσ⁵. So it is computed here by a singular value decomposition and a polynomial of
 * numbers.
 */
#include "tests/learning/orthogonal.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

double orthogonal_value(double value)
{
    for (int i = 0; i < 5; i++)
        value = 3.4445 * value - 4.7750 * pow(value, 3) + 2.0315 * pow(value, 5);
    return value;
}

/* RESULT ← U·diag(…)·Vᵀ; U is overwritten. */
static void compose(gsl_matrix *u, const gsl_vector *values, const gsl_matrix *v, gsl_matrix *result)
{
    const double length = gsl_blas_dnrm2(values); /* the Frobenius norm */
    for (size_t j = 0; j < values->size; j++) {
        gsl_vector_view column = gsl_matrix_column(u, j);
        gsl_blas_dscal(orthogonal_value(gsl_vector_get(values, j) / (length + 1e-7)), &column.vector);
    }
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, u, v, 0, result);
}

/* As the public function, for rows >= columns, as GSL wants it. */
static void tall(const gsl_matrix *matrix, gsl_matrix *result)
{
    gsl_matrix *u = gsl_matrix_alloc(matrix->size1, matrix->size2);
    gsl_matrix *v = gsl_matrix_alloc(matrix->size2, matrix->size2);
    gsl_vector *values = gsl_vector_alloc(matrix->size2);
    gsl_matrix_memcpy(u, matrix);
    gsl_linalg_SV_decomp_jacobi(u, v, values);
    compose(u, values, v, result);
    gsl_matrix_free(u);
    gsl_matrix_free(v);
    gsl_vector_free(values);
}

void orthogonal_by_values(const double *matrix, size_t rows, size_t columns, double *result)
{
    gsl_matrix_const_view given = gsl_matrix_const_view_array(matrix, rows, columns);
    gsl_matrix_view made = gsl_matrix_view_array(result, rows, columns);
    if (rows >= columns) {
        tall(&given.matrix, &made.matrix);
        return;
    }
    gsl_matrix *turned = gsl_matrix_alloc(columns, rows), *answer = gsl_matrix_alloc(columns, rows);
    gsl_matrix_transpose_memcpy(turned, &given.matrix);
    tall(turned, answer);
    gsl_matrix_transpose_memcpy(&made.matrix, answer);
    gsl_matrix_free(turned);
    gsl_matrix_free(answer);
}
