#include "models/learning/quadratic.h"
#include "models/learning/model_kind.h"
#include "models/purpose.h"
#include "sim/stream.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Tensors that the parameters are cut into, so that there is something to cut into fragments. */
enum { BLOCKS = 8 };
static const char *const block_names[BLOCKS] = {"block.0", "block.1", "block.2", "block.3",
                                                "block.4", "block.5", "block.6", "block.7"};

struct quadratic {
    struct model model;
    double noise;
    int64_t shards; /* with an optimum of their own; 1 without skew */
    double *curvature;
    double *optimum; /* the shards' mean */
    double *optima;  /* [shards][size] */
    struct tensor blocks[BLOCKS];
};

const double *quadratic_curvature(const struct model *model)
{
    return ((const struct quadratic *)model)->curvature;
}

const double *quadratic_optimum(const struct model *model)
{
    return ((const struct quadratic *)model)->optimum;
}

static int64_t sequence_length(const struct learning_config *config)
{
    (void)config;
    return 2; /* it reads no symbols */
}

static void destroy(struct model *model)
{
    struct quadratic *quadratic = (struct quadratic *)model;
    free(quadratic->curvature);
    free(quadratic->optimum);
    free(quadratic->optima);
    free(quadratic);
}

static void cut_into_blocks(struct quadratic *quadratic)
{
    struct model *model = &quadratic->model;
    model->tensors = quadratic->blocks;
    model->tensor_count = model->size < BLOCKS ? model->size : BLOCKS;
    for (size_t i = 0; i < model->tensor_count; i++) {
        size_t begin = i * model->size / model->tensor_count;
        size_t end = (i + 1) * model->size / model->tensor_count;
        quadratic->blocks[i] = (struct tensor){block_names[i], TENSOR_VECTOR, begin, end - begin, 1};
    }
}

static void draw_normal(double *values, size_t count, uint64_t seed, uint64_t entity)
{
    struct sim_stream stream;
    sim_stream_open(&stream, seed, 0, PURPOSE_OPTIMUM, entity);
    for (size_t i = 0; i < count; i++)
        values[i] = sim_stream_normal(&stream);
}

/* The shards' optima, and their mean in place of the common one that they are scattered about. */
static void draw_optima(struct quadratic *quadratic, double skew, uint64_t seed)
{
    size_t size = quadratic->model.size;
    draw_normal(quadratic->optimum, size, seed, 0);
    for (int64_t shard = 0; shard < quadratic->shards; shard++) {
        double *own = quadratic->optima + (size_t)shard * size;
        draw_normal(own, size, seed, (uint64_t)shard + 1);
        for (size_t i = 0; i < size; i++)
            own[i] = quadratic->optimum[i] + skew * own[i];
    }
    for (size_t i = 0; i < size; i++) {
        double sum = 0;
        for (int64_t shard = 0; shard < quadratic->shards; shard++)
            sum += quadratic->optima[(size_t)shard * size + i];
        quadratic->optimum[i] = sum / (double)quadratic->shards;
    }
}

static void set_curvature(struct quadratic *quadratic, double condition)
{
    size_t size = quadratic->model.size;
    for (size_t i = 0; i < size; i++)
        quadratic->curvature[i] = size > 1 ? pow(condition, -(double)i / (double)(size - 1)) : 1;
}

static struct model *create(const struct learning_config *config, const struct data *data, uint64_t seed,
                            struct error *error)
{
    (void)data;
    struct quadratic *quadratic = calloc(1, sizeof *quadratic);
    if (!quadratic) {
        error_out_of_memory(error, "the quadratic");
        return NULL;
    }
    size_t size = (size_t)config->quadratic.dimension;
    quadratic->model.size = size;
    quadratic->noise = config->quadratic.noise;
    quadratic->shards = config->quadratic.skew > 0 ? config->data.shards : 1;
    quadratic->curvature = calloc(size, sizeof(double));
    quadratic->optimum = calloc(size, sizeof(double));
    quadratic->optima = calloc((size_t)quadratic->shards * size, sizeof(double));
    if (!quadratic->curvature || !quadratic->optimum || !quadratic->optima) {
        error_out_of_memory(error, "the quadratic");
        destroy(&quadratic->model);
        return NULL;
    }
    cut_into_blocks(quadratic);
    set_curvature(quadratic, config->quadratic.condition);
    draw_optima(quadratic, config->quadratic.skew, seed);
    return &quadratic->model;
}

static void initialise(const struct model *model, real *parameters)
{
    for (size_t i = 0; i < model->size; i++)
        parameters[i] = 0;
}

/* Of SHARD at PARAMETERS. */
static double loss(const struct quadratic *quadratic, int64_t shard, const real *parameters)
{
    size_t size = quadratic->model.size;
    const double *optimum = quadratic->optima + (size_t)shard * size;
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        double distance = (double)parameters[i] - optimum[i];
        sum += quadratic->curvature[i] * distance * distance;
    }
    return sum / 2;
}

/* Adds the share of the gradient of the batch's sequence INDEX. */
static void add_gradient(const struct quadratic *quadratic, int64_t shard, const real *parameters,
                         struct batch batch, int64_t index, real *gradient)
{
    size_t size = quadratic->model.size;
    const double *optimum = quadratic->optima + (size_t)shard * size;
    double share = 1 / (double)batch.count;
    struct sim_stream stream;
    sim_stream_open(&stream, quadratic->model.seed,
                    (uint32_t)(index * quadratic->model.learners + batch.learner), PURPOSE_GRADIENT_NOISE,
                    (uint64_t)batch.position);
    for (size_t i = 0; i < size; i++) {
        double slope = quadratic->curvature[i] * ((double)parameters[i] - optimum[i]);
        gradient[i] += (real)(share * (slope + quadratic->noise * sim_stream_normal(&stream)));
    }
}

static double gradient_of(struct model *model, const real *parameters, struct batch batch, real *gradient)
{
    const struct quadratic *quadratic = (const struct quadratic *)model;
    double sum = 0;
    for (size_t i = 0; i < model->size; i++)
        gradient[i] = 0;
    for (int64_t index = 0; index < batch.count; index++) {
        int64_t shard = data_shard(quadratic->shards, model->learners, batch.learner, index);
        sum += loss(quadratic, shard, parameters);
        add_gradient(quadratic, shard, parameters, batch, index, gradient);
    }
    return sum / (double)batch.count;
}

static double held_out_loss(struct model *model, const real *parameters, int64_t sequences)
{
    (void)sequences;
    const struct quadratic *quadratic = (const struct quadratic *)model;
    double sum = 0;
    for (int64_t shard = 0; shard < quadratic->shards; shard++)
        sum += loss(quadratic, shard, parameters);
    return sum / (double)quadratic->shards;
}

/* What the shards' optima lie apart leaves at the optimum of all. */
static double floor_loss(const struct model *model, int64_t sequences)
{
    (void)sequences;
    const struct quadratic *quadratic = (const struct quadratic *)model;
    double sum = 0;
    for (int64_t shard = 0; shard < quadratic->shards; shard++)
        for (size_t i = 0; i < model->size; i++) {
            double distance = quadratic->optima[(size_t)shard * model->size + i] - quadratic->optimum[i];
            sum += quadratic->curvature[i] * distance * distance;
        }
    return sum / 2 / (double)quadratic->shards;
}

const struct model_kind model_quadratic = {
    .sequence_length = sequence_length,
    .create = create,
    .destroy = destroy,
    .initialise = initialise,
    .gradient = gradient_of,
    .held_out_loss = held_out_loss,
    .floor_loss = floor_loss,
};
