/*
 * A decoder-only transformer, as GPT-2 (Radford et al., 2019): token and position embeddings, layers of
 * causal attention and an MLP of four times the width, each behind a layer norm and beside the residual
 * stream, a last norm, and a head that is the token embedding again.
 *
 *   x = token[s_t] + position[t]
 *   per layer: x += projection(attention(qkv(norm1(x)))),  x += down(gelu(up(norm2(x))))
 *   logits = token · norm(x),  loss = mean over tokens of −log softmax(logits)[s_{t+1}]
 *
 * Linear layers have biases: y = W x + b, but for the head. Norms: norm.c (ε = 1e-5, biased variance); GELU
 * in its tanh form, not by erf (torch.nn.GELU(approximate="tanh")): gelu.c; attention, scaled by 1/√(width of
 * a head): attention.c. Head h has columns h·d … (h+1)·d − 1 of queries, keys and values. No dropout. The
 * loss counts all tokens of all sequences alike, the first of a sequence too. Positions are 0 … context − 1.
 *
 * The derivation of each backward step stands with its forward step. A batch is computed in passes of a few
 * sequences, so that what one pass keeps stays in the cache and memory doesn't grow with the batch.
 */
#ifndef MODELS_LEARNING_TRANSFORMER_H
#define MODELS_LEARNING_TRANSFORMER_H

#include "models/learning/model.h"

#define transformer_losses REAL(transformer_losses)
#define transformer_gradient REAL(transformer_gradient)

/* Of a model of kind transformer, on symbols of the caller's, [SEQUENCES][context + 1]: each token's loss
 * into LOSSES [SEQUENCES][context]. */
void transformer_losses(struct model *model, const real *parameters, const int32_t *symbols, size_t sequences,
                        double *losses);

/* The mean loss, and its gradient (overwritten). */
double transformer_gradient(struct model *model, const real *parameters, const int32_t *symbols,
                            size_t sequences, real *gradient);

#endif
