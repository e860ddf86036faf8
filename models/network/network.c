/*
 * Names lead from one list to another, so most of what can be wrong is a name. Every check adds its faults to
 * one collection; a later check may rely on nothing that an earlier one has not refused.
 */
#include "models/network/network.h"

#include "models/network/capacity.h"
#include "models/network/fluid.h"
#include "models/network/sites.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const duplex_names[] = {"full", "half", NULL};

#define BETWEEN(member) offsetof(struct network_config, between.member)

static const struct parameter rows[] = {
    {.path = "file",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "A file whose section \"network\" is taken in, beside the scenario's; what the scenario says itself "
         "goes first, key by key and, in lists, name by name.",
     .offset = offsetof(struct network_config, file)},
    {.path = "wan.bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "100 Gbit/s",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .above_minimum = true,
     .sentence =
         "Bandwidth of each learner's link to the others, each way. With sites, of its own link to other "
         "sites, which is only there where it is set.",
     .source = "ours",
     .offset = offsetof(struct network_config, wan_bandwidth)},
    {.path = "wan.latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "30 ms",
     .minimum = 0,
     .maximum = 1e9,
     .sentence =
         "One-way latency of that link, counted once from learner to learner; with sites 0 where it is not "
         "set.",
     .source = "ours",
     .offset = offsetof(struct network_config, wan_latency)},
    {.path = "wan.profile",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the profile by which that link's bandwidth changes.",
     .offset = offsetof(struct network_config, wan_profile)},
    {.path = "connections",
     .type = PARAMETER_INTEGER,
     .fallback = "64",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Connections of one transfer in parallel; of consequence where packets are lost.",
     .source = "Skyplane (NSDI '23)",
     .offset = offsetof(struct network_config, connections)},
    {.path = "between.bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth between any two sites without a link of their own; no limit where left out.",
     .offset = BETWEEN(bandwidth)},
    {.path = "between.latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .sentence =
         "One-way latency between such sites. Without this and a bandwidth they don't reach each other.",
     .offset = BETWEEN(latency)},
    {.path = "between.duplex",
     .type = PARAMETER_CHOICE,
     .choices = duplex_names,
     .fallback = "full",
     .sentence = "Whether each way has that bandwidth or both together.",
     .offset = BETWEEN(duplex)},
    {.path = "between.loss",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of packets lost between such sites.",
     .offset = BETWEEN(loss)},
    {.path = "between.jitter",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Mean of what chance adds to that latency (exponential).",
     .offset = BETWEEN(jitter)},
    {.path = "between.price",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of a gigabyte (10⁹ bytes) between such sites.",
     .offset = BETWEEN(price)},
    {.path = "between.backbone",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the backbone that all such pairs share.",
     .offset = BETWEEN(backbone)},
    {.path = "between.profile",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the profile by which the bandwidth changes, of each pair on its own.",
     .offset = BETWEEN(profile)},
};

const struct parameter_table network_parameters = {"network", rows, PARAMETER_COUNT(rows)};

void network_settle(struct network_config *network, bool bandwidth_set, bool latency_set)
{
    if (!network->sites.count)
        return;
    if (!bandwidth_set)
        network->wan_bandwidth = NAN;
    if (!latency_set)
        network->wan_latency = PARAMETER_UNSET;
}

/* The faults found so far, and the network they are in. */
struct check {
    const struct network_config *network;
    struct network_fault *faults;
    size_t room, count;
};

static void refuse(struct check *check, const struct parameter_list *list, size_t item, const char *field,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

static void refuse(struct check *check, const struct parameter_list *list, size_t item, const char *field,
                   const char *format, ...)
{
    va_list arguments;
    size_t index = check->count++;
    if (index >= check->room)
        return;
    struct network_fault *fault = &check->faults[index];
    *fault = (struct network_fault){.list = list, .item = item, .field = field};
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
}

static const struct network_link *links_of(const struct network_config *network)
{
    return (const struct network_link *)network->links.items;
}

static const struct network_backbone *backbones_of(const struct network_config *network)
{
    return (const struct network_backbone *)network->backbones.items;
}

/* A name as it stands first in every item, or NULL. */
static const char *name_of(const struct parameter_list *list, const struct parameter_items *items,
                           size_t item)
{
    return *(char *const *)(const void *)((const char *)items->items + item * list->item_size);
}

_Static_assert(offsetof(struct network_site, name) == 0 && offsetof(struct network_backbone, name) == 0 &&
                   offsetof(struct network_profile, name) == 0,
               "name_of reads names at the items' beginnings");

/* Links are called by sites and backbones, and no two links alike. */
static bool is_too_long(const struct parameter_list *list, const char *name)
{
    return list != &network_profiles && strlen(name) >= NETWORK_NAME;
}

static void check_names(struct check *check, const struct parameter_list *list,
                        const struct parameter_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        const char *name = name_of(list, items, i);
        if (!*name)
            refuse(check, list, i, "name", "is empty");
        if (is_too_long(list, name))
            refuse(check, list, i, "name", "names are at most %d bytes long", NETWORK_NAME - 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name_of(list, items, j), name) == 0) {
                refuse(check, list, i, "name", "there is a \"%.60s\" before this one", name);
                break;
            }
    }
}

static bool has_name(const struct parameter_list *list, const struct parameter_items *items, const char *name)
{
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(name_of(list, items, i), name) == 0)
            return true;
    return false;
}

/* The value of FIELD, unless NULL, names an item of TARGET; KIND is what such an item is called. */
static void check_reference(struct check *check, const struct parameter_list *list, size_t item,
                            const char *field, const char *name, const struct parameter_list *target,
                            const struct parameter_items *items, const char *kind)
{
    if (name && !has_name(target, items, name))
        refuse(check, list, item, field, "there is no %s \"%.60s\" in %s", kind, name, target->section);
}

static void check_profile(struct check *check, const struct parameter_list *list, size_t item,
                          const char *field, const char *name)
{
    check_reference(check, list, item, field, name, &network_profiles, &check->network->profiles, "profile");
}

static void check_backbone(struct check *check, const struct parameter_list *list, size_t item,
                           const char *field, const char *name)
{
    check_reference(check, list, item, field, name, &network_backbones, &check->network->backbones,
                    "backbone");
}

static void check_loss(struct check *check, const struct parameter_list *list, size_t item, const char *field,
                       double loss)
{
    if (loss >= 1)
        refuse(check, list, item, field,
               "a loss of 1 lets nothing through; for that give a bandwidth of 0, or outages");
}

static void check_site(struct check *check, size_t item)
{
    const struct network_site *site = &sites_of(check->network)[item];
    const struct parameter_list *list = &network_sites;
    if (site->duplex == DUPLEX_HALF && !isnan(site->downlink) && !(site->downlink == site->uplink))
        refuse(check, list, item, "downlink",
               "with half duplex both ways share the uplink's bandwidth; leave the downlink out");
    check_loss(check, list, item, "loss", site->loss);
    check_backbone(check, list, item, "backbone", site->backbone);
    check_profile(check, list, item, "profile", site->profile);
    if (site->profile && isnan(site->uplink) && isnan(site->downlink))
        refuse(check, list, item, "profile", "there is no uplink whose bandwidth could change");
}

/* Sites speak of learners or of shares, and somebody has some. */
static void check_weights(struct check *check)
{
    const struct network_site *sites = sites_of(check->network);
    size_t count = check->network->sites.count, learners = 0, shares = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool gives = sites[i].learners != PARAMETER_UNSET, shared = !isnan(sites[i].share);
        learners += gives;
        shares += shared;
        sum += (gives ? (double)sites[i].learners : 0) + (shared ? sites[i].share : 0);
    }
    for (size_t i = 0; i < count && learners && shares; i++)
        if (!isnan(sites[i].share))
            refuse(check, &network_sites, i, "share", "sites give their learners or their shares, not both");
    if (learners + shares > 0 && !(sum > 0))
        refuse(check, NULL, 0, "network.sites", "no site has learners");
    if (count > SITES_MOST)
        refuse(check, NULL, 0, "network.sites", "%zu sites are more than the %d that can be simulated", count,
               SITES_MOST);
}

/* LINKED has a cell for each ordered pair of sites. */
static void mark_pair(struct check *check, unsigned char *linked, size_t item)
{
    const struct network_link *link = &links_of(check->network)[item];
    size_t sites = check->network->sites.count;
    int64_t from = sites_find(check->network, link->from), to = sites_find(check->network, link->to);
    if (from < 0 || to < 0 || from == to)
        return;
    size_t ways[] = {(size_t)from * sites + (size_t)to, (size_t)to * sites + (size_t)from};
    for (size_t way = 0; way < (link->one_way ? 1 : 2); way++) {
        if (linked[ways[way]]) {
            refuse(check, &network_links, item, "to", "there is a link from \"%.60s\" to \"%.60s\" already",
                   way ? link->to : link->from, way ? link->from : link->to);
            return;
        }
        linked[ways[way]] = 1;
    }
}

static void check_pairs(struct check *check)
{
    size_t sites = check->network->sites.count;
    unsigned char *linked = calloc(sites * sites + 1, 1);
    if (!linked)
        refuse(check, NULL, 0, "network.links", "out of memory");
    for (size_t i = 0; linked && i < check->network->links.count; i++)
        mark_pair(check, linked, i);
    free(linked);
}

static void check_link(struct check *check, size_t item)
{
    const struct network_link *link = &links_of(check->network)[item];
    const struct parameter_list *list = &network_links;
    const struct parameter_items *sites = &check->network->sites;
    check_reference(check, list, item, "from", link->from, &network_sites, sites, "site");
    check_reference(check, list, item, "to", link->to, &network_sites, sites, "site");
    if (strcmp(link->from, link->to) == 0)
        refuse(check, list, item, "to",
               "a link joins two sites; inside a site it is \"inner\" of network.sites");
    if (link->one_way && link->duplex == DUPLEX_HALF)
        refuse(check, list, item, "duplex", "a link of one way has no other that it could share with");
    check_loss(check, list, item, "loss", link->loss);
    check_backbone(check, list, item, "backbone", link->backbone);
    check_profile(check, list, item, "profile", link->profile);
}

static void check_schedule(struct check *check, size_t item)
{
    const struct network_profile *profile = &profiles_of(check->network)[item];
    const struct sim_values *at = &profile->schedule_at, *factor = &profile->schedule_factor;
    const struct parameter_list *list = &network_profiles;
    if (at->count != factor->count)
        refuse(check, list, item, at->count > factor->count ? "schedule.at" : "schedule.factor",
               "%zu times and %zu factors; each time needs its factor", at->count, factor->count);
    for (size_t i = 0; i < factor->count; i++)
        if (!(factor->values[i] >= 0))
            refuse(check, list, item, "schedule.factor", "%g is below 0", factor->values[i]);
    for (size_t i = 0; i < at->count; i++)
        if (!(at->values[i] >= 0) || (i && !(at->values[i] > at->values[i - 1])))
            refuse(check, list, item, "schedule.at", "times begin at 0 s at least and increase");
    if (profile->schedule_every == PARAMETER_UNSET)
        return;
    if (!at->count)
        refuse(check, list, item, "schedule.every", "there is no schedule to repeat");
    else if (!(at->values[at->count - 1] < sim_time_to_seconds(profile->schedule_every)))
        refuse(check, list, item, "schedule.every", "is over before the last time of the schedule");
}

static void check_pair_of_laws(struct check *check, size_t item, const struct sim_law_spec *first,
                               const struct sim_law_spec *second, const char *const fields[2])
{
    bool has_first = first->law != PARAMETER_UNSET, has_second = second->law != PARAMETER_UNSET;
    if (has_first != has_second)
        refuse(check, &network_profiles, item, fields[has_first ? 0 : 1], "needs %s beside it",
               fields[has_first ? 1 : 0]);
}

static void check_changes(struct check *check, size_t item)
{
    const struct network_profile *profile = &profiles_of(check->network)[item];
    static const char *const pieces[] = {"random.factor", "random.lasting"};
    static const char *const outages[] = {"outages.after", "outages.lasting"};
    check_schedule(check, item);
    check_pair_of_laws(check, item, &profile->random_factor, &profile->random_lasting, pieces);
    check_pair_of_laws(check, item, &profile->outage_after, &profile->outage_lasting, outages);
}

/* What makes no sense without sites. */
static void check_no_sites(struct check *check)
{
    const struct network_config *network = check->network;
    if (network->links.count)
        refuse(check, NULL, 0, "network.links", "there are no sites to link; give network.sites");
    if (network->backbones.count)
        refuse(check, NULL, 0, "network.backbones", "there are no sites; give network.sites");
    if (!isnan(network->between.bandwidth) || network->between.latency != PARAMETER_UNSET)
        refuse(check, NULL, 0, "network.between", "there are no sites; give network.sites");
}

static void check_defaults(struct check *check)
{
    const struct network_config *network = check->network;
    check_loss(check, NULL, 0, "network.between.loss", network->between.loss);
    check_backbone(check, NULL, 0, "network.between.backbone", network->between.backbone);
    check_profile(check, NULL, 0, "network.between.profile", network->between.profile);
    check_profile(check, NULL, 0, "network.wan.profile", network->wan_profile);
    if (network->between.profile && isnan(network->between.bandwidth))
        refuse(check, NULL, 0, "network.between.profile", "there is no bandwidth that could change");
    if (network->wan_profile && isnan(network->wan_bandwidth))
        refuse(check, NULL, 0, "network.wan.profile", "there is no bandwidth that could change");
}

size_t network_check(const struct network_config *network, struct network_fault *faults, size_t room)
{
    struct check check = {.network = network, .faults = faults, .room = room};
    check_names(&check, &network_sites, &network->sites);
    check_names(&check, &network_backbones, &network->backbones);
    check_names(&check, &network_profiles, &network->profiles);
    for (size_t i = 0; i < network->sites.count; i++)
        check_site(&check, i);
    check_weights(&check);
    if (!network->sites.count)
        check_no_sites(&check);
    for (size_t i = 0; network->sites.count && i < network->links.count; i++)
        check_link(&check, i);
    if (!check.count)
        check_pairs(&check);
    for (size_t i = 0; i < network->backbones.count; i++)
        check_profile(&check, &network_backbones, i, "profile", backbones_of(network)[i].profile);
    for (size_t i = 0; i < network->profiles.count; i++)
        check_changes(&check, i);
    check_defaults(&check);
    return check.count;
}
