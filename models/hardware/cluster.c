#include "models/hardware/cluster.h"

static const char *const batch_names[] = {
    [BATCH_EQUAL] = "equal", [BATCH_PROPORTIONAL] = "proportional", NULL};

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
    {.path = "rack_chips",
     .type = PARAMETER_INTEGER,
     .fallback = "",
     .minimum = 1,
     .maximum = 1e12,
     .sentence = "Chips that share a rack, or whatever else fails with its power; failures of racks need it.",
     .offset = offsetof(struct cluster_config, rack_chips)},
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
     .sentence =
         "Model FLOP utilisation within a step; gives the step time where none is set. With a layout in "
         "cluster.parallel, that of computing alone: communication and bubbles come on top.",
     .source = "ours: Llama 3 reports 0.38 to 0.43 (arXiv 2407.21783)",
     .offset = offsetof(struct cluster_config, mfu)},
    {.path = "price_per_hour",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of one chip for an hour, in any currency; that of the catalogue where left out.",
     .offset = offsetof(struct cluster_config, price_per_hour)},
    {.path = "batch",
     .type = PARAMETER_CHOICE,
     .choices = batch_names,
     .fallback = "equal",
     .sentence = "Tokens of chips of different kinds: as many for each, or in proportion to their speed.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, batch)},
    {.path = "parallel.tensor",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Chips that share each layer (tensor parallelism).",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.tensor)},
    {.path = "parallel.pipeline",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Stages that share the layers (pipeline parallelism).",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.pipeline)},
    {.path = "parallel.expert",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Ranks that share the experts of a layer, each with its own tokens (expert parallelism).",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.expert)},
    {.path = "parallel.micro_batches",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Micro-batches of one replica in a step.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.micro_batches)},
    {.path = "parallel.virtual_stages",
     .type = PARAMETER_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e4,
     .sentence = "Stages of one pipeline rank, interleaved, which divide the bubble.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.virtual_stages)},
    {.path = "parallel.overlap",
     .type = PARAMETER_REAL,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of the last micro-batch's backward pass that hides the reduction of gradients.",
     .source = "ours: all of it, as in arXiv 2006.15704",
     .offset = offsetof(struct cluster_config, parallel.overlap)},
    {.path = "parallel.blast_radius",
     .type = PARAMETER_CHOICE,
     .choices = blast_radius_names,
     .fallback = "slice",
     .sentence =
         "What stops with a failed chip in an elastic learner: its slice, or all slices of its replica.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, parallel.blast_radius)},
    {.path = "scale_up_latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "1 us",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Latency of a message within a scale-up domain.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, scale_up_latency)},
    {.path = "scale_out_rate",
     .type = PARAMETER_REAL,
     .dimension = DIMENSION_DATA_RATE,
     .fallback = "400 Gbit/s",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Bandwidth of one chip to others outside its scale-up domain, each way.",
     .source = "ours: one 400G port a GPU (arXiv 2407.21783 §3.3.1)",
     .offset = offsetof(struct cluster_config, scale_out_rate)},
    {.path = "scale_out_latency",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "10 us",
     .minimum = 0,
     .maximum = 1e3,
     .sentence = "Latency of a message between scale-up domains.",
     .source = "ours",
     .offset = offsetof(struct cluster_config, scale_out_latency)},
    {.path = "catalogue_file",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence =
         "A CSV file with chips, beside the scenario: a heading line with name, vendor, tflops_bf16, hbm_gb, "
         "hbm_tb_s, scaleup_gb_s, chips_per_host, domain_chips, busy_w, idle_w, price_per_hour, or some "
         "of them; its rows become entries of cluster.catalogue.",
     .offset = offsetof(struct cluster_config, catalogue_file)},
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
    {.path = "price_per_hour",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Price of one chip of the group for an hour; the cluster's or catalogue's where left out.",
     .offset = offsetof(struct chip_group, price_per_hour)},
    {.path = "available.from",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = 1e9,
     .sentence = "Time at which the group's chips come, if they come and go; a run starts at midnight.",
     .source = "ours",
     .offset = offsetof(struct chip_group, available.from)},
    {.path = "available.lasting",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = 1e9,
     .above_minimum = true,
     .sentence =
         "Time for which they then stay. While they are away they are not allocated: they cost nothing "
         "and count for nothing. They are always there where left out.",
     .offset = offsetof(struct chip_group, available.lasting)},
    {.path = "available.every",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "1 d",
     .minimum = 60,
     .maximum = 1e9,
     .sentence = "Time after which they come again.",
     .source = "ours",
     .offset = offsetof(struct chip_group, available.every)},
};

const struct parameter_list cluster_groups = {.section = "cluster.groups",
                                              .rows = group_rows,
                                              .count = PARAMETER_COUNT(group_rows),
                                              .item_size = sizeof(struct chip_group)};

struct chip_table cluster_chips(const struct cluster_config *cluster)
{
    return (struct chip_table){cluster->catalogue.items, cluster->catalogue.count};
}

size_t cluster_group_count(const struct cluster_config *cluster)
{
    return cluster->groups.count > 0 ? cluster->groups.count : 1;
}

static double first_known(double first, double second, double third)
{
    if (!isnan(first))
        return first;
    return isnan(second) ? third : second;
}

static double total_share(const struct cluster_config *cluster)
{
    const struct chip_group *groups = cluster->groups.items;
    double total = 0;
    for (size_t i = 0; i < cluster->groups.count; i++)
        total += groups[i].share;
    return total;
}

struct cluster_group cluster_group(const struct cluster_config *cluster, size_t index)
{
    const struct chip_group all = {.share = 1, .chip = cluster->chip, .mfu = NAN, .price_per_hour = NAN};
    bool mixed = cluster->groups.count > 0;
    const struct chip_group *group = mixed ? (const struct chip_group *)cluster->groups.items + index : &all;
    struct chip chip = chip_find(cluster_chips(cluster), (size_t)group->chip);
    double price = first_known(group->price_per_hour, cluster->price_per_hour, chip.price_per_hour);
    return (struct cluster_group){.chip = chip,
                                  .share = mixed ? group->share / total_share(cluster) : 1,
                                  .mfu = isnan(group->mfu) ? cluster->mfu : group->mfu,
                                  .available = group->available,
                                  .price_per_hour = price};
}

struct parallel_links cluster_links(const struct cluster_config *cluster, const struct chip *chip)
{
    int64_t domain =
        chip->domain_chips < cluster->chips_per_slice ? chip->domain_chips : cluster->chips_per_slice;
    return (struct parallel_links){.up_rate = chip->scale_up_rate,
                                   .up_latency = sim_time_to_seconds(cluster->scale_up_latency),
                                   .out_rate = cluster->scale_out_rate,
                                   .out_latency = sim_time_to_seconds(cluster->scale_out_latency),
                                   .domain_chips = domain};
}
