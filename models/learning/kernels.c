#include "models/learning/kernels.h"

const struct kernels *kernels_choose(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_v3;
#endif
    return &kernels_plain;
}
