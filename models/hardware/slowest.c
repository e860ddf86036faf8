/*
 * The slowest of m units below a tail q has the tail 1 − (1 − q)·u^(1/m), worked out by expm1 and log1p so
 * that no digit is lost at large m.
 */
#include "models/hardware/slowest.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct slowest slowest_none(void)
{
    return (struct slowest){.tail = 1};
}

/* The tail of the slowest of UNITS new ones, all of which are faster than the one with the tail ABOVE. */
static double draw_below(double above, int64_t units, struct sim_stream *stream)
{
    double tail = -expm1(log1p(-above) - sim_stream_exponential(stream) / (double)units);
    return fmin(fmax(tail, DBL_MIN), 1 - DBL_EPSILON);
}

void slowest_join(struct slowest *slowest, int64_t units, struct sim_stream *stream)
{
    assert(units >= 0);
    if (units == 0)
        return;
    slowest->tail = fmin(slowest->tail, draw_below(0, units, stream));
    slowest->units += units;
}

void slowest_leave(struct slowest *slowest, int64_t units, struct sim_stream *stream)
{
    assert(units >= 0 && units <= slowest->units);
    if (units == 0)
        return;
    bool leaves = sim_stream_uniform(stream) * (double)slowest->units < (double)units;
    slowest->units -= units;
    if (slowest->units == 0)
        slowest->tail = 1;
    else if (leaves)
        slowest->tail = draw_below(slowest->tail, slowest->units, stream);
}

double slowest_factor(const struct slowest *slowest, const struct sim_distribution *law)
{
    assert(slowest->units > 0);
    return sim_distribution_upper_quantile(law, slowest->tail);
}
