#include "models/failures/failures.h"

static const char *const during_restart_names[] = {"absorb", "extend", "restart", NULL};
static const char *const failed_step_names[] = {"counts", "lost", NULL};

static const char *const noticed_names[] = {"step_end", "at_once", NULL};

static const struct parameter_law chip_law = {.mean_name = "mtbi", .law = "exponential", .mean = "365 d"};
static const struct parameter_law repair_law = {
    .mean_name = "mean", .law = "exponentiated-weibull", .mean = "300 s", .shape = "0.7", .power = "2"};

static const struct parameter_law stop_law = {.mean_name = "mean", .law = "constant", .optional = true};
static const struct parameter_law hang_law = {.mean_name = "mean", .law = "constant", .mean = "10 min"};
static const struct parameter_law corruption_law = {.mean_name = "mean", .law = "exponential", .mean = "1 h"};

static const struct parameter rows[] = {
    {.path = "enabled",
     .type = PARAMETER_BOOLEAN,
     .fallback = "true",
     .sentence = "Whether anything fails at all.",
     .offset = offsetof(struct failure_config, enabled)},
    {.path = "chip",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &chip_law,
     .sentence = "time to failure of one chip, from its installation or last repair",
     .source = "arXiv 2604.21428 §3.3",
     .offset = offsetof(struct failure_config, chip)},
    {.path = "chip.initial_age",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Age of every chip when the run starts; of consequence unless the law is exponential.",
     .source = "ours",
     .offset = offsetof(struct failure_config, initial_age)},
    {.path = "repair",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &repair_law,
     .sentence = "time from a chip's failure to the return of its slice",
     .source = "law: arXiv 2604.21428 §3.3, its parameters aren't published; values: ours",
     .offset = offsetof(struct failure_config, repair)},
    {.path = "downscale_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "20 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time an elastic learner stands still to go on without failed slices.",
     .source = "ours; \"tens of seconds\" in arXiv 2604.21428 §3.3",
     .offset = offsetof(struct failure_config, downscale_time)},
    {.path = "upscale_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "20 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time an elastic learner stands still to take returned slices in.",
     .source = "ours; \"tens of seconds\" in arXiv 2604.21428 §3.3",
     .offset = offsetof(struct failure_config, upscale_time)},
    {.path = "restart_time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "5 min",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence = "Time to start again of a learner that isn't elastic or has lost all its slices.",
     .source = "ours",
     .offset = offsetof(struct failure_config, restart_time)},
    {.path = "initialisation.time",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "0 s",
     .minimum = 0,
     .maximum = INFINITY,
     .sentence =
         "Time that a learner takes to set up its processes after a restart, before it loads its state.",
     .source = "ours",
     .offset = offsetof(struct failure_config, initialisation.constant)},
    {.path = "initialisation.chips",
     .type = PARAMETER_REAL_LIST,
     .fallback = "",
     .sentence =
         "Numbers of chips at which a time that comes on top of it was measured; between them it lies "
         "on a line, below the first it is that one's, and beyond the last it goes on along the line.",
     .offset = offsetof(struct failure_config, initialisation.chips)},
    {.path = "initialisation.times",
     .type = PARAMETER_REAL_LIST,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .sentence = "The measured times, one for each number of chips.",
     .source = "none; arXiv 2602.00277 has 200, 300, 600 and 900 s at 16, 22, 64 and 98 thousand",
     .offset = offsetof(struct failure_config, initialisation.times)},
    {.path = "during_restart",
     .type = PARAMETER_CHOICE,
     .choices = during_restart_names,
     .fallback = "restart",
     .sentence = "What a failure during a restart or reconfiguration does: it is absorbed, another "
                 "reconfiguration follows, or the present one starts again.",
     .source = "ours",
     .offset = offsetof(struct failure_config, during_restart)},
    {.path = "failed_step",
     .type = PARAMETER_CHOICE,
     .choices = failed_step_names,
     .fallback = "lost",
     .sentence = "Whether the step in which a chip failed counts or is done again. Broken off "
                 "(failures.noticed), it counts as "
                 "one of a smaller batch.",
     .source = "ours",
     .offset = offsetof(struct failure_config, failed_step)},
    {.path = "only_in_steps",
     .type = PARAMETER_BOOLEAN,
     .fallback = "false",
     .sentence =
         "Whether chips fail only while a step is under way on them, and not in restarts, waits and in "
         "reserve. Then strategies don't meet the same failures.",
     .source = "ours",
     .offset = offsetof(struct failure_config, only_in_steps)},
    {.path = "detection.stop",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &stop_law,
     .sentence =
         "time until a learner knows that a slice has stopped, in which it can't take another step; none "
         "where left out",
     .offset = offsetof(struct failure_config, detection.stop)},
    {.path = "detection.hang",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &hang_law,
     .sentence = "time-out by which a hang is found out",
     .source = "ours: what NCCL waits for in PyTorch",
     .offset = offsetof(struct failure_config, detection.hang)},
    {.path = "detection.corruption",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &corruption_law,
     .sentence = "time until wrong numbers are found out",
     .source = "ours",
     .offset = offsetof(struct failure_config, detection.corruption)},
    {.path = "noticed",
     .type = PARAMETER_CHOICE,
     .choices = noticed_names,
     .fallback = "step_end",
     .sentence =
         "When a failure is noticed: at the end of the step, checkpoint or load under way, or at once, "
         "so that it breaks that off.",
     .source = "ours",
     .offset = offsetof(struct failure_config, noticed)},
};

const struct parameter_table failure_parameters = {"failures", rows, PARAMETER_COUNT(rows)};
