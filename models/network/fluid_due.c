/*
 * When the first flow of a link ends. The tournament of links holds a time no later than the true one: a link
 * that comes to be due later, as half of those do whose level changes, stays where it is until it is seen at
 * the top.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <stdlib.h>

bool fluid_due_grow(struct fluid *fluid, uint32_t links)
{
    if (links <= fluid->due_leaves)
        return true;
    uint32_t leaves = fluid->due_leaves ? 2 * fluid->due_leaves : 8;
    struct fluid_due *due = malloc(2 * (size_t)leaves * sizeof *due);
    if (!due)
        return !(fluid->failed = true);
    for (uint32_t i = 0; i < leaves; i++)
        due[leaves + i] =
            i < fluid->due_leaves ? fluid->due[fluid->due_leaves + i] : (struct fluid_due){SIM_NEVER, i};
    for (uint32_t i = leaves - 1; i > 0; i--)
        due[i] = due[2 * i + 1].time < due[2 * i].time ? due[2 * i + 1] : due[2 * i];
    free(fluid->due);
    fluid->due = due;
    fluid->due_leaves = leaves;
    return true;
}

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
    return whole + ((double)whole < wait);
}

sim_time fluid_due_time(const struct fluid *fluid, uint32_t number, fluid_clock finish)
{
    const struct fluid_link *link = &fluid->link[number];
    double level = fluid->level[number];
    assert(isfinite(level));
    sim_time due = sim_time_add(link->since, wait_for(units_of(finish - link->clock), level));
    return due > fluid->least_due ? due : fluid->least_due;
}

/* To the top in any case: a branch where nothing changes any more can't be foretold, and costs more. */
void fluid_due_set(struct fluid *fluid, uint32_t link, sim_time time)
{
    struct fluid_due *due = fluid->due;
    fluid->share[link].postponed = false;
    for (uint32_t node = fluid->due_leaves + link; node > 1; node /= 2) {
        due[node] = (struct fluid_due){time, link};
        struct fluid_due rival = due[node ^ 1];
        link = rival.time < time ? rival.link : link;
        time = rival.time < time ? rival.time : time;
    }
    due[1] = (struct fluid_due){time, link};
}

static void update(struct fluid *fluid, uint32_t link)
{
    const struct fluid_heap *held = &fluid->link[link].held;
    fluid_due_set(fluid, link, held->count ? fluid_due_time(fluid, link, held->entry[0].key) : SIM_NEVER);
}

/* Whether a link's first flow will not be over at the time that stands in the tournament. */
static bool is_postponed(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_link *link = &fluid->link[number];
    double wait = (double)(fluid->due[fluid->due_leaves + number].time - link->since);
    double served = fluid->level[number] * FLUID_UNITS_PER_NANOSECOND * wait;
    return served < units_of(link->held.entry[0].key - link->clock);
}

void fluid_due_update(struct fluid *fluid, uint32_t link)
{
    if (fluid->link[link].held.count && is_postponed(fluid, link))
        fluid->share[link].postponed = true;
    else
        update(fluid, link);
}

struct fluid_due fluid_due_first(struct fluid *fluid)
{
    if (!fluid->due_leaves)
        return (struct fluid_due){SIM_NEVER, FLUID_NONE};
    while (fluid->share[fluid->due[1].link].postponed)
        update(fluid, fluid->due[1].link);
    return fluid->due[1];
}
