/*
 * The flows of a class by the time when they are over: a pairing heap in the flows themselves (Fredman et
 * al., "The pairing heap", Algorithmica 1, 1986). Most classes have one flow or a few, for which it costs
 * nearly nothing; of many, it takes the first in the logarithm of their number. PREVIOUS is the neighbour to
 * the left, of a leftmost one the parent, of the first FLUID_NONE. A flow with all below it is a heap too.
 */
#include "models/network/fluid_internal.h"

/* Makes the later one of two heaps the leftmost child of the other, which is returned. */
static inline uint32_t meld(struct fluid_flow_record *flow, uint32_t one, uint32_t other)
{
    if (one == FLUID_NONE)
        return other;
    bool one_first = flow[one].finish <= flow[other].finish;
    uint32_t first = one_first ? one : other, later = one_first ? other : one, child = flow[first].child;
    flow[later].next = child;
    flow[later].previous = first;
    if (child != FLUID_NONE)
        flow[child].previous = later;
    flow[first].child = later;
    return first;
}

/* Cuts a heap off its parent and neighbours, and returns the one to the right. */
static inline uint32_t cut(struct fluid_flow_record *flow, uint32_t number)
{
    uint32_t next = flow[number].next;
    flow[number].next = flow[number].previous = FLUID_NONE;
    return next;
}

/* Melds neighbours two by two, from the left, and then all pairs, from the right. */
static inline uint32_t meld_neighbours(struct fluid_flow_record *flow, uint32_t leftmost)
{
    uint32_t pairs = FLUID_NONE, all = FLUID_NONE;
    while (leftmost != FLUID_NONE) {
        uint32_t one = leftmost, other = cut(flow, one);
        leftmost = FLUID_NONE;
        if (other != FLUID_NONE) {
            leftmost = cut(flow, other);
            one = meld(flow, one, other);
        }
        flow[one].next = pairs;
        pairs = one;
    }
    while (pairs != FLUID_NONE) {
        uint32_t pair = pairs;
        pairs = cut(flow, pair);
        all = meld(flow, all, pair);
    }
    return all;
}

static inline void fluid_queue_add(struct fluid *fluid, struct fluid_class *class, uint32_t number)
{
    struct fluid_flow_record *flow = &fluid->flow[number];
    flow->child = flow->next = flow->previous = FLUID_NONE;
    class->first_flow = meld(fluid->flow, class->first_flow, number);
}

static inline void unlink_child(struct fluid_flow_record *flow, uint32_t number)
{
    uint32_t previous = flow[number].previous, next = flow[number].next;
    if (flow[previous].child == number)
        flow[previous].child = next;
    else
        flow[previous].next = next;
    if (next != FLUID_NONE)
        flow[next].previous = previous;
}

static inline void fluid_queue_remove(struct fluid *fluid, struct fluid_class *class, uint32_t number)
{
    struct fluid_flow_record *flow = fluid->flow;
    uint32_t rest = meld_neighbours(flow, flow[number].child);
    if (class->first_flow == number) {
        class->first_flow = rest;
        return;
    }
    unlink_child(flow, number);
    if (rest != FLUID_NONE)
        class->first_flow = meld(flow, class->first_flow, rest);
}

/* Children before neighbours; where there is neither, the first neighbour of an ancestor. */
static uint32_t fluid_queue_next(const struct fluid *fluid, uint32_t number)
{
    const struct fluid_flow_record *flow = fluid->flow;
    if (flow[number].child != FLUID_NONE)
        return flow[number].child;
    while (number != FLUID_NONE && flow[number].next == FLUID_NONE) {
        while (flow[number].previous != FLUID_NONE && flow[flow[number].previous].child != number)
            number = flow[number].previous;
        number = flow[number].previous;
    }
    return number == FLUID_NONE ? FLUID_NONE : flow[number].next;
}
