/*
 * Picks the precision, and owns the data that learners read.
 */
#include "models/learning/replay.h"

#include "models/learning/data.h"
#include "models/learning/replay_engine.h"
#include <math.h>
#include <stdlib.h>

struct replay {
    const struct replay_build *build;
    struct data *data; /* NULL where the model makes its own */
    struct replay_engine *engine;
};

static const struct replay_build *build_of(const struct learning_config *learning)
{
    bool twice = learning->precision == LEARNING_DOUBLE_PRECISION;
    return twice ? &replay_build_double : &replay_build_single;
}

static bool needs_data(const struct learning_config *learning)
{
    return learning->model != LEARNING_QUADRATIC;
}

static bool open_data(const struct learning_config *learning, int64_t learners, uint64_t seed,
                      struct data **data, struct error *error)
{
    *data = NULL;
    if (!needs_data(learning))
        return true;
    *data = data_create(&learning->data, learners, learning->transformer.context + 1, seed, error);
    return *data != NULL;
}

bool replay_check(const struct learning_config *learning, uint64_t seed, struct error *error)
{
    struct data *data;
    if (!open_data(learning, 1, seed, &data, error))
        return false;
    bool good = build_of(learning)->check(learning, data, seed, error);
    data_destroy(data);
    return good;
}

double replay_memory(const struct replay_request *request, struct error *error)
{
    struct data *data;
    if (!open_data(request->learning, request->tape->learners, request->seed, &data, error))
        return NAN;
    double bytes = build_of(request->learning)->memory(request, data, error);
    data_destroy(data);
    return bytes;
}

struct replay *replay_create(const struct replay_request *request, struct error *error)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        error_out_of_memory(error, "a replay");
        return NULL;
    }
    replay->build = build_of(request->learning);
    if (open_data(request->learning, request->tape->learners, request->seed, &replay->data, error))
        replay->engine = replay->build->create(request, replay->data, error);
    if (replay->engine)
        return replay;
    replay_destroy(replay);
    return NULL;
}

void replay_destroy(struct replay *replay)
{
    if (!replay)
        return;
    if (replay->engine)
        replay->build->destroy(replay->engine);
    data_destroy(replay->data);
    free(replay);
}

bool replay_advance(struct replay *replay, double seconds, bool *finished, struct error *error)
{
    return replay->build->advance(replay->engine, seconds, finished, error);
}

double replay_share(const struct replay *replay)
{
    return replay->build->share(replay->engine);
}

const struct curve *replay_curve(const struct replay *replay)
{
    return replay->build->curve(replay->engine);
}

bool replay_save(const struct replay *replay, void **bytes, size_t *length, struct error *error)
{
    return replay->build->save(replay->engine, bytes, length, error);
}

bool replay_load(struct replay *replay, const void *bytes, size_t length, struct error *error)
{
    return replay->build->load(replay->engine, bytes, length, error);
}

double *replay_parameters(struct replay *replay, size_t *count)
{
    return replay->build->parameters(replay->engine, count);
}
