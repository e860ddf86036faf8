/*
 * What of a trace a law is fitted to. An interval that the end of watching cuts off counts as one that has
 * not ended (right-censored). The one before a unit's first failure counts only where the unit was installed
 * then: of an older unit nobody knows when it began. Intervals of 0 s (failures in the same minute, repairs
 * without any time) have no place under a law of positive times; they are left out and counted.
 */
#ifndef IMPORTS_INTERVALS_H
#define IMPORTS_INTERVALS_H

#include "scenarios/trace.h"
#include "sim/fit.h"

enum interval_kind {
    INTERVALS_LIFE,     /* of a unit: from installation or repair to the next failure */
    INTERVALS_BETWEEN,  /* of a unit: from one failure to the next (time between failures) */
    INTERVALS_ARRIVALS, /* of all units as one: from one failure to the next of any */
    INTERVALS_REPAIR,   /* of each outage */
    INTERVALS_KINDS
};

struct intervals {
    struct sim_life *lives; /* seconds; in the trace's memory */
    size_t count, ended;
    size_t zeros; /* left out */
};

/* False with ERROR when out of memory. */
bool intervals_of(const struct trace *trace, enum interval_kind kind, struct intervals *intervals,
                  struct error *error);

struct exposure {
    size_t failures; /* of units that were up and watched */
    double seconds;  /* that units were up and watched, summed */
};

/* How often a unit fails in the time that it is up, whatever the law: failures over exposure. */
struct exposure exposure_of(const struct trace *trace);

#endif
