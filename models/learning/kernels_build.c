/*
 * One build of the kernels: defines their table under the name KERNELS. The including file sets the target
 * first.
 */
#include "models/learning/attention.c"
#include "models/learning/cross_entropy.c"
#include "models/learning/gelu.c"
#include "models/learning/norm.c"

const struct kernels KERNELS = {
    .add_bias = add_bias,
    .norm_forward = norm_forward,
    .norm_backward = norm_backward,
    .gelu_forward = gelu_forward,
    .gelu_backward = gelu_backward,
    .cross_entropy = cross_entropy,
    .attention_scratch = attention_scratch,
    .attention_forward = attention_forward,
    .attention_backward = attention_backward,
};
