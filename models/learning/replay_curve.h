/*
 * The points of a replay's curve. Private to the replay engine.
 */
#ifndef MODELS_LEARNING_REPLAY_CURVE_H
#define MODELS_LEARNING_REPLAY_CURVE_H

#include "models/learning/replay_state.h"

#define replay_deployed REAL(replay_deployed)
#define replay_evaluate_if_due REAL(replay_evaluate_if_due)
#define replay_end_curve REAL(replay_end_curve)

/* The parameters that would be deployed now: the syncer's, or where there is none the mean over the learners
 * that are not lost (over all, if all are). They stand until the next call. */
const real *replay_deployed(struct replay_engine *engine);

/* Adds a point at TIME when so many full steps' tokens were kept as another evaluation waits for. False: out
 * of memory. */
bool replay_evaluate_if_due(struct replay_engine *engine, sim_time time, struct error *error);

/* The last point: at the tape's end, or where a gradient was no number, whatever is still deployed. */
bool replay_end_curve(struct replay_engine *engine, struct error *error);

#endif
