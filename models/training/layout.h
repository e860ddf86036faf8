/*
 * How a cluster is divided: slices among chip groups and learners, and how long a learner's step takes
 * on what it got.
 */
#ifndef MODELS_TRAINING_LAYOUT_H
#define MODELS_TRAINING_LAYOUT_H

#include "models/training/simulation.h"

struct layout {
    int64_t chips, chips_per_slice; /* that learners hold: the cluster's without the spares */
    int64_t
        slices; /* of those chips; the last one is smaller where they are no multiple of chips_per_slice */
    int64_t spares; /* slices, as large as the others, numbered behind them */
    int64_t learners;
    struct overlap_cache
        *overlap; /* where workload.overlap is given: what was worked out; NULL: nothing is kept */
};

struct layout layout_of(const struct cluster_config *cluster, int64_t learners);

int64_t layout_slice_chips(const struct layout *layout, int64_t slice);

/* Learners hold runs of slices that differ by one at most: LEARNER's are [first, first of the next). */
int64_t layout_first_slice(const struct layout *layout, int64_t learner);
int64_t layout_learner_of(const struct layout *layout, int64_t slice);
int64_t layout_learner_chips(const struct layout *layout, int64_t learner);

/* The slice behind the last one of a group of chips: groups hold runs of slices, in their order. */
int64_t layout_group_end(const struct layout *layout, const struct cluster_config *cluster, size_t group);

/* Chips of GROUP in the slices FIRST … NEXT − 1. */
int64_t layout_group_chips(const struct layout *layout, const struct cluster_config *cluster, size_t group,
                           int64_t first, int64_t next);

/* A learner's step before any draw. With equal batches the slowest kind among its chips sets the time, and
 * USEFUL_SHARE is the chips' mean time at work over that time. With batches in proportion to speed all steps
 * take equally long, and TOKEN_FACTOR times as many tokens as an even share of the batch. */
struct layout_step {
    double seconds;
    double useful_share;
    double token_factor;
    double exposed_share; /* of the time at work: waits for the gradients' reduction, where workload.overlap
                             is given */
};
struct layout_step layout_nominal_step(const struct simulation_config *config, const struct layout *layout,
                                       int64_t learner);

/* Seconds of that step that GROUP's chips in it are at work; for the rest they wait for the slowest kind. */
double layout_seconds_at_work(const struct simulation_config *config, const struct layout *layout,
                              int64_t learner, size_t group);

/* Chips of one host of a learner's first chip, no more than a slice. */
int64_t layout_host_chips(const struct simulation_config *config, const struct layout *layout,
                          int64_t learner);

/* What a step takes of a learner of GROUP's chips alone, by the layout inside it; the step time that the
 * scenario may give is not looked at. */
struct parallel_step layout_parallel_step(const struct simulation_config *config, const struct layout *layout,
                                          int64_t learner, size_t group);

#endif
