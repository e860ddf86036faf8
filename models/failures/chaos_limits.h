/*
 * Which faults of a drawn schedule are spared: for chaos alone.
 */
#ifndef MODELS_FAILURES_CHAOS_LIMITS_H
#define MODELS_FAILURES_CHAOS_LIMITS_H

#include "models/failures/chaos.h"

/* Marks as spared, in the order of the schedule, each fault that would take down more at once than the limits
 * of CONFIG allow, with those before it that are not spared. Counted is what chaos itself takes down: what
 * else fails cannot be known beforehand. False when memory ran out. */
bool chaos_spare(struct chaos_schedule *schedule, const struct chaos_config *config,
                 const struct chaos_ground *ground, struct error *error);

#endif
