/*
 * The replay in one precision; replay.h picks the build.
 */
#ifndef MODELS_LEARNING_REPLAY_ENGINE_H
#define MODELS_LEARNING_REPLAY_ENGINE_H

#include "models/learning/replay.h"

struct data;
struct replay_engine;

/* What replay.c calls, one table a build. The functions are those of replay.h. */
struct replay_build {
    struct replay_engine *(*create)(const struct replay_request *request, const struct data *data,
                                    struct error *error);
    void (*destroy)(struct replay_engine *engine);
    bool (*advance)(struct replay_engine *engine, double seconds, bool *finished, struct error *error);
    double (*share)(const struct replay_engine *engine);
    const struct curve *(*curve)(const struct replay_engine *engine);
    bool (*save)(const struct replay_engine *engine, void **bytes, size_t *length, struct error *error);
    bool (*load)(struct replay_engine *engine, const void *bytes, size_t length, struct error *error);
    double *(*parameters)(struct replay_engine *engine, size_t *count);
    bool (*check)(const struct learning_config *learning, const struct data *data, uint64_t seed,
                  struct error *error);
    double (*memory)(const struct replay_request *request, const struct data *data, struct error *error);
};

extern const struct replay_build replay_build_single, replay_build_double;

#endif
