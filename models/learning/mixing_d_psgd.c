/*
 * Decentralised parallel SGD: models are mixed as they were at the round's start, and each worker's own
 * drift, made there, is added after. So the exchange may run beside the local steps.
 */
#include "models/learning/mixing_method.h"

static void start(size_t count, const real *restrict parameters, real *restrict state)
{
    for (size_t i = 0; i < count; i++)
        state[i] = parameters[i];
}

static void prepare(const struct mixing_rule *rule, size_t count, const real *restrict parameters,
                    real *restrict state, real *restrict outgoing, real *restrict mixture)
{
    (void)rule;
    for (size_t i = 0; i < count; i++) {
        outgoing[i] = state[i];
        mixture[i] = parameters[i];
    }
}

static void finish(const struct mixing_rule *rule, size_t count, const real *own, const real *mixture,
                   real *parameters, real *state)
{
    (void)rule, (void)own;
    for (size_t i = 0; i < count; i++)
        parameters[i] = state[i] = mixture[i];
}

const struct mixing_method mixing_d_psgd = {.state_parts = 1,
                                            .message_parts = 1,
                                            .scaled = true,
                                            .start = start,
                                            .prepare = prepare,
                                            .finish = finish};
