#include "models/learning/blas.h"
#include <stddef.h>

/* OpenBLAS's own functions, which another BLAS lacks. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

void blas_pin_to_one_thread(void)
{
    if (openblas_get_num_threads && openblas_set_num_threads && openblas_get_num_threads() != 1)
        openblas_set_num_threads(1);
}
