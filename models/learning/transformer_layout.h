/*
 * Where each of a transformer's tensors lies in the flat vector of parameters.
 *
 * V symbols, T context, C width. All matrices are [outputs][inputs], as torch.nn.Linear's weights are.
 * Queries, keys and values are tensors of their own, [C][C] each, that lie side by side and so are one
 * [3C][C] to a matrix product; their biases too.
 *
 * The order is token.embedding, position.embedding; for each layer norm1.weight, norm1.bias,
 * attention.{query,key,value}.weight, attention.{query,key,value}.bias, attention.projection.{weight,bias},
 * norm2.{weight,bias}, mlp.up.{weight,bias}, mlp.down.{weight,bias}; norm.weight, norm.bias.
 */
#ifndef MODELS_LEARNING_TRANSFORMER_LAYOUT_H
#define MODELS_LEARNING_TRANSFORMER_LAYOUT_H

#include "models/learning/model.h"

/* Offsets of a layer's tensors. */
struct layer_layout {
    size_t norm1_weight, norm1_bias;           /* [C] */
    size_t qkv_weight, qkv_bias;               /* [3C][C], [3C] */
    size_t projection_weight, projection_bias; /* [C][C], [C] */
    size_t norm2_weight, norm2_bias;           /* [C] */
    size_t up_weight, up_bias;                 /* [4C][C], [4C] */
    size_t down_weight, down_bias;             /* [C][4C], [C] */
};

enum { TENSOR_NAME_LENGTH = 48 };

struct transformer_layout {
    size_t size;            /* parameters */
    size_t token, position; /* [V][C], [T][C] */
    size_t norm_weight, norm_bias;
    struct layer_layout *layers;
    struct tensor *tensors;
    size_t tensor_count;
    char (*names)[TENSOR_NAME_LENGTH]; /* the tensors' */
};

#define transformer_layout_create REAL(transformer_layout_create)
#define transformer_layout_free REAL(transformer_layout_free)
#define transformer_layout_initialise REAL(transformer_layout_initialise)

bool transformer_layout_create(struct transformer_layout *layout, const struct transformer_config *config,
                               size_t symbols); /* false: no memory; to be freed either way */
void transformer_layout_free(struct transformer_layout *layout);

/* GPT-2's starting values (Radford et al., 2019, section 2.3): weights and both embeddings normal with a
 * deviation of 0.02, those whose products join the residual stream (attention.projection, mlp.down) of
 * 0.02/√(2 layers); biases 0, norms' weights 1. */
void transformer_layout_initialise(const struct transformer_layout *layout, size_t layers, uint64_t seed,
                                   real *parameters);

#endif
