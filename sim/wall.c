#include "sim/wall.h"

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

double sim_wall_seconds(void)
{
    struct timespec time = now();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct timespec sim_wall_in(long milliseconds)
{
    struct timespec time = now();
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

void sim_wall_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}
