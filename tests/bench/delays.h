/*
 * Six laws of delay on which queues differ: the time from now to a new event, in the hold model (take the
 * earliest event, put it back later). Means are of the order of a second.
 */
#ifndef TESTS_BENCH_DELAYS_H
#define TESTS_BENCH_DELAYS_H

#include "sim/queue.h"
#include "sim/stream.h"

enum delay_law {
    DELAY_EXPONENTIAL, /* mean 1 s */
    DELAY_UNIFORM,     /* 0 to 2 s */
    DELAY_TWO_SCALE,   /* exponential, of mean 10 ms nine times out of ten, else 10 s */
    DELAY_PARETO,      /* shape 1.2: mean 5 s, no variance */
    DELAY_TIES,        /* 1 s: all events of a second fall on one nanosecond */
    DELAY_FEW_STEPS,   /* the events of 64 actors step every 0.9 to 1.1 s; the others fail once a year */
    DELAY_LAWS,
};

extern const char *const delay_names[DELAY_LAWS];

/* One draw for each kind of actor; only DELAY_FEW_STEPS makes a difference between them. */
struct delay {
    sim_time stepping, other;
};

struct delay delay_draw(enum delay_law law, struct sim_stream *stream);

enum { DELAY_STEPPING_ACTORS = 64 };

static inline sim_time delay_for(const struct delay *delay, uint32_t actor)
{
    return actor < DELAY_STEPPING_ACTORS ? delay->stepping : delay->other;
}

#endif
