/*
 * A trace's outages as faults: what is played back (playback.h) strikes the outages, each kind that the
 * measurer told apart as a cause of its own, "trace KIND".
 */
#ifndef MODELS_FAILURES_TRACED_FAULTS_H
#define MODELS_FAILURES_TRACED_FAULTS_H

#include "models/failures/outages.h"
#include "models/failures/playback.h"

struct traced_faults;

/* Plays CONFIG's trace, which there is, on the units of OUTAGES until HORIZON; all arguments outlive it. NULL
 * when out of memory; the caller destroys it. */
struct traced_faults *traced_faults_create(struct sim_engine *engine, struct outages *outages,
                                           const struct playback_config *config, sim_time horizon,
                                           struct error *error);
void traced_faults_destroy(struct traced_faults *traced); /* NULL is allowed */

#endif
