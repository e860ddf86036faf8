/*
 * What fails, for how long, and what a failure costs whoever is hit.
 */
#ifndef MODELS_FAILURES_FAILURES_H
#define MODELS_FAILURES_FAILURES_H

#include "models/failures/repair_config.h"
#include "models/parameter.h"
#include "sim/clock.h"

/* What a failure during a restart or reconfiguration does to it. */
enum during_restart {
    DURING_RESTART_ABSORB,  /* nothing: what happened meanwhile is taken in at its end */
    DURING_RESTART_EXTEND,  /* another one follows it */
    DURING_RESTART_RESTART, /* it begins again at the failure */
};

/* When a learner notices a failure. */
enum failure_noticed {
    NOTICED_AT_STEP_END, /* of the step, the checkpoint or the load that is under way */
    NOTICED_AT_ONCE,     /* which breaks that off */
};

/* The step in which a chip failed. */
enum failed_step {
    FAILED_STEP_COUNTS,
    FAILED_STEP_LOST, /* it is done again */
};

/* What a cold start takes; initialisation.h has what comes of it. */
struct initialisation_config {
    sim_time constant;
    struct sim_values chips, times; /* seconds; measured at these numbers of chips */
};

struct failure_config {
    bool enabled;
    struct sim_law_spec chip;      /* time to failure of one chip, seconds */
    sim_time initial_age;          /* of every chip when the run starts */
    struct sim_law_spec repair;    /* from failure to return of the slice, seconds */
    struct repair_config pipeline; /* what else there is to a repair */
    sim_time downscale_time;       /* an elastic learner going on without a slice */
    sim_time upscale_time;         /* taking one in */
    sim_time restart_time;         /* of a learner that isn't elastic, or has lost all its slices */
    struct initialisation_config initialisation; /* after every restart */
    int64_t during_restart;
    int64_t failed_step;
    int64_t noticed;    /* enum failure_noticed */
    bool only_in_steps; /* chips at rest don't fail */
    struct detection_config {
        struct sim_law_spec stop, hang,
            corruption; /* seconds; a law that is PARAMETER_UNSET: none, at once */
    } detection;
    struct parameter_items processes; /* struct failure_process (process.h) */
};

extern const struct parameter_table failure_parameters; /* section "failures" */

#endif
