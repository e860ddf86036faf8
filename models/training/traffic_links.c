/*
 * A link of the routes is opened in the flows when something first crosses it, so that a network of a
 * thousand sites costs what is used of it.
 */
#include "models/training/traffic_internal.h"

#include "models/priority.h"
#include <math.h>
#include <stdlib.h>

double traffic_capacity_now(const struct traffic *traffic, const struct open_link *link)
{
    double factor = link->capacity ? capacity_at(link->capacity, sim_engine_now(traffic->engine)) : 1;
    if (traffic->fault_count > 0)
        factor *= traffic_left_by_faults(traffic, link).share;
    return factor > 0 ? fmin(link->bandwidth * factor, FLUID_CAPACITY_LIMIT) : 0;
}

static void schedule_change(struct traffic *traffic, uint32_t opened)
{
    sim_time next = capacity_next(traffic->links[opened].capacity);
    if (next < SIM_NEVER)
        sim_engine_schedule(traffic->engine, next, PRIORITY_OUTAGE, traffic->actor, opened);
}

void traffic_on_change(struct sim_engine *engine, void *actor, uint32_t opened)
{
    (void)engine;
    struct traffic *traffic = actor;
    if (traffic_failed(traffic))
        return;
    flows_set_capacity(traffic->flows, opened, traffic_capacity_now(traffic, &traffic->links[opened]));
    schedule_change(traffic, opened);
}

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
    if (flows_add_link(traffic->flows, traffic_capacity_now(traffic, &link)) == UINT32_MAX) {
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
    flows_set_loss(traffic->flows, opened, 1 - traffic_left_by_faults(traffic, &link).passing);
    traffic->links[opened].blame = traffic_find_blame(traffic, number);
    return true;
}

/* Puts the flows' numbers of ROUTE's links into LINKS, opening them. */
bool traffic_use_links(struct traffic *traffic, const struct route *route, uint32_t *links)
{
    for (size_t i = 0; i < route->count; i++) {
        if (traffic->number_in_flows[route->links[i]] == TRAFFIC_CLOSED &&
            !open_link(traffic, route->links[i])) {
            traffic->failed = true;
            return false;
        }
        links[i] = traffic->number_in_flows[route->links[i]];
    }
    return true;
}

/* Of a transfer that may come to be slowed by lost packets. */
double traffic_window_of(const struct traffic *traffic, const struct route *route)
{
    return traffic->expects_faults && isfinite(route->window) ? route->window : 0;
}
