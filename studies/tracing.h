/*
 * Traces of a plan's runs for trace viewers (results/trace.h): the first replication of every strategy at the
 * plan's first point. A run is a pure function of its scenario and seed, so they are simulated once more for
 * it, whether or not the database had them.
 *
 * A trace is bounded. A run that takes about more steps than TRACING_SPANS, or turns out to, has those that
 * follow each other without a pause joined to one span; if there are twice as many all the same, what is
 * short is put together from there on, as condenser.h has it. Notes in the file say so.
 */
#ifndef STUDIES_TRACING_H
#define STUDIES_TRACING_H

#include "studies/plan.h"
#include <stdatomic.h>
#include <stdio.h>

enum {
    TRACING_SPANS = 200000,    /* of a run, before any are joined */
    TRACING_PARTS = 100000,    /* of all lanes' time together: what is put together then */
    TRACING_INSTANTS = 100000, /* merges; faults; changes of how many learners are up */
    TRACING_LINKS = 4          /* whose traffic is shown: the busiest */
};

struct tracing_options {
    const atomic_bool *stop;                       /* the caller's wish to end early; NULL: none */
    void (*note)(void *context, const char *text); /* what the file leaves out; NULL: nobody wants to know */
    void *context;
    const char *output; /* what messages call OUT */
};

/* Writes the trace to OUT; told to stop, a whole document of what was there. *INTERRUPTED says so. False: the
 * simulation or OUT fails (ERROR_SYSTEM). */
bool tracing_write(const struct plan *plan, const struct tracing_options *options, FILE *out,
                   bool *interrupted, struct error *error);

#endif
