/*
 * Slow chips and learners, as factors on the step time (1 is nominal).
 */
#ifndef MODELS_HARDWARE_STRAGGLERS_H
#define MODELS_HARDWARE_STRAGGLERS_H

#include "models/parameter.h"

struct straggler_config {
    struct sim_law_spec learner; /* drawn once per learner and kept */
    struct sim_law_spec step;    /* drawn for each step of each learner */
    struct sim_law_spec chip;    /* of each chip in each step; a step waits for the slowest */
};

extern const struct parameter_table straggler_parameters; /* section "stragglers" */

#endif
