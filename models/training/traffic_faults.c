/*
 * Faults of links: what they leave of a link, and which of them a wait is charged to.
 */
#include "models/training/traffic_internal.h"

#include "models/failures/chaos.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

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

struct traffic_left traffic_left_by_faults(const struct traffic *traffic, const struct open_link *link)
{
    struct traffic_left left = {1, 1};
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

struct traffic_blame traffic_find_blame(const struct traffic *traffic, size_t number)
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

/* Their beginning and end. */

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
        link->blame = traffic_find_blame(traffic, link->number);
        flows_set_capacity(traffic->flows, opened, traffic_capacity_now(traffic, link));
        if (fault->kind == FAULT_LOSS)
            flows_set_loss(traffic->flows, opened, 1 - traffic_left_by_faults(traffic, link).passing);
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
struct traffic_blame traffic_blame_way(const struct traffic *traffic, struct endpoint from,
                                       struct endpoint to)
{
    struct traffic_blame blame = TRAFFIC_NO_BLAME;
    struct route route;
    if (!traffic_is_struck(traffic) || !route_find(traffic->routes, from, to, &route))
        return blame;
    for (size_t i = 0; i < route.count; i++) {
        uint32_t opened = traffic->number_in_flows[route.links[i]];
        blame = traffic_worse(blame, opened == TRAFFIC_CLOSED ? traffic_find_blame(traffic, route.links[i])
                                                              : traffic->links[opened].blame);
    }
    return blame;
}
