/*
 * Products of the small matrices of one attention head: C (+)= A B, in tiles of TILE_ROWS rows and up to
 * two vectors of columns that stay in registers while they sum. CBLAS's calls cost too much at this size and
 * would not leave out what causality makes zero.
 *
 * B and C are aligned to vectors and their columns padded to whole vectors; A may be read along rows or along
 * columns.
 */
#ifndef MODELS_LEARNING_TILE_H
#define MODELS_LEARNING_TILE_H

#include "models/learning/real.h"
#include <stddef.h>

#if defined(__AVX__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { VECTOR_REALS = VECTOR_BYTES / sizeof(real), TILE_ROWS = 4 };
typedef real vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Element (row, column) is at begin[row × row_step + column × column_step]. */
struct strided {
    const real *begin;
    size_t row_step, column_step;
};

/* C [TILE_ROWS][VECTORS] = A [TILE_ROWS][depth] × B [depth][VECTORS]. */
static inline __attribute__((always_inline)) void tile_product(const size_t vectors, size_t depth,
                                                               struct strided a, const real *b, size_t b_step,
                                                               real *c, size_t c_step)
{
    vector sum[TILE_ROWS][2] = {{{0}}};
    for (size_t k = 0; k < depth; k++, b += b_step) {
        const vector *from = (const vector *)b;
#pragma GCC unroll 4
        for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
            for (size_t j = 0; j < vectors; j++)
                sum[i][j] += a.begin[i * a.row_step + k * a.column_step] * from[j];
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (size_t j = 0; j < vectors; j++)
            ((vector *)(c + i * c_step))[j] = sum[i][j];
}

/* C [TILE_ROWS][columns] = A [TILE_ROWS][depth] × B [depth][columns], columns in whole vectors. */
static inline void tile_row_product(size_t columns, size_t depth, struct strided a, const real *b,
                                    size_t b_step, real *c, size_t c_step)
{
    size_t j = 0;
    for (; j + 2 * VECTOR_REALS <= columns; j += 2 * VECTOR_REALS)
        tile_product(2, depth, a, b + j, b_step, c + j, c_step);
    if (j < columns)
        tile_product(1, depth, a, b + j, b_step, c + j, c_step);
}

#endif
