#include "tests/learning/reference.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double complex number;

/* The parameters of the tensor called "layer.LAYER.NAME", or NAME where LAYER is negative. */
static const number *named(const struct reference *reference, int64_t layer, const char *name)
{
    char full[80];
    if (layer < 0)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "layer.%d.%s", (int)layer, name);
    for (size_t i = 0; i < reference->tensor_count; i++)
        if (strcmp(reference->tensors[i].name, full) == 0)
            return reference->parameters + reference->tensors[i].offset;
    ck_abort_msg("no tensor %s", full);
    return NULL;
}

/* out_o = Σ_i weight_oi in_i + bias_o */
static void linear(const struct reference *reference, int64_t layer, const char *name, int64_t inputs,
                   int64_t outputs, const number *in, number *out)
{
    char weight[80], bias[80];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    const number *w = named(reference, layer, weight), *b = named(reference, layer, bias);
    for (int64_t o = 0; o < outputs; o++) {
        out[o] = b[o];
        for (int64_t i = 0; i < inputs; i++)
            out[o] += w[o * inputs + i] * in[i];
    }
}

static void norm(const struct reference *reference, int64_t layer, const char *name, const number *in,
                 number *out)
{
    char weight[80], bias[80];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    const number *w = named(reference, layer, weight), *b = named(reference, layer, bias);
    int64_t width = reference->shape.width;
    number mean = 0, variance = 0;
    for (int64_t i = 0; i < width; i++)
        mean += in[i] / (double)width;
    for (int64_t i = 0; i < width; i++)
        variance += (in[i] - mean) * (in[i] - mean) / (double)width;
    for (int64_t i = 0; i < width; i++)
        out[i] = (in[i] - mean) / csqrt(variance + 1e-5) * w[i] + b[i];
}

static number gelu(number x)
{
    return 0.5 * x * (1 + ctanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* What token T's query, of the head whose first column is FIRST, takes from the values up to T. */
static void attend(const struct reference *reference, int64_t t, int64_t first,
                   number query[][REFERENCE_WIDTH], number key[][REFERENCE_WIDTH],
                   number value[][REFERENCE_WIDTH], number *out)
{
    int64_t width = reference->shape.width / reference->shape.heads;
    number weight[REFERENCE_CONTEXT], sum = 0;
    for (int64_t s = 0; s <= t; s++) {
        number product = 0;
        for (int64_t i = first; i < first + width; i++)
            product += query[t][i] * key[s][i];
        weight[s] = cexp(product / sqrt((double)width));
        sum += weight[s];
    }
    for (int64_t i = first; i < first + width; i++) {
        out[i] = 0;
        for (int64_t s = 0; s <= t; s++)
            out[i] += weight[s] / sum * value[s][i];
    }
}

static void attention(const struct reference *reference, int64_t layer, number x[][REFERENCE_WIDTH])
{
    int64_t width = reference->shape.width, head = width / reference->shape.heads;
    number query[REFERENCE_CONTEXT][REFERENCE_WIDTH], key[REFERENCE_CONTEXT][REFERENCE_WIDTH];
    number value[REFERENCE_CONTEXT][REFERENCE_WIDTH], normed[REFERENCE_WIDTH];
    for (int64_t t = 0; t < reference->shape.context; t++) {
        norm(reference, layer, "norm1", x[t], normed);
        linear(reference, layer, "attention.query", width, width, normed, query[t]);
        linear(reference, layer, "attention.key", width, width, normed, key[t]);
        linear(reference, layer, "attention.value", width, width, normed, value[t]);
    }
    for (int64_t t = 0; t < reference->shape.context; t++) {
        number attended[REFERENCE_WIDTH], projected[REFERENCE_WIDTH];
        for (int64_t first = 0; first < width; first += head)
            attend(reference, t, first, query, key, value, attended);
        linear(reference, layer, "attention.projection", width, width, attended, projected);
        for (int64_t i = 0; i < width; i++)
            x[t][i] += projected[i];
    }
}

static void mlp(const struct reference *reference, int64_t layer, number *x)
{
    int64_t width = reference->shape.width;
    number normed[REFERENCE_WIDTH], up[4 * REFERENCE_WIDTH], down[REFERENCE_WIDTH];
    norm(reference, layer, "norm2", x, normed);
    linear(reference, layer, "mlp.up", width, 4 * width, normed, up);
    for (int64_t i = 0; i < 4 * width; i++)
        up[i] = gelu(up[i]);
    linear(reference, layer, "mlp.down", 4 * width, width, up, down);
    for (int64_t i = 0; i < width; i++)
        x[i] += down[i];
}

/* −log softmax of the head's logits at TARGET. */
static number head_loss(const struct reference *reference, const number *x, int32_t target)
{
    number normed[REFERENCE_WIDTH], logit[REFERENCE_SYMBOLS], sum = 0;
    const number *token = named(reference, -1, "token.embedding");
    int64_t width = reference->shape.width;
    norm(reference, -1, "norm", x, normed);
    for (int64_t s = 0; s < reference->symbols; s++) {
        logit[s] = 0;
        for (int64_t i = 0; i < width; i++)
            logit[s] += token[s * width + i] * normed[i];
        sum += cexp(logit[s]);
    }
    return clog(sum) - logit[target];
}

void reference_losses(const struct reference *reference, const int32_t *sequence, number *losses)
{
    const number *token = named(reference, -1, "token.embedding");
    const number *position = named(reference, -1, "position.embedding");
    number x[REFERENCE_CONTEXT][REFERENCE_WIDTH];
    int64_t width = reference->shape.width;
    for (int64_t t = 0; t < reference->shape.context; t++)
        for (int64_t i = 0; i < width; i++)
            x[t][i] = token[sequence[t] * width + i] + position[t * width + i];
    for (int64_t layer = 0; layer < reference->shape.layers; layer++) {
        attention(reference, layer, x);
        for (int64_t t = 0; t < reference->shape.context; t++)
            mlp(reference, layer, x[t]);
    }
    for (int64_t t = 0; t < reference->shape.context; t++)
        losses[t] = head_loss(reference, x[t], sequence[t + 1]);
}
