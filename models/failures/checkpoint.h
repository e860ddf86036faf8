/*
 * Checkpoints: how often, of what size, where to, and what saving and loading them costs.
 *
 * A checkpoint goes to storage: training stands still for the whole write, or for its beginning only and goes
 * on while the rest is written in the background. It may go to the memory of the hosts as well, or of the
 * hosts and their peers in other slices; then only some go on to storage.
 */
#ifndef MODELS_FAILURES_CHECKPOINT_H
#define MODELS_FAILURES_CHECKPOINT_H

#include "models/parameter.h"
#include "sim/clock.h"

/* What says how often. */
enum checkpoint_rule { CHECKPOINTS_GIVEN, CHECKPOINTS_YOUNG, CHECKPOINTS_DALY, CHECKPOINTS_EXACT };

/* What the interval is an interval of. */
enum checkpoint_measure {
    INTERVAL_OF_STEPS, /* time in steps that count */
    INTERVAL_OF_TIME,  /* time by the clock since the last one was complete, or since the job went on */
};

enum checkpoint_mode { CHECKPOINTS_BLOCKING, CHECKPOINTS_ASYNCHRONOUS };

/* Whose bandwidth is given. */
enum checkpoint_bandwidth { BANDWIDTH_OF_JOB, BANDWIDTH_OF_HOST, BANDWIDTH_OF_CHIP };

/* Where copies in memory are. */
enum checkpoint_copies {
    COPIES_NONE,
    COPIES_HOST, /* gone as soon as any slice of the learner fails */
    COPIES_PEER, /* gone when a slice and its peer have failed */
};

/* Checkpoints in the memory of hosts. */
struct memory_checkpoints {
    int64_t copies;      /* enum checkpoint_copies */
    sim_time write_time; /* training stands still for it */
    sim_time load_time;
    int64_t storage_every; /* how many-th goes to storage, too; 0: none */
};

struct checkpoint_config {
    int64_t rule;           /* enum checkpoint_rule */
    sim_time interval;      /* where it is given; 0: after every step */
    int64_t measure;        /* enum checkpoint_measure */
    int64_t mode;           /* enum checkpoint_mode */
    sim_time write_time;    /* beside what the bandwidth makes */
    sim_time blocking_time; /* asynchronous: training stands still for it, then the write begins */
    sim_time load_time;     /* beside what the bandwidth makes; added to a restart that goes back */
    double bytes_per_parameter;
    double write_bandwidth, read_bandwidth; /* bit/s; NAN: no limit */
    int64_t bandwidth_of;                   /* enum checkpoint_bandwidth */
    int64_t kept;                           /* complete ones on storage that are kept */
    struct memory_checkpoints memory;
};

extern const struct parameter_table checkpoint_parameters; /* section "checkpoints" */

/* Who writes and loads them. */
struct checkpoint_job {
    double parameters;
    int64_t chips, hosts;
};

/* How long a write to storage takes, or a load from it. */
sim_time checkpoint_write_time(const struct checkpoint_config *config, const struct checkpoint_job *job);
sim_time checkpoint_load_time(const struct checkpoint_config *config, const struct checkpoint_job *job);

/* How long training stands still for one that goes to storage, without what it takes in memory. */
sim_time checkpoint_blocking_time(const struct checkpoint_config *config, const struct checkpoint_job *job);

/* The interval, with RATE failures of the job a second; SIM_NEVER where nothing fails and it is not given.
 * Rules go by the time that training stands still for a checkpoint in the mean. */
sim_time checkpoint_interval(const struct checkpoint_config *config, const struct checkpoint_job *job,
                             double rate);

/* The slice of a job of SLICES (two at least) that has the copies of SLICE: they go in pairs, the last three
 * of an odd number in a ring. */
int64_t checkpoint_peer(int64_t slice, int64_t slices);

#endif
