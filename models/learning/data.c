/*
 * Which sequence a learner reads: its name, its stream and its shard. What a shard's sequences look like is
 * the source's matter.
 */
#include "models/learning/data.h"
#include "models/learning/data_source.h"
#include "models/purpose.h"
#include <assert.h>

static const struct data_source *const sources[] = {
    [SOURCE_MARKOV] = &data_markov,
    [SOURCE_HIDDEN_MARKOV] = &data_hidden_markov,
    [SOURCE_TEXT] = &data_text,
};

struct data *data_create(const struct data_config *config, int64_t learners, int64_t length, uint64_t seed,
                         struct error *error)
{
    assert(learners >= 1 && length >= 2);
    const struct data_source *source = sources[config->source];
    struct data *data = source->create(config, length, seed, error);
    if (!data)
        return NULL;
    data->source = source;
    data->config = *config;
    data->learners = learners;
    data->seed = seed;
    return data;
}

void data_destroy(struct data *data)
{
    if (data)
        data->source->destroy(data);
}

int64_t data_symbols(const struct data *data)
{
    return data->symbols;
}

int64_t data_shard(int64_t shards, int64_t learners, int64_t learner, int64_t index)
{
    if (learner >= shards)
        return learner % shards;
    int64_t owned = (shards - learner + learners - 1) / learners;
    return learner + index % owned * learners;
}

void data_training(const struct data *data, int64_t learner, int64_t position, int64_t index, int64_t length,
                   int32_t *symbols)
{
    assert(learner >= 0 && learner < data->learners && position >= 0 && index >= 0);
    int64_t number = index * data->learners + learner;
    assert(number <= UINT32_MAX);
    struct sim_stream stream;
    sim_stream_open(&stream, data->seed, (uint32_t)number, PURPOSE_TRAINING_DATA, (uint64_t)position);
    int64_t shard = DATA_COMMON;
    if (sim_stream_uniform(&stream) < data->config.skew)
        shard = data_shard(data->config.shards, data->learners, learner, index);
    data->source->draw(data, shard, &stream, length, symbols);
}

void data_held_out(const struct data *data, int64_t index, int64_t length, int32_t *symbols)
{
    assert(index >= 0);
    data->source->held_out(data, index, length, symbols);
}

double data_source_loss(const struct data *data, const int32_t *symbols, int64_t length)
{
    assert(length >= 2);
    return data->source->loss(data, symbols, length);
}
