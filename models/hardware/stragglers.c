#include "models/hardware/stragglers.h"

/* No spread unless a scenario asks for it. */
static const struct parameter_law nominal = {.mean_name = "mean", .law = "constant", .mean = "1"};

static const struct parameter rows[] = {
    {.path = "learner",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "lasting factor on a learner's step time, drawn once per learner",
     .offset = offsetof(struct straggler_config, learner)},
    {.path = "step",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "factor on a learner's step time, drawn anew for each step",
     .offset = offsetof(struct straggler_config, step)},
    {.path = "chip",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "factor on one chip's time in one step; the step waits for the slowest of its chips",
     .offset = offsetof(struct straggler_config, chip)},
};

const struct parameter_table straggler_parameters = {"stragglers", rows, PARAMETER_COUNT(rows)};
