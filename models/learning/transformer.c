#include "models/learning/transformer.h"
#include "models/learning/model_kind.h"
#include "models/learning/transformer_pass.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tokens in a pass, about: matrices high enough for BLAS to be fast, small enough to stay in the cache. */
enum { PASS_TOKENS = 512 };

struct transformer {
    struct model model;
    struct transformer_layout layout;
    struct transformer_pass pass;
    int32_t *symbols; /* [sequences in a pass][context + 1] */
};

static int64_t sequence_length(const struct learning_config *config)
{
    return config->transformer.context + 1;
}

static void destroy(struct model *model)
{
    struct transformer *transformer = (struct transformer *)model;
    transformer_pass_free(&transformer->pass);
    transformer_layout_free(&transformer->layout);
    free(transformer->symbols);
    free(transformer);
}

static bool build(struct transformer *transformer, const struct transformer_config *config, size_t symbols)
{
    size_t context = (size_t)config->context;
    size_t sequences = context < PASS_TOKENS ? PASS_TOKENS / context : 1;
    transformer->symbols = calloc(sequences * (context + 1), sizeof *transformer->symbols);
    if (!transformer->symbols || !transformer_layout_create(&transformer->layout, config, symbols) ||
        !transformer_pass_create(&transformer->pass, config, &transformer->layout, symbols, sequences))
        return false;
    transformer->model.size = transformer->layout.size;
    transformer->model.tensors = transformer->layout.tensors;
    transformer->model.tensor_count = transformer->layout.tensor_count;
    return true;
}

static struct model *create(const struct learning_config *config, const struct data *data, uint64_t seed,
                            struct error *error)
{
    (void)seed;
    const struct transformer_config *shape = &config->transformer;
    if (shape->width % shape->heads != 0) {
        error_set(error, ERROR_INPUT,
                  "learning.transformer.width: %lld is no multiple of learning.transformer.heads: %lld",
                  (long long)shape->width, (long long)shape->heads);
        return NULL;
    }
    struct transformer *transformer = calloc(1, sizeof *transformer);
    if (transformer && build(transformer, shape, (size_t)data_symbols(data)))
        return &transformer->model;
    if (transformer)
        destroy(&transformer->model);
    error_out_of_memory(error, "the transformer");
    return NULL;
}

static void initialise(const struct model *model, real *parameters)
{
    const struct transformer *transformer = (const struct transformer *)model;
    transformer_layout_initialise(&transformer->layout, transformer->pass.layers, model->seed, parameters);
}

/* SYMBOLS [SEQUENCES][context + 1] as the pass's inputs and targets. */
static void load(struct transformer_pass *pass, const int32_t *symbols, size_t sequences)
{
    size_t context = pass->context;
    for (size_t i = 0; i < sequences; i++) {
        memcpy(pass->inputs + i * context, symbols + i * (context + 1), context * sizeof *symbols);
        memcpy(pass->targets + i * context, symbols + i * (context + 1) + 1, context * sizeof *symbols);
    }
}

static double sum_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* Adds the gradient of the mean over TOKENS to GRADIENT (NULL: none); returns the sum of the losses. */
static double add_pass(struct transformer *transformer, const real *parameters, const int32_t *symbols,
                       size_t sequences, double tokens, real *gradient)
{
    struct transformer_pass *pass = &transformer->pass;
    load(pass, symbols, sequences);
    transformer_pass_forward(pass, parameters, sequences, (real)(1 / tokens));
    if (gradient)
        transformer_pass_backward(pass, parameters, sequences, gradient);
    return sum_of(pass->losses, sequences * pass->context);
}

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

void transformer_losses(struct model *model, const real *parameters, const int32_t *symbols, size_t sequences,
                        double *losses)
{
    struct transformer *transformer = (struct transformer *)model;
    size_t context = transformer->pass.context;
    for (size_t done = 0, count; done < sequences; done += count) {
        count = at_most(sequences - done, transformer->pass.sequences);
        add_pass(transformer, parameters, symbols + done * (context + 1), count, 1, NULL);
        memcpy(losses + done * context, transformer->pass.losses, count * context * sizeof *losses);
    }
}

double transformer_gradient(struct model *model, const real *parameters, const int32_t *symbols,
                            size_t sequences, real *gradient)
{
    struct transformer *transformer = (struct transformer *)model;
    size_t context = transformer->pass.context;
    double tokens = (double)(sequences * context), sum = 0;
    memset(gradient, 0, model->size * sizeof *gradient);
    for (size_t done = 0, count; done < sequences; done += count) {
        count = at_most(sequences - done, transformer->pass.sequences);
        sum += add_pass(transformer, parameters, symbols + done * (context + 1), count, tokens, gradient);
    }
    return sum / tokens;
}

static double gradient_of(struct model *model, const real *parameters, struct batch batch, real *gradient)
{
    struct transformer *transformer = (struct transformer *)model;
    int64_t context = (int64_t)transformer->pass.context;
    double tokens = (double)(batch.count * context), sum = 0;
    memset(gradient, 0, model->size * sizeof *gradient);
    for (int64_t done = 0; done < batch.count;) {
        size_t count = at_most((size_t)(batch.count - done), transformer->pass.sequences);
        for (size_t i = 0; i < count; i++, done++)
            data_training(model->data, batch.learner, batch.position, done, context + 1,
                          transformer->symbols + i * (size_t)(context + 1));
        sum += add_pass(transformer, parameters, transformer->symbols, count, tokens, gradient);
    }
    return sum / tokens;
}

static double held_out_loss(struct model *model, const real *parameters, int64_t sequences)
{
    struct transformer *transformer = (struct transformer *)model;
    int64_t context = (int64_t)transformer->pass.context;
    double sum = 0;
    for (int64_t done = 0; done < sequences;) {
        size_t count = at_most((size_t)(sequences - done), transformer->pass.sequences);
        for (size_t i = 0; i < count; i++, done++)
            data_held_out(model->data, done, context + 1, transformer->symbols + i * (size_t)(context + 1));
        sum += add_pass(transformer, parameters, transformer->symbols, count, 1, NULL);
    }
    return sum / (double)(sequences * context);
}

static double floor_loss(const struct model *model, int64_t sequences)
{
    const struct transformer *transformer = (const struct transformer *)model;
    int64_t length = (int64_t)transformer->pass.context + 1;
    double sum = 0;
    for (int64_t i = 0; i < sequences; i++) {
        data_held_out(model->data, i, length, transformer->symbols);
        sum += data_source_loss(model->data, transformer->symbols, length);
    }
    return sum / (double)sequences;
}

const struct model_kind model_transformer = {
    .sequence_length = sequence_length,
    .create = create,
    .destroy = destroy,
    .initialise = initialise,
    .gradient = gradient_of,
    .held_out_loss = held_out_loss,
    .floor_loss = floor_loss,
};
