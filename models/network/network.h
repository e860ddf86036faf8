/*
 * The network between learners: every learner has one full-duplex link to the others, of given
 * bandwidth and latency.
 */
#ifndef MODELS_NETWORK_NETWORK_H
#define MODELS_NETWORK_NETWORK_H

#include "models/parameter.h"
#include "sim/clock.h"

struct network_config {
    double wan_bandwidth; /* bit/s each way */
    sim_time wan_latency; /* one way */
};

extern const struct parameter_table network_parameters; /* section "network" */

#endif
