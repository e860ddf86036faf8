/*
 * The vocabulary of what goes wrong: kinds of fault, the domains that they strike, and causes, to which
 * every chip-nanosecond that a fault costs is charged.
 *
 * Whatever makes faults (laws, chaos entries, a trace) makes records of this form for named physical units,
 * in wall time, before any strategy acts; so that all strategies meet the same faults, and a schedule that
 * was drawn once can be played again in another strategy.
 */
#ifndef MODELS_FAILURES_FAULT_H
#define MODELS_FAILURES_FAULT_H

#include "sim/clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_STOP,        /* the unit's slices are gone until they are repaired */
    FAULT_HANG,        /* its learner stands still until a time-out finds out; then the slices start again */
    FAULT_SLOW,        /* steps with the unit take FACTOR times as long, for DURATION */
    FAULT_CORRUPTION,  /* wrong numbers, found out after DETECTION: back to a clean state */
    FAULT_PREEMPTION,  /* taken away NOTICE after it was said, back after DURATION */
    FAULT_MAINTENANCE, /* likewise, and planned */
    FAULT_STALL,       /* its learner waits for data, for DURATION */
    FAULT_LOSS,        /* a link loses a share of its packets, for DURATION */
    FAULT_THROTTLE,    /* a link has FACTOR of its bandwidth, for DURATION */
    FAULT_PARTITION,   /* a link passes nothing, for DURATION */
    FAULT_KINDS
};

/* Kinds that nobody knows of until they are found out. */
static inline bool fault_is_hidden(enum fault_kind kind)
{
    return kind == FAULT_HANG || kind == FAULT_CORRUPTION;
}

/* Kinds that take slices down, and nobody planned. */
static inline bool fault_is_failure(enum fault_kind kind)
{
    return kind == FAULT_STOP || kind == FAULT_PREEMPTION || fault_is_hidden(kind);
}

/* Domains nest from chip to cluster: a unit is a run of slices, or of a slice's chips. */
enum fault_domain {
    FAULT_OF_CHIP,
    FAULT_OF_HOST,
    FAULT_OF_SLICE,
    FAULT_OF_RACK,    /* or power domain: cluster.rack_chips */
    FAULT_OF_SITE,    /* all slices at a site; of kinds that strike links, its up- and downlink */
    FAULT_OF_CLUSTER, /* all slices */
    FAULT_OF_LINK,
    FAULT_OF_SYNCER,
    FAULT_DOMAINS
};

extern const char *const fault_kind_names[FAULT_KINDS + 1];     /* "stop", …, then NULL */
extern const char *const fault_domain_names[FAULT_DOMAINS + 1]; /* "chip", …, then NULL */

/* One fault, at the moment it strikes. Times below 0 are not given: the unit's own laws say them. */
struct fault {
    enum fault_kind kind;
    enum fault_domain domain;
    int64_t unit;      /* of the domain, from 0 */
    int32_t cause;     /* whom to charge */
    sim_time duration; /* until the unit is whole again */
    sim_time detection;
    sim_time notice;
    double factor; /* above 1 of FAULT_SLOW, 0 … 1 of FAULT_THROTTLE and FAULT_LOSS (the share lost) */
};

/* What a fault may meet. */
enum fault_outcome {
    FAULT_STRUCK,
    FAULT_IGNORED, /* the unit was down already, or what it strikes does not exist in this run */
};

/* Whom to charge: a failure process, a trace's kind, or one injected fault. Cause 0 is always failures.chip,
 * and FAULT_NO_CAUSE stands for what nothing failed for (chips that come and go, a first start). */
#define FAULT_NO_CAUSE (-1)
#define FAULT_CAUSE_CHIP 0

enum { FAULT_NAME = 64 }; /* bytes of a cause's name, with its end */

struct fault_cause {
    char name[FAULT_NAME]; /* unique in a run: the process's, the chaos entry's with its number */
    enum fault_kind kind;
    enum fault_domain domain;
    bool numbered; /* of injected faults: NAME ends in a blank and the fault's number within its entry */
};

#endif
