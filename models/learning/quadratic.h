/*
 * A noisy quadratic, whose best is known. Sequence s of a batch, of the shard that data.h says, has the loss
 * and the gradient
 *
 *   f(θ) = ½ Σ_i λ_i (θ_i − θ*_i)²       g_i = λ_i (θ_i − θ*_i) + noise · ξ_i,
 *
 * ξ standard normal and independent by sequence, so that the mean gradient of b sequences has the variance
 * noise²/b. The spectrum λ is geometric from 1 to 1/condition. Each shard has an optimum θ* of its own,
 * scattered by skew about a common one; their mean is the optimum of all. Training starts at θ = 0, the
 * common optimum is standard normal. Held-out loss is the mean over the shards, without noise.
 *
 * With one shard and SGD of rate η each coordinate is a first-order autoregression:
 *   E θ_i − θ*_i = (1 − ηλ_i)^t (θ_i(0) − θ*_i),
 *   Var θ_i = η² noise²/b · (1 − (1 − ηλ_i)^{2t}) / (1 − (1 − ηλ_i)²).
 */
#ifndef MODELS_LEARNING_QUADRATIC_H
#define MODELS_LEARNING_QUADRATIC_H

#include "models/learning/model.h"

#define quadratic_curvature REAL(quadratic_curvature)
#define quadratic_optimum REAL(quadratic_optimum)

/* Of a model of kind quadratic: λ, and the optimum of all shards; model_size numbers. */
const double *quadratic_curvature(const struct model *model);
const double *quadratic_optimum(const struct model *model);

#endif
