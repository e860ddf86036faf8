#define KERNELS kernels_plain
#include "models/learning/kernels_build.c"
