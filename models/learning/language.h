/*
 * Synthetic languages and their mixture. There is one language that all shards have in common and, where
 * there is skew, one of each shard; a held-out sequence comes from a shard's with the probability skew, each
 * shard alike. Its probability is then that of the mixture, so that the source's loss stays exact: what a
 * model cannot know, which language it reads, the source does not know either.
 */
#ifndef MODELS_LEARNING_LANGUAGE_H
#define MODELS_LEARNING_LANGUAGE_H

#include "models/learning/data_source.h"

/* One kind of language; LANGUAGE is its own struct of SIZE bytes. */
struct language_kind {
    size_t size;
    size_t (*bytes)(const struct data_config *config); /* that one language's tables take */
    /* Draws a language from STREAM; false: no memory. LANGUAGE is zero before, and freed either way. */
    bool (*create)(void *language, const struct data_config *config, struct sim_stream *stream);
    void (*free)(void *language);
    void (*draw)(const void *language, struct sim_stream *stream, int64_t length, int32_t *symbols);
    /* log p of SYMBOLS[0 … length−1]. */
    double (*log_probability)(const void *language, const int32_t *symbols, int64_t length);
};

struct data *language_create(const struct language_kind *kind, const struct data_config *config,
                             uint64_t seed, struct error *error);
void language_destroy(struct data *data);
void language_draw(const struct data *data, int64_t shard, struct sim_stream *stream, int64_t length,
                   int32_t *symbols);
void language_held_out(const struct data *data, int64_t index, int64_t length, int32_t *symbols);
double language_loss(const struct data *data, const int32_t *symbols, int64_t length);

#endif
