/*
 * What of chips, layouts and stragglers can't be together.
 */
#ifndef MODELS_TRAINING_CHECK_HARDWARE_H
#define MODELS_TRAINING_CHECK_HARDWARE_H

#include "models/training/layout.h"

/* False with *FAULT. */
bool hardware_check(const struct simulation_config *config, const struct layout *layout,
                    struct simulation_fault *fault);

#endif
