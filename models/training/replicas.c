/*
 * Every learner has as many places for runs as the largest learner needs.
 */
#include "models/training/replicas.h"

#include <stdlib.h>

struct replicas {
    struct layout layout;
    int64_t slices;      /* of a run */
    int64_t per_learner; /* places */
    struct replica *all;
};

static int64_t place_of(const struct replicas *replicas, int64_t slice)
{
    int64_t learner = layout_learner_of(&replicas->layout, slice);
    int64_t first = layout_first_slice(&replicas->layout, learner);
    return learner * replicas->per_learner + (slice - first) / replicas->slices;
}

struct replicas *replicas_create(const struct layout *layout, int64_t replica_slices, struct error *error)
{
    int64_t most = (layout->slices - 1) / layout->learners + 1; /* slices of a learner */
    struct replicas *replicas = calloc(1, sizeof *replicas);
    if (replicas) {
        *replicas = (struct replicas){
            .layout = *layout, .slices = replica_slices, .per_learner = (most - 1) / replica_slices + 1};
        replicas->all = calloc((size_t)(layout->learners * replicas->per_learner), sizeof *replicas->all);
    }
    if (!replicas || !replicas->all) {
        error_out_of_memory(error, "the copies of the model");
        replicas_destroy(replicas);
        return NULL;
    }
    for (int64_t slice = 0; slice < layout->slices; slice++)
        replicas->all[place_of(replicas, slice)].chips += layout_slice_chips(layout, slice);
    return replicas;
}

void replicas_destroy(struct replicas *replicas)
{
    if (replicas)
        free(replicas->all);
    free(replicas);
}

struct replica *replicas_find(struct replicas *replicas, int64_t slice)
{
    return &replicas->all[place_of(replicas, slice)];
}
