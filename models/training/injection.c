#include "models/training/injection.h"

#include "models/failures/chaos.h"
#include "models/priority.h"
#include "models/training/chaos_ground.h"
#include "models/training/world.h"
#include <stdlib.h>

struct injection {
    struct world *world;
    struct chaos_schedule *schedule;
    int32_t first_cause; /* of the schedule's, among the outages' */
    uint32_t actor;
};

/* Schedules the first fault from NEXT on that is not spared. */
static void schedule_from(struct injection *injection, size_t next)
{
    const struct chaos_schedule *schedule = injection->schedule;
    while (next < schedule->count && schedule->faults[next].spared)
        next++;
    if (next < schedule->count)
        sim_engine_schedule(injection->world->engine, schedule->faults[next].at, PRIORITY_OUTAGE,
                            injection->actor, (uint32_t)next);
}

static void on_fault(struct sim_engine *engine, void *actor, uint32_t number)
{
    (void)engine;
    struct injection *injection = actor;
    struct chaos_fault *injected = &injection->schedule->faults[number];
    struct fault fault = injected->fault;
    fault.cause += injection->first_cause;
    injected->outcome = outages_strike(injection->world->outages, &fault);
    schedule_from(injection, number + 1);
}

static bool add_causes(struct injection *injection, struct error *error)
{
    const struct chaos_schedule *schedule = injection->schedule;
    for (size_t i = 0; i < schedule->cause_count; i++) {
        int32_t cause = outages_add_cause(injection->world->outages, &schedule->causes[i], error);
        if (cause == FAULT_NO_CAUSE)
            return false;
        injection->first_cause = cause - (int32_t)i;
    }
    return true;
}

static bool draw(struct injection *injection, struct error *error)
{
    const struct world *world = injection->world;
    const struct simulation_config *config = world->config;
    struct chaos_ground_owner ground;
    if (chaos_ground_create(&ground, config, error))
        injection->schedule = chaos_draw(&config->chaos, &ground.ground, &config->failures.repair,
                                         world->seed, world->replication, config->duration, error);
    chaos_ground_destroy(&ground);
    return injection->schedule && add_causes(injection, error);
}

bool injection_create(struct world *world, struct injection **created, struct error *error)
{
    *created = NULL;
    if (chaos_is_empty(&world->config->chaos))
        return true;
    struct injection *injection = calloc(1, sizeof *injection);
    if (!injection) {
        error_out_of_memory(error, "the chaos");
        return false;
    }
    injection->world = world;
    *created = injection;
    injection->actor = sim_engine_add_actor(world->engine, on_fault, injection);
    if (injection->actor == UINT32_MAX) {
        error_out_of_memory(error, "the chaos");
        return false;
    }
    if (!draw(injection, error))
        return false;
    schedule_from(injection, 0);
    return true;
}

void injection_destroy(struct injection *injection)
{
    if (!injection)
        return;
    chaos_destroy(injection->schedule);
    free(injection);
}

struct chaos_schedule *injection_take(struct injection *injection)
{
    struct chaos_schedule *schedule = injection ? injection->schedule : NULL;
    if (schedule)
        injection->schedule = NULL;
    return schedule;
}
