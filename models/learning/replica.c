/*
 * One block of memory holds all of a replica's reals, so that copying and saving it is one move.
 */
#include "models/learning/replica.h"

#include <stdlib.h>
#include <string.h>

size_t replica_reals(const struct replica_shape *shape)
{
    return 2 * shape->parameters + shape->inner + shape->feedback + shape->mixing + 2 * shape->message;
}

static real *take(real **block, size_t count)
{
    real *start = count > 0 ? *block : NULL;
    *block += count;
    return start;
}

struct replica *replica_create(const struct replica_shape *shape)
{
    struct replica *replica = calloc(1, sizeof *replica);
    real *block = calloc(replica_reals(shape), sizeof *block);
    double *unsent = calloc(shape->fragments, sizeof *unsent);
    if (!replica || !block || !unsent) {
        free(replica);
        free(block);
        free(unsent);
        return NULL;
    }
    replica->parameters = take(&block, shape->parameters);
    replica->gradient = take(&block, shape->parameters);
    replica->inner = take(&block, shape->inner);
    replica->feedback = take(&block, shape->feedback);
    replica->mixing = take(&block, shape->mixing);
    replica->message = take(&block, shape->message);
    replica->mixture = take(&block, shape->message);
    replica->unsent = unsent;
    return replica;
}

void replica_destroy(struct replica *replica)
{
    if (!replica)
        return;
    free(replica->parameters); /* the start of the block */
    free(replica->unsent);
    free(replica);
}

void replica_copy(const struct replica_shape *shape, struct replica *to, const struct replica *from)
{
    struct replica arrays = *to;
    memcpy(to->parameters, from->parameters, replica_reals(shape) * sizeof(real));
    memcpy(to->unsent, from->unsent, shape->fragments * sizeof *to->unsent);
    *to = *from;
    to->parameters = arrays.parameters;
    to->gradient = arrays.gradient;
    to->inner = arrays.inner;
    to->feedback = arrays.feedback;
    to->mixing = arrays.mixing;
    to->message = arrays.message;
    to->mixture = arrays.mixture;
    to->unsent = arrays.unsent;
}
