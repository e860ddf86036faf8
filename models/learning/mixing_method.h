/*
 * What a gossip algorithm is to mixing.c: a row. Private to mixing*.c. Functions are as in mixing.h.
 */
#ifndef MODELS_LEARNING_MIXING_METHOD_H
#define MODELS_LEARNING_MIXING_METHOD_H

#include "models/learning/mixing.h"
#include <stdbool.h>

struct mixing_method {
    size_t state_parts, message_parts; /* reals per parameter */
    bool scaled;                       /* the exchange itself is αΛ; else Λ, and α comes in at the end */
    void (*start)(size_t count, const real *parameters, real *state);
    void (*prepare)(const struct mixing_rule *rule, size_t count, const real *parameters, real *state,
                    real *outgoing, real *mixture);
    void (*finish)(const struct mixing_rule *rule, size_t count, const real *own, const real *mixture,
                   real *parameters, real *state);
};

#define mixing_gasloc REAL(mixing_gasloc)
#define mixing_gasloc_literal REAL(mixing_gasloc_literal)
#define mixing_noloco REAL(mixing_noloco)
#define mixing_d_psgd REAL(mixing_d_psgd)
#define mixing_ad_psgd REAL(mixing_ad_psgd)

extern const struct mixing_method mixing_gasloc, mixing_gasloc_literal, mixing_noloco, mixing_d_psgd,
    mixing_ad_psgd;

#endif
