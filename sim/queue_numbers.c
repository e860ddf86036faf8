#include "sim/queue_numbers.h"

#include <assert.h>
#include <stdlib.h>

enum { SLOTS_LEAST = 64 };

static size_t slots_of(const struct sim_numbers *set)
{
    return set->slot ? set->mask + 1 : 0;
}

/* Fibonacci hashing: the multiplier is 2^64 over the golden ratio, and the upper bits are the mixed ones. */
static size_t own_slot(const struct sim_numbers *set, uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & set->mask;
}

static void put(struct sim_numbers *set, uint64_t number)
{
    size_t place = own_slot(set, number);
    while (set->slot[place] != 0)
        place = (place + 1) & set->mask;
    set->slot[place] = number;
    set->count++;
}

bool sim_numbers_reserve(struct sim_numbers *set, size_t count)
{
    size_t slots = slots_of(set) ? slots_of(set) : SLOTS_LEAST;
    while (slots / 4 * 3 < count)
        slots *= 2;
    if (slots == slots_of(set))
        return true;
    struct sim_numbers larger = {.slot = calloc(slots, sizeof *larger.slot), .mask = slots - 1};
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < slots_of(set); i++)
        if (set->slot[i] != 0)
            put(&larger, set->slot[i]);
    free(set->slot);
    *set = larger;
    return true;
}

bool sim_numbers_add(struct sim_numbers *set, uint64_t number)
{
    assert(number != 0 && !sim_numbers_has(set, number));
    if (!sim_numbers_reserve(set, set->count + 1))
        return false;
    put(set, number);
    return true;
}

bool sim_numbers_has(const struct sim_numbers *set, uint64_t number)
{
    if (set->count == 0)
        return false;
    size_t place = own_slot(set, number);
    while (set->slot[place] != 0 && set->slot[place] != number)
        place = (place + 1) & set->mask;
    return set->slot[place] == number;
}

void sim_numbers_release(struct sim_numbers *set)
{
    free(set->slot);
    *set = (struct sim_numbers){0};
}

size_t sim_numbers_memory(const struct sim_numbers *set)
{
    return slots_of(set) * sizeof *set->slot;
}
