/*
 * The pending-event set: what will happen, popped in a total order.
 *
 * Order: time, then priority (lower first), then order of scheduling. The structure is a chunked ladder: far
 * events wait unsorted in buckets of chunks, the nearest bucket is sorted when it is reached, and what is
 * scheduled before its end is inserted there; hence a push and a pop cost about the same at a thousand and at
 * a million pending events, and allocate only to grow the set.
 *
 * The caller never schedules before the time of the last popped event. An event at that very time may have a
 * lower priority number than the last popped one; it is popped next.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "sim/clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 24 bytes. ORDER holds the priority in its top 8 bits and the sequence number in the other 56. */
struct sim_event {
    sim_time time;
    uint64_t order;
    uint32_t actor;    /* whose event, the caller's number */
    uint32_t argument; /* the caller's, passed on */
};

/* Names a pushed event until it is popped or cancelled, and none afterwards. Comparable by value; {0} names
 * none. */
struct sim_handle {
    sim_time time;
    uint64_t order;
};

struct sim_queue;

/* NULL when out of memory. The queue belongs to the caller, who destroys it. */
struct sim_queue *sim_queue_create(void);
void sim_queue_destroy(struct sim_queue *queue); /* NULL is allowed */

/* Schedules an event and returns its handle. When memory runs out, events are lost and no more are taken: the
 * handle is {0}, and sim_queue_failed is true from then on. */
struct sim_handle sim_queue_push(struct sim_queue *queue, sim_time time, uint8_t priority, uint32_t actor,
                                 uint32_t argument);

/* Takes the earliest event out into *EVENT; false when the set is empty. */
bool sim_queue_pop(struct sim_queue *queue, struct sim_event *event);

/* As sim_queue_pop, but leaves events later than LIMIT where they are and returns false for them. */
bool sim_queue_pop_until(struct sim_queue *queue, sim_time limit, struct sim_event *event);

/* Takes a pending event out; false when it was popped or cancelled before, or HANDLE is {0}. */
bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle);

/* True while the event waits to be popped. */
bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle);

size_t sim_queue_count(const struct sim_queue *queue);  /* events pending, without the cancelled */
size_t sim_queue_memory(const struct sim_queue *queue); /* bytes held */
bool sim_queue_failed(const struct sim_queue *queue);   /* memory ran out */

#endif
