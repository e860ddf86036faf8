#include "models/training/goal.h"

#include "models/training/world.h"

/* Sums of steps may end a hair below a target that they meet. */
#define ROUNDING 1e-9

static const struct parameter rows[] = {
    {.path = "tokens",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Tokens to train on, in steps that count; the run ends when they are done and, where the "
                 "strategy writes checkpoints, saved. Its duration is then the most that it may take.",
     .offset = offsetof(struct goal_config, tokens)},
    {.path = "steps",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Steps to train for, averaged over learners by their chips, instead of tokens.",
     .instead_of = "tokens",
     .offset = offsetof(struct goal_config, steps)},
    {.path = "loss",
     .type = PARAMETER_REAL,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Loss on held-out data to get down to, instead of tokens; when that was is found out by "
                 "replaying the run, which goes on for its whole duration.",
     .instead_of = "tokens steps",
     .offset = offsetof(struct goal_config, loss)},
};

const struct parameter_table goal_parameters = {"until", rows, PARAMETER_COUNT(rows)};

bool goal_is_fixed(const struct goal_config *config)
{
    return config->tokens > 0 || config->steps > 0;
}

void goal_count(struct world *world, double tokens, double steps)
{
    world->goal.tokens += tokens;
    world->goal.steps += steps;
}

bool goal_is_reached(const struct world *world)
{
    const struct goal_config *config = &world->config->until;
    return (config->tokens > 0 && world->goal.tokens >= config->tokens * (1 - ROUNDING)) ||
           (config->steps > 0 && world->goal.steps >= config->steps * (1 - ROUNDING));
}

void goal_finish(struct world *world)
{
    world->goal.finished = sim_engine_now(world->engine);
    sim_engine_stop(world->engine);
}

double goal_share_of_step(const struct goal_config *config, double tokens_per_step)
{
    return config->tokens > 0 ? tokens_per_step / config->tokens : 1 / config->steps;
}
