/*
 * Which slices are down when: drawn in wall time for named chips, before and apart from whatever trains
 * on them, so that every strategy of a scenario meets the same failures.
 *
 * A chip that fails takes its slice down; the slice returns after a repair time. A failure in a
 * slice that is down already is ignored. Chips without memory (exponential) fail as one Poisson process;
 * under any other law each chip lives its own lives, and starts a new one when its slice returns. The n-th
 * life of a chip and the n-th repair of a slice are drawn by (unit, n). Cost and memory grow with failures,
 * not with chips, but for one draw per chip where ages matter.
 */
#ifndef MODELS_FAILURES_OUTAGES_H
#define MODELS_FAILURES_OUTAGES_H

#include "models/failures/failures.h"
#include "models/hardware/availability.h"
#include "sim/engine.h"

struct outages;

/* Who is told, at the moment it happens. MARK is a word kept with the slice for the observer, 0 until it
 * writes something else, so that it needs no table of slices of its own. */
struct outages_observer {
    void (*slice_down)(void *context, int64_t slice, uint64_t *mark);
    void (*slice_up)(void *context, int64_t slice, uint64_t *mark);
    void *context;
    void (*slice_away)(void *context, int64_t slice, bool away); /* NULL: no slice comes and goes */
};

/* Failures are drawn up to HORIZON. ENGINE and the laws' values must outlive the outages; the caller
 * destroys. */
struct outages *outages_create(struct sim_engine *engine, const struct failure_config *config, int64_t chips,
                               int64_t chips_per_slice, uint64_t seed, uint32_t replication, sim_time horizon,
                               struct outages_observer observer, struct error *error);
void outages_destroy(struct outages *outages);

/* Slices FIRST … NEXT − 1 come and go as AVAILABLE says (copied). A slice that goes is down, and away, until
 * it comes; what fails meanwhile is not noticed, and a repair goes on. Who goes is told to be down first
 * unless it has failed already; who comes is told to be up last unless its repair goes on. False with ERROR
 * when out of memory. */
bool outages_add_availability(struct outages *outages, int64_t first, int64_t next,
                              const struct availability *available, struct error *error);

uint64_t outages_count(const struct outages *outages); /* slices taken down so far */
bool outages_failed(const struct outages *outages);    /* memory ran out; the run is void */

#endif
