/*
 * What a kind of model offers to model.c, which forwards model.h's functions to it. Only for the models' own
 * files.
 */
#ifndef MODELS_LEARNING_MODEL_KIND_H
#define MODELS_LEARNING_MODEL_KIND_H

#include "models/learning/model.h"

/* The first member of every model's struct; model.c fills KIND, DATA, LEARNERS and SEED, the kind the rest.
 */
struct model {
    const struct model_kind *kind;
    const struct data *data;
    int64_t learners;
    uint64_t seed;
    size_t size;
    struct tensor *tensors;
    size_t tensor_count;
};

struct model_kind {
    int64_t (*sequence_length)(const struct learning_config *config);
    /* The kind's struct, allocated, from a checked configuration. */
    struct model *(*create)(const struct learning_config *config, const struct data *data, uint64_t seed,
                            struct error *error);
    void (*destroy)(struct model *model);
    void (*initialise)(const struct model *model, real *parameters);
    double (*gradient)(struct model *model, const real *parameters, struct batch batch, real *gradient);
    double (*held_out_loss)(struct model *model, const real *parameters, int64_t sequences);
    double (*floor_loss)(const struct model *model, int64_t sequences);
};

#define model_quadratic REAL(model_quadratic)
#define model_transformer REAL(model_transformer)
extern const struct model_kind model_quadratic;
extern const struct model_kind model_transformer;

#endif
