#include "sim/queue_near.h"

#include <assert.h>

static void move_events(struct sim_event *to, const struct sim_event *from, size_t count)
{
    memmove(to, from, count * sizeof *to);
}

/* The first event whose key is not below KEY, or the end. */
static struct sim_event *lower_bound(const struct sim_near *near, sim_key key)
{
    struct sim_event *first = near->first;
    size_t count = sim_near_count(near);
    while (count > 0) {
        size_t half = count / 2;
        bool after = sim_key_of(first + half) < key;
        first = after ? first + half + 1 : first;
        count = after ? count - half - 1 : half;
    }
    return first;
}

struct sim_event *sim_near_fill(struct sim_near *near, size_t count)
{
    assert(count <= SIM_NEAR_LIMIT);
    near->first = near->event + (SIM_NEAR_SPACE - count) / 2;
    near->end = near->first + count;
    return near->first;
}

static void recentre(struct sim_near *near)
{
    const struct sim_event *first = near->first;
    size_t count = sim_near_count(near);
    move_events(sim_near_fill(near, count), first, count);
}

/* The hole at PLACE moves up, or down, past the events that come before, or after, KEY. */
static struct sim_event *shift_down(struct sim_event *place, const struct sim_event *end, sim_key key)
{
    for (; place + 1 < end && sim_key_of(place + 1) < key; place++)
        *place = place[1];
    return place;
}

static struct sim_event *shift_up(struct sim_event *place, const struct sim_event *first, sim_key key)
{
    for (; place > first && sim_key_of(place - 1) > key; place--)
        *place = place[-1];
    return place;
}

void sim_near_insert(struct sim_near *near, sim_key key, uint64_t load)
{
    assert(sim_near_count(near) < SIM_NEAR_LIMIT);
    if (near->first == near->event || near->end == near->event + SIM_NEAR_SPACE)
        recentre(near);
    const struct sim_event *middle = near->first + sim_near_count(near) / 2;
    struct sim_event *place = sim_key_of(middle) > key ? shift_down(--near->first, near->end, key)
                                                       : shift_up(near->end++, near->first, key);
    sim_event_set(place, key, load);
}

const struct sim_event *sim_near_find(const struct sim_near *near, sim_key key)
{
    const struct sim_event *place = lower_bound(near, key);
    return place < near->end && sim_key_of(place) == key ? place : NULL;
}

bool sim_near_remove(struct sim_near *near, sim_key key)
{
    const struct sim_event *place = sim_near_find(near, key);
    if (!place)
        return false;
    move_events(near->first + 1, near->first, (size_t)(place - near->first));
    near->first++;
    return true;
}

void sim_near_cut(struct sim_near *near, size_t count)
{
    assert(count > SIM_NEAR_FEW && count <= sim_near_count(near));
    near->end = near->first + count;
}
