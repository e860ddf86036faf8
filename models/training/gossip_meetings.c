/*
 * A meeting is one learner's side of one matching in its present round. Both sides of a pair turn to
 * MEETING_EXCHANGING together, when the later of them arrives. A model crosses the network each way then, and
 * the exchange is over when both are there. A learner sends one model after another, in the order of its
 * matchings, so that those who arrive together never all send to one.
 */
#include "models/training/gossip_internal.h"

#include "models/priority.h"
#include "models/training/matching.h"
#include "models/training/topology.h"

/* The partners of every learner in ROUND. */
static const int32_t *matching_of(struct gossip *gossip, int64_t round)
{
    const struct world *world = gossip->world;
    struct matching *matching = &gossip->cache[round % CACHED_ROUNDS];
    if (matching->round != round) {
        for (int64_t k = 0; k < gossip->options->peers; k++)
            matching_draw(world->seed, world->replication, round, k, gossip_member_count(gossip),
                          matching->partners + k * gossip_member_count(gossip), gossip->scratch);
        matching->round = round;
    }
    return matching->partners;
}

int32_t gossip_partner_of(struct gossip *gossip, const struct member *member, int64_t k)
{
    int64_t learners = gossip_member_count(gossip), number = member->learner->number;
    if (k >= gossip->degree)
        return -1; /* a learner alone has no neighbours */
    if (gossip->options->topology != TOPOLOGY_MATCHING)
        return (int32_t)topology_partner(gossip->options->topology, learners, number, k);
    return matching_of(gossip, member->round)[k * learners + number];
}

static void set_status(struct member *member, struct meeting *meeting, enum meeting_status status)
{
    member->ahead -= meeting->status == MEETING_AHEAD && status != MEETING_AHEAD;
    member->open -= meeting->status != MEETING_OVER && status == MEETING_OVER;
    meeting->status = status;
}

void gossip_write_record(const struct gossip *gossip, const struct member *member, enum tape_kind kind)
{
    struct tape_record record = learner_record(member->learner, kind);
    tape_write(gossip->world->tape, record);
}

static void finish_round_if_over(struct gossip *gossip, struct member *member)
{
    if (member->open > 0)
        return;
    gossip_write_record(gossip, member, TAPE_ROUND_END);
    if (member->met)
        learner_mark_safe(member->learner); /* the partner has it too */
    sim_engine_cancel(gossip->world->engine, member->patience);
    member->round++;
    member->steps = 0;
    member->arrived = member->met = false;
}

flows_name gossip_send_model(const struct gossip *gossip, const struct member *from, const struct member *to,
                             flows_handler *left, flows_handler *arrived, void *context)
{
    return traffic_send(gossip->world->traffic,
                        &(struct traffic_message){.from = from->learner->number,
                                                  .to = to->learner->number,
                                                  .bits = world_model_bits(gossip->world),
                                                  .left = left,
                                                  .arrived = arrived,
                                                  .context = context});
}

/* The next model leaves when all of this instant have met. */
static void send_later(const struct gossip *gossip, struct member *member)
{
    struct sim_engine *engine = gossip->world->engine;
    if (!member->leaving)
        member->sending = sim_engine_reschedule(engine, member->sending, sim_engine_now(engine),
                                                PRIORITY_SYNCER, member->send_actor, 0);
}

static void on_model_left(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct member *member = ((struct meeting *)context)->member;
    member->leaving = NULL;
    send_later(member->gossip, member);
}

static void on_model(struct sim_engine *engine, void *context);

void gossip_on_sending(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct member *member = actor;
    struct gossip *gossip = member->gossip;
    for (int64_t i = 0; i < gossip->degree && !member->leaving; i++) {
        struct meeting *meeting = &member->meetings[(member->next + i) % gossip->degree];
        if (meeting->status != MEETING_EXCHANGING || !meeting->unsent)
            continue;
        meeting->unsent = false;
        member->leaving = meeting;
        member->next = meeting - member->meetings + 1;
        meeting->model = gossip_send_model(gossip, member, &gossip->members[meeting->partner], on_model_left,
                                           on_model, meeting);
    }
}

static void begin_side(const struct gossip *gossip, struct member *member, int64_t k, int64_t mirror)
{
    struct meeting *meeting = &member->meetings[k];
    set_status(member, meeting, MEETING_EXCHANGING);
    meeting->mirror = mirror;
    meeting->unsent = true;
    send_later(gossip, member);
}

static void begin_exchange(struct gossip *gossip, struct member *one, struct member *other, int64_t k,
                           int64_t mirror)
{
    begin_side(gossip, one, k, mirror);
    begin_side(gossip, other, mirror, k);
}

/* Takes the model for the partner back. */
static void take_back(const struct gossip *gossip, struct meeting *meeting)
{
    struct member *member = meeting->member;
    if (!meeting->unsent && !meeting->there)
        traffic_cancel(gossip->world->traffic, meeting->model);
    meeting->unsent = false;
    if (member->leaving != meeting)
        return;
    member->leaving = NULL;
    send_later(gossip, member);
}

void gossip_break_off(struct gossip *gossip, struct meeting *meeting)
{
    if (meeting->status != MEETING_EXCHANGING)
        return;
    take_back(gossip, meeting);
    take_back(gossip, &gossip->members[meeting->partner].meetings[meeting->mirror]);
}

/* OTHER's meeting with ONE, ONE's meeting K, that is still ahead; -1 if it has gone on without. */
static int64_t find_mirror(const struct gossip *gossip, const struct member *one, const struct member *other,
                           int64_t k)
{
    int64_t topology = gossip->options->topology;
    if (topology != TOPOLOGY_MATCHING) {
        int64_t mirror = topology_mirror(topology, gossip_member_count(gossip), one->learner->number, k);
        return other->meetings[mirror].status == MEETING_AHEAD ? mirror : -1;
    }
    k = 0;
    while (k < gossip->degree && (other->meetings[k].status != MEETING_AHEAD ||
                                  other->meetings[k].partner != (int32_t)one->learner->number))
        k++;
    return k < gossip->degree ? k : -1;
}

static void look_for_partner(struct gossip *gossip, struct member *member, int64_t k)
{
    struct meeting *meeting = &member->meetings[k];
    struct member *partner = meeting->partner < 0 ? NULL : &gossip->members[meeting->partner];
    if (!partner || !learner_is_alive(partner->learner) || partner->round > member->round) {
        set_status(member, meeting, MEETING_OVER);
    } else if (partner->round == member->round && partner->arrived) {
        int64_t mirror = find_mirror(gossip, member, partner, k);
        if (mirror < 0) {
            set_status(member, meeting, MEETING_OVER);
            return;
        }
        begin_exchange(gossip, member, partner, k, mirror);
        if (partner->ahead == 0)
            learner_poke(partner->learner); /* it now waits for bytes */
    }
}

/* From now on it waits no longer than the time-out. */
void gossip_set_patience(const struct gossip *gossip, struct member *member)
{
    struct sim_engine *engine = gossip->world->engine;
    if (gossip->options->timeout > 0)
        member->patience = sim_engine_reschedule(
            engine, member->patience, sim_time_add(sim_engine_now(engine), gossip->options->timeout),
            PRIORITY_LEARNER, member->patience_actor, 0);
}

void gossip_arrive(struct gossip *gossip, struct member *member)
{
    bool complete = gossip->options->topology == TOPOLOGY_COMPLETE;
    member->arrived = true;
    member->next = complete ? (int64_t)member->learner->number : 0; /* whoever comes after it, first */
    gossip_write_record(gossip, member, TAPE_ROUND);
    gossip_set_patience(gossip, member);
    for (int64_t k = 0; k < gossip->degree; k++)
        member->meetings[k] = (struct meeting){
            .member = member, .status = MEETING_AHEAD, .partner = gossip_partner_of(gossip, member, k)};
    member->ahead = member->open = gossip->degree;
    for (int64_t k = 0; k < gossip->degree; k++)
        look_for_partner(gossip, member, k);
    finish_round_if_over(gossip, member);
}

/* Faults of links: a model that is yet to come counts by its own way, on it or not. */

static struct traffic_blame blame_model(const struct gossip *gossip, const struct meeting *meeting)
{
    return meeting->there
               ? TRAFFIC_NO_BLAME
               : traffic_blame(gossip->world->traffic, meeting->member->learner->number, meeting->partner);
}

/* The worst of those that MEMBER waits for, or the first that is no better than ENOUGH. */
static struct traffic_blame blame_until(const struct gossip *gossip, const struct member *member,
                                        uint64_t enough)
{
    struct traffic_blame blame = TRAFFIC_NO_BLAME;
    for (int64_t k = 0; k < gossip->degree && member->arrived && blame.order > enough; k++) {
        const struct meeting *meeting = &member->meetings[k];
        if (meeting->status != MEETING_EXCHANGING)
            continue;
        const struct meeting *mirror = &gossip->members[meeting->partner].meetings[meeting->mirror];
        blame = traffic_worse(blame, blame_model(gossip, meeting));
        blame = traffic_worse(blame, blame_model(gossip, mirror));
    }
    return blame;
}

struct traffic_blame gossip_blame(const void *state, const struct learner *learner)
{
    const struct gossip *gossip = state;
    return blame_until(gossip, &gossip->members[learner->number], 0);
}

/* MEMBER waits for one model less: nothing worse than before is to blame. */
static void look_at_rest(const struct gossip *gossip, const struct member *member)
{
    uint64_t before = member->learner->wait_blame.order;
    if (before < TRAFFIC_NO_BLAME.order && blame_until(gossip, member, before).order > before)
        learner_look_at_links(member->learner);
}

/* The end of a meeting. */

void gossip_end_meeting(struct gossip *gossip, struct member *member, int64_t k, bool met)
{
    bool waited_for_somebody = member->ahead > 0;
    set_status(member, &member->meetings[k], MEETING_OVER);
    member->met |= met;
    finish_round_if_over(gossip, member);
    if (!member->arrived || (waited_for_somebody && member->ahead == 0))
        learner_poke(member->learner);
    look_at_rest(gossip, member);
}

/* λ = 2/(d + 1) makes I − Λ the plain mean of a learner and its d neighbours. GASLoC's matchings keep λ = 1,
 * as its reference has them, and leave it to α. AD-PSGD's learners meet one by one, of whatever graph: λ = 1
 * is the mean of the two. */
static double edge_weight(const struct gossip *gossip)
{
    int64_t algorithm = gossip->options->learner.rule.algorithm;
    bool plain = algorithm == MIXING_GASLOC || algorithm == MIXING_GASLOC_LITERAL;
    if (gossip_is_asynchronous(gossip) || (plain && gossip->options->topology == TOPOLOGY_MATCHING))
        return 1;
    return 2 / (double)(gossip->degree + 1);
}

void gossip_write_mix(const struct gossip *gossip, const struct member *one, const struct member *other)
{
    struct tape_record record = learner_record(one->learner, TAPE_MIX);
    record.peer = (int32_t)other->learner->number;
    record.weight = edge_weight(gossip);
    tape_write(gossip->world->tape, record);
}

static void on_model(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct meeting *meeting = context;
    struct member *one = meeting->member;
    struct gossip *gossip = one->gossip;
    struct member *other = &gossip->members[meeting->partner];
    int64_t mirror = meeting->mirror;
    meeting->there = true;
    if (!other->meetings[mirror].there) {
        look_at_rest(gossip, one);
        look_at_rest(gossip, other);
        return;
    }
    world_merged(gossip->world);
    gossip_write_mix(gossip, one, other);
    gossip_end_meeting(gossip, one, meeting - one->meetings, true);
    gossip_end_meeting(gossip, other, mirror, true);
}

/* Nothing comes of it, and the partner, if they had met, goes on as well. */
static void give_up(struct gossip *gossip, struct member *member, int64_t k)
{
    struct meeting *meeting = &member->meetings[k];
    if (meeting->status == MEETING_EXCHANGING) {
        struct member *partner = &gossip->members[meeting->partner];
        int64_t mirror = meeting->mirror;
        gossip_break_off(gossip, meeting);
        gossip_end_meeting(gossip, partner, mirror, false);
    }
    gossip_end_meeting(gossip, member, k, false);
}

void gossip_on_patience_over(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct member *member = actor;
    struct gossip *gossip = member->gossip;
    if (member->aside >= 0)
        gossip_break_off_aside(gossip, member);
    int64_t round = member->round;
    for (int64_t k = 0; k < gossip->degree && member->arrived && member->round == round; k++)
        if (member->meetings[k].status != MEETING_OVER)
            give_up(gossip, member, k);
}
