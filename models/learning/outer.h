/*
 * Outer optimisers and merges: what becomes of the learners' drifts.
 *
 * Signs: a drift Δ here is a gradient, start − end (DiLoCo, Streaming); GASLoC's end − start is its negative.
 * The functions keep no state of their own and need no memory; arrays don't overlap unless said.
 *
 * Outer optimisers; ε is the rate, μ the momentum, t the step's number from 1:
 *   Nesterov          DiLoCo, arXiv 2311.08105; torch.optim.SGD with nesterov, no dampening and no decay:
 *                       m ← μm + Δ;  θ ← θ − ε(Δ + μm)
 *   averaging           θ ← θ − Δ, neither rate nor momentum counts
 *   Adam              Kingma and Ba, arXiv 1412.6980, as torch.optim.Adam has it, β1 = μ:
 *                       m ← m + (1−β1)(Δ − m);  v ← v + (1−β2)(Δ² − v)
 *                       θ ← θ − ε · m/(1−β1^t) / (√(v/(1−β2^t)) + epsilon)
 *   delayed Nesterov  arXiv 2401.09135, N = delay, c = spread; for drifts that arrive one by one:
 *                       D ← D + Δ; when t is a multiple of N
 *                         m ← μm + D/N;  D ← 0;  θ ← θ − ε[(1 − cN + c)μm + Δ/N]
 *                       else  θ ← θ − ε[cμm + Δ/N]
 * A new one is one file outer_NAME.c, its number in models/tape/rule.h, and its row in outer.c.
 */
#ifndef MODELS_LEARNING_OUTER_H
#define MODELS_LEARNING_OUTER_H

#include "models/learning/model.h"
#include "models/learning/real.h"
#include "models/tape/rule.h"

#define outer_step REAL(outer_step)
#define outer_state_size REAL(outer_state_size)
#define merge_drifts REAL(merge_drifts)
#define compress REAL(compress)
#define fragment_tensors REAL(fragment_tensors)

struct outer_rule {
    int64_t optimiser; /* enum outer_optimiser */
    double rate, momentum;
    int64_t delay;         /* N of delayed Nesterov, at least 1 */
    double spread;         /* c of delayed Nesterov, 0 … 1/N; 0 in the paper's experiments */
    double beta2, epsilon; /* of Adam; 0: OUTER_ADAM_BETA2, OUTER_ADAM_EPSILON */
};

/* What arXiv 2003.00295 settles on for federated Adam. */
#define OUTER_ADAM_BETA2 0.99
#define OUTER_ADAM_EPSILON 1e-3

/* The state is a flat array of reals, which starts at 0. For n parameters: Nesterov m[n]; Adam m[n], v[n];
 * delayed Nesterov m[n], D[n]; averaging none. */
size_t outer_state_size(const struct outer_rule *rule, size_t parameters);

/* One outer step on COUNT parameters (a model, or one fragment with a state of its own) by the merged drift.
 * STEP counts from 1 (delayed Nesterov, Adam). */
void outer_step(const struct outer_rule *rule, int64_t step, size_t count, real *parameters,
                const real *drift, real *state);

/*
 * Merges N drifts of one tensor of COUNT numbers with WEIGHTS (>= 0, not all zero) into MERGED. SCRATCH holds
 * COUNT; MERGED may be one of the drifts. With w the weights over their sum,
 *   mean:               Σ wᵢΔᵢ
 *   radial-directional: (Σ wᵢ‖Δᵢ‖) · unit(Σ wᵢ·unit(Δᵢ)),  unit(0) = 0
 * so that a drift of 0 shortens the others' and doesn't turn them, and directions that cancel give 0. A drift
 * of weight 0 is not read. Sums run in the order given, so that the same participants give the same bits; the
 * mean of one drift is that drift to the bit.
 */
void merge_drifts(enum merge_rule rule, enum tensor_role role, size_t n, const real *const *drifts,
                  const double *weights, size_t count, real *merged, real *scratch);

/*
 * Replaces DRIFT, one tensor of COUNT numbers, by what its receiver would decode. FEEDBACK (NULL: none) holds
 * what earlier messages left out, 0 at first; it is added first, and keeps what this one leaves out.
 *   linear, 2 … 16 BITS  scale·k, k the nearest of the integers −L … L, L = 2^(BITS−1) − 1, and scale =
 *                        max|x|/L; off by at most scale/2
 *   linear, 1 bit        the sign times max|x|; zeros count as positive. It is off by more than nothing sent
 *                        would be, so that feedback grows without end
 *   sign                 the sign times the mean of |x|; zeros count as positive (BITS is not read)
 *   E3M0                 0 or ±max|x|·2^−k, k = 0 … 6, the nearest (BITS is not read); off by at most |x|/3
 *                        down to max|x|/64 and by max|x|/128 below
 * Ties between two integers go to the even one, between two powers to the larger. A tensor of zeros stays
 * one. What is not finite stays so, and may make the rest of its tensor so.
 */
void compress(enum compression_format format, int64_t bits, size_t count, real *drift, real *feedback);

/* Packs tensors greedily, largest first, each into the emptiest of FRAGMENTS bins (at most 4/3 of the
 * optimum: Graham 1969): FRAGMENT_OF[i] of tensor i. Among equals the lower number goes first, both of
 * tensors and of bins. With more fragments than tensors some stay empty. */
void fragment_tensors(const struct tensor *tensors, size_t count, int64_t fragments, int32_t *fragment_of);

#endif
