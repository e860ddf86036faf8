/*
 * Asynchronous decentralised parallel SGD: two workers average what they hold when they meet. There is no
 * round and nothing to remember.
 */
#include "models/learning/mixing_method.h"

static void start(size_t count, const real *parameters, real *state)
{
    (void)count, (void)parameters, (void)state;
}

static void prepare(const struct mixing_rule *rule, size_t count, const real *restrict parameters,
                    real *state, real *restrict outgoing, real *restrict mixture)
{
    (void)rule, (void)state;
    for (size_t i = 0; i < count; i++)
        outgoing[i] = mixture[i] = parameters[i];
}

static void finish(const struct mixing_rule *rule, size_t count, const real *own,
                   const real *restrict mixture, real *restrict parameters, real *state)
{
    (void)rule, (void)own, (void)state;
    for (size_t i = 0; i < count; i++)
        parameters[i] = mixture[i];
}

const struct mixing_method mixing_ad_psgd = {
    .message_parts = 1, .scaled = true, .start = start, .prepare = prepare, .finish = finish};
