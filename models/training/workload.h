/*
 * What is trained: the model's size, the batch and how long a step takes.
 */
#ifndef MODELS_TRAINING_WORKLOAD_H
#define MODELS_TRAINING_WORKLOAD_H

#include "models/parameter.h"
#include "sim/clock.h"

struct workload_config {
    double parameters;
    double tokens_per_step;     /* of the whole cluster with every slice present */
    sim_time step_time;         /* PARAMETER_UNSET: from parameters, tokens, chips and MFU */
    int64_t bits_per_parameter; /* sent over the network, before any compression */
};

extern const struct parameter_table workload_parameters; /* section "workload" */

#endif
