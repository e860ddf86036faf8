/*
 * Filling a struct simulation_fault, for all that check combinations of fields.
 */
#ifndef MODELS_TRAINING_FAULT_H
#define MODELS_TRAINING_FAULT_H

#include "models/training/simulation.h"

/* Sets path and message; returns false. */
bool fault_set(struct simulation_fault *fault, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
