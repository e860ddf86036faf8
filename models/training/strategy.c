#include "models/training/strategy.h"

#include "models/training/kind.h"
#include "models/training/topology.h"
#include <math.h>

const char *const strategy_slice_loss_names[] = {"replace", "wait", NULL};
const char *const strategy_collective_names[] = {"ring", "halving-doubling", "tree", "hierarchical", NULL};
const char *const strategy_release_names[] = {"step", "layer", NULL};
const char *const strategy_outer_names[] = {"nesterov", "average", "adam", "delayed-nesterov", NULL};
const char *const strategy_merge_names[] = {"mean", "radial-directional", "radial-directional-all", NULL};
const char *const strategy_compression_names[] = {"none", "linear", "e3m0", "sign", NULL};

static const char *const kind_names[] = {
    [STRATEGY_ALL_REDUCE] = "all-reduce",
    [STRATEGY_DILOCO] = "diloco",
    [STRATEGY_STREAMING] = "streaming-diloco",
    [STRATEGY_DECOUPLED] = "decoupled-diloco",
    [STRATEGY_GOSSIP] = "gossip",
    [STRATEGY_GPU_OVERLAP] = "gpu-overlap",
    [STRATEGY_KINDS] = NULL,
};

const struct strategy_functions *const strategy_functions[STRATEGY_KINDS] = {
    [STRATEGY_ALL_REDUCE] = &all_reduce_functions, [STRATEGY_DILOCO] = &diloco_functions,
    [STRATEGY_STREAMING] = &streaming_functions,   [STRATEGY_DECOUPLED] = &decoupled_functions,
    [STRATEGY_GOSSIP] = &gossip_functions,         [STRATEGY_GPU_OVERLAP] = &gpu_overlap_functions,
};

const struct parameter_variant *const strategy_variants[STRATEGY_KINDS] = {
    [STRATEGY_ALL_REDUCE] = &all_reduce_variant, [STRATEGY_DILOCO] = &diloco_variant,
    [STRATEGY_STREAMING] = &streaming_variant,   [STRATEGY_DECOUPLED] = &decoupled_variant,
    [STRATEGY_GOSSIP] = &gossip_variant,         [STRATEGY_GPU_OVERLAP] = &gpu_overlap_variant,
};

static const struct parameter rows[] = {
    {.path = "name",
     .type = PARAMETER_TEXT,
     .sentence = "What tables and plots call the strategy.",
     .offset = offsetof(struct strategy_config, name)},
    {.path = "kind",
     .type = PARAMETER_CHOICE,
     .choices = kind_names,
     .sentence = "How the learners train together.",
     .offset = offsetof(struct strategy_config, kind)},
};

const struct parameter_list strategy_list = {
    .section = "strategies",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .item_size = sizeof(struct strategy_config),
    .minimum_items = 1,
    .variants = strategy_variants,
    .variant_count = STRATEGY_KINDS,
    .options_offset = offsetof(struct strategy_config, options),
};

/* Uncompressed numbers are at hand with 16 bits at most. */
#define MOST_COMPRESSED_BITS 16

/* PARAMETER_UNSET: any number of them. */
static int64_t bits_of_format(int64_t format)
{
    return format == COMPRESSION_E3M0 ? 4 : format == COMPRESSION_SIGN ? 1 : PARAMETER_UNSET;
}

int64_t strategy_released_layers(int64_t release, const struct workload_config *workload)
{
    return release == RELEASE_LAYER && workload->layers > 0 ? workload->layers : 0;
}

int64_t strategy_drift_bits(const struct learning_rule *rule)
{
    return rule->compression_bits != PARAMETER_UNSET ? rule->compression_bits
                                                     : bits_of_format(rule->compression);
}

bool strategy_check_format(const struct learning_rule *rule)
{
    int64_t wanted = bits_of_format(rule->compression);
    return wanted == PARAMETER_UNSET || strategy_drift_bits(rule) == wanted;
}

static double usual_mixing(const struct gossip_options *gossip)
{
    int64_t algorithm = gossip->learner.rule.algorithm;
    if (algorithm == MIXING_NOLOCO)
        return 0.7;
    bool two_at_once =
        gossip->topology == TOPOLOGY_MATCHING && gossip->peers == 2 && algorithm != MIXING_AD_PSGD;
    return two_at_once ? 0.5 : 1;
}

struct learning_rule strategy_rule(const struct strategy_config *config)
{
    struct learning_rule rule = strategy_learners(config)->rule;
    const struct gossip_options *gossip = config->options;
    rule.gossips = config->kind == STRATEGY_GOSSIP;
    if (rule.gossips && isnan(rule.mixing))
        rule.mixing = usual_mixing(gossip);
    if (rule.gossips && isnan(rule.outer_momentum))
        rule.outer_momentum = rule.algorithm == MIXING_NOLOCO ? 0.5 : 0.9;
    rule.compression_bits = strategy_drift_bits(&rule);
    if (rule.compression_bits == PARAMETER_UNSET || rule.compression_bits > MOST_COMPRESSED_BITS)
        rule.compression_bits = MOST_COMPRESSED_BITS;
    return rule;
}

int64_t strategy_fragments(const struct strategy_config *config)
{
    const struct decoupled_options *decoupled = config->options;
    const struct streaming_options *streaming = config->options;
    switch (config->kind) {
    case STRATEGY_DECOUPLED:
        return decoupled->fragments;
    case STRATEGY_STREAMING:
        return streaming->fragments;
    default:
        return 0;
    }
}
