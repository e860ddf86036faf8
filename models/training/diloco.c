/*
 * DiLoCo (arXiv 2311.08105): learners take H inner steps apart, then meet at a barrier and all-reduce
 * their drifts over the network, standing still for it; or, released layer by layer, the reduction begins
 * behind the backward pass of the round's last step, and only what is left of it is waited for.
 *
 * A learner is in the round, at the barrier, or, after a loss, absent until the end of the next
 * synchronisation, when it fetches the model; where nobody is in a round, it begins one from
 * the last synchronised model. The model is sent by those who were at the barrier, in turn; where there are
 * none, by whoever keeps the last one (TRAFFIC_SYNCER).
 *
 * A learner that is lost in the middle of the all-reduce has no part in the merge, and the others lose no
 * time: it goes on as if it were there (reducer.h).
 */
#include "models/training/kind.h"
#include "models/training/reducer.h"
#include "models/training/world.h"
#include <stdlib.h>

static const char *const learner_loss_names[] = {"drop", "wait", NULL};

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Inner steps between synchronisations, H.",
     .source = "as Decoupled DiLoCo's; arXiv 2311.08105 has 500",
     .offset = offsetof(struct diloco_options, inner_steps)},
    {.path = "learner_loss",
     .type = PARAMETER_CHOICE,
     .choices = learner_loss_names,
     .fallback = "drop",
     .sentence =
         "Whether a synchronisation goes on without a learner that lost all its slices, or waits for it.",
     .source = "ours",
     .offset = offsetof(struct diloco_options, learner_loss)},
    STRATEGY_COLLECTIVE(struct diloco_options),
    STRATEGY_RELEASE(struct diloco_options),
    STRATEGY_OUTER,
    STRATEGY_MERGE("mean", "arXiv 2311.08105"),
};

const struct parameter_variant diloco_variant = {
    .name = "diloco",
    .sentence = "learners take H steps apart, then all-reduce at a barrier",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct diloco_options),
};

enum attendance { IN_ROUND, AT_BARRIER, ABSENT };

struct member {
    struct learner *learner;
    enum attendance attendance;
    int64_t steps; /* in this round */
    bool wants_in; /* absent, restarted and waiting for the next synchronisation */
};

struct diloco {
    struct world *world;
    const struct diloco_options *options;
    struct member *members;
    int64_t in_round, at_barrier;
    bool synchronising;      /* those at the barrier, and nobody else */
    int64_t round;           /* of the next synchronisation, from 1 */
    struct tape_part *parts; /* room for all learners */
    struct reducer *reducer;
    int64_t layers; /* in which drifts are sent; 0: whole */
    double bits;    /* of a layer's drift, or of all */
    int64_t donor;  /* who sent the model last */
};

static void synchronised(struct diloco *diloco);

static void set_attendance(struct diloco *diloco, struct member *member, enum attendance attendance)
{
    diloco->in_round += (attendance == IN_ROUND) - (member->attendance == IN_ROUND);
    diloco->at_barrier += (attendance == AT_BARRIER) - (member->attendance == AT_BARRIER);
    member->attendance = attendance;
}

static int64_t absent_members(const struct diloco *diloco)
{
    return diloco->world->layout.learners - diloco->in_round - diloco->at_barrier;
}

static void write_record(const struct diloco *diloco, const struct learner *learner, enum tape_kind kind)
{
    struct tape_record record = learner_record(learner, kind);
    if (kind == TAPE_SEND || kind == TAPE_APPLY)
        record.clock = diloco->round;
    tape_write(diloco->world->tape, record);
}

/* Those at the barrier are merged alike: DiLoCo's plain mean. */
static void write_merge(struct diloco *diloco)
{
    struct world *world = diloco->world;
    struct tape_record record = {.time = sim_engine_now(world->engine),
                                 .kind = TAPE_MERGE,
                                 .actor = TAPE_SYNCER,
                                 .peer = TAPE_SYNCER,
                                 .fragment = TAPE_WHOLE,
                                 .clock = diloco->round};
    uint32_t count = 0;
    for (int32_t i = 0; i < world->layout.learners; i++)
        if (diloco->members[i].attendance == AT_BARRIER)
            diloco->parts[count++] =
                (struct tape_part){.learner = i, .weight = 1, .clock = world->learners[i].clock};
    tape_write_merge(world->tape, record, diloco->parts, count);
}

/* The lowest layer of the round is reduced, and with it all. */
static bool is_reduced(const struct diloco *diloco)
{
    int64_t last = diloco->layers ? 1 : 0;
    return reducer_progress(diloco->reducer, diloco->round, last) == REDUCER_OVER;
}

/* Those at the barrier, at once: the reduction does not begin with the first. */
static void release_all(struct diloco *diloco)
{
    for (int64_t i = 0; i < diloco->world->layout.learners; i++)
        if (diloco->members[i].attendance == AT_BARRIER)
            reducer_release(diloco->reducer, i, diloco->round, 0, diloco->bits);
}

static void synchronise_if_complete(struct diloco *diloco)
{
    struct world *world = diloco->world;
    bool waits = diloco->options->learner_loss == LEARNER_LOSS_WAIT && absent_members(diloco) > 0;
    if (diloco->synchronising || diloco->in_round > 0 || diloco->at_barrier == 0 || waits)
        return;
    diloco->synchronising = true;
    for (int64_t i = 0; i < world->layout.learners; i++) {
        if (diloco->members[i].attendance == AT_BARRIER)
            write_record(diloco, &world->learners[i], TAPE_SEND);
        learner_poke(&world->learners[i]);
    }
    if (is_reduced(diloco))
        synchronised(diloco);
    else if (!diloco->layers)
        release_all(diloco);
}

/* Nobody is left who has to do with the round. Of its synchronisation, if that was under way, nobody's merge
 * comes out, to which what was sent for it is too late. */
static void break_off_if_empty(struct diloco *diloco)
{
    if (diloco->in_round + diloco->at_barrier > 0)
        return;
    reducer_clear(diloco->reducer, diloco->round);
    if (!diloco->synchronising)
        return;
    write_merge(diloco);
    diloco->synchronising = false;
    diloco->round++;
}

/* The next learner in turn that holds the model. */
static int64_t next_donor(struct diloco *diloco)
{
    for (int64_t i = 0; i < diloco->world->layout.learners; i++) {
        diloco->donor = (diloco->donor + 1) % diloco->world->layout.learners;
        if (learner_is_alive(&diloco->world->learners[diloco->donor]))
            return diloco->donor;
    }
    return TRAFFIC_SYNCER;
}

static void on_fetched(struct sim_engine *engine, void *context)
{
    (void)engine;
    const struct member *member = context;
    learner_resume(member->learner);
}

/* One copy of the parameters; a learner's inner optimiser starts afresh. */
static void fetch_model(struct diloco *diloco, struct learner *learner)
{
    struct member *member = &diloco->members[learner->number];
    member->wants_in = false;
    member->steps = 0;
    set_attendance(diloco, member, IN_ROUND);
    write_record(diloco, learner, TAPE_COPY);
    traffic_send(diloco->world->traffic, &(struct traffic_message){.from = next_donor(diloco),
                                                                   .to = learner->number,
                                                                   .bits = world_model_bits(diloco->world),
                                                                   .arrived = on_fetched,
                                                                   .context = member});
}

static void synchronised(struct diloco *diloco)
{
    struct world *world = diloco->world;
    diloco->synchronising = false;
    world_merged(world);
    write_merge(diloco);
    for (int64_t i = 0; i < world->layout.learners; i++) {
        struct member *member = &diloco->members[i];
        if (member->attendance == AT_BARRIER) {
            member->steps = 0;
            set_attendance(diloco, member, IN_ROUND);
            learner_mark_safe(&world->learners[i]);
            write_record(diloco, &world->learners[i], TAPE_APPLY);
        }
    }
    diloco->round++;
    for (int64_t i = 0; i < world->layout.learners; i++)
        if (diloco->members[i].wants_in)
            fetch_model(diloco, &world->learners[i]);
        else
            learner_poke(&world->learners[i]);
}

static bool check(const void *options, const char **path, const char **reason)
{
    (void)options, (void)path, (void)reason;
    return true;
}

static double reductions(const void *options, const struct workload_config *workload)
{
    const struct diloco_options *diloco = options;
    return (double)strategy_released_layers(diloco->release, workload) / (double)diloco->inner_steps;
}

static void destroy(void *state)
{
    struct diloco *diloco = state;
    reducer_destroy(diloco->reducer);
    free(diloco->members);
    free(diloco->parts);
    free(diloco);
}

/* Whose part of the round's drift is yet to come. */
static bool awaits(void *context, int64_t learner, int64_t round)
{
    (void)round;
    const struct diloco *diloco = context;
    bool absent = diloco->members[learner].attendance == ABSENT;
    return !absent || (diloco->options->learner_loss == LEARNER_LOSS_WAIT && !diloco->synchronising);
}

static void changed(void *context, int64_t round, int64_t layer)
{
    (void)layer;
    struct diloco *diloco = context;
    if (diloco->synchronising && round == diloco->round && is_reduced(diloco))
        synchronised(diloco);
}

static bool init(struct diloco *diloco)
{
    struct world *world = diloco->world;
    size_t learners = (size_t)world->layout.learners;
    diloco->members = calloc(learners, sizeof *diloco->members);
    diloco->parts = calloc(learners, sizeof *diloco->parts);
    for (size_t i = 0; diloco->members && i < learners; i++)
        diloco->members[i].learner = &world->learners[i];
    return diloco->members && diloco->parts;
}

static bool create_reducer(struct diloco *diloco, struct error *error)
{
    struct world *world = diloco->world;
    struct reducer_user user = {awaits, changed, diloco};
    diloco->layers = strategy_released_layers(diloco->options->release, &world->config->workload);
    size_t pieces = diloco->layers > 0 ? (size_t)diloco->layers : 1;
    diloco->bits = world_drift_bits(world, &diloco->options->learner.rule) / (double)pieces;
    diloco->reducer = reducer_create(world, diloco->options->collective, pieces, &user, error);
    return diloco->reducer != NULL;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    struct diloco *diloco = calloc(1, sizeof *diloco);
    if (diloco)
        *diloco = (struct diloco){
            .world = world, .options = options, .round = 1, .in_round = world->layout.learners};
    if (!diloco || !init(diloco)) {
        error_out_of_memory(error, "the DiLoCo learners");
    } else if (create_reducer(diloco, error)) {
        return diloco;
    }
    if (diloco)
        destroy(diloco);
    return NULL;
}

static int obstacle(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    if (diloco->members[learner->number].attendance == IN_ROUND)
        return NO_OBSTACLE;
    return diloco->synchronising ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
}

static struct traffic_blame blame(const void *state, const struct learner *learner)
{
    (void)learner;
    const struct diloco *diloco = state;
    return reducer_blame(diloco->reducer);
}

static void step_done(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    struct member *member = &diloco->members[learner->number];
    if (++member->steps < diloco->options->inner_steps)
        return;
    set_attendance(diloco, member, AT_BARRIER);
    synchronise_if_complete(diloco);
}

/* Its parts of the drift are void, as far as they have not been reduced. */
static void step_lost(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    reducer_withdraw(diloco->reducer, learner->number, diloco->round);
}

static int part_obstacle(void *state, struct learner *learner, int64_t part)
{
    (void)state, (void)learner, (void)part;
    return NO_OBSTACLE;
}

static int64_t part_stop(void *state, struct learner *learner, int64_t part)
{
    struct diloco *diloco = state;
    const struct workload_config *workload = &diloco->world->config->workload;
    bool last_of_round = diloco->members[learner->number].steps + 1 == diloco->options->inner_steps;
    return diloco->layers && last_of_round ? workload_next_gradients(workload, part)
                                           : workload_parts(workload);
}

static void part_done(void *state, struct learner *learner, int64_t parts)
{
    struct diloco *diloco = state;
    int64_t layer = workload_layer_with_gradients(&diloco->world->config->workload, parts);
    bool last_of_round = diloco->members[learner->number].steps + 1 == diloco->options->inner_steps;
    if (diloco->layers && last_of_round && layer > 0)
        reducer_release(diloco->reducer, learner->number, diloco->round, layer, diloco->bits);
}

/* Whoever waits to join would wait for ever once nobody is left to synchronise. */
static void let_in_if_empty(struct diloco *diloco)
{
    if (diloco->synchronising || diloco->in_round + diloco->at_barrier > 0)
        return;
    for (int64_t i = 0; i < diloco->world->layout.learners; i++)
        if (diloco->members[i].wants_in)
            fetch_model(diloco, &diloco->world->learners[i]);
}

static void lost(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    learner_discard(learner, learner_unsafe_work(learner));
    write_record(diloco, learner, TAPE_LOST);
    set_attendance(diloco, &diloco->members[learner->number], ABSENT);
    reducer_withdraw(diloco->reducer, learner->number, diloco->round);
    break_off_if_empty(diloco);
    reducer_look(diloco->reducer);
    synchronise_if_complete(diloco);
    let_in_if_empty(diloco);
}

/* Where learners are waited for, a returning one does its round over at once, or after the synchronisation
 * under way; else it joins at the next one, if anyone is left to make it. */
static void back(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    bool alone = diloco->in_round + diloco->at_barrier == 0;
    bool awaited = diloco->options->learner_loss == LEARNER_LOSS_WAIT && !diloco->synchronising;
    if (alone || awaited)
        fetch_model(diloco, learner);
    else
        diloco->members[learner->number].wants_in = true;
}

const struct strategy_functions diloco_functions = {
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
