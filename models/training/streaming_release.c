/*
 * A fragment is sent as a whole when its step is done; or, released layer by layer, each of its layers as
 * soon as the backward pass has its gradients, and the last one to come is the lowest.
 */
#include "models/training/streaming_internal.h"

/* Of the layers that STEP's fragment has. */
static int64_t lowest_layer(const struct streaming *streaming, int64_t step)
{
    return streaming->layers ? fragment_due(&streaming->schedule, step) + 1 : 0;
}

enum reducer_progress streaming_progress(const struct streaming *streaming, int64_t step)
{
    return reducer_progress(streaming->reducer, step, lowest_layer(streaming, step));
}

/* The part of LEARNER's step before which it needs what is due: of fragments older than τ steps, the first.
 */
static int64_t gate(const struct streaming *streaming, const struct learner *learner)
{
    int64_t needed = streaming_needed_step(streaming, learner);
    bool late = needed < learner->clock - streaming->options->overlap;
    return streaming->layers && !late ? lowest_layer(streaming, needed) - 1 : 0;
}

int streaming_part_obstacle(void *state, struct learner *learner, int64_t part)
{
    struct streaming *streaming = state;
    int64_t needed = streaming_needed_step(streaming, learner);
    if (needed <= streaming->window.over_until || part < gate(streaming, learner))
        return NO_OBSTACLE;
    enum reducer_progress progress = streaming_progress(streaming, needed);
    return progress == REDUCER_RUNS ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
}

/* The next point, above PART, at which a layer of the fragment that is due in this step has its gradients. */
static int64_t next_release(const struct streaming *streaming, const struct learner *learner, int64_t part)
{
    const struct workload_config *workload = &streaming->world->config->workload;
    int64_t fragment = fragment_due(&streaming->schedule, learner->clock + 1);
    int64_t stride = streaming->schedule.fragments;
    if (!streaming->layers || fragment < 0)
        return workload_parts(workload);
    int64_t layer = fragment + 1 + (streaming->layers - fragment - 1) / stride * stride;
    for (; layer > 0; layer -= stride)
        if (workload_parts_with_gradients(workload, layer) > part)
            return workload_parts_with_gradients(workload, layer);
    return workload_parts(workload);
}

int64_t streaming_part_stop(void *state, struct learner *learner, int64_t part)
{
    struct streaming *streaming = state;
    if (!streaming_take_in(streaming, learner) && part < gate(streaming, learner))
        return gate(streaming, learner);
    return next_release(streaming, learner, part);
}

void streaming_part_done(void *state, struct learner *learner, int64_t parts)
{
    struct streaming *streaming = state;
    int64_t fragment = fragment_due(&streaming->schedule, learner->clock + 1);
    int64_t layer = workload_layer_with_gradients(&streaming->world->config->workload, parts);
    bool due = streaming->layers && fragment >= 0 && layer > 0 &&
               (layer - 1) % streaming->schedule.fragments == fragment;
    if (due)
        reducer_release(streaming->reducer, learner->number, learner->clock + 1, layer, streaming->bits);
}

void streaming_release_whole(struct streaming *streaming, const struct learner *learner)
{
    if (!streaming->layers)
        reducer_release(streaming->reducer, learner->number, learner->clock, 0, streaming->bits);
}

/* Whose part of STEP's drift is yet to come. */
static bool awaits(void *context, int64_t number, int64_t step)
{
    const struct streaming *streaming = context;
    const struct learner *learner = streaming->members[number].learner;
    return learner_is_alive(learner) && learner->clock < step;
}

/* What learners wait for has a new name, or is there. */
static void changed(void *context, int64_t step, int64_t layer)
{
    struct streaming *streaming = context;
    if (reducer_progress(streaming->reducer, step, layer) == REDUCER_OVER)
        streaming_end_complete(streaming);
    else
        streaming_poke_all(streaming);
}

/* With more fragments than layers some have none: all are sent as wholes then. */
bool streaming_create_reducer(struct streaming *streaming, struct error *error)
{
    const struct streaming_options *options = streaming->options;
    const struct workload_config *workload = &streaming->world->config->workload;
    struct reducer_user user = {awaits, changed, streaming};
    int64_t layers = strategy_released_layers(options->release, workload);
    bool layered = layers >= options->fragments;
    streaming->layers = layered ? layers : 0;
    int64_t pieces = layered ? (workload->layers - 1) / options->fragments + 1 : 1; /* of a fragment */
    streaming->bits = world_drift_bits(streaming->world, &options->learner.rule) /
                      (double)(layered ? workload->layers : options->fragments);
    size_t room = (streaming->window.capacity + 1) * (size_t)pieces;
    streaming->reducer = reducer_create(streaming->world, options->collective, room, &user, error);
    return streaming->reducer != NULL;
}
