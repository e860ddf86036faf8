/*
 * All-reduce (data-parallel training): one learner holds the whole cluster. Its collectives are part of the
 * step time.
 */
#include "models/training/kind.h"
#include "models/training/world.h"
#include <stdlib.h>

static const struct parameter rows[] = {
    STRATEGY_ELASTIC("false"),
    STRATEGY_SLICE_LOSS,
};

const struct parameter_variant all_reduce_variant = {
    .name = "all-reduce",
    .sentence = "data-parallel: one learner, its gradients reduced in every step; plain or elastic by slice",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct all_reduce_options),
};

static bool check(const void *options, const char **path, const char **reason)
{
    (void)options, (void)path, (void)reason;
    return true;
}

static void *create(struct world *world, const void *options, struct error *error)
{
    (void)options, (void)error;
    return world;
}

static void destroy(void *state)
{
    (void)state;
}

static int obstacle(void *state, struct learner *learner)
{
    (void)state, (void)learner;
    return NO_OBSTACLE;
}

static void step_done(void *state, struct learner *learner)
{
    (void)state, (void)learner;
}

static void lost(void *state, struct learner *learner)
{
    (void)state;
    learner_discard(learner, learner_unsafe_work(learner));
    learner_roll_back(learner);
}

static void back(void *state, struct learner *learner)
{
    struct world *world = state;
    learner_restore(learner, world->config->checkpoints.load_time);
}

const struct strategy_functions all_reduce_functions = {
    .checkpoints = true,
    .check = check,
    .create = create,
    .destroy = destroy,
    .obstacle = obstacle,
    .step_done = step_done,
    .lost = lost,
    .back = back,
};
