#include "models/learning/syncer.h"

#include <stdlib.h>
#include <string.h>

/* One learner's drift of one fragment. Its numbers lie as the fragment's tensors do, one after another. */
struct message {
    int32_t learner, fragment;
    int64_t clock;
    double tokens;
    real *drift;
};

struct syncer {
    const struct learning_rule *rule;
    struct outer_rule outer;
    const struct tensor *tensors;
    size_t tensor_count, parameters, fragments, state_size;
    int32_t *fragment_of; /* by tensor */
    int64_t *steps;       /* outer steps taken, by tensor */
    real *theta;          /* outer parameters */
    real *state; /* of the outer optimiser: state_size / parameters reals a parameter, tensor by tensor */
    real *merged, *scratch;
    const real **drifts; /* of one tensor, by participant */
    double *weights;
    size_t part_capacity;
    struct message *messages;
    size_t message_count, message_capacity;
};

static size_t tensor_size(const struct tensor *tensor)
{
    return tensor->rows * tensor->columns;
}

static bool holds(const struct syncer *syncer, int32_t fragment, size_t tensor)
{
    return fragment == TAPE_WHOLE || syncer->fragment_of[tensor] == fragment;
}

static size_t fragment_size(const struct syncer *syncer, int32_t fragment)
{
    size_t size = 0;
    for (size_t i = 0; i < syncer->tensor_count; i++)
        if (holds(syncer, fragment, i))
            size += tensor_size(&syncer->tensors[i]);
    return size;
}

struct syncer *syncer_create(const struct learning_rule *rule, const struct tensor *tensors,
                             size_t tensor_count, size_t parameters, size_t fragments, const real *initial)
{
    struct syncer *syncer = calloc(1, sizeof *syncer);
    if (!syncer)
        return NULL;
    syncer->rule = rule;
    syncer->outer = (struct outer_rule){.optimiser = rule->outer,
                                        .rate = rule->outer_rate,
                                        .momentum = rule->outer_momentum,
                                        .delay = rule->outer_delay};
    syncer->tensors = tensors;
    syncer->tensor_count = tensor_count;
    syncer->parameters = parameters;
    syncer->fragments = fragments;
    syncer->state_size = outer_state_size(&syncer->outer, parameters);
    syncer->fragment_of = calloc(tensor_count, sizeof *syncer->fragment_of);
    syncer->steps = calloc(tensor_count, sizeof *syncer->steps);
    syncer->theta = malloc(parameters * sizeof(real));
    syncer->state = calloc(syncer->state_size + 1, sizeof(real));
    syncer->merged = malloc(parameters * sizeof(real));
    syncer->scratch = malloc(parameters * sizeof(real));
    if (!syncer->fragment_of || !syncer->steps || !syncer->theta || !syncer->state || !syncer->merged ||
        !syncer->scratch) {
        syncer_destroy(syncer);
        return NULL;
    }
    fragment_tensors(tensors, tensor_count, (int64_t)fragments, syncer->fragment_of);
    memcpy(syncer->theta, initial, parameters * sizeof(real));
    return syncer;
}

static void drop_message(struct syncer *syncer, size_t index)
{
    free(syncer->messages[index].drift);
    syncer->messages[index] = syncer->messages[--syncer->message_count];
}

void syncer_destroy(struct syncer *syncer)
{
    if (!syncer)
        return;
    while (syncer->message_count > 0)
        drop_message(syncer, 0);
    free(syncer->messages);
    free(syncer->fragment_of);
    free(syncer->steps);
    free(syncer->theta);
    free(syncer->state);
    free(syncer->merged);
    free(syncer->scratch);
    free(syncer->drifts);
    free(syncer->weights);
    free(syncer);
}

const real *syncer_parameters(const struct syncer *syncer)
{
    return syncer->theta;
}

/* Sending. */

static struct message *add_message(struct syncer *syncer, size_t size)
{
    if (syncer->message_count == syncer->message_capacity) {
        size_t capacity = syncer->message_capacity ? 2 * syncer->message_capacity : 64;
        struct message *larger = realloc(syncer->messages, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        syncer->messages = larger;
        syncer->message_capacity = capacity;
    }
    struct message *message = &syncer->messages[syncer->message_count];
    *message = (struct message){.drift = malloc((size + 1) * sizeof(real))};
    if (!message->drift)
        return NULL;
    syncer->message_count++;
    return message;
}

/* The drift of every tensor of the fragment, compressed tensor by tensor. */
static void fill_drift(const struct syncer *syncer, int32_t fragment, struct replica *replica, real *drift)
{
    for (size_t i = 0; i < syncer->tensor_count; i++) {
        const struct tensor *tensor = &syncer->tensors[i];
        size_t size = tensor_size(tensor), offset = tensor->offset;
        if (!holds(syncer, fragment, i))
            continue;
        for (size_t j = 0; j < size; j++)
            drift[j] = syncer->theta[offset + j] - replica->parameters[offset + j];
        compress((enum compression_format)syncer->rule->compression, syncer->rule->compression_bits, size,
                 drift, replica->feedback ? replica->feedback + offset : NULL);
        drift += size;
    }
}

static double take_tokens(const struct syncer *syncer, int32_t fragment, struct replica *replica)
{
    double tokens = 0;
    for (size_t p = 0; p < syncer->fragments; p++) {
        if (fragment != TAPE_WHOLE && (size_t)fragment != p)
            continue;
        tokens += replica->unsent[p];
        replica->unsent[p] = 0;
    }
    return tokens;
}

bool syncer_receive(struct syncer *syncer, int32_t learner, int32_t fragment, int64_t clock,
                    struct replica *replica, struct error *error)
{
    struct message *message = add_message(syncer, fragment_size(syncer, fragment));
    if (!message) {
        error_out_of_memory(error, "a drift under way");
        return false;
    }
    message->learner = learner;
    message->fragment = fragment;
    message->clock = clock;
    message->tokens = take_tokens(syncer, fragment, replica);
    fill_drift(syncer, fragment, replica, message->drift);
    return true;
}

/* Merging. */

static struct message *find_message(struct syncer *syncer, int32_t learner, int32_t fragment, int64_t clock)
{
    for (size_t i = 0; i < syncer->message_count; i++) {
        struct message *message = &syncer->messages[i];
        if (message->learner == learner && message->fragment == fragment && message->clock == clock)
            return message;
    }
    return NULL;
}

static bool reserve_parts(struct syncer *syncer, size_t count)
{
    if (count <= syncer->part_capacity)
        return true;
    const real **drifts = realloc(syncer->drifts, count * sizeof *drifts);
    if (drifts)
        syncer->drifts = drifts;
    double *weights = realloc(syncer->weights, count * sizeof *weights);
    if (weights)
        syncer->weights = weights;
    if (!drifts || !weights)
        return false;
    syncer->part_capacity = count;
    return true;
}

/* Collects the participants' drifts and weights; the sum of the weights. */
static double gather(struct syncer *syncer, int32_t fragment, int64_t clock, const struct tape_part *parts,
                     uint32_t count, double *tokens)
{
    double total = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct message *message = find_message(syncer, parts[k].learner, fragment, clock);
        syncer->drifts[k] = message->drift;
        syncer->weights[k] = parts[k].weight;
        total += parts[k].weight;
        *tokens += message->tokens;
        message->tokens = 0;
    }
    return total;
}

static void merge_tensors(struct syncer *syncer, int32_t fragment, uint32_t count)
{
    size_t per_parameter = syncer->state_size / syncer->parameters;
    for (size_t i = 0; i < syncer->tensor_count; i++) {
        const struct tensor *tensor = &syncer->tensors[i];
        size_t size = tensor_size(tensor);
        if (!holds(syncer, fragment, i))
            continue;
        merge_drifts((enum merge_rule)syncer->rule->merge, tensor->role, count, syncer->drifts,
                     syncer->weights, size, syncer->merged, syncer->scratch);
        outer_step(&syncer->outer, ++syncer->steps[i], size, syncer->theta + tensor->offset, syncer->merged,
                   syncer->state + per_parameter * tensor->offset);
        for (uint32_t k = 0; k < count; k++)
            syncer->drifts[k] += size;
    }
}

/* The tokens of all that it drops. */
static double drop_merged(struct syncer *syncer, int32_t fragment, int64_t clock)
{
    double tokens = 0;
    for (size_t i = syncer->message_count; i-- > 0;)
        if (syncer->messages[i].fragment == fragment && syncer->messages[i].clock <= clock) {
            tokens += syncer->messages[i].tokens;
            drop_message(syncer, i);
        }
    return tokens;
}

bool syncer_merge(struct syncer *syncer, int32_t fragment, int64_t clock, const struct tape_part *parts,
                  uint32_t count, double *tokens, double *late, struct error *error)
{
    if (!reserve_parts(syncer, count)) {
        error_out_of_memory(error, "a merge");
        return false;
    }
    if (gather(syncer, fragment, clock, parts, count, tokens) > 0)
        merge_tensors(syncer, fragment, count);
    *late += drop_merged(syncer, fragment, clock);
    return true;
}

void syncer_apply(const struct syncer *syncer, int32_t fragment, struct replica *replica)
{
    real keep = (real)syncer->rule->blend;
    for (size_t i = 0; i < syncer->tensor_count; i++) {
        const struct tensor *tensor = &syncer->tensors[i];
        if (!holds(syncer, fragment, i))
            continue;
        real *own = replica->parameters + tensor->offset;
        const real *theta = syncer->theta + tensor->offset;
        if (keep == 0)
            memcpy(own, theta, tensor_size(tensor) * sizeof(real));
        for (size_t j = 0; keep != 0 && j < tensor_size(tensor); j++)
            own[j] = keep * own[j] + (1 - keep) * theta[j];
    }
}

double syncer_pending_tokens(const struct syncer *syncer)
{
    double tokens = 0;
    for (size_t i = 0; i < syncer->message_count; i++)
        tokens += syncer->messages[i].tokens;
    return tokens;
}

/* Keeping and saving. */

void syncer_restore(struct syncer *syncer, const struct syncer *kept)
{
    memcpy(syncer->theta, kept->theta, syncer->parameters * sizeof(real));
    memcpy(syncer->state, kept->state, syncer->state_size * sizeof(real));
    memcpy(syncer->steps, kept->steps, syncer->tensor_count * sizeof *syncer->steps);
}

bool syncer_keep(const struct syncer *syncer, struct syncer **kept)
{
    if (!*kept)
        *kept = syncer_create(syncer->rule, syncer->tensors, syncer->tensor_count, syncer->parameters,
                              syncer->fragments, syncer->theta);
    if (!*kept)
        return false;
    syncer_restore(*kept, syncer);
    return true;
}

struct saved_message {
    int32_t learner, fragment;
    int64_t clock;
    double tokens;
};

static size_t fixed_size(const struct syncer *syncer)
{
    return (syncer->parameters + syncer->state_size) * sizeof(real) +
           syncer->tensor_count * sizeof *syncer->steps + sizeof syncer->message_count;
}

size_t syncer_saved_size(const struct syncer *syncer)
{
    size_t size = fixed_size(syncer);
    for (size_t i = 0; i < syncer->message_count; i++)
        size +=
            sizeof(struct saved_message) + fragment_size(syncer, syncer->messages[i].fragment) * sizeof(real);
    return size;
}

static void *put(uint8_t **bytes, const void *data, size_t size)
{
    memcpy(*bytes, data, size);
    return *bytes += size;
}

void syncer_save(const struct syncer *syncer, uint8_t *bytes)
{
    put(&bytes, syncer->theta, syncer->parameters * sizeof(real));
    put(&bytes, syncer->state, syncer->state_size * sizeof(real));
    put(&bytes, syncer->steps, syncer->tensor_count * sizeof *syncer->steps);
    put(&bytes, &syncer->message_count, sizeof syncer->message_count);
    for (size_t i = 0; i < syncer->message_count; i++) {
        const struct message *message = &syncer->messages[i];
        struct saved_message saved = {message->learner, message->fragment, message->clock, message->tokens};
        put(&bytes, &saved, sizeof saved);
        put(&bytes, message->drift, fragment_size(syncer, message->fragment) * sizeof(real));
    }
}

static void get(const uint8_t **bytes, void *data, size_t size)
{
    memcpy(data, *bytes, size);
    *bytes += size;
}

static bool load_message(struct syncer *syncer, const uint8_t **bytes, const uint8_t *end)
{
    struct saved_message saved;
    if ((size_t)(end - *bytes) < sizeof saved)
        return false;
    get(bytes, &saved, sizeof saved);
    if (saved.fragment < TAPE_WHOLE || saved.fragment >= (int32_t)syncer->fragments)
        return false;
    size_t size = fragment_size(syncer, saved.fragment);
    if ((size_t)(end - *bytes) < size * sizeof(real))
        return false;
    struct message *message = add_message(syncer, size);
    if (!message)
        return false;
    message->learner = saved.learner;
    message->fragment = saved.fragment;
    message->clock = saved.clock;
    message->tokens = saved.tokens;
    get(bytes, message->drift, size * sizeof(real));
    return true;
}

bool syncer_load(struct syncer *syncer, const uint8_t *bytes, size_t length)
{
    const uint8_t *end = bytes + length;
    size_t messages;
    if (length < fixed_size(syncer))
        return false;
    get(&bytes, syncer->theta, syncer->parameters * sizeof(real));
    get(&bytes, syncer->state, syncer->state_size * sizeof(real));
    get(&bytes, syncer->steps, syncer->tensor_count * sizeof *syncer->steps);
    get(&bytes, &messages, sizeof messages);
    while (syncer->message_count > 0)
        drop_message(syncer, 0);
    for (size_t i = 0; i < messages; i++)
        if (!load_message(syncer, &bytes, end))
            return false;
    return bytes == end;
}
