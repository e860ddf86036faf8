/*
 * The ledger: sums of 128-bit integers, nothing else.
 */
#include "sim/ledger.h"
#include <assert.h>
#include <stdbool.h>

void sim_ledger_reset(struct sim_ledger *ledger)
{
    *ledger = (struct sim_ledger){0};
}

static bool is_category(int category)
{
    return category >= 0 && category < SIM_LEDGER_CATEGORIES;
}

void sim_ledger_charge(struct sim_ledger *ledger, int category, int64_t units, sim_time duration)
{
    assert(is_category(category) && units >= 0 && duration >= 0);
    ledger->amount[category] += (sim_amount)units * duration;
}

void sim_ledger_move(struct sim_ledger *ledger, int from, int to, sim_amount amount)
{
    assert(is_category(from) && is_category(to));
    assert(amount >= 0 && amount <= ledger->amount[from]);
    ledger->amount[from] -= amount;
    ledger->amount[to] += amount;
}

sim_amount sim_ledger_total(const struct sim_ledger *ledger)
{
    sim_amount total = 0;
    for (int i = 0; i < SIM_LEDGER_CATEGORIES; i++)
        total += ledger->amount[i];
    return total;
}

double sim_ledger_share(const struct sim_ledger *ledger, int category)
{
    assert(is_category(category));
    sim_amount total = sim_ledger_total(ledger);
    return total == 0 ? 0 : (double)ledger->amount[category] / (double)total;
}

struct sim_unit_seconds sim_amount_split(sim_amount amount)
{
    assert(amount >= 0 && amount / SIM_SECOND <= INT64_MAX);
    return (struct sim_unit_seconds){.seconds = (int64_t)(amount / SIM_SECOND),
                                     .nanoseconds = (int64_t)(amount % SIM_SECOND)};
}

double sim_amount_to_seconds(sim_amount amount)
{
    return (double)amount / (double)SIM_SECOND;
}
