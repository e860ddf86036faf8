/*
 * Virtual time: integer nanoseconds since the start of the run. Sums are exact and ties are real
 * ties; 64 bits reach 292 years.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

typedef int64_t sim_time; /* nanoseconds */

#define SIM_MICROSECOND INT64_C(1000)
#define SIM_MILLISECOND INT64_C(1000000)
#define SIM_SECOND INT64_C(1000000000)
#define SIM_NEVER INT64_MAX /* later than everything that happens */

/* Nearest nanosecond to SECONDS (ties to even). Saturates: what exceeds 64 bits, and infinity, is
 * SIM_NEVER; what is negative or not a number is 0. */
sim_time sim_time_from_seconds(double seconds);

/* T in seconds; SIM_NEVER gives infinity. */
double sim_time_to_seconds(sim_time t);

/* A + B for A, B >= 0, saturating at SIM_NEVER. */
static inline sim_time sim_time_add(sim_time a, sim_time b)
{
    return a > SIM_NEVER - b ? SIM_NEVER : a + b;
}

#endif
