/*
 * What is remembered of units that have failed at least once: a hash table, so that memory grows with
 * failures and not with units.
 */
#ifndef MODELS_FAILURES_UNIT_TABLE_H
#define MODELS_FAILURES_UNIT_TABLE_H

#include "sim/clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit {
    int64_t number;  /* the unit's, -1 in an empty place */
    uint64_t mark;   /* for whoever watches the unit; 0 at first */
    uint32_t events; /* failures so far */
    bool down;
    bool away; /* outages.h: of slices that come and go */
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
