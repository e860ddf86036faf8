/*
 * What all inner optimisers share: the table of them, the rate's schedule, clipping. A step is clipping, then
 * the method's own pass.
 */
#include "models/learning/inner.h"
#include "models/learning/inner_method.h"
#include "models/learning/vector_length.h"
#include <assert.h>
#include <math.h>

#define CLIP_GUARD 1e-6 /* PyTorch's, against a length of 0 */

static const struct inner_method *method_of(const struct inner_config *config)
{
    static const struct inner_method *const methods[] = {
        [INNER_ADAMW] = &inner_adamw, [INNER_SGD] = &inner_sgd, [INNER_MUON] = &inner_muon};
    assert(config->optimiser >= 0 && config->optimiser < (int64_t)(sizeof methods / sizeof methods[0]));
    return methods[config->optimiser];
}

size_t inner_state_size(const struct inner_config *config, size_t parameters)
{
    return method_of(config)->state_parts * parameters;
}

void inner_state_clear(real *state, size_t size)
{
    for (size_t i = 0; i < size; i++)
        state[i] = 0;
}

size_t inner_scratch_size(const struct inner_config *config, const struct tensor *tensors,
                          size_t tensor_count)
{
    const struct inner_method *method = method_of(config);
    return method->scratch_size ? method->scratch_size(tensors, tensor_count) : 0;
}

/* The share of the rate that is left at STEP, after the warm-up. */
static double cosine_share(const struct inner_config *config, int64_t step)
{
    if (config->decay_steps == PARAMETER_UNSET)
        return 1;
    if (step >= config->decay_steps)
        return config->final_share;
    double done =
        (double)(step - config->warm_up_steps) / (double)(config->decay_steps - config->warm_up_steps);
    return config->final_share + (1 - config->final_share) * 0.5 * (1 + cos(M_PI * done));
}

static double share_at(const struct inner_config *config, int64_t step)
{
    assert(step >= 1);
    if (step <= config->warm_up_steps)
        return (double)step / (double)config->warm_up_steps;
    return cosine_share(config, step);
}

double inner_rate(const struct inner_config *config, int64_t step)
{
    return config->rate * share_at(config, step);
}

double inner_adamw_rate(const struct inner_config *config, int64_t step)
{
    return (isnan(config->adamw_rate) ? config->rate : config->adamw_rate) * share_at(config, step);
}

void inner_clip(double limit, size_t count, real *gradient)
{
    if (!isfinite(limit))
        return;
    double scale = limit / (vector_length(count, gradient) + CLIP_GUARD);
    if (scale >= 1)
        return;
    for (size_t i = 0; i < count; i++)
        gradient[i] *= (real)scale;
}

static size_t parameter_count(const struct tensor *tensors, size_t tensor_count)
{
    size_t count = 0;
    for (size_t i = 0; i < tensor_count; i++)
        count += tensors[i].rows * tensors[i].columns;
    return count;
}

void inner_step(const struct inner_config *config, const struct tensor *tensors, size_t tensor_count,
                int64_t step, int64_t age, real *parameters, real *gradient, real *state, real *scratch)
{
    size_t count = parameter_count(tensors, tensor_count);
    inner_clip(config->clip, count, gradient);
    const struct inner_work work = {.config = config,
                                    .tensors = tensors,
                                    .tensor_count = tensor_count,
                                    .count = count,
                                    .rate = inner_rate(config, step),
                                    .adamw_rate = inner_adamw_rate(config, step),
                                    .age = age,
                                    .parameters = parameters,
                                    .gradient = gradient,
                                    .state = state,
                                    .scratch = scratch};
    method_of(config)->step(&work);
}
