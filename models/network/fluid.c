/*
 * The flows: what a caller starts, cancels and asks about. A flow is under way in its class, or has ended and
 * waits to be popped. Time moves in fluid_advance alone: the past instant is solved, then what ends at the
 * new one goes, and what the caller changes afterwards is solved when it asks or moves on.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Changes of loads that pass, at least, before all are summed afresh: more on many links, for which that
 * takes longer. Each is rounded by 2^-53 of the load at most. */
enum { ROUNDINGS_MOST = 16384 };

static void free_links(struct fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->links_count; i++) {
        fluid_heap_free(&fluid->link[i].held);
        free(fluid->link[i].out.entry);
        free(fluid->link[i].in.entry);
    }
    free(fluid->link);
    free(fluid->share);
    free(fluid->level);
    free(fluid->dirty);
    free(fluid->listed);
    free(fluid->hastened);
    free(fluid->watched);
    free(fluid->due_time);
    free(fluid->due_link);
}

static void free_classes(struct fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->classes_count; i++)
        free(fluid->class[i]);
    free(fluid->class);
    free(fluid->class_place);
    free(fluid->class_bucket);
}

void fluid_destroy(struct fluid *fluid)
{
    if (!fluid)
        return;
    free_links(fluid);
    free_classes(fluid);
    free(fluid->pair);
    free(fluid->pair_bucket);
    free(fluid->flow);
    free(fluid->given.item);
    free(fluid->spare.item);
    free(fluid->ended);
    free(fluid->path.item);
    free(fluid);
}

bool fluid_failed(const struct fluid *fluid)
{
    return fluid->failed;
}

static bool grow_links(struct fluid *fluid, uint32_t count)
{
    struct {
        void *array;
        size_t size;
    } part[] = {{&fluid->share, sizeof *fluid->share},        {&fluid->link, sizeof *fluid->link},
                {&fluid->level, sizeof *fluid->level},        {&fluid->dirty, sizeof *fluid->dirty},
                {&fluid->hastened, sizeof *fluid->hastened},  {&fluid->listed, sizeof *fluid->listed},
                {&fluid->watched, 2 * sizeof *fluid->watched}};
    uint32_t room = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        room = fluid->links_room;
        if (!fluid_grow(fluid, part[i].array, &room, count, part[i].size))
            return false;
    }
    fluid->links_room = room;
    return true;
}

/* A link of ours, FLUID_NONE without memory. */
static uint32_t new_link(struct fluid *fluid, double capacity)
{
    uint32_t number = fluid->links_count;
    if (!grow_links(fluid, number + 2) || !fluid_due_grow(fluid, number + 1))
        return FLUID_NONE;
    fluid->share[number] = (struct fluid_share){.capacity = capacity, .idle = true, .hub = FLUID_NONE};
    fluid->link[number] = (struct fluid_link){.since = fluid->now};
    fluid->level[number] = INFINITY;
    fluid->links_count++;
    return fluid_row_open(fluid, &fluid->link[number].in) ? number : FLUID_NONE;
}

static bool open_sink(struct fluid *fluid)
{
    uint32_t sink = new_link(fluid, 0);
    if (sink == FLUID_NONE)
        return false;
    assert(sink == FLUID_SINK);
    fluid->level[sink] = 0;
    return true;
}

struct fluid *fluid_create(struct error *error)
{
    struct fluid *fluid = calloc(1, sizeof *fluid);
    if (!fluid) {
        error_out_of_memory(error, "a network");
        return NULL;
    }
    fluid->least_due = 1;
    fluid->pairs_unused = fluid->flows_unused = FLUID_NONE;
    for (uint32_t i = 0; i < FLUID_HUBS; i++) {
        fluid->hub_link[i] = FLUID_NONE;
        fluid->hub_watch[i] = INFINITY;
    }
    if (!open_sink(fluid)) {
        error_out_of_memory(error, "a network");
        fluid_destroy(fluid);
        return NULL;
    }
    return fluid;
}

static double limited(double capacity)
{
    assert(capacity >= 0);
    return fmin(capacity, FLUID_CAPACITY_LIMIT);
}

uint32_t fluid_add_link(struct fluid *fluid, double capacity)
{
    uint32_t number = new_link(fluid, limited(capacity));
    if (number == FLUID_NONE || !fluid_list_add(fluid, &fluid->given, number))
        return UINT32_MAX;
    return fluid->given.count - 1;
}

static inline uint32_t link_of(const struct fluid *fluid, uint32_t given)
{
    assert(given < fluid->given.count);
    return fluid->given.item[given];
}

/* The load is summed afresh, as what was rounded by little of the old capacity may be much of the new. */
static void set_capacity(struct fluid *fluid, uint32_t link, double capacity)
{
    if (fluid->failed || fluid->share[link].capacity == capacity)
        return;
    fluid->share[link].capacity = capacity;
    fluid_watch(fluid, link);
    fluid_load_afresh(fluid, link);
    fluid_note_rate(fluid, link);
    fluid_add_load(fluid, link, 0);
}

void fluid_set_capacity(struct fluid *fluid, uint32_t given, double capacity)
{
    set_capacity(fluid, link_of(fluid, given), limited(capacity));
}

/* A generation of 0 would give the first flow the name of none. */
static inline void give_flow_back(struct fluid *fluid, uint32_t number)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    flow->state = FLUID_UNUSED;
    flow->generation += 1u + (flow->generation == UINT32_MAX);
    flow->next = fluid->flows_unused;
    fluid->flows_unused = number;
}

/* A link for a rate cap, which its flow alone passes; FLUID_NONE without a cap or memory. */
static uint32_t cap_link(struct fluid *fluid, double cap)
{
    if (cap <= 0 || cap >= FLUID_CAPACITY_LIMIT)
        return FLUID_NONE;
    if (!fluid->spare.count)
        return new_link(fluid, cap);
    uint32_t link = fluid->spare.item[--fluid->spare.count];
    fluid->share[link].capacity = cap;
    fluid_watch(fluid, link);
    return link;
}

/* Takes a flow that has sent BITS out of its class. */
static inline void take_out(struct fluid *fluid, uint32_t number, uint64_t bits)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    struct fluid_class *class = flow->class;
    for (uint32_t i = 0; i < class->members_count; i++)
        fluid->link[class->member[i].link].carried += bits;
    for (uint32_t hubs = flow->hubs; hubs; hubs &= hubs - 1)
        fluid->link[fluid->hub_link[__builtin_ctz(hubs)]].carried += bits;
    if (flow->hubs)
        fluid_hubs_weigh(fluid, class, flow->hubs, -(double)flow->weight);
    fluid_class_remove(fluid, class, number);
    if (flow->cap_link != FLUID_NONE)
        fluid_list_add(fluid, &fluid->spare, flow->cap_link);
    fluid->flows_live--;
}

/* Ascending, each once. */
static void sort(struct fluid_list *path)
{
    uint32_t *item = path->item, count = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t link = item[i], at = count;
        while (at > 0 && item[at - 1] > link)
            at--;
        if (at > 0 && item[at - 1] == link)
            continue;
        memmove(&item[at + 1], &item[at], (count++ - at) * sizeof *item);
        item[at] = link;
    }
    path->count = count;
}

/* Two, as most are, without a branch: which is first can't be foretold. */
static inline void sort_any(struct fluid_list *path)
{
    if (path->count != 2 || path->item[0] == path->item[1]) {
        sort(path);
        return;
    }
    uint32_t one = path->item[0], other = path->item[1];
    path->item[0] = one < other ? one : other;
    path->item[1] = one < other ? other : one;
}

/* Puts the links of the demand, and OWN unless it is FLUID_NONE, into fluid->path: our numbers, ascending,
 * but for hubs, which are returned as a set. */
static inline uint32_t lay_path(struct fluid *fluid, const struct fluid_demand *demand, uint32_t own)
{
    struct fluid_list *path = &fluid->path;
    uint32_t hubs = 0, count = 0;
    while (path->room <= demand->links_count)
        if (!fluid_grow(fluid, &path->item, &path->room, path->room + 1, sizeof *path->item))
            return 0;
    for (uint32_t i = 0; i < demand->links_count; i++) {
        uint32_t link = link_of(fluid, demand->links[i]), hub = fluid->share[link].hub;
        if (hub == FLUID_NONE)
            path->item[count++] = link;
        else
            hubs |= 1u << hub;
    }
    if (own != FLUID_NONE)
        path->item[count++] = own;
    path->count = count;
    sort_any(path);
    return hubs;
}

/* As lay_path, but with one link at least, to hold the flow: if need be, what has been a hub. */
static inline uint32_t lay_path_with_holder(struct fluid *fluid, const struct fluid_demand *demand,
                                            uint32_t own)
{
    for (;;) {
        uint32_t hubs = lay_path(fluid, demand, own);
        if (fluid->path.count || fluid->failed)
            return hubs;
        fluid_hub_end(fluid, fluid->hub_link[__builtin_ctz(hubs)]);
    }
}

static inline uint32_t take_flow(struct fluid *fluid)
{
    uint32_t number = fluid->flows_unused;
    if (number != FLUID_NONE) {
        fluid->flows_unused = fluid->flow[number].next;
        return number;
    }
    number = fluid->flows_count;
    if (!fluid_grow(fluid, &fluid->flow, &fluid->flows_room, number + 1, sizeof *fluid->flow))
        return FLUID_NONE;
    fluid->flow[number] = (struct fluid_flow_record){.generation = 1};
    fluid->flows_count++;
    return number;
}

static inline fluid_flow name_of(const struct fluid *fluid, uint32_t number)
{
    return (uint64_t)fluid->flow[number].generation << 32 | number;
}

/* FLUID_NONE when FLOW names none. */
static uint32_t number_of(const struct fluid *fluid, fluid_flow flow)
{
    uint32_t number = (uint32_t)flow;
    bool is_one = number < fluid->flows_count && fluid->flow[number].state != FLUID_UNUSED &&
                  fluid->flow[number].generation == flow >> 32;
    return is_one ? number : FLUID_NONE;
}

/* What the clock of its class gives to a flow until it has sent all: rounded up. */
static inline fluid_clock service(uint64_t bits, uint32_t weight)
{
    fluid_clock units = (fluid_clock)bits << FLUID_UNIT_BITS;
    return weight == 1 ? units : (units + weight - 1) / weight;
}

static inline void describe(struct fluid *fluid, struct fluid_flow_record *flow,
                            const struct fluid_demand *demand)
{
    flow->finish = fluid_class_clock(fluid, flow->class) + service(demand->bits, demand->weight);
    flow->bits = demand->bits;
    flow->weight = demand->weight;
    flow->context = demand->context;
    flow->order = ++fluid->starts;
    flow->state = FLUID_UNDER_WAY;
}

static inline bool join_class(struct fluid *fluid, uint32_t number, const struct fluid_demand *demand)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    flow->class = fluid_class_get(fluid, &fluid->path, demand->weight);
    if (!flow->class)
        return false;
    if (flow->hubs)
        fluid_hubs_weigh(fluid, flow->class, flow->hubs, demand->weight);
    describe(fluid, flow, demand);
    fluid->flows_live++;
    return fluid_class_add(fluid, flow->class, number);
}

fluid_flow fluid_start(struct fluid *fluid, const struct fluid_demand *demand)
{
    assert(demand->links_count > 0 && demand->bits > 0 && demand->bits <= FLUID_BITS_LIMIT);
    assert(demand->weight > 0 && demand->weight <= FLUID_WEIGHT_LIMIT && demand->rate_cap >= 0);
    if (fluid->failed)
        return 0;
    uint32_t own = cap_link(fluid, demand->rate_cap);
    uint32_t hubs = lay_path_with_holder(fluid, demand, own);
    uint32_t number = fluid->failed ? FLUID_NONE : take_flow(fluid);
    if (number == FLUID_NONE)
        return 0;
    fluid->flow[number].cap_link = own;
    fluid->flow[number].hubs = hubs;
    return join_class(fluid, number, demand) ? name_of(fluid, number) : 0;
}

void fluid_set_rate_cap(struct fluid *fluid, fluid_flow name, double rate_cap)
{
    uint32_t number = number_of(fluid, name);
    if (fluid->failed || number == FLUID_NONE || fluid->flow[number].state != FLUID_UNDER_WAY)
        return;
    assert(rate_cap > 0 && fluid->flow[number].cap_link != FLUID_NONE);
    set_capacity(fluid, fluid->flow[number].cap_link, limited(rate_cap));
}

bool fluid_crosses(const struct fluid *fluid, fluid_flow name, uint32_t link)
{
    uint32_t number = number_of(fluid, name);
    if (number == FLUID_NONE || fluid->flow[number].state != FLUID_UNDER_WAY)
        return false;
    const struct fluid_class *class = fluid->flow[number].class;
    uint32_t ours = link_of(fluid, link), hub = fluid->share[ours].hub;
    if (hub != FLUID_NONE)
        return fluid->flow[number].hubs >> hub & 1;
    for (uint32_t i = 0; i < class->members_count; i++)
        if (class->member[i].link == ours)
            return true;
    return false;
}

static uint64_t fluid_flow_sent(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_flow_record *flow = &fluid->flow[number];
    if (flow->state == FLUID_ENDED)
        return flow->bits;
    fluid_clock start = flow->finish - service(flow->bits, flow->weight);
    fluid_clock served = (fluid_class_clock(fluid, flow->class) - start) * flow->weight >> FLUID_UNIT_BITS;
    return served < (fluid_clock)flow->bits ? (uint64_t)served : flow->bits;
}

static void forget_ended(struct fluid *fluid, uint32_t number)
{
    uint32_t at = fluid->ended_first;
    while (fluid->ended[at].number != number)
        at++;
    fluid->ended_count--;
    memmove(&fluid->ended[at], &fluid->ended[at + 1], (fluid->ended_count - at) * sizeof *fluid->ended);
}

uint64_t fluid_cancel(struct fluid *fluid, fluid_flow name)
{
    uint32_t number = number_of(fluid, name);
    if (fluid->failed || number == FLUID_NONE)
        return 0;
    uint64_t bits = fluid_flow_sent(fluid, number);
    if (fluid->flow[number].state == FLUID_ENDED)
        forget_ended(fluid, number);
    else
        take_out(fluid, number, bits);
    give_flow_back(fluid, number);
    return bits;
}

static inline void end(struct fluid *fluid, uint32_t number)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    take_out(fluid, number, flow->bits);
    flow->state = FLUID_ENDED;
    if (fluid_grow(fluid, &fluid->ended, &fluid->ended_room, fluid->ended_count + 1, sizeof *fluid->ended))
        fluid->ended[fluid->ended_count++] = (struct fluid_ended){flow->order, number};
}

/* Ends the flows that a link lets go now. Their times are those of the levels before this instant: the level
 * of a link that still holds something changes only when it is evaluated. */
static inline void end_due(struct fluid *fluid, uint32_t number)
{
    const struct fluid_heap *held = &fluid->link[number].held;
    sim_time due;
    do {
        end(fluid, held->entry[0].carried);
        due = held->count ? fluid_due_time(fluid, number, held->entry[0].key) : SIM_NEVER;
    } while (due <= fluid->now && !fluid->failed);
    fluid_due_set(fluid, number, due);
}

/* The rate of all flows here, when all levels are found. */
static inline double load_of(const struct fluid *fluid, uint32_t link)
{
    const struct fluid_share *share = &fluid->share[link];
    if (share->hub != FLUID_NONE)
        return fluid->hub_load[share->hub];
    return share->idle ? share->load : share->capacity;
}

/* The rates of the instant that is left now have lasted. */
static inline void record_peaks(struct fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->listed_count; i++) {
        uint32_t link = fluid->listed[i];
        struct fluid_share *share = &fluid->share[link];
        share->listed = false;
        share->peak = fmax(share->peak, load_of(fluid, link));
        fluid_watch(fluid, link);
    }
    fluid->listed_count = 0;
}

/* Sums the loads afresh when many have been rounded, and looks for hubs then, as both take long. */
static void round_afresh(struct fluid *fluid)
{
    if (fluid->roundings < ROUNDINGS_MOST + 4 * ((uint64_t)fluid->pairs_live + fluid->links_count))
        return;
    for (uint32_t i = 0; i < fluid->links_count; i++)
        fluid_load_afresh(fluid, i);
    fluid->roundings = 0;
    if (!fluid_hubs_choose(fluid))
        return;
    fluid_solve(fluid);
    record_peaks(fluid);
}

static int by_start(const void *a, const void *b)
{
    const struct fluid_ended *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

void fluid_advance(struct fluid *fluid, sim_time now)
{
    assert(now >= fluid->now && now < SIM_NEVER);
    if (now == fluid->now || fluid->failed)
        return;
    uint32_t before = fluid->ended_count;
    fluid_solve(fluid);
    record_peaks(fluid);
    round_afresh(fluid);
    fluid->now = fluid->least_due = now;
    for (uint32_t link; !fluid->failed && (link = fluid_due_at(fluid, now)) != FLUID_NONE;)
        end_due(fluid, link);
    fluid->least_due = now + 1;
    if (fluid->ended_count - before > 1)
        qsort(&fluid->ended[before], fluid->ended_count - before, sizeof *fluid->ended, by_start);
}

sim_time fluid_next(struct fluid *fluid)
{
    fluid_solve(fluid);
    return fluid->failed ? SIM_NEVER : fluid_due_first(fluid);
}

fluid_flow fluid_pop(struct fluid *fluid, void **context)
{
    if (fluid->failed || fluid->ended_first == fluid->ended_count)
        return 0;
    uint32_t number = fluid->ended[fluid->ended_first++].number;
    if (fluid->ended_first == fluid->ended_count)
        fluid->ended_first = fluid->ended_count = 0;
    fluid_flow name = name_of(fluid, number);
    *context = fluid->flow[number].context;
    give_flow_back(fluid, number);
    return name;
}

uint32_t fluid_count(const struct fluid *fluid)
{
    return fluid->flows_live;
}

double fluid_rate(struct fluid *fluid, fluid_flow name)
{
    fluid_solve(fluid);
    uint32_t number = number_of(fluid, name);
    if (fluid->failed || number == FLUID_NONE || fluid->flow[number].state == FLUID_ENDED)
        return 0;
    const struct fluid_flow_record *flow = &fluid->flow[number];
    return flow->weight * fluid->level[fluid_holder(flow->class)];
}

uint64_t fluid_sent(const struct fluid *fluid, fluid_flow name)
{
    uint32_t number = number_of(fluid, name);
    return number == FLUID_NONE ? 0 : fluid_flow_sent(fluid, number);
}

double fluid_load(struct fluid *fluid, uint32_t given)
{
    fluid_solve(fluid);
    uint32_t link = link_of(fluid, given);
    fluid_load_afresh(fluid, link);
    return load_of(fluid, link);
}

double fluid_capacity(const struct fluid *fluid, uint32_t link)
{
    return fluid->share[link_of(fluid, link)].capacity;
}

static fluid_bits sent_by_class(const struct fluid *fluid, const struct fluid_class *class)
{
    fluid_bits bits = 0;
    for (uint32_t flow = class->first_flow; flow != FLUID_NONE; flow = fluid_queue_next(fluid, flow))
        bits += fluid_flow_sent(fluid, flow);
    return bits;
}

static fluid_bits sent_by_link(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_link *link = &fluid->link[number];
    fluid_bits bits = 0;
    if (fluid->share[number].hub != FLUID_NONE)
        return fluid_hub_sent(fluid, number);
    for (uint32_t i = 0; i < link->held.count; i++)
        bits += sent_by_class(fluid, fluid->class[link->held.entry[i].item]);
    for (uint32_t i = 0; i < link->in.count; i++) {
        const struct fluid_member *member = fluid->pair[link->in.entry[i].pair].first;
        for (; member; member = member->next)
            bits += sent_by_class(fluid, member->class);
    }
    return bits;
}

struct fluid_traffic fluid_traffic(struct fluid *fluid, uint32_t given)
{
    uint32_t number = link_of(fluid, given);
    return (struct fluid_traffic){fluid->link[number].carried + sent_by_link(fluid, number),
                                  fluid->share[number].peak};
}
