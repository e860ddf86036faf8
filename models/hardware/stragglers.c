#include "models/hardware/stragglers.h"

#include <gsl/gsl_statistics_double.h>

static const char *const order_names[] = {"drawn", "played", "played-apart", NULL};

/* No spread unless a scenario asks for it. */
static const struct parameter_law nominal = {.mean_name = "mean", .law = "constant", .mean = "1"};
static const struct parameter_law episode = {.mean_name = "mean", .law = "exponential", .mean = "10 min"};

static const struct parameter rows[] = {
    {.path = "learner",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "lasting factor on a learner's step time, drawn once per learner; whatever is drawn, a step "
                 "takes 1 % of its nominal time at least",
     .offset = offsetof(struct straggler_config, learner)},
    {.path = "step",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence =
         "factor on a learner's step time, drawn anew for each step; whatever is drawn, it takes 1 % of its "
         "nominal time at least",
     .offset = offsetof(struct straggler_config, step)},
    {.path = "step_order",
     .type = PARAMETER_CHOICE,
     .choices = order_names,
     .fallback = "drawn",
     .sentence =
         "Whether values of an empirical step law are drawn, or played in their order by each learner, step "
         "by step, and again when they are through: all begin with the first (played), or each with one "
         "that is drawn (played-apart).",
     .source = "ours",
     .offset = offsetof(struct straggler_config, step_order)},
    {.path = "chip",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "factor on one chip's time in one step; the step waits for the slowest of its chips, and "
                 "takes 1 % of its nominal time at least",
     .offset = offsetof(struct straggler_config, chip)},
    {.path = "lasting_chip",
     .type = PARAMETER_LAW,
     .law = &nominal,
     .sentence = "lasting factor on one chip's time, drawn anew when the chip is replaced or comes back from "
                 "repair; every step waits for the slowest of its chips",
     .offset = offsetof(struct straggler_config, lasting)},
    {.path = "lemon.share",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .sentence = "Share of hosts that are always slow, each with this chance, anew when replaced.",
     .source = "none; MegaScale (NSDI '24) found 0.5 % of hosts 10 % slow",
     .offset = offsetof(struct straggler_config, lemon_share)},
    {.path = "lemon.factor",
     .type = PARAMETER_REAL,
     .fallback = "1.1",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Factor on such a host's time.",
     .source = "MegaScale (NSDI '24)",
     .offset = offsetof(struct straggler_config, lemon_factor)},
    {.path = "fail_slow.between",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Mean time between two episodes of slowness of one host; there are none where left out.",
     .offset = offsetof(struct straggler_config, fail_slow_between)},
    {.path = "fail_slow.factor",
     .type = PARAMETER_REAL,
     .fallback = "1.2",
     .minimum = 1,
     .maximum = 1e6,
     .sentence = "Factor on the host's time in an episode, in the steps that begin in it.",
     .source = "Greyhound (ATC '25): a degraded GPU is about 20 % slow",
     .offset = offsetof(struct straggler_config, fail_slow_factor)},
    {.path = "fail_slow.duration",
     .type = PARAMETER_LAW,
     .dimension = DIMENSION_TIME,
     .law = &episode,
     .sentence = "duration of an episode",
     .source =
         "Greyhound (ATC '25): 10 min in the mean for computing, 24 to 72 min for networks; the law is ours",
     .offset = offsetof(struct straggler_config, fail_slow_duration)},
    {.path = "drift.amplitude",
     .type = PARAMETER_REAL,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e3,
     .sentence = "How much longer a step takes at the slowest moment of a period than at its beginning, as a "
                 "share.",
     .source = "none; Llama 3 (arXiv 2407.21783 §3.3.4) saw 1 to 2 % of throughput over a day",
     .offset = offsetof(struct straggler_config, drift_amplitude)},
    {.path = "drift.period",
     .type = PARAMETER_TIME,
     .dimension = DIMENSION_TIME,
     .fallback = "1 d",
     .minimum = 0,
     .maximum = INFINITY,
     .above_minimum = true,
     .sentence = "Period of that drift.",
     .source = "ours",
     .offset = offsetof(struct straggler_config, drift_period)},
};

const struct parameter_table straggler_parameters = {"stragglers", rows, PARAMETER_COUNT(rows)};

double straggler_scale(const struct straggler_config *config, const struct sim_distribution *law)
{
    const struct sim_values *values = &config->step.values;
    return sim_distribution_mean(law) / gsl_stats_mean(values->values, 1, values->count);
}

size_t straggler_first(const struct straggler_config *config, struct sim_stream *draws)
{
    size_t count = config->step.values.count;
    if (config->step_order != STRAGGLERS_PLAYED_APART)
        return 0;
    size_t first = (size_t)(sim_stream_uniform(draws) * (double)count);
    return first < count ? first : count - 1;
}

double straggler_drift(const struct straggler_config *config, sim_time time)
{
    if (config->drift_amplitude == 0)
        return 1;
    double phase = (double)(time % config->drift_period) / (double)config->drift_period;
    return 1 + config->drift_amplitude * (1 - cos(2 * M_PI * phase)) / 2;
}
