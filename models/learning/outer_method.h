/*
 * What an outer optimiser is to outer.c: a row. Private to outer*.c.
 */
#ifndef MODELS_LEARNING_OUTER_METHOD_H
#define MODELS_LEARNING_OUTER_METHOD_H

#include "models/learning/outer.h"

struct outer_method {
    size_t state_parts; /* reals of state per parameter */
    void (*step)(const struct outer_rule *rule, int64_t step, size_t count, real *parameters,
                 const real *drift, real *state);
};

#define outer_nesterov REAL(outer_nesterov)
#define outer_average REAL(outer_average)
#define outer_adam REAL(outer_adam)
#define outer_delayed_nesterov REAL(outer_delayed_nesterov)

extern const struct outer_method outer_nesterov, outer_average, outer_adam, outer_delayed_nesterov;

#endif
