/*
 * Gossip (GASLoC, arXiv 2606.11081): rounds of H local steps, each followed by an exchange of models with
 * one or two peers of a random matching. A learner waits for its partners of the round only, and goes on
 * without one that is down or has passed the round by.
 *
 * A meeting is one learner's side of one matching in its present round. Both sides of a pair turn to
 * MEETING_EXCHANGING together, when the later of them arrives.
 */
#include "models/network/link.h"
#include "models/priority.h"
#include "models/training/kind.h"
#include "models/training/matching.h"
#include "models/training/world.h"
#include <stdlib.h>

#define MOST_PEERS 2
#define RECOVERY_COPIES 3 /* parameters and two moments of the inner optimiser */
#define CACHED_ROUNDS 16  /* learners are seldom further apart; a matching is drawn again if they are */

static const char *const algorithm_names[] = {"gasloc", "gasloc-literal", "noloco",
                                              "d-psgd", "ad-psgd",        NULL};

static const struct parameter rows[] = {
    STRATEGY_LEARNERS("8"),
    STRATEGY_ELASTIC("true"),
    STRATEGY_SLICE_LOSS,
    {.path = "algorithm",
     .type = PARAMETER_CHOICE,
     .choices = algorithm_names,
     .fallback = "gasloc",
     .sentence = "How models are mixed: gasloc mixes the momentum too and is stable, gasloc-literal is the "
                 "update as printed; read by replays only.",
     .source = "ours: the literal form does not reach consensus on the complete graph with momentum",
     .offset = offsetof(struct learner_options, rule.algorithm)},
    {.path = "inner_steps",
     .type = PARAMETER_INTEGER,
     .fallback = "24",
     .minimum = 1,
     .maximum = 1e9,
     .sentence = "Local steps in a round.",
     .source = "ours: as for DiLoCo; none published",
     .offset = offsetof(struct gossip_options, inner_steps)},
    {.path = "peers",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = MOST_PEERS,
     .sentence = "Partners that a learner meets in a round, each from a random matching.",
     .source = "arXiv 2606.11081",
     .offset = offsetof(struct gossip_options, peers)},
    {.path = "mixing",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence =
         "Mixing weight α, 1 averaging a pair; where left out 1 with one peer and 0.5 with two; read by "
         "replays only.",
     .source = "ours: no value is published, and two peers diverge at 1",
     .offset = offsetof(struct learner_options, rule.mixing)},
    STRATEGY_OUTER_RATE,
};

const struct parameter_variant gossip_variant = {
    .name = "gossip",
    .sentence = "rounds of local steps, then an exchange with a random partner; no barrier",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct gossip_options),
};

enum meeting_status { MEETING_AHEAD, MEETING_EXCHANGING, MEETING_OVER };

struct meeting {
    enum meeting_status status;
    int32_t partner;
    struct sim_handle end; /* of the exchange, the same in both sides */
};

struct member {
    struct gossip *gossip;
    struct learner *learner;
    int64_t round, steps;
    bool arrived; /* has done the round's steps */
    bool met;     /* someone, in this round */
    struct meeting meetings[MOST_PEERS];
    struct link link;
    uint32_t exchange_actor, recovery_actor;
};

struct matching {
    int64_t round;     /* -1: none yet */
    int32_t *partners; /* peers × learners */
};

struct gossip {
    struct world *world;
    const struct gossip_options *options;
    struct member *members;
    struct matching cache[CACHED_ROUNDS];
    int32_t *numbers; /* the matchings' partners, and scratch space */
    int32_t *scratch;
};

static int64_t member_count(const struct gossip *gossip)
{
    return gossip->world->layout.learners;
}

/* The partners of every learner in ROUND. */
static const int32_t *matching_of(struct gossip *gossip, int64_t round)
{
    const struct world *world = gossip->world;
    struct matching *matching = &gossip->cache[round % CACHED_ROUNDS];
    if (matching->round != round) {
        for (int64_t k = 0; k < gossip->options->peers; k++)
            matching_draw(world->seed, world->replication, round, k, member_count(gossip),
                          matching->partners + k * member_count(gossip), gossip->scratch);
        matching->round = round;
    }
    return matching->partners;
}

/* Meetings. */

static void write_record(const struct gossip *gossip, const struct member *member, enum tape_kind kind)
{
    struct tape_record record = learner_record(member->learner, kind);
    tape_write(gossip->world->tape, record);
}

static void finish_round_if_over(struct gossip *gossip, struct member *member)
{
    for (int64_t k = 0; k < gossip->options->peers; k++)
        if (member->meetings[k].status != MEETING_OVER)
            return;
    write_record(gossip, member, TAPE_ROUND_END);
    if (member->met)
        learner_mark_safe(member->learner); /* the partner has it too */
    member->round++;
    member->steps = 0;
    member->arrived = member->met = false;
}

static void begin_exchange(struct gossip *gossip, struct member *one, struct member *other, int64_t k)
{
    struct world *world = gossip->world;
    double bits = world_model_bits(world);
    sim_time now = sim_engine_now(world->engine);
    sim_time there = link_send(&one->link, now, bits), back = link_send(&other->link, now, bits);
    struct sim_handle end = sim_engine_schedule(world->engine, there > back ? there : back, PRIORITY_MESSAGE,
                                                one->exchange_actor, (uint32_t)k);
    world->counts.wan_bits += 2 * bits;
    one->meetings[k].status = other->meetings[k].status = MEETING_EXCHANGING;
    one->meetings[k].end = other->meetings[k].end = end;
}

static void look_for_partner(struct gossip *gossip, struct member *member, int64_t k)
{
    struct meeting *meeting = &member->meetings[k];
    struct member *partner = meeting->partner < 0 ? NULL : &gossip->members[meeting->partner];
    if (!partner || !learner_is_alive(partner->learner) || partner->round > member->round) {
        meeting->status = MEETING_OVER;
    } else if (partner->round == member->round && partner->arrived) {
        begin_exchange(gossip, member, partner, k);
        learner_poke(partner->learner); /* it now waits for bytes */
    }
}

static void arrive(struct gossip *gossip, struct member *member)
{
    const int32_t *partners = matching_of(gossip, member->round);
    member->arrived = true;
    write_record(gossip, member, TAPE_ROUND);
    for (int64_t k = 0; k < gossip->options->peers; k++) {
        int32_t partner = partners[k * member_count(gossip) + member->learner->number];
        member->meetings[k] = (struct meeting){.status = MEETING_AHEAD, .partner = partner};
    }
    for (int64_t k = 0; k < gossip->options->peers; k++)
        look_for_partner(gossip, member, k);
    finish_round_if_over(gossip, member);
}

static void end_meeting(struct gossip *gossip, struct member *member, int64_t k, bool met)
{
    member->meetings[k].status = MEETING_OVER;
    member->met |= met;
    finish_round_if_over(gossip, member);
    learner_poke(member->learner);
}

static void write_mix(const struct gossip *gossip, const struct member *one, const struct member *other)
{
    struct tape_record record = learner_record(one->learner, TAPE_MIX);
    record.peer = (int32_t)other->learner->number;
    record.weight = 1;
    tape_write(gossip->world->tape, record);
}

static void on_exchanged(struct sim_engine *engine, void *actor, uint32_t k)
{
    (void)engine;
    struct member *one = actor;
    struct gossip *gossip = one->gossip;
    struct member *other = &gossip->members[one->meetings[k].partner];
    gossip->world->counts.merges++;
    write_mix(gossip, one, other);
    end_meeting(gossip, one, k, true);
    end_meeting(gossip, other, k, true);
}

static int obstacle(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    const struct member *member = &gossip->members[learner->number];
    if (!member->arrived)
        return NO_OBSTACLE;
    for (int64_t k = 0; k < gossip->options->peers; k++)
        if (member->meetings[k].status == MEETING_AHEAD)
            return BUDGET_QUORUM_WAIT;
    return BUDGET_COMMUNICATION_WAIT;
}

static void step_done(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct member *member = &gossip->members[learner->number];
    if (++member->steps >= gossip->options->inner_steps)
        arrive(gossip, member);
}

/* Loss and recovery. */

/* Whoever waits for MEMBER, or is in an exchange with it, goes on without. */
static void let_partners_go(struct gossip *gossip, struct member *member)
{
    for (int64_t i = 0; i < member_count(gossip); i++) {
        struct member *other = &gossip->members[i];
        for (int64_t k = 0; other->arrived && k < gossip->options->peers; k++) {
            struct meeting *meeting = &other->meetings[k];
            if (meeting->partner != (int32_t)member->learner->number || meeting->status == MEETING_OVER)
                continue;
            sim_engine_cancel(gossip->world->engine, meeting->end);
            end_meeting(gossip, other, k, false);
        }
    }
}

static void lost(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct member *member = &gossip->members[learner->number];
    learner_discard(learner, learner_unsafe_work(learner));
    write_record(gossip, member, TAPE_LOST);
    let_partners_go(gossip, member);
    member->arrived = member->met = false;
    member->steps = 0;
}

/* The learner that is furthest in the common course, or NULL. */
static const struct member *donor(const struct gossip *gossip)
{
    const struct member *best = NULL;
    for (int64_t i = 0; i < member_count(gossip); i++) {
        const struct member *member = &gossip->members[i];
        if (learner_is_alive(member->learner) && (!best || member->round > best->round))
            best = member;
    }
    return best;
}

/* With no donor, it is the last that all had in common which is loaded. */
static void write_copy(const struct gossip *gossip, const struct member *member, const struct member *from)
{
    struct tape_record record = learner_record(member->learner, TAPE_COPY);
    record.peer = from ? (int32_t)from->learner->number : TAPE_SYNCER;
    tape_write(gossip->world->tape, record);
}

/* It goes on from where the donor stands by now. */
static void on_recovered(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct member *member = actor;
    const struct member *from = donor(member->gossip);
    if (from) {
        member->round = from->arrived ? from->round + 1 : from->round;
        member->steps = from->arrived ? 0 : from->steps;
        member->learner->clock = from->learner->clock;
    }
    write_copy(member->gossip, member, from);
    learner_resume(member->learner);
}

static void back(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct world *world = gossip->world;
    struct member *member = &gossip->members[learner->number];
    const struct network_config *network = &world->config->network;
    sim_time length = world->config->checkpoints.load_time;
    if (donor(gossip)) {
        double bits = RECOVERY_COPIES * world_model_bits(world);
        world->counts.wan_bits += bits;
        length = sim_time_add(link_transfer_time(bits, network->wan_bandwidth), network->wan_latency);
    }
    sim_engine_schedule(world->engine, sim_time_add(sim_engine_now(world->engine), length), PRIORITY_MESSAGE,
                        member->recovery_actor, 0);
}

/* Life. */

static bool check(const void *options, const char **path, const char **reason)
{
    (void)options, (void)path, (void)reason;
    return true;
}

static void destroy(void *state)
{
    struct gossip *gossip = state;
    free(gossip->members);
    free(gossip->numbers);
    free(gossip);
}

static bool init_member(struct gossip *gossip, int64_t number)
{
    struct world *world = gossip->world;
    struct member *member = &gossip->members[number];
    const struct network_config *network = &world->config->network;
    *member = (struct member){.gossip = gossip,
                              .learner = &world->learners[number],
                              .link = {.bandwidth = network->wan_bandwidth, .latency = network->wan_latency}};
    member->exchange_actor = sim_engine_add_actor(world->engine, on_exchanged, member);
    member->recovery_actor = sim_engine_add_actor(world->engine, on_recovered, member);
    return member->recovery_actor != UINT32_MAX;
}

static bool init(struct gossip *gossip)
{
    int64_t learners = member_count(gossip), a_round = learners * gossip->options->peers;
    gossip->members = calloc((size_t)learners, sizeof *gossip->members);
    gossip->numbers = malloc((size_t)(CACHED_ROUNDS * a_round + learners) * sizeof *gossip->numbers);
    if (!gossip->members || !gossip->numbers)
        return false;
    for (int64_t i = 0; i < CACHED_ROUNDS; i++)
        gossip->cache[i] = (struct matching){.round = -1, .partners = gossip->numbers + i * a_round};
    gossip->scratch = gossip->numbers + CACHED_ROUNDS * a_round;
    for (int64_t i = 0; i < learners; i++)
        if (!init_member(gossip, i))
            return false;
    return true;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    struct gossip *gossip = calloc(1, sizeof *gossip);
    if (gossip) {
        gossip->world = world;
        gossip->options = options;
    }
    if (!gossip || !init(gossip)) {
        if (gossip)
            destroy(gossip);
        error_out_of_memory(error, "the gossiping learners");
        return NULL;
    }
    return gossip;
}

const struct strategy_functions gossip_functions = {
    .check = check,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .step_done = step_done,
    .lost = lost,
    .back = back,
};
