/*
 * A replay from its begin to its end: what it needs is made of a tape, whose records are then played one by
 * one.
 */
#include "models/learning/replay_engine.h"

#include "models/learning/replay_curve.h"
#include "models/learning/replay_play.h"
#include "models/learning/replay_state.h"
#include "sim/wall.h"
#include <math.h>
#include <stdlib.h>

#define replay_engine_build REAL(replay_build)

/* Playing. */

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
    if (engine->finished)
        return true;
    bool alone = !engine->syncer && engine->shape.message == 0 && !engine->request->rule->gossips;
    if (alone) /* one learner: what it has trained is the model */
        for (int32_t m = 0; m < engine->tape->learners; m++)
            replay_account_unsent(engine, m, &engine->curve.tokens_merged);
    engine->curve.tokens_pending = pending_tokens(engine);
    engine->finished = replay_end_curve(engine, error);
    return engine->finished;
}

static bool is_stopped(const struct replay_engine *engine)
{
    return engine->request->stop && atomic_load_explicit(engine->request->stop, memory_order_relaxed);
}

static bool advance(struct replay_engine *engine, double seconds, bool *finished, struct error *error)
{
    const struct tape *tape = engine->tape;
    double begin = sim_wall_seconds();
    *finished = false;
    while (engine->next < tape->count && !engine->curve.diverged) {
        if (!replay_play(engine, &tape->records[engine->next], error))
            return false;
        engine->next++;
        if (sim_wall_seconds() - begin > seconds || is_stopped(engine))
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
    const real *from = replay_deployed(engine);
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
