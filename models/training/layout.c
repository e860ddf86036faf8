#include "models/training/layout.h"

#include <math.h>

struct layout layout_of(const struct cluster_config *cluster, int64_t learners)
{
    int64_t per_slice = cluster->chips_per_slice;
    return (struct layout){.chips = cluster->chips,
                           .chips_per_slice = per_slice,
                           .slices = (cluster->chips - 1) / per_slice + 1,
                           .learners = learners};
}

int64_t layout_slice_chips(const struct layout *layout, int64_t slice)
{
    if (slice < layout->slices - 1)
        return layout->chips_per_slice;
    return layout->chips - (layout->slices - 1) * layout->chips_per_slice;
}

int64_t layout_first_slice(const struct layout *layout, int64_t learner)
{
    return (int64_t)((__int128)learner * layout->slices / layout->learners);
}

int64_t layout_learner_of(const struct layout *layout, int64_t slice)
{
    return (int64_t)((((__int128)slice + 1) * layout->learners - 1) / layout->slices);
}

int64_t layout_learner_chips(const struct layout *layout, int64_t learner)
{
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    int64_t chips = (next - first) * layout->chips_per_slice;
    if (next == layout->slices)
        chips += layout_slice_chips(layout, layout->slices - 1) - layout->chips_per_slice;
    return chips;
}

static double group_flops(const struct cluster_config *cluster, size_t index)
{
    if (cluster->groups.count == 0)
        return cluster_achieved_flops(cluster->chip, cluster->mfu);
    const struct chip_group *group = (const struct chip_group *)cluster->groups.items + index;
    return cluster_achieved_flops(group->chip, isnan(group->mfu) ? cluster->mfu : group->mfu);
}

/* 6 FLOP per parameter and token: forward and backward of a dense model. */
static double group_step_seconds(const struct simulation_config *config, size_t index)
{
    const struct workload_config *workload = &config->workload;
    double flops = group_flops(&config->cluster, index);
    if (workload->step_time != PARAMETER_UNSET)
        return sim_time_to_seconds(workload->step_time) * group_flops(&config->cluster, 0) / flops;
    double tokens_per_chip = workload->tokens_per_step / (double)config->cluster.chips;
    return 6 * workload->parameters * tokens_per_chip / flops;
}

static double total_share(const struct cluster_config *cluster)
{
    const struct chip_group *groups = cluster->groups.items;
    double total = 0;
    for (size_t i = 0; i < cluster->groups.count; i++)
        total += groups[i].share;
    return total;
}

struct layout_step layout_nominal_step(const struct simulation_config *config, const struct layout *layout,
                                       int64_t learner)
{
    if (config->cluster.groups.count == 0)
        return (struct layout_step){.seconds = group_step_seconds(config, 0), .useful_share = 1};
    const struct chip_group *groups = config->cluster.groups.items;
    double total = total_share(&config->cluster), share = 0, slowest = 0, work = 0;
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    int64_t begin = 0;
    for (size_t i = 0; i < config->cluster.groups.count; i++) {
        share += groups[i].share;
        int64_t end = (int64_t)llround((double)layout->slices * share / total);
        int64_t held = (end < next ? end : next) - (begin > first ? begin : first);
        if (held > 0) {
            double seconds = group_step_seconds(config, i);
            work += (double)held * seconds;
            slowest = fmax(slowest, seconds);
        }
        begin = end;
    }
    return (struct layout_step){.seconds = slowest,
                                .useful_share = work / ((double)(next - first) * slowest)};
}
