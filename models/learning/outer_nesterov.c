/*
 * Gradient descent with Nesterov momentum: one looks ahead by one more share of the momentum.
 */
#include "models/learning/outer_method.h"

static void nesterov_step(const struct outer_rule *rule, int64_t step, size_t count,
                          real *restrict parameters, const real *restrict drift, real *restrict momentum)
{
    (void)step;
    const real rate = (real)rule->rate, kept = (real)rule->momentum;
    for (size_t i = 0; i < count; i++) {
        momentum[i] = kept * momentum[i] + drift[i];
        parameters[i] -= rate * (drift[i] + kept * momentum[i]);
    }
}

const struct outer_method outer_nesterov = {.state_parts = 1, .step = nesterov_step};
