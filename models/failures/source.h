/*
 * A failure process at work: it lets units fail when their time has come.
 *
 * Units without memory (exponential) fail as one Poisson process, lemons by one more; under any other law
 * each unit lives its own lives, and starts a new one when it is whole again. The n-th life of a unit, and
 * what its n-th failure comes to, are drawn by (unit, n) in streams of the process's own. Cost and memory
 * grow with failures, not with units, but for one draw a unit where ages matter or some are lemons.
 */
#ifndef MODELS_FAILURES_SOURCE_H
#define MODELS_FAILURES_SOURCE_H

#include "models/failures/outages.h"
#include "models/failures/process.h"

struct source;

struct source_setting {
    uint64_t seed;
    uint32_t replication;
    sim_time horizon; /* failures are drawn up to here */
    uint32_t number;  /* of the process, which names its streams */
    int32_t cause;
};

/* Lets PROCESS strike OUTAGES, both of which outlive it. NULL with ERROR when out of memory; the caller
 * destroys it. */
struct source *source_create(struct sim_engine *engine, struct outages *outages,
                             const struct failure_process *process, const struct source_setting *setting,
                             struct error *error);
void source_destroy(struct source *source); /* NULL is allowed */

/* What FAULT struck, by this source or another, is back from a repair whose length was not known when it
 * failed; WHOLE or as broken as before. */
void source_hears(struct source *source, const struct fault *fault, bool whole);

bool source_failed(const struct source *source); /* memory ran out */

#endif
