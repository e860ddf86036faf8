/*
 * NoLoCo: an outer Nesterov step on the mean drift of a small group, with a pull of one's slow weights θ
 * towards the group's. θ is known as soon as a round begins, and may be sent early.
 *
 * The state is θ, m; a message is g, θ.
 */
#include "models/learning/mixing_method.h"

static void start(size_t count, const real *restrict parameters, real *restrict state)
{
    for (size_t i = 0; i < count; i++) {
        state[i] = parameters[i];
        state[count + i] = 0;
    }
}

static void prepare(const struct mixing_rule *rule, size_t count, const real *restrict parameters,
                    real *restrict state, real *restrict outgoing, real *restrict mixture)
{
    (void)rule;
    for (size_t i = 0; i < count; i++) {
        outgoing[i] = mixture[i] = parameters[i] - state[i];
        outgoing[count + i] = mixture[count + i] = state[i];
    }
}

static void finish(const struct mixing_rule *rule, size_t count, const real *restrict own,
                   const real *restrict mixture, real *restrict parameters, real *restrict state)
{
    (void)own;
    const real rate = (real)rule->rate, kept = (real)rule->momentum, pull = (real)rule->mixing;
    const real *restrict drift = mixture, *restrict slow = mixture + count;
    real *restrict theta = state, *restrict momentum = state + count;
    for (size_t i = 0; i < count; i++) {
        momentum[i] = kept * momentum[i] + rate * drift[i] + pull * (slow[i] - theta[i]);
        theta[i] += momentum[i];
        parameters[i] = theta[i];
    }
}

const struct mixing_method mixing_noloco = {
    .state_parts = 2, .message_parts = 2, .start = start, .prepare = prepare, .finish = finish};
