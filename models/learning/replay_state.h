/*
 * What a replay remembers between two records, and how that is kept in bytes. Private to the replay engine.
 */
#ifndef MODELS_LEARNING_REPLAY_STATE_H
#define MODELS_LEARNING_REPLAY_STATE_H

#include "models/learning/mixing.h"
#include "models/learning/model.h"
#include "models/learning/replay_engine.h"
#include "models/learning/replica.h"
#include "models/learning/syncer.h"
#include "models/tape/snapshots.h"

struct replay_engine {
    const struct replay_request *request;
    const struct learning_config *learning;
    const struct tape *tape;
    struct mixing_rule mixing;
    struct model *model;
    const struct tensor *tensors;
    size_t tensor_count;
    struct replica_shape shape;
    struct replica **replicas;  /* of the learners */
    struct replica **snapshots; /* of the learners, plan.slots of each */
    struct syncer *syncer;      /* NULL where the tape merges nothing */
    struct syncer *syncer_snapshot;
    struct snapshot_plan plan; /* nobody goes back: there are no snapshots */
    double merged_at_snapshot; /* tokens */
    real *consensus;           /* what is evaluated, where it is no array of somebody's */
    real *scratch;
    size_t next; /* record */
    bool finished;
    double next_evaluation; /* in full steps */
    struct curve curve;
};

/* LEARNER's snapshot in SLOT. */
static inline struct replica **snapshot_at(const struct replay_engine *engine, int32_t learner, uint32_t slot)
{
    return &engine->snapshots[(size_t)learner * engine->plan.slots + slot];
}

#define replay_state_save REAL(replay_state_save)
#define replay_state_load REAL(replay_state_load)

/* As replay_save and replay_load. */
bool replay_state_save(const struct replay_engine *engine, void **bytes, size_t *length, struct error *error);
bool replay_state_load(struct replay_engine *engine, const void *bytes, size_t length, struct error *error);

#endif
