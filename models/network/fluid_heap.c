#include "models/network/fluid_heap.h"

#include <assert.h>
#include <stdlib.h>

void fluid_heap_free(struct fluid_heap *heap)
{
    free(heap->entry);
    *heap = (struct fluid_heap){0};
}

static void put(struct fluid_heap *heap, uint32_t *places, uint32_t place, struct fluid_heap_entry entry)
{
    heap->entry[place] = entry;
    places[entry.item] = place;
}

static void rise(struct fluid_heap *heap, uint32_t *places, uint32_t place, struct fluid_heap_entry entry)
{
    while (place) {
        uint32_t parent = (place - 1) / 2;
        if (heap->entry[parent].key <= entry.key)
            break;
        put(heap, places, place, heap->entry[parent]);
        place = parent;
    }
    put(heap, places, place, entry);
}

static void sink(struct fluid_heap *heap, uint32_t *places, uint32_t place, struct fluid_heap_entry entry)
{
    for (uint32_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count && heap->entry[child + 1].key < heap->entry[child].key)
            child++;
        if (entry.key <= heap->entry[child].key)
            break;
        put(heap, places, place, heap->entry[child]);
    }
    put(heap, places, place, entry);
}

/* Puts ENTRY in the place of another. */
static void move(struct fluid_heap *heap, uint32_t *places, uint32_t place, struct fluid_heap_entry entry)
{
    if (entry.key < heap->entry[place].key)
        rise(heap, places, place, entry);
    else
        sink(heap, places, place, entry);
}

bool fluid_heap_push(struct fluid_heap *heap, uint32_t *places, __int128 key, uint32_t item)
{
    if (heap->count == heap->room) {
        uint32_t room = heap->room ? 2 * heap->room : 4;
        struct fluid_heap_entry *entry = realloc(heap->entry, room * sizeof *entry);
        if (!entry)
            return false;
        heap->entry = entry;
        heap->room = room;
    }
    rise(heap, places, heap->count++, (struct fluid_heap_entry){key, item});
    return true;
}

void fluid_heap_change(struct fluid_heap *heap, uint32_t *places, uint32_t item, __int128 key)
{
    uint32_t place = places[item];
    assert(place < heap->count && heap->entry[place].item == item);
    move(heap, places, place, (struct fluid_heap_entry){key, item});
}

void fluid_heap_remove(struct fluid_heap *heap, uint32_t *places, uint32_t item)
{
    uint32_t place = places[item];
    assert(place < heap->count && heap->entry[place].item == item);
    struct fluid_heap_entry last = heap->entry[--heap->count];
    if (place == heap->count)
        return;
    move(heap, places, place, last);
}
