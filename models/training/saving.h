/*
 * What a learner saves of its training, and what it goes back to: its checkpoints.
 *
 * learner.c asks at every boundary whether one is due, stands still for as long as it is told, and says when
 * that is over, what has failed and when the learner goes on. What is written in the background goes on by
 * itself.
 *
 * Invariant: checkpoints are in the order in which they were begun, their clocks ascend, and none is from
 * after the learner's present state. The first is the start of the run, which is always there.
 */
#ifndef MODELS_TRAINING_SAVING_H
#define MODELS_TRAINING_SAVING_H

#include "models/training/work.h"
#include "sim/clock.h"
#include "sim/queue.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct learner;

/* A checkpoint. */
struct saved {
    sim_time time;              /* from when on what happens is not in it any more */
    int64_t clock, position;    /* the learner's then */
    struct learner_work work;   /* likewise */
    bool in_memory, in_storage; /* complete there; neither: it is being written */
};

/* Part of every learner. */
struct saving {
    sim_time interval;                             /* 0: after every step */
    sim_time write_time, blocking_time, load_time; /* of storage */
    sim_time worked;                               /* step time since the last checkpoint was begun */
    sim_time since;                                /* when the wall time of the interval began */
    struct saved *saved;                           /* NULL where the strategy has no checkpoints */
    size_t count;
    size_t in_background; /* which of them is being written; 0: none */
    sim_time ends;        /* then it will be complete */
    sim_time begun_after; /* step time that was behind it */
    struct sim_handle completion;
    uint32_t actor;
    int64_t until_storage; /* checkpoints in memory alone before one that goes to storage, too */
    int64_t slices;
    uint64_t *failed; /* a bit a slice: since copies in memory were complete; NULL: there are none */
};

/* Sets up what LEARNER, whose other parts are, saves; false when memory runs out. */
bool saving_init(struct learner *learner);
void saving_free(struct learner *learner);

/* LEARNER has done a step of LENGTH that counts. */
void saving_worked(struct learner *learner, sim_time length);

/* Whether LEARNER has to write a checkpoint now, or to wait for the end of its last. */
bool saving_is_due(const struct learner *learner);

/* How long LEARNER stands still for that. */
sim_time saving_time(const struct learner *learner);

/* How long it is until a checkpoint that LEARNER begins now is complete. */
sim_time saving_time_to_complete(const struct learner *learner);

/* LEARNER has stood still for as long as that, and nothing failed. */
void saving_complete(struct learner *learner);

/* A slice of LEARNER's, numbered from 0 in it, has failed, and lost its memory where it FORGETS. What is
 * under way in the background is spoilt. */
void saving_slice_failed(struct learner *learner, int64_t slice, bool forgets);

/* Checkpoints that LEARNER began after TIME are of no use: something was wrong with what they hold. What is
 * under way in the background is among them. Does not go back by itself. */
void saving_distrust(struct learner *learner, sim_time time);

/* Whether a restart of LEARNER, which has its slices, goes back to a checkpoint at all. */
bool saving_goes_back(const struct learner *learner);

/* LEARNER's state goes back to its last good checkpoint, and what it has done since is discarded. */
void saving_roll_back(struct learner *learner);

/* How long LEARNER takes to load it. If it has been lost since, LEARNER goes back further. */
sim_time saving_load(struct learner *learner);

/* Whether the checkpoint that LEARNER's state is, which it loads, say, has been lost or found wrong. */
bool saving_is_outdated(const struct learner *learner);

/* LEARNER trains on from here: it has loaded a checkpoint, say. */
void saving_resumed(struct learner *learner);

#endif
