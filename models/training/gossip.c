/*
 * Gossip (GASLoC, arXiv 2606.11081): rounds of H local steps, each followed by an exchange of models with
 * one or two peers of a random matching. A learner waits for its partners of the round only, and goes on
 * without one that is down or has passed the round by; with a time-out also without whom it has waited for
 * that long, and without what has not been exchanged by then.
 *
 * A meeting is one learner's side of one matching in its present round. Both sides of a pair turn to
 * MEETING_EXCHANGING together, when the later of them arrives. A model crosses the network each way then, and
 * the exchange is over when both are there. A learner sends one model after another, in the order of its
 * matchings, so that those who arrive together never all send to one.
 */
#include "models/priority.h"
#include "models/purpose.h"
#include "models/training/kind.h"
#include "models/training/matching.h"
#include "models/training/recovery.h"
#include "models/training/topology.h"
#include "models/training/world.h"
#include <stdlib.h>

#define MOST_PEERS 2
#define MOST_LEARNERS 1024 /* of a complete graph: half a million exchanges a round */
#define CACHED_ROUNDS 16   /* learners are seldom further apart; a matching is drawn again if they are */

static const char *const algorithm_names[] = {"gasloc", "gasloc-literal", "noloco",
                                              "d-psgd", "ad-psgd",        NULL};

static const char *const topology_names[] = {"matching", "ring", "exponential", "complete", NULL};

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
    {.path = "topology",
     .type = PARAMETER_CHOICE,
     .choices = topology_names,
     .fallback = "matching",
     .sentence =
         "Whom a learner meets in a round: partners of random matchings, its neighbours on a ring, those at "
         "distances that are powers of two, or everybody.",
     .source = "arXiv 2606.11081",
     .offset = offsetof(struct gossip_options, topology)},
    {.path = "mixing",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "Mixing weight α, 1 averaging a pair or neighbourhood; where left out 1, but 0.5 with two "
                 "peers at once, as all but ad-psgd have them, and 0.7 for noloco; read by replays only.",
     .source = "noloco's: arXiv 2506.10911; else ours: no value is published, and two peers diverge at 1",
     .offset = offsetof(struct learner_options, rule.mixing)},
    {.path = "timeout",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence = "Longest that a learner waits at the end of a round for its partners and their models; then "
                 "it goes on without. It waits for ever where left out.",
     .source = "ours",
     .offset = offsetof(struct gossip_options, timeout)},
    {.path = "outer_rate",
     .type = PARAMETER_REAL,
     .fallback = "0.7",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Learning rate of the outer optimiser; read by replays only.",
     .source = "arXiv 2506.10911; no value published for GASLoC",
     .offset = offsetof(struct learner_options, rule.outer_rate)},
    {.path = "outer_momentum",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 0.999999,
     .sentence = "Momentum of the outer optimiser; where left out 0.9, but 0.5 for noloco, which diverges at "
                 "0.9; read by replays only.",
     .source = "arXiv 2311.08105, noloco's 2506.10911; no value published for GASLoC",
     .offset = offsetof(struct learner_options, rule.outer_momentum)},
};

const struct parameter_variant gossip_variant = {
    .name = "gossip",
    .sentence = "rounds of local steps, then an exchange with partners; no barrier",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct gossip_options),
};

enum meeting_status { MEETING_AHEAD, MEETING_EXCHANGING, MEETING_OVER };

struct meeting {
    struct member *member;
    enum meeting_status status;
    int32_t partner;    /* -1: alone */
    int64_t mirror;     /* the partner's meeting, while they exchange */
    bool unsent, there; /* the model for the partner, while they exchange */
    flows_name model;   /* that, if it is on its way */
};

struct member {
    struct gossip *gossip;
    struct learner *learner;
    int64_t round, steps;
    bool arrived;             /* has done the round's steps */
    bool met;                 /* someone, in this round */
    struct meeting *meetings; /* degree of them */
    int64_t ahead, open;      /* of those, MEETING_AHEAD; not MEETING_OVER */
    struct meeting *leaving;  /* whose model is on its way out; NULL: none */
    int64_t next;             /* the meeting to send for next, if it wants to */
    struct sim_handle sending, patience;
    int32_t aside;        /* whom it has an exchange with aside; -1: nobody */
    flows_name asides[2]; /* the models of that one */
    int models_aside;     /* of those, not there yet */
    struct recovery copy;
    uint32_t send_actor, patience_actor, load_actor;
};

struct matching {
    int64_t round;     /* -1: none yet */
    int32_t *partners; /* peers × learners */
};

struct gossip {
    struct world *world;
    const struct gossip_options *options;
    struct member *members;
    int64_t degree;           /* partners in a round */
    struct meeting *meetings; /* what members' meetings point into */
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

static int32_t partner_of(struct gossip *gossip, const struct member *member, int64_t k)
{
    int64_t learners = member_count(gossip), number = member->learner->number;
    if (k >= gossip->degree)
        return -1; /* a learner alone has no neighbours */
    if (gossip->options->topology != TOPOLOGY_MATCHING)
        return (int32_t)topology_partner(gossip->options->topology, learners, number, k);
    return matching_of(gossip, member->round)[k * learners + number];
}

/* Meetings. */

static void set_status(struct member *member, struct meeting *meeting, enum meeting_status status)
{
    member->ahead -= meeting->status == MEETING_AHEAD && status != MEETING_AHEAD;
    member->open -= meeting->status != MEETING_OVER && status == MEETING_OVER;
    meeting->status = status;
}

static void write_record(const struct gossip *gossip, const struct member *member, enum tape_kind kind)
{
    struct tape_record record = learner_record(member->learner, kind);
    tape_write(gossip->world->tape, record);
}

static void finish_round_if_over(struct gossip *gossip, struct member *member)
{
    if (member->open > 0)
        return;
    write_record(gossip, member, TAPE_ROUND_END);
    if (member->met)
        learner_mark_safe(member->learner); /* the partner has it too */
    sim_engine_cancel(gossip->world->engine, member->patience);
    member->round++;
    member->steps = 0;
    member->arrived = member->met = false;
}

static flows_name send_model(const struct gossip *gossip, const struct member *from, const struct member *to,
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

static void on_sending(struct sim_engine *engine, void *actor, uint32_t argument)
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
        meeting->model =
            send_model(gossip, member, &gossip->members[meeting->partner], on_model_left, on_model, meeting);
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

static void break_off(struct gossip *gossip, struct meeting *meeting)
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
        int64_t mirror = topology_mirror(topology, member_count(gossip), one->learner->number, k);
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
static void set_patience(const struct gossip *gossip, struct member *member)
{
    struct sim_engine *engine = gossip->world->engine;
    if (gossip->options->timeout > 0)
        member->patience = sim_engine_reschedule(
            engine, member->patience, sim_time_add(sim_engine_now(engine), gossip->options->timeout),
            PRIORITY_LEARNER, member->patience_actor, 0);
}

static void arrive(struct gossip *gossip, struct member *member)
{
    bool complete = gossip->options->topology == TOPOLOGY_COMPLETE;
    member->arrived = true;
    member->next = complete ? (int64_t)member->learner->number : 0; /* whoever comes after it, first */
    write_record(gossip, member, TAPE_ROUND);
    set_patience(gossip, member);
    for (int64_t k = 0; k < gossip->degree; k++)
        member->meetings[k] = (struct meeting){
            .member = member, .status = MEETING_AHEAD, .partner = partner_of(gossip, member, k)};
    member->ahead = member->open = gossip->degree;
    for (int64_t k = 0; k < gossip->degree; k++)
        look_for_partner(gossip, member, k);
    finish_round_if_over(gossip, member);
}

static bool is_asynchronous(const struct gossip *gossip)
{
    return gossip->options->learner.rule.algorithm == MIXING_AD_PSGD;
}

static void on_model_aside(struct sim_engine *engine, void *context);

/* Any of a learner's neighbours, each as likely; -1: it has none. */
static int32_t draw_neighbour(struct gossip *gossip, const struct member *member)
{
    struct sim_stream stream;
    if (gossip->degree == 0)
        return -1;
    sim_stream_open(&stream, gossip->world->seed, gossip->world->replication, PURPOSE_NEIGHBOUR,
                    PURPOSE_NTH(member->learner->number, member->round));
    return partner_of(gossip, member, (int64_t)sim_stream_below(&stream, (uint64_t)gossip->degree));
}

/* AD-PSGD waits for nobody: models are averaged as they are when the exchange ends, steps under way or not.
 * A learner whose last exchange is not over begins no other. */
static void exchange_aside(struct gossip *gossip, struct member *member)
{
    int32_t number = draw_neighbour(gossip, member);
    member->round++;
    member->steps = 0;
    if (number < 0 || member->aside >= 0 || !learner_is_alive(gossip->members[number].learner))
        return;
    struct member *other = &gossip->members[number];
    member->aside = number;
    member->models_aside = 2;
    member->asides[0] = send_model(gossip, member, other, NULL, on_model_aside, member);
    member->asides[1] = send_model(gossip, other, member, NULL, on_model_aside, member);
    set_patience(gossip, member);
}

static void break_off_aside(struct gossip *gossip, struct member *member)
{
    traffic_cancel(gossip->world->traffic, member->asides[0]);
    traffic_cancel(gossip->world->traffic, member->asides[1]);
    member->aside = -1;
}

static void write_mix(const struct gossip *gossip, const struct member *one, const struct member *other);

static void on_model_aside(struct sim_engine *engine, void *context)
{
    (void)engine;
    struct member *one = context;
    struct gossip *gossip = one->gossip;
    if (--one->models_aside > 0)
        return;
    struct member *other = &gossip->members[one->aside];
    one->aside = -1;
    sim_engine_cancel(gossip->world->engine, one->patience);
    world_merged(gossip->world);
    write_record(gossip, one, TAPE_ROUND);
    write_record(gossip, other, TAPE_ROUND);
    write_mix(gossip, one, other);
    write_record(gossip, one, TAPE_ROUND_END);
    write_record(gossip, other, TAPE_ROUND_END);
    learner_mark_safe(one->learner);
    learner_mark_safe(other->learner);
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

static struct traffic_blame blame(const void *state, const struct learner *learner)
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

static void end_meeting(struct gossip *gossip, struct member *member, int64_t k, bool met)
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
    if (is_asynchronous(gossip) || (plain && gossip->options->topology == TOPOLOGY_MATCHING))
        return 1;
    return 2 / (double)(gossip->degree + 1);
}

static void write_mix(const struct gossip *gossip, const struct member *one, const struct member *other)
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
    write_mix(gossip, one, other);
    end_meeting(gossip, one, meeting - one->meetings, true);
    end_meeting(gossip, other, mirror, true);
}

/* Nothing comes of it, and the partner, if they had met, goes on as well. */
static void give_up(struct gossip *gossip, struct member *member, int64_t k)
{
    struct meeting *meeting = &member->meetings[k];
    if (meeting->status == MEETING_EXCHANGING) {
        struct member *partner = &gossip->members[meeting->partner];
        int64_t mirror = meeting->mirror;
        break_off(gossip, meeting);
        end_meeting(gossip, partner, mirror, false);
    }
    end_meeting(gossip, member, k, false);
}

static void on_patience_over(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct member *member = actor;
    struct gossip *gossip = member->gossip;
    if (member->aside >= 0)
        break_off_aside(gossip, member);
    int64_t round = member->round;
    for (int64_t k = 0; k < gossip->degree && member->arrived && member->round == round; k++)
        if (member->meetings[k].status != MEETING_OVER)
            give_up(gossip, member, k);
}

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
    if (is_asynchronous(gossip))
        exchange_aside(gossip, member);
    else
        arrive(gossip, member);
}

/* Loss and recovery. */

/* Whoever waits for MEMBER, or is in an exchange with it, goes on without. */
static void let_partners_go(struct gossip *gossip, struct member *member)
{
    bool complete = gossip->options->topology == TOPOLOGY_COMPLETE;
    int64_t number = member->learner->number;
    for (int64_t i = 0; i < member_count(gossip); i++) {
        struct member *other = &gossip->members[i];
        int64_t first = complete ? number - (number > i) : 0, end = complete ? first + 1 : gossip->degree;
        for (int64_t k = first; other->arrived && i != number && k < end; k++)
            if (other->meetings[k].partner == (int32_t)number && other->meetings[k].status != MEETING_OVER)
                end_meeting(gossip, other, k, false);
    }
}

/* What is under way to and from MEMBER. */
static void break_off_all(struct gossip *gossip, struct member *member)
{
    for (int64_t k = 0; member->arrived && k < gossip->degree; k++)
        break_off(gossip, &member->meetings[k]);
    for (int64_t i = 0; i < member_count(gossip); i++) {
        struct member *other = &gossip->members[i];
        if (other->aside >= 0 && (other == member || other->aside == (int32_t)member->learner->number))
            break_off_aside(gossip, other);
    }
}

static void bring_back(struct gossip *gossip, struct member *member);

static void lost(void *state, struct learner *learner)
{
    struct gossip *gossip = state;
    struct member *member = &gossip->members[learner->number];
    learner_discard(learner, learner_unsafe_work(learner));
    write_record(gossip, member, TAPE_LOST);
    break_off_all(gossip, member);
    let_partners_go(gossip, member);
    sim_engine_cancel(gossip->world->engine, member->patience);
    member->arrived = member->met = false;
    member->steps = 0;
    for (int64_t i = 0; i < member_count(gossip); i++)
        if (recovery_break_off(&gossip->members[i].copy, learner))
            bring_back(gossip, &gossip->members[i]);
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

static bool check(const void *options, const char **path, const char **reason)
{
    const struct gossip_options *gossip = options;
    if (gossip->topology == TOPOLOGY_COMPLETE && gossip->learner.learners > MOST_LEARNERS) {
        *path = "topology";
        *reason = "a complete graph of so many learners has too many edges, each a meeting a round: 1024 "
                  "learners at most";
        return false;
    }
    return true;
}

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
    member->send_actor = sim_engine_add_actor(world->engine, on_sending, member);
    member->patience_actor = sim_engine_add_actor(world->engine, on_patience_over, member);
    member->load_actor = sim_engine_add_actor(world->engine, on_loaded, member);
    return member->load_actor != UINT32_MAX;
}

static bool init(struct gossip *gossip)
{
    int64_t learners = member_count(gossip), a_round = learners * gossip->options->peers;
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
    .check = check,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .blame = blame,
    .step_done = step_done,
    .lost = lost,
    .back = back,
};
