/*
 * Plain averaging: the merged drift is followed to its end (federated averaging, arXiv 1602.05629).
 */
#include "models/learning/outer_method.h"

static void average_step(const struct outer_rule *rule, int64_t step, size_t count, real *restrict parameters,
                         const real *restrict drift, real *state)
{
    (void)rule, (void)step, (void)state;
    for (size_t i = 0; i < count; i++)
        parameters[i] -= drift[i];
}

const struct outer_method outer_average = {.step = average_step};
