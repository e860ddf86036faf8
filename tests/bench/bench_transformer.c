/*
 * One whole training step of the proxy transformer (forward, backward, AdamW) on one thread, beside the
 * matrix products that dominate it, both as the best of many rounds of one run. A step counts as 6 FLOP per
 * parameter and token (Kaplan et al., arXiv 2001.08361, section 2.1), attention's own products and all else
 * for free; the products run alone, on data that lies still in the cache.
 */
#include "models/learning/inner.h"
#include "models/learning/transformer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double patience = 2; /* seconds for a figure */

struct size {
    int64_t batch, context, width, layers, heads, symbols;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double best_of(void (*round)(void *), void *state)
{
    double best = INFINITY, begin = seconds(), start = begin, end;
    do {
        round(state);
        end = seconds();
        best = fmin(best, end - start);
        start = end;
    } while (end - begin < patience);
    return best;
}

/* Matrices of one linear layer: x [n][inputs], W [outputs][inputs], y [n][outputs], and their gradients. */
struct layer {
    int n, inputs, outputs;
    real *x, *weight, *y;
};

static real *random_numbers(size_t count)
{
    real *numbers = malloc(count * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (real)sin((double)i);
    return numbers;
}

static struct layer create_layer(int64_t n, int64_t inputs, int64_t outputs)
{
    return (struct layer){.n = (int)n,
                          .inputs = (int)inputs,
                          .outputs = (int)outputs,
                          .x = random_numbers((size_t)(n * inputs)),
                          .weight = random_numbers((size_t)(inputs * outputs)),
                          .y = random_numbers((size_t)(n * outputs))};
}

static void free_layer(struct layer *layer)
{
    free(layer->x);
    free(layer->weight);
    free(layer->y);
}

/* y = x Wᵀ, dx = dy W, dW = dyᵀ x: 6 n inputs outputs FLOP. */
static void products(void *state)
{
    struct layer *l = state;
    real_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, l->n, l->outputs, l->inputs, 1, l->x, l->inputs,
              l->weight, l->inputs, 0, l->y, l->outputs);
    real_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, l->n, l->inputs, l->outputs, 1, l->y, l->outputs,
              l->weight, l->inputs, 0, l->x, l->inputs);
    real_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, l->outputs, l->inputs, l->n, 1e-9f, l->y, l->outputs,
              l->x, l->inputs, 0, l->weight, l->inputs);
}

/* FLOP/s of the three products of a layer of these sizes. */
static double rate_of_layer(int64_t n, int64_t inputs, int64_t outputs)
{
    struct layer layer = create_layer(n, inputs, outputs);
    double rate = 6 * (double)n * (double)inputs * (double)outputs / best_of(products, &layer);
    free_layer(&layer);
    return rate;
}

/* FLOP/s of all products of a step: each kind of layer at its rate. */
static double rate_of_products(const struct size *size)
{
    int64_t n = size->batch * size->context, c = size->width;
    const struct {
        int64_t inputs, outputs, count;
        const char *name;
    } kinds[] = {{c, 3 * c, size->layers, "qkv"},
                 {c, c, size->layers, "projection"},
                 {c, 4 * c, size->layers, "up"},
                 {4 * c, c, size->layers, "down"},
                 {c, size->symbols, 1, "head"}};
    double work = 0, time = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double rate = rate_of_layer(n, kinds[i].inputs, kinds[i].outputs);
        double own = (double)(n * kinds[i].inputs * kinds[i].outputs * kinds[i].count);
        printf("  sgemm, %-10s %4lld tokens, %3lld to %3lld %22.1f GFLOP/s\n", kinds[i].name, (long long)n,
               (long long)kinds[i].inputs, (long long)kinds[i].outputs, rate / 1e9);
        work += own;
        time += own / rate;
    }
    return work / time;
}

struct trainer {
    struct learning_config config;
    struct data *data;
    struct model *model;
    int64_t step;
    real *parameters, *gradient, *state;
    double loss;
};

static void train(void *state)
{
    struct trainer *trainer = state;
    size_t count;
    const struct tensor *tensors = model_tensors(trainer->model, &count);
    struct batch batch = {.position = trainer->step, .count = trainer->config.batch};
    trainer->loss = model_gradient(trainer->model, trainer->parameters, batch, trainer->gradient);
    trainer->step++;
    inner_step(&trainer->config.inner, tensors, count, trainer->step, trainer->step, trainer->parameters,
               trainer->gradient, trainer->state, NULL);
}

static void create_trainer(struct trainer *trainer, const struct size *size)
{
    struct error error = {0};
    *trainer =
        (struct trainer){.config = {.model = LEARNING_TRANSFORMER,
                                    .transformer = {size->layers, size->width, size->heads, size->context},
                                    .data = {.source = SOURCE_MARKOV,
                                             .symbols = size->symbols,
                                             .order = 2,
                                             .zipf = 1,
                                             .contrast = 3,
                                             .shards = 1},
                                    .inner = {.optimiser = INNER_ADAMW,
                                              .rate = 1e-3,
                                              .decay_steps = PARAMETER_UNSET,
                                              .beta1 = 0.9,
                                              .beta2 = 0.99,
                                              .epsilon = 1e-8,
                                              .weight_decay = 0.01,
                                              .clip = INFINITY},
                                    .batch = size->batch}};
    trainer->data = data_create(&trainer->config.data, 1, model_sequence_length(&trainer->config), 1, &error);
    trainer->model = trainer->data ? model_create(&trainer->config, trainer->data, 1, 1, &error) : NULL;
    if (!trainer->model) {
        fprintf(stderr, "%s\n", error.message);
        exit(EXIT_FAILURE);
    }
    size_t parameters = model_size(trainer->model);
    trainer->parameters = calloc(parameters, sizeof(real));
    trainer->gradient = calloc(parameters, sizeof(real));
    trainer->state = calloc(inner_state_size(&trainer->config.inner, parameters), sizeof(real));
    model_initialise(trainer->model, trainer->parameters);
}

static void destroy_trainer(struct trainer *trainer)
{
    model_destroy(trainer->model);
    data_destroy(trainer->data);
    free(trainer->parameters);
    free(trainer->gradient);
    free(trainer->state);
}

static void report(const struct size *size)
{
    struct trainer trainer;
    create_trainer(&trainer, size);
    size_t parameters = model_size(trainer.model);
    printf("batch %lld, context %lld, width %lld, %lld layers, %lld heads, %lld symbols: %zu parameters\n",
           (long long)size->batch, (long long)size->context, (long long)size->width, (long long)size->layers,
           (long long)size->heads, (long long)size->symbols, parameters);
    double time = best_of(train, &trainer);
    double rate = 6 * (double)parameters * (double)(size->batch * size->context) / time;
    double products_rate = rate_of_products(size);
    printf("  sgemm, all of a step's products %32.1f GFLOP/s\n", products_rate / 1e9);
    printf("  a step, %-8.2f ms %46.1f GFLOP/s, %.0f %% of sgemm's\n", time * 1e3, rate / 1e9,
           100 * rate / products_rate);
    destroy_trainer(&trainer);
}

int main(void)
{
    static const struct size sizes[] = {{8, 64, 64, 2, 4, 256}, {8, 128, 128, 4, 4, 256}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        report(&sizes[i]);
    return EXIT_SUCCESS;
}
