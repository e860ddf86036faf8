#include "cli/step_notes.h"

#include "cli/show.h"
#include "models/training/layout.h"
#include "models/training/strategy.h"

#include <stdio.h>
#include <string.h>

/* The first learner with chips of GROUP, or -1. */
static int64_t find_learner(const struct layout *layout, const struct cluster_config *cluster, size_t group)
{
    int64_t begin = group ? layout_group_end(layout, cluster, group - 1) : 0;
    return begin < layout_group_end(layout, cluster, group) ? layout_learner_of(layout, begin) : -1;
}

static void show_step(const struct simulation_config *config, const char *strategy,
                      const struct layout *layout, size_t group, int64_t learner)
{
    struct cluster_group kind = cluster_group(&config->cluster, group);
    struct parallel_step step = layout_parallel_step(config, layout, learner, group);
    int64_t chips = layout_learner_chips(layout, learner);
    double mfu = kind.mfu * step.compute / step.seconds;
    char line[400];
    snprintf(line, sizeof line,
             "#   %s, %lld chips of %s: %.4g s = computing %.4g + tensor %.4g + expert %.4g + bubble %.4g + "
             "gradients %.4g (and %.4g hidden); MFU %.3g\n",
             strategy, (long long)chips, kind.chip.name, step.seconds, step.compute, step.tensor, step.expert,
             step.bubble, step.gradient, step.hidden, mfu);
    show_text(line);
}

void step_notes_write(const struct scenario *scenario)
{
    const struct simulation_config *config = &scenario->simulation;
    const struct cluster_config *cluster = &config->cluster;
    int64_t replica = parallel_replica_chips(&cluster->parallel);
    char line[200];
    bool parts = parallel_is_given(&cluster->parallel) || overlap_is_given(&config->workload.overlap);
    if (config->workload.step_time != PARAMETER_UNSET || !parts)
        return;
    snprintf(line, sizeof line, "# a copy of the model on %lld chips, in %lld slices; a learner's step:\n",
             (long long)replica,
             (long long)parallel_replica_slices(&cluster->parallel, cluster->chips_per_slice));
    show_text(line);
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        const struct strategy_config *strategy = &scenario->strategies[i];
        struct layout layout = layout_of(cluster, strategy_learner_count(strategy));
        for (size_t group = 0; group < cluster_group_count(cluster); group++) {
            int64_t learner = find_learner(&layout, cluster, group);
            if (learner >= 0)
                show_step(config, strategy->name, &layout, group, learner);
        }
    }
}

/* A part of a chip, such as mi250x-gcd, is called after it. */
static bool is_of(const char *gpu, const char *chip)
{
    size_t length = strlen(chip);
    return strncmp(gpu, chip, length) == 0 && (gpu[length] == '\0' || gpu[length] == '-');
}

/* Over two sites the network is what is asked about, and such a strategy takes no notice of it. */
static void doubt_reduction(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->strategy_count; i++) {
        const struct strategy_config *strategy = &scenario->strategies[i];
        if (strategy->kind != STRATEGY_ALL_REDUCE || scenario->simulation.network.sites.count < 2)
            continue;
        const struct all_reduce_options *all_reduce = strategy->options;
        if (all_reduce->reduction == REDUCTION_INCLUDED)
            show_note("%s: the network between sites does not slow its steps, for their time includes the "
                      "reduction; with `reduction: network' it does",
                      strategy->name);
    }
}

static void doubt_gpu(const struct scenario *scenario)
{
    const struct cluster_config *cluster = &scenario->simulation.cluster;
    const struct overlap_config *overlap = &scenario->simulation.workload.overlap;
    for (size_t i = 0; overlap_is_given(overlap) && i < cluster_group_count(cluster); i++) {
        const char *chip = cluster_group(cluster, i).chip.name, *gpu = gpu_choices[overlap->gpu];
        if (!is_of(gpu, chip)) {
            show_note(
                "workload.overlap.gpu is %s and the cluster's chips are %s: the one's multiprocessors share "
                "out the other's work",
                gpu, chip);
            return;
        }
    }
}

void step_notes_write_doubts(const struct scenario *scenario)
{
    doubt_gpu(scenario);
    doubt_reduction(scenario);
}
