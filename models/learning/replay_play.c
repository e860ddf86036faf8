/*
 * A tape's records, each played on replicas and a syncer.
 *
 * A step's gradient is of the parameters at its begin. It is computed as late as they stand: at the step's
 * end, or just before something else changes them; a step that is lost costs nothing.
 */
#include "models/learning/replay_play.h"

#include "models/learning/batch.h"
#include "models/learning/replay_curve.h"
#include <math.h>
#include <string.h>

/* Steps. */

static void make_gradient(struct replay_engine *engine, struct replica *replica)
{
    double loss = model_gradient(engine->model, replica->parameters, replica->batch, replica->gradient);
    replica->gradient_is_made = true;
    if (!isfinite(loss))
        engine->curve.diverged = true;
}

/* Something is about to change the parameters that a step under way has read. */
static void settle(struct replay_engine *engine, struct replica *replica)
{
    if (replica->count > 0 && !replica->gradient_is_made)
        make_gradient(engine, replica);
}

/* Step k of the run stands for the replay's inner steps floor(k·r) … floor((k+1)·r) − 1. */
static void begin_step(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    double ratio = engine->learning->steps_per_step, k = (double)record->position;
    double share = record->tokens / engine->tape->full_tokens;
    int64_t first = (int64_t)floor(k * ratio), next = (int64_t)floor((k + 1) * ratio);
    replica->batch = (struct batch){
        .learner = record->actor,
        .position = first,
        .count = batch_sequences(share * (double)engine->learning->batch, record->actor, record->position)};
    replica->count = next - first;
    replica->gradient_is_made = false;
}

static void end_step(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    for (; replica->count > 0; replica->count--, replica->batch.position++) {
        if (!replica->gradient_is_made)
            make_gradient(engine, replica);
        inner_step(&engine->learning->inner, engine->tensors, engine->tensor_count, ++replica->steps,
                   ++replica->age, replica->parameters, replica->gradient, replica->inner, engine->scratch);
        replica->gradient_is_made = false;
    }
    engine->curve.tokens_trained += record->tokens;
    for (size_t p = 0; p < engine->shape.fragments; p++)
        replica->unsent[p] += record->tokens / (double)engine->shape.fragments;
}

/* What LEARNER has sent is no more to be sent by whoever goes back to a snapshot of its. */
static void forget_unsent(struct replay_engine *engine, int32_t learner, int32_t fragment)
{
    for (uint32_t slot = 0; slot < engine->plan.slots; slot++)
        for (size_t p = 0; p < engine->shape.fragments; p++)
            if (fragment == TAPE_WHOLE || (size_t)fragment == p)
                (*snapshot_at(engine, learner, slot))->unsent[p] = 0;
}

void replay_account_unsent(struct replay_engine *engine, int32_t learner, double *to)
{
    struct replica *replica = engine->replicas[learner];
    for (size_t p = 0; p < engine->shape.fragments; p++) {
        *to += replica->unsent[p];
        replica->unsent[p] = 0;
    }
    forget_unsent(engine, learner, TAPE_WHOLE);
}

/* Gossip. */

static void begin_mixing(struct replay_engine *engine, struct replica *replica)
{
    settle(engine, replica);
    replica->in_round = true;
    mixing_prepare(&engine->mixing, engine->shape.parameters, replica->parameters, replica->mixing,
                   replica->message, replica->mixture);
}

static void mix(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *one = engine->replicas[record->actor], *other = engine->replicas[record->peer];
    size_t count = engine->shape.parameters;
    mixing_exchange(&engine->mixing, count, record->weight, one->message, other->message, one->mixture);
    mixing_exchange(&engine->mixing, count, record->weight, other->message, one->message, other->mixture);
    one->has_met = other->has_met = true;
}

/* REPLICA goes on with the mixture as it is by now. */
static void end_mixing(struct replay_engine *engine, struct replica *replica)
{
    replica->in_round = false;
    mixing_finish(&engine->mixing, engine->shape.parameters, replica->message, replica->mixture,
                  replica->parameters, replica->mixing);
}

/* What a learner trained is with others only once it has met one. */
static void end_round(struct replay_engine *engine, int32_t learner)
{
    struct replica *replica = engine->replicas[learner];
    end_mixing(engine, replica);
    if (replica->has_met)
        replay_account_unsent(engine, learner, &engine->curve.tokens_merged);
    replica->has_met = false;
}

/* Snapshots, losses and copies. */

static bool take_snapshot(struct replay_engine *engine, const struct tape_record *record)
{
    if (engine->plan.slots == 0)
        return true;
    if (record->actor == TAPE_SYNCER) {
        engine->merged_at_snapshot = engine->curve.tokens_merged;
        return !engine->syncer || syncer_keep(engine->syncer, &engine->syncer_snapshot);
    }
    uint32_t slot = engine->plan.slot[record - engine->tape->records];
    if (slot != SNAPSHOT_UNUSED)
        replica_copy(&engine->shape, *snapshot_at(engine, record->actor, slot),
                     engine->replicas[record->actor]);
    return true;
}

/* What was merged since is lost. */
static void roll_back_syncer(struct replay_engine *engine)
{
    struct curve *curve = &engine->curve;
    curve->tokens_lost += curve->tokens_merged - engine->merged_at_snapshot;
    curve->tokens_merged = engine->merged_at_snapshot;
    if (engine->syncer_snapshot)
        syncer_restore(engine->syncer, engine->syncer_snapshot);
}

/* What was trained since and not sent is lost. */
static void roll_back_learner(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    uint32_t slot = engine->plan.slot[record - engine->tape->records];
    const struct replica *snapshot = *snapshot_at(engine, record->actor, slot);
    for (size_t p = 0; p < engine->shape.fragments; p++)
        engine->curve.tokens_lost += replica->unsent[p] - snapshot->unsent[p];
    replica_copy(&engine->shape, replica, snapshot);
    replica->count = 0;
    replica->in_round = replica->has_met = false;
}

static void roll_back(struct replay_engine *engine, const struct tape_record *record)
{
    if (record->actor == TAPE_SYNCER)
        roll_back_syncer(engine);
    else
        roll_back_learner(engine, record);
}

static void lose(struct replay_engine *engine, int32_t learner)
{
    struct replica *replica = engine->replicas[learner];
    replay_account_unsent(engine, learner, &engine->curve.tokens_lost);
    replica->count = 0;
    replica->lost = true;
    replica->in_round = replica->has_met = false;
}

/* A peer's state; in the middle of a round, with what it has mixed by then. */
static void copy_peer(struct replay_engine *engine, struct replica *replica, struct replica *peer)
{
    replica_copy(&engine->shape, replica, peer);
    if (replica->in_round)
        end_mixing(engine, replica);
}

/* The syncer's parameters with a fresh optimiser; the schedule goes on. Where there is no syncer, what the
 * learners have in common. */
static void copy_syncer(struct replay_engine *engine, struct replica *replica)
{
    const real *parameters = engine->syncer ? syncer_parameters(engine->syncer) : replay_deployed(engine);
    if (parameters != replica->parameters)
        memcpy(replica->parameters, parameters, engine->shape.parameters * sizeof(real));
    inner_state_clear(replica->inner, engine->shape.inner);
    replica->age = 0;
    if (replica->mixing)
        mixing_start(&engine->mixing, engine->shape.parameters, replica->parameters, replica->mixing);
}

static void forget_feedback(const struct replay_engine *engine, struct replica *replica)
{
    if (replica->feedback)
        memset(replica->feedback, 0, engine->shape.feedback * sizeof(real));
}

/* All but what counts the learner's own work, which an owner that was there all along has lost. */
static void copy_state(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    replay_account_unsent(engine, record->actor, &engine->curve.tokens_lost);
    if (record->peer == TAPE_SYNCER)
        copy_syncer(engine, replica);
    else
        copy_peer(engine, replica, engine->replicas[record->peer]);
    forget_feedback(engine, replica);
    memset(replica->unsent, 0, engine->shape.fragments * sizeof *replica->unsent);
    replica->count = 0;
    replica->lost = replica->in_round = replica->has_met = false;
}

/* Playing. */

static bool play_step_end(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    end_step(engine, record);
    return replay_evaluate_if_due(engine, record->time, error);
}

static bool play_send(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    forget_unsent(engine, record->actor, record->fragment);
    return syncer_receive(engine->syncer, record->actor, record->fragment, record->clock,
                          engine->replicas[record->actor], error);
}

static bool play_merge(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    const struct tape_part *parts = engine->tape->parts + record->first_part;
    return syncer_merge(engine->syncer, record->fragment, record->clock, parts, record->parts,
                        &engine->curve.tokens_merged, &engine->curve.tokens_lost, error);
}

static void play_apply(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    settle(engine, replica);
    syncer_apply(engine->syncer, record->fragment, replica);
}

static bool play_snapshot(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    if (take_snapshot(engine, record))
        return true;
    error_out_of_memory(error, "a snapshot");
    return false;
}

bool replay_play(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    struct replica *replica = record->actor >= 0 ? engine->replicas[record->actor] : NULL;
    switch ((enum tape_kind)record->kind) {
    case TAPE_STEP_BEGIN:
        begin_step(engine, record);
        break;
    case TAPE_STEP_END:
        return play_step_end(engine, record, error);
    case TAPE_STEP_LOST:
        replica->count = 0;
        break;
    case TAPE_SEND:
        return play_send(engine, record, error);
    case TAPE_MERGE:
        return play_merge(engine, record, error);
    case TAPE_APPLY:
        play_apply(engine, record);
        break;
    case TAPE_ROUND:
        begin_mixing(engine, replica);
        break;
    case TAPE_MIX:
        mix(engine, record);
        break;
    case TAPE_ROUND_END:
        end_round(engine, record->actor);
        break;
    case TAPE_SNAPSHOT:
        return play_snapshot(engine, record, error);
    case TAPE_ROLLBACK:
        roll_back(engine, record);
        break;
    case TAPE_LOST:
        lose(engine, record->actor);
        break;
    case TAPE_COPY:
        copy_state(engine, record);
        break;
    case TAPE_RESET:
        forget_feedback(engine, replica);
        break;
    case TAPE_KINDS:
        break;
    }
    return true;
}
