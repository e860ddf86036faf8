/*
 * One pass of a transformer over a few sequences: forward, which keeps what the way back needs, and backward.
 *
 * N tokens in a pass, B sequences of T each; C width, V symbols, L layers.
 */
#ifndef MODELS_LEARNING_TRANSFORMER_PASS_H
#define MODELS_LEARNING_TRANSFORMER_PASS_H

#include "models/learning/kernels.h"
#include "models/learning/transformer_layout.h"

/* What a layer keeps. */
struct layer_work {
    real *stream;                   /* [N][C] residual stream before attention */
    real *mean1, *scale1, *normed1; /* [N], [N], [N][C] */
    real *qkv;                      /* [N][3C] without bias */
    real *attended;                 /* [N][C] */
    real *middle;                   /* [N][C] residual stream before the MLP */
    real *mean2, *scale2, *normed2;
    real *slope;  /* [N][4C] up, then the derivative of gelu */
    real *active; /* [N][4C] gelu */
};

struct transformer_pass {
    const struct kernels *kernels;
    const struct transformer_layout *layout;
    size_t layers, width, symbols, context, heads;
    size_t sequences; /* at most, in a pass */
    struct layer_work *work;
    real *last, *mean, *scale, *normed; /* the final residual stream and norm */
    real *logits;                       /* [N][V], then their gradient */
    real *narrow;                       /* [N][C] gradients of the norms' and attention's outputs */
    real *wide;                         /* [N][4C] gradients inside a layer */
    real *stream_gradient;              /* [N][C] */
    real *unused;                       /* [C] takes the sum of a bias that there is not */
    real *scratch;                      /* attention's */
    int32_t *inputs, *targets;          /* [N] */
    double *losses;                     /* [N] */
    void *memory;                       /* that all of this lies in */
};

#define transformer_pass_create REAL(transformer_pass_create)
#define transformer_pass_free REAL(transformer_pass_free)
#define transformer_pass_forward REAL(transformer_pass_forward)
#define transformer_pass_backward REAL(transformer_pass_backward)

/* For passes of at most SEQUENCES; LAYOUT is not owned. False: no memory; to be freed either way. */
bool transformer_pass_create(struct transformer_pass *pass, const struct transformer_config *config,
                             const struct transformer_layout *layout, size_t symbols, size_t sequences);
void transformer_pass_free(struct transformer_pass *pass);

/* From the pass's inputs and targets, for B sequences, to its losses; SHARE × the gradient of their sum is
 * then in LOGITS. */
void transformer_pass_forward(struct transformer_pass *pass, const real *parameters, size_t sequences,
                              real share);

/* Adds the gradient of the forward pass just made to GRADIENT. */
void transformer_pass_backward(struct transformer_pass *pass, const real *parameters, size_t sequences,
                               real *gradient);

#endif
