/*
 * Which slices are down when, and what else goes wrong: the one place that every fault goes through, whoever
 * made it. Faults are of named units in wall time, before and apart from whatever trains on them, so that
 * every strategy of a scenario meets the same ones.
 *
 * A unit that stops takes its slices down; they return after its repair. A slice may be down for several
 * reasons at once (its chip, its rack) and returns when the last one ends; meanwhile it is down because of
 * the first that has not ended. A fault is ignored where it meets nothing: all slices of its unit are down
 * through the same cause already, or away; of kinds that strike what works, all are down; or what it strikes
 * does not exist here.
 *
 * A slice that goes down takes with it what was the matter with it: it returns neither slow nor hung, and
 * what would have been found out later does not take it down once more.
 */
#ifndef MODELS_FAILURES_OUTAGES_H
#define MODELS_FAILURES_OUTAGES_H

#include "models/failures/causes.h"
#include "models/failures/failures.h"
#include "models/failures/repair.h"
#include "models/failures/units.h"
#include "models/hardware/availability.h"
#include "sim/engine.h"

struct outages;

/* Who is told, at the moment it happens. MARK is a word kept with the slice for the observer, 0 until it
 * writes something else, so that it needs no table of slices of its own. Every time in a FAULT is filled in.
 * No function may let faults strike; NULL: nobody wants to know. */
struct outages_observer {
    void *context;

    /* SLICE goes down for FAULT, which tells the cause and the time until it is found out; or returns, having
     * been down because of CAUSE last. One that comes and goes does so for FAULT_NO_CAUSE. */
    void (*slice_down)(void *context, int64_t slice, const struct fault *fault, uint64_t *mark);
    void (*slice_up)(void *context, int64_t slice, int32_t cause, uint64_t *mark);

    /* A slice that is down is now away too, or is not any more; CAUSE, if it has failed as well. */
    void (*slice_away)(void *context, int64_t slice, bool away, int32_t cause);

    /* A slice that is down, and not away, stays so because of TO from now on: FROM is over. */
    void (*slice_cause)(void *context, int64_t slice, int32_t from, int32_t to);

    /* What strikes a slice without taking it down at once:
     *   FAULT_HANG                    begins; ends when its time-out is over, just after the slice went down
     *   FAULT_CORRUPTION              begins; ends when it is found out, FAULT->detection later, likewise;
     *                                 or sooner, and then FAULT->detection says how long after it struck
     *   FAULT_SLOW                    begins; ends. CHIPS of the slice are slow
     *   FAULT_PREEMPTION, _MAINTENANCE  begins with the notice, and does not end: the slice goes down
     *   FAULT_STALL                   begins, and is over FAULT->duration later
     * If the slice goes down for another reason, what has begun ends just after that. */
    void (*slice_fault)(void *context, int64_t slice, int64_t chips, const struct fault *fault, bool begins,
                        uint64_t *mark);

    /* Another slice that works together with SLICE, drawn from DRAWS, which may be down or SLICE itself; -1
     * where SLICE works with nobody. */
    int64_t (*bystander)(void *context, int64_t slice, struct sim_stream *draws);

    /* Whether a step is under way on SLICE. */
    bool (*is_at_work)(void *context, int64_t slice);

    /* FAULT of a link, or of a site's links (kinds loss, throttle, partition), begins or ends. False where
     * there is nothing that it could strike: it is ignored, and its end is not told. */
    bool (*link_fault)(void *context, const struct fault *fault, bool begins);

    /* Whatever strikes the syncer; likewise. */
    bool (*syncer_fault)(void *context, const struct fault *fault, bool begins);
};

/* Failures are drawn up to HORIZON. ENGINE, CONFIG, UNITS and the laws' values must outlive the outages; the
 * caller destroys. */
struct outages *outages_create(struct sim_engine *engine, const struct failure_config *config,
                               const struct units *units, uint64_t seed, uint32_t replication,
                               sim_time horizon, struct outages_observer observer, struct error *error);
void outages_destroy(struct outages *outages);

/* Slices FIRST … NEXT − 1 come and go as AVAILABLE says (copied). A slice that goes is down, and away, until
 * it comes; what fails meanwhile is not noticed, and a repair goes on. Who goes is told to be down first
 * unless it has failed already; who comes is told to be up last unless its repair goes on. False with ERROR
 * when out of memory. */
bool outages_add_availability(struct outages *outages, int64_t first, int64_t next,
                              const struct availability *available, struct error *error);

/* A new cause, before the run begins; FAULT_NO_CAUSE with ERROR when out of memory. */
int32_t outages_add_cause(struct outages *outages, const struct fault_cause *cause, struct error *error);

/* The syncer is at SITE, -1 at none: what stops that site, or the cluster, or takes it away, is a stop of the
 * syncer too, of the same length and of the same cause, and counts once. */
void outages_house_syncer(struct outages *outages, int64_t site);

/* FAULT strikes now; its cause is one of those added. Times that it does not give are drawn: the duration
 * from failures.repair. Where memory runs out the outages have failed. */
enum fault_outcome outages_strike(struct outages *outages, const struct fault *fault);

/* The same, and *RETURNS_IN gets the time until the unit is whole again; 0 where it was ignored. */
enum fault_outcome outages_strike_until(struct outages *outages, const struct fault *fault,
                                        sim_time *returns_in);

/* Whatever is the matter with slice NUMBER, which is there, concerns nobody any more, nor does its end. */
void outages_put_behind(struct outages *outages, int64_t number);

/* Whether whatever makes faults of chips may let one strike UNIT now (failures.only_in_steps). */
bool outages_is_exposed(const struct outages *outages, enum fault_domain domain, int64_t unit);

/* What was repaired since counting began. */
struct repair_counts outages_repairs(const struct outages *outages);

const struct units *outages_units(const struct outages *outages);
const struct causes *outages_causes(const struct outages *outages);

/* Whether all slices of a unit are down or away; false of units without slices. */
bool outages_is_down(struct outages *outages, enum fault_domain domain, int64_t unit);

/* What was counted so far was warm-up: faults of causes and outages_count begin at 0. */
void outages_begin_counting(struct outages *outages);

/* Faults since then that stopped, hung, corrupted or preempted a unit: failures, that is, and nothing
 * planned. */
uint64_t outages_count(const struct outages *outages);

/* Seconds for which those of them were down that have returned, in the mean; NAN where none has. */
double outages_mean_repair(const struct outages *outages);
bool outages_failed(const struct outages *outages); /* memory ran out; the run is void */

#endif
