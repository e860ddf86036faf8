/*
 * Whom a run's failures are charged to: one record for each process and each injected fault, by number.
 */
#ifndef MODELS_FAILURES_CAUSES_H
#define MODELS_FAILURES_CAUSES_H

#include "models/failures/fault.h"
#include "sim/error.h"
#include <stdbool.h>

struct cause_record {
    struct fault_cause cause;
    uint64_t struck, ignored; /* faults, since counting began */
    sim_time first, last;     /* when the first and the last of those struck; of none, 0 */
};

/* All at 0: there is none yet. */
struct causes {
    struct cause_record *records;
    size_t count, room;
};

/* The number of a new cause; FAULT_NO_CAUSE with ERROR when out of memory. */
int32_t causes_add(struct causes *causes, const struct fault_cause *cause, struct error *error);

void causes_count(struct causes *causes, int32_t cause, enum fault_outcome outcome, sim_time now);
void causes_begin_counting(struct causes *causes); /* anew */
void causes_free(struct causes *causes);

#endif
