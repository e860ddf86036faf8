/*
 * What learners and strategies tell the world is counted here, and told on to whoever watches.
 */
#include "models/training/world.h"

double world_model_bits(const struct world *world)
{
    const struct workload_config *workload = &world->config->workload;
    return workload->parameters * (double)workload->bits_per_parameter;
}

double world_drift_bits(const struct world *world, const struct learning_rule *rule)
{
    int64_t bits = strategy_drift_bits(rule);
    return bits == PARAMETER_UNSET ? world_model_bits(world)
                                   : world->config->workload.parameters * (double)bits;
}

void world_stepping_changed(struct world *world, int by)
{
    if (by == 0)
        return;
    world->stepping += by;
    sim_time_tally_set(&world->some_stepping, sim_engine_now(world->engine), world->stepping > 0);
}

void world_up_changed(struct world *world, int by)
{
    if (by == 0)
        return;
    world->up += by;
    sim_time_tally_set(&world->learners_up, sim_engine_now(world->engine), (double)world->up);
    observer_learners_up(world->observer, (double)world->up);
    if (world->activity)
        activity_learners_up(world->activity, world->up);
}

void world_link_faults_changed(struct world *world)
{
    for (int64_t i = 0; i < world->layout.learners; i++)
        learner_look_at_links(&world->learners[i]);
}

void world_waits_changed(struct world *world)
{
    if (traffic_is_struck(world->traffic))
        world_link_faults_changed(world);
}

void world_merged(struct world *world)
{
    world->counts.merges++;
    if (world->activity)
        activity_merge(world->activity);
}
