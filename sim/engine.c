#include "sim/engine.h"

#include "sim/queue_internal.h"
#include <stdlib.h>

enum { STOPPED = -1 }; /* an end before all times */

struct actor {
    sim_handler *handler;
    void *object;
};

/* The clock is the queue's. */
struct sim_engine {
    uint64_t events;
    sim_time end; /* of the present run; in the past when it is to stop */
    struct actor *actor;
    uint32_t actors, capacity;
    bool full;               /* memory for actors ran out */
    const atomic_bool *stop; /* or NULL */
    struct sim_queue queue;
};

struct sim_engine *sim_engine_create(struct error *error)
{
    struct sim_engine *engine = calloc(1, sizeof *engine);
    if (engine)
        sim_queue_open(&engine->queue);
    else
        error_out_of_memory(error, "the engine");
    return engine;
}

void sim_engine_destroy(struct sim_engine *engine)
{
    if (!engine)
        return;
    sim_queue_close(&engine->queue);
    free(engine->actor);
    free(engine);
}

static bool actors_grow(struct sim_engine *engine)
{
    if (engine->capacity > UINT32_MAX / 2)
        return false;
    uint32_t capacity = engine->capacity ? 2 * engine->capacity : 16;
    struct actor *actor = realloc(engine->actor, capacity * sizeof *actor);
    if (!actor)
        return false;
    engine->actor = actor;
    engine->capacity = capacity;
    return true;
}

uint32_t sim_engine_add_actor(struct sim_engine *engine, sim_handler *handler, void *actor)
{
    if (engine->actors == engine->capacity && !engine->full)
        engine->full = !actors_grow(engine);
    if (engine->full)
        return UINT32_MAX;
    engine->actor[engine->actors] = (struct actor){handler, actor};
    return engine->actors++;
}

sim_time sim_engine_now(const struct sim_engine *engine)
{
    return engine->queue.now;
}

uint64_t sim_engine_events(const struct sim_engine *engine)
{
    return engine->events;
}

struct sim_handle sim_engine_schedule(struct sim_engine *engine, sim_time time, uint8_t priority,
                                      uint32_t actor, uint32_t argument)
{
    assert(actor < engine->actors);
    if (time == SIM_NEVER)
        return (struct sim_handle){0};
    return sim_queue_push_inline(&engine->queue, time, priority, actor, argument);
}

bool sim_engine_cancel(struct sim_engine *engine, struct sim_handle handle)
{
    return sim_queue_cancel(&engine->queue, handle);
}

struct sim_handle sim_engine_reschedule(struct sim_engine *engine, struct sim_handle handle, sim_time time,
                                        uint8_t priority, uint32_t actor, uint32_t argument)
{
    sim_engine_cancel(engine, handle);
    return sim_engine_schedule(engine, time, priority, actor, argument);
}

void sim_engine_heed(struct sim_engine *engine, const atomic_bool *stop)
{
    engine->stop = stop;
}

bool sim_engine_is_told(const struct sim_engine *engine)
{
    return engine->stop && atomic_load_explicit(engine->stop, memory_order_relaxed);
}

bool sim_engine_run(struct sim_engine *engine, sim_time end, struct error *error)
{
    const struct sim_event *event;
    engine->end = sim_engine_is_told(engine) ? STOPPED : end;
    /* What was lost must not be missed by those that come after it. */
    while (!engine->queue.ladder.failed && (event = sim_queue_next(&engine->queue, engine->end))) {
        const struct actor *actor = &engine->actor[event->actor];
        engine->events++;
        actor->handler(engine, actor->object, event->argument);
        if (sim_engine_is_told(engine))
            engine->end = STOPPED;
    }
    if (sim_queue_failed(&engine->queue)) {
        error_out_of_memory(error, "pending events");
        return false;
    }
    if (engine->end != STOPPED && end != SIM_NEVER && end > engine->queue.now)
        engine->queue.now = end;
    return true;
}

void sim_engine_stop(struct sim_engine *engine)
{
    engine->end = STOPPED;
}
