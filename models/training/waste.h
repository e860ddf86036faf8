/*
 * What failures cost, by cause: chip time of the ledger that is charged to one of them, by budget category.
 *
 * Sums over causes are at most the ledger's; what is missing was due to no failure. Chips that are down, or
 * stand still with them, are charged while they do so by how many there are (STANDING), everything else as it
 * is booked.
 */
#ifndef MODELS_TRAINING_WASTE_H
#define MODELS_TRAINING_WASTE_H

#include "models/training/budget.h"
#include "sim/clock.h"
#include "sim/error.h"
#include "sim/ledger.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waste_standing {
    int64_t chips;
    sim_time since; /* charged up to here */
};

struct waste {
    size_t causes;
    sim_amount (*amount)[BUDGET_CATEGORIES]; /* by cause, chip-nanoseconds */
    struct waste_standing (*standing)[BUDGET_CATEGORIES];
    sim_time *began; /* by cause, when it first cost anything; WASTE_NEVER: not yet */
};

#define WASTE_NEVER (-1)

/* For causes 0 … CAUSES − 1. False with ERROR when out of memory; free either way. */
bool waste_create(struct waste *waste, size_t causes, struct error *error);
void waste_free(struct waste *waste);

/* AMOUNT of CATEGORY is due to CAUSE, which cost it from SINCE on; to FAULT_NO_CAUSE: to none. */
void waste_charge(struct waste *waste, int32_t cause, int category, sim_amount amount, sim_time since);

/* CHIPS more (below 0: fewer) are in CATEGORY because of CAUSE from NOW on; FAULT_NO_CAUSE: nothing happens.
 */
void waste_stand(struct waste *waste, int32_t cause, int category, int64_t chips, sim_time now);

/* Charges what stands up to NOW; and forgets all that was charged before. */
void waste_settle(struct waste *waste, sim_time now);
void waste_forget(struct waste *waste, sim_time now);

#endif
