/*
 * One record of a tape, played. Private to the replay engine.
 */
#ifndef MODELS_LEARNING_REPLAY_PLAY_H
#define MODELS_LEARNING_REPLAY_PLAY_H

#include "models/learning/replay_state.h"

#define replay_play REAL(replay_play)
#define replay_account_unsent REAL(replay_account_unsent)

/* False: out of memory. */
bool replay_play(struct replay_engine *engine, const struct tape_record *record, struct error *error);

/* Moves the tokens that LEARNER has trained and not sent to *TO. */
void replay_account_unsent(struct replay_engine *engine, int32_t learner, double *to);

#endif
