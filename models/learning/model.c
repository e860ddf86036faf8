#include "models/learning/blas.h"
#include "models/learning/model_kind.h"

static const struct model_kind *const kinds[] = {
    [LEARNING_TRANSFORMER] = &model_transformer,
    [LEARNING_QUADRATIC] = &model_quadratic,
};

int64_t model_sequence_length(const struct learning_config *config)
{
    return kinds[config->model]->sequence_length(config);
}

struct model *model_create(const struct learning_config *config, const struct data *data, int64_t learners,
                           uint64_t seed, struct error *error)
{
    blas_pin_to_one_thread();
    const struct model_kind *kind = kinds[config->model];
    struct model *model = kind->create(config, data, seed, error);
    if (!model)
        return NULL;
    model->kind = kind;
    model->data = data;
    model->learners = learners;
    model->seed = seed;
    return model;
}

void model_destroy(struct model *model)
{
    if (model)
        model->kind->destroy(model);
}

size_t model_size(const struct model *model)
{
    return model->size;
}

const struct tensor *model_tensors(const struct model *model, size_t *count)
{
    *count = model->tensor_count;
    return model->tensors;
}

void model_initialise(const struct model *model, real *parameters)
{
    model->kind->initialise(model, parameters);
}

double model_gradient(struct model *model, const real *parameters, struct batch batch, real *gradient)
{
    return model->kind->gradient(model, parameters, batch, gradient);
}

double model_held_out_loss(struct model *model, const real *parameters, int64_t sequences)
{
    return model->kind->held_out_loss(model, parameters, sequences);
}

double model_floor_loss(const struct model *model, int64_t sequences)
{
    return model->kind->floor_loss(model, sequences);
}
