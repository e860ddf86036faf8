#include "tests/bench/delays.h"

#include <math.h>

const char *const delay_names[DELAY_LAWS] = {"exponential", "uniform",   "two-scale",
                                             "Pareto",      "mass ties", "few steps"};

static double seconds(enum delay_law law, struct sim_stream *stream)
{
    switch (law) {
    case DELAY_UNIFORM:
        return 2 * sim_stream_uniform(stream);
    case DELAY_TWO_SCALE:
        return sim_stream_exponential(stream) * (sim_stream_uniform(stream) < 0.9 ? 0.01 : 10);
    case DELAY_PARETO:
        return pow(sim_stream_uniform(stream), -1 / 1.2) - 1;
    case DELAY_TIES:
        return 1;
    case DELAY_FEW_STEPS:
        return 365.0 * 86400 * sim_stream_exponential(stream);
    default:
        return sim_stream_exponential(stream);
    }
}

struct delay delay_draw(enum delay_law law, struct sim_stream *stream)
{
    struct delay delay;
    delay.other = sim_time_from_seconds(seconds(law, stream));
    delay.stepping = delay.other;
    if (law == DELAY_FEW_STEPS)
        delay.stepping = sim_time_from_seconds(0.9 + 0.2 * sim_stream_uniform(stream));
    return delay;
}
