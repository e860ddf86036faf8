/*
 * Muon: the momentum of a matrix is replaced by the nearest orthogonal matrix, roughly, before it is
 * followed. Roughly will do: the quintic iteration is steepest at 0 and never settles at 1. Everything that
 * is no matrix goes by AdamW.
 *
 * The iteration runs on the smaller of the two Gram matrices.
 */
#include "models/learning/inner_method.h"
#include "models/learning/vector_length.h"
#include <tgmath.h>

enum { ITERATIONS = 5 };
static const double a = 3.4445, b = -4.7750, c = 2.0315;
static const double norm_guard = 1e-7;

/* The product of two row-major matrices; RESULT, rows × columns, becomes factor·LEFT·RIGHT + kept·RESULT. */
static void multiply(size_t rows, size_t inner, size_t columns, double factor, const real *left,
                     const real *right, double kept, real *result)
{
    real_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)inner, (real)factor,
              left, (int)inner, right, (int)columns, (real)kept, result, (int)columns);
}

/* XXᵀ, or XᵀX where that is smaller. */
static void gram(const real *matrix, size_t rows, size_t columns, real *result)
{
    if (rows <= columns)
        real_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)rows, (int)columns, 1, matrix,
                  (int)columns, matrix, (int)columns, 0, result, (int)rows);
    else
        real_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)columns, (int)columns, (int)rows, 1, matrix,
                  (int)columns, matrix, (int)columns, 0, result, (int)columns);
}

static void copy(size_t count, const real *from, real *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* X becomes aX + (bA + cA²)X. */
static void iterate(real *matrix, size_t rows, size_t columns, real *scratch)
{
    const size_t side = rows <= columns ? rows : columns;
    real *before = scratch, *square = before + rows * columns, *polynomial = square + side * side;
    copy(rows * columns, matrix, before);
    gram(before, rows, columns, square);
    copy(side * side, square, polynomial);
    multiply(side, side, side, c, square, square, b, polynomial);
    if (rows <= columns)
        multiply(rows, rows, columns, 1, polynomial, before, a, matrix);
    else
        multiply(rows, columns, columns, 1, before, polynomial, a, matrix);
}

void inner_orthogonalise(real *matrix, size_t rows, size_t columns, real *scratch)
{
    if (rows == 0 || columns == 0)
        return;
    const real scale = (real)(1 / (vector_length(rows * columns, matrix) + norm_guard));
    for (size_t i = 0; i < rows * columns; i++)
        matrix[i] *= scale;
    for (int i = 0; i < ITERATIONS; i++)
        iterate(matrix, rows, columns, scratch);
}

static size_t matrix_scratch(const struct tensor *tensor)
{
    const size_t side = tensor->rows <= tensor->columns ? tensor->rows : tensor->columns;
    return 2 * tensor->rows * tensor->columns + 2 * side * side; /* the update, and the iteration's own */
}

static size_t muon_scratch_size(const struct tensor *tensors, size_t tensor_count)
{
    size_t most = 0;
    for (size_t i = 0; i < tensor_count; i++)
        if (tensors[i].role == TENSOR_MATRIX && matrix_scratch(&tensors[i]) > most)
            most = matrix_scratch(&tensors[i]);
    return most;
}

/* Moves the momentum on and writes the look-ahead that is to be orthogonalised. */
static void look_ahead(const struct inner_work *work, size_t first, size_t count, real *restrict update)
{
    const real momentum = (real)work->config->momentum, pace = (real)(1 - work->config->momentum);
    const real *restrict gradient = work->gradient + first;
    real *restrict buffer = work->state + first;
    for (size_t i = 0; i < count; i++) {
        buffer[i] += pace * (gradient[i] - buffer[i]);
        update[i] = gradient[i] + momentum * (buffer[i] - gradient[i]);
    }
}

static void matrix_step(const struct inner_work *work, const struct tensor *tensor)
{
    const size_t count = tensor->rows * tensor->columns;
    real *restrict theta = work->parameters + tensor->offset, *restrict update = work->scratch;
    look_ahead(work, tensor->offset, count, update);
    inner_orthogonalise(update, tensor->rows, tensor->columns, update + count);
    const double shape = sqrt(fmax(1.0, (double)tensor->rows / (double)tensor->columns));
    const real kept = (real)(1 - work->rate * work->config->weight_decay), size = (real)(work->rate * shape);
    for (size_t i = 0; i < count; i++)
        theta[i] = kept * theta[i] - size * update[i];
}

static void muon_step(const struct inner_work *work)
{
    for (size_t i = 0; i < work->tensor_count; i++) {
        const struct tensor *tensor = &work->tensors[i];
        if (tensor->role == TENSOR_MATRIX)
            matrix_step(work, tensor);
        else
            inner_adamw_update(work, work->adamw_rate, tensor->offset, tensor->rows * tensor->columns);
    }
}

const struct inner_method inner_muon = {
    .state_parts = 2, .step = muon_step, .scratch_size = muon_scratch_size};
