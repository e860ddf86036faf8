/*
 * What a kind of data offers to data.c: one file and one line in its table each. Only for the data's own
 * files and their tests.
 */
#ifndef MODELS_LEARNING_DATA_SOURCE_H
#define MODELS_LEARNING_DATA_SOURCE_H

#include "models/learning/data.h"
#include "sim/stream.h"

/* The first member of every source's struct; data.c fills it but for SYMBOLS. */
struct data {
    const struct data_source *source;
    struct data_config config;
    int64_t learners;
    int64_t symbols;
    uint64_t seed;
};

struct data_source {
    /* Allocates the source's struct from CONFIG and SEED, for sequences of LENGTH symbols. */
    struct data *(*create)(const struct data_config *config, int64_t length, uint64_t seed,
                           struct error *error);
    void (*destroy)(struct data *data);
    /* One sequence of SHARD, or of what all shards have in common (DATA_COMMON), drawn from STREAM. */
    void (*draw)(const struct data *data, int64_t shard, struct sim_stream *stream, int64_t length,
                 int32_t *symbols);
    void (*held_out)(const struct data *data, int64_t index, int64_t length, int32_t *symbols);
    double (*loss)(const struct data *data, const int32_t *symbols, int64_t length);
};

#define DATA_COMMON (-1)

extern const struct data_source data_text;
extern const struct data_source data_markov;
extern const struct data_source data_hidden_markov;

#endif
