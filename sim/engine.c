#include "sim/engine.h"

#include "sim/queue_internal.h"
#include <stdlib.h>

struct actor {
    sim_handler *handler;
    void *object;
};

struct sim_engine {
    sim_time now;
    uint64_t events;
    bool stopped;
    struct sim_queue *queue;
    struct actor *actor;
    uint32_t actors, capacity;
};

struct sim_engine *sim_engine_create(struct error *error) {
    struct sim_engine *engine = calloc(1, sizeof *engine);
    if (engine)
        engine->queue = sim_queue_create();
    if (engine && engine->queue)
        return engine;
    free(engine);
    error_out_of_memory(error, "the engine");
    return NULL;
}

void sim_engine_destroy(struct sim_engine *engine) {
    if (!engine)
        return;
    sim_queue_destroy(engine->queue);
    free(engine->actor);
    free(engine);
}

static bool actors_grow(struct sim_engine *engine) {
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

uint32_t sim_engine_add_actor(struct sim_engine *engine, sim_handler *handler, void *actor) {
    if (engine->actors == engine->capacity && !actors_grow(engine))
        return UINT32_MAX;
    engine->actor[engine->actors] = (struct actor){handler, actor};
    return engine->actors++;
}

sim_time sim_engine_now(const struct sim_engine *engine) {
    return engine->now;
}

uint64_t sim_engine_events(const struct sim_engine *engine) {
    return engine->events;
}

struct sim_handle sim_engine_schedule(struct sim_engine *engine, sim_time time, uint8_t priority,
                                      uint32_t actor, uint32_t argument) {
    assert(time >= engine->now && actor < engine->actors);
    if (time == SIM_NEVER)
        return (struct sim_handle){0};
    return sim_queue_push_inline(engine->queue, time, priority, actor, argument);
}

bool sim_engine_cancel(struct sim_engine *engine, struct sim_handle handle) {
    return sim_queue_cancel(engine->queue, handle);
}

struct sim_handle sim_engine_reschedule(struct sim_engine *engine, struct sim_handle handle, sim_time time,
                                        uint8_t priority, uint32_t actor, uint32_t argument) {
    sim_queue_cancel(engine->queue, handle);
    return sim_engine_schedule(engine, time, priority, actor, argument);
}

bool sim_engine_run(struct sim_engine *engine, sim_time end, struct error *error) {
    struct sim_event event;
    engine->stopped = false;
    while (!engine->stopped && !engine->queue->failed && sim_queue_pop_inline(engine->queue, end, &event)) {
        engine->now = event.time;
        engine->events++;
        const struct actor *actor = &engine->actor[event.actor];
        actor->handler(engine, actor->object, event.argument);
    }
    if (engine->queue->failed) {
        error_out_of_memory(error, "pending events");
        return false;
    }
    if (!engine->stopped && end != SIM_NEVER && end > engine->now)
        engine->now = end;
    return true;
}

void sim_engine_stop(struct sim_engine *engine) {
    engine->stopped = true;
}
