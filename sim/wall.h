/*
 * Wall time, which no simulation knows of: how long work takes, and waiting for no longer than that. Its
 * clock never goes back, and begins anywhere: differences alone mean something.
 */
#ifndef SIM_WALL_H
#define SIM_WALL_H

#include <pthread.h>
#include <time.h>

/* Seconds. */
double sim_wall_seconds(void);

/* For pthread_cond_timedwait on a condition that sim_wall_condition made: MILLISECONDS, at least 0, from now.
 */
struct timespec sim_wall_in(long milliseconds);

/* Makes a condition that waits by this clock. The caller destroys it. */
void sim_wall_condition(pthread_cond_t *condition);

#endif
