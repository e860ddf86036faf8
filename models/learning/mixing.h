/*
 * Gossip: what a worker makes of its own drift and its partners' models. θ is where the round's local steps
 * began, g = end − start what they did (a drift, no gradient), Λ the weighted graph of the round.
 *
 *   gasloc          θ' = (I − αΛ)[y + γ(y − y_prev)],  y = θ + ηg     "gossip-all", the stable default; ours
 *   gasloc-literal  θ' = y − αΛy + γ(y − y_prev)                      arXiv 2606.11081
 *   noloco          m ← γm + η·mean(g) + α(mean(θ) − θ);  θ' = θ + m  arXiv 2506.10911
 *                   where the means are (I − Λ)g and (I − Λ)θ; the paper's γ, η, α are 0.5, 0.7, 0.7
 *   d-psgd          θ' = (I − αΛ)θ + g                                arXiv 1705.09056, Algorithm 1
 *   ad-psgd         θ' = (I − αΛ)θ_now                                arXiv 1710.06952, Algorithm 1
 *                   at any time, with whatever the two hold by then; a gradient that was begun before it is
 *                   applied after it
 *
 * Λ = ½ Σ λ_ij (e_i − e_j)(e_i − e_j)ᵀ over the round's unordered edges. Edges of weight λ = 2/(d+1) on a
 * graph of degree d make (I − Λ) the plain mean of a worker and its neighbours: a pair has λ = 1, the
 * complete graph of n workers 2/n. (So α·λ = 2/n averages a complete graph; with α = 1 and λ = 1 it takes two
 * workers.)
 * AD-PSGD's workers meet one at a time, of whatever graph: λ = 1 there.
 *
 * Of gasloc, both forms: the workers' mean follows Nesterov DiLoCo of rate η and momentum γ on any graph, to
 * rounding, since Λ takes nothing from the mean. Gossip-all on the complete graph with α·λ = 2/n is DiLoCo in
 * every worker.
 *
 * A round of one worker: mixing_prepare makes its message and starts its mixture; mixing_exchange takes in
 * the message of each partner, who has prepared the same round; mixing_finish ends it. Without a partner
 * the worker goes on alone. No two arrays overlap.
 *
 * A new algorithm is one file mixing_NAME.c, its number in models/tape/rule.h, and its row in mixing.c.
 */
#ifndef MODELS_LEARNING_MIXING_H
#define MODELS_LEARNING_MIXING_H

#include "models/learning/real.h"
#include "models/tape/rule.h"
#include <stddef.h>
#include <stdint.h>

struct mixing_rule {
    int64_t algorithm; /* enum mixing_algorithm */
    double rate;       /* η; d-psgd and ad-psgd have none */
    double momentum;   /* γ; d-psgd and ad-psgd have none */
    double mixing;     /* α */
};

#define mixing_state_size REAL(mixing_state_size)
#define mixing_message_size REAL(mixing_message_size)
#define mixing_start REAL(mixing_start)
#define mixing_prepare REAL(mixing_prepare)
#define mixing_exchange REAL(mixing_exchange)
#define mixing_finish REAL(mixing_finish)

/* A worker's state between rounds, a flat array that its owner may copy (with the parameters). For n
 * parameters: gasloc, both forms, θ[n], y_prev[n]; noloco θ[n], m[n]; d-psgd θ[n]; ad-psgd none. */
size_t mixing_state_size(const struct mixing_rule *rule, size_t parameters);

/* What crosses an edge, each way, and what the mixture takes up: noloco g[n], θ[n]; the others one vector. */
size_t mixing_message_size(const struct mixing_rule *rule, size_t parameters);

/* The worker is at PARAMETERS and has no history. */
void mixing_start(const struct mixing_rule *rule, size_t count, const real *parameters, real *state);

/* The round's local steps are done: PARAMETERS holds where they ended. Makes the message OUTGOING and starts
 * MIXTURE (both mixing_message_size reals). */
void mixing_prepare(const struct mixing_rule *rule, size_t count, const real *parameters, real *state,
                    real *outgoing, real *mixture);

/* Takes a partner's message THEIRS in over an edge of weight WEIGHT (λ); OWN is the worker's outgoing. */
void mixing_exchange(const struct mixing_rule *rule, size_t count, double weight, const real *own,
                     const real *theirs, real *mixture);

/* The worker goes on: PARAMETERS and STATE for the next round. */
void mixing_finish(const struct mixing_rule *rule, size_t count, const real *own, const real *mixture,
                   real *parameters, real *state);

#endif
