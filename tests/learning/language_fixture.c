#include "tests/learning/language_fixture.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static void scatter_parameters(struct fixture *fixture)
{
    size_t count;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    struct sim_stream stream;
    sim_stream_open(&stream, 7, 0, 1000, 0);
    for (size_t i = 0; i < count; i++) {
        bool scales = strstr(tensors[i].name, "norm") && strstr(tensors[i].name, "weight");
        for (size_t j = 0; j < tensors[i].rows * tensors[i].columns; j++)
            fixture->parameters[tensors[i].offset + j] =
                (real)((scales ? 1 : 0) + 0.3 * sim_stream_normal(&stream));
    }
}

struct fixture *fixture_create(struct transformer_config shape, int64_t symbols)
{
    struct error error = {0};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->config = (struct learning_config){
        .model = LEARNING_TRANSFORMER,
        .transformer = shape,
        .data = {
            .source = SOURCE_MARKOV, .symbols = symbols, .order = 2, .zipf = 1, .contrast = 2, .shards = 1}};
    fixture->data = data_create(&fixture->config.data, 1, model_sequence_length(&fixture->config), 5, &error);
    ck_assert_msg(fixture->data != NULL, "%s", error.message);
    fixture->model = model_create(&fixture->config, fixture->data, 1, 5, &error);
    ck_assert_msg(fixture->model != NULL, "%s", error.message);
    fixture->size = model_size(fixture->model);
    fixture->parameters = calloc(fixture->size, sizeof(real));
    fixture->gradient = calloc(fixture->size, sizeof(real));
    scatter_parameters(fixture);
    return fixture;
}

void fixture_destroy(struct fixture *fixture)
{
    model_destroy(fixture->model);
    data_destroy(fixture->data);
    free(fixture->parameters);
    free(fixture->gradient);
    free(fixture);
}
