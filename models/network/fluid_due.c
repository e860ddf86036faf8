/*
 * When the first flow of a link ends. When all levels are found, the tournament of links holds a time no
 * later than the true one: a link that is hastened is brought forward then; one that is postponed, as half of
 * those are whose level changes, stays where it is until it is seen at the top.
 */
#include "models/network/fluid_internal.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t earlier(const struct fluid *fluid, uint32_t one, uint32_t other)
{
    return fluid->due_time[other] < fluid->due_time[one] ? other : one;
}

static bool fluid_due_grow(struct fluid *fluid, uint32_t links)
{
    uint32_t room = fluid->due_leaves, leaves = room ? 2 * room : 8;
    if (links <= room)
        return true;
    if (!fluid_grow(fluid, &fluid->due_time, &room, leaves, sizeof *fluid->due_time))
        return false;
    uint32_t *due = malloc(2 * (size_t)leaves * sizeof *due);
    if (!due)
        return !(fluid->failed = true);
    for (uint32_t i = 0; i < leaves; i++)
        due[leaves + i] = i;
    for (uint32_t i = fluid->due_leaves; i < leaves; i++)
        fluid->due_time[i] = SIM_NEVER;
    for (uint32_t i = leaves - 1; i > 0; i--)
        due[i] = earlier(fluid, due[2 * i], due[2 * i + 1]);
    free(fluid->due_link);
    fluid->due_link = due;
    fluid->due_leaves = leaves;
    return true;
}

static double units_of(fluid_clock clock)
{
    return clock == (int64_t)clock ? (double)(int64_t)clock : (double)clock;
}

/* What the first flow of a link still waits for, at the link's SINCE. */
static inline double units_left(const struct fluid_link *link, fluid_clock finish)
{
    return units_of(finish - link->clock);
}

static double units_per_nanosecond(const struct fluid *fluid, uint32_t link)
{
    return fluid->level[link] * FLUID_UNITS_PER_NANOSECOND;
}

/* Rounded up, but for what is within the accuracy of the sum. */
static inline sim_time wait_for(double units, double pace)
{
    if (units <= 0)
        return 0;
    double wait = units / pace;
    if (!(wait < 0x1p63))
        return SIM_NEVER;
    double accuracy = wait * 0x1p-50;
    wait -= accuracy > 0x1p-10 ? accuracy : 0x1p-10;
    sim_time whole = (sim_time)wait;
    return whole + ((double)whole < wait);
}

static inline sim_time time_of(const struct fluid *fluid, uint32_t link, double units, double pace)
{
    sim_time due = sim_time_add(fluid->link[link].since, wait_for(units, pace));
    return due > fluid->least_due ? due : fluid->least_due;
}

static inline sim_time fluid_due_time(const struct fluid *fluid, uint32_t link, fluid_clock finish)
{
    assert(fluid->level[link] < INFINITY);
    return time_of(fluid, link, units_left(&fluid->link[link], finish), units_per_nanosecond(fluid, link));
}

/* All the way to the top: where nothing changes any more can't be foretold, and a branch on it costs more. */
static inline void fluid_due_set(struct fluid *fluid, uint32_t link, sim_time time)
{
    const sim_time *times = fluid->due_time;
    uint32_t *due = fluid->due_link;
    fluid->share[link].postponed = false;
    fluid->due_time[link] = time;
    for (size_t node = fluid->due_leaves + link; node > 1; node /= 2) {
        due[node] = link;
        uint32_t rival = due[node ^ 1];
        sim_time other = times[rival];
        link = other < time ? rival : link;
        time = other < time ? other : time;
    }
    due[1] = link;
}

static inline void update(struct fluid *fluid, uint32_t link)
{
    const struct fluid_heap *held = &fluid->link[link].held;
    fluid_due_set(fluid, link, held->count ? fluid_due_time(fluid, link, held->entry[0].key) : SIM_NEVER);
}

/* Sets the time of a link anew, unless its first flow won't be over at the one in the tournament: then the
 * link is postponed after all. */
static inline void bring_forward(struct fluid *fluid, uint32_t number)
{
    const struct fluid_link *link = &fluid->link[number];
    double units = units_left(link, link->held.entry[0].key), pace = units_per_nanosecond(fluid, number);
    if (pace * (double)(fluid->due_time[number] - link->since) < units)
        fluid->share[number].postponed = true;
    else
        fluid_due_set(fluid, number, time_of(fluid, number, units, pace));
}

static void fluid_due_finish(struct fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->hastened_count; i++) {
        uint32_t link = fluid->hastened[i];
        fluid->share[link].hastened = false;
        if (fluid->link[link].held.count)
            bring_forward(fluid, link);
        else
            fluid_due_set(fluid, link, SIM_NEVER);
    }
    fluid->hastened_count = 0;
}

static inline sim_time fluid_due_first(struct fluid *fluid)
{
    while (fluid->share[fluid->due_link[1]].postponed)
        update(fluid, fluid->due_link[1]);
    return fluid->due_time[fluid->due_link[1]];
}

static inline uint32_t fluid_due_at(struct fluid *fluid, sim_time now)
{
    while (fluid->due_time[fluid->due_link[1]] <= now) {
        uint32_t link = fluid->due_link[1];
        if (!fluid->share[link].postponed)
            return link;
        update(fluid, link);
    }
    return FLUID_NONE;
}
