/*
 * Which snapshots of learners there are at a moment of a tape, and which of them anybody goes back to.
 */
#ifndef MODELS_TAPE_SNAPSHOTS_H
#define MODELS_TAPE_SNAPSHOTS_H

#include "models/tape/tape.h"

/* One learner's snapshots, clocks ascending; all zero, it has its start alone, of clock 0. Freed with
 * snapshots_free. */
struct snapshots {
    int64_t *clocks;
    size_t *records; /* that made them */
    size_t count, room;
};
void snapshots_free(struct snapshots *snapshots);

#define SNAPSHOT_OF_START SIZE_MAX

/* RECORD is a snapshot of clock CLOCK >= 0. It takes the place of one of the same clock, and of any later
 * one. False when out of memory. */
bool snapshots_add(struct snapshots *snapshots, int64_t clock, size_t record);

/* Goes back to the snapshot of CLOCK: later ones are dropped. False when there is none; else *RECORD is what
 * made it, or SNAPSHOT_OF_START. */
bool snapshots_go_back(struct snapshots *snapshots, int64_t clock, size_t *record);

/* Where a replay keeps the snapshots that rollbacks of learners go to: each learner has so many SLOTS. */
struct snapshot_plan {
    uint32_t slots; /* 0: nobody goes back */
    uint32_t *slot; /* by record: where a snapshot goes and what a rollback goes to; NULL without slots */
};
#define SNAPSHOT_UNUSED UINT32_MAX /* nobody goes back to it */

/* The start is in slot 0 until another snapshot is put there. False when out of memory. */
bool snapshot_plan_create(struct snapshot_plan *plan, const struct tape *tape);
void snapshot_plan_free(struct snapshot_plan *plan);

#endif
