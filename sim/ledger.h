/*
 * The exact ledger: amounts of unit-time (chip-nanoseconds, say) by category, kept as integers, so
 * that the categories sum to units × elapsed to the last nanosecond.
 */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include "sim/clock.h"
#include <stddef.h>
#include <stdint.h>

typedef __int128 sim_amount; /* unit-nanoseconds: 10⁹ units for a century need 92 bits */

enum { SIM_LEDGER_CATEGORIES = 32 };

struct sim_ledger {
    sim_amount amount[SIM_LEDGER_CATEGORIES]; /* read freely; change through the functions below */
};

void sim_ledger_reset(struct sim_ledger *ledger);

/* UNITS × DURATION, both >= 0, are charged to CATEGORY. */
void sim_ledger_charge(struct sim_ledger *ledger, int category, int64_t units, sim_time duration);

/* Takes AMOUNT out of one category into another; FROM must hold it. */
void sim_ledger_move(struct sim_ledger *ledger, int from, int to, sim_amount amount);

sim_amount sim_ledger_total(const struct sim_ledger *ledger);
double sim_ledger_share(const struct sim_ledger *ledger,
                        int category); /* of the total; 0 of an empty ledger */

/* An amount as whole unit-seconds and the remaining unit-nanoseconds, 0 … 999 999 999. */
struct sim_unit_seconds {
    int64_t seconds, nanoseconds;
};
struct sim_unit_seconds sim_amount_split(sim_amount amount);
double sim_amount_to_seconds(sim_amount amount);

#endif
