/*
 * When the first flow of a link ends. The heap of links holds a time no later than the true one: a link that
 * comes to be due later, as half of those do whose level changes, stays where it is until it is seen at the
 * top.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <math.h>

static double units_of(fluid_clock clock)
{
    return clock == (int64_t)clock ? (double)(int64_t)clock : (double)clock;
}

/* Rounded up, but for what is within the accuracy of the sum. */
static sim_time wait_for(double units, double level)
{
    if (units <= 0)
        return 0;
    double wait = units / (level * FLUID_UNITS_PER_NANOSECOND);
    if (!(wait < 0x1p62))
        return SIM_NEVER;
    wait -= wait > 0x1p40 ? wait * 0x1p-50 : 0x1p-10;
    sim_time whole = (sim_time)wait;
    return (double)whole < wait ? whole + 1 : whole;
}

sim_time fluid_due_time(const struct fluid *fluid, uint32_t number, fluid_clock finish)
{
    const struct fluid_link *link = &fluid->link[number];
    double level = fluid->share[number].level;
    assert(isfinite(level));
    sim_time due = sim_time_add(link->since, wait_for(units_of(finish - link->clock), level));
    return due > fluid->now ? due : fluid->now;
}

void fluid_due_update(struct fluid *fluid, uint32_t number)
{
    struct fluid_link *link = &fluid->link[number];
    link->due = link->held.count ? fluid_due_time(fluid, number, link->held.entry[0].key) : SIM_NEVER;
    if (link->due == fluid->now) /* what ends at this instant has: this has begun at it */
        link->due++;
    if (link->due < fluid->due.entry[fluid->due_place[number]].key)
        fluid_heap_change(&fluid->due, fluid->due_place, number, link->due);
}

uint32_t fluid_due_first(struct fluid *fluid)
{
    if (!fluid->due.count)
        return FLUID_NONE;
    for (;;) {
        struct fluid_heap_entry top = fluid->due.entry[0];
        if (top.key == fluid->link[top.item].due)
            return top.item;
        fluid_heap_change(&fluid->due, fluid->due_place, top.item, fluid->link[top.item].due);
    }
}
