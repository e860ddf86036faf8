/*
 * What is learned from: a synthetic language whose exact log-probability of any sequence can be computed, or
 * a text file.
 *
 * A training sequence is a pure function of (seed, learner, position, index), so that replays and rolled-back
 * steps read the same symbols. Learners interleave: sequence INDEX of LEARNER is number INDEX × learners +
 * LEARNER of its position, and only that number names it. What all learners read at a position is therefore
 * the same set however many learners share it out.
 *
 * Skew: there are SHARDS shards, each a language or a contiguous part of the text of its own. With the
 * probability skew a sequence comes from a shard, else from what all have in common. A learner owns the
 * shards whose number is its own modulo the learners and takes them in turn; where there are more learners
 * than shards, learner m shares shard m modulo the shards. Held-out sequences don't depend on learners: they
 * come from all shards alike.
 */
#ifndef MODELS_LEARNING_DATA_H
#define MODELS_LEARNING_DATA_H

#include "models/learning/config.h"
#include "sim/error.h"

struct data;

/* For LEARNERS >= 1 that will read sequences of at most LENGTH >= 2 symbols (the model's context and one).
 * Once created it never changes, and threads may share it. NULL with ERROR_INPUT for a text that can't be
 * read or is too short, with the file's name; the caller destroys it. */
struct data *data_create(const struct data_config *config, int64_t learners, int64_t length, uint64_t seed,
                         struct error *error);
void data_destroy(struct data *data);

int64_t data_symbols(const struct data *data); /* the vocabulary's size */

/* The shard that LEARNER's sequence INDEX comes from, where it comes from any. */
int64_t data_shard(int64_t shards, int64_t learners, int64_t learner, int64_t index);

/* Sequence INDEX of the batch at POSITION of LEARNER's data: LENGTH symbols, each in 0 … data_symbols − 1,
 * into SYMBOLS. */
void data_training(const struct data *data, int64_t learner, int64_t position, int64_t index, int64_t length,
                   int32_t *symbols);

/* Held-out sequence INDEX, the same for everyone. */
void data_held_out(const struct data *data, int64_t index, int64_t length, int32_t *symbols);

/* The source's own mean −log p per symbol of SYMBOLS[1 … length−1], given what stands before each in SYMBOLS,
 * in nats, for a held-out sequence: the least loss that any model can have in the mean. NAN for a text. */
double data_source_loss(const struct data *data, const int32_t *symbols, int64_t length);

#endif
