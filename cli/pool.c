#include "cli/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* OpenBLAS's own, which another BLAS lacks. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak)); /* 0: built without threads */

static bool is_limited(__rlimit_resource_t resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void pool_leave_out(char **argv)
{
    bool pool = openblas_get_num_threads && openblas_get_num_threads() > 1;
    if (pool && (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) &&
        setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
        execv("/proc/self/exe", argv);
}

size_t pool_replays(size_t workers)
{
    bool without_threads = openblas_get_parallel && openblas_get_parallel() == 0;
    return without_threads ? 1 : workers;
}
