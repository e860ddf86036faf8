/*
 * Slow chips, hosts and learners, as factors on the step time (1 is nominal). What they come to for one
 * learner is in pace.h.
 */
#ifndef MODELS_HARDWARE_STRAGGLERS_H
#define MODELS_HARDWARE_STRAGGLERS_H

#include "models/parameter.h"
#include "sim/clock.h"
#include "sim/stream.h"

/* How an empirical law of steps is used: drawn from, or played value by value by each learner, from the first
 * again behind the last; begun at the first by all, or by each where it happens to. */
enum straggler_order { STRAGGLERS_DRAWN, STRAGGLERS_PLAYED, STRAGGLERS_PLAYED_APART };

struct straggler_config {
    struct sim_law_spec learner; /* drawn once per learner and kept */
    struct sim_law_spec step;    /* of each step of each learner */
    int64_t step_order;          /* enum straggler_order */
    struct sim_law_spec chip;    /* of each chip in each step; a step waits for the slowest */
    struct sim_law_spec lasting; /* of each chip, kept until the chip is replaced */
    double lemon_share;          /* of hosts */
    double lemon_factor;
    sim_time
        fail_slow_between; /* mean time between a host's episodes; PARAMETER_UNSET or 0: there are none */
    double fail_slow_factor;
    struct sim_law_spec fail_slow_duration; /* seconds */
    double drift_amplitude;                 /* of a day's slowest moment, above 1 */
    sim_time drift_period;
};

extern const struct parameter_table straggler_parameters; /* section "stragglers" */

/* Of a law of steps that is played: what its values are multiplied by, LAW being it; and the place of the
 * value that a learner begins with, a draw from DRAWS if they begin apart. */
double straggler_scale(const struct straggler_config *config, const struct sim_distribution *law);
size_t straggler_first(const struct straggler_config *config, struct sim_stream *draws);

/* The factor of a day's drift at TIME: 1 at its beginning, 1 + amplitude half a period later. */
double straggler_drift(const struct straggler_config *config, sim_time time);

#endif
