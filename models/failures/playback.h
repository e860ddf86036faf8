/*
 * A trace played back: what failed when on somebody's machine fails here, to the nanosecond.
 *
 * The trace has units of its own, numbered from 0, and begins at 0. Each of them stands for one unit of a
 * domain of the cluster. Where the cluster has more of these than the trace, either the rest does not fail
 * (PLAYBACK_WHOLE: the trace's failures as a whole), or the trace is played in several copies, one beside the
 * other, each a little further on in time so that copies don't fail together (PLAYBACK_PER_UNIT: as often per
 * unit). Where it has fewer, either all of the trace's units fail on them in turn (unit i on unit i modulo
 * those there are), or only the first ones are played.
 *
 * Copy c of n plays from OFFSET + c · length / n on, and goes on at the trace's beginning when its end is
 * reached. Without REPEAT it all stops when the first copy has come to the end. What lasts at the moment of
 * the beginning strikes at once, for what is left of it; what lasts beyond the trace's end ends there where
 * the trace is repeated, and otherwise lasts as long as it says.
 */
#ifndef MODELS_FAILURES_PLAYBACK_H
#define MODELS_FAILURES_PLAYBACK_H

#include "models/parameter.h"
#include "sim/engine.h"
#include <stddef.h>

/* UNTIL is SIM_NEVER of what never came back. */
struct playback_outage {
    sim_time from, until;
    int64_t unit;
    int32_t kind;
};

struct playback_trace {
    const struct playback_outage *outages; /* by FROM */
    size_t count;
    int64_t units;
    sim_time length;
    const char *const *kinds; /* what the measurer called what happened */
    size_t kind_count;
};

enum playback_mapping { PLAYBACK_PER_UNIT, PLAYBACK_WHOLE };

/* "failures.trace…" */
struct playback_config {
    char *file;    /* NULL: no trace */
    char *digest;  /* SHA-256 of the file; NULL: not said */
    bool alone;    /* nothing fails by a law beside it */
    int64_t unit;  /* enum fault_domain, chip to site */
    int64_t fault; /* what an outage is: an index of playback_faults */
    int64_t mapping;
    sim_time offset;
    bool repeat;
    struct playback_trace trace; /* what the file says; filled by whoever loads the scenario */
};

extern const struct parameter_table playback_parameters; /* section "failures" */

/* The enum fault_kind of CONFIG's outages. */
int playback_fault(const struct playback_config *config);

/* Told of every outage at the moment it begins. */
typedef void playback_handler(void *context, int64_t unit, int32_t kind, sim_time duration);

struct playback;

/* Plays CONFIG's trace on UNITS units until HORIZON, as events of PRIORITY_OUTAGE. CONFIG and ENGINE
 * outlive it. NULL when out of memory; the caller destroys it. */
struct playback *playback_create(struct sim_engine *engine, const struct playback_config *config,
                                 int64_t units, sim_time horizon, playback_handler *handler, void *context,
                                 struct error *error);
void playback_destroy(struct playback *playback); /* NULL is allowed */

#endif
