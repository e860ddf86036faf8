/*
 * How often a job fails in the long run: failures.chip and the processes beside it.
 */
#ifndef MODELS_FAILURES_RATE_H
#define MODELS_FAILURES_RATE_H

#include "models/failures/failures.h"
#include "models/failures/units.h"

/* Failures a second of a job that has SHARE of the cluster of UNITS: of its chips, and of processes whose
 * faults stop it (stop, hang, corruption, and preemptions that are not planned), lemons included. The units
 * of a burst fail together and count as one failure. NAN when memory ran out. */
double failures_rate(const struct failure_config *config, const struct units *units, double share);

#endif
