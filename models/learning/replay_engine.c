/*
 * Plays a tape record by record on replicas and a syncer.
 *
 * A step's gradient is of the parameters at its begin. It is computed as late as they stand: at the step's
 * end, or just before something else changes them; a step that is lost costs nothing.
 */
#include "models/learning/replay_engine.h"

#include "models/learning/batch.h"
#include "models/learning/replay_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define replay_engine_build REAL(replay_build)
#define ROUNDED 1e-12 /* what sums of tokens may be short of a whole step */

/* What an evaluation looks at. */

static bool everybody_is_lost(const struct replay_engine *engine)
{
    for (int32_t m = 0; m < engine->tape->learners; m++)
        if (!engine->replicas[m]->lost)
            return false;
    return true;
}

static const real *deployed_parameters(struct replay_engine *engine)
{
    size_t count = engine->shape.parameters, learners = (size_t)engine->tape->learners;
    if (engine->syncer)
        return syncer_parameters(engine->syncer);
    if (learners == 1)
        return engine->replicas[0]->parameters;
    bool nobody = everybody_is_lost(engine);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        size_t present = 0;
        for (size_t m = 0; m < learners; m++)
            if (nobody || !engine->replicas[m]->lost) {
                sum += (double)engine->replicas[m]->parameters[i];
                present++;
            }
        engine->consensus[i] = (real)(sum / (double)present);
    }
    return engine->consensus;
}

static double tokens_kept(const struct replay_engine *engine)
{
    return engine->curve.tokens_trained - engine->curve.tokens_lost;
}

static bool add_point(struct replay_engine *engine, sim_time time, double loss, struct error *error)
{
    struct curve *curve = &engine->curve;
    double tokens = tokens_kept(engine);
    if (curve->count == curve->capacity) {
        size_t capacity = curve->capacity ? 2 * curve->capacity : 64;
        struct curve_point *larger = realloc(curve->points, capacity * sizeof *larger);
        if (!larger) {
            error_out_of_memory(error, "a learning curve");
            return false;
        }
        curve->points = larger;
        curve->capacity = capacity;
    }
    curve->points[curve->count++] = (struct curve_point){
        .time = time, .tokens = tokens, .steps = tokens / engine->tape->full_tokens, .loss = loss};
    if (!isfinite(loss))
        curve->diverged = true;
    return true;
}

static bool evaluate(struct replay_engine *engine, sim_time time, struct error *error)
{
    double loss =
        model_held_out_loss(engine->model, deployed_parameters(engine), engine->learning->evaluate_sequences);
    return add_point(engine, time, loss, error);
}

static bool evaluate_if_due(struct replay_engine *engine, sim_time time, struct error *error)
{
    double steps = tokens_kept(engine) / engine->tape->full_tokens * (1 + ROUNDED);
    if (steps < engine->next_evaluation || engine->curve.diverged)
        return true;
    double every = (double)engine->learning->evaluate_every;
    engine->next_evaluation = every * (floor(steps / every) + 1);
    return evaluate(engine, time, error);
}

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

/* Moves what LEARNER has not sent to *TO. */
static void account_unsent(struct replay_engine *engine, int32_t learner, double *to)
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
        account_unsent(engine, learner, &engine->curve.tokens_merged);
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
    account_unsent(engine, learner, &engine->curve.tokens_lost);
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
    const real *parameters = engine->syncer ? syncer_parameters(engine->syncer) : deployed_parameters(engine);
    if (parameters != replica->parameters)
        memcpy(replica->parameters, parameters, engine->shape.parameters * sizeof(real));
    inner_state_clear(replica->inner, engine->shape.inner);
    replica->age = 0;
    if (replica->mixing)
        mixing_start(&engine->mixing, engine->shape.parameters, replica->parameters, replica->mixing);
}

/* All but what counts the learner's own work, which an owner that was there all along has lost. */
static void copy_state(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    account_unsent(engine, record->actor, &engine->curve.tokens_lost);
    if (record->peer == TAPE_SYNCER)
        copy_syncer(engine, replica);
    else
        copy_peer(engine, replica, engine->replicas[record->peer]);
    if (replica->feedback)
        memset(replica->feedback, 0, engine->shape.feedback * sizeof(real));
    memset(replica->unsent, 0, engine->shape.fragments * sizeof *replica->unsent);
    replica->count = 0;
    replica->lost = replica->in_round = replica->has_met = false;
}

/* Playing. */

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

static bool play(struct replay_engine *engine, const struct tape_record *record, struct error *error)
{
    struct replica *replica = record->actor >= 0 ? engine->replicas[record->actor] : NULL;
    switch ((enum tape_kind)record->kind) {
    case TAPE_STEP_BEGIN:
        begin_step(engine, record);
        return true;
    case TAPE_STEP_END:
        end_step(engine, record);
        return evaluate_if_due(engine, record->time, error);
    case TAPE_STEP_LOST:
        replica->count = 0;
        return true;
    case TAPE_SEND:
        return play_send(engine, record, error);
    case TAPE_MERGE:
        return play_merge(engine, record, error);
    case TAPE_APPLY:
        settle(engine, replica);
        syncer_apply(engine->syncer, record->fragment, replica);
        return true;
    case TAPE_ROUND:
        begin_mixing(engine, replica);
        return true;
    case TAPE_MIX:
        mix(engine, record);
        return true;
    case TAPE_ROUND_END:
        end_round(engine, record->actor);
        return true;
    case TAPE_SNAPSHOT:
        if (!take_snapshot(engine, record)) {
            error_out_of_memory(error, "a snapshot");
            return false;
        }
        return true;
    case TAPE_ROLLBACK:
        roll_back(engine, record);
        return true;
    case TAPE_LOST:
        lose(engine, record->actor);
        return true;
    case TAPE_COPY:
        copy_state(engine, record);
        return true;
    case TAPE_RESET:
        if (replica->feedback)
            memset(replica->feedback, 0, engine->shape.feedback * sizeof(real));
        return true;
    case TAPE_KINDS:
        break;
    }
    return true;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double pending_tokens(const struct replay_engine *engine)
{
    double pending = engine->syncer ? syncer_pending_tokens(engine->syncer) : 0;
    for (int32_t m = 0; m < engine->tape->learners; m++)
        for (size_t p = 0; p < engine->shape.fragments; p++)
            pending += engine->replicas[m]->unsent[p];
    return pending;
}

/* The last point: at the tape's end, or where a gradient was no number, whatever is still deployed. */
static bool end_curve(struct replay_engine *engine, struct error *error)
{
    const struct curve *curve = &engine->curve;
    sim_time time = engine->next > 0 ? engine->tape->records[engine->next - 1].time : 0;
    if (!curve->diverged)
        return evaluate(engine, time, error);
    bool told = curve->count > 0 && !isfinite(curve->points[curve->count - 1].loss);
    return told || add_point(engine, time, NAN, error);
}

static bool finish(struct replay_engine *engine, struct error *error)
{
    if (engine->finished)
        return true;
    bool alone = !engine->syncer && engine->shape.message == 0 && !engine->request->rule->gossips;
    if (alone) /* one learner: what it has trained is the model */
        for (int32_t m = 0; m < engine->tape->learners; m++)
            account_unsent(engine, m, &engine->curve.tokens_merged);
    engine->curve.tokens_pending = pending_tokens(engine);
    engine->finished = end_curve(engine, error);
    return engine->finished;
}

static bool is_stopped(const struct replay_engine *engine)
{
    return engine->request->stop && atomic_load_explicit(engine->request->stop, memory_order_relaxed);
}

static bool advance(struct replay_engine *engine, double seconds, bool *finished, struct error *error)
{
    const struct tape *tape = engine->tape;
    double begin = seconds_now();
    *finished = false;
    while (engine->next < tape->count && !engine->curve.diverged) {
        if (!play(engine, &tape->records[engine->next], error))
            return false;
        engine->next++;
        if (seconds_now() - begin > seconds || is_stopped(engine))
            return true;
    }
    *finished = true;
    return finish(engine, error);
}

/* Building. */

static bool tape_has(const struct tape *tape, enum tape_kind kind)
{
    for (size_t i = 0; i < tape->count; i++)
        if (tape->records[i].kind == kind)
            return true;
    return false;
}

/* Whether there is a syncer to be deployed. A run of several learners that do not gossip has one even where
 * it was too short for anything to be sent; one that was too short for a round of gossip has none. */
static bool has_syncer(const struct tape *tape, const struct learning_rule *rule)
{
    if (tape_has(tape, TAPE_SEND) || tape_has(tape, TAPE_MERGE) || tape_has(tape, TAPE_APPLY))
        return true;
    if (rule->gossips)
        return false;
    for (size_t i = 0; i < tape->count; i++)
        if (tape->records[i].kind == TAPE_COPY && tape->records[i].peer == TAPE_SYNCER)
            return !tape_has(tape, TAPE_ROUND);
    return tape->learners > 1 && !tape_has(tape, TAPE_ROUND);
}

static void set_shape(struct replay_engine *engine)
{
    const struct learning_rule *rule = engine->request->rule;
    size_t parameters = model_size(engine->model);
    engine->shape = (struct replica_shape){
        .parameters = parameters,
        .inner = inner_state_size(&engine->learning->inner, parameters),
        .feedback = rule->error_feedback ? parameters : 0,
        .fragments = engine->tape->fragments > 0 ? (size_t)engine->tape->fragments : 1,
    };
    if (tape_has(engine->tape, TAPE_ROUND)) {
        engine->shape.mixing = mixing_state_size(&engine->mixing, parameters);
        engine->shape.message = mixing_message_size(&engine->mixing, parameters);
    }
}

/* All begin as the start, which is a snapshot too. */
static bool create_snapshots(struct replay_engine *engine, int32_t learner)
{
    for (uint32_t slot = 0; slot < engine->plan.slots; slot++) {
        struct replica **snapshot = snapshot_at(engine, learner, slot);
        *snapshot = replica_create(&engine->shape);
        if (!*snapshot)
            return false;
        replica_copy(&engine->shape, *snapshot, engine->replicas[learner]);
    }
    return true;
}

static bool create_replicas(struct replay_engine *engine)
{
    size_t learners = (size_t)engine->tape->learners;
    if (!snapshot_plan_create(&engine->plan, engine->tape))
        return false;
    engine->replicas = calloc(learners, sizeof(struct replica *));
    engine->snapshots = calloc(learners * engine->plan.slots + 1, sizeof(struct replica *));
    if (!engine->replicas || !engine->snapshots)
        return false;
    for (size_t m = 0; m < learners; m++) {
        struct replica *replica = engine->replicas[m] = replica_create(&engine->shape);
        if (!replica)
            return false;
        model_initialise(engine->model, replica->parameters);
        inner_state_clear(replica->inner, engine->shape.inner);
        if (replica->mixing)
            mixing_start(&engine->mixing, engine->shape.parameters, replica->parameters, replica->mixing);
        if (!create_snapshots(engine, (int32_t)m))
            return false;
    }
    return true;
}

static bool create_parts(struct replay_engine *engine)
{
    const struct learning_rule *rule = engine->request->rule;
    set_shape(engine);
    engine->consensus = calloc(engine->shape.parameters, sizeof(real));
    engine->scratch =
        calloc(inner_scratch_size(&engine->learning->inner, engine->tensors, engine->tensor_count) + 1,
               sizeof(real));
    if (!engine->consensus || !engine->scratch || !create_replicas(engine))
        return false;
    if (!has_syncer(engine->tape, rule))
        return true;
    engine->syncer = syncer_create(rule, engine->tensors, engine->tensor_count, engine->shape.parameters,
                                   engine->shape.fragments, engine->replicas[0]->parameters);
    return engine->syncer != NULL;
}

static void destroy(struct replay_engine *engine)
{
    for (int32_t m = 0; m < engine->tape->learners; m++) {
        if (engine->replicas)
            replica_destroy(engine->replicas[m]);
        for (uint32_t slot = 0; engine->snapshots && slot < engine->plan.slots; slot++)
            replica_destroy(*snapshot_at(engine, m, slot));
    }
    snapshot_plan_free(&engine->plan);
    free(engine->replicas);
    free(engine->snapshots);
    syncer_destroy(engine->syncer);
    syncer_destroy(engine->syncer_snapshot);
    free(engine->consensus);
    free(engine->scratch);
    free(engine->curve.points);
    model_destroy(engine->model);
    free(engine);
}

static struct replay_engine *create(const struct replay_request *request, const struct data *data,
                                    struct error *error)
{
    struct replay_engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        error_out_of_memory(error, "a replay");
        return NULL;
    }
    const struct learning_rule *rule = request->rule;
    engine->request = request;
    engine->learning = request->learning;
    engine->tape = request->tape;
    engine->mixing = (struct mixing_rule){.algorithm = rule->algorithm,
                                          .rate = rule->outer_rate,
                                          .momentum = rule->outer_momentum,
                                          .mixing = rule->mixing};
    engine->model = model_create(request->learning, data, request->tape->learners, request->seed, error);
    if (!engine->model) {
        destroy(engine);
        return NULL;
    }
    engine->tensors = model_tensors(engine->model, &engine->tensor_count);
    if (!create_parts(engine)) {
        error_out_of_memory(error, "the replay's parameters");
        destroy(engine);
        return NULL;
    }
    engine->curve.floor = model_floor_loss(engine->model, request->learning->evaluate_sequences);
    return engine;
}

static bool check(const struct learning_config *learning, const struct data *data, uint64_t seed,
                  struct error *error)
{
    struct model *model = model_create(learning, data, 1, seed, error);
    model_destroy(model);
    return model != NULL;
}

static double memory(const struct replay_request *request, const struct data *data, struct error *error)
{
    struct replay_engine engine = {.request = request, .learning = request->learning, .tape = request->tape};
    engine.mixing.algorithm = request->rule->algorithm;
    engine.model = model_create(request->learning, data, request->tape->learners, request->seed, error);
    if (!engine.model)
        return NAN;
    set_shape(&engine);
    model_destroy(engine.model);
    if (!snapshot_plan_create(&engine.plan, request->tape)) {
        error_out_of_memory(error, "a replay");
        return NAN;
    }
    double slots = engine.plan.slots;
    snapshot_plan_free(&engine.plan);
    double learners = (double)request->tape->learners, parameters = (double)engine.shape.parameters;
    double copies = (1 + slots) * learners;
    double syncer = has_syncer(request->tape, request->rule) ? (5 + learners) * parameters : parameters;
    return (copies * (double)replica_reals(&engine.shape) + syncer) * sizeof(real);
}

static double share(const struct replay_engine *engine)
{
    return engine->tape->count > 0 ? (double)engine->next / (double)engine->tape->count : 1;
}

static const struct curve *curve(const struct replay_engine *engine)
{
    return &engine->curve;
}

static double *parameters(struct replay_engine *engine, size_t *count)
{
    const real *from = deployed_parameters(engine);
    *count = engine->shape.parameters;
    double *copy = malloc(*count * sizeof *copy);
    for (size_t i = 0; copy && i < *count; i++)
        copy[i] = (double)from[i];
    return copy;
}

const struct replay_build replay_engine_build = {.create = create,
                                                 .destroy = destroy,
                                                 .advance = advance,
                                                 .share = share,
                                                 .curve = curve,
                                                 .save = replay_state_save,
                                                 .load = replay_state_load,
                                                 .parameters = parameters,
                                                 .check = check,
                                                 .memory = memory};
