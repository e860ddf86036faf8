/*
 * Inner optimisers: one step of a learner on its own gradient g. One file each; the schedule (linear warm-up,
 * then cosine) and clipping are shared. ρ is inner_rate at the step, t the state's age: this step's number,
 * from 1, since the state was cleared. m, v and b start at 0. The θ on a right side is that before the step.
 *
 *   adamw  Loshchilov and Hutter, arXiv 1711.05101, Algorithm 2, as torch.optim.AdamW has it:
 *            m ← m + (1−β1)(g − m);  v ← v + (1−β2)(g² − v)
 *            θ ← (1 − ρ·decay)θ − ρ · m/(1−β1^t) / (√(v/(1−β2^t)) + ε)
 *          The decay is multiplied by the step's rate, not by the one after the warm-up, and holds for every
 *          parameter alike, biases, norms and embeddings too. ε is added to the corrected root.
 *   sgd    with heavy-ball momentum and coupled decay, as torch.optim.SGD has it (no dampening, no Nesterov):
 *            b ← μb + (g + decay·θ);  θ ← θ − ρb
 *   muon   Jordan, https://kellerjordan.github.io/posts/muon/ and his reference code: matrices by
 *            b ← b + (1−μ)(g − b);  u = g + μ(b − g)
 *            θ ← (1 − ρ·decay)θ − ρ·√max(1, rows/columns) · inner_orthogonalise(u)
 *          where a row is an output of the layer. u is Nesterov's look-ahead, (1−μ)g + μb; nothing corrects
 *          for the momentum's start, and the decay's rate is without √max(1, rows/columns). Queries, keys
 *          and values are matrices of their own (transformer_layout.h). Vectors and embeddings (the tied
 *          head with them) go by adamw with its betas, ε and decay, and with inner_adamw_rate for ρ.
 *          torch.optim.Muon with nesterov and adjust_lr_fn "original" is the same but that it rounds u to
 *          bfloat16 and iterates in it, where we keep the build's precision, and bounds the norm by 1e-7
 *          from below, where we add 1e-7.
 *
 * A new optimiser is one file inner_NAME.c, its number in config.h, and its row in inner.c.
 */
#ifndef MODELS_LEARNING_INNER_H
#define MODELS_LEARNING_INNER_H

#include "models/learning/config.h"
#include "models/learning/model.h"
#include "models/learning/real.h"

#define inner_state_size REAL(inner_state_size)
#define inner_state_clear REAL(inner_state_clear)
#define inner_rate REAL(inner_rate)
#define inner_adamw_rate REAL(inner_adamw_rate)
#define inner_clip REAL(inner_clip)
#define inner_step REAL(inner_step)
#define inner_scratch_size REAL(inner_scratch_size)
#define inner_orthogonalise REAL(inner_orthogonalise)

/* The state is a flat array of reals that its owner may copy (a peer's recovery does). It starts cleared. For
 * n parameters: adamw m[n], v[n]; sgd b[n]; muon b of matrices and m of the rest [n], v[n] (that of matrices
 * is never touched). */
size_t inner_state_size(const struct inner_config *config, size_t parameters);
void inner_state_clear(real *state, size_t size);

/* The rate at step STEP, counted from 1: rate·STEP/warm_up_steps until warm_up_steps, then a half cosine from
 * rate down to rate·final_share at decay_steps, constant from there on. Without decay_steps it stays at rate;
 * where they are no more than warm_up_steps the cosine is a jump. */
double inner_rate(const struct inner_config *config, int64_t step);

/* The same schedule on adamw_rate: ρ of what muon leaves to adamw. inner_rate where adamw_rate is NAN. */
double inner_adamw_rate(const struct inner_config *config, int64_t step);

/* Scales GRADIENT of COUNT numbers to the length LIMIT if it is longer, as torch.nn.utils.clip_grad_norm_
 * does: by min(1, LIMIT / (length + 1e-6)), the length that of all tensors together. What is not a number
 * stays so, and spreads. No limit (infinite, NAN) costs nothing. */
void inner_clip(double limit, size_t count, real *gradient);

/* One step after clipping, which may overwrite GRADIENT. STEP and AGE count from 1; they differ where a
 * learner goes on with its schedule and a cleared state. The tensors cover the parameters without gap or
 * overlap, and no two arrays overlap. SCRATCH holds inner_scratch_size reals (may be NULL where that is 0).
 */
void inner_step(const struct inner_config *config, const struct tensor *tensors, size_t tensor_count,
                int64_t step, int64_t age, real *parameters, real *gradient, real *state, real *scratch);
size_t inner_scratch_size(const struct inner_config *config, const struct tensor *tensors,
                          size_t tensor_count);

/*
 * Muon's orthogonalisation: MATRIX X, rows × columns, row-major, becomes U·S'·Vᵀ where X = U·S·Vᵀ and S' is
 * near 1. X is divided by its Frobenius norm + 1e-7, then five times
 *   X ← aX + (bA + cA²)X,  A = XXᵀ,  (a, b, c) = (3.4445, −4.7750, 2.0315)
 * (from the right with A = XᵀX where there are more rows than columns, which is the same). Each singular
 * value goes its own way, σ ← aσ + bσ³ + cσ⁵, and those above 0.01 of the norm end within 0.68 … 1.14. Zeros
 * stay zeros. SCRATCH holds rows·columns + 2·min(rows, columns)² reals. Exposed for tests.
 */
void inner_orthogonalise(real *matrix, size_t rows, size_t columns, real *scratch);

#endif
