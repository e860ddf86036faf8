#include "models/training/ending.h"

#include "models/training/world.h"

static bool was_stopped(const struct world *world)
{
    return world->stop && atomic_load_explicit(world->stop, memory_order_relaxed);
}

/* Whether LEARNER is up and waits for others or for bytes, and for no moment that is fixed. */
static bool waits(const struct learner *learner)
{
    switch (learner->state) {
    case LEARNER_WAITING:
    case LEARNER_HELD:
        return true;
    case LEARNER_RESTORING:
    case LEARNER_RECONFIGURING:
        return learner->timer.order == 0;
    default:
        return false;
    }
}

bool ending_stands_still(const struct world *world)
{
    sim_time now = sim_engine_now(world->engine), since = world->some_stepping.since;
    bool still = now - since >= since - world->counting_since && !traffic_moves(world->traffic);
    for (int64_t i = 0; i < world->layout.learners && still; i++)
        still = waits(&world->learners[i]);
    return still;
}

enum run_status ending_status(const struct world *world, double tokens, bool stands_still)
{
    if (world->goal.finished > 0)
        return RUN_DONE;
    if (was_stopped(world) && sim_engine_now(world->engine) < world->config->duration)
        return RUN_INTERRUPTED;
    if (!(tokens > 0) || stands_still)
        return RUN_STALLED;
    return goal_is_fixed(&world->config->until) ? RUN_UNFINISHED : RUN_DONE;
}
