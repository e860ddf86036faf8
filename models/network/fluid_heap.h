/*
 * A binary heap of numbered items with 128-bit keys, least first. Where an item stands is kept in an array of
 * the caller's, so that any item can be moved or taken out. Equal keys stand in an order that depends on the
 * calls alone.
 */
#ifndef MODELS_NETWORK_FLUID_HEAP_H
#define MODELS_NETWORK_FLUID_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct fluid_heap_entry {
    __int128 key;
    uint32_t item;
};

struct fluid_heap {
    struct fluid_heap_entry *entry;
    uint32_t count;
    uint32_t room;
};

void fluid_heap_free(struct fluid_heap *heap);

/* PLACES[item] is where ITEM stands; the caller owns the array, the heap keeps it up to date. False when
 * memory runs out, and nothing has changed. */
bool fluid_heap_push(struct fluid_heap *heap, uint32_t *places, __int128 key, uint32_t item);
void fluid_heap_change(struct fluid_heap *heap, uint32_t *places, uint32_t item, __int128 key);
void fluid_heap_remove(struct fluid_heap *heap, uint32_t *places, uint32_t item);

#endif
