/*
 * One event is pending for the earliest end among all transfers. A change at an instant schedules, once, an
 * event after all others of that instant, which solves the network and moves the former.
 */
#include "models/network/flows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

enum { SETTLE, ENDS, TRANSFER }; /* arguments of events; from TRANSFER on: a transfer's number */

enum { AFTER_ALL = UINT8_MAX };

enum state { UNUSED, SENDING, LEAVING, ARRIVING };

struct transfer {
    enum state state;
    uint32_t generation;
    uint32_t next; /* of the unused */
    fluid_flow flow;
    uint64_t bits;
    double rate_cap, window, passing; /* PASSING: share of packets that its way lets through */
    sim_time latency;
    struct sim_handle event; /* while LEAVING or ARRIVING */
    flows_handler *left, *arrived;
    void *context;
};

/* A link that loses packets. */
struct lossy {
    uint32_t link;
    double loss;
};

struct flows {
    struct sim_engine *engine;
    struct fluid *fluid;
    struct transfer *transfer;
    uint32_t count, room, unused, under_way;
    uint32_t actor;
    uint8_t priority;
    struct lossy *lossy;
    size_t lossy_count, lossy_room;
    fluid_bits carried; /* of transfers that have left or were cancelled */
    bool failed;
    bool settling; /* the event that solves is pending */
    struct sim_handle ends;
};

static sim_handler handle_event;

struct flows *flows_create(struct sim_engine *engine, uint8_t priority, struct error *error)
{
    struct flows *flows = calloc(1, sizeof *flows);
    if (!flows) {
        error_out_of_memory(error, "transfers");
        return NULL;
    }
    *flows = (struct flows){.engine = engine, .priority = priority, .unused = NONE};
    flows->fluid = fluid_create(error);
    flows->actor = flows->fluid ? sim_engine_add_actor(engine, handle_event, flows) : UINT32_MAX;
    if (flows->actor == UINT32_MAX) {
        error_out_of_memory(error, "transfers");
        flows_destroy(flows);
        return NULL;
    }
    return flows;
}

void flows_destroy(struct flows *flows)
{
    if (!flows)
        return;
    fluid_destroy(flows->fluid);
    free(flows->transfer);
    free(flows->lossy);
    free(flows);
}

bool flows_failed(const struct flows *flows)
{
    return flows->failed || fluid_failed(flows->fluid);
}

/* Brings the network to the present instant. What ends at it calls back in its own event, which is pending;
 * once memory has run out there is no such event, and the network stands still. */
static void bring(struct flows *flows)
{
    if (!flows_failed(flows))
        fluid_advance(flows->fluid, sim_engine_now(flows->engine));
}

static void settle_later(struct flows *flows)
{
    if (flows->settling)
        return;
    flows->settling = true;
    sim_engine_schedule(flows->engine, sim_engine_now(flows->engine), AFTER_ALL, flows->actor, SETTLE);
}

uint32_t flows_add_link(struct flows *flows, double capacity)
{
    bring(flows);
    return fluid_add_link(flows->fluid, capacity);
}

void flows_set_capacity(struct flows *flows, uint32_t link, double capacity)
{
    bring(flows);
    fluid_set_capacity(flows->fluid, link, capacity);
    settle_later(flows);
}

/* Loss. */

/* What a transfer that may come to be capped has while it is not: a cap that nothing reaches. */
#define UNREACHED (FLUID_CAPACITY_LIMIT / 2)

static double cap_of(const struct transfer *transfer, double passing)
{
    double cap = transfer->rate_cap > 0 ? fmin(transfer->rate_cap, UNREACHED) : UNREACHED;
    double loss = 1 - passing;
    return loss > 0 ? fmax(1e-9, fmin(cap, transfer->window / sqrt(loss))) : cap;
}

static void cap_anew(struct flows *flows, struct transfer *transfer)
{
    double passing = transfer->passing;
    for (size_t i = 0; i < flows->lossy_count; i++)
        if (fluid_crosses(flows->fluid, transfer->flow, flows->lossy[i].link))
            passing *= 1 - flows->lossy[i].loss;
    fluid_set_rate_cap(flows->fluid, transfer->flow, cap_of(transfer, passing));
}

static bool note_loss(struct flows *flows, uint32_t link, double loss)
{
    size_t i = 0;
    while (i < flows->lossy_count && flows->lossy[i].link != link)
        i++;
    if (i == flows->lossy_room) {
        size_t room = 2 * i + 4;
        struct lossy *lossy = realloc(flows->lossy, room * sizeof *lossy);
        if (!lossy)
            return false;
        flows->lossy = lossy;
        flows->lossy_room = room;
    }
    flows->lossy[i] = (struct lossy){link, loss};
    flows->lossy_count += i == flows->lossy_count;
    if (loss == 0)
        flows->lossy[i] = flows->lossy[--flows->lossy_count];
    return true;
}

void flows_set_loss(struct flows *flows, uint32_t link, double loss)
{
    bring(flows);
    if (!note_loss(flows, link, loss)) {
        flows->failed = true;
        return;
    }
    for (uint32_t i = 0; i < flows->count; i++)
        if (flows->transfer[i].state == SENDING && flows->transfer[i].window > 0)
            cap_anew(flows, &flows->transfer[i]);
    settle_later(flows);
}

static uint32_t take(struct flows *flows)
{
    uint32_t number = flows->unused;
    if (number != NONE) {
        flows->unused = flows->transfer[number].next;
        return number;
    }
    if (flows->count == flows->room) {
        uint32_t room = flows->room ? 2 * flows->room : 16;
        struct transfer *transfer = realloc(flows->transfer, room * sizeof *transfer);
        if (!transfer) {
            flows->failed = true;
            return NONE;
        }
        flows->transfer = transfer;
        flows->room = room;
    }
    flows->transfer[flows->count] = (struct transfer){.generation = 1};
    return flows->count++;
}

static void give_back(struct flows *flows, uint32_t number)
{
    struct transfer *transfer = &flows->transfer[number];
    transfer->state = UNUSED;
    transfer->generation++;
    transfer->next = flows->unused;
    flows->unused = number;
    flows->under_way--;
}

static void schedule(struct flows *flows, uint32_t number, enum state state, sim_time wait)
{
    struct transfer *transfer = &flows->transfer[number];
    sim_time time = sim_time_add(sim_engine_now(flows->engine), wait);
    transfer->state = state;
    transfer->event =
        sim_engine_schedule(flows->engine, time, flows->priority, flows->actor, TRANSFER + number);
}

static void send(struct flows *flows, uint32_t number, const struct flows_transfer *given)
{
    struct fluid_demand demand = {.links = given->links,
                                  .links_count = given->links_count,
                                  .weight = given->weight ? given->weight : 1,
                                  .bits = given->bits,
                                  .rate_cap = given->rate_cap,
                                  .context = (void *)(uintptr_t)number};
    struct transfer *transfer = &flows->transfer[number];
    bring(flows);
    if (transfer->window > 0)
        demand.rate_cap = cap_of(transfer, transfer->passing);
    transfer->state = SENDING;
    transfer->flow = fluid_start(flows->fluid, &demand);
    if (transfer->window > 0 && flows->lossy_count > 0)
        cap_anew(flows, transfer);
    settle_later(flows);
}

flows_name flows_start(struct flows *flows, const struct flows_transfer *given)
{
    assert(given->latency >= 0 && given->bits <= FLUID_BITS_LIMIT);
    uint32_t number = flows_failed(flows) ? NONE : take(flows);
    if (number == NONE)
        return 0;
    struct transfer *transfer = &flows->transfer[number];
    transfer->bits = given->bits;
    transfer->rate_cap = given->rate_cap;
    transfer->window = given->window;
    transfer->passing = 1 - given->loss;
    transfer->latency = given->latency;
    transfer->left = given->left;
    transfer->arrived = given->arrived;
    transfer->context = given->context;
    flows->under_way++;
    if (given->links_count && given->bits)
        send(flows, number, given);
    else if (given->bits || given->left)
        schedule(flows, number, LEAVING, 0);
    else
        schedule(flows, number, ARRIVING, given->latency);
    return flows_failed(flows) ? 0 : (uint64_t)transfer->generation << 32 | number;
}

/* NONE when NAME names none. */
static uint32_t number_of(const struct flows *flows, flows_name name)
{
    uint32_t number = (uint32_t)name;
    bool is_one = number < flows->count && flows->transfer[number].state != UNUSED &&
                  flows->transfer[number].generation == name >> 32;
    return is_one ? number : NONE;
}

uint64_t flows_cancel(struct flows *flows, flows_name name)
{
    uint32_t number = flows_failed(flows) ? NONE : number_of(flows, name);
    if (number == NONE)
        return 0;
    struct transfer *transfer = &flows->transfer[number];
    uint64_t bits = transfer->bits;
    if (transfer->state == SENDING) {
        bring(flows);
        bits = fluid_cancel(flows->fluid, transfer->flow);
        settle_later(flows);
    } else {
        sim_engine_cancel(flows->engine, transfer->event);
    }
    if (transfer->state != ARRIVING)
        flows->carried += bits;
    give_back(flows, number);
    return bits;
}

uint64_t flows_sent(struct flows *flows, flows_name name)
{
    uint32_t number = flows_failed(flows) ? NONE : number_of(flows, name);
    if (number == NONE)
        return 0;
    const struct transfer *transfer = &flows->transfer[number];
    bring(flows);
    return transfer->state == SENDING ? fluid_sent(flows->fluid, transfer->flow) : transfer->bits;
}

double flows_rate(struct flows *flows, flows_name name)
{
    uint32_t number = flows_failed(flows) ? NONE : number_of(flows, name);
    if (number == NONE || flows->transfer[number].state != SENDING)
        return 0;
    bring(flows);
    return fluid_rate(flows->fluid, flows->transfer[number].flow);
}

uint32_t flows_count(const struct flows *flows)
{
    return flows->under_way;
}

bool flows_move(struct flows *flows)
{
    bring(flows);
    return fluid_count(flows->fluid) < flows->under_way || fluid_next(flows->fluid) != SIM_NEVER;
}

fluid_bits flows_carried(struct flows *flows)
{
    fluid_bits carried = flows->carried;
    bring(flows);
    for (uint32_t i = 0; i < flows->count; i++)
        if (flows->transfer[i].state == SENDING)
            carried += fluid_sent(flows->fluid, flows->transfer[i].flow);
    return carried;
}

double flows_load(struct flows *flows, uint32_t link)
{
    bring(flows);
    return fluid_load(flows->fluid, link);
}

double flows_capacity(const struct flows *flows, uint32_t link)
{
    return fluid_capacity(flows->fluid, link);
}

struct fluid_traffic flows_traffic(struct flows *flows, uint32_t link)
{
    bring(flows);
    return fluid_traffic(flows->fluid, link);
}

static void arrive(struct flows *flows, uint32_t number)
{
    struct transfer transfer = flows->transfer[number];
    give_back(flows, number);
    if (transfer.arrived)
        transfer.arrived(flows->engine, transfer.context);
}

/* Without latency it arrives at once; with it, after whoever wants to know that it left was told. */
static void leave(struct flows *flows, uint32_t number)
{
    struct transfer transfer = flows->transfer[number];
    flows->carried += transfer.bits;
    schedule(flows, number, ARRIVING, transfer.latency);
    if (transfer.left)
        transfer.left(flows->engine, transfer.context);
}

static void settle(struct flows *flows)
{
    flows->settling = false;
    flows->ends = sim_engine_reschedule(flows->engine, flows->ends, fluid_next(flows->fluid), flows->priority,
                                        flows->actor, ENDS);
}

static void let_leave(struct flows *flows)
{
    void *context;
    bring(flows);
    while (fluid_pop(flows->fluid, &context))
        leave(flows, (uint32_t)(uintptr_t)context);
    settle_later(flows);
}

static void handle_event(struct sim_engine *engine, void *actor, uint32_t argument)
{
    struct flows *flows = actor;
    (void)engine;
    if (flows_failed(flows))
        return;
    if (argument == SETTLE)
        settle(flows);
    else if (argument == ENDS)
        let_leave(flows);
    else if (flows->transfer[argument - TRANSFER].state == LEAVING)
        leave(flows, argument - TRANSFER);
    else
        arrive(flows, argument - TRANSFER);
}
