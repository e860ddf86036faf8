#include "tests/bench/heaps.h"

#include "sim/queue_key.h"
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 * 1024 * 1024 };

bool heap_create(struct heap *heap, size_t capacity)
{
    *heap = (struct heap){.capacity = capacity};
    size_t bytes = (capacity * sizeof *heap->event + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    heap->event = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
    if (heap->event)
        (void)madvise(heap->event, bytes, MADV_HUGEPAGE); /* as the queue has them */
#endif
    return heap->event != NULL;
}

void heap_free(struct heap *heap)
{
    free(heap->event);
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return sim_key_of(a) < sim_key_of(b);
}

/* The two heaps differ in the number of children alone, a constant where these are inlined. */

static inline void push(struct heap *heap, const struct sim_event *event, size_t children)
{
    assert(heap->count < heap->capacity);
    size_t hole = heap->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / children;
        if (!before(event, &heap->event[parent]))
            break;
        heap->event[hole] = heap->event[parent];
        hole = parent;
    }
    heap->event[hole] = *event;
}

static inline size_t least_child(const struct heap *heap, size_t first, size_t children)
{
    size_t end = first + children < heap->count ? first + children : heap->count;
    size_t least = first;
    for (size_t child = first + 1; child < end; child++)
        least = before(&heap->event[child], &heap->event[least]) ? child : least;
    return least;
}

static inline bool pop(struct heap *heap, struct sim_event *event, size_t children)
{
    if (heap->count == 0)
        return false;
    *event = heap->event[0];
    struct sim_event moving = heap->event[--heap->count];
    size_t hole = 0;
    for (size_t first = 1; first < heap->count; first = children * hole + 1) {
        size_t child = least_child(heap, first, children);
        if (!before(&heap->event[child], &moving))
            break;
        heap->event[hole] = heap->event[child];
        hole = child;
    }
    heap->event[hole] = moving;
    return true;
}

void heap2_push(struct heap *heap, const struct sim_event *event)
{
    push(heap, event, 2);
}

bool heap2_pop(struct heap *heap, struct sim_event *event)
{
    return pop(heap, event, 2);
}

void heap4_push(struct heap *heap, const struct sim_event *event)
{
    push(heap, event, 4);
}

bool heap4_pop(struct heap *heap, struct sim_event *event)
{
    return pop(heap, event, 4);
}
