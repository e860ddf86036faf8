/*
 * Delayed Nesterov: drifts come in one by one and each is followed at once, but the momentum moves only
 * once in N of them, by their mean. With N = 1 it is Nesterov.
 */
#include "models/learning/outer_method.h"
#include <assert.h>

/* A drift is gathered, and followed with a share of the momentum. */
static void gather(const struct outer_rule *rule, size_t count, real *restrict parameters,
                   const real *restrict drift, const real *restrict momentum, real *restrict gathered)
{
    const real rate = (real)rule->rate, part = (real)(1 / (double)rule->delay);
    const real look_ahead = (real)(rule->spread * rule->momentum);
    for (size_t i = 0; i < count; i++) {
        gathered[i] += drift[i];
        parameters[i] -= rate * (look_ahead * momentum[i] + part * drift[i]);
    }
}

/* The N-th drift: what was gathered moves the momentum. */
static void conclude(const struct outer_rule *rule, size_t count, real *restrict parameters,
                     const real *restrict drift, real *restrict momentum, real *restrict gathered)
{
    const double n = (double)rule->delay;
    const real rate = (real)rule->rate, part = (real)(1 / n), kept = (real)rule->momentum;
    const real look_ahead = (real)((1 - rule->spread * n + rule->spread) * rule->momentum);
    for (size_t i = 0; i < count; i++) {
        momentum[i] = kept * momentum[i] + part * (gathered[i] + drift[i]);
        gathered[i] = 0;
        parameters[i] -= rate * (look_ahead * momentum[i] + part * drift[i]);
    }
}

static void delayed_nesterov_step(const struct outer_rule *rule, int64_t step, size_t count, real *parameters,
                                  const real *drift, real *state)
{
    assert(rule->delay >= 1);
    if (step % rule->delay == 0)
        conclude(rule, count, parameters, drift, state, state + count);
    else
        gather(rule, count, parameters, drift, state, state + count);
}

const struct outer_method outer_delayed_nesterov = {.state_parts = 2, .step = delayed_nesterov_step};
