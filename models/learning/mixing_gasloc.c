/*
 * GASLoC in two forms. They differ in what is mixed: the new point alone (literal), or the point with its
 * momentum. The momentum is never stored: it is the difference of two y.
 *
 * Between rounds the state is θ, y_prev; between prepare and finish y_prev is already this round's y.
 */
#include "models/learning/mixing_method.h"

static void start(size_t count, const real *restrict parameters, real *restrict state)
{
    for (size_t i = 0; i < count; i++)
        state[i] = state[count + i] = parameters[i];
}

static void prepare(const struct mixing_rule *rule, size_t count, const real *restrict parameters,
                    real *restrict state, real *restrict outgoing, real *restrict mixture)
{
    const real rate = (real)rule->rate, momentum = (real)rule->momentum;
    const real *restrict theta = state;
    real *restrict previous = state + count;
    for (size_t i = 0; i < count; i++) {
        const real y = theta[i] + rate * (parameters[i] - theta[i]);
        outgoing[i] = mixture[i] = y + momentum * (y - previous[i]);
        previous[i] = y;
    }
}

static void prepare_literal(const struct mixing_rule *rule, size_t count, const real *restrict parameters,
                            real *restrict state, real *restrict outgoing, real *restrict mixture)
{
    prepare(rule, count, parameters, state, outgoing, mixture);
    for (size_t i = 0; i < count; i++)
        outgoing[i] = state[count + i];
}

static void finish(const struct mixing_rule *rule, size_t count, const real *own, const real *mixture,
                   real *parameters, real *state)
{
    (void)rule, (void)own;
    for (size_t i = 0; i < count; i++)
        parameters[i] = state[i] = mixture[i];
}

const struct mixing_method mixing_gasloc = {.state_parts = 2,
                                            .message_parts = 1,
                                            .scaled = true,
                                            .start = start,
                                            .prepare = prepare,
                                            .finish = finish};
const struct mixing_method mixing_gasloc_literal = {.state_parts = 2,
                                                    .message_parts = 1,
                                                    .scaled = true,
                                                    .start = start,
                                                    .prepare = prepare_literal,
                                                    .finish = finish};
