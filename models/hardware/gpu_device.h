/*
 * A GPU at work: kernels launched on streams, on an engine of its own.
 *
 * A kernel's turn comes when the one before it on its stream has ended, and when the one whose event it waits
 * for has, which takes GPU_EVENT_TIME to be seen. Launching then takes GPU_LAUNCH_TIME, one kernel after
 * another in the order in which their turns come and they were enqueued. Its blocks then stand in a queue: by
 * priority, then by arrival. Only the kernel at the head hands out blocks, and nobody overtakes it: those
 * behind get what it leaves, and while it waits for room, nothing of lower priority is begun (rules observed
 * on NVIDIA GPUs by Amert et al., RTSS 2017, and Gilman and Walls, arXiv 2110.00459; we take them for AMD's,
 * too). No block is interrupted. A block goes to the SM that holds fewest.
 *
 * Blocks on an SM share its arithmetic evenly; all blocks of a GPU share its link and its memory bandwidth in
 * proportion to what they ask for. Rates are constant between events, and ends are rounded up to the
 * nanosecond.
 *
 * The time is at least that of any stream alone, if the blocks of each of its kernels are alike but for idle
 * ones, and at most that of all streams one after another, GPU_LAUNCH_TIME a launch and GPU_EVENT_TIME an
 * event; and where priorities differ, for each launch of higher priority a block's time, while which it keeps
 * others from beginning.
 */
#ifndef MODELS_HARDWARE_GPU_DEVICE_H
#define MODELS_HARDWARE_GPU_DEVICE_H

#include "models/hardware/gpu_kernel.h"
#include "sim/clock.h"
#include "sim/error.h"

/* Ours: what a launch and an event take on present GPUs, to a factor of two. */
#define GPU_LAUNCH_TIME (5 * SIM_MICROSECOND)
#define GPU_EVENT_TIME (2 * SIM_MICROSECOND)

enum { GPU_NO_EVENT = -1 };

struct gpu_launch {
    const struct gpu_kernel *kernel;
    int stream;   /* launches of one stream follow each other in their order */
    int priority; /* higher goes first */
    int after;    /* index of an earlier launch whose end it waits for, or GPU_NO_EVENT */
};

/* When a launch's first block began and its last one ended. */
struct gpu_span {
    sim_time begin, end;
};

/* What there was on the GPU from a time on. */
struct gpu_state {
    sim_time since;
    int64_t sms[GPU_KERNEL_KINDS], blocks[GPU_KERNEL_KINDS]; /* SMs with any block of a kind; blocks */
};

struct gpu_history {
    struct gpu_state *states;
    size_t count, room;
};

struct gpu_work {
    const struct gpu *gpu;
    const struct gpu_launch *launches;
    size_t count;
    bool one_by_one;             /* every block an event, to hold the series against; slow */
    struct gpu_span *spans;      /* of each launch; NULL: nobody wants to know */
    struct gpu_history *history; /* likewise; the caller frees its states */
};

struct gpu_outcome {
    sim_time end; /* of the launch that ended last */
    uint64_t events;
};

/* Runs WORK. False (ERROR_SYSTEM) when out of memory, or where it does not end within 2⁶³ nanoseconds. */
bool gpu_run(const struct gpu_work *work, struct gpu_outcome *outcome, struct error *error);

#endif
