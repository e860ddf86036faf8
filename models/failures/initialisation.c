#include "models/failures/initialisation.h"

/* Between the points I and I + 1 of the line, or beyond them. */
static double along(const struct initialisation_config *config, size_t i, double chips)
{
    const double *at = config->chips.values, *times = config->times.values;
    return times[i] + (times[i + 1] - times[i]) * (chips - at[i]) / (at[i + 1] - at[i]);
}

static double measured(const struct initialisation_config *config, double chips)
{
    const double *at = config->chips.values, *times = config->times.values;
    size_t count = config->chips.count, i = 0;
    if (count == 0)
        return 0;
    if (chips <= at[0])
        return times[0];
    if (count == 1)
        return times[0] * chips / at[0];
    while (i + 2 < count && chips > at[i + 1])
        i++;
    return fmax(0, along(config, i, chips));
}

sim_time initialisation_time(const struct initialisation_config *config, int64_t chips)
{
    return sim_time_add(config->constant, sim_time_from_seconds(measured(config, (double)chips)));
}

const char *initialisation_fault(const struct initialisation_config *config)
{
    if (config->chips.count != config->times.count)
        return "there must be as many times as numbers of chips";
    for (size_t i = 0; i < config->chips.count; i++)
        if (!(config->chips.values[i] > 0) || !(config->times.values[i] >= 0) ||
            (i > 0 && !(config->chips.values[i] > config->chips.values[i - 1])))
            return "numbers of chips must be above 0 and ascend, and no time be below 0";
    return NULL;
}
