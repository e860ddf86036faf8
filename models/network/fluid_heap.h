/*
 * A binary heap of numbered items with 128-bit keys, least first, and something that each carries. Where an
 * item stands is kept in an array of the caller's, so that any item can be moved or taken out. Equal keys
 * stand in an order that depends on the calls alone.
 */
#ifndef MODELS_NETWORK_FLUID_HEAP_H
#define MODELS_NETWORK_FLUID_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct fluid_heap_entry {
    __int128 key;
    uint32_t item;
    uint32_t carried;
};

struct fluid_heap {
    struct fluid_heap_entry *entry;
    uint32_t count;
    uint32_t room;
};

static inline void fluid_heap_free(struct fluid_heap *heap)
{
    free(heap->entry);
    *heap = (struct fluid_heap){0};
}

/* PLACES[item] is where ITEM stands; the caller owns the array, the heap keeps it up to date. */
static inline void fluid_heap_put(struct fluid_heap *heap, uint32_t *places, uint32_t place,
                                  struct fluid_heap_entry entry)
{
    heap->entry[place] = entry;
    places[entry.item] = place;
}

static inline void fluid_heap_rise(struct fluid_heap *heap, uint32_t *places, uint32_t place,
                                   struct fluid_heap_entry entry)
{
    while (place) {
        uint32_t parent = (place - 1) / 2;
        if (heap->entry[parent].key <= entry.key)
            break;
        fluid_heap_put(heap, places, place, heap->entry[parent]);
        place = parent;
    }
    fluid_heap_put(heap, places, place, entry);
}

static inline void fluid_heap_sink(struct fluid_heap *heap, uint32_t *places, uint32_t place,
                                   struct fluid_heap_entry entry)
{
    for (uint32_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count && heap->entry[child + 1].key < heap->entry[child].key)
            child++;
        if (entry.key <= heap->entry[child].key)
            break;
        fluid_heap_put(heap, places, place, heap->entry[child]);
    }
    fluid_heap_put(heap, places, place, entry);
}

/* Puts ENTRY in the place of another. */
static inline void fluid_heap_move(struct fluid_heap *heap, uint32_t *places, uint32_t place,
                                   struct fluid_heap_entry entry)
{
    if (entry.key < heap->entry[place].key)
        fluid_heap_rise(heap, places, place, entry);
    else
        fluid_heap_sink(heap, places, place, entry);
}

static inline bool fluid_heap_push(struct fluid_heap *heap, uint32_t *places, struct fluid_heap_entry new)
{
    if (heap->count == heap->room) {
        uint32_t room = heap->room ? 2 * heap->room : 4;
        struct fluid_heap_entry *entry = realloc(heap->entry, room * sizeof *entry);
        if (!entry)
            return false;
        heap->entry = entry;
        heap->room = room;
    }
    fluid_heap_rise(heap, places, heap->count++, new);
    return true;
}

static inline void fluid_heap_change(struct fluid_heap *heap, uint32_t *places, struct fluid_heap_entry new)
{
    uint32_t place = places[new.item];
    assert(place < heap->count && heap->entry[place].item == new.item);
    fluid_heap_move(heap, places, place, new);
}

static inline void fluid_heap_remove(struct fluid_heap *heap, uint32_t *places, uint32_t item)
{
    uint32_t place = places[item];
    assert(place < heap->count && heap->entry[place].item == item);
    struct fluid_heap_entry last = heap->entry[--heap->count];
    if (place == heap->count)
        return;
    fluid_heap_move(heap, places, place, last);
}

#endif
