#include "models/training/strategy.h"

const char *const strategy_slice_loss_names[] = {"replace", "wait", NULL};

extern const struct parameter_variant all_reduce_variant, diloco_variant, decoupled_variant, gossip_variant;

#define KIND_NAMES "all-reduce", "diloco", "decoupled-diloco", "gossip"
static const char *const kind_names[] = {KIND_NAMES, NULL};

const struct parameter_variant *const strategy_variants[STRATEGY_KINDS] = {
    [STRATEGY_ALL_REDUCE] = &all_reduce_variant,
    [STRATEGY_DILOCO] = &diloco_variant,
    [STRATEGY_DECOUPLED] = &decoupled_variant,
    [STRATEGY_GOSSIP] = &gossip_variant,
};
