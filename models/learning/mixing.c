/*
 * The table of gossip algorithms, and the one exchange that they share: a mixture is drawn towards the
 * partner by what the two messages differ, and the partner's towards ours by the same, so that the mean over
 * the workers stays.
 */
#include "models/learning/mixing.h"
#include "models/learning/mixing_method.h"
#include <assert.h>

static const struct mixing_method *method_of(const struct mixing_rule *rule)
{
    static const struct mixing_method *const methods[] = {
        [MIXING_GASLOC] = &mixing_gasloc,   [MIXING_GASLOC_LITERAL] = &mixing_gasloc_literal,
        [MIXING_NOLOCO] = &mixing_noloco,   [MIXING_D_PSGD] = &mixing_d_psgd,
        [MIXING_AD_PSGD] = &mixing_ad_psgd,
    };
    assert(rule->algorithm >= 0 && rule->algorithm < (int64_t)(sizeof methods / sizeof methods[0]));
    return methods[rule->algorithm];
}

size_t mixing_state_size(const struct mixing_rule *rule, size_t parameters)
{
    return method_of(rule)->state_parts * parameters;
}

size_t mixing_message_size(const struct mixing_rule *rule, size_t parameters)
{
    return method_of(rule)->message_parts * parameters;
}

void mixing_start(const struct mixing_rule *rule, size_t count, const real *parameters, real *state)
{
    method_of(rule)->start(count, parameters, state);
}

void mixing_prepare(const struct mixing_rule *rule, size_t count, const real *parameters, real *state,
                    real *outgoing, real *mixture)
{
    method_of(rule)->prepare(rule, count, parameters, state, outgoing, mixture);
}

void mixing_exchange(const struct mixing_rule *rule, size_t count, double weight, const real *own,
                     const real *theirs, real *mixture)
{
    const struct mixing_method *method = method_of(rule);
    const real share = (real)(0.5 * weight * (method->scaled ? rule->mixing : 1));
    for (size_t i = 0; i < method->message_parts * count; i++)
        mixture[i] += share * (theirs[i] - own[i]);
}

void mixing_finish(const struct mixing_rule *rule, size_t count, const real *own, const real *mixture,
                   real *parameters, real *state)
{
    method_of(rule)->finish(rule, count, own, mixture, parameters, state);
}
