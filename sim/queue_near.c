#include "sim/queue_near.h"

#include <assert.h>
#include <string.h>

/* Moves COUNT events between places of the array that may overlap. */
static void move_events(struct sim_event *to, const struct sim_event *from, size_t count) {
    memmove(to, from, count * sizeof *to);
}

static void recentre(struct sim_near *near) {
    uint32_t count = sim_near_count(near);
    uint32_t head = (SIM_NEAR_SPACE - count) / 2;
    move_events(near->event + head, near->event + near->head, count);
    near->head = head;
    near->tail = head + count;
}

/* Index of the first event whose key is not below KEY; TAIL if there is none. */
static uint32_t lower_bound(const struct sim_near *near, sim_key key) {
    uint32_t first = near->head, count = sim_near_count(near);
    while (count > 0) {
        uint32_t half = count / 2;
        bool after = sim_key_of(&near->event[first + half]) < key;
        first = after ? first + half + 1 : first;
        count = after ? count - half - 1 : half;
    }
    return first;
}

struct sim_event *sim_near_fill(struct sim_near *near, uint32_t count) {
    assert(count <= SIM_NEAR_LIMIT);
    near->head = (SIM_NEAR_SPACE - count) / 2;
    near->tail = near->head + count;
    return near->event + near->head;
}

void sim_near_insert(struct sim_near *near, const struct sim_event *event) {
    assert(sim_near_count(near) < SIM_NEAR_LIMIT);
    if (near->head == 0 || near->tail == SIM_NEAR_SPACE)
        recentre(near);
    uint32_t place = lower_bound(near, sim_key_of(event));
    uint32_t before = place - near->head, behind = near->tail - place;
    if (before < behind) {
        move_events(near->event + near->head - 1, near->event + near->head, before);
        near->head--;
        place--;
    } else {
        move_events(near->event + place + 1, near->event + place, behind);
        near->tail++;
    }
    near->event[place] = *event;
}

const struct sim_event *sim_near_find(const struct sim_near *near, sim_key key) {
    uint32_t place = lower_bound(near, key);
    bool found = place < near->tail && sim_key_of(&near->event[place]) == key;
    return found ? &near->event[place] : NULL;
}

bool sim_near_remove(struct sim_near *near, sim_key key) {
    uint32_t place = lower_bound(near, key);
    if (place == near->tail || sim_key_of(&near->event[place]) != key)
        return false;
    move_events(near->event + place, near->event + place + 1, near->tail - place - 1);
    near->tail--;
    return true;
}
