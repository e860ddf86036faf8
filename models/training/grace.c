#include "models/training/grace.h"

#include <math.h>

static const struct moving_average nothing_observed = {-1};

void grace_init(struct grace *grace, int64_t overlap, double share)
{
    *grace = (struct grace){.overlap = overlap,
                            .share = share,
                            .step = nothing_observed,
                            .quorum = nothing_observed,
                            .synchronisation = nothing_observed};
}

void moving_average_add(struct moving_average *average, sim_time observed)
{
    double seconds = (double)observed / (double)SIM_SECOND; /* finite for SIM_NEVER, too */
    if (average->value < 0)
        average->value = seconds;
    else
        average->value += GRACE_NEWEST_SHARE * (seconds - average->value);
}

sim_time grace_window(const struct grace *grace)
{
    double step = fmax(grace->step.value, 0);
    double taken = fmax(grace->quorum.value, 0) + fmax(grace->synchronisation.value, 0);
    double slack = (double)grace->overlap * step - taken;
    return sim_time_from_seconds(fmin(fmax(grace->share * slack, 0), step));
}

sim_time grace_reach(const struct grace *grace)
{
    double step = fmax(grace->step.value, 0);
    return sim_time_from_seconds(grace->share * (double)grace->overlap * step);
}
