/*
 * The table of outer optimisers.
 */
#include "models/learning/outer.h"
#include "models/learning/outer_method.h"
#include <assert.h>

static const struct outer_method *method_of(const struct outer_rule *rule)
{
    static const struct outer_method *const methods[] = {[OUTER_NESTEROV] = &outer_nesterov,
                                                         [OUTER_AVERAGE] = &outer_average,
                                                         [OUTER_ADAM] = &outer_adam,
                                                         [OUTER_DELAYED_NESTEROV] = &outer_delayed_nesterov};
    assert(rule->optimiser >= 0 && rule->optimiser < (int64_t)(sizeof methods / sizeof methods[0]));
    return methods[rule->optimiser];
}

size_t outer_state_size(const struct outer_rule *rule, size_t parameters)
{
    return method_of(rule)->state_parts * parameters;
}

void outer_step(const struct outer_rule *rule, int64_t step, size_t count, real *parameters,
                const real *drift, real *state)
{
    assert(step >= 1);
    method_of(rule)->step(rule, step, count, parameters, drift, state);
}
