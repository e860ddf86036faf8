/*
 * Learners are placed from weights alone: counts, or shares. Whole learners go to sites as long as there are
 * enough of them; otherwise sites and learners are two divisions of one line of length 1, and a part is
 * where an interval of one meets an interval of the other.
 */
#include "models/network/sites.h"

#include "models/network/fluid.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const duplex_names[] = {"full", "half", NULL};

static const struct parameter site_rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What links and results call the site.",
     .offset = offsetof(struct network_site, name)},
    {.path = "learners",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e6,
     .sentence =
         "Learners at the site, 0 where only others give theirs; a strategy with another number of them "
         "divides them in proportion.",
     .offset = offsetof(struct network_site, learners)},
    {.path = "share",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e12,
     .sentence =
         "Share of learners and chips at the site, relative to the other sites; instead of a number of "
         "learners, and 1 where both are left out.",
     .offset = offsetof(struct network_site, share)},
    {.path = "uplink",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth out of the site, for all its learners together; no limit where left out.",
     .offset = offsetof(struct network_site, uplink)},
    {.path = "downlink",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth into the site; the uplink's where left out.",
     .offset = offsetof(struct network_site, downlink)},
    {.path = "duplex",
     .type = PARAMETER_CHOICE,
     .choices = duplex_names,
     .fallback = "full",
     .sentence = "Whether each way has its bandwidth or both together have that of the uplink.",
     .offset = offsetof(struct network_site, duplex)},
    {.path = "latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "One-way latency between the site and where its links begin.",
     .offset = offsetof(struct network_site, latency)},
    {.path = "loss",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of packets lost on that way, out and in.",
     .offset = offsetof(struct network_site, loss)},
    {.path = "jitter",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Mean of what chance adds to that latency (exponential).",
     .offset = offsetof(struct network_site, jitter)},
    {.path = "inner.bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth of each learner's link to others of the site, each way; no limit where left out.",
     .offset = offsetof(struct network_site, inner_bandwidth)},
    {.path = "inner.latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "One-way latency between two learners of the site.",
     .offset = offsetof(struct network_site, inner_latency)},
    {.path = "price",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of a gigabyte (10⁹ bytes) that leaves the site.",
     .offset = offsetof(struct network_site, price)},
    {.path = "backbone",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the backbone that all crosses which leaves or enters the site.",
     .offset = offsetof(struct network_site, backbone)},
    {.path = "profile",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the profile by which uplink and downlink change, together.",
     .offset = offsetof(struct network_site, profile)},
};

const struct parameter_list network_sites = {
    .section = "network.sites",
    .sentence = "Sites that the learners are at; each learner is a place of its own where left out.",
    .rows = site_rows,
    .count = PARAMETER_COUNT(site_rows),
    .item_size = sizeof(struct network_site)};

static const struct parameter link_rows[] = {
    {.path = "from",
     .type = PARAMETER_TEXT,
     .sentence = "Name of the site at one end.",
     .offset = offsetof(struct network_link, from)},
    {.path = "to",
     .type = PARAMETER_TEXT,
     .sentence = "Name of the site at the other end.",
     .offset = offsetof(struct network_link, to)},
    {.path = "bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "",
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth of the link; no limit where left out.",
     .offset = offsetof(struct network_link, bandwidth)},
    {.path = "latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "One-way latency of the link.",
     .offset = offsetof(struct network_link, latency)},
    {.path = "duplex",
     .type = PARAMETER_CHOICE,
     .choices = duplex_names,
     .fallback = "full",
     .sentence = "Whether each way has the bandwidth or both together.",
     .offset = offsetof(struct network_link, duplex)},
    {.path = "one_way",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence = "Whether the link goes from \"from\" to \"to\" alone; the other way may have its own entry.",
     .offset = offsetof(struct network_link, one_way)},
    {.path = "loss",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence =
         "Share of packets lost, which takes as much of the bandwidth and, with the latency, bounds what "
         "a connection carries (Mathis et al., CCR 27(3), 1997).",
     .offset = offsetof(struct network_link, loss)},
    {.path = "jitter",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Mean of what chance adds to the latency (exponential).",
     .offset = offsetof(struct network_link, jitter)},
    {.path = "price",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of a gigabyte (10⁹ bytes) on the link, beside that of the site it leaves.",
     .offset = offsetof(struct network_link, price)},
    {.path = "backbone",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the backbone that the link runs through.",
     .offset = offsetof(struct network_link, backbone)},
    {.path = "profile",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the profile by which the bandwidth changes, both ways together.",
     .offset = offsetof(struct network_link, profile)},
};

const struct parameter_list network_links = {.section = "network.links",
                                             .sentence = "Links between two sites each.",
                                             .rows = link_rows,
                                             .count = PARAMETER_COUNT(link_rows),
                                             .item_size = sizeof(struct network_link)};

static const struct parameter backbone_rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What sites and links call the backbone.",
     .offset = offsetof(struct network_backbone, name)},
    {.path = "bandwidth",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .minimum = 0,
     .maximum = FLUID_CAPACITY_LIMIT,
     .sentence = "Bandwidth for all that crosses the backbone.",
     .offset = offsetof(struct network_backbone, bandwidth)},
    {.path = "duplex",
     .type = PARAMETER_CHOICE,
     .choices = duplex_names,
     .fallback = "full",
     .sentence =
         "Whether each way has the bandwidth (out of sites and from \"from\" to \"to\" of links is one, the "
         "other is back) or both together.",
     .offset = offsetof(struct network_backbone, duplex)},
    {.path = "profile",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "Name of the profile by which the bandwidth changes, both ways together.",
     .offset = offsetof(struct network_backbone, profile)},
};

const struct parameter_list network_backbones = {.section = "network.backbones",
                                                 .sentence = "Capacity that several sites or links share.",
                                                 .rows = backbone_rows,
                                                 .count = PARAMETER_COUNT(backbone_rows),
                                                 .item_size = sizeof(struct network_backbone)};

int64_t sites_find(const struct network_config *network, const char *name)
{
    const struct network_site *sites = sites_of(network);
    for (size_t i = 0; i < network->sites.count; i++)
        if (strcmp(sites[i].name, name) == 0)
            return (int64_t)i;
    return -1;
}

/* What sites say of their weights; where none says anything, all weigh the same. */
struct weighing {
    const struct network_site *sites;
    size_t count;
    bool by_learners, by_share;
};

static struct weighing weighing_of(const struct network_config *network)
{
    struct weighing weighing = {.sites = sites_of(network), .count = network->sites.count};
    for (size_t i = 0; i < weighing.count; i++) {
        weighing.by_learners |= weighing.sites[i].learners != PARAMETER_UNSET;
        weighing.by_share |= !isnan(weighing.sites[i].share);
    }
    return weighing;
}

static double weight_of(const struct weighing *weighing, size_t site)
{
    const struct network_site *it = &weighing->sites[site];
    if (weighing->by_learners)
        return it->learners != PARAMETER_UNSET ? (double)it->learners : 0;
    if (weighing->by_share)
        return isnan(it->share) ? 0 : it->share;
    return 1;
}

static double total_weight(const struct weighing *weighing)
{
    double sum = 0;
    for (size_t i = 0; i < weighing->count; i++)
        sum += weight_of(weighing, i);
    return sum;
}

static bool is_exact(const struct weighing *weighing, int64_t learners)
{
    return weighing->by_learners && total_weight(weighing) == (double)learners;
}

/* Whether LEARNERS are too few to be at one site each. */
static bool are_spanning(const struct weighing *weighing, int64_t learners)
{
    int64_t occupied = 0;
    for (size_t i = 0; i < weighing->count; i++)
        occupied += weight_of(weighing, i) > 0;
    return !is_exact(weighing, learners) && learners < occupied;
}

/* The site whose quota exceeds its count most; the first among equals. */
static size_t largest_remainder(const struct weighing *weighing, double per_weight, const int64_t *counts)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < weighing->count; i++) {
        double remainder = weight_of(weighing, i) * per_weight - (double)counts[i];
        if (remainder > most + 1e-9) {
            most = remainder;
            best = i;
        }
    }
    return best;
}

static void divide(const struct weighing *weighing, int64_t learners, int64_t *counts)
{
    int64_t left = learners;
    double per_weight = (double)learners / total_weight(weighing);
    for (size_t i = 0; i < weighing->count; i++) {
        counts[i] = (int64_t)floor(weight_of(weighing, i) * per_weight + 1e-9);
        left -= counts[i];
    }
    for (; left > 0; left--)
        counts[largest_remainder(weighing, per_weight, counts)]++;
    assert(left == 0);
}

void sites_count_learners(const struct network_config *network, int64_t learners, int64_t *counts)
{
    struct weighing weighing = weighing_of(network);
    bool exact = is_exact(&weighing, learners);
    for (size_t i = 0; i < weighing.count; i++)
        counts[i] = exact ? (int64_t)weight_of(&weighing, i) : 0;
    if (!exact && !are_spanning(&weighing, learners))
        divide(&weighing, learners, counts);
}

static void add_part(struct placement *placement, int64_t learner, int64_t site, double share)
{
    placement->parts[placement->part_count++] = (struct site_part){learner, site, share};
    placement->first[learner + 1] = placement->part_count;
}

static void place_whole(struct placement *placement, const int64_t *counts)
{
    int64_t learner = 0;
    for (size_t site = 0; site < placement->sites; site++)
        for (int64_t i = 0; i < counts[site]; i++)
            add_part(placement, learner++, (int64_t)site, 1);
    assert(learner == placement->learners);
}

/* What is shorter than this share of a learner is rounding. */
#define SLIVER 1e-9

/* Sites as intervals of a line on which every learner has the length 1. */
static void place_spanning(struct placement *placement, const struct weighing *weighing)
{
    int64_t learner = 0;
    double per_weight = (double)placement->learners / total_weight(weighing), begin = 0;
    for (size_t site = 0; site < placement->sites; site++) {
        double left = weight_of(weighing, site) * per_weight;
        while (left > 0 && learner < placement->learners) {
            double share = fmin(left, (double)(learner + 1) - begin);
            if (share > SLIVER)
                add_part(placement, learner, (int64_t)site, share);
            begin += share;
            left -= share;
            if ((double)(learner + 1) - begin <= SLIVER)
                begin = (double)++learner;
        }
    }
}

static void place_without_sites(struct placement *placement)
{
    for (int64_t learner = 0; learner < placement->learners; learner++)
        add_part(placement, learner, -1, 1);
}

static bool place(struct placement *placement, const struct network_config *network)
{
    struct weighing weighing = weighing_of(network);
    if (!placement->sites) {
        place_without_sites(placement);
        return true;
    }
    if (are_spanning(&weighing, placement->learners)) {
        place_spanning(placement, &weighing);
        return true;
    }
    int64_t *counts = calloc(placement->sites, sizeof *counts);
    if (!counts)
        return false;
    sites_count_learners(network, placement->learners, counts);
    place_whole(placement, counts);
    free(counts);
    return true;
}

struct placement *placement_create(const struct network_config *network, int64_t learners,
                                   struct error *error)
{
    assert(learners >= 1);
    struct placement *placement = calloc(1, sizeof *placement);
    if (placement) {
        placement->sites = network->sites.count;
        placement->learners = learners;
        placement->first = calloc((size_t)learners + 1, sizeof *placement->first);
        placement->parts = calloc((size_t)learners + placement->sites, sizeof *placement->parts);
    }
    if (placement && placement->first && placement->parts && place(placement, network))
        return placement;
    placement_destroy(placement);
    error_out_of_memory(error, "the learners' places");
    return NULL;
}

void placement_destroy(struct placement *placement)
{
    if (!placement)
        return;
    free(placement->first);
    free(placement->parts);
    free(placement);
}

int64_t placement_home(const struct placement *placement, int64_t learner)
{
    int64_t home = placement->first[learner];
    for (int64_t part = home + 1; part < placement->first[learner + 1]; part++)
        if (placement->parts[part].share > placement->parts[home].share + SLIVER)
            home = part;
    return home;
}
