/*
 * Checkpoints: how much work a restart throws away and what saving it costs.
 */
#ifndef MODELS_FAILURES_CHECKPOINT_H
#define MODELS_FAILURES_CHECKPOINT_H

#include "models/parameter.h"
#include "sim/clock.h"

struct checkpoint_config {
    sim_time interval;   /* useful step time between checkpoints; 0: after every step */
    sim_time write_time; /* training stands still for it */
    sim_time load_time;  /* added to a restart that goes back to a checkpoint */
};

extern const struct parameter_table checkpoint_parameters; /* section "checkpoints" */

#endif
