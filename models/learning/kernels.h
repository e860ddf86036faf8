/*
 * The transformer's inner loops but for matrix products: plain C that compilers turn into vector code, built
 * once for each instruction set worth it and chosen by what the processor has. All builds compute the same;
 * their results differ by rounding alone.
 *
 * Shapes: n rows are tokens; arrays are row-major and dense. "Adds to" means that the caller has set a start.
 */
#ifndef MODELS_LEARNING_KERNELS_H
#define MODELS_LEARNING_KERNELS_H

#include "models/learning/real.h"
#include <stddef.h>
#include <stdint.h>

/* What is attended: SEQUENCES sequences of LENGTH tokens, WIDTH = HEADS × head width. */
struct attention_shape {
    size_t sequences, length, width, heads;
};

struct kernels {
    /* out = in + bias, [n][width]: what a layer's product is added to where it joins the residual stream. */
    void (*add_bias)(size_t n, size_t width, const real *in, const real *bias, real *out);

    /* Layer norm (norm.c) of X [n][width]; MEAN and SCALE [n] are kept for the way back. */
    void (*norm_forward)(size_t n, size_t width, const real *x, const real *weight, const real *bias,
                         real *out, real *mean, real *scale);
    /* Adds the gradient through the norm to STREAM [n][width], and to those of WEIGHT and BIAS; adds the sum
     * over rows of the new STREAM, the gradient of the bias that joined the residual stream here, to JOINED.
     */
    void (*norm_backward)(size_t n, size_t width, const real *x, const real *mean, const real *scale,
                          const real *weight, const real *out_gradient, real *stream, real *weight_gradient,
                          real *bias_gradient, real *joined);

    /* out = gelu(x + bias) (gelu.c), all [n][width]; X is replaced by the derivative there. */
    void (*gelu_forward)(size_t n, size_t width, const real *bias, real *x, real *out);
    /* GRADIENT times SLOPE, in place; its sum over rows is added to BIAS_GRADIENT. */
    void (*gelu_backward)(size_t n, size_t width, const real *slope, real *gradient, real *bias_gradient);

    /* Each row's −log softmax(logits [n][symbols]) at its target, into LOSSES [n]; replaces LOGITS by SHARE ×
     * the gradient (cross_entropy.c). */
    void (*cross_entropy)(size_t n, size_t symbols, const int32_t *targets, real share, real *logits,
                          double *losses);

    /* Causal attention (attention.c): QKV [n][3 width] holds queries, keys and values before BIAS [3 width]
     * is added; OUT [n][width]. Backward sets QKV_GRADIENT and adds to BIAS_GRADIENT. SCRATCH is aligned to
     * KERNEL_ALIGNMENT bytes and holds attention_scratch reals. */
    size_t (*attention_scratch)(const struct attention_shape *shape);
    void (*attention_forward)(const struct attention_shape *shape, const real *qkv, const real *bias,
                              real *out, real *scratch);
    void (*attention_backward)(const struct attention_shape *shape, const real *qkv, const real *bias,
                               const real *out_gradient, real *qkv_gradient, real *bias_gradient,
                               real *scratch);
};

enum { KERNEL_ALIGNMENT = 64 };

/* For the processor that this runs on. */
#define kernels_choose REAL(kernels_choose)
const struct kernels *kernels_choose(void);

/* The builds, each from its file: the compiler's own target, x86-64-v3 (AVX2 and FMA). */
#define kernels_plain REAL(kernels_plain)
#define kernels_v3 REAL(kernels_v3)
extern const struct kernels kernels_plain;
extern const struct kernels kernels_v3; /* where __x86_64__ alone */

#endif
