/*
 * What is trained: the model's size and shape, the batch and how long a step takes.
 *
 * With layers a step has parts of one length (arXiv 2501.18512, section on compute utilisation): forward
 * through layers 1 … L, one part each, then backward from L to 1, two parts each: the gradients of the
 * activations, which layer 1 does not need, then those of the parameters. 3L − 1 parts in all.
 */
#ifndef MODELS_TRAINING_WORKLOAD_H
#define MODELS_TRAINING_WORKLOAD_H

#include "models/hardware/parallel.h"
#include "models/parameter.h"
#include "models/training/overlap.h"
#include "sim/clock.h"

struct workload_config {
    double parameters;
    double tokens_per_step;     /* of the whole cluster with every slice present */
    sim_time step_time;         /* PARAMETER_UNSET: from parameters, tokens, chips, MFU and layout */
    int64_t bits_per_parameter; /* sent over the network, before any compression */
    double active_parameters;   /* at work on a token; NAN: all */
    double expert_parameters;   /* in experts */
    double experts_per_token;
    int64_t layers, width; /* PARAMETER_UNSET: not known */
    int64_t bits_per_activation;
    struct overlap_config overlap;
};

extern const struct parameter_table workload_parameters; /* section "workload" */

/* Parts of a step, numbered from 0; 1 without layers. The part of layer l's forward pass is l − 1. */
int64_t workload_parts(const struct workload_config *workload);

/* Parts that are behind a step once LAYER's (1 … L) gradients are there, which are the highest layer's first.
 */
int64_t workload_parts_with_gradients(const struct workload_config *workload, int64_t layer);

/* Parts that are behind a step, more than DONE, once some layer's gradients are there. */
int64_t workload_next_gradients(const struct workload_config *workload, int64_t done);

/* The layer whose gradients are there since part DONE − 1, or 0: that part was of another kind. */
int64_t workload_layer_with_gradients(const struct workload_config *workload, int64_t done);

/* What a layout needs to know of the model. */
struct parallel_model workload_model(const struct workload_config *workload);

#endif
