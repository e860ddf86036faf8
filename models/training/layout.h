/*
 * How a cluster is divided: slices among chip groups and learners, and how long a learner's step takes
 * on what it got.
 */
#ifndef MODELS_TRAINING_LAYOUT_H
#define MODELS_TRAINING_LAYOUT_H

#include "models/training/simulation.h"

struct layout {
    int64_t chips, chips_per_slice;
    int64_t slices; /* the last one is smaller where chips is no multiple of chips_per_slice */
    int64_t learners;
};

struct layout layout_of(const struct cluster_config *cluster, int64_t learners);

int64_t layout_slice_chips(const struct layout *layout, int64_t slice);

/* Learners hold runs of slices that differ by one at most: LEARNER's are [first, first of the next). */
int64_t layout_first_slice(const struct layout *layout, int64_t learner);
int64_t layout_learner_of(const struct layout *layout, int64_t slice);
int64_t layout_learner_chips(const struct layout *layout, int64_t learner);

/* A learner's step before any draw. Its batch is spread evenly over its chips, so the slowest kind among
 * them sets the time; USEFUL_SHARE is the chips' mean time at work over that time. */
struct layout_step {
    double seconds;
    double useful_share;
};
struct layout_step layout_nominal_step(const struct simulation_config *config, const struct layout *layout,
                                       int64_t learner);

#endif
