/*
 * What a kind of strategy is to the simulation: functions that the learners call, over a state of its
 * own. A strategy decides when a learner may go on and what synchronising costs; the learner (learner.h) does
 * the steps, fails and recovers.
 */
#ifndef MODELS_TRAINING_KIND_H
#define MODELS_TRAINING_KIND_H

#include "models/failures/fault.h"
#include "models/network/network.h"
#include "models/training/result.h"
#include "models/training/strategy.h"
#include "models/training/traffic.h"
#include "models/training/workload.h"
#include "sim/error.h"

struct world;
struct learner;
struct simulation_config;
struct simulation_fault;
struct run_result;
struct observation;

/* The answer of obstacle() when there is none. */
enum { NO_OBSTACLE = -1 };

struct strategy_functions {
    /* Of a kind that trains nothing: it checks CONFIG and runs alone, without learners (simulation.h: the
     * arguments and what they return), and has no other function. NULL: of all others. */
    bool (*check_alone)(const struct simulation_config *config, struct simulation_fault *fault);
    bool (*run_alone)(const struct simulation_config *config, const void *options, struct run_result *result,
                      struct observation **observation, struct error *error);

    /* Whether learners write checkpoints and go back to them; otherwise what they last synchronised is
     * their checkpoint, and costs nothing more. */
    bool checkpoints;

    /* Checks what concerns this kind alone; false with the field below the strategy and the reason. */
    bool (*check)(const void *options, const char **path, const char **reason);

    /* The same for what names parts of NETWORK; NULL: nothing does. */
    bool (*check_network)(const void *options, const struct network_config *network, const char **path,
                          const char **reason);

    /* Reductions over the network in a step of WORKLOAD, in the mean; NULL: next to none. */
    double (*reductions)(const void *options, const struct workload_config *workload);

    /* The state for a run, built when WORLD's learners exist; NULL with ERROR. */
    void *(*create)(struct world *world, const void *options, struct error *error);
    void (*destroy)(void *state);

    /* What LEARNER must wait for before its next step: the budget category that the wait is charged
     * to, or NO_OBSTACLE. The strategy calls learner_poke when the answer may have changed. */
    int (*obstacle)(void *state, struct learner *learner);

    /* Whom to blame for LEARNER's wait for bytes (BUDGET_COMMUNICATION_WAIT) under way: the worst fault of a
     * link that anything crosses which it waits for. Where that changes without a poke and without a fault,
     * the strategy says so to learner_look_at_links or world_waits_changed. NULL: nobody. */
    struct traffic_blame (*blame)(const void *state, const struct learner *learner);

    /* LEARNER has finished a step that counts. */
    void (*step_done)(void *state, struct learner *learner);

    /* LEARNER has gone through a step that does not count; NULL: of no consequence. */
    void (*step_lost)(void *state, struct learner *learner);

    /* Where a learner must ask within its steps (workload.h: parts); all NULL where steps are whole. */

    /* As obstacle(), for PART of a step under way. */
    int (*part_obstacle)(void *state, struct learner *learner, int64_t part);
    /* LEARNER begins PART: the next part, above it, before which it stops to report and ask, or the number
     * of all parts. Parts of the forward pass must not be named but for an obstacle. */
    int64_t (*part_stop)(void *state, struct learner *learner, int64_t part);
    /* LEARNER has stopped with PARTS parts behind it; the step may yet turn out lost. */
    void (*part_done)(void *state, struct learner *learner, int64_t parts);

    /* LEARNER is about to take in slices that came back, and stands still for it. True: they need something
     * first; the strategy calls learner_take_in once they have it, and is asked anew if the learner begins
     * its reconfiguration again meanwhile. NULL: they need nothing. */
    bool (*taking_in)(void *state, struct learner *learner);

    /* LEARNER has lost its state (all its slices at once, or a restart without elasticity that goes back
     * to a checkpoint): discard what was not safe, let nobody wait for it. */
    void (*lost)(void *state, struct learner *learner);

    /* LEARNER has slices again and has restarted; bring it back through learner_restore or
     * learner_resume, now or later (it is restoring until then). */
    void (*back)(void *state, struct learner *learner);

    /* A fault of the syncer BEGINS, or ends. False: it was gone already, and the fault is of no consequence.
     * NULL: there is no syncer. */
    bool (*syncer_fault)(void *state, const struct fault *fault, bool begins);

    /* What became of the tokens trained. NULL: there is no account of it. */
    struct token_counts (*count_tokens)(const void *state);
};

extern const struct strategy_functions *const strategy_functions[STRATEGY_KINDS];

/* One of each per file of a kind. */
extern const struct strategy_functions all_reduce_functions, diloco_functions, streaming_functions,
    decoupled_functions, gossip_functions, gpu_overlap_functions;
extern const struct parameter_variant all_reduce_variant, diloco_variant, streaming_variant,
    decoupled_variant, gossip_variant, gpu_overlap_variant;

#endif
