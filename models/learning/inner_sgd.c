/*
 * Stochastic gradient descent with heavy-ball momentum; decay is part of the gradient.
 */
#include "models/learning/inner_method.h"

static void sgd_step(const struct inner_work *work)
{
    const real rate = (real)work->rate, momentum = (real)work->config->momentum;
    const real decay = (real)work->config->weight_decay;
    real *restrict theta = work->parameters, *restrict velocity = work->state;
    const real *restrict gradient = work->gradient;
    for (size_t i = 0; i < work->count; i++) {
        velocity[i] = momentum * velocity[i] + (gradient[i] + decay * theta[i]);
        theta[i] -= rate * velocity[i];
    }
}

const struct inner_method inner_sgd = {.state_parts = 1, .step = sgd_step};
