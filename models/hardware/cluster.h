/*
 * The cluster: how many chips of which kinds, and the slices that leave together.
 */
#ifndef MODELS_HARDWARE_CLUSTER_H
#define MODELS_HARDWARE_CLUSTER_H

#include "models/parameter.h"

/* Chips of one kind in a mixed cluster ("cluster.groups[]"). */
struct chip_group {
    double share; /* of the cluster's chips, relative to the other groups' shares */
    int64_t chip; /* row of the catalogue */
    double mfu;   /* NAN: the cluster's */
};

struct cluster_config {
    int64_t chips; /* allocated, spares included */
    int64_t chips_per_slice;
    int64_t chip;                  /* row of the catalogue; of every chip where there are no groups */
    double mfu;                    /* model FLOP utilisation reached in a step, 0 … 1 */
    struct parameter_items groups; /* struct chip_group */
};

extern const struct parameter_table cluster_parameters; /* section "cluster" */
extern const struct parameter_list cluster_groups;      /* section "cluster.groups" */

/* Dense FLOP/s that a chip of catalogue row CHIP reaches at utilisation MFU. */
double cluster_achieved_flops(int64_t chip, double mfu);

#endif
