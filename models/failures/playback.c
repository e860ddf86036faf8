/*
 * A copy of the trace is a cursor and the simulated time at which its present lap began; it has one event
 * pending, its next outage. So the queue holds copies, not outages.
 */
#include "models/failures/playback.h"

#include "models/failures/fault.h"
#include "models/priority.h"
#include <stdlib.h>

static const char *const domains[] = {"chip", "host", "slice", "rack", "site", NULL};
static const char *const mappings[] = {"per-unit", "whole", NULL};
static const char *const faults[] = {"stop", "hang", "preemption", "maintenance", NULL};
static const enum fault_kind fault_kinds[] = {FAULT_STOP, FAULT_HANG, FAULT_PREEMPTION, FAULT_MAINTENANCE};

static const struct parameter rows[] = {
    {.path = "trace",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "File of a trace, as `trainstorm import` makes them, whose outages are played back "
                 "(doc/traces.md); a relative name starts at the scenario's folder.",
     .offset = offsetof(struct playback_config, file)},
    {.path = "trace_digest",
     .type = PARAMETER_TEXT,
     .fallback = "",
     .sentence = "SHA-256 of the trace's file, which is refused if it is another; printed for results to "
                 "stand for what they were made of.",
     .offset = offsetof(struct playback_config, digest)},
    {.path = "trace_alone",
     .type = PARAMETER_BOOLEAN,
     .fallback = "true",
     .sentence = "Whether nothing fails beside what the trace says; else failures.chip and "
                 "failures.processes go on as well.",
     .source = "ours",
     .offset = offsetof(struct playback_config, alone)},
    {.path = "trace_unit",
     .type = PARAMETER_CHOICE,
     .choices = domains,
     .fallback = "slice",
     .sentence = "What of the cluster a unit of the trace stands for.",
     .source = "ours",
     .offset = offsetof(struct playback_config, unit)},
    {.path = "trace_fault",
     .type = PARAMETER_CHOICE,
     .choices = faults,
     .fallback = "stop",
     .sentence = "Of what kind the trace's outages are.",
     .source = "ours",
     .offset = offsetof(struct playback_config, fault)},
    {.path = "trace_mapping",
     .type = PARAMETER_CHOICE,
     .choices = mappings,
     .fallback = "per-unit",
     .sentence = "What a cluster of another size than the trace's does: units fail as often as the trace's "
                 "(more of them play copies of it, shifted in time; fewer play its first units), or all of "
                 "them together do (more: the rest does not fail; fewer: one stands for several).",
     .source = "ours",
     .offset = offsetof(struct playback_config, mapping)},
    {.path = "trace_offset",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Where in the trace the run begins, from the trace's own beginning.",
     .source = "ours",
     .offset = offsetof(struct playback_config, offset)},
    {.path = "trace_repeat",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence = "Whether the trace begins again when it is over; else nothing fails from then on.",
     .source = "ours",
     .offset = offsetof(struct playback_config, repeat)},
};

const struct parameter_table playback_parameters = {"failures", rows, PARAMETER_COUNT(rows)};

int playback_fault(const struct playback_config *config)
{
    return fault_kinds[config->fault];
}

struct copy {
    sim_time lap; /* the simulated time of the trace's 0, below 0 of a lap that was begun in its middle */
    size_t next;  /* outage */
};

struct playback {
    struct sim_engine *engine;
    const struct playback_config *config;
    int64_t units;
    sim_time end; /* nothing is played from then on */
    playback_handler *handler;
    void *context;
    uint32_t actor;
    sim_time *reach; /* by outage: the end of the longest-lasting one up to there */
    size_t copy_count;
    struct copy copies[];
};

static const struct playback_trace *trace_of(const struct playback *playback)
{
    return &playback->config->trace;
}

/* The unit that OUTAGE of COPY strikes, or -1. */
static int64_t unit_of(const struct playback *playback, size_t copy, const struct playback_outage *outage)
{
    if (playback->config->mapping == PLAYBACK_WHOLE)
        return outage->unit % playback->units;
    int64_t unit = (int64_t)copy * trace_of(playback)->units + outage->unit;
    return unit < playback->units ? unit : -1;
}

/* AGE is how long it has lasted when it strikes. */
static void strike(const struct playback *playback, size_t copy, const struct playback_outage *outage,
                   sim_time age)
{
    sim_time length = trace_of(playback)->length, until = outage->until;
    int64_t unit = unit_of(playback, copy, outage);
    bool wraps = playback->config->repeat || copy > 0;
    if (wraps && until > length)
        until = length;
    sim_time duration = until == SIM_NEVER ? SIM_NEVER : until - outage->from - age;
    if (unit >= 0 && duration > 0)
        playback->handler(playback->context, unit, outage->kind, duration);
}

static void schedule(struct playback *playback, size_t number)
{
    struct copy *copy = &playback->copies[number];
    const struct playback_trace *trace = trace_of(playback);
    if (copy->next == trace->count) {
        copy->next = 0;
        copy->lap = sim_time_add(copy->lap, trace->length);
    }
    sim_time time = sim_time_add(copy->lap, trace->outages[copy->next].from);
    if (time < playback->end)
        sim_engine_schedule(playback->engine, time, PRIORITY_OUTAGE, playback->actor, (uint32_t)number);
}

static void on_outage(struct sim_engine *engine, void *actor, uint32_t number)
{
    (void)engine;
    struct playback *playback = actor;
    struct copy *copy = &playback->copies[number];
    const struct playback_outage *outage = &trace_of(playback)->outages[copy->next++];
    strike(playback, number, outage, 0);
    schedule(playback, number);
}

/* The first outage from OFFSET on. */
static size_t find_first(const struct playback_trace *trace, sim_time offset)
{
    size_t low = 0, high = trace->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->outages[middle].from < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What has begun before copy NUMBER's offset and lasts. */
static void strike_lasting(const struct playback *playback, size_t number)
{
    const struct copy *copy = &playback->copies[number];
    size_t first = copy->next;
    while (first > 0 && playback->reach[first - 1] > -copy->lap)
        first--;
    for (size_t i = first; i < copy->next; i++) {
        const struct playback_outage *outage = &trace_of(playback)->outages[i];
        if (outage->until > -copy->lap)
            strike(playback, number, outage, -copy->lap - outage->from);
    }
}

static void on_start(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct playback *playback = actor;
    for (size_t i = 0; i < playback->copy_count; i++) {
        strike_lasting(playback, i);
        schedule(playback, i);
    }
}

static bool find_reach(struct playback *playback)
{
    const struct playback_trace *trace = trace_of(playback);
    playback->reach = malloc(trace->count * sizeof *playback->reach);
    for (size_t i = 0; playback->reach && i < trace->count; i++) {
        sim_time before = i > 0 ? playback->reach[i - 1] : 0, until = trace->outages[i].until;
        playback->reach[i] = until > before ? until : before;
    }
    return playback->reach != NULL;
}

static size_t count_copies(const struct playback_config *config, int64_t units)
{
    if (config->mapping == PLAYBACK_WHOLE)
        return 1;
    return (size_t)((units - 1) / config->trace.units + 1);
}

static void start_copies(struct playback *playback)
{
    const struct playback_config *config = playback->config;
    sim_time length = config->trace.length;
    for (size_t i = 0; i < playback->copy_count; i++) {
        sim_time shift = (sim_time)((__int128)length * (int64_t)i / (int64_t)playback->copy_count);
        sim_time offset = (config->offset + shift) % length;
        playback->copies[i] = (struct copy){.lap = -offset, .next = find_first(&config->trace, offset)};
    }
}

static bool start(struct playback *playback)
{
    uint32_t begin = sim_engine_add_actor(playback->engine, on_start, playback);
    playback->actor = sim_engine_add_actor(playback->engine, on_outage, playback);
    if (begin == UINT32_MAX || playback->actor == UINT32_MAX)
        return false;
    start_copies(playback);
    sim_engine_schedule(playback->engine, 0, PRIORITY_OUTAGE, begin, 0);
    return true;
}

struct playback *playback_create(struct sim_engine *engine, const struct playback_config *config,
                                 int64_t units, sim_time horizon, playback_handler *handler, void *context,
                                 struct error *error)
{
    size_t copies = count_copies(config, units);
    struct playback *playback = calloc(1, sizeof *playback + copies * sizeof *playback->copies);
    if (playback)
        *playback = (struct playback){.engine = engine,
                                      .config = config,
                                      .units = units,
                                      .end = config->repeat ? sim_time_add(horizon, 1)
                                                            : config->trace.length - config->offset,
                                      .handler = handler,
                                      .context = context,
                                      .copy_count = copies};
    if (!playback || !find_reach(playback) || !start(playback)) {
        playback_destroy(playback);
        error_out_of_memory(error, "the failure trace");
        return NULL;
    }
    return playback;
}

void playback_destroy(struct playback *playback)
{
    if (playback)
        free(playback->reach);
    free(playback);
}
