#include "models/learning/transformer_pass.h"
#include "models/learning/linear.h"
#include <stdlib.h>
#include <string.h>

/* Takes COUNT reals from the pass's memory, USED of which are gone; before there is memory it only counts. */
static real *take(const struct transformer_pass *pass, size_t *used, size_t count)
{
    size_t unit = KERNEL_ALIGNMENT / sizeof(real), begin = *used;
    *used += (count + unit - 1) / unit * unit;
    return pass->memory ? (real *)pass->memory + begin : NULL;
}

static void lay_out_layer(const struct transformer_pass *pass, size_t *used, size_t n,
                          struct layer_work *work)
{
    size_t narrow = n * pass->width;
    work->stream = take(pass, used, narrow);
    work->mean1 = take(pass, used, n);
    work->scale1 = take(pass, used, n);
    work->normed1 = take(pass, used, narrow);
    work->qkv = take(pass, used, 3 * narrow);
    work->attended = take(pass, used, narrow);
    work->middle = take(pass, used, narrow);
    work->mean2 = take(pass, used, n);
    work->scale2 = take(pass, used, n);
    work->normed2 = take(pass, used, narrow);
    work->slope = take(pass, used, 4 * narrow);
    work->active = take(pass, used, 4 * narrow);
}

static struct attention_shape attention_of(const struct transformer_pass *pass, size_t sequences)
{
    return (struct attention_shape){sequences, pass->context, pass->width, pass->heads};
}

/* Places all arrays in the pass's memory and returns how many reals that takes. */
static size_t lay_out(struct transformer_pass *pass)
{
    size_t n = pass->sequences * pass->context, narrow = n * pass->width, used = 0;
    const struct attention_shape shape = attention_of(pass, pass->sequences);
    for (size_t i = 0; i < pass->layers; i++)
        lay_out_layer(pass, &used, n, &pass->work[i]);
    pass->last = take(pass, &used, narrow);
    pass->mean = take(pass, &used, n);
    pass->scale = take(pass, &used, n);
    pass->normed = take(pass, &used, narrow);
    pass->logits = take(pass, &used, n * pass->symbols);
    pass->narrow = take(pass, &used, narrow);
    pass->wide = take(pass, &used, 4 * narrow);
    pass->stream_gradient = take(pass, &used, narrow);
    pass->unused = take(pass, &used, pass->width);
    pass->scratch = take(pass, &used, pass->kernels->attention_scratch(&shape));
    return used;
}

bool transformer_pass_create(struct transformer_pass *pass, const struct transformer_config *config,
                             const struct transformer_layout *layout, size_t symbols, size_t sequences)
{
    *pass = (struct transformer_pass){.kernels = kernels_choose(),
                                      .layout = layout,
                                      .layers = (size_t)config->layers,
                                      .width = (size_t)config->width,
                                      .symbols = symbols,
                                      .context = (size_t)config->context,
                                      .heads = (size_t)config->heads,
                                      .sequences = sequences};
    size_t n = sequences * pass->context;
    pass->work = calloc(pass->layers, sizeof *pass->work);
    pass->inputs = calloc(n, sizeof *pass->inputs);
    pass->targets = calloc(n, sizeof *pass->targets);
    pass->losses = calloc(n, sizeof *pass->losses);
    if (!pass->work || !pass->inputs || !pass->targets || !pass->losses)
        return false;
    size_t bytes = lay_out(pass) * sizeof(real);
    if (posix_memalign(&pass->memory, KERNEL_ALIGNMENT, bytes) != 0)
        pass->memory = NULL;
    if (!pass->memory)
        return false;
    lay_out(pass);
    memset(pass->unused, 0, pass->width * sizeof(real));
    return true;
}

void transformer_pass_free(struct transformer_pass *pass)
{
    free(pass->work);
    free(pass->inputs);
    free(pass->targets);
    free(pass->losses);
    free(pass->memory);
}

/* STREAM [N][C] = token[input] + position */
static void embed(const struct transformer_pass *pass, const real *parameters, size_t n, real *stream)
{
    size_t width = pass->width;
    for (size_t row = 0; row < n; row++) {
        const real *token = parameters + pass->layout->token + (size_t)pass->inputs[row] * width;
        const real *position = parameters + pass->layout->position + row % pass->context * width;
        for (size_t i = 0; i < width; i++)
            stream[row * width + i] = token[i] + position[i];
    }
}

static void embed_backward(const struct transformer_pass *pass, size_t n, real *gradient)
{
    size_t width = pass->width;
    for (size_t row = 0; row < n; row++) {
        real *token = gradient + pass->layout->token + (size_t)pass->inputs[row] * width;
        real *position = gradient + pass->layout->position + row % pass->context * width;
        const real *stream = pass->stream_gradient + row * width;
        for (size_t i = 0; i < width; i++) {
            token[i] += stream[i];
            position[i] += stream[i];
        }
    }
}

/* From work->stream to NEXT, the residual stream after the layer. */
static void layer_forward(const struct transformer_pass *pass, const real *parameters,
                          const struct layer_layout *at, size_t sequences, struct layer_work *work,
                          real *next)
{
    const struct kernels *kernels = pass->kernels;
    const struct attention_shape shape = attention_of(pass, sequences);
    size_t n = sequences * pass->context, width = pass->width;
    kernels->norm_forward(n, width, work->stream, parameters + at->norm1_weight, parameters + at->norm1_bias,
                          work->normed1, work->mean1, work->scale1);
    linear_forward(n, width, 3 * width, work->normed1, parameters + at->qkv_weight, 0, work->qkv);
    kernels->attention_forward(&shape, work->qkv, parameters + at->qkv_bias, work->attended, pass->scratch);
    kernels->add_bias(n, width, work->stream, parameters + at->projection_bias, work->middle);
    linear_forward(n, width, width, work->attended, parameters + at->projection_weight, 1, work->middle);

    kernels->norm_forward(n, width, work->middle, parameters + at->norm2_weight, parameters + at->norm2_bias,
                          work->normed2, work->mean2, work->scale2);
    linear_forward(n, width, 4 * width, work->normed2, parameters + at->up_weight, 0, work->slope);
    kernels->gelu_forward(n, 4 * width, parameters + at->up_bias, work->slope, work->active);
    kernels->add_bias(n, width, work->middle, parameters + at->down_bias, next);
    linear_forward(n, 4 * width, width, work->active, parameters + at->down_weight, 1, next);
}

void transformer_pass_forward(struct transformer_pass *pass, const real *parameters, size_t sequences,
                              real share)
{
    const struct transformer_layout *layout = pass->layout;
    size_t n = sequences * pass->context;
    embed(pass, parameters, n, pass->work[0].stream);
    for (size_t i = 0; i < pass->layers; i++)
        layer_forward(pass, parameters, &layout->layers[i], sequences, &pass->work[i],
                      i + 1 < pass->layers ? pass->work[i + 1].stream : pass->last);
    pass->kernels->norm_forward(n, pass->width, pass->last, parameters + layout->norm_weight,
                                parameters + layout->norm_bias, pass->normed, pass->mean, pass->scale);
    linear_forward(n, pass->width, pass->symbols, pass->normed, parameters + layout->token, 0, pass->logits);
    pass->kernels->cross_entropy(n, pass->symbols, pass->targets, share, pass->logits, pass->losses);
}

/* The MLP's half of a layer's way back. The stream's gradient comes in after the layer, goes out before the
 * MLP. */
static void mlp_backward(struct transformer_pass *pass, const real *parameters, const struct layer_layout *at,
                         size_t n, const struct layer_work *work, real *gradient)
{
    size_t width = pass->width;
    linear_backward(n, 4 * width, width, work->active, parameters + at->down_weight, pass->stream_gradient,
                    pass->wide, gradient + at->down_weight);
    pass->kernels->gelu_backward(n, 4 * width, work->slope, pass->wide, gradient + at->up_bias);
    linear_backward(n, width, 4 * width, work->normed2, parameters + at->up_weight, pass->wide, pass->narrow,
                    gradient + at->up_weight);
    pass->kernels->norm_backward(n, width, work->middle, work->mean2, work->scale2,
                                 parameters + at->norm2_weight, pass->narrow, pass->stream_gradient,
                                 gradient + at->norm2_weight, gradient + at->norm2_bias,
                                 gradient + at->projection_bias);
}

/* Attention's half; JOINED takes the gradient of the bias that joined the stream before the layer. */
static void attention_half_backward(struct transformer_pass *pass, const real *parameters,
                                    const struct layer_layout *at, size_t sequences,
                                    const struct layer_work *work, real *gradient, real *joined)
{
    const struct attention_shape shape = attention_of(pass, sequences);
    size_t n = sequences * pass->context, width = pass->width;
    linear_backward(n, width, width, work->attended, parameters + at->projection_weight,
                    pass->stream_gradient, pass->narrow, gradient + at->projection_weight);
    pass->kernels->attention_backward(&shape, work->qkv, parameters + at->qkv_bias, pass->narrow, pass->wide,
                                      gradient + at->qkv_bias, pass->scratch);
    linear_backward(n, width, 3 * width, work->normed1, parameters + at->qkv_weight, pass->wide, pass->narrow,
                    gradient + at->qkv_weight);
    pass->kernels->norm_backward(n, width, work->stream, work->mean1, work->scale1,
                                 parameters + at->norm1_weight, pass->narrow, pass->stream_gradient,
                                 gradient + at->norm1_weight, gradient + at->norm1_bias, joined);
}

static void head_backward(struct transformer_pass *pass, const real *parameters, size_t n, real *gradient)
{
    const struct transformer_layout *layout = pass->layout;
    linear_backward(n, pass->width, pass->symbols, pass->normed, parameters + layout->token, pass->logits,
                    pass->narrow, gradient + layout->token);
    memset(pass->stream_gradient, 0, n * pass->width * sizeof(real));
    pass->kernels->norm_backward(n, pass->width, pass->last, pass->mean, pass->scale,
                                 parameters + layout->norm_weight, pass->narrow, pass->stream_gradient,
                                 gradient + layout->norm_weight, gradient + layout->norm_bias,
                                 gradient + layout->layers[pass->layers - 1].down_bias);
}

void transformer_pass_backward(struct transformer_pass *pass, const real *parameters, size_t sequences,
                               real *gradient)
{
    const struct layer_layout *layers = pass->layout->layers;
    size_t n = sequences * pass->context;
    head_backward(pass, parameters, n, gradient);
    for (size_t i = pass->layers; i-- > 0;) {
        mlp_backward(pass, parameters, &layers[i], n, &pass->work[i], gradient);
        attention_half_backward(pass, parameters, &layers[i], sequences, &pass->work[i], gradient,
                                i > 0 ? gradient + layers[i - 1].down_bias : pass->unused);
    }
    embed_backward(pass, n, gradient);
}
