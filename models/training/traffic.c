/*
 * A link of the routes is opened in the flows when something first crosses it, so that a network of a
 * thousand sites costs what is used of it.
 */
#include "models/training/traffic.h"

#include "models/failures/chaos.h"
#include "models/priority.h"
#include "models/purpose.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define CLOSED UINT32_MAX

/* A link that was opened; its number in the flows is its place among all that were. */
struct open_link {
    size_t number; /* of the routes */
    double bandwidth, price;
    struct capacity *capacity; /* NULL: it does not change */
    fluid_bits uncounted;      /* carried before counting began */
    struct traffic_blame blame;
};

struct link_fault {
    struct fault fault;
    uint64_t order; /* traffic_blame's */
};

struct operation {
    struct traffic *traffic;
    struct operation *previous, *next; /* under way */
    struct collective *collective;     /* NULL: nothing to send */
    flows_name trivial;                /* the event of one that has nothing to send */
    flows_handler *done;
    void *context;
    struct traffic_blame blame; /* as of that many CHANGES */
    uint64_t changes;
    uint32_t ranks;
    int64_t parts[]; /* of the placement, by rank */
};

/* Of a part of a learner; counted when the first of them goes. */
struct part_slices {
    int64_t all, gone;
};

struct traffic {
    struct sim_engine *engine;
    const struct network_config *network;
    uint64_t seed;
    uint32_t replication;
    struct placement *placement;
    struct routes *routes;
    struct flows *flows;
    uint32_t *number_in_flows; /* by number in the routes; CLOSED */
    struct open_link *links;
    uint32_t link_count, link_room;
    struct part_slices *slices; /* by part of the placement */
    struct endpoint syncer;
    struct sim_stream delays;
    struct operation *operations;
    fluid_bits uncounted;
    struct link_fault *faults; /* at present, in the order in which they began */
    size_t fault_count, fault_room;
    uint64_t changes; /* faults that have begun or ended */
    bool expects_faults;
    uint32_t actor;
    bool failed;
};

/* Capacities. */

static bool strikes_numbered(const struct traffic *traffic, int64_t unit, const struct route_link *link)
{
    int64_t number, sites = (int64_t)traffic->network->sites.count;
    if (sites == 0)
        return link->kind == LINK_ACCESS && traffic->placement->parts[link->number].learner == unit;
    switch (chaos_link_of(traffic->network, unit, &number)) {
    case CHAOS_LINK_ENTRY:
        return link->kind == LINK_PAIR && link->number == number;
    case CHAOS_LINK_BACKBONE:
        return link->kind == LINK_BACKBONE && link->number == number;
    default:
        return link->kind == LINK_BETWEEN &&
               (link->number == number || link->number == number % sites * sites + number / sites);
    }
}

static bool strikes(const struct traffic *traffic, const struct fault *fault, const struct route_link *link)
{
    switch (fault->domain) {
    case FAULT_OF_SITE:
        return link->kind == LINK_UPLINK && link->number == fault->unit;
    case FAULT_OF_CLUSTER:
        return link->kind == (traffic->network->sites.count ? LINK_UPLINK : LINK_ACCESS);
    default:
        return strikes_numbered(traffic, fault->unit, link);
    }
}

/* What faults leave of a link: a share of its bandwidth, and of its packets. */
struct left {
    double share, passing;
};

static struct left left_by_faults(const struct traffic *traffic, const struct open_link *link)
{
    struct left left = {1, 1};
    if (traffic->fault_count == 0)
        return left;
    struct route_link described = routes_link(traffic->routes, link->number);
    for (size_t i = 0; i < traffic->fault_count; i++) {
        const struct fault *fault = &traffic->faults[i].fault;
        if (!strikes(traffic, fault, &described))
            continue;
        left.share *= fault->kind == FAULT_PARTITION  ? 0
                      : fault->kind == FAULT_THROTTLE ? fault->factor
                                                      : 1 - fault->factor;
        left.passing *= fault->kind == FAULT_LOSS ? 1 - fault->factor : 1;
    }
    return left;
}

/* Whether FAULT leaves less of LINK; a share of no limit is no limit. */
static bool slows(const struct traffic *traffic, const struct fault *fault, const struct route_link *link)
{
    double factor = fault->factor;
    bool less = fault->kind == FAULT_PARTITION  ? true
                : fault->kind == FAULT_THROTTLE ? factor < 1 && (isfinite(link->bandwidth) || factor == 0)
                                                : factor > 0;
    return less && strikes(traffic, fault, link);
}

static struct traffic_blame find_blame(const struct traffic *traffic, size_t number)
{
    struct traffic_blame blame = TRAFFIC_NO_BLAME;
    struct route_link described = routes_link(traffic->routes, number);
    for (size_t i = 0; i < traffic->fault_count; i++) {
        const struct link_fault *active = &traffic->faults[i];
        if (slows(traffic, &active->fault, &described))
            blame = traffic_worse(blame, (struct traffic_blame){active->fault.cause, active->order});
    }
    return blame;
}

static double capacity_now(const struct traffic *traffic, const struct open_link *link)
{
    double factor = link->capacity ? capacity_at(link->capacity, sim_engine_now(traffic->engine)) : 1;
    if (traffic->fault_count > 0)
        factor *= left_by_faults(traffic, link).share;
    return factor > 0 ? fmin(link->bandwidth * factor, FLUID_CAPACITY_LIMIT) : 0;
}

static void schedule_change(struct traffic *traffic, uint32_t opened)
{
    sim_time next = capacity_next(traffic->links[opened].capacity);
    if (next < SIM_NEVER)
        sim_engine_schedule(traffic->engine, next, PRIORITY_OUTAGE, traffic->actor, opened);
}

static void on_change(struct sim_engine *engine, void *actor, uint32_t opened)
{
    (void)engine;
    struct traffic *traffic = actor;
    if (traffic_failed(traffic))
        return;
    flows_set_capacity(traffic->flows, opened, capacity_now(traffic, &traffic->links[opened]));
    schedule_change(traffic, opened);
}

/* Links. */

static bool make_room(struct traffic *traffic)
{
    if (traffic->link_count < traffic->link_room)
        return true;
    uint32_t room = traffic->link_room ? 2 * traffic->link_room : 16;
    struct open_link *links = realloc(traffic->links, room * sizeof *links);
    if (!links)
        return false;
    traffic->links = links;
    traffic->link_room = room;
    return true;
}

static bool open_link(struct traffic *traffic, size_t number)
{
    struct route_link described = routes_link(traffic->routes, number);
    struct error error = {0};
    if (!make_room(traffic))
        return false;
    struct open_link link = {.number = number,
                             .bandwidth = described.bandwidth,
                             .price = described.price,
                             .blame = TRAFFIC_NO_BLAME};
    link.capacity = routes_capacity(traffic->routes, number, traffic->seed, traffic->replication, &error);
    if (error.kind != ERROR_NONE)
        return false;
    if (flows_add_link(traffic->flows, capacity_now(traffic, &link)) == UINT32_MAX) {
        capacity_destroy(link.capacity);
        return false;
    }
    uint32_t opened = traffic->link_count++;
    traffic->links[opened] = link;
    traffic->number_in_flows[number] = opened;
    if (link.capacity)
        schedule_change(traffic, opened);
    if (traffic->fault_count == 0)
        return true;
    flows_set_loss(traffic->flows, opened, 1 - left_by_faults(traffic, &link).passing);
    traffic->links[opened].blame = find_blame(traffic, number);
    return true;
}

/* Puts the flows' numbers of ROUTE's links into LINKS, opening them. */
static bool use_links(struct traffic *traffic, const struct route *route, uint32_t *links)
{
    for (size_t i = 0; i < route->count; i++) {
        if (traffic->number_in_flows[route->links[i]] == CLOSED && !open_link(traffic, route->links[i])) {
            traffic->failed = true;
            return false;
        }
        links[i] = traffic->number_in_flows[route->links[i]];
    }
    return true;
}

/* Faults of links. */

void traffic_expect_faults(struct traffic *traffic)
{
    traffic->expects_faults = true;
    routes_keep_all(traffic->routes);
}

static bool has_link(const struct traffic *traffic, const struct fault *fault)
{
    size_t sites = traffic->network->sites.count;
    if (fault->domain == FAULT_OF_CLUSTER)
        return true;
    if (fault->domain == FAULT_OF_SITE)
        return fault->unit < (int64_t)sites;
    return sites > 0 ? chaos_has_link(traffic->network, fault->unit)
                     : fault->unit < traffic->placement->learners;
}

static bool add_fault(struct traffic *traffic, const struct fault *fault)
{
    if (traffic->fault_count == traffic->fault_room) {
        size_t room = 2 * traffic->fault_room + 4;
        struct link_fault *faults = realloc(traffic->faults, room * sizeof *faults);
        if (!faults)
            return false;
        traffic->faults = faults;
        traffic->fault_room = room;
    }
    uint64_t later = fault->kind == FAULT_PARTITION ? 0 : UINT64_C(1) << 63;
    traffic->faults[traffic->fault_count++] = (struct link_fault){*fault, later + traffic->changes};
    return true;
}

static void remove_fault(struct traffic *traffic, const struct fault *ended)
{
    for (size_t i = 0; i < traffic->fault_count; i++) {
        const struct fault *fault = &traffic->faults[i].fault;
        if (fault->kind != ended->kind || fault->domain != ended->domain || fault->unit != ended->unit ||
            fault->cause != ended->cause)
            continue;
        for (traffic->fault_count--; i < traffic->fault_count; i++)
            traffic->faults[i] = traffic->faults[i + 1];
        return;
    }
}

/* Links are visited in the order of their first use, so that a run is the same each time. */
static void change_struck(struct traffic *traffic, const struct fault *fault)
{
    for (uint32_t opened = 0; opened < traffic->link_count; opened++) {
        struct open_link *link = &traffic->links[opened];
        struct route_link described = routes_link(traffic->routes, link->number);
        if (!strikes(traffic, fault, &described))
            continue;
        link->blame = find_blame(traffic, link->number);
        flows_set_capacity(traffic->flows, opened, capacity_now(traffic, link));
        if (fault->kind == FAULT_LOSS)
            flows_set_loss(traffic->flows, opened, 1 - left_by_faults(traffic, link).passing);
    }
}

bool traffic_strike(struct traffic *traffic, const struct fault *fault, bool begins)
{
    assert(traffic->expects_faults && chaos_strikes_links(fault->kind));
    if (traffic_failed(traffic) || !has_link(traffic, fault))
        return false;
    traffic->changes++;
    if (!begins)
        remove_fault(traffic, fault);
    else if (!add_fault(traffic, fault))
        traffic->failed = true;
    if (!traffic_failed(traffic))
        change_struck(traffic, fault);
    return true;
}

bool traffic_is_struck(const struct traffic *traffic)
{
    return traffic->fault_count > 0;
}

uint64_t traffic_changes(const struct traffic *traffic)
{
    return traffic->changes;
}

/* Links that nothing has crossed yet are not opened for it: their order is the run's. */
static struct traffic_blame blame_way(const struct traffic *traffic, struct endpoint from, struct endpoint to)
{
    struct traffic_blame blame = TRAFFIC_NO_BLAME;
    struct route route;
    if (!traffic_is_struck(traffic) || !route_find(traffic->routes, from, to, &route))
        return blame;
    for (size_t i = 0; i < route.count; i++) {
        uint32_t opened = traffic->number_in_flows[route.links[i]];
        blame = traffic_worse(blame, opened == CLOSED ? find_blame(traffic, route.links[i])
                                                      : traffic->links[opened].blame);
    }
    return blame;
}

/* Of a transfer that may come to be slowed by lost packets. */
static double window_of(const struct traffic *traffic, const struct route *route)
{
    return traffic->expects_faults && isfinite(route->window) ? route->window : 0;
}

/* Messages. */

static struct endpoint endpoint_of(const struct traffic *traffic, int64_t place)
{
    return place == TRAFFIC_SYNCER ? traffic->syncer : endpoint_of_learner(traffic->placement, place);
}

static uint64_t whole_bits(double bits)
{
    return bits < (double)FLUID_BITS_LIMIT ? (uint64_t)ceil(bits) : FLUID_BITS_LIMIT;
}

static bool stands_still(const struct traffic *traffic, const struct route *route, const uint32_t *links)
{
    for (size_t i = 0; i < route->count; i++)
        if (!(flows_capacity(traffic->flows, links[i]) > 0))
            return true;
    return false;
}

int64_t traffic_site(const struct traffic *traffic, int64_t learner)
{
    return endpoint_of_learner(traffic->placement, learner).site;
}

bool traffic_is_cut(struct traffic *traffic, int64_t from, int64_t to)
{
    uint32_t links[ROUTE_LONGEST];
    struct route route;
    if (!route_find(traffic->routes, endpoint_of(traffic, from), endpoint_of(traffic, to), &route))
        return true;
    return use_links(traffic, &route, links) && stands_still(traffic, &route, links);
}

/* A message without bits takes no capacity, and would slip through a link that has none. */
static uint64_t bits_of(const struct traffic *traffic, const struct traffic_message *message,
                        const struct route *route, const uint32_t *links)
{
    uint64_t bits = whole_bits(message->bits);
    return bits == 0 && stands_still(traffic, route, links) ? 1 : bits;
}

flows_name traffic_send(struct traffic *traffic, const struct traffic_message *message)
{
    uint32_t links[ROUTE_LONGEST];
    struct route route;
    struct endpoint from = endpoint_of(traffic, message->from), to = endpoint_of(traffic, message->to);
    if (traffic_failed(traffic) || !route_find(traffic->routes, from, to, &route) ||
        !use_links(traffic, &route, links))
        return 0;
    struct flows_transfer transfer = {.links = links,
                                      .links_count = (uint32_t)route.count,
                                      .weight = message->weight,
                                      .bits = bits_of(traffic, message, &route, links),
                                      .rate_cap = route.cap,
                                      .window = window_of(traffic, &route),
                                      .loss = route.loss,
                                      .latency = route_delay(&route, &traffic->delays),
                                      .left = message->left,
                                      .arrived = message->arrived,
                                      .context = message->context};
    return flows_start(traffic->flows, &transfer);
}

uint64_t traffic_cancel(struct traffic *traffic, flows_name name)
{
    return flows_cancel(traffic->flows, name);
}

struct traffic_blame traffic_blame(const struct traffic *traffic, int64_t from, int64_t to)
{
    return blame_way(traffic, endpoint_of(traffic, from), endpoint_of(traffic, to));
}

/* Collectives. */

static void link_in(struct operation *operation)
{
    struct traffic *traffic = operation->traffic;
    operation->next = traffic->operations;
    if (operation->next)
        operation->next->previous = operation;
    traffic->operations = operation;
}

static void take_out(struct operation *operation)
{
    if (operation->previous)
        operation->previous->next = operation->next;
    else
        operation->traffic->operations = operation->next;
    if (operation->next)
        operation->next->previous = operation->previous;
}

static bool find_way(void *context, uint32_t from, uint32_t to, struct collective_route *way)
{
    struct operation *operation = context;
    struct traffic *traffic = operation->traffic;
    struct route route;
    if (!route_find(traffic->routes, endpoint_of_part(traffic->placement, operation->parts[from]),
                    endpoint_of_part(traffic->placement, operation->parts[to]), &route) ||
        !use_links(traffic, &route, way->links))
        return false;
    way->links_count = (uint32_t)route.count;
    way->latency = route_delay(&route, &traffic->delays);
    way->rate_cap = route.cap;
    way->window = window_of(traffic, &route);
    way->loss = route.loss;
    return true;
}

static void on_done(struct sim_engine *engine, void *context)
{
    struct operation finished = *(struct operation *)context;
    take_out(context);
    free(context);
    finished.done(engine, finished.context);
}

static uint32_t count_parts(const struct traffic *traffic, const struct traffic_collective *wanted)
{
    uint32_t count = 0;
    for (size_t i = 0; i < wanted->learner_count; i++) {
        int64_t learner = wanted->learners[i];
        count += (uint32_t)(traffic->placement->first[learner + 1] - traffic->placement->first[learner]);
    }
    return count;
}

/* The part that the NTH of a learner's SLICES is in. */
static int64_t part_of_slice(const struct placement *placement, int64_t learner, int64_t nth, int64_t slices)
{
    int64_t part = placement->first[learner], last = placement->first[learner + 1] - 1;
    double middle = ((double)nth + 0.5) / (double)slices, end = placement->parts[part].share;
    while (part < last && middle > end)
        end += placement->parts[++part].share;
    return part;
}

void traffic_slice_away(struct traffic *traffic, int64_t learner, int64_t nth, int64_t slices, bool away)
{
    int64_t part = part_of_slice(traffic->placement, learner, nth, slices);
    struct part_slices *counts = &traffic->slices[part];
    for (int64_t i = 0; counts->all == 0 && i < slices; i++)
        counts->all += part_of_slice(traffic->placement, learner, i, slices) == part;
    counts->gone += away ? 1 : -1;
}

static bool is_there(const struct traffic *traffic, int64_t part)
{
    const struct part_slices *counts = &traffic->slices[part];
    return counts->gone == 0 || counts->gone < counts->all;
}

static bool any_is_there(const struct traffic *traffic, int64_t learner)
{
    const struct placement *placement = traffic->placement;
    for (int64_t part = placement->first[learner]; part < placement->first[learner + 1]; part++)
        if (is_there(traffic, part))
            return true;
    return false;
}

/* Who is gone altogether has left what it gives; its parts take their place. */
static struct operation *create_operation(struct traffic *traffic, const struct traffic_collective *wanted,
                                          uint32_t *root)
{
    const struct placement *placement = traffic->placement;
    uint32_t count = count_parts(traffic, wanted);
    struct operation *operation = malloc(sizeof *operation + count * sizeof *operation->parts);
    if (!operation)
        return NULL;
    *operation = (struct operation){
        .traffic = traffic, .done = wanted->done, .context = wanted->context, .blame = TRAFFIC_NO_BLAME};
    for (size_t i = 0; i < wanted->learner_count; i++) {
        int64_t learner = wanted->learners[i], home = placement_home(placement, learner);
        bool all = !any_is_there(traffic, learner);
        if (i == wanted->root)
            *root = operation->ranks;
        for (int64_t part = placement->first[learner]; part < placement->first[learner + 1]; part++) {
            if (!all && !is_there(traffic, part))
                continue;
            if (i == wanted->root && part == home)
                *root = operation->ranks;
            operation->parts[operation->ranks++] = part;
        }
    }
    return operation;
}

/* What is over as it begins still ends in an event of its own: whoever starts it is not ready to be called.
 */
static bool begin_trivial(struct operation *operation)
{
    struct flows_transfer nothing = {.arrived = on_done, .context = operation};
    operation->trivial = flows_start(operation->traffic->flows, &nothing);
    return operation->trivial != 0;
}

static bool begin(struct operation *operation, const struct traffic_collective *wanted, uint32_t root)
{
    const struct traffic *traffic = operation->traffic;
    struct error error = {0};
    uint32_t *sites = calloc(operation->ranks, sizeof *sites);
    if (!sites)
        return false;
    for (uint32_t i = 0; i < operation->ranks; i++)
        sites[i] = (uint32_t)traffic->placement->parts[operation->parts[i]].site;
    struct collective_demand demand = {.algorithm = wanted->algorithm,
                                       .ranks = operation->ranks,
                                       .bits = whole_bits(wanted->bits),
                                       .root = root,
                                       .groups = sites,
                                       .route = find_way,
                                       .done = on_done,
                                       .context = operation};
    operation->collective = collective_start(traffic->flows, &demand, &error);
    free(sites);
    return operation->collective != NULL;
}

struct operation *traffic_start(struct traffic *traffic, const struct traffic_collective *wanted)
{
    uint32_t root = 0;
    struct operation *operation = traffic_failed(traffic) ? NULL : create_operation(traffic, wanted, &root);
    if (!operation) {
        traffic->failed = true;
        return NULL;
    }
    link_in(operation);
    bool trivial = operation->ranks == 1 || whole_bits(wanted->bits) == 0;
    if (trivial ? begin_trivial(operation) : begin(operation, wanted, root))
        return operation;
    traffic->failed = true;
    take_out(operation);
    free(operation);
    return NULL;
}

void traffic_stop(struct traffic *traffic, struct operation *operation)
{
    if (operation->collective)
        collective_cancel(operation->collective);
    else
        flows_cancel(traffic->flows, operation->trivial);
    take_out(operation);
    free(operation);
}

static void blame_message(void *context, uint32_t from, uint32_t to)
{
    struct operation *operation = context;
    const struct placement *placement = operation->traffic->placement;
    operation->blame = traffic_worse(
        operation->blame, blame_way(operation->traffic, endpoint_of_part(placement, operation->parts[from]),
                                    endpoint_of_part(placement, operation->parts[to])));
}

/* It is looked at again only after a fault has begun or ended: CHANGES is 0 until the first of a run. */
struct traffic_blame traffic_blame_operation(const struct traffic *traffic, struct operation *operation)
{
    if (operation->changes == traffic->changes)
        return operation->blame;
    operation->changes = traffic->changes;
    operation->blame = TRAFFIC_NO_BLAME;
    if (operation->collective && traffic_is_struck(traffic))
        collective_visit(operation->collective, blame_message, operation);
    return operation->blame;
}

/* Figures. */

bool traffic_moves(struct traffic *traffic)
{
    return flows_move(traffic->flows);
}

void traffic_begin_counting(struct traffic *traffic)
{
    if (traffic_failed(traffic))
        return;
    traffic->uncounted = flows_carried(traffic->flows);
    for (uint32_t i = 0; i < traffic->link_count; i++)
        traffic->links[i].uncounted = flows_traffic(traffic->flows, i).bits;
}

double traffic_bits(struct traffic *traffic)
{
    return traffic_failed(traffic) ? 0 : (double)(flows_carried(traffic->flows) - traffic->uncounted);
}

static double counted_bits(struct traffic *traffic, uint32_t opened)
{
    return (double)(flows_traffic(traffic->flows, opened).bits - traffic->links[opened].uncounted);
}

double traffic_price(struct traffic *traffic)
{
    double price = 0;
    for (uint32_t i = 0; i < traffic->link_count; i++)
        if (traffic->links[i].price > 0)
            price += counted_bits(traffic, i) * traffic->links[i].price;
    return price;
}

void traffic_visit(struct traffic *traffic, traffic_visitor *visitor, void *context)
{
    for (size_t number = 0; number < routes_link_count(traffic->routes) && !traffic_failed(traffic);
         number++) {
        uint32_t opened = traffic->number_in_flows[number];
        if (opened == CLOSED)
            continue;
        struct traffic_link link = {.link = routes_link(traffic->routes, number),
                                    .number = opened,
                                    .bits = counted_bits(traffic, opened),
                                    .peak = flows_traffic(traffic->flows, opened).peak};
        visitor(context, &link);
    }
}

uint32_t traffic_used_links(const struct traffic *traffic)
{
    return traffic->link_count;
}

fluid_bits traffic_link_bits(struct traffic *traffic, uint32_t number)
{
    return flows_traffic(traffic->flows, number).bits;
}

/* Life. */

static int64_t busiest_site(const struct network_config *network, int64_t learners, int64_t *counts)
{
    int64_t busiest = 0;
    sites_count_learners(network, learners, counts);
    for (size_t i = 1; i < network->sites.count; i++)
        if (counts[i] > counts[busiest])
            busiest = (int64_t)i;
    return busiest;
}

static bool place_syncer(struct traffic *traffic, const struct network_config *network, int64_t learners)
{
    traffic->syncer = endpoint_of_site(-1);
    if (network->sites.count == 0)
        return true;
    int64_t *counts = calloc(network->sites.count, sizeof *counts);
    if (counts)
        traffic->syncer = endpoint_of_site(busiest_site(network, learners, counts));
    free(counts);
    return counts != NULL;
}

void traffic_place_syncer(struct traffic *traffic, int64_t site)
{
    traffic->syncer = endpoint_of_site(site);
}

int64_t traffic_syncer_site(const struct traffic *traffic)
{
    return traffic->syncer.site;
}

static bool init(struct traffic *traffic, const struct network_config *network, int64_t learners,
                 struct error *error)
{
    traffic->placement = placement_create(network, learners, error);
    traffic->routes = traffic->placement ? routes_create(network, traffic->placement, error) : NULL;
    traffic->flows = traffic->routes ? flows_create(traffic->engine, PRIORITY_MESSAGE, error) : NULL;
    if (!traffic->flows)
        return false;
    size_t links = routes_link_count(traffic->routes);
    traffic->number_in_flows = malloc((links + 1) * sizeof *traffic->number_in_flows);
    traffic->actor = sim_engine_add_actor(traffic->engine, on_change, traffic);
    traffic->slices = calloc((size_t)traffic->placement->part_count, sizeof *traffic->slices);
    if (!traffic->number_in_flows || !traffic->slices || traffic->actor == UINT32_MAX ||
        !place_syncer(traffic, network, learners))
        return false;
    for (size_t i = 0; i < links; i++)
        traffic->number_in_flows[i] = CLOSED;
    sim_stream_open(&traffic->delays, traffic->seed, traffic->replication, PURPOSE_MESSAGE_DELAY, 0);
    return true;
}

struct traffic *traffic_create(struct sim_engine *engine, const struct network_config *network,
                               int64_t learners, uint64_t seed, uint32_t replication, struct error *error)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);
    if (traffic) {
        traffic->engine = engine;
        traffic->network = network;
        traffic->seed = seed;
        traffic->replication = replication;
    }
    if (!traffic || !init(traffic, network, learners, error)) {
        error_out_of_memory(error, "the network");
        traffic_destroy(traffic);
        return NULL;
    }
    return traffic;
}

void traffic_destroy(struct traffic *traffic)
{
    if (!traffic)
        return;
    while (traffic->operations)
        traffic_stop(traffic, traffic->operations);
    for (uint32_t i = 0; i < traffic->link_count; i++)
        capacity_destroy(traffic->links[i].capacity);
    flows_destroy(traffic->flows);
    routes_destroy(traffic->routes);
    placement_destroy(traffic->placement);
    free(traffic->number_in_flows);
    free(traffic->slices);
    free(traffic->links);
    free(traffic->faults);
    free(traffic);
}

void traffic_fail(struct traffic *traffic)
{
    traffic->failed = true;
}

bool traffic_failed(const struct traffic *traffic)
{
    return traffic->failed || flows_failed(traffic->flows);
}
