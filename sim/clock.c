#include "sim/clock.h"

#include <math.h>

sim_time sim_time_from_seconds(double seconds)
{
    double nanoseconds = rint(seconds * 1e9);
    if (!(nanoseconds > 0))
        return 0;
    /* 2^63 is the least double that a 64-bit integer cannot hold. */
    if (nanoseconds >= 0x1p63)
        return SIM_NEVER;
    return (sim_time)nanoseconds;
}

double sim_time_to_seconds(sim_time t)
{
    return t == SIM_NEVER ? INFINITY : (double)t / 1e9;
}
