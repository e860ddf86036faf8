/*
 * Slices in reserve: who takes the place of a failed one, and when.
 *
 * Learners hold slots, and every slot is filled by a unit (a physical slice) or empty. The reserve's units
 * are ready (warm standbys), cold, or in a pool where they do other work until they are drawn. A unit that
 * goes down empties its slot; after the swap time the slot waits, and the slot that has waited longest gets
 * the next ready unit. A unit that returns takes its own slot if that is empty still, once the swap time
 * is over, and joins the reserve otherwise. Cold units are started, as many at once as are missing; pool
 * units are drawn one after another, become cold and never go back.
 *
 * With refill ahead the standbys are made complete whenever some are missing. When empty, they are once a
 * slot waits and none is ready: if the cold units do not suffice for the slots that wait, as many are drawn
 * first as make slots and standbys complete (or as the pool has); then all are started together.
 *
 * Units outside of slots are charged here: healthy ones as idle; failed ones from the moment on at which
 * another unit has taken their slot. Until then their slot's learner is charged. What is the matter with a
 * unit short of being down (slow, hung, …) concerns whoever holds its slot; in reserve it concerns nobody.
 */
#ifndef MODELS_FAILURES_SPARES_H
#define MODELS_FAILURES_SPARES_H

#include "models/failures/fault.h"
#include "models/hardware/reserve.h"
#include "sim/engine.h"
#include "sim/error.h"

struct spares;

enum { SPARES_NO_SLOT = -1 };

/* Who is told, at the moment it happens. MARK is a word kept with the slot for the observer, 0 until it
 * writes something else. */
struct spares_observer {
    void *context;

    /* SLOT's unit goes down for FAULT; it is filled again, having been empty because of CAUSE last. */
    void (*slot_down)(void *context, int64_t slot, const struct fault *fault, uint64_t *mark);
    void (*slot_up)(void *context, int64_t slot, int32_t cause, uint64_t *mark);

    /* SLOT stays empty because of TO from now on: FROM is over. */
    void (*slot_cause)(void *context, int64_t slot, int32_t from, int32_t to);

    /* One more (BY +1) or less (-1) of the failed units that CAUSE keeps down is charged here. */
    void (*reserve_cause)(void *context, int32_t cause, int by);

    /* For ELAPSED, IDLE units and FAILED ones were charged here. */
    void (*charge)(void *context, int64_t idle, int64_t failed, sim_time elapsed);
};

struct spares_counts {
    uint64_t swaps;  /* slots filled by another unit */
    uint64_t starts; /* times that cold units were started */
    uint64_t draws;  /* units drawn from the pool */
};

/* SLOTS slots, filled by the units of the same numbers; standbys, cold units and the pool's follow. CONFIG,
 * which has some, and ENGINE must outlive the spares; the caller destroys. NULL with ERROR when out of
 * memory.
 */
struct spares *spares_create(struct sim_engine *engine, const struct reserve_config *config, int64_t slots,
                             struct spares_observer observer, struct error *error);
void spares_destroy(struct spares *spares); /* NULL is allowed */

/* UNIT, which was up, is down for FAULT; it is up, having been down because of CAUSE last; it stays down,
 * because of TO and no longer of FROM. */
void spares_unit_down(struct spares *spares, int64_t unit, const struct fault *fault);
void spares_unit_up(struct spares *spares, int64_t unit, int32_t cause);
void spares_unit_cause(struct spares *spares, int64_t unit, int32_t from, int32_t to);

/* A fault of UNIT that does not take it down begins or ends: the slot whose learner it concerns, and in *MARK
 * the slot's; or SPARES_NO_SLOT. An end concerns only whom the beginning did. */
int64_t spares_unit_fault(struct spares *spares, int64_t unit, bool begins, uint64_t **mark);

/* The slot that UNIT fills, or SPARES_NO_SLOT; the unit that fills SLOT, or that did last where it is empty.
 */
int64_t spares_slot_of(const struct spares *spares, int64_t unit);
int64_t spares_unit_of(const struct spares *spares, int64_t slot);

/* Charges everything up to now. */
void spares_book(struct spares *spares);

const struct spares_counts *spares_counts(const struct spares *spares);

#endif
