/*
 * A set of sequence numbers: open addressing with linear probing. Numbers are added and asked for, and the
 * set is emptied as a whole.
 *
 * Invariant: between a number's own slot and the slot that holds it no slot is empty; at most three quarters
 * of the slots are used. 0 is no sequence number and marks an empty slot. All zeros is an empty set.
 */
#ifndef SIM_QUEUE_NUMBERS_H
#define SIM_QUEUE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_numbers {
    uint64_t *slot;
    size_t mask; /* slots - 1, a power of two less one */
    size_t count;
};

/* Makes room for COUNT numbers in all; false when out of memory, and then nothing has changed. */
bool sim_numbers_reserve(struct sim_numbers *set, size_t count);

/* Adds NUMBER, not 0 and not in the set yet; false when out of memory. */
bool sim_numbers_add(struct sim_numbers *set, uint64_t number);

bool sim_numbers_has(const struct sim_numbers *set, uint64_t number);

/* Empties the set and frees its memory. */
void sim_numbers_release(struct sim_numbers *set);

size_t sim_numbers_memory(const struct sim_numbers *set);

#endif
