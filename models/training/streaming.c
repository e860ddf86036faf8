/*
 * Streaming DiLoCo (arXiv 2501.18512): learners take the same steps apart; after each step at which a
 * fragment is due they all-reduce that fragment's drift while stepping on, and take the merged fragment in τ
 * steps later.
 *
 * A learner does not begin step t + τ + 1 before the synchronisation of step t is over, and that one is not
 * over before all learners that are up have done step t: they stay within τ + 1 steps of each other, and a
 * link that is too thin slows them down. Synchronisations are kept, in the order of their steps, until
 * everybody has taken the fragment in.
 *
 * Released layer by layer, fragment p is the layers p + 1, p + 1 + P, … ("strided"). Each is reduced behind
 * the backward pass; the lowest comes last, and the forward pass of step t + τ + 1 waits before that one.
 */
#include "models/training/fragments.h"
#include "models/training/kind.h"
#include "models/training/recovery.h"
#include "models/training/reducer.h"
#include "models/training/world.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Steps between two synchronisations of one fragment, H.",
     .source = "arXiv 2501.18512",
     .offset = offsetof(struct streaming_options, inner_steps)},
    {.path = "fragments",
     .type = PARAMETER_INTEGER,
     .fallback = "8",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Fragments that the model is cut into, P, at most H.",
     .source = "arXiv 2501.18512: 3 layers of 24 each",
     .offset = offsetof(struct streaming_options, fragments)},
    {.path = "overlap",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e6,
     .sentence = "Steps that learners go on while a fragment is synchronised, τ.",
     .source = "arXiv 2501.18512",
     .offset = offsetof(struct streaming_options, overlap)},
    {.path = "blend",
     .type = PARAMETER_REAL,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of its own parameters that a learner keeps when it takes a fragment in, α; read by "
                 "replays only.",
     .source = "arXiv 2501.18512: 0 or 0.5",
     .offset = offsetof(struct learner_options, rule.blend)},
    STRATEGY_COLLECTIVE(struct streaming_options),
    STRATEGY_RELEASE(struct streaming_options),
    STRATEGY_OUTER,
    STRATEGY_MERGE("mean", "arXiv 2501.18512"),
};

const struct parameter_variant streaming_variant = {
    .name = "streaming-diloco",
    .sentence = "DiLoCo by fragments: each is all-reduced while learners step on",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct streaming_options),
};

struct member {
    struct streaming *streaming;
    struct learner *learner;
    int64_t applied;           /* step of the newest fragment taken in */
    struct learner_work *sent; /* its work when each fragment was last sent */
    struct recovery recovery;
};

/* The synchronisation of one step's fragment. */
struct synchronisation {
    int64_t step;
    bool over;
    bool *present; /* by learner: it has sent its drift */
    int64_t count; /* of those */
    int64_t
        laggard; /* a learner that had not done the step when last looked at: the first to look at again */
};

struct streaming {
    struct world *world;
    const struct streaming_options *options;
    struct fragment_schedule schedule;
    struct reducer *reducer;
    int64_t layers; /* in which drifts are sent; 0: by whole fragments */
    double bits;    /* of a layer's drift, or a fragment's */
    struct member *members;
    struct learner_work *sent;    /* what members' sent point into */
    struct synchronisation *open; /* the oldest first */
    size_t open_count, open_capacity;
    bool *present; /* what the open ones' present point into */
    struct tape_part *parts;
    int64_t over_until; /* the newest step whose synchronisation is over */
    int64_t untaken;    /* a learner that had not taken the head in when last looked at, as laggard */
};

static int64_t member_count(const struct streaming *streaming)
{
    return streaming->world->layout.learners;
}

static sim_time now_of(const struct streaming *streaming)
{
    return sim_engine_now(streaming->world->engine);
}

/* Synchronisations. */

static struct synchronisation *find_open(struct streaming *streaming, int64_t step)
{
    for (size_t i = 0; i < streaming->open_count; i++)
        if (streaming->open[i].step == step)
            return &streaming->open[i];
    return NULL;
}

static struct synchronisation *open_synchronisation(struct streaming *streaming, int64_t step)
{
    struct synchronisation *found = find_open(streaming, step);
    if (found)
        return found;
    assert(streaming->open_count < streaming->open_capacity);
    struct synchronisation *opened = &streaming->open[streaming->open_count++];
    *opened = (struct synchronisation){.step = step, .present = opened->present};
    memset(opened->present, 0, (size_t)member_count(streaming) * sizeof *opened->present);
    return opened;
}

/* Everybody who is up has taken STEP's fragment in. */
static bool is_taken(struct streaming *streaming, int64_t step)
{
    int64_t learners = member_count(streaming);
    for (int64_t i = 0; i < learners; i++) {
        const struct member *member = &streaming->members[streaming->untaken];
        if (learner_is_alive(member->learner) && member->applied < step)
            return false;
        streaming->untaken = (streaming->untaken + 1) % learners;
    }
    return true;
}

/* Drops those at the head that everybody who is up has taken in. Their room goes to the end. */
static void drop_taken(struct streaming *streaming)
{
    while (streaming->open_count > 0 && streaming->open[0].over &&
           is_taken(streaming, streaming->open[0].step)) {
        struct synchronisation head = streaming->open[0];
        memmove(streaming->open, streaming->open + 1, --streaming->open_count * sizeof head);
        streaming->open[streaming->open_count] = head;
    }
}

/* Nobody who is up has yet to do the step. */
static bool is_complete(const struct streaming *streaming, struct synchronisation *synchronisation)
{
    int64_t learners = member_count(streaming);
    for (int64_t i = 0; i < learners; i++) {
        const struct learner *learner = streaming->members[synchronisation->laggard].learner;
        if (learner_is_alive(learner) && learner->clock < synchronisation->step)
            return false;
        synchronisation->laggard = (synchronisation->laggard + 1) % learners;
    }
    return synchronisation->count > 0;
}

static void poke_all(struct streaming *streaming)
{
    for (int64_t i = 0; i < member_count(streaming); i++)
        learner_poke(streaming->members[i].learner);
}

static void write_merge(struct streaming *streaming, const struct synchronisation *synchronisation)
{
    struct tape_record record = {.time = now_of(streaming),
                                 .kind = TAPE_MERGE,
                                 .actor = TAPE_SYNCER,
                                 .peer = TAPE_SYNCER,
                                 .fragment =
                                     (int32_t)fragment_due(&streaming->schedule, synchronisation->step),
                                 .clock = synchronisation->step};
    uint32_t count = 0;
    for (int32_t i = 0; i < member_count(streaming); i++)
        if (synchronisation->present[i])
            streaming->parts[count++] =
                (struct tape_part){.learner = i, .weight = 1, .clock = synchronisation->step};
    tape_write_merge(streaming->world->tape, record, streaming->parts, count);
}

/* Layers, of those that STEP's fragment has. */

static int64_t lowest_layer(const struct streaming *streaming, int64_t step)
{
    return streaming->layers ? fragment_due(&streaming->schedule, step) + 1 : 0;
}

/* Ends those whose reductions are over and that nobody has yet to do the step of. */
static void end_complete(struct streaming *streaming)
{
    bool ended = false;
    for (size_t i = 0; i < streaming->open_count; i++) {
        struct synchronisation *synchronisation = &streaming->open[i];
        int64_t step = synchronisation->step;
        if (synchronisation->over)
            continue;
        if (reducer_progress(streaming->reducer, step, lowest_layer(streaming, step)) != REDUCER_OVER ||
            !is_complete(streaming, synchronisation))
            break;
        synchronisation->over = ended = true;
        streaming->over_until = step;
        world_merged(streaming->world);
        write_merge(streaming, synchronisation);
    }
    if (!ended)
        return;
    poke_all(streaming);
    drop_taken(streaming);
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
        end_complete(streaming);
    else
        poke_all(streaming);
}

/* Learners. */

static void write_fragment(const struct streaming *streaming, const struct learner *learner,
                           enum tape_kind kind, int64_t step)
{
    struct tape_record record = learner_record(learner, kind);
    record.fragment = (int32_t)fragment_due(&streaming->schedule, step);
    record.clock = step;
    tape_write(streaming->world->tape, record);
}

/* Takes in what is τ steps old or older. */
static void take_in(struct streaming *streaming, struct member *member)
{
    int64_t until = member->learner->clock - streaming->options->overlap;
    for (size_t i = 0; i < streaming->open_count; i++) {
        int64_t step = streaming->open[i].step;
        if (step > until || step <= member->applied)
            continue;
        write_fragment(streaming, member->learner, TAPE_APPLY, step);
        member->applied = step;
    }
}

/* The step whose fragment LEARNER needs for the step that it is to do or in. */
static int64_t needed_step(const struct streaming *streaming, const struct learner *learner)
{
    return fragment_last_due(&streaming->schedule, learner->clock - streaming->options->overlap);
}

/* The part of LEARNER's step before which it needs that: of fragments older than τ steps, the first. */
static int64_t gate(const struct streaming *streaming, const struct learner *learner)
{
    int64_t needed = needed_step(streaming, learner);
    bool late = needed < learner->clock - streaming->options->overlap;
    return streaming->layers && !late ? lowest_layer(streaming, needed) - 1 : 0;
}

/* What LEARNER waits for before PART of its step. */
static int part_obstacle(void *state, struct learner *learner, int64_t part)
{
    struct streaming *streaming = state;
    int64_t needed = needed_step(streaming, learner);
    if (needed <= streaming->over_until || part < gate(streaming, learner))
        return NO_OBSTACLE;
    enum reducer_progress progress =
        reducer_progress(streaming->reducer, needed, lowest_layer(streaming, needed));
    return progress == REDUCER_RUNS ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
}

/* Takes in what has come, unless something is yet to come for this step. */
static bool take_in_if_there(struct streaming *streaming, struct learner *learner)
{
    if (needed_step(streaming, learner) > streaming->over_until)
        return false;
    take_in(streaming, &streaming->members[learner->number]);
    drop_taken(streaming);
    return true;
}

static int obstacle(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    if (take_in_if_there(streaming, learner))
        return NO_OBSTACLE;
    return part_obstacle(state, learner, 0);
}

static struct traffic_blame blame(const void *state, const struct learner *learner)
{
    (void)learner;
    const struct streaming *streaming = state;
    return reducer_blame(streaming->reducer);
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

static int64_t part_stop(void *state, struct learner *learner, int64_t part)
{
    struct streaming *streaming = state;
    if (!take_in_if_there(streaming, learner) && part < gate(streaming, learner))
        return gate(streaming, learner);
    return next_release(streaming, learner, part);
}

static void part_done(void *state, struct learner *learner, int64_t parts)
{
    struct streaming *streaming = state;
    int64_t fragment = fragment_due(&streaming->schedule, learner->clock + 1);
    int64_t layer = workload_layer_with_gradients(&streaming->world->config->workload, parts);
    bool due = streaming->layers && fragment >= 0 && layer > 0 &&
               (layer - 1) % streaming->schedule.fragments == fragment;
    if (due)
        reducer_release(streaming->reducer, learner->number, learner->clock + 1, layer, streaming->bits);
}

/* A learner that was lost and does a step again behind its peers has sent that step's drift already. */
static void send_fragment(struct streaming *streaming, struct learner *learner, int64_t fragment)
{
    struct synchronisation *synchronisation = open_synchronisation(streaming, learner->clock);
    if (synchronisation->present[learner->number])
        return;
    synchronisation->present[learner->number] = true;
    synchronisation->count++;
    streaming->members[learner->number].sent[fragment] = learner->work;
    write_fragment(streaming, learner, TAPE_SEND, learner->clock);
    if (!streaming->layers)
        reducer_release(streaming->reducer, learner->number, learner->clock, 0, streaming->bits);
}

static void step_done(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    int64_t fragment = fragment_due(&streaming->schedule, learner->clock);
    if (fragment >= 0 && learner->clock > streaming->over_until)
        send_fragment(streaming, learner, fragment);
    reducer_look(streaming->reducer);
    end_complete(streaming);
}

/* Its part of the fragment is void, as far as it has not been reduced. */
static void step_lost(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    reducer_withdraw(streaming->reducer, learner->number, learner->clock + 1);
}

/* Loss and recovery. */

static void back(void *state, struct learner *learner);

static void lost(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    struct member *member = &streaming->members[learner->number];
    learner_discard(learner, learner_work_since(learner, member->sent, streaming->schedule.fragments));
    for (int64_t p = 0; p < streaming->schedule.fragments; p++)
        member->sent[p] = learner->work;
    tape_write(streaming->world->tape, learner_record(learner, TAPE_LOST));
    reducer_look(streaming->reducer);
    end_complete(streaming);
    poke_all(streaming);
    drop_taken(streaming);
    for (int64_t i = 0; i < member_count(streaming); i++)
        if (recovery_break_off(&streaming->members[i].recovery, learner))
            back(streaming, streaming->members[i].learner);
}

/* It goes on from where a peer stands by now; with none left, from what was last merged. */
static void on_recovered(void *context)
{
    struct member *member = context;
    struct streaming *streaming = member->streaming;
    int64_t donor = member->recovery.donor;
    const struct member *from = donor == RECOVERY_NO_DONOR ? NULL : &streaming->members[donor];
    size_t open = streaming->open_count;
    int64_t newest = open > 0 ? streaming->open[open - 1].step : streaming->over_until;
    member->learner->clock = from ? from->learner->clock : newest;
    member->applied = from ? from->applied : streaming->over_until;
    recovery_write_copy(member->learner, donor);
    learner_resume(member->learner);
}

static void back(void *state, struct learner *learner)
{
    struct streaming *streaming = state;
    recovery_send(&streaming->members[learner->number].recovery,
                  recovery_nearest_donor(streaming->world, learner));
}

/* Life. */

static bool check(const void *options, const char **path, const char **reason)
{
    const struct streaming_options *streaming = options;
    if (streaming->fragments > streaming->inner_steps) {
        *path = "fragments";
        *reason = "more fragments than inner steps: each step synchronises one fragment at most";
        return false;
    }
    if (streaming->overlap >= streaming->inner_steps) {
        *path = "overlap";
        *reason =
            "the overlap must be shorter than the inner steps, or a fragment would be sent again under way";
        return false;
    }
    return true;
}

static double reductions(const void *options, const struct workload_config *workload)
{
    const struct streaming_options *streaming = options;
    return (double)strategy_released_layers(streaming->release, workload) / (double)streaming->inner_steps;
}

static void destroy(void *state)
{
    struct streaming *streaming = state;
    reducer_destroy(streaming->reducer);
    free(streaming->members);
    free(streaming->sent);
    free(streaming->open);
    free(streaming->present);
    free(streaming->parts);
    free(streaming);
}

static bool allocate(struct streaming *streaming)
{
    size_t learners = (size_t)member_count(streaming), fragments = (size_t)streaming->schedule.fragments;
    /* Within τ + 1 steps of each other, with τ more until the last has taken in what the first sent. */
    streaming->open_capacity = 2 * (size_t)streaming->options->overlap + 4;
    streaming->members = calloc(learners, sizeof *streaming->members);
    streaming->sent = calloc(learners * fragments, sizeof *streaming->sent);
    streaming->open = calloc(streaming->open_capacity, sizeof *streaming->open);
    streaming->present = calloc(streaming->open_capacity * learners, sizeof *streaming->present);
    streaming->parts = calloc(learners, sizeof *streaming->parts);
    return streaming->members && streaming->sent && streaming->open && streaming->present && streaming->parts;
}

static bool init(struct streaming *streaming)
{
    struct world *world = streaming->world;
    size_t learners = (size_t)member_count(streaming);
    if (!allocate(streaming))
        return false;
    for (size_t i = 0; i < streaming->open_capacity; i++)
        streaming->open[i].present = streaming->present + i * learners;
    for (size_t i = 0; i < learners; i++) {
        struct member *member = &streaming->members[i];
        *member = (struct member){.streaming = streaming,
                                  .learner = &world->learners[i],
                                  .sent = streaming->sent + i * (size_t)streaming->schedule.fragments};
        recovery_init(&member->recovery, &world->learners[i], on_recovered, member);
    }
    return true;
}

/* With more fragments than layers some have none: all are sent as wholes then. */
static bool create_reducer(struct streaming *streaming, struct error *error)
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
    size_t room = (streaming->open_capacity + 1) * (size_t)pieces;
    streaming->reducer = reducer_create(streaming->world, options->collective, room, &user, error);
    return streaming->reducer != NULL;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    const struct streaming_options *wanted = options;
    struct streaming *streaming = calloc(1, sizeof *streaming);
    if (streaming) {
        streaming->world = world;
        streaming->options = wanted;
        streaming->schedule = (struct fragment_schedule){wanted->inner_steps, wanted->fragments};
    }
    if (!streaming || !init(streaming)) {
        error_out_of_memory(error, "Streaming DiLoCo");
    } else if (create_reducer(streaming, error)) {
        return streaming;
    }
    if (streaming)
        destroy(streaming);
    return NULL;
}

const struct strategy_functions streaming_functions = {
    .check = check,
    .reductions = reductions,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = blame,
    .step_done = step_done,
    .step_lost = step_lost,
    .part_obstacle = part_obstacle,
    .part_stop = part_stop,
    .part_done = part_done,
    .lost = lost,
    .back = back,
};
