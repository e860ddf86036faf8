/*
 * What an inner optimiser is to inner.c: a row of functions. Private to inner*.c.
 */
#ifndef MODELS_LEARNING_INNER_METHOD_H
#define MODELS_LEARNING_INNER_METHOD_H

#include "models/learning/inner.h"

/* One step's data: the gradient is clipped, the rates are the step's. No two arrays overlap. */
struct inner_work {
    const struct inner_config *config;
    const struct tensor *tensors;
    size_t tensor_count;
    size_t count; /* parameters, all tensors together */
    double rate, adamw_rate;
    int64_t age;
    real *parameters;
    const real *gradient;
    real *state, *scratch;
};

struct inner_method {
    size_t state_parts; /* reals of state per parameter */
    void (*step)(const struct inner_work *work);
    size_t (*scratch_size)(const struct tensor *tensors, size_t tensor_count); /* NULL: none */
};

#define inner_adamw REAL(inner_adamw)
#define inner_adamw_update REAL(inner_adamw_update)
#define inner_sgd REAL(inner_sgd)
#define inner_muon REAL(inner_muon)

extern const struct inner_method inner_adamw, inner_sgd, inner_muon;

/* AdamW of RATE on the COUNT parameters from FIRST on; moments lie at state[first] and state[work->count +
 * first]. */
void inner_adamw_update(const struct inner_work *work, double rate, size_t first, size_t count);

#endif
