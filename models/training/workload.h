/*
 * What is trained: the model's size and shape, the batch and how long a step takes.
 */
#ifndef MODELS_TRAINING_WORKLOAD_H
#define MODELS_TRAINING_WORKLOAD_H

#include "models/hardware/parallel.h"
#include "models/parameter.h"
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
};

extern const struct parameter_table workload_parameters; /* section "workload" */

/* What a layout needs to know of the model. */
struct parallel_model workload_model(const struct workload_config *workload);

#endif
