/*
 * How a learner that lost its state gets another: a copy crosses the network from a healthy peer, parameters
 * and inner optimiser, or, with none left, the parameters alone from where they were last merged.
 *
 * Whom to ask, and where in the common course the copy stands, is the strategy's to say.
 */
#ifndef MODELS_TRAINING_RECOVERY_H
#define MODELS_TRAINING_RECOVERY_H

#include "models/training/world.h"

enum { RECOVERY_NO_DONOR = -1 };

/* The first learner that holds a state, or RECOVERY_NO_DONOR. */
int64_t recovery_first_donor(const struct world *world);

/* Sends a learner's state, with the moments of its optimiser where FROM_PEER, and schedules ACTOR for when it
 * is there, LATENCIES of the network (1: it sets out at once, 2: it is asked for first) and the bytes later.
 */
void recovery_send_state(struct world *world, bool from_peer, int64_t latencies, uint32_t actor);

/* Writes on the tape that LEARNER has taken over DONOR's state, or the syncer's for RECOVERY_NO_DONOR. */
void recovery_write_copy(const struct learner *learner, int64_t donor);

#endif
