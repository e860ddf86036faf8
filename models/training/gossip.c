/*
 * Gossip (GASLoC, arXiv 2606.11081): rounds of H local steps, each followed by an exchange of models with
 * one or two peers of a random matching. A learner waits for its partners of the round only, and goes on
 * without one that is down or has passed the round by; with a time-out also without whom it has waited for
 * that long, and without what has not been exchanged by then.
 *
 * Meetings with the partners of a round are gossip_meetings.c, AD-PSGD's exchanges gossip_aside.c.
 */
#include "models/training/gossip_internal.h"

#include "models/priority.h"
#include "models/training/topology.h"
#include <stdlib.h>

static int obstacle(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    const struct member *member = &gossip->members[learner->number];
    if (!member->arrived)
        return NO_OBSTACLE;
    return member->ahead > 0 ? BUDGET_QUORUM_WAIT : BUDGET_COMMUNICATION_WAIT;
}

static void step_done(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct member *member = &gossip->members[learner->number];
    if (++member->steps < gossip->options->inner_steps)
        return;
    if (gossip_is_asynchronous(gossip))
        gossip_exchange_aside(gossip, member);
    else
        gossip_arrive(gossip, member);
}

/* Loss and recovery. */

/* Whoever waits for MEMBER, or is in an exchange with it, goes on without. */
static void let_partners_go(struct gossip *gossip, struct member *member)
{
    bool complete = gossip->options->topology == TOPOLOGY_COMPLETE;
    int64_t number = member->learner->number;
    for (int64_t i = 0; i < gossip_member_count(gossip); i++) {
        struct member *other = &gossip->members[i];
        int64_t first = complete ? number - (number > i) : 0, end = complete ? first + 1 : gossip->degree;
        for (int64_t k = first; other->arrived && i != number && k < end; k++)
            if (other->meetings[k].partner == (int32_t)number && other->meetings[k].status != MEETING_OVER)
                gossip_end_meeting(gossip, other, k, false);
    }
}

/* What is under way to and from MEMBER. */
static void break_off_all(struct gossip *gossip, struct member *member)
{
    for (int64_t k = 0; member->arrived && k < gossip->degree; k++)
        gossip_break_off(gossip, &member->meetings[k]);
    for (int64_t i = 0; i < gossip_member_count(gossip); i++) {
        struct member *other = &gossip->members[i];
        if (other->aside >= 0 && (other == member || other->aside == (int32_t)member->learner->number))
            gossip_break_off_aside(gossip, other);
    }
}

static void bring_back(struct gossip *gossip, struct member *member);

static void lost(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct member *member = &gossip->members[learner->number];
    learner_discard(learner, learner_unsafe_work(learner));
    gossip_write_record(gossip, member, TAPE_LOST);
    break_off_all(gossip, member);
    let_partners_go(gossip, member);
    sim_engine_cancel(gossip->world->engine, member->patience);
    member->arrived = member->met = false;
    member->steps = 0;
    for (int64_t i = 0; i < gossip_member_count(gossip); i++)
        if (recovery_break_off(&gossip->members[i].copy, learner))
            bring_back(gossip, &gossip->members[i]);
}

/* The learner that is furthest in the common course, or NULL. */
static const struct member *donor(const struct gossip *gossip)
{
    const struct member *best = NULL;
    for (int64_t i = 0; i < gossip_member_count(gossip); i++) {
        const struct member *member = &gossip->members[i];
        if (learner_is_alive(member->learner) && (!best || member->round > best->round))
            best = member;
    }
    return best;
}

/* It goes on from where FROM stands by now; with none, from the last that all had in common. */
static void resume(struct member *member, const struct member *from)
{
    if (from) {
        member->round = from->arrived ? from->round + 1 : from->round;
        member->steps = from->arrived ? 0 : from->steps;
        member->learner->clock = from->learner->clock;
    }
    recovery_write_copy(member->learner, from ? (int64_t)from->learner->number : RECOVERY_NO_DONOR);
    learner_resume(member->learner);
}

static void on_recovered(void *context)
{
    struct member *member = context;
    resume(member, &member->gossip->members[member->copy.donor]);
}

/* Somebody may have come back meanwhile. */
static void on_loaded(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct member *member = actor;
    resume(member, donor(member->gossip));
}

/* From a peer, or, with none, from what was saved. */
static void bring_back(struct gossip *gossip, struct member *member)
{
    struct world *world = gossip->world;
    const struct member *from = donor(gossip);
    sim_time loaded = sim_time_add(sim_engine_now(world->engine), member->learner->saving.load_time);
    if (from)
        recovery_send(&member->copy, from->learner->number);
    else
        sim_engine_schedule(world->engine, loaded, PRIORITY_MESSAGE, member->load_actor, 0);
}

static void back(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    bring_back(gossip, &gossip->members[learner->number]);
}

/* Life. */

static void destroy(void *state)
{
    struct gossip *gossip = state;
    free(gossip->members);
    free(gossip->meetings);
    free(gossip->numbers);
    free(gossip);
}

static bool init_member(struct gossip *gossip, int64_t number)
{
    struct world *world = gossip->world;
    struct member *member = &gossip->members[number];
    *member = (struct member){.gossip = gossip,
                              .learner = &world->learners[number],
                              .meetings = gossip->meetings + number * gossip->degree,
                              .aside = -1};
    recovery_init(&member->copy, member->learner, on_recovered, member);
    member->send_actor = sim_engine_add_actor(world->engine, gossip_on_sending, member);
    member->patience_actor = sim_engine_add_actor(world->engine, gossip_on_patience_over, member);
    member->load_actor = sim_engine_add_actor(world->engine, on_loaded, member);
    return member->load_actor != UINT32_MAX;
}

static bool init(struct gossip *gossip)
{
    int64_t learners = gossip_member_count(gossip), a_round = learners * gossip->options->peers;
    gossip->members = calloc((size_t)learners, sizeof *gossip->members);
    gossip->numbers = malloc((size_t)(CACHED_ROUNDS * a_round + learners) * sizeof *gossip->numbers);
    gossip->degree = topology_degree(gossip->options->topology, learners, gossip->options->peers);
    gossip->meetings = calloc((size_t)(learners * gossip->degree) + 1, sizeof *gossip->meetings);
    if (!gossip->members || !gossip->numbers || !gossip->meetings)
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
    .check = gossip_check,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = gossip_blame,
    .step_done = step_done,
    .lost = lost,
    .back = back,
};
