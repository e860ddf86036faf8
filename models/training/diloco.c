/*
 * DiLoCo (arXiv 2311.08105): learners take H inner steps apart, then meet at a barrier and all-reduce
 * their drifts over the network, standing still for it.
 *
 * A learner is in the round, at the barrier, or, after a loss, absent until the end of the next
 * synchronisation, when it fetches the model; where nobody is in a round, it begins one from
 * the last synchronised model.
 */
#include "models/network/link.h"
#include "models/priority.h"
#include "models/training/kind.h"
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
    struct sim_handle end;   /* of that */
    int64_t round;           /* of the next synchronisation, from 1 */
    struct tape_part *parts; /* room for all learners */
    uint32_t actor;
};

static void on_synchronised(struct sim_engine *engine, void *actor, uint32_t argument);

static void set_attendance(struct diloco *diloco, struct member *member, enum attendance attendance)
{
    diloco->in_round += (attendance == IN_ROUND) - (member->attendance == IN_ROUND);
    diloco->at_barrier += (attendance == AT_BARRIER) - (member->attendance == AT_BARRIER);
    member->attendance = attendance;
}

/* A ring all-reduce over n learners: each sends and receives 2(n−1)/n of the model, in 2(n−1) rounds. */
static sim_time synchronisation_time(struct diloco *diloco, int64_t learners)
{
    const struct network_config *network = &diloco->world->config->network;
    double bits = world_drift_bits(diloco->world, &diloco->options->learner.rule) * 2 *
                  (double)(learners - 1) / (double)learners;
    diloco->world->counts.wan_bits += bits * (double)learners;
    int64_t hops = 2 * (learners - 1);
    if (hops > 0 && network->wan_latency > SIM_NEVER / hops)
        return SIM_NEVER;
    return sim_time_add(link_transfer_time(bits, network->wan_bandwidth), hops * network->wan_latency);
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

static void synchronise_if_complete(struct diloco *diloco)
{
    struct world *world = diloco->world;
    bool waits = diloco->options->learner_loss == LEARNER_LOSS_WAIT && absent_members(diloco) > 0;
    if (diloco->synchronising || diloco->in_round > 0 || diloco->at_barrier == 0 || waits)
        return;
    diloco->synchronising = true;
    sim_time length = synchronisation_time(diloco, diloco->at_barrier);
    diloco->end = sim_engine_schedule(world->engine, sim_time_add(sim_engine_now(world->engine), length),
                                      PRIORITY_MESSAGE, diloco->actor, 0);
    for (int64_t i = 0; i < world->layout.learners; i++) {
        if (diloco->members[i].attendance == AT_BARRIER)
            write_record(diloco, &world->learners[i], TAPE_SEND);
        learner_poke(&world->learners[i]);
    }
}

/* Nobody is left to end the synchronisation: a merge of nobody's, to which what was sent for it is too late.
 */
static void break_off_if_empty(struct diloco *diloco)
{
    if (!diloco->synchronising || diloco->at_barrier > 0)
        return;
    sim_engine_cancel(diloco->world->engine, diloco->end);
    write_merge(diloco);
    diloco->synchronising = false;
    diloco->round++;
}

/* One copy of the parameters; a learner's inner optimiser starts afresh. */
static void fetch_model(struct diloco *diloco, struct learner *learner)
{
    struct world *world = diloco->world;
    const struct network_config *network = &world->config->network;
    struct member *member = &diloco->members[learner->number];
    sim_time transfer = link_transfer_time(world_model_bits(world), network->wan_bandwidth);
    world->counts.wan_bits += world_model_bits(world);
    member->wants_in = false;
    member->steps = 0;
    set_attendance(diloco, member, IN_ROUND);
    write_record(diloco, learner, TAPE_COPY);
    learner_restore(learner, sim_time_add(transfer, network->wan_latency));
}

static void on_synchronised(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct diloco *diloco = actor;
    struct world *world = diloco->world;
    diloco->synchronising = false;
    world->counts.merges++;
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

static void destroy(void *state)
{
    struct diloco *diloco = state;
    free(diloco->members);
    free(diloco->parts);
    free(diloco);
}

static void *create(struct world *world, const void *options, struct error *error)
{
    size_t learners = (size_t)world->layout.learners;
    struct diloco *diloco = calloc(1, sizeof *diloco);
    struct member *members = calloc(learners, sizeof *members);
    struct tape_part *parts = calloc(learners, sizeof *parts);
    uint32_t actor = diloco ? sim_engine_add_actor(world->engine, on_synchronised, diloco) : UINT32_MAX;
    if (!members || !parts || actor == UINT32_MAX) {
        free(members);
        free(parts);
        free(diloco);
        error_out_of_memory(error, "the DiLoCo learners");
        return NULL;
    }
    *diloco = (struct diloco){.world = world,
                              .options = options,
                              .members = members,
                              .parts = parts,
                              .round = 1,
                              .in_round = world->layout.learners,
                              .actor = actor};
    return diloco;
}

static int obstacle(void *state, struct learner *learner)
{
    struct diloco *diloco = state;
    if (diloco->members[learner->number].attendance == IN_ROUND)
        return NO_OBSTACLE;
    return diloco->synchronising ? BUDGET_COMMUNICATION_WAIT : BUDGET_QUORUM_WAIT;
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
    break_off_if_empty(diloco);
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
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .step_done = step_done,
    .lost = lost,
    .back = back,
};
