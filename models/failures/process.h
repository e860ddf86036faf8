/*
 * Failure processes as a scenario describes them: entries of failures.processes, beside failures.chip.
 *
 * A process strikes units of one domain with faults of one kind. Each unit fails by a law of its own, from
 * its installation (and initial_age before the run) or its last repair on; or all are planned to go every so
 * often. How often is said in one of three ways: by the mean of the law, by failures per 1000 hosts and day,
 * or by the mean time between failures of all units together on a cluster of a given size, which grows with
 * the cluster as
 *
 *   rate(chips) = 1 / overall.mtbf · (chips / overall.at_chips) ^ overall.exponent
 *
 * All three are of units that are no lemons; lemons come on top.
 */
#ifndef MODELS_FAILURES_PROCESS_H
#define MODELS_FAILURES_PROCESS_H

#include "models/failures/fault.h"
#include "models/failures/units.h"
#include "models/parameter.h"
#include "sim/clock.h"

enum planned_order {
    PLANNED_ROLLING,  /* one unit after the other, evenly over the period */
    PLANNED_TOGETHER, /* all at once */
};

struct failure_process {
    char *name;
    int64_t domain; /* enum fault_domain */
    int64_t kind;   /* enum fault_kind */
    struct sim_law_spec life;
    sim_time initial_age;
    double node_rate;         /* failures per 1000 hosts and day; NAN: not given */
    sim_time overall_mtbf;    /* PARAMETER_UNSET: not given */
    int64_t overall_at_chips; /* PARAMETER_UNSET: those of the cluster */
    double overall_exponent;
    sim_time every, from;          /* planned; EVERY PARAMETER_UNSET: it is not */
    int64_t order;                 /* enum planned_order */
    struct sim_law_spec duration;  /* law PARAMETER_UNSET: failures.repair */
    struct sim_law_spec detection; /* law PARAMETER_UNSET: failures.detection */
    sim_time notice;
    double factor; /* NAN: not given */
    double lemon_share, lemon_factor;
    bool lemon_cured; /* by a repair that succeeds */
    double burst_chance;
    int64_t burst_units, burst_neighbourhood; /* NEIGHBOURHOOD PARAMETER_UNSET: as many as units */
    sim_time burst_within;
};

extern const struct parameter_list failure_processes; /* section "failures.processes" */

/* Whether it is planned, and whether SPEC, which may be left out, is given (a constant 0 is not). */
bool process_is_planned(const struct failure_process *process);
bool process_law_is_given(const struct sim_law_spec *spec);

/* Whether there are lemons that repairs cure. */
bool process_cures_lemons(const struct failure_process *process);

/* The law of one unit's life (not a lemon's) on a cluster of UNITS, its mean as the rates say; not of what is
 * planned. Values are the process's. */
struct sim_law_spec process_life(const struct failure_process *process, const struct units *units);

/* What can't be: the field, below the entry, and the reason; NULL where all is well. */
const char *process_fault(const struct failure_process *process, const struct units *units,
                          const char **reason);

#endif
