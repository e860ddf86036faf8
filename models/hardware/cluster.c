#include "models/hardware/cluster.h"

#include "models/hardware/chip.h"

static const struct parameter rows[] = {
    {.path = "chips",
     .type = PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = 1e12,
     .sentence = "Chips allocated to the job; goodput is a share of their time.",
     .offset = offsetof(struct cluster_config, chips)},
    {.path = "chips_per_slice",
     .type = PARAMETER_INTEGER,
     .fallback = "64",
     .minimum = 1,
     .maximum = 1e12,
     .sentence =
         "Chips that leave and return together when one of them fails; a remainder is a smaller last slice.",
     .source = "ours: one 4x4x4 cube of TPU v4 (NSDI '24)",
     .offset = offsetof(struct cluster_config, chips_per_slice)},
    {.path = "chip",
     .type = PARAMETER_CHOICE,
     .choices = chip_names,
     .fallback = "tpu-v5p",
     .sentence = "Kind of the chips, a name of the catalogue.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, chip)},
    {.path = "mfu",
     .type = PARAMETER_REAL,
     .fallback = "0.4",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "Model FLOP utilisation within a step; gives the step time where none is set.",
     .source = "ours: Llama 3 reports 0.38 to 0.43 (arXiv 2407.21783)",
     .offset = offsetof(struct cluster_config, mfu)},
};

const struct parameter_table cluster_parameters = {"cluster", rows, PARAMETER_COUNT(rows)};

static const struct parameter group_rows[] = {
    {.path = "share",
     .type = PARAMETER_REAL,
     .fallback = "1",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Share of the cluster's chips, relative to the other groups.",
     .offset = offsetof(struct chip_group, share)},
    {.path = "chip",
     .type = PARAMETER_CHOICE,
     .choices = chip_names,
     .sentence = "Kind of the group's chips, a name of the catalogue.",
     .offset = offsetof(struct chip_group, chip)},
    {.path = "mfu",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = 1,
     .above_minimum = true,
     .sentence = "Model FLOP utilisation of the group; the cluster's where left out.",
     .offset = offsetof(struct chip_group, mfu)},
};

const struct parameter_list cluster_groups = {.section = "cluster.groups",
                                              .rows = group_rows,
                                              .count = PARAMETER_COUNT(group_rows),
                                              .item_size = sizeof(struct chip_group)};

double cluster_achieved_flops(int64_t chip, double mfu)
{
    return chip_catalogue[chip].flops * mfu;
}
