#include "tests/models/script.h"

#include "models/failures/outages.h"
#include "models/priority.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const struct script_line *script;
static size_t script_count;

struct outages {
    struct outages_observer observer;
    uint64_t *marks; /* one per line; lines of one slice share the first one's */
    uint64_t count;
    struct causes causes; /* one: the script */
};

struct outages *__wrap_outages_create(struct sim_engine *engine, const struct failure_config *config,
                                      const struct units *units, uint64_t seed, uint32_t replication,
                                      sim_time horizon, struct outages_observer observer,
                                      struct error *error);
void __wrap_outages_destroy(struct outages *outages);
uint64_t __wrap_outages_count(const struct outages *outages);
const struct causes *__wrap_outages_causes(const struct outages *outages);
void __wrap_outages_begin_counting(struct outages *outages);
double __wrap_outages_mean_repair(const struct outages *outages);
struct repair_counts __wrap_outages_repairs(const struct outages *outages);
bool __wrap_outages_failed(const struct outages *outages);
void __wrap_outages_put_behind(struct outages *outages, int64_t number);
void __wrap_outages_house_syncer(struct outages *outages, int64_t site);

static uint64_t *mark_of(struct outages *outages, int64_t slice)
{
    size_t i = 0;
    while (script[i].slice != slice)
        i++;
    return &outages->marks[i];
}

static void on_down(struct sim_engine *engine, void *actor, uint32_t line)
{
    (void)engine;
    struct outages *outages = actor;
    int64_t slice = script[line].slice;
    const struct fault fault = {.kind = FAULT_STOP, .domain = FAULT_OF_SLICE, .unit = slice};
    outages->count++;
    outages->observer.slice_down(outages->observer.context, slice, &fault, mark_of(outages, slice));
}

static void on_up(struct sim_engine *engine, void *actor, uint32_t line)
{
    (void)engine;
    struct outages *outages = actor;
    int64_t slice = script[line].slice;
    outages->observer.slice_up(outages->observer.context, slice, 0, mark_of(outages, slice));
}

struct outages *__wrap_outages_create(struct sim_engine *engine, const struct failure_config *config,
                                      const struct units *units, uint64_t seed, uint32_t replication,
                                      sim_time horizon, struct outages_observer observer, struct error *error)
{
    (void)config, (void)units, (void)seed, (void)replication;
    struct outages *outages = calloc(1, sizeof *outages);
    outages->observer = observer;
    causes_add(&outages->causes, &(struct fault_cause){"script", FAULT_STOP, FAULT_OF_SLICE, false}, error);
    outages->marks = calloc(script_count + 1, sizeof *outages->marks);
    uint32_t down = sim_engine_add_actor(engine, on_down, outages);
    uint32_t up = sim_engine_add_actor(engine, on_up, outages);
    for (uint32_t i = 0; i < script_count; i++) {
        sim_time failure = sim_time_from_seconds(script[i].down), back = sim_time_from_seconds(script[i].up);
        assert(failure <= back);
        sim_engine_schedule(engine, failure, PRIORITY_OUTAGE, down, i);
        if (back <= horizon)
            sim_engine_schedule(engine, back, PRIORITY_OUTAGE, up, i);
    }
    return outages;
}

void __wrap_outages_destroy(struct outages *outages)
{
    causes_free(&outages->causes);
    free(outages->marks);
    free(outages);
}

uint64_t __wrap_outages_count(const struct outages *outages)
{
    return outages->count;
}

const struct causes *__wrap_outages_causes(const struct outages *outages)
{
    return &outages->causes;
}

void __wrap_outages_begin_counting(struct outages *outages)
{
    outages->count = 0;
}

struct repair_counts __wrap_outages_repairs(const struct outages *outages)
{
    (void)outages;
    return (struct repair_counts){0};
}

double __wrap_outages_mean_repair(const struct outages *outages)
{
    (void)outages;
    return NAN;
}

bool __wrap_outages_failed(const struct outages *outages)
{
    (void)outages;
    return false;
}

void __wrap_outages_house_syncer(struct outages *outages, int64_t site)
{
    (void)outages, (void)site;
}

void __wrap_outages_put_behind(struct outages *outages, int64_t number)
{
    (void)outages, (void)number;
}

struct run_result script_run(const struct fixture *fixture, const struct script_line *lines, size_t count)
{
    script = lines;
    script_count = count;
    return fixture_run(fixture, 1, 0);
}
