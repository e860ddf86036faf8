#include "models/training/domains.h"

#include "models/network/sites.h"
#include <math.h>

/* Spares come behind the slices of the last group, which is the only one where there are any. */
static int64_t group_end(const struct layout *layout, const struct cluster_config *cluster, size_t group)
{
    int64_t end = layout_group_end(layout, cluster, group);
    return end == layout->slices ? end + layout->spares : end;
}

static bool add_hosts(struct units *units, const struct cluster_config *cluster, const struct layout *layout,
                      struct error *error)
{
    bool good = true;
    for (size_t i = 0; good && i < cluster_group_count(cluster); i++)
        good = units_add_hosts(units, cluster_group(cluster, i).chip.host_chips,
                               group_end(layout, cluster, i), error);
    return good;
}

/* The slice behind the last one of PART: a learner's slices fill its parts one after another. */
static int64_t part_end(const struct placement *placement, const struct layout *layout, int64_t part)
{
    int64_t learner = placement->parts[part].learner;
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    double share = 0;
    if (part + 1 == placement->first[learner + 1])
        return next;
    for (int64_t i = placement->first[learner]; i <= part; i++)
        share += placement->parts[i].share;
    return first + (int64_t)floor(share * (double)(next - first) + 0.5);
}

/* Sites come in the order of their parts; one without learners has no slices. Spares are at the last one that
 * has. */
static bool add_sites(struct units *units, const struct placement *placement, const struct layout *layout,
                      struct error *error)
{
    int64_t part = 0, end = 0;
    for (size_t site = 0; site < placement->sites; site++) {
        for (; part < placement->part_count && placement->parts[part].site == (int64_t)site; part++)
            end = part_end(placement, layout, part);
        if (part == placement->part_count && end == layout->slices)
            end += layout->spares;
        if (!units_add_site(units, end, error))
            return false;
    }
    return true;
}

/* Those that models/failures/chaos.h numbers first: pairs of sites without an entry come behind them, and are
 * struck only where they are named. */
static int64_t count_links(const struct network_config *network, int64_t learners)
{
    return network->sites.count ? (int64_t)(network->links.count + network->backbones.count) : learners;
}

bool domains_create(struct units *units, const struct simulation_config *config, const struct layout *layout,
                    struct error *error)
{
    units_init(units, config->cluster.chips, layout->chips_per_slice);
    units->rack_chips = config->cluster.rack_chips > 0 ? config->cluster.rack_chips : 0;
    units->links = count_links(&config->network, layout->learners);
    if (!add_hosts(units, &config->cluster, layout, error))
        return false;
    struct placement *placement = placement_create(&config->network, layout->learners, error);
    bool good = placement && add_sites(units, placement, layout, error);
    placement_destroy(placement);
    return good;
}
