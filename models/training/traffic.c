/*
 * Messages, and what is counted of all that moves; traffic_internal.h tells where the rest is.
 */
#include "models/training/traffic_internal.h"

#include "models/priority.h"
#include "models/purpose.h"
#include <stdlib.h>

/* Messages. */

static struct endpoint endpoint_of(const struct traffic *traffic, int64_t place)
{
    return place == TRAFFIC_SYNCER ? traffic->syncer : endpoint_of_learner(traffic->placement, place);
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
    return traffic_use_links(traffic, &route, links) && stands_still(traffic, &route, links);
}

/* A message without bits takes no capacity, and would slip through a link that has none. */
static uint64_t bits_of(const struct traffic *traffic, const struct traffic_message *message,
                        const struct route *route, const uint32_t *links)
{
    uint64_t bits = traffic_whole_bits(message->bits);
    return bits == 0 && stands_still(traffic, route, links) ? 1 : bits;
}

flows_name traffic_send(struct traffic *traffic, const struct traffic_message *message)
{
    uint32_t links[ROUTE_LONGEST];
    struct route route;
    struct endpoint from = endpoint_of(traffic, message->from), to = endpoint_of(traffic, message->to);
    if (traffic_failed(traffic) || !route_find(traffic->routes, from, to, &route) ||
        !traffic_use_links(traffic, &route, links))
        return 0;
    struct flows_transfer transfer = {.links = links,
                                      .links_count = (uint32_t)route.count,
                                      .weight = message->weight,
                                      .bits = bits_of(traffic, message, &route, links),
                                      .rate_cap = route.cap,
                                      .window = traffic_window_of(traffic, &route),
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
    return traffic_blame_way(traffic, endpoint_of(traffic, from), endpoint_of(traffic, to));
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
        if (opened == TRAFFIC_CLOSED)
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
    traffic->actor = sim_engine_add_actor(traffic->engine, traffic_on_change, traffic);
    traffic->slices = calloc((size_t)traffic->placement->part_count, sizeof *traffic->slices);
    if (!traffic->number_in_flows || !traffic->slices || traffic->actor == UINT32_MAX ||
        !place_syncer(traffic, network, learners))
        return false;
    for (size_t i = 0; i < links; i++)
        traffic->number_in_flows[i] = TRAFFIC_CLOSED;
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
