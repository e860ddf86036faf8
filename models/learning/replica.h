/*
 * A replica: what one learner's memory holds in a replay.
 */
#ifndef MODELS_LEARNING_REPLICA_H
#define MODELS_LEARNING_REPLICA_H

#include "models/learning/inner.h"
#include "models/learning/mixing.h"
#include "models/learning/model.h"
#include "models/tape/rule.h"

#define replica_create REAL(replica_create)
#define replica_destroy REAL(replica_destroy)
#define replica_copy REAL(replica_copy)
#define replica_reals REAL(replica_reals)

/* Sizes in reals that all replicas of a replay share. */
struct replica_shape {
    size_t parameters, inner, feedback, mixing, message;
    size_t fragments; /* columns of UNSENT */
};

struct replica {
    real *parameters;
    real *gradient;
    real *inner;    /* optimiser state */
    real *feedback; /* what compressed messages left out; NULL without error feedback */
    real *mixing;   /* gossip: state between rounds; NULL in other strategies */
    real *message;  /* gossip: what this round exchanges */
    real *mixture;  /* gossip: what it has become so far */
    double *unsent; /* tokens trained and not sent yet, by fragment */
    int64_t steps;  /* inner steps taken: where the schedule is */
    int64_t age;    /* of these, since the optimiser was fresh */
    bool lost;      /* the state is gone; what stands here is only what it was */
    bool in_round;  /* gossip: between a round and its end */
    bool has_met;   /* gossip: somebody, in this round */

    /* The step under way: COUNT inner steps, the first one's gradient read at its begin. */
    struct batch batch;
    int64_t count;
    bool gradient_is_made;
};

/* All arrays zero; NULL when out of memory. */
struct replica *replica_create(const struct replica_shape *shape);
void replica_destroy(struct replica *replica);

/* TO becomes FROM, arrays and numbers. */
void replica_copy(const struct replica_shape *shape, struct replica *to, const struct replica *from);

/* Reals held by one replica. */
size_t replica_reals(const struct replica_shape *shape);

#endif
