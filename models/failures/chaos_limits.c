/*
 * Invariant: UNTIL[slice] is when the last fault that holds a slice down lets it go, 0 where none does; DOWN
 * counts the others, and LEFT the slices of each run that are up. Faults that hold anything are kept in a
 * list until their end.
 */
#include "models/failures/chaos_limits.h"

#include <stdlib.h>

struct hold {
    sim_time end;
    int64_t first, next; /* slices */
};

struct limits {
    const struct chaos_config *config;
    const struct chaos_ground *ground;
    sim_time *until;
    int64_t *left; /* by run */
    int64_t down, runs_up;
    struct hold *holds;
    size_t hold_count;
    sim_time next_end; /* the first of theirs, or before it */
};

/* Learners hold runs of slices that differ by one at most (models/training/layout.h). */
static int64_t first_of_run(const struct limits *limits, int64_t run)
{
    return (int64_t)((__int128)limits->ground->slices * run / limits->config->learners);
}

static int64_t run_of(const struct limits *limits, int64_t slice)
{
    int64_t run = (int64_t)((__int128)slice * limits->config->learners / limits->ground->slices);
    while (first_of_run(limits, run + 1) <= slice)
        run++;
    while (first_of_run(limits, run) > slice)
        run--;
    return run;
}

static void let_go(struct limits *limits, const struct hold *hold)
{
    for (int64_t slice = hold->first; slice < hold->next; slice++) {
        if (limits->until[slice] == 0 || limits->until[slice] > hold->end)
            continue;
        limits->until[slice] = 0;
        limits->down--;
        limits->runs_up += limits->left[run_of(limits, slice)]++ == 0;
    }
}

/* What has ended by T. */
static void let_go_until(struct limits *limits, sim_time t)
{
    size_t kept = 0;
    if (t < limits->next_end)
        return;
    limits->next_end = SIM_NEVER;
    for (size_t i = 0; i < limits->hold_count; i++) {
        const struct hold hold = limits->holds[i];
        if (hold.end <= t) {
            let_go(limits, &hold);
            continue;
        }
        limits->holds[kept++] = hold;
        limits->next_end = hold.end < limits->next_end ? hold.end : limits->next_end;
    }
    limits->hold_count = kept;
}

static void take(struct limits *limits, const struct hold *hold)
{
    for (int64_t slice = hold->first; slice < hold->next; slice++) {
        if (limits->until[slice] == 0) {
            limits->down++;
            limits->runs_up -= --limits->left[run_of(limits, slice)] == 0;
        }
        if (hold->end > limits->until[slice])
            limits->until[slice] = hold->end;
    }
    limits->holds[limits->hold_count++] = *hold;
    if (hold->end < limits->next_end)
        limits->next_end = hold->end;
}

static bool are_kept(const struct limits *limits, const struct hold *hold)
{
    int64_t more = 0, runs_up = limits->runs_up, run = -1, left = 0;
    for (int64_t slice = hold->first; slice < hold->next; slice++) {
        if (limits->until[slice] != 0)
            continue;
        more++;
        if (run_of(limits, slice) != run) {
            run = run_of(limits, slice);
            left = limits->left[run];
        }
        runs_up -= --left == 0;
    }
    double up = (double)(limits->ground->slices - limits->down - more);
    return up >= limits->config->slices_up * (double)limits->ground->slices - 1e-9 &&
           runs_up >= limits->config->learners_up;
}

static bool takes_down(const struct fault *fault)
{
    bool goes =
        fault->kind == FAULT_STOP || fault->kind == FAULT_PREEMPTION || fault->kind == FAULT_MAINTENANCE;
    return goes && fault->domain < FAULT_OF_LINK && fault->duration > 0;
}

/* A unit that goes after a notice is counted from that on. */
static void hold_against(struct limits *limits, struct chaos_fault *fault)
{
    struct hold hold = {.end = sim_time_add(fault->at, fault->fault.duration)};
    if (fault->fault.notice > 0)
        hold.end = sim_time_add(hold.end, fault->fault.notice);
    let_go_until(limits, fault->at);
    limits->ground->slices_of(limits->ground->context, fault->fault.domain, fault->fault.unit, &hold.first,
                              &hold.next);
    fault->spared = !are_kept(limits, &hold);
    if (!fault->spared)
        take(limits, &hold);
}

bool chaos_spare(struct chaos_schedule *schedule, const struct chaos_config *config,
                 const struct chaos_ground *ground, struct error *error)
{
    struct limits limits = {.config = config, .ground = ground, .runs_up = config->learners};
    if (schedule->count == 0 || (config->slices_up == 0 && config->learners_up == 0))
        return true;
    limits.until = calloc((size_t)ground->slices, sizeof *limits.until);
    limits.left = calloc((size_t)config->learners, sizeof *limits.left);
    limits.holds = calloc(schedule->count, sizeof *limits.holds);
    bool good = limits.until && limits.left && limits.holds;
    for (int64_t run = 0; good && run < config->learners; run++)
        limits.left[run] = first_of_run(&limits, run + 1) - first_of_run(&limits, run);
    for (size_t i = 0; good && i < schedule->count; i++)
        if (takes_down(&schedule->faults[i].fault))
            hold_against(&limits, &schedule->faults[i]);
    free(limits.until);
    free(limits.left);
    free(limits.holds);
    if (!good)
        error_out_of_memory(error, "the limits of chaos");
    return good;
}
