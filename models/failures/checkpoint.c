#include "models/failures/checkpoint.h"

static const struct parameter rows[] = {
    {.path = "interval",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "10 min",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence =
         "Work between two checkpoints; 0 s keeps the state of every step, so that no restart loses work.",
     .source = "ours",
     .offset = offsetof(struct checkpoint_config, interval)},
    {.path = "write_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time training stands still to write a checkpoint.",
     .source = "ours",
     .offset = offsetof(struct checkpoint_config, write_time)},
    {.path = "load_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time to load a checkpoint, after the restart itself.",
     .source = "ours",
     .offset = offsetof(struct checkpoint_config, load_time)},
};

const struct parameter_table checkpoint_parameters = {"checkpoints", rows, PARAMETER_COUNT(rows)};
