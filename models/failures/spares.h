/*
 * Slices in reserve: who takes the place of a failed one, and when.
 *
 * Learners hold slots, and every slot is filled by a unit (a physical slice) or empty. The reserve's units
 * are ready (warm standbys), cold, or in a pool where they do other work until they are drawn. A unit that
 * goes down empties its slot; after the swap time the slot waits, and the slot that has waited longest gets
 * the next ready unit. A unit that returns takes its own slot if that is empty still, and joins the reserve
 * otherwise. Cold units are started, as many at once as are missing; pool units are drawn one after another,
 * become cold and never go back.
 *
 * With refill ahead the standbys are made complete whenever some are missing. When empty, they are once a
 * slot waits and none is ready: if the cold units do not suffice for the slots that wait, as many are drawn
 * first as make slots and standbys complete (or as the pool has); then all are started together.
 *
 * Units outside of slots are charged here: healthy ones as idle; failed ones, as soon as their slot has
 * another unit, to the cause that took them down. Until then their slot's learner is charged.
 */
#ifndef MODELS_FAILURES_SPARES_H
#define MODELS_FAILURES_SPARES_H

#include "models/parameter.h"
#include "sim/engine.h"

enum spares_refill {
    SPARES_AHEAD,
    SPARES_WHEN_EMPTY,
};

/* All zero: no reserve. */
struct spares_config {
    int64_t standbys, cold, pool; /* slices of the cluster */
    sim_time swap_time;           /* from a failure until another unit can take the slot */
    sim_time start_time;          /* of cold units */
    sim_time draw_time;           /* of one unit from the pool */
    int64_t refill;               /* enum spares_refill */
};

extern const struct parameter_table spares_parameters; /* section "spares" */

/* Slices in reserve when all goes well. */
int64_t spares_reserve(const struct spares_config *config);

struct spares;

enum { SPARES_NO_SLOT = -1 };

/* Who is told, at the moment it happens. MARK is a word kept with the slot for the observer, 0 until it
 * writes something else. UNITS were in reserve for ELAPSED: idle, or failed by CAUSE. */
struct spares_observer {
    void (*slot_down)(void *context, int64_t slot, uint64_t *mark);
    void (*slot_up)(void *context, int64_t slot, uint64_t *mark);
    void (*charge_idle)(void *context, int64_t units, sim_time elapsed);
    void (*charge_failed)(void *context, int32_t cause, int64_t units, sim_time elapsed);
    void *context;
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
struct spares *spares_create(struct sim_engine *engine, const struct spares_config *config, int64_t slots,
                             struct spares_observer observer, struct error *error);
void spares_destroy(struct spares *spares); /* NULL is allowed */

/* UNIT, which was up, is down for CAUSE (from -1 on); UNIT, which was down, is up. */
void spares_unit_down(struct spares *spares, int64_t unit, int32_t cause);
void spares_unit_up(struct spares *spares, int64_t unit);

/* The slot that UNIT fills, or SPARES_NO_SLOT; the unit that fills SLOT, or that did last where it is empty.
 */
int64_t spares_slot_of(const struct spares *spares, int64_t unit);
int64_t spares_unit_of(const struct spares *spares, int64_t slot);

/* Charges everything up to now. */
void spares_book(struct spares *spares);

const struct spares_counts *spares_counts(const struct spares *spares);
bool spares_failed(const struct spares *spares); /* memory ran out; the run is void */

#endif
