/*
 * Replay: the real optimisers on a stored tape. The same tape, configuration and seed give the same bits.
 *
 * Every learner holds parameters, inner optimiser state and, by strategy, error feedback or mixing state; the
 * syncer holds the outer parameters and optimiser. All start from the same initial values.
 */
#ifndef MODELS_LEARNING_REPLAY_H
#define MODELS_LEARNING_REPLAY_H

#include "models/learning/config.h"
#include "models/tape/rule.h"
#include "models/tape/tape.h"
#include "sim/error.h"
#include <stdatomic.h>

/* One evaluation of what the job would deploy: the syncer's parameters, the only learner's, or the mean of
 * those gossiping learners that are there. */
struct curve_point {
    sim_time time;
    double steps;  /* full steps' worth of tokens */
    double tokens; /* trained and not lost */
    double loss;   /* held out, nats per symbol */
};

struct curve {
    struct curve_point *points;
    size_t count, capacity;
    double floor;  /* the source's own loss on the same held-out sequences; NAN: unknown */
    bool diverged; /* the last loss is no finite number, as a loss or a gradient was; the replay stopped there
                    */
    double tokens_trained, tokens_merged, tokens_lost, tokens_pending; /* trained = merged + lost + pending */
};

struct replay_request {
    const struct learning_config *learning;
    const struct learning_rule *rule;
    const struct tape *tape; /* checked */
    uint64_t seed;
    const atomic_bool *stop; /* or NULL */
};

/* Whether LEARNING makes a model and its data can be read, before there is any tape: else ERROR_INPUT. */
bool replay_check(const struct learning_config *learning, uint64_t seed, struct error *error);

/* Bytes, about, of what learners and syncer hold; the data and a model's work space come on top. NAN with
 * ERROR_INPUT as for replay_create. */
double replay_memory(const struct replay_request *request, struct error *error);

struct replay;

/* Prepares it; ERROR_INPUT for data that can't be read. The request's objects must outlive the replay. */
struct replay *replay_create(const struct replay_request *request, struct error *error);
void replay_destroy(struct replay *replay);

/* Works until the tape's end (*FINISHED true), divergence (true), a stop, or about SECONDS of work. False
 * when memory runs out. */
bool replay_advance(struct replay *replay, double seconds, bool *finished, struct error *error);

double replay_share(const struct replay *replay); /* of the tape's records, played */

const struct curve *replay_curve(const struct replay *replay);

/* The whole state between two advances, to go on later with the same request. The caller frees BYTES. */
bool replay_save(const struct replay *replay, void **bytes, size_t *length, struct error *error);
bool replay_load(struct replay *replay, const void *bytes, size_t length, struct error *error);

/* The parameters that an evaluation would use, as double, for tests; COUNT of them. The caller frees. */
double *replay_parameters(struct replay *replay, size_t *count);

#endif
