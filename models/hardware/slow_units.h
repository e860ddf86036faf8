/*
 * Units that are slow for a while because something is the matter with them: which of them is worst, that is.
 * There are few at a time.
 */
#ifndef MODELS_HARDWARE_SLOW_UNITS_H
#define MODELS_HARDWARE_SLOW_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slow_unit {
    double factor; /* on the time of its chips */
    int64_t chips;
    int32_t cause;
};

/* All at 0: nobody is slow. */
struct slow_units {
    struct slow_unit *units;
    size_t count, room;
};

/* UNIT is slow from now on; or is not any more, which it was. False when memory runs out. */
bool slow_units_add(struct slow_units *slow, const struct slow_unit *unit);
void slow_units_remove(struct slow_units *slow, const struct slow_unit *unit);

/* The slowest of them, the first among equals; a factor of 1 where nobody is slow. */
struct slow_unit slow_units_worst(const struct slow_units *slow);

void slow_units_free(struct slow_units *slow);

#endif
