/*
 * Plays a tape record by record on replicas and a syncer.
 *
 * A step's gradient is of the parameters at its begin. It is computed as late as they stand: at the step's
 * end, or just before something else changes them; a step that is lost costs nothing.
 */
#include "models/learning/replay_engine.h"

#include "models/learning/inner.h"
#include "models/learning/mixing.h"
#include "models/learning/model.h"
#include "models/learning/outer.h"
#include "models/learning/replica.h"
#include "models/learning/syncer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    struct replica **snapshots; /* of the learners; NULL where none was taken yet */
    struct syncer *syncer;      /* NULL where the tape merges nothing */
    struct syncer *syncer_snapshot;
    real *consensus; /* what is evaluated, where it is no array of somebody's */
    real *scratch;
    size_t next;            /* record */
    double next_evaluation; /* in full steps */
    struct curve curve;
};

#define replay_engine_build REAL(replay_build)

/* What an evaluation looks at. */

static const real *deployed_parameters(struct replay_engine *engine)
{
    size_t count = engine->shape.parameters, learners = (size_t)engine->tape->learners;
    if (engine->syncer)
        return syncer_parameters(engine->syncer);
    if (learners == 1)
        return engine->replicas[0]->parameters;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t m = 0; m < learners; m++)
            sum += (double)engine->replicas[m]->parameters[i];
        engine->consensus[i] = (real)(sum / (double)learners);
    }
    return engine->consensus;
}

static double tokens_kept(const struct replay_engine *engine)
{
    double tokens = 0;
    for (int32_t m = 0; m < engine->tape->learners; m++)
        tokens += engine->replicas[m]->tokens;
    return tokens;
}

static bool evaluate(struct replay_engine *engine, sim_time time, struct error *error)
{
    struct curve *curve = &engine->curve;
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
    double tokens = tokens_kept(engine);
    double loss =
        model_held_out_loss(engine->model, deployed_parameters(engine), engine->learning->evaluate_sequences);
    curve->points[curve->count++] = (struct curve_point){
        .time = time, .tokens = tokens, .steps = tokens / engine->tape->full_tokens, .loss = loss};
    if (!isfinite(loss))
        curve->diverged = true;
    return true;
}

static bool evaluate_if_due(struct replay_engine *engine, sim_time time, struct error *error)
{
    double steps = tokens_kept(engine) / engine->tape->full_tokens;
    if (steps < engine->next_evaluation)
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
    int64_t sequences = llround(share * (double)engine->learning->batch);
    replica->batch =
        (struct batch){.learner = record->actor, .position = first, .count = sequences > 0 ? sequences : 1};
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
                   replica->parameters, replica->gradient, replica->inner, engine->scratch);
        replica->gradient_is_made = false;
    }
    replica->tokens += record->tokens;
    engine->curve.tokens_trained += record->tokens;
    for (size_t p = 0; p < engine->shape.fragments; p++)
        replica->unsent[p] += record->tokens / (double)engine->shape.fragments;
}

/* Moves what REPLICA has not sent to *TO. */
static void account_unsent(const struct replay_engine *engine, struct replica *replica, double *to)
{
    for (size_t p = 0; p < engine->shape.fragments; p++) {
        *to += replica->unsent[p];
        replica->unsent[p] = 0;
    }
}

/* Gossip. */

static void begin_mixing(struct replay_engine *engine, struct replica *replica)
{
    settle(engine, replica);
    mixing_prepare(&engine->mixing, engine->shape.parameters, replica->parameters, replica->mixing,
                   replica->message, replica->mixture);
}

static void mix(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *one = engine->replicas[record->actor], *other = engine->replicas[record->peer];
    size_t count = engine->shape.parameters;
    mixing_exchange(&engine->mixing, count, record->weight, one->message, other->message, one->mixture);
    mixing_exchange(&engine->mixing, count, record->weight, other->message, one->message, other->mixture);
}

static void end_mixing(struct replay_engine *engine, struct replica *replica)
{
    mixing_finish(&engine->mixing, engine->shape.parameters, replica->message, replica->mixture,
                  replica->parameters, replica->mixing);
    account_unsent(engine, replica, &engine->curve.tokens_merged);
}

/* Snapshots, losses and copies. */

static bool take_snapshot(struct replay_engine *engine, int32_t actor)
{
    if (actor == TAPE_SYNCER)
        return !engine->syncer || syncer_keep(engine->syncer, &engine->syncer_snapshot);
    struct replica **snapshot = &engine->snapshots[actor];
    if (!*snapshot)
        *snapshot = replica_create(&engine->shape);
    if (!*snapshot)
        return false;
    replica_copy(&engine->shape, *snapshot, engine->replicas[actor]);
    return true;
}

static void roll_back(struct replay_engine *engine, int32_t actor)
{
    if (actor == TAPE_SYNCER) {
        if (engine->syncer_snapshot)
            syncer_restore(engine->syncer, engine->syncer_snapshot);
        return;
    }
    struct replica *replica = engine->replicas[actor];
    engine->curve.tokens_lost += replica->tokens - engine->snapshots[actor]->tokens;
    replica_copy(&engine->shape, replica, engine->snapshots[actor]);
    replica->count = 0;
}

static void lose(struct replay_engine *engine, struct replica *replica)
{
    account_unsent(engine, replica, &engine->curve.tokens_lost);
    replica->count = 0;
}

/* A peer's state, but for what counts the learner's own work; or the syncer's parameters with a fresh
 * optimiser. */
static void copy_state(struct replay_engine *engine, const struct tape_record *record)
{
    struct replica *replica = engine->replicas[record->actor];
    double tokens = replica->tokens;
    if (record->peer == TAPE_SYNCER) {
        memcpy(replica->parameters,
               engine->syncer ? syncer_parameters(engine->syncer) : deployed_parameters(engine),
               engine->shape.parameters * sizeof(real));
        inner_state_clear(replica->inner, engine->shape.inner);
    } else {
        struct replica *peer = engine->replicas[record->peer];
        settle(engine, peer);
        replica_copy(&engine->shape, replica, peer);
    }
    if (replica->feedback)
        memset(replica->feedback, 0, engine->shape.feedback * sizeof(real));
    memset(replica->unsent, 0, engine->shape.fragments * sizeof *replica->unsent);
    replica->tokens = tokens;
    replica->count = 0;
}

/* Playing. */

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
        return syncer_receive(engine->syncer, record->actor, record->fragment, record->clock, replica, error);
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
        end_mixing(engine, replica);
        return true;
    case TAPE_SNAPSHOT:
        if (!take_snapshot(engine, record->actor)) {
            error_out_of_memory(error, "a snapshot");
            return false;
        }
        return true;
    case TAPE_ROLLBACK:
        roll_back(engine, record->actor);
        return true;
    case TAPE_LOST:
        lose(engine, replica);
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

static bool finish(struct replay_engine *engine, struct error *error)
{
    const struct tape *tape = engine->tape;
    sim_time end = tape->count > 0 ? tape->records[tape->count - 1].time : 0;
    if (!engine->syncer && engine->shape.message == 0) /* one learner: what it has trained is the model */
        for (int32_t m = 0; m < tape->learners; m++)
            account_unsent(engine, engine->replicas[m], &engine->curve.tokens_merged);
    engine->curve.tokens_pending = pending_tokens(engine);
    return engine->curve.diverged || evaluate(engine, end, error);
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

/* Whether learners need snapshots at all. */
static bool goes_back(const struct tape *tape)
{
    return tape_has(tape, TAPE_ROLLBACK) || tape_has(tape, TAPE_SNAPSHOT);
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

static bool create_replicas(struct replay_engine *engine)
{
    size_t learners = (size_t)engine->tape->learners;
    engine->replicas = calloc(learners, sizeof(struct replica *));
    engine->snapshots = calloc(learners, sizeof(struct replica *));
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
        if (goes_back(engine->tape) && !take_snapshot(engine, (int32_t)m))
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
    if (!tape_has(engine->tape, TAPE_MERGE))
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
        if (engine->snapshots)
            replica_destroy(engine->snapshots[m]);
    }
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

static double memory(const struct replay_request *request, const struct data *data, struct error *error)
{
    struct replay_engine engine = {.request = request, .learning = request->learning, .tape = request->tape};
    engine.mixing.algorithm = request->rule->algorithm;
    engine.model = model_create(request->learning, data, request->tape->learners, request->seed, error);
    if (!engine.model)
        return NAN;
    set_shape(&engine);
    model_destroy(engine.model);
    double copies = (goes_back(request->tape) ? 2 : 1) * (double)request->tape->learners;
    double syncer = 4 * (double)engine.shape.parameters;
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

/* Saving and loading walk the same blocks in the same order. */

struct blocks {
    uint8_t *bytes; /* NULL: only counts */
    size_t at, length;
    bool loading;
};

static bool block(struct blocks *blocks, void *data, size_t size)
{
    if (blocks->bytes && blocks->at + size > blocks->length)
        return false;
    if (blocks->bytes && blocks->loading)
        memcpy(data, blocks->bytes + blocks->at, size);
    else if (blocks->bytes)
        memcpy(blocks->bytes + blocks->at, data, size);
    blocks->at += size;
    return true;
}

static bool replica_block(struct replay_engine *engine, struct blocks *blocks, struct replica *replica)
{
    return block(blocks, replica->parameters, replica_reals(&engine->shape) * sizeof(real)) &&
           block(blocks, replica->unsent, engine->shape.fragments * sizeof *replica->unsent) &&
           block(blocks, &replica->steps, sizeof replica->steps) &&
           block(blocks, &replica->batch, sizeof replica->batch) &&
           block(blocks, &replica->count, sizeof replica->count) &&
           block(blocks, &replica->gradient_is_made, sizeof replica->gradient_is_made) &&
           block(blocks, &replica->tokens, sizeof replica->tokens);
}

static bool curve_block(struct replay_engine *engine, struct blocks *blocks)
{
    struct curve *curve = &engine->curve;
    struct curve_point *points = curve->points;
    size_t capacity = curve->capacity;
    if (!block(blocks, curve, sizeof *curve))
        return false;
    if (blocks->bytes && blocks->loading) {
        curve->points = points;
        if (curve->count > (blocks->length - blocks->at) / sizeof *points) {
            curve->count = 0;
            curve->capacity = capacity;
            return false;
        }
        points = realloc(points, (curve->count + 1) * sizeof *points);
        if (!points)
            return false;
        curve->points = points;
        curve->capacity = curve->count + 1;
    }
    return block(blocks, curve->points, curve->count * sizeof *curve->points);
}

static bool all_blocks(struct replay_engine *engine, struct blocks *blocks)
{
    bool good = block(blocks, &engine->next, sizeof engine->next) &&
                block(blocks, &engine->next_evaluation, sizeof engine->next_evaluation) &&
                curve_block(engine, blocks);
    for (int32_t m = 0; good && m < engine->tape->learners; m++)
        good = replica_block(engine, blocks, engine->replicas[m]) &&
               (!engine->snapshots[m] || replica_block(engine, blocks, engine->snapshots[m]));
    return good;
}

static bool save(const struct replay_engine *engine, void **bytes, size_t *length, struct error *error)
{
    struct replay_engine *unchanged = (struct replay_engine *)engine;
    struct blocks blocks = {0};
    all_blocks(unchanged, &blocks);
    size_t syncer = engine->syncer ? syncer_saved_size(engine->syncer) : 0;
    blocks.length = blocks.at + syncer;
    blocks.at = 0;
    blocks.bytes = malloc(blocks.length);
    if (!blocks.bytes) {
        error_out_of_memory(error, "saving a replay");
        return false;
    }
    all_blocks(unchanged, &blocks);
    if (engine->syncer)
        syncer_save(engine->syncer, blocks.bytes + blocks.at);
    *bytes = blocks.bytes;
    *length = blocks.length;
    return true;
}

static bool load(struct replay_engine *engine, const void *bytes, size_t length, struct error *error)
{
    struct blocks blocks = {.bytes = (uint8_t *)bytes, .length = length, .loading = true};
    bool good = all_blocks(engine, &blocks) && engine->next <= engine->tape->count;
    if (good && engine->syncer)
        good = syncer_load(engine->syncer, blocks.bytes + blocks.at, length - blocks.at);
    if (!good)
        error_set(error, ERROR_INPUT, "the saved state is not of this replay");
    return good;
}

const struct replay_build replay_engine_build = {.create = create,
                                                 .destroy = destroy,
                                                 .advance = advance,
                                                 .share = share,
                                                 .curve = curve,
                                                 .save = save,
                                                 .load = load,
                                                 .parameters = parameters,
                                                 .memory = memory};
