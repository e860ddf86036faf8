/*
 * Plain heaps of events in an array, binary and 4-ary: what the queue is held against, for its order and
 * for its speed. A hole moves instead of swapping.
 */
#ifndef TESTS_BENCH_HEAPS_H
#define TESTS_BENCH_HEAPS_H

#include "sim/queue.h"

struct heap {
    struct sim_event *event;
    size_t count, capacity;
};

/* False when out of memory. The heap belongs to the caller, who frees it. CAPACITY is what it holds at most.
 */
bool heap_create(struct heap *heap, size_t capacity);
void heap_free(struct heap *heap);

void heap2_push(struct heap *heap, const struct sim_event *event);
bool heap2_pop(struct heap *heap, struct sim_event *event);

void heap4_push(struct heap *heap, const struct sim_event *event);
bool heap4_pop(struct heap *heap, struct sim_event *event);

#endif
