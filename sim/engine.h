/*
 * The engine: a clock, the pending-event set, and actors whose handlers the events call. It knows
 * nothing of what is simulated. One engine belongs to one thread; several run side by side.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "sim/clock.h"
#include "sim/error.h"
#include "sim/queue.h"
#include <stdatomic.h>

struct sim_engine;

/* Called when an event of its actor comes due; ACTOR is the pointer given to sim_engine_add_actor,
 * ARGUMENT the one given when scheduling. The engine's clock stands at the event's time. */
typedef void sim_handler(struct sim_engine *engine, void *actor, uint32_t argument);

struct sim_engine *
sim_engine_create(struct error *error); /* NULL when out of memory; the caller destroys it */
void sim_engine_destroy(struct sim_engine *engine);

/* Registers a handler and the object it works on (not owned) and returns the actor's number,
 * counted from 0. UINT32_MAX when memory runs out, and from then on, so that whoever registers several need
 * look at the last one's number only. */
uint32_t sim_engine_add_actor(struct sim_engine *engine, sim_handler *handler, void *actor);

sim_time sim_engine_now(const struct sim_engine *engine);
uint64_t sim_engine_events(const struct sim_engine *engine); /* events handled so far */

/* Schedules an event of ACTOR at TIME >= now. SIM_NEVER is accepted and does nothing (handle {0}). */
struct sim_handle sim_engine_schedule(struct sim_engine *engine, sim_time time, uint8_t priority,
                                      uint32_t actor, uint32_t argument);
bool sim_engine_cancel(struct sim_engine *engine, struct sim_handle handle);

/* Moves a pending event to TIME, as if it were scheduled now (same actor, argument and priority must be
 * given again); a handle that is no longer pending simply schedules. Returns the new handle. */
struct sim_handle sim_engine_reschedule(struct sim_engine *engine, struct sim_handle handle, sim_time time,
                                        uint8_t priority, uint32_t actor, uint32_t argument);

/* Handles events in order until none is left at or before END, a handler calls sim_engine_stop, or
 * memory runs out (false, with ERROR). Unless stopped, the clock then stands at END, or, with END =
 * SIM_NEVER, at the last event. */
bool sim_engine_run(struct sim_engine *engine, sim_time end, struct error *error);

/* Makes sim_engine_run return after the present handler. */
void sim_engine_stop(struct sim_engine *engine);

/* From now on, STOP (not owned; NULL: nothing any more) is looked at after every event: once it is true, no
 * other event is handled, as after sim_engine_stop. Another thread or a signal handler may set it. What takes
 * long without events, such as scheduling a billion of them, asks by itself. */
void sim_engine_heed(struct sim_engine *engine, const atomic_bool *stop);
bool sim_engine_is_told(const struct sim_engine *engine);

#endif
