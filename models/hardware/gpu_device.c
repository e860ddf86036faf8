/*
 * One event is pending for the next end of any cohort, and one for each launch whose turn has come. After
 * every event the queue is served, and rates are worked out anew.
 *
 * A series is half of what each slot would still get, so that kernels of any number of blocks take a number
 * of events that grows with its logarithm, and the last blocks are dealt out one by one. When a kernel of
 * higher priority finds no room, series of others are cut behind the block under way: nothing depends on them
 * then.
 */
#include "models/hardware/gpu_device.h"

#include "models/hardware/gpu_sms.h"
#include "sim/engine.h"
#include <math.h>
#include <stdlib.h>

#define NANOSECOND 1e-9
#define WHOLE 1e-9 /* of a block, below which its rest is none */

enum { NO_TURN = 0, NONE = -1 };

struct progress {
    int before;    /* the launch before it on its stream, or NONE */
    bool due;      /* its turn is scheduled or has come */
    uint64_t turn; /* when it came, counted; NO_TURN: not yet */
    bool begun, done;
    int64_t waiting[GPU_GROUPS]; /* blocks not placed */
    int64_t unfinished;
    sim_time begin, end;
};

struct device {
    const struct gpu_work *work;
    struct gpu_sms sms;
    struct sim_engine *engine;
    uint32_t ends, turns; /* actors */
    struct sim_handle next_end;
    sim_time advanced; /* cohorts' remaining work is that of this time */
    sim_time launched; /* when the launch that came last is through */
    uint64_t last_turn;
    size_t done;
    size_t oldest, newest;     /* all before OLDEST have ended; none from NEWEST on has had its turn */
    struct progress *progress; /* of each launch */
    bool failed;               /* out of memory */
};

static const struct gpu_kernel *kernel_of(const struct device *device, size_t launch)
{
    return device->work->launches[launch].kernel;
}

/* History. */

static void add_state(struct gpu_history *history, const struct gpu_state *state, bool *failed)
{
    if (history->count > 0 && history->states[history->count - 1].since == state->since)
        history->count--;
    if (history->count == history->room) {
        size_t room = history->room ? 2 * history->room : 64;
        struct gpu_state *more = realloc(history->states, room * sizeof *more);
        if (!more) {
            *failed = true;
            return;
        }
        history->states = more;
        history->room = room;
    }
    history->states[history->count++] = *state;
}

static void record(struct device *device)
{
    struct gpu_state state = {.since = sim_engine_now(device->engine)};
    for (size_t i = 0; i < device->sms.count; i++) {
        const struct gpu_class *class = &device->sms.classes[i];
        bool holds[GPU_KERNEL_KINDS] = {false};
        for (size_t j = 0; j < class->count; j++) {
            enum gpu_kernel_kind kind = kernel_of(device, class->cohorts[j].launch)->kind;
            state.blocks[kind] += class->cohorts[j].blocks * class->sms;
            state.sms[kind] += holds[kind] ? 0 : class->sms;
            holds[kind] = true;
        }
    }
    add_state(device->work->history, &state, &device->failed);
}

/* Whose turn it is. */

/* True if LAUNCH, or NONE, has ended; *SINCE is then no less than its end. */
static bool has_passed(const struct device *device, int launch, sim_time *since)
{
    if (launch == NONE)
        return true;
    const struct progress *progress = &device->progress[launch];
    *since = progress->end > *since ? progress->end : *since;
    return progress->done;
}

/* Gives the time SINCE which nothing is in the way of a launch. */
static bool is_ready(const struct device *device, size_t launch, sim_time *since)
{
    const int after = device->work->launches[launch].after;
    *since = 0;
    if (!has_passed(device, device->progress[launch].before, since) || !has_passed(device, after, since))
        return false;
    *since += after == GPU_NO_EVENT ? 0 : GPU_EVENT_TIME;
    return true;
}

static void schedule_turns(struct device *device)
{
    sim_time since;
    for (size_t i = device->oldest; i < device->work->count; i++)
        if (!device->progress[i].due && is_ready(device, i, &since)) {
            sim_time start = since > device->launched ? since : device->launched;
            device->progress[i].due = true;
            device->launched = start + GPU_LAUNCH_TIME;
            sim_engine_schedule(device->engine, device->launched, 0, device->turns, (uint32_t)i);
        }
}

static void finish(struct device *device, size_t launch)
{
    struct progress *progress = &device->progress[launch];
    progress->done = true;
    progress->end = sim_engine_now(device->engine);
    if (!progress->begun)
        progress->begin = progress->end;
    device->done++;
    while (device->oldest < device->work->count && device->progress[device->oldest].done)
        device->oldest++;
    schedule_turns(device);
}

/* Placing. */

static size_t first_waiting(const struct device *device, size_t launch)
{
    size_t group = 0;
    while (group < kernel_of(device, launch)->group_count && device->progress[launch].waiting[group] == 0)
        group++;
    return group;
}

static bool waits(const struct device *device, size_t launch)
{
    return device->progress[launch].turn != NO_TURN &&
           first_waiting(device, launch) < kernel_of(device, launch)->group_count;
}

/* The launch at the head of the queue, or the count of launches. */
static size_t head(const struct device *device)
{
    const struct gpu_launch *launches = device->work->launches;
    size_t best = device->work->count;
    for (size_t i = device->oldest; i < device->newest; i++) {
        if (!waits(device, i))
            continue;
        bool first = best == device->work->count || launches[i].priority > launches[best].priority;
        bool equal = best < device->work->count && launches[i].priority == launches[best].priority;
        if (first || (equal && device->progress[i].turn < device->progress[best].turn))
            best = i;
    }
    return best;
}

static int64_t series_of(const struct device *device, size_t launch, int64_t waiting)
{
    int64_t slots = kernel_of(device, launch)->resident * device->work->gpu->sms;
    int64_t series = waiting / (2 * slots);
    return device->work->one_by_one || series < 1 ? 1 : series;
}

/* True if nothing of it waits any more. */
static bool place(struct device *device, size_t launch)
{
    struct progress *progress = &device->progress[launch];
    size_t group;
    while ((group = first_waiting(device, launch)) < kernel_of(device, launch)->group_count) {
        int64_t series = series_of(device, launch, progress->waiting[group]);
        int64_t wanted = progress->waiting[group] / series;
        int64_t placed =
            gpu_sms_place(&device->sms, kernel_of(device, launch), launch, group, series, wanted);
        progress->waiting[group] -= placed * series;
        if (placed > 0 && !progress->begun) {
            progress->begun = true;
            progress->begin = sim_engine_now(device->engine);
        }
        if (placed < wanted)
            return false;
    }
    return true;
}

/* Gives back the blocks of a series that have not begun. */
static void cut(struct device *device, const struct gpu_class *class, struct gpu_cohort *cohort)
{
    double left = ceil(cohort->remaining / cohort->unit - WHOLE);
    int64_t back = (int64_t)fmax(0, left - 1);
    int64_t all = class->sms * cohort->blocks;
    device->progress[cohort->launch].waiting[cohort->group] += back * all;
    device->progress[cohort->launch].unfinished -= (cohort->series - 1 - back) * all;
    cohort->remaining = fmax(0, cohort->remaining - (double)back * cohort->unit);
    cohort->series = 1;
}

static void cut_below(struct device *device, int priority)
{
    for (size_t i = 0; i < device->sms.count; i++)
        for (size_t j = 0; j < device->sms.classes[i].count; j++) {
            struct gpu_cohort *cohort = &device->sms.classes[i].cohorts[j];
            if (cohort->series > 1 && device->work->launches[cohort->launch].priority < priority)
                cut(device, &device->sms.classes[i], cohort);
        }
}

static void serve_queue(struct device *device)
{
    size_t launch;
    while ((launch = head(device)) < device->work->count)
        if (!place(device, launch)) {
            cut_below(device, device->work->launches[launch].priority);
            break;
        }
}

/* Rates. */

struct demand {
    double memory, link; /* bit/s asked for, then the share that is given */
};

static double wanted_rate(const struct gpu_kernel *kernel, int64_t loads)
{
    double share = isinf(kernel->sm_rate) ? INFINITY : kernel->sm_rate / (double)loads;
    return fmin(kernel->block_rate, share);
}

static double all_slots(const struct gpu_class *class, const struct gpu_cohort *cohort)
{
    return (double)(class->sms * cohort->blocks);
}

/* As if there were memory and link enough; adds up what of the link that asks for. */
static void set_wanted(struct device *device, struct gpu_class *class, struct demand *demand)
{
    int64_t loads = 0;
    for (size_t i = 0; i < class->count; i++)
        if (!isinf(kernel_of(device, class->cohorts[i].launch)->sm_rate))
            loads += class->cohorts[i].blocks;
    for (size_t i = 0; i < class->count; i++) {
        struct gpu_cohort *cohort = &class->cohorts[i];
        const struct gpu_kernel *kernel = kernel_of(device, cohort->launch);
        cohort->rate = wanted_rate(kernel, loads);
        demand->link += cohort->rate * kernel->link_bits * all_slots(class, cohort);
    }
}

static void limit_to_link(struct device *device, struct gpu_class *class, struct demand *demand)
{
    for (size_t i = 0; i < class->count; i++) {
        struct gpu_cohort *cohort = &class->cohorts[i];
        const struct gpu_kernel *kernel = kernel_of(device, cohort->launch);
        if (kernel->link_bits > 0)
            cohort->rate *= demand->link;
        demand->memory += cohort->rate * kernel->memory_bits * all_slots(class, cohort);
    }
}

static double share(double capacity, double wanted)
{
    return wanted > capacity ? capacity / wanted : 1;
}

static void set_rates(struct device *device)
{
    const struct gpu *gpu = device->work->gpu;
    struct gpu_sms *sms = &device->sms;
    struct demand demand = {0};
    for (size_t i = 0; i < sms->count; i++)
        set_wanted(device, &sms->classes[i], &demand);
    demand.link = share(gpu->link_rate, demand.link);
    for (size_t i = 0; i < sms->count; i++)
        limit_to_link(device, &sms->classes[i], &demand);
    demand.memory = share(gpu->memory_rate, demand.memory);
    for (size_t i = 0; i < sms->count; i++)
        for (size_t j = 0; j < sms->classes[i].count; j++)
            if (kernel_of(device, sms->classes[i].cohorts[j].launch)->memory_bits > 0)
                sms->classes[i].cohorts[j].rate *= demand.memory;
}

/* Time. */

static void schedule_next_end(struct device *device)
{
    double seconds = INFINITY;
    for (size_t i = 0; i < device->sms.count; i++)
        for (size_t j = 0; j < device->sms.classes[i].count; j++) {
            const struct gpu_cohort *cohort = &device->sms.classes[i].cohorts[j];
            seconds = fmin(seconds, cohort->remaining / cohort->rate);
        }
    sim_time wait = isinf(seconds) ? SIM_NEVER : (sim_time)ceil(fmin(seconds, 1e9) / NANOSECOND);
    device->next_end =
        sim_engine_reschedule(device->engine, device->next_end,
                              sim_time_add(sim_engine_now(device->engine), wait), 0, device->ends, 0);
}

static void advance(struct device *device)
{
    double seconds = sim_time_to_seconds(sim_engine_now(device->engine) - device->advanced);
    device->advanced = sim_engine_now(device->engine);
    for (size_t i = 0; i < device->sms.count; i++)
        for (size_t j = 0; j < device->sms.classes[i].count; j++) {
            struct gpu_cohort *cohort = &device->sms.classes[i].cohorts[j];
            cohort->remaining = fmax(0, cohort->remaining - cohort->rate * seconds);
        }
}

static bool has_ended(const struct gpu_cohort *cohort)
{
    return cohort->remaining <= cohort->unit * WHOLE;
}

static void remove_ended(struct device *device, struct gpu_class *class)
{
    for (size_t i = 0; i < class->count;) {
        const struct gpu_cohort cohort = class->cohorts[i];
        if (!has_ended(&cohort)) {
            i++;
            continue;
        }
        gpu_class_remove(class, device->work->gpu, kernel_of(device, cohort.launch), i);
        device->progress[cohort.launch].unfinished -= class->sms * cohort.blocks * cohort.series;
    }
}

static void remove_all_ended(struct device *device)
{
    for (size_t i = 0; i < device->sms.count; i++)
        remove_ended(device, &device->sms.classes[i]);
    for (size_t i = device->oldest; i < device->newest; i++)
        if (device->progress[i].turn != NO_TURN && !device->progress[i].done &&
            device->progress[i].unfinished == 0)
            finish(device, i);
}

static void settle(struct device *device)
{
    gpu_sms_join(&device->sms);
    serve_queue(device);
    set_rates(device);
    schedule_next_end(device);
    if (device->work->history)
        record(device);
}

static void on_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct device *device = actor;
    advance(device);
    remove_all_ended(device);
    settle(device);
}

static void on_turn(struct sim_engine *engine, void *actor, uint32_t launch)
{
    (void)engine;
    struct device *device = actor;
    advance(device);
    device->progress[launch].turn = ++device->last_turn;
    device->newest = launch + 1 > device->newest ? launch + 1 : device->newest;
    remove_all_ended(device);
    settle(device);
}

/* A run. */

static int find_before(const struct gpu_launch *launches, int launch)
{
    int before = launch - 1;
    while (before >= 0 && launches[before].stream != launches[launch].stream)
        before--;
    return before;
}

static bool create(struct device *device, struct error *error)
{
    const struct gpu_work *work = device->work;
    device->engine = sim_engine_create(error);
    device->progress = calloc(work->count + 1, sizeof *device->progress);
    if (!device->engine || !gpu_sms_create(&device->sms, work->gpu, error))
        return false;
    device->ends = sim_engine_add_actor(device->engine, on_end, device);
    device->turns = sim_engine_add_actor(device->engine, on_turn, device);
    if (!device->progress || device->turns == UINT32_MAX) {
        error_out_of_memory(error, "a GPU");
        return false;
    }
    for (size_t i = 0; i < work->count; i++) {
        device->progress[i].before = find_before(work->launches, (int)i);
        for (size_t j = 0; j < kernel_of(device, i)->group_count; j++) {
            device->progress[i].waiting[j] = kernel_of(device, i)->groups[j].count;
            device->progress[i].unfinished += kernel_of(device, i)->groups[j].count;
        }
    }
    return true;
}

static void report(const struct device *device, struct gpu_outcome *outcome)
{
    *outcome = (struct gpu_outcome){.events = sim_engine_events(device->engine)};
    for (size_t i = 0; i < device->work->count; i++) {
        const struct progress *progress = &device->progress[i];
        outcome->end = progress->end > outcome->end ? progress->end : outcome->end;
        if (device->work->spans)
            device->work->spans[i] = (struct gpu_span){progress->begin, progress->end};
    }
}

bool gpu_run(const struct gpu_work *work, struct gpu_outcome *outcome, struct error *error)
{
    struct device device = {.work = work};
    bool good = create(&device, error);
    if (good) {
        schedule_turns(&device);
        good = sim_engine_run(device.engine, SIM_NEVER, error);
    }
    if (good && device.failed) {
        error_out_of_memory(error, "a GPU's history");
        good = false;
    }
    if (good && device.done < work->count) {
        error_set(error, ERROR_SYSTEM, "a GPU's kernels take longer than the clock can count");
        good = false;
    }
    if (good)
        report(&device, outcome);
    gpu_sms_free(&device.sms);
    free(device.progress);
    sim_engine_destroy(device.engine);
    return good;
}
