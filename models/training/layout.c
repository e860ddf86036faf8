#include "models/training/layout.h"

#include <math.h>

struct layout layout_of(const struct cluster_config *cluster, int64_t learners)
{
    int64_t per_slice = cluster->chips_per_slice, spares = reserve_slices(&cluster->spares);
    int64_t chips = cluster->chips - spares * per_slice;
    return (struct layout){.chips = chips,
                           .chips_per_slice = per_slice,
                           .slices = (chips - 1) / per_slice + 1,
                           .spares = spares,
                           .learners = learners};
}

int64_t layout_slice_chips(const struct layout *layout, int64_t slice)
{
    if (slice != layout->slices - 1)
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

static bool is_parallel(const struct simulation_config *config)
{
    return config->workload.step_time == PARAMETER_UNSET &&
           (parallel_is_given(&config->cluster.parallel) || overlap_is_given(&config->workload.overlap));
}

/* What of the gradients' reduction the model of a GPU leaves in sight. */
static void expose(const struct simulation_config *config, const struct layout *layout, double flops,
                   struct parallel_step *step)
{
    const struct workload_config *workload = &config->workload;
    struct overlap_load load = {.compute = step->backward,
                                .flops = flops,
                                .reduction = step->gradient + step->hidden,
                                .bits = step->gradient_bits,
                                .layers = workload->layers / config->cluster.parallel.pipeline,
                                .width = workload->width};
    double exposed = overlap_exposed(&workload->overlap, &load, layout->overlap);
    step->seconds += exposed - step->gradient;
    step->hidden += step->gradient - exposed;
    step->gradient = exposed;
}

struct parallel_step layout_parallel_step(const struct simulation_config *config, const struct layout *layout,
                                          int64_t learner, size_t group)
{
    struct cluster_group kind = cluster_group(&config->cluster, group);
    struct parallel_model model = workload_model(&config->workload);
    struct parallel_links links = cluster_links(&config->cluster, &kind.chip);
    int64_t chips = layout_learner_chips(layout, learner);
    double tokens = config->workload.tokens_per_step * (double)chips / (double)layout->chips;
    double flops = kind.chip.flops * kind.mfu;
    struct parallel_step step =
        parallel_step_of(&config->cluster.parallel, &model, &links, tokens, chips, flops);
    if (overlap_is_given(&config->workload.overlap))
        expose(config, layout, flops, &step);
    return step;
}

/* 6 FLOP per active parameter and token: forward and backward; and what a layout adds. *EXPOSED is the share
 * that waits for communication where workload.overlap tells it. */
static double group_step_seconds(const struct simulation_config *config, const struct layout *layout,
                                 int64_t learner, size_t index, double *exposed)
{
    const struct workload_config *workload = &config->workload;
    struct cluster_group kind = cluster_group(&config->cluster, index);
    double flops = kind.chip.flops * kind.mfu;
    *exposed = 0;
    if (workload->step_time != PARAMETER_UNSET) {
        struct cluster_group first = cluster_group(&config->cluster, 0);
        return sim_time_to_seconds(workload->step_time) * first.chip.flops * first.mfu / flops;
    }
    if (is_parallel(config)) {
        struct parallel_step step = layout_parallel_step(config, layout, learner, index);
        if (overlap_is_given(&workload->overlap))
            *exposed = step.gradient / step.seconds;
        return step.seconds;
    }
    double tokens_per_chip = workload->tokens_per_step / (double)layout->chips;
    return 6 * workload_model(workload).active_parameters * tokens_per_chip / flops;
}

int64_t layout_group_end(const struct layout *layout, const struct cluster_config *cluster, size_t group)
{
    const struct chip_group *groups = cluster->groups.items;
    double share = 0, total = 0;
    for (size_t i = 0; i < cluster->groups.count; i++) {
        share += i <= group ? groups[i].share : 0;
        total += groups[i].share;
    }
    if (group + 1 >= cluster->groups.count)
        return layout->slices;
    return (int64_t)llround((double)layout->slices * share / total);
}

int64_t layout_group_chips(const struct layout *layout, const struct cluster_config *cluster, size_t group,
                           int64_t first, int64_t next)
{
    int64_t begin = group ? layout_group_end(layout, cluster, group - 1) : 0;
    int64_t end = layout_group_end(layout, cluster, group);
    begin = begin > first ? begin : first;
    end = end < next ? end : next;
    if (end <= begin)
        return 0;
    return (end - begin - 1) * layout->chips_per_slice + layout_slice_chips(layout, end - 1);
}

/* What the slices FIRST … NEXT − 1 take for a batch that is spread evenly over all chips. */
struct times {
    double chips;
    double work;    /* sum over chips, seconds */
    double speed;   /* sum over chips of the reciprocals */
    double slowest; /* seconds */
    double exposed; /* sum over chips of the shares */
};

static struct times times_of(const struct simulation_config *config, const struct layout *layout,
                             int64_t learner, int64_t first, int64_t next)
{
    struct times times = {0};
    for (size_t i = 0; i < cluster_group_count(&config->cluster); i++) {
        double chips = (double)layout_group_chips(layout, &config->cluster, i, first, next);
        if (chips == 0)
            continue;
        double exposed, seconds = group_step_seconds(config, layout, learner, i, &exposed);
        times.exposed += chips * exposed;
        times.chips += chips;
        times.work += chips * seconds;
        times.speed += chips / seconds;
        times.slowest = fmax(times.slowest, seconds);
    }
    return times;
}

/* With batches in proportion to speed everybody takes as long as the whole cluster does on its mean speed. */
static struct layout_step proportional_step(const struct simulation_config *config,
                                            const struct layout *layout, int64_t learner, double mean_speed)
{
    struct times all = times_of(config, layout, learner, 0, layout->slices);
    double seconds = all.chips / all.speed;
    return (struct layout_step){.seconds = seconds,
                                .useful_share = 1,
                                .token_factor = mean_speed * seconds,
                                .exposed_share = all.exposed / all.chips};
}

struct layout_step layout_nominal_step(const struct simulation_config *config, const struct layout *layout,
                                       int64_t learner)
{
    if (config->cluster.groups.count == 0) {
        struct layout_step step = {.useful_share = 1, .token_factor = 1};
        step.seconds = group_step_seconds(config, layout, learner, 0, &step.exposed_share);
        return step;
    }
    int64_t first = layout_first_slice(layout, learner), next = layout_first_slice(layout, learner + 1);
    struct times times = times_of(config, layout, learner, first, next);
    if (config->cluster.batch == BATCH_PROPORTIONAL)
        return proportional_step(config, layout, learner, times.speed / times.chips);
    return (struct layout_step){.seconds = times.slowest,
                                .useful_share = times.work / (times.chips * times.slowest),
                                .token_factor = 1,
                                .exposed_share = times.exposed / times.chips};
}

double layout_seconds_at_work(const struct simulation_config *config, const struct layout *layout,
                              int64_t learner, size_t group)
{
    double exposed;
    if (config->cluster.batch == BATCH_PROPORTIONAL)
        return layout_nominal_step(config, layout, learner).seconds;
    return group_step_seconds(config, layout, learner, group, &exposed);
}

int64_t layout_host_chips(const struct simulation_config *config, const struct layout *layout,
                          int64_t learner)
{
    size_t group = 0;
    while (layout_group_end(layout, &config->cluster, group) <= layout_first_slice(layout, learner))
        group++;
    int64_t chips = cluster_group(&config->cluster, group).chip.host_chips;
    return chips < layout->chips_per_slice ? chips : layout->chips_per_slice;
}
