/*
 * Chaos in a run: its schedule is drawn before the run and played as events of the engine, each fault into
 * the outages, where all faults go.
 */
#ifndef MODELS_TRAINING_INJECTION_H
#define MODELS_TRAINING_INJECTION_H

#include "sim/error.h"
#include <stdbool.h>

struct world;
struct chaos_schedule;
struct injection;

/* Draws the chaos of WORLD's scenario, if any, adds its causes to the outages and schedules the first fault;
 * the outages are there. False with ERROR. */
bool injection_create(struct world *world, struct injection **injection, struct error *error);
void injection_destroy(struct injection *injection); /* NULL is allowed */

/* Hands over the schedule with what became of its faults; NULL: there is none. The caller destroys it. */
struct chaos_schedule *injection_take(struct injection *injection);

#endif
