/*
 * The world of one run: the engine, the outages, the learners, the strategy's state and what has been
 * counted so far. world_build.h makes one; learners and strategies act in it.
 */
#ifndef MODELS_TRAINING_WORLD_H
#define MODELS_TRAINING_WORLD_H

#include "models/failures/outages.h"
#include "models/failures/traced_faults.h"
#include "models/tape/tape.h"
#include "models/training/activity.h"
#include "models/training/goal.h"
#include "models/training/injection.h"
#include "models/training/kind.h"
#include "models/training/layout.h"
#include "models/training/learner.h"
#include "models/training/replicas.h"
#include "models/training/simulation.h"
#include "models/training/slots.h"
#include "models/training/traffic.h"
#include "models/training/trouble.h"
#include "models/training/waste.h"
#include "sim/engine.h"
#include "sim/ledger.h"
#include "sim/tally.h"

struct world {
    const struct simulation_config *config;
    const struct strategy_functions *strategy;
    void *strategy_state;
    uint64_t seed;
    uint32_t replication;
    const atomic_bool *stop;            /* or NULL */
    struct tape_writer *tape;           /* or NULL */
    struct observer *observer;          /* or NULL */
    struct activity_recorder *activity; /* the observer's, or NULL: nobody wants to know */

    struct sim_engine *engine;
    struct units units;             /* the domain tree */
    struct failure_config failures; /* the scenario's, or none by a law where a trace says all */
    struct outages *outages;
    struct traced_faults *traced; /* NULL: no trace */
    struct injection *injection;  /* NULL: the scenario has no chaos */
    struct traffic *traffic;
    struct layout layout;
    struct overlap_cache overlap;         /* of the steps' exposed communication */
    struct learner *learners;             /* layout.learners of them */
    struct sim_distribution *step_factor; /* NULL where it is constantly 1 */
    double played_scale;                  /* of its values, where they are played; else 0 */
    struct pace_laws pace;
    struct slots *slots;       /* NULL where there are no spares */
    struct replicas *replicas; /* NULL where a failed slice stops no other */

    struct sim_ledger *ledgers; /* by class of learners (cost.h), chip-nanoseconds */
    size_t ledger_count;
    struct trouble trouble;
    struct waste waste; /* by cause (causes.h): those of the outages when the run began */
    struct world_counts {
        double steps_lost; /* weighed by the learner's share of the chips */
        uint64_t merges, reconfigurations, restarts;
        struct spares_counts spares; /* when counting began */
    } counts;
    struct goal goal;
    sim_time counting_since;             /* the warm-up's end once it is over */
    int64_t stepping;                    /* learners in a step */
    struct sim_time_tally some_stepping; /* 1 while any learner is in a step */
    struct sim_time_tally learners_up;
    int64_t up;
    bool failed; /* memory ran out where nobody could say so */
};

/* Bits of one copy of the model as it crosses the network. */
double world_model_bits(const struct world *world);

/* Bits of one copy of the drifts, as RULE compresses them. */
double world_drift_bits(const struct world *world, const struct learning_rule *rule);

/* Tell the world that one more (+1) or one less (-1) learner is in a step, or up. */
void world_stepping_changed(struct world *world, int by);
void world_up_changed(struct world *world, int by);

/* What learners wait for may cross other links from now on (kind.h: blame); or those links have other faults.
 */
void world_waits_changed(struct world *world);
void world_link_faults_changed(struct world *world);

/* Counts a merge. */
void world_merged(struct world *world);

#endif
