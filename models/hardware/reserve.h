/*
 * Slices of the cluster that no learner holds as long as all goes well. What becomes of them is in
 * models/failures/spares.h.
 */
#ifndef MODELS_HARDWARE_RESERVE_H
#define MODELS_HARDWARE_RESERVE_H

#include "models/parameter.h"
#include "sim/clock.h"

enum reserve_refill {
    RESERVE_AHEAD,
    RESERVE_WHEN_EMPTY,
};

/* All zero: no reserve. */
struct reserve_config {
    int64_t standbys, cold, pool; /* slices of the cluster */
    sim_time swap_time;           /* from a failure until another slice can take the place */
    sim_time start_time;          /* of cold slices */
    sim_time draw_time;           /* of one slice from the pool */
    int64_t refill;               /* enum reserve_refill */
};

extern const struct parameter_table reserve_parameters; /* section "cluster.spares" */

/* Slices in reserve when all goes well. */
int64_t reserve_slices(const struct reserve_config *config);

#endif
