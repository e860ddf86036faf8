/*
 * A collective under way: every rank stands at a round, and goes on when nothing of that round is left to
 * wait for.
 */
#include "models/network/collective_plan.h"

#include <assert.h>
#include <stdlib.h>

struct collective {
    struct flows *flows;
    struct collective_demand demand;
    struct collective_plan plan;
    size_t *first;     /* message of (round, sender): those from first[i] to first[i + 1] */
    uint32_t *awaited; /* messages of (round, rank) that aren't over for the rank */
    uint32_t *round;   /* that each rank is at */
    uint32_t ranks_done;
    fluid_bits arrived;
    flows_name nothing; /* stands for the messages where there are none */
};

static size_t at(const struct collective *collective, uint32_t round, uint32_t rank)
{
    return (size_t)round * collective->demand.ranks + rank;
}

static void destroy(struct collective *collective)
{
    collective_plan_free(&collective->plan);
    free(collective->first);
    free(collective->awaited);
    free(collective->round);
    free(collective);
}

static flows_handler message_left, message_arrived;

static void send(struct collective *collective, struct collective_message *message)
{
    const struct collective_demand *demand = &collective->demand;
    struct collective_route route = {0};
    if (!demand->route(demand->context, message->from, message->to, &route))
        return;
    assert(route.links_count <= COLLECTIVE_LINKS_MOST);
    message->name =
        flows_start(collective->flows, &(struct flows_transfer){
                                           .links = route.links,
                                           .links_count = route.links_count,
                                           .weight = demand->weight,
                                           .bits = message->bits,
                                           .rate_cap = route.rate_cap,
                                           .window = route.window,
                                           .loss = route.loss,
                                           .latency = message->latency < 0 ? route.latency : message->latency,
                                           .left = collective->plan.by_appointment ? NULL : message_left,
                                           .arrived = message_arrived,
                                           .context = message,
                                       });
}

static void send_round(struct collective *collective, uint32_t rank)
{
    size_t place = at(collective, collective->round[rank], rank);
    for (size_t i = collective->first[place]; i < collective->first[place + 1]; i++)
        send(collective, &collective->plan.message[i]);
}

/* Sends what waited for RANK: its own message, or that to it, of which a tree has one a round. */
static void keep_appointments(struct collective *collective, uint32_t rank)
{
    uint32_t round = collective->round[rank];
    size_t end = collective->first[at(collective, round + 1, 0)];
    for (size_t i = collective->first[at(collective, round, 0)]; i < end; i++) {
        struct collective_message *message = &collective->plan.message[i];
        if ((message->from == rank || message->to == rank) && collective->round[message->from] == round &&
            collective->round[message->to] == round)
            send(collective, message);
    }
}

/* Puts RANK into the first round from ROUND on that it has messages in. */
static void enter(struct collective *collective, uint32_t rank, uint32_t round)
{
    while (round < collective->plan.rounds && !collective->awaited[at(collective, round, rank)])
        round++;
    collective->round[rank] = round;
    if (round == collective->plan.rounds)
        collective->ranks_done++;
    else if (collective->plan.by_appointment)
        keep_appointments(collective, rank);
    else
        send_round(collective, rank);
}

static void settle(struct collective *collective, uint32_t round, uint32_t rank)
{
    assert(collective->awaited[at(collective, round, rank)] > 0);
    if (--collective->awaited[at(collective, round, rank)] == 0 && collective->round[rank] == round)
        enter(collective, rank, round);
}

static void message_left(struct sim_engine *engine, void *context)
{
    const struct collective_message *message = context;
    (void)engine;
    settle(message->collective, message->round, message->from);
}

static void finish(struct sim_engine *engine, void *context)
{
    struct collective *collective = context;
    struct collective_demand demand = collective->demand;
    destroy(collective);
    demand.done(engine, demand.context);
}

static void message_arrived(struct sim_engine *engine, void *context)
{
    struct collective_message *message = context;
    struct collective *collective = message->collective;
    message->name = 0;
    collective->arrived += message->bits;
    if (collective->plan.by_appointment)
        settle(collective, message->round, message->from);
    settle(collective, message->round, message->to);
    if (collective->ranks_done == collective->demand.ranks)
        finish(engine, collective);
}

static bool allocate(struct collective *collective)
{
    uint32_t ranks = collective->demand.ranks;
    size_t places = (size_t)collective->plan.rounds * ranks;
    collective->first = calloc(places + 1, sizeof *collective->first);
    collective->awaited = calloc(places + 1, sizeof *collective->awaited);
    collective->round = calloc(ranks, sizeof *collective->round);
    return collective->first && collective->awaited && collective->round;
}

/* FIRST counts the messages of the place before, and then sums up. */
static void lay_out(struct collective *collective)
{
    const struct collective_plan *plan = &collective->plan;
    for (size_t i = 0; i < plan->count; i++) {
        struct collective_message *message = &plan->message[i];
        message->collective = collective;
        collective->first[at(collective, message->round, message->from) + 1]++;
        collective->awaited[at(collective, message->round, message->from)]++;
        collective->awaited[at(collective, message->round, message->to)]++;
    }
    for (size_t i = 0; i < (size_t)plan->rounds * collective->demand.ranks; i++)
        collective->first[i + 1] += collective->first[i];
}

static void begin(struct collective *collective)
{
    uint32_t ranks = collective->demand.ranks;
    if (!collective->plan.count) {
        collective->nothing = flows_start(collective->flows,
                                          &(struct flows_transfer){.arrived = finish, .context = collective});
        return;
    }
    for (uint32_t r = 0; r < ranks; r++)
        collective->round[r] = UINT32_MAX;
    for (uint32_t r = 0; r < ranks; r++)
        enter(collective, r, 0);
}

struct collective *collective_start(struct flows *flows, const struct collective_demand *demand,
                                    struct error *error)
{
    assert(demand->ranks > 0 && demand->root < demand->ranks && demand->route && demand->done);
    assert(demand->groups || demand->algorithm != COLLECTIVE_HIERARCHICAL);
    struct collective *collective = calloc(1, sizeof *collective);
    if (!collective) {
        error_out_of_memory(error, "a collective");
        return NULL;
    }
    collective->flows = flows;
    collective->demand = *demand;
    if (!collective_plan_make(&collective->plan, demand) || !allocate(collective)) {
        error_out_of_memory(error, "a collective");
        destroy(collective);
        return NULL;
    }
    lay_out(collective);
    begin(collective);
    return collective;
}

void collective_visit(const struct collective *collective, collective_visitor *visitor, void *context)
{
    for (size_t i = 0; i < collective->plan.count; i++)
        visitor(context, collective->plan.message[i].from, collective->plan.message[i].to);
}

fluid_bits collective_cancel(struct collective *collective)
{
    fluid_bits bits = collective->arrived + flows_cancel(collective->flows, collective->nothing);
    for (size_t i = 0; i < collective->plan.count; i++)
        bits += flows_cancel(collective->flows, collective->plan.message[i].name);
    destroy(collective);
    return bits;
}
