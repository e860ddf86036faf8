/*
 * Adam on merged drifts (federated Adam, arXiv 2003.00295, here with the correction of its start).
 */
#include "models/learning/outer_method.h"
#include <tgmath.h>

static void adam_step(const struct outer_rule *rule, int64_t step, size_t count, real *restrict parameters,
                      const real *restrict drift, real *restrict state)
{
    const double beta1 = rule->momentum, beta2 = rule->beta2 == 0 ? OUTER_ADAM_BETA2 : rule->beta2;
    const double t = (double)step;
    const real pace1 = (real)(1 - beta1), pace2 = (real)(1 - beta2);
    const real size = (real)(rule->rate / (1 - pow(beta1, t)));
    const real correction = (real)(1 / sqrt(1 - pow(beta2, t))),
               epsilon = (real)(rule->epsilon == 0 ? OUTER_ADAM_EPSILON : rule->epsilon);
    real *restrict mean = state, *restrict square = state + count;
    for (size_t i = 0; i < count; i++) {
        mean[i] += pace1 * (drift[i] - mean[i]);
        square[i] += pace2 * (drift[i] * drift[i] - square[i]);
        parameters[i] -= size * mean[i] / (sqrt(square[i]) * correction + epsilon);
    }
}

const struct outer_method outer_adam = {.state_parts = 2, .step = adam_step};
