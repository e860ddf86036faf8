/*
 * What is remembered of units that something has happened to: a hash table, so that memory grows with
 * failures and not with units.
 */
#ifndef MODELS_FAILURES_UNIT_TABLE_H
#define MODELS_FAILURES_UNIT_TABLE_H

#include "sim/clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of units that have lives only NUMBER and EVENTS are used; the rest is of slices (outages.h). */
struct unit {
    int64_t number;      /* the unit's, -1 in an empty place */
    uint64_t mark;       /* for whoever watches the slice; 0 at first */
    uint64_t changed;    /* when it last went or came, among all such changes */
    uint32_t events;     /* failures so far */
    uint32_t reasons;    /* that keep it down; 0: it is up, or away */
    uint32_t conditions; /* faults that last on it without having taken it down */
    int32_t cause;       /* of its being down: the first of those reasons that is still there */
    bool away;           /* comes and goes, and is gone */
};

struct unit_table {
    struct unit *places;
    size_t capacity; /* a power of two, or 0 */
    size_t used;
};

/* The unit's record, made when it is new; NULL when there is no memory for a new one. Valid until the next
 * call. An all-zero table is empty. */
struct unit *unit_table_get(struct unit_table *table, int64_t number);
void unit_table_free(struct unit_table *table);

#endif
