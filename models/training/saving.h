/*
 * What a learner saves of its training, and what it goes back to: its checkpoints.
 *
 * learner.c asks at every boundary whether one is due, stands still for as long as it is told, and says when
 * the write has come to its end.
 */
#ifndef MODELS_TRAINING_SAVING_H
#define MODELS_TRAINING_SAVING_H

#include "sim/clock.h"
#include <stdbool.h>
#include <stdint.h>

struct learner;

/* Part of every learner; all zero, it has saved its start. */
struct saving {
    sim_time worked;         /* step time since the last checkpoint */
    int64_t clock, position; /* the learner's at the last checkpoint */
};

/* LEARNER has done a step of LENGTH that counts. */
void saving_worked(struct learner *learner, sim_time length);

/* LEARNER has lost its state: the next checkpoint is a whole interval of work away. */
void saving_lost(struct learner *learner);

/* Whether LEARNER has to write a checkpoint now. */
bool saving_is_due(const struct learner *learner);

/* How long LEARNER stands still to write one. */
sim_time saving_time(const struct learner *learner);

/* The checkpoint that LEARNER has stood still for is complete: all it has done is safe. */
void saving_complete(struct learner *learner);

/* LEARNER's parameters go back to its last checkpoint, the first of which is the start. */
void saving_roll_back(struct learner *learner);

#endif
