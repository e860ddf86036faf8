/*
 * When chips that come and go are there: for LASTING from FROM on, and the same again every EVERY, before
 * FROM too. It is a schedule in wall time: no chance, and nothing that a strategy does changes it.
 */
#ifndef MODELS_HARDWARE_AVAILABILITY_H
#define MODELS_HARDWARE_AVAILABILITY_H

#include "sim/clock.h"
#include <stdbool.h>

struct availability {
    sim_time from;
    sim_time lasting; /* not above 0: always there */
    sim_time every;   /* not above 0: once */
};

bool availability_is_limited(const struct availability *availability);

/* Whether they are there at T >= 0. */
bool availability_at(const struct availability *availability, sim_time t);

/* When that changes next, after T; SIM_NEVER: it does not. */
sim_time availability_next(const struct availability *availability, sim_time t);

/* For how long they are there from BEGIN to END. */
sim_time availability_time(const struct availability *availability, sim_time begin, sim_time end);

#endif
