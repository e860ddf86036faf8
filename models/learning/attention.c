/*
 * Causal attention, one head of one sequence at a time:
 *
 *   S = Q Kᵀ/√d,  P = softmax of each row of S up to its own token,  O = P V
 *   dV = Pᵀ dO,  dP = dO Vᵀ,  dS = P ⊙ (dP − rowsum(P ⊙ dP))/√d,  dQ = dS K,  dK = dSᵀ Q.
 *
 * A head's Q, K, V [T][d] are gathered from the rows of qkv into a scratch of their own, which the cache
 * holds, with T and d padded by zeros to whole tiles. Rows are taken by tiles: row t needs columns 0 … t
 * alone, and P and dS are zero from there to the end of the tile's columns (its REACH), beyond which nothing
 * is read. P is computed again on the way back rather than kept: it costs less than to store and fetch it.
 *
 * Part of the kernels: included by each of their builds.
 */
#include "models/learning/exponential.h"
#include "models/learning/kernels.h"
#include "models/learning/tile.h"
#include <string.h>
#include <tgmath.h>

struct head {
    size_t length, width; /* T, d */
    size_t padded_length, padded_width;
    real *q, *k, *v, *o; /* [T][d]; o: out, or its gradient */
    real *dq, *dk, *dv;  /* [T][d] */
    real *transposed;    /* [d][T] */
    real *p, *dp;        /* [T][T] */
};

static size_t padded(size_t count, size_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/* Lays HEAD out in SCRATCH (NULL: only its sizes), and returns how many reals it takes. */
static size_t lay_out(const struct attention_shape *shape, real *scratch, struct head *head)
{
    size_t unit = VECTOR_REALS > TILE_ROWS ? VECTOR_REALS : TILE_ROWS;
    head->length = shape->length;
    head->width = shape->width / shape->heads;
    head->padded_length = padded(head->length, unit);
    head->padded_width = padded(head->width, VECTOR_REALS);
    size_t narrow = head->padded_length * head->padded_width;
    size_t square = head->padded_length * head->padded_length;
    real **const narrows[] = {&head->q,  &head->k,  &head->v,  &head->o,
                              &head->dq, &head->dk, &head->dv, &head->transposed};
    size_t used = 0;
    for (size_t i = 0; i < sizeof narrows / sizeof *narrows; i++, used += narrow)
        *narrows[i] = scratch ? scratch + used : NULL;
    head->p = scratch ? scratch + used : NULL;
    head->dp = scratch ? scratch + used + square : NULL;
    return used + 2 * square;
}

static size_t attention_scratch(const struct attention_shape *shape)
{
    struct head head;
    return lay_out(shape, NULL, &head);
}

/* TO [T][d] = FROM, rows STEP apart, plus BIAS [d] (NULL: none), padded by zeros. */
static void gather(const struct head *head, const real *restrict from, size_t step, const real *restrict bias,
                   real *restrict to)
{
    const size_t width = head->width, padded_width = head->padded_width;
    for (size_t t = 0; t < head->length; t++, from += step, to += padded_width) {
        if (bias)
            for (size_t i = 0; i < width; i++)
                to[i] = from[i] + bias[i];
        else
            memcpy(to, from, width * sizeof *to);
        for (size_t i = width; i < padded_width; i++)
            to[i] = 0;
    }
    memset(to, 0, (head->padded_length - head->length) * padded_width * sizeof *to);
}

/* FROM [T][d] without its padding to TO, rows STEP apart. */
static void scatter(const struct head *head, const real *restrict from, real *restrict to, size_t step)
{
    for (size_t t = 0; t < head->length; t++, from += head->padded_width, to += step)
        memcpy(to, from, head->width * sizeof *to);
}

/* Adds the sum over rows of FROM [T][d] to SUM [d]. */
static void add_rows(const struct head *head, const real *restrict from, real *restrict sum)
{
    for (size_t t = 0; t < head->length; t++, from += head->padded_width)
        for (size_t i = 0; i < head->width; i++)
            sum[i] += from[i];
}

static void transpose(const struct head *head, const real *restrict from, real *restrict to)
{
    for (size_t i = 0; i < head->padded_width; i++)
        for (size_t t = 0; t < head->padded_length; t++)
            to[i * head->padded_length + t] = from[t * head->padded_width + i];
}

/* Columns that the tile beginning at row T fills. */
static size_t reach(size_t t)
{
    return padded(t + TILE_ROWS, VECTOR_REALS);
}

/* OUT [T][T] = A [T][d] × Bᵀ, B [T][d], within reach. */
static void score(const struct head *head, const real *a, const real *b, real *out)
{
    size_t length = head->padded_length, width = head->padded_width;
    transpose(head, b, head->transposed);
    for (size_t t = 0; t < length; t += TILE_ROWS)
        tile_row_product(reach(t), width, (struct strided){a + t * width, width, 1}, head->transposed, length,
                         out + t * length, length);
}

/* OUT [T][d] = A [T][T] × B [T][d]: row t sums over columns up to its own. */
static void sum_back(const struct head *head, const real *a, const real *b, real *out)
{
    size_t length = head->padded_length, width = head->padded_width;
    for (size_t t = 0; t < length; t += TILE_ROWS)
        tile_row_product(width, t + TILE_ROWS, (struct strided){a + t * length, length, 1}, b, width,
                         out + t * width, width);
}

/* OUT [T][d] = Aᵀ × B, A [T][T], B [T][d]: row t sums over rows from its own on. */
static void sum_ahead(const struct head *head, const real *a, const real *b, real *out)
{
    size_t length = head->padded_length, width = head->padded_width;
    for (size_t t = 0; t < length; t += TILE_ROWS)
        tile_row_product(width, length - t, (struct strided){a + t * length + t, 1, length}, b + t * width,
                         width, out + t * width, width);
}

/* The softmax of FACTOR × S [reach], of which the first COUNT are seen; the others become 0. */
static inline void softmax_row(size_t count, size_t width, real factor, real *s)
{
    real largest = s[0], sum = 0;
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < count; i++)
        largest = s[i] > largest ? s[i] : largest;
    for (size_t i = count; i < width; i++)
        s[i] = -INFINITY;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < width; i++) {
        s[i] = exponential(factor * (s[i] - largest));
        sum += s[i];
    }
    const real share = 1 / sum;
    for (size_t i = 0; i < width; i++)
        s[i] *= share;
}

static real factor_of(const struct head *head)
{
    return 1 / sqrt((real)head->width);
}

/* Gathers Q, K and V and computes P. */
static void attend(const struct head *head, const real *qkv, size_t width, const real *bias)
{
    gather(head, qkv, 3 * width, bias, head->q);
    gather(head, qkv + width, 3 * width, bias + width, head->k);
    gather(head, qkv + 2 * width, 3 * width, bias + 2 * width, head->v);
    score(head, head->q, head->k, head->p);
    for (size_t t = 0; t < head->padded_length; t++)
        softmax_row(t + 1, reach(t / TILE_ROWS * TILE_ROWS), factor_of(head),
                    head->p + t * head->padded_length);
}

static void attention_forward(const struct attention_shape *shape, const real *qkv, const real *bias,
                              real *out, real *scratch)
{
    struct head head;
    lay_out(shape, scratch, &head);
    for (size_t sequence = 0; sequence < shape->sequences; sequence++)
        for (size_t h = 0; h < shape->heads; h++) {
            size_t row = sequence * shape->length, column = h * head.width;
            attend(&head, qkv + row * 3 * shape->width + column, shape->width, bias + column);
            sum_back(&head, head.p, head.v, head.o);
            scatter(&head, head.o, out + row * shape->width + column, shape->width);
        }
}

/* dP [width] becomes dS. */
static inline void softmax_row_backward(size_t width, real factor, const real *restrict p, real *restrict dp)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < width; i++)
        sum += p[i] * dp[i];
    for (size_t i = 0; i < width; i++)
        dp[i] = p[i] * (dp[i] - sum) * factor;
}

/* From the gradient of the head's out, in O, to DQ, DK and DV. */
static void attend_backward(const struct head *head)
{
    size_t length = head->padded_length;
    sum_ahead(head, head->p, head->o, head->dv);
    score(head, head->o, head->v, head->dp);
    for (size_t t = 0; t < length; t++)
        softmax_row_backward(reach(t / TILE_ROWS * TILE_ROWS), factor_of(head), head->p + t * length,
                             head->dp + t * length);
    sum_back(head, head->dp, head->k, head->dq);
    sum_ahead(head, head->dp, head->q, head->dk);
}

static void attention_backward(const struct attention_shape *shape, const real *qkv, const real *bias,
                               const real *out_gradient, real *qkv_gradient, real *bias_gradient,
                               real *scratch)
{
    struct head head;
    size_t width = shape->width;
    lay_out(shape, scratch, &head);
    for (size_t sequence = 0; sequence < shape->sequences; sequence++)
        for (size_t h = 0; h < shape->heads; h++) {
            size_t row = sequence * shape->length, column = h * head.width;
            real *to = qkv_gradient + row * 3 * width + column;
            attend(&head, qkv + row * 3 * width + column, width, bias + column);
            gather(&head, out_gradient + row * width + column, width, NULL, head.o);
            attend_backward(&head);
            scatter(&head, head.dq, to, 3 * width);
            scatter(&head, head.dk, to + width, 3 * width);
            scatter(&head, head.dv, to + 2 * width, 3 * width);
            add_rows(&head, head.dq, bias_gradient + column);
            add_rows(&head, head.dk, bias_gradient + width + column);
            add_rows(&head, head.dv, bias_gradient + 2 * width + column);
        }
}
