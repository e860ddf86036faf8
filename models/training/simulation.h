/*
 * One run: a strategy on a workload, a cluster, a network and their failures, for one seed and
 * replication. A pure function of its arguments; runs in several threads don't know of each other.
 */
#ifndef MODELS_TRAINING_SIMULATION_H
#define MODELS_TRAINING_SIMULATION_H

#include "models/failures/chaos.h"
#include "models/failures/checkpoint.h"
#include "models/failures/failures.h"
#include "models/failures/playback.h"
#include "models/hardware/cluster.h"
#include "models/hardware/stragglers.h"
#include "models/network/network.h"
#include "models/tape/tape.h"
#include "models/training/goal.h"
#include "models/training/observation.h"
#include "models/training/result.h"
#include "models/training/strategy.h"
#include "models/training/workload.h"
#include "sim/error.h"
#include <stdatomic.h>

/* Everything about the world that strategies share. */
struct simulation_config {
    sim_time duration; /* the most that it may take where UNTIL fixes the work */
    struct goal_config until;
    sim_time warm_up; /* at the start, left out of every share */
    struct workload_config workload;
    struct cluster_config cluster;
    struct straggler_config stragglers;
    struct network_config network;
    struct failure_config failures;
    struct playback_config trace;
    struct checkpoint_config checkpoints;
    struct chaos_config chaos;
};

/* Leaves nothing of CONFIG that fails, by law, by a trace or on purpose: what a run is held against. */
static inline void simulation_let_nothing_fail(struct simulation_config *config)
{
    config->failures.enabled = false;
    config->trace.file = NULL;
    config->chaos.entries.count = config->chaos.schedule.count = 0;
}

/* What is wrong with a combination of fields that are each within their bounds. */
struct simulation_fault {
    char path[128]; /* the field to point at; below a strategy, without "strategies[…]." */
    char message[512];
};

/* True if STRATEGY can run on CONFIG; else *FAULT says which field to change and why. Estimates the
 * events too: a run that would take more than about 10¹⁰ of them is refused here. */
bool simulation_check(const struct simulation_config *config, const struct strategy_config *strategy,
                      struct simulation_fault *fault);

/* Runs a pair that simulation_check accepts. TAPE, when not NULL, gets the event tape, which the caller
 * destroys; kinds that train nothing leave none. STOP, when not NULL, is looked at with every event: once it
 * is true the run ends with RUN_INTERRUPTED. False (ERROR_SYSTEM) when memory runs out. */
bool simulation_run(const struct simulation_config *config, const struct strategy_config *strategy,
                    uint64_t seed, uint32_t replication, const atomic_bool *stop, struct run_result *result,
                    struct tape **tape, struct error *error);

/* Which run, and what is wanted of it beside its figures. Owns nothing: all that it names is the caller's and
 * outlives the run. */
struct simulation_request {
    const struct simulation_config *config; /* a pair that simulation_check accepts */
    const struct strategy_config *strategy;
    uint64_t seed;
    uint32_t replication;
    const atomic_bool *stop;             /* looked at with every event; NULL: nobody stops it */
    const struct observation_wish *wish; /* of the observation; NULL: what is had for nothing */
    /* Where to put what the run leaves, which passes to the caller, who destroys it; NULL: it is not wanted.
     * If the run fails, nothing passes. */
    struct observation **observation;
    struct tape **tape; /* left as it was by kinds that train nothing */
};

/* The same, and hands over what is wanted. The run itself is the same to the bit, whatever that is. */
bool simulation_run_observed(const struct simulation_request *request, struct run_result *result,
                             struct error *error);

#endif
