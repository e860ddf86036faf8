/* The x86-64-v3 level of the processor's psABI, in so far as these loops use it. */
#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#define KERNELS kernels_v3
#include "models/learning/kernels_build.c"
#endif
