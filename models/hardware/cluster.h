/*
 * The cluster: how many chips of which kinds, the slices that leave together, the layout inside a learner and
 * what connects its chips.
 */
#ifndef MODELS_HARDWARE_CLUSTER_H
#define MODELS_HARDWARE_CLUSTER_H

#include "models/hardware/availability.h"
#include "models/hardware/chip.h"
#include "models/hardware/parallel.h"
#include "models/hardware/reserve.h"
#include "models/parameter.h"
#include "sim/clock.h"

/* How much of a batch chips of different kinds get. */
enum cluster_batch {
    BATCH_EQUAL,        /* as many tokens a chip, and a step that waits for the slower ones */
    BATCH_PROPORTIONAL, /* tokens in proportion to speed, and steps that take equally long */
};

/* Chips of one kind in a mixed cluster ("cluster.groups[]"). */
struct chip_group {
    double share;          /* of the cluster's chips, relative to the other groups' shares */
    int64_t chip;          /* see chip_find */
    double mfu;            /* NAN: the cluster's */
    double price_per_hour; /* NAN: the chip's */
    struct availability available;
};

struct cluster_config {
    int64_t chips; /* allocated, spares included */
    int64_t chips_per_slice;
    int64_t rack_chips;    /* of a rack or power domain; PARAMETER_UNSET or 0: there are none */
    int64_t chip;          /* see chip_find; of every chip where there are no groups */
    double mfu;            /* model FLOP utilisation reached in a step, 0 … 1 */
    double price_per_hour; /* of one chip; NAN: the chip's */
    int64_t batch;         /* enum cluster_batch */
    struct parallel_config parallel;
    struct reserve_config spares;
    sim_time scale_up_latency;
    double scale_out_rate; /* of one chip, between scale-up domains, bit/s each way */
    sim_time scale_out_latency;
    struct parameter_items groups;    /* struct chip_group */
    struct parameter_items catalogue; /* struct chip: own chips */
    char *catalogue_file;             /* NULL: loading makes entries of the catalogue of it */
};

extern const struct parameter_table cluster_parameters; /* section "cluster" */
extern const struct parameter_list cluster_groups;      /* section "cluster.groups" */

/* The chips that a scenario can name. */
struct chip_table cluster_chips(const struct cluster_config *cluster);

/* Groups; a cluster of one kind is one group of all chips. */
size_t cluster_group_count(const struct cluster_config *cluster);

/* The chip of a group, with its own MFU and price where it has them. */
struct cluster_group {
    struct chip chip;
    double share; /* of the cluster's chips, 0 … 1 */
    double mfu;
    double price_per_hour; /* NAN: not known */
    struct availability available;
};
struct cluster_group cluster_group(const struct cluster_config *cluster, size_t index);

/* Of the scale-up links of CHIP's, of which a domain is no larger than a slice. */
struct parallel_links cluster_links(const struct cluster_config *cluster, const struct chip *chip);

#endif
