#include "models/training/workload.h"

static const struct parameter rows[] = {
    {.path = "parameters",
     .type = PARAMETER_REAL,
     .minimum = 1,
     .maximum = 1e18,
     .sentence = "Parameters of the model.",
     .offset = offsetof(struct workload_config, parameters)},
    {.path = "tokens_per_step",
     .type = PARAMETER_REAL,
     .minimum = 1,
     .maximum = 1e15,
     .sentence = "Tokens in one step of the whole cluster with every slice present.",
     .offset = offsetof(struct workload_config, tokens_per_step)},
    {.path = "step_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 1e-6,
     .maximum = INFINITY,
     .sentence =
         "Time of one step on nominal chips of the first kind, its collectives included; where left out, 6 "
         "FLOP per parameter and token at the chips' MFU.",
     .offset = offsetof(struct workload_config, step_time)},
    {.path = "bits_per_parameter",
     .type = PARAMETER_INTEGER,
     .fallback = "16",
     .minimum = 1,
     .maximum = 64,
     .sentence = "Bits per parameter that cross the network.",
     .source = "arXiv 2604.21428 App. E.4: bf16",
     .offset = offsetof(struct workload_config, bits_per_parameter)},
};

const struct parameter_table workload_parameters = {"workload", rows, PARAMETER_COUNT(rows)};
