/*
 * The blast radius of a failure: with a layout inside a learner (cluster.parallel) a failed slice stops all
 * slices that hold a part of its copy of the model. They stand healthy (repair_wait) until the last of them
 * is back.
 *
 * A learner's slices are taken in runs of a replica's size, in order; what is left over at its end is one run
 * too.
 */
#ifndef MODELS_TRAINING_REPLICAS_H
#define MODELS_TRAINING_REPLICAS_H

#include "models/training/layout.h"
#include "sim/error.h"

/* A run of slices that stop and go on together. */
struct replica {
    int64_t chips;
    int64_t slices_down;
    int32_t
        cause; /* of the failure that stopped it, to which its healthy slices are charged until it is back */
    uint64_t mark; /* for the learner, as if it were one slice (outages.h) */
};

struct replicas;

/* NULL with ERROR when out of memory. */
struct replicas *replicas_create(const struct layout *layout, int64_t replica_slices, struct error *error);
void replicas_destroy(struct replicas *replicas); /* NULL is allowed */

/* The run that SLICE is in. */
struct replica *replicas_find(struct replicas *replicas, int64_t slice);

#endif
