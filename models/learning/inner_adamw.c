/*
 * AdamW in one pass over memory: each parameter, gradient and moment is read once and written once. The loop
 * has no branch and no call but the square root, so that it becomes vector code.
 *
 * Moments are moved by their distance to the new value, which keeps the two weights' sum at 1 however the
 * betas round.
 */
#include "models/learning/inner_method.h"
#include <tgmath.h>

void inner_adamw_update(const struct inner_work *work, double rate, size_t first, size_t count)
{
    const struct inner_config *config = work->config;
    const double age = (double)work->age;
    const real kept = (real)(1 - rate * config->weight_decay);
    const real pace1 = (real)(1 - config->beta1), pace2 = (real)(1 - config->beta2);
    const real size = (real)(rate / (1 - pow(config->beta1, age)));
    const real correction = (real)(1 / sqrt(1 - pow(config->beta2, age)));
    const real epsilon = (real)config->epsilon;
    real *restrict theta = work->parameters + first;
    const real *restrict gradient = work->gradient + first;
    real *restrict mean = work->state + first, *restrict square = work->state + work->count + first;
    for (size_t i = 0; i < count; i++) {
        const real g = gradient[i];
        const real m = mean[i] + pace1 * (g - mean[i]);
        const real v = square[i] + pace2 * (g * g - square[i]);
        mean[i] = m;
        square[i] = v;
        theta[i] = kept * theta[i] - size * m / (sqrt(v) * correction + epsilon);
    }
}

static void adamw_step(const struct inner_work *work)
{
    inner_adamw_update(work, work->rate, 0, work->count);
}

const struct inner_method inner_adamw = {.state_parts = 2, .step = adamw_step};
