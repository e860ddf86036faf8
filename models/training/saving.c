/* Only learners whose strategy has checkpoints save; what is saved replaces what was saved before. */
#include "models/training/saving.h"

#include "models/training/world.h"

void saving_worked(struct learner *learner, sim_time length)
{
    learner->saving.worked += length;
}

void saving_lost(struct learner *learner)
{
    learner->saving.worked = 0;
}

bool saving_is_due(const struct learner *learner)
{
    const struct world *world = learner->world;
    return world->strategy->checkpoints && learner->saving.worked > 0 &&
           learner->saving.worked >= world->config->checkpoints.interval;
}

sim_time saving_time(const struct learner *learner)
{
    return learner->world->config->checkpoints.write_time;
}

void saving_complete(struct learner *learner)
{
    learner->saving = (struct saving){.clock = learner->clock, .position = learner->position};
    learner_mark_safe(learner);
    tape_write(learner->world->tape, learner_record(learner, TAPE_SNAPSHOT));
}

void saving_roll_back(struct learner *learner)
{
    learner->clock = learner->saving.clock;
    learner->position = learner->saving.position;
    tape_write(learner->world->tape, learner_record(learner, TAPE_ROLLBACK));
}
