/*
 * A training job's own log, and the figures that a simulation of the job should come to.
 *
 * A CSV file (scenarios/csv.h) with the columns `time`, `event` and `duration`, rows in the order of their
 * times, others are passed over. Times are those at which an event was over, dates (imports/date.h) or
 * seconds; durations are seconds, and may be empty where the list names none:
 *
 *   step                       a step was done, in DURATION
 *   failure, or interruption   the job stopped for a failure
 *   restart                    it goes on, having stood still for DURATION
 *   checkpoint                 one was written, and the job stood still for DURATION
 *   start, end                 nothing but a time
 *
 * A fourth column, `step`, numbers the steps: one whose number comes again later has been thrown away. Events
 * of other names are passed over, and named.
 */
#ifndef IMPORTS_JOB_LOG_H
#define IMPORTS_JOB_LOG_H

#include "scenarios/figures.h"

/* No figure of a log is taken as surer than this share of it: clocks and jobs are not. */
#define JOB_LOG_SUREST 1e-3

struct job_log_summary {
    size_t steps, redone;           /* of the steps, those thrown away */
    size_t interruptions, restarts; /* a log without failures has one for each restart */
    size_t checkpoints;
    double elapsed;          /* seconds, from the beginning of the first event to the end of the last */
    bool numbered;           /* steps have numbers */
    size_t unknown;          /* events of other names */
    char unknown_names[200]; /* some of them, ", " between them */
};

/* Reads PATH, of whose time steps, restarts and checkpoints take no more than there is, as figures of
 * STRATEGY, which has to be a job of one learner; each with its standard error:
 *
 *   step_time, step_time_deviation   of the steps, those thrown away included; the latter's error from the
 *                                    fourth moment
 *   interruptions_per_day            n over the elapsed time, ± √n over it (Poisson)
 *   interruption_time                the mean of the restarts' durations; of one alone ± all of it
 *   share:checkpoint_save            of the elapsed time
 *   job_goodput                      share of the elapsed time in steps that count, where they have numbers;
 * else uptime                           in steps
 *
 * The errors of shares are those of means over ten equal parts of the log. NULL with ERROR_INPUT at its
 * place, or when out of memory. The caller destroys what is returned. */
struct scenario_figures *job_log_read(const char *path, const char *strategy, struct job_log_summary *summary,
                                      struct error *error);

#endif
