/*
 * What of failure processes can't be together, or would take too long.
 */
#ifndef MODELS_TRAINING_CHECK_FAILURES_H
#define MODELS_TRAINING_CHECK_FAILURES_H

#include "models/training/layout.h"

/* Failures of one unit until END, to a factor of two. */
double failures_of_a_unit(const struct sim_law_spec *life, double end);

/* False with *FAULT. A run of more than MOST_EVENTS events is refused. */
bool failures_check(const struct simulation_config *config, const struct layout *layout, double most_events,
                    struct simulation_fault *fault);

#endif
