#include "models/hardware/availability.h"

bool availability_is_limited(const struct availability *availability)
{
    return availability->lasting > 0 &&
           (availability->every <= 0 || availability->lasting < availability->every);
}

/* Time since the last beginning at or before T; below 0: there is none yet. */
static sim_time phase_of(const struct availability *availability, sim_time t)
{
    sim_time phase = t - availability->from;
    if (availability->every <= 0)
        return phase;
    phase %= availability->every;
    return phase < 0 ? phase + availability->every : phase;
}

bool availability_at(const struct availability *availability, sim_time t)
{
    sim_time phase = phase_of(availability, t);
    return !availability_is_limited(availability) || (phase >= 0 && phase < availability->lasting);
}

sim_time availability_next(const struct availability *availability, sim_time t)
{
    sim_time phase = phase_of(availability, t);
    if (!availability_is_limited(availability))
        return SIM_NEVER;
    if (phase < 0)
        return availability->from;
    if (phase < availability->lasting)
        return sim_time_add(t, availability->lasting - phase);
    return availability->every > 0 ? sim_time_add(t, availability->every - phase) : SIM_NEVER;
}

sim_time availability_time(const struct availability *availability, sim_time begin, sim_time end)
{
    sim_time time = 0;
    while (begin < end) {
        sim_time next = availability_next(availability, begin);
        next = next < end ? next : end;
        if (availability_at(availability, begin))
            time += next - begin;
        begin = next;
    }
    return time;
}
