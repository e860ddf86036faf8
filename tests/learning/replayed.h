/*
 * Replays for tests: tiny models, a tape played to its end, and what is left of it.
 */
#ifndef TESTS_LEARNING_REPLAYED_H
#define TESTS_LEARNING_REPLAYED_H

#include "models/learning/replay.h"
#include "tests/models/fixture.h"

/* A transformer of one layer of width 16 on 16 symbols, and a quadratic in 12 dimensions; AdamW, 8 sequences
 * a step, an evaluation every 5 steps. */
struct learning_config replayed_transformer(enum learning_precision precision);
struct learning_config replayed_quadratic(enum learning_precision precision);

/* DiLoCo's outer step on the plain mean; gossip averages pairs. */
struct learning_rule replayed_rule(void);

struct replayed {
    struct curve curve; /* a copy of its own */
    double *parameters;
    size_t count;
};

struct replay_request replayed_request(const struct learning_config *learning,
                                       const struct learning_rule *rule, const struct tape *tape);

/* Plays the tape, which must be sound, to its end. */
struct replayed replayed_whole(const struct replay_request *request);
/* The same of a replay that is under way or over; destroys it. */
struct replayed replayed_rest(struct replay *replay);
void replayed_free(struct replayed *replayed);

/* Fails unless curves and parameters have the same bits. */
void replayed_assert_same(const struct replayed *a, const struct replayed *b);

/* Fails unless trained = merged + lost + pending, and none of them is negative. */
void replayed_assert_conserved(const struct replayed *replayed);

/* A run of a KIND of strategy in which learners are lost and come back: 4 learners of one slice each, about
 * 60 steps, a failure every 8; all-reduce goes back to checkpoints. */
struct fixture replayed_troubled(int64_t kind);
struct tape *replayed_tape(const struct fixture *fixture, uint64_t seed, struct run_result *result);

#endif
