#include "models/learning/transformer_layout.h"
#include "models/purpose.h"
#include "sim/stream.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS_OF_LAYER = 16, OTHER_TENSORS = 4 };

static const double deviation = 0.02;

/* Appends a tensor and returns its offset. LAYER < 0: of no layer. */
static size_t append(struct transformer_layout *layout, int64_t layer, const char *name,
                     enum tensor_role role, size_t rows, size_t columns)
{
    char *full = layout->names[layout->tensor_count];
    if (layer < 0)
        snprintf(full, TENSOR_NAME_LENGTH, "%s", name);
    else
        snprintf(full, TENSOR_NAME_LENGTH, "layer.%lld.%s", (long long)layer, name);
    size_t offset = layout->size;
    layout->tensors[layout->tensor_count++] = (struct tensor){full, role, offset, rows, columns};
    layout->size += rows * columns;
    return offset;
}

static void append_layer(struct transformer_layout *layout, int64_t i, size_t width)
{
    struct layer_layout *layer = &layout->layers[i];
    layer->norm1_weight = append(layout, i, "norm1.weight", TENSOR_VECTOR, width, 1);
    layer->norm1_bias = append(layout, i, "norm1.bias", TENSOR_VECTOR, width, 1);
    layer->qkv_weight = append(layout, i, "attention.query.weight", TENSOR_MATRIX, width, width);
    append(layout, i, "attention.key.weight", TENSOR_MATRIX, width, width);
    append(layout, i, "attention.value.weight", TENSOR_MATRIX, width, width);
    layer->qkv_bias = append(layout, i, "attention.query.bias", TENSOR_VECTOR, width, 1);
    append(layout, i, "attention.key.bias", TENSOR_VECTOR, width, 1);
    append(layout, i, "attention.value.bias", TENSOR_VECTOR, width, 1);
    layer->projection_weight = append(layout, i, "attention.projection.weight", TENSOR_MATRIX, width, width);
    layer->projection_bias = append(layout, i, "attention.projection.bias", TENSOR_VECTOR, width, 1);
    layer->norm2_weight = append(layout, i, "norm2.weight", TENSOR_VECTOR, width, 1);
    layer->norm2_bias = append(layout, i, "norm2.bias", TENSOR_VECTOR, width, 1);
    layer->up_weight = append(layout, i, "mlp.up.weight", TENSOR_MATRIX, 4 * width, width);
    layer->up_bias = append(layout, i, "mlp.up.bias", TENSOR_VECTOR, 4 * width, 1);
    layer->down_weight = append(layout, i, "mlp.down.weight", TENSOR_MATRIX, width, 4 * width);
    layer->down_bias = append(layout, i, "mlp.down.bias", TENSOR_VECTOR, width, 1);
}

bool transformer_layout_create(struct transformer_layout *layout, const struct transformer_config *config,
                               size_t symbols)
{
    size_t layers = (size_t)config->layers, width = (size_t)config->width;
    size_t tensors = layers * TENSORS_OF_LAYER + OTHER_TENSORS;
    *layout = (struct transformer_layout){0};
    layout->layers = calloc(layers, sizeof *layout->layers);
    layout->tensors = calloc(tensors, sizeof *layout->tensors);
    layout->names = calloc(tensors, sizeof *layout->names);
    if (!layout->layers || !layout->tensors || !layout->names)
        return false;
    layout->token = append(layout, -1, "token.embedding", TENSOR_EMBEDDING, symbols, width);
    layout->position =
        append(layout, -1, "position.embedding", TENSOR_EMBEDDING, (size_t)config->context, width);
    for (int64_t i = 0; i < config->layers; i++)
        append_layer(layout, i, width);
    layout->norm_weight = append(layout, -1, "norm.weight", TENSOR_VECTOR, width, 1);
    layout->norm_bias = append(layout, -1, "norm.bias", TENSOR_VECTOR, width, 1);
    assert(layout->tensor_count == tensors);
    return true;
}

void transformer_layout_free(struct transformer_layout *layout)
{
    free(layout->layers);
    free(layout->tensors);
    free(layout->names);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static void initialise_tensor(const struct tensor *tensor, size_t layers, struct sim_stream *stream,
                              real *values)
{
    size_t count = tensor->rows * tensor->columns;
    bool joins = ends_with(tensor->name, "projection.weight") || ends_with(tensor->name, "down.weight");
    double scale = joins ? deviation / sqrt(2 * (double)layers) : deviation;
    real constant = ends_with(tensor->name, ".weight");
    for (size_t i = 0; i < count; i++)
        values[i] = tensor->role == TENSOR_VECTOR ? constant : (real)(scale * sim_stream_normal(stream));
}

void transformer_layout_initialise(const struct transformer_layout *layout, size_t layers, uint64_t seed,
                                   real *parameters)
{
    for (size_t i = 0; i < layout->tensor_count; i++) {
        struct sim_stream stream;
        sim_stream_open(&stream, seed, 0, PURPOSE_INITIAL_PARAMETERS, i);
        initialise_tensor(&layout->tensors[i], layers, &stream, parameters + layout->tensors[i].offset);
    }
}
