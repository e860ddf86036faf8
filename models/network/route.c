/*
 * Links are numbered kind after kind, two ways of each thing next to each other: OFFSET[kind] + 2 · number +
 * way. That goes without a table of links; what a number means is worked out from it. Where both ways are one
 * (half duplex), they are the first number.
 *
 * LINK_BETWEEN is the exception in that the two ways of a pair are numbers FROM · sites + TO and TO · sites +
 * FROM.
 */
#include "models/network/route.h"

#include "models/purpose.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS_PER_PRICE 8e9 /* prices are of 10⁹ bytes */
#define SEGMENT_BITS (1460 * 8)
#define MATHIS_CONSTANT 1.224744871391589 /* √(3/2) */

enum way { WAY_FORTH = 0, WAY_BACK = 1 };

struct routes {
    const struct network_config *network;
    const struct placement *placement;
    size_t sites;
    size_t offset[LINK_KINDS + 1];
    int64_t *pair;          /* of each ordered pair of sites: 2 · entry + way, or -1 */
    int64_t *site_backbone; /* number of the backbone, or -1 */
    int64_t *link_backbone;
    int64_t between_backbone;
    bool all; /* links without a limit and a price are on routes, too */
};

static const struct network_link *links_of(const struct routes *routes)
{
    return (const struct network_link *)routes->network->links.items;
}

static const struct network_backbone *backbones_of(const struct routes *routes)
{
    return (const struct network_backbone *)routes->network->backbones.items;
}

static int64_t find_backbone(const struct routes *routes, const char *name)
{
    for (size_t i = 0; name && i < routes->network->backbones.count; i++)
        if (strcmp(backbones_of(routes)[i].name, name) == 0)
            return (int64_t)i;
    return -1;
}

static bool has_between(const struct routes *routes)
{
    const struct network_between *between = &routes->network->between;
    return !isnan(between->bandwidth) || between->latency != PARAMETER_UNSET;
}

static void count_links(struct routes *routes)
{
    const struct network_config *network = routes->network;
    size_t parts = (size_t)routes->placement->part_count, sites = routes->sites;
    size_t counts[LINK_KINDS] = {[LINK_ACCESS] = 2 * parts,
                                 [LINK_INNER] = 2 * parts,
                                 [LINK_UPLINK] = 2 * sites,
                                 [LINK_PAIR] = 2 * network->links.count,
                                 [LINK_BETWEEN] = has_between(routes) ? sites * sites : 0,
                                 [LINK_BACKBONE] = 2 * network->backbones.count};
    for (size_t kind = 0; kind < LINK_KINDS; kind++)
        routes->offset[kind + 1] = routes->offset[kind] + counts[kind];
}

static void note_pairs(struct routes *routes)
{
    for (size_t i = 0; i < routes->sites * routes->sites; i++)
        routes->pair[i] = -1;
    for (size_t i = 0; i < routes->network->links.count; i++) {
        const struct network_link *link = &links_of(routes)[i];
        size_t from = (size_t)sites_find(routes->network, link->from);
        size_t to = (size_t)sites_find(routes->network, link->to);
        routes->pair[from * routes->sites + to] = 2 * (int64_t)i + WAY_FORTH;
        if (!link->one_way)
            routes->pair[to * routes->sites + from] = 2 * (int64_t)i + WAY_BACK;
        routes->link_backbone[i] = find_backbone(routes, link->backbone);
    }
}

struct routes *routes_create(const struct network_config *network, const struct placement *placement,
                             struct error *error)
{
    struct routes *routes = calloc(1, sizeof *routes);
    size_t sites = network->sites.count;
    if (routes) {
        *routes = (struct routes){.network = network, .placement = placement, .sites = sites};
        routes->pair = calloc(sites * sites + 1, sizeof *routes->pair);
        routes->site_backbone = calloc(sites + 1, sizeof *routes->site_backbone);
        routes->link_backbone = calloc(network->links.count + 1, sizeof *routes->link_backbone);
    }
    if (!routes || !routes->pair || !routes->site_backbone || !routes->link_backbone) {
        routes_destroy(routes);
        error_out_of_memory(error, "the routes of the network");
        return NULL;
    }
    count_links(routes);
    note_pairs(routes);
    for (size_t i = 0; i < sites; i++)
        routes->site_backbone[i] = find_backbone(routes, sites_of(network)[i].backbone);
    routes->between_backbone = find_backbone(routes, network->between.backbone);
    return routes;
}

void routes_destroy(struct routes *routes)
{
    if (!routes)
        return;
    free(routes->pair);
    free(routes->site_backbone);
    free(routes->link_backbone);
    free(routes);
}

void routes_keep_all(struct routes *routes)
{
    routes->all = true;
}

size_t routes_link_count(const struct routes *routes)
{
    return routes->offset[LINK_KINDS];
}

static double limit(double bandwidth, double loss)
{
    return isnan(bandwidth) ? INFINITY : bandwidth * (1 - loss);
}

static const char *site_name(const struct routes *routes, int64_t site)
{
    return sites_of(routes->network)[site].name;
}

static void describe_access(const struct routes *routes, struct route_link *link)
{
    link->bandwidth = limit(routes->network->wan_bandwidth, 0);
    link->profile = profiles_find(routes->network, routes->network->wan_profile);
}

static void describe_inner(const struct routes *routes, struct route_link *link)
{
    int64_t site = routes->placement->parts[link->number].site;
    link->bandwidth = site < 0 ? INFINITY : limit(sites_of(routes->network)[site].inner_bandwidth, 0);
}

/* Of a part: which one of its learner's only where it has several. */
static void name_part(const struct routes *routes, struct route_link *link)
{
    const struct placement *placement = routes->placement;
    const struct site_part *part = &placement->parts[link->number];
    bool several = placement->first[part->learner + 1] - placement->first[part->learner] > 1;
    snprintf(link->name, sizeof link->name, "%s%s of learner %lld%s%s",
             link->kind == LINK_INNER ? "inner " : "", link->back ? "downlink" : "uplink",
             (long long)part->learner, several ? " at " : "", several ? site_name(routes, part->site) : "");
}

static void describe_uplink(const struct routes *routes, struct route_link *link)
{
    const struct network_site *site = &sites_of(routes->network)[link->number];
    bool half = site->duplex == DUPLEX_HALF;
    bool meter = half && link->back; /* of the way out, beside the capacity that both ways share */
    double downlink = isnan(site->downlink) ? site->uplink : site->downlink;
    link->shared = half && !link->back;
    link->bandwidth = meter ? INFINITY : limit(link->back ? downlink : site->uplink, site->loss);
    link->profile = meter ? NULL : profiles_find(routes->network, site->profile);
    link->price = (half ? meter : !link->back) ? site->price / BITS_PER_PRICE : 0;
    snprintf(link->name, sizeof link->name, "%s of %s",
             meter          ? "way out"
             : link->shared ? "uplink and downlink"
             : link->back   ? "downlink"
                            : "uplink",
             site->name);
}

static void describe_pair(const struct routes *routes, struct route_link *link)
{
    const struct network_link *entry = &links_of(routes)[link->number];
    link->shared = entry->duplex == DUPLEX_HALF;
    link->bandwidth = limit(entry->bandwidth, entry->loss);
    link->profile = profiles_find(routes->network, entry->profile);
    link->price = entry->price / BITS_PER_PRICE;
    snprintf(link->name, sizeof link->name, "%s %s %s", link->back ? entry->to : entry->from,
             link->shared ? "and" : "to", link->back ? entry->from : entry->to);
}

static void describe_between(const struct routes *routes, struct route_link *link)
{
    const struct network_between *between = &routes->network->between;
    int64_t sites = (int64_t)routes->sites, from = link->number / sites, to = link->number % sites;
    link->back = from > to;
    link->shared = between->duplex == DUPLEX_HALF;
    link->bandwidth = limit(between->bandwidth, between->loss);
    link->profile = profiles_find(routes->network, between->profile);
    link->price = between->price / BITS_PER_PRICE;
    snprintf(link->name, sizeof link->name, "%s %s %s", site_name(routes, from), link->shared ? "and" : "to",
             site_name(routes, to));
}

static void describe_backbone(const struct routes *routes, struct route_link *link)
{
    const struct network_backbone *backbone = &backbones_of(routes)[link->number];
    link->shared = backbone->duplex == DUPLEX_HALF;
    link->bandwidth = limit(backbone->bandwidth, 0);
    link->profile = profiles_find(routes->network, backbone->profile);
    snprintf(link->name, sizeof link->name, "%s%s", backbone->name, link->back ? " (back)" : "");
}

static enum link_kind kind_of(const struct routes *routes, size_t link)
{
    size_t kind = 0;
    while (link >= routes->offset[kind + 1])
        kind++;
    return (enum link_kind)kind;
}

struct route_link routes_link(const struct routes *routes, size_t link)
{
    static void (*const describe[LINK_KINDS])(const struct routes *, struct route_link *) = {
        [LINK_ACCESS] = describe_access,   [LINK_INNER] = describe_inner,
        [LINK_UPLINK] = describe_uplink,   [LINK_PAIR] = describe_pair,
        [LINK_BETWEEN] = describe_between, [LINK_BACKBONE] = describe_backbone};
    assert(link < routes_link_count(routes));
    enum link_kind kind = kind_of(routes, link);
    size_t index = link - routes->offset[kind];
    struct route_link description = {.kind = kind, .number = (int64_t)index};
    if (kind != LINK_BETWEEN) {
        description.number = (int64_t)(index / 2);
        description.back = index % 2 == WAY_BACK;
    }
    if (kind == LINK_ACCESS || kind == LINK_INNER)
        name_part(routes, &description);
    describe[kind](routes, &description);
    return description;
}

/* What names a link's changes: kind and number of the thing, the same for both its ways. */
static uint64_t entity_of(const struct routes *routes, const struct route_link *link)
{
    uint64_t number = (uint64_t)link->number, sites = routes->sites;
    if (link->kind == LINK_BETWEEN && link->back)
        number = number % sites * sites + number / sites;
    return (uint64_t)link->kind << 56 | number;
}

struct capacity *routes_capacity(const struct routes *routes, size_t link, uint64_t seed,
                                 uint32_t replication, struct error *error)
{
    struct route_link description = routes_link(routes, link);
    if (!description.profile)
        return NULL;
    return capacity_create(description.profile, seed, replication, entity_of(routes, &description), error);
}

struct endpoint endpoint_of_part(const struct placement *placement, int64_t part)
{
    return (struct endpoint){part, placement->parts[part].site};
}

struct endpoint endpoint_of_learner(const struct placement *placement, int64_t learner)
{
    return endpoint_of_part(placement, placement_home(placement, learner));
}

struct endpoint endpoint_of_site(int64_t site)
{
    return (struct endpoint){-1, site};
}

/* Adds LINK to the route unless it is there. */
static void cross(struct route *route, size_t link)
{
    for (size_t i = 0; i < route->count; i++)
        if (route->links[i] == link)
            return;
    assert(route->count < ROUTE_LONGEST);
    route->links[route->count++] = (uint32_t)link;
}

static size_t link_number(const struct routes *routes, enum link_kind kind, int64_t number, enum way way)
{
    return routes->offset[kind] + 2 * (size_t)number + way;
}

static void cross_access(const struct routes *routes, struct endpoint place, enum way way,
                         struct route *route)
{
    if (place.part >= 0 && !isnan(routes->network->wan_bandwidth))
        cross(route, link_number(routes, LINK_ACCESS, place.part, way));
}

static void cross_inner(const struct routes *routes, struct endpoint place, enum way way, struct route *route)
{
    if (place.part >= 0 && !isnan(sites_of(routes->network)[place.site].inner_bandwidth))
        cross(route, link_number(routes, LINK_INNER, place.part, way));
}

static void cross_backbone(const struct routes *routes, int64_t backbone, enum way way, struct route *route)
{
    if (backbone < 0)
        return;
    if (backbones_of(routes)[backbone].duplex == DUPLEX_HALF)
        way = WAY_FORTH;
    cross(route, link_number(routes, LINK_BACKBONE, backbone, way));
}

static void add_delay(struct route *route, sim_time latency, sim_time jitter, double loss)
{
    if (latency != PARAMETER_UNSET)
        route->latency = sim_time_add(route->latency, latency);
    route->jitter = sim_time_add(route->jitter, jitter);
    route->loss = 1 - (1 - route->loss) * (1 - loss);
}

static void cross_uplink(const struct routes *routes, int64_t number, enum way way, struct route *route)
{
    const struct network_site *site = &sites_of(routes->network)[number];
    bool half = site->duplex == DUPLEX_HALF, priced = way == WAY_FORTH && site->price > 0;
    double bandwidth = way == WAY_BACK && !isnan(site->downlink) ? site->downlink : site->uplink;
    if (routes->all || !isnan(bandwidth) || (priced && !half))
        cross(route, link_number(routes, LINK_UPLINK, number, half ? WAY_FORTH : way));
    if (priced && half)
        cross(route, link_number(routes, LINK_UPLINK, number, WAY_BACK));
    if (priced)
        route->price += site->price / BITS_PER_PRICE;
    add_delay(route, site->latency, site->jitter, site->loss);
}

static void cross_pair(const struct routes *routes, int64_t pair, struct route *route)
{
    const struct network_link *link = &links_of(routes)[pair / 2];
    enum way way = pair % 2 ? WAY_BACK : WAY_FORTH;
    if (routes->all || !isnan(link->bandwidth) || link->price > 0)
        cross(route, link_number(routes, LINK_PAIR, pair / 2, link->duplex == DUPLEX_HALF ? WAY_FORTH : way));
    cross_backbone(routes, routes->link_backbone[pair / 2], way, route);
    route->price += link->price / BITS_PER_PRICE;
    add_delay(route, link->latency, link->jitter, link->loss);
}

static void cross_between(const struct routes *routes, int64_t from, int64_t to, struct route *route)
{
    const struct network_between *between = &routes->network->between;
    int64_t sites = (int64_t)routes->sites, low = from < to ? from : to, high = from < to ? to : from;
    int64_t number = between->duplex == DUPLEX_HALF ? low * sites + high : from * sites + to;
    if (routes->all || !isnan(between->bandwidth) || between->price > 0)
        cross(route, routes->offset[LINK_BETWEEN] + (size_t)number);
    cross_backbone(routes, routes->between_backbone, from < to ? WAY_FORTH : WAY_BACK, route);
    route->price += between->price / BITS_PER_PRICE;
    add_delay(route, between->latency, between->jitter, between->loss);
}

/* What lies between two sites, without their uplinks. False: nothing does. */
static bool cross_middle(const struct routes *routes, int64_t from, int64_t to, struct route *route)
{
    int64_t pair = routes->pair[(size_t)from * routes->sites + (size_t)to];
    if (pair < 0 && !has_between(routes))
        return false;
    cross_backbone(routes, routes->site_backbone[from], WAY_FORTH, route);
    if (pair >= 0)
        cross_pair(routes, pair, route);
    else
        cross_between(routes, from, to, route);
    cross_backbone(routes, routes->site_backbone[to], WAY_BACK, route);
    return true;
}

static void route_inside(const struct routes *routes, struct endpoint from, struct endpoint to,
                         struct route *route)
{
    cross_inner(routes, from, WAY_FORTH, route);
    cross_inner(routes, to, WAY_BACK, route);
    add_delay(route, sites_of(routes->network)[from.site].inner_latency, 0, 0);
}

static bool route_outside(const struct routes *routes, struct endpoint from, struct endpoint to,
                          struct route *route)
{
    cross_access(routes, from, WAY_FORTH, route);
    if (routes->sites) {
        cross_uplink(routes, from.site, WAY_FORTH, route);
        if (!cross_middle(routes, from.site, to.site, route))
            return false;
        cross_uplink(routes, to.site, WAY_BACK, route);
    }
    cross_access(routes, to, WAY_BACK, route);
    if (from.part >= 0 || to.part >= 0)
        add_delay(route, routes->network->wan_latency, 0, 0);
    return true;
}

/* Mathis et al., eq. 3, times the connections. */
static void set_cap(const struct routes *routes, struct route *route)
{
    double round_trip = 2 * sim_time_to_seconds(sim_time_add(route->latency, route->jitter));
    double connections = (double)routes->network->connections;
    route->window = round_trip > 0 ? SEGMENT_BITS / round_trip * MATHIS_CONSTANT * connections : INFINITY;
    if (!(route->loss > 0) || !(round_trip > 0))
        return;
    double connection = SEGMENT_BITS / round_trip * MATHIS_CONSTANT / sqrt(route->loss);
    route->cap = connection * connections;
}

bool route_find(const struct routes *routes, struct endpoint from, struct endpoint to, struct route *route)
{
    *route = (struct route){.window = INFINITY, .cap = INFINITY};
    if (from.part == to.part && from.site == to.site)
        return true;
    if (routes->sites && from.site == to.site)
        route_inside(routes, from, to, route);
    else if (!route_outside(routes, from, to, route))
        return false;
    set_cap(routes, route);
    return true;
}

static bool have_route(const struct routes *routes, int64_t from, int64_t to)
{
    return from == to || has_between(routes) || routes->pair[(size_t)from * routes->sites + (size_t)to] >= 0;
}

bool routes_complete(const struct routes *routes, int64_t *from_site, int64_t *to_site)
{
    const struct placement *placement = routes->placement;
    int64_t last_from = -1;
    for (int64_t i = 0; routes->sites && i < placement->part_count; i++) {
        int64_t from = placement->parts[i].site, last_to = -1;
        if (from == last_from)
            continue;
        last_from = from;
        for (int64_t j = 0; j < placement->part_count; j++) {
            int64_t to = placement->parts[j].site;
            if (to != last_to && !have_route(routes, from, to)) {
                *from_site = from;
                *to_site = to;
                return false;
            }
            last_to = to;
        }
    }
    return true;
}

sim_time route_delay(const struct route *route, struct sim_stream *stream)
{
    if (!route->jitter)
        return route->latency;
    double drawn = sim_stream_exponential(stream) * (double)route->jitter;
    return sim_time_add(route->latency, drawn < 0x1p62 ? (sim_time)drawn : SIM_NEVER);
}
