#include "models/training/chaos_ground.h"

#include "models/training/domains.h"

static void slices_of(const void *context, enum fault_domain domain, int64_t unit, int64_t *first,
                      int64_t *end)
{
    struct units_run run = units_slices(context, domain, unit);
    *first = run.first;
    *end = run.end;
}

bool chaos_ground_create(struct chaos_ground_owner *owner, const struct simulation_config *config,
                         struct error *error)
{
    struct layout layout = layout_of(&config->cluster, 1);
    bool created = domains_create(&owner->units, config, &layout, error);
    const struct network_config *network = &config->network;
    owner->ground = (struct chaos_ground){.horizon = config->duration,
                                          .network = network,
                                          .slices = layout.slices,
                                          .slices_of = slices_of,
                                          .context = &owner->units};
    for (int domain = 0; created && domain < FAULT_DOMAINS; domain++)
        owner->ground.units[domain] = units_count(&owner->units, (enum fault_domain)domain);
    bool sites = network->sites.count > 0;
    owner->ground.units[FAULT_OF_LINK] =
        sites ? (int64_t)(network->links.count + network->backbones.count) : 0;
    owner->ground.units[FAULT_OF_SYNCER] = 1;
    return created;
}

void chaos_ground_destroy(struct chaos_ground_owner *owner)
{
    units_free(&owner->units);
}
