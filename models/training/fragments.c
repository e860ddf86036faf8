#include "models/training/fragments.h"

/* Fragment p has offset floor(p·H/P), so that the fragments with an offset below x are the ceil(x·P/H) first
 * ones. Steps count from 1; step t stands at offset t mod H. */

static int64_t fragments_before(const struct fragment_schedule *schedule, int64_t offset)
{
    return (offset * schedule->fragments + schedule->inner_steps - 1) / schedule->inner_steps;
}

static int64_t offset_of(const struct fragment_schedule *schedule, int64_t fragment)
{
    return fragment * schedule->inner_steps / schedule->fragments;
}

int64_t fragment_due(const struct fragment_schedule *schedule, int64_t t)
{
    int64_t offset = t % schedule->inner_steps;
    int64_t fragment = fragments_before(schedule, offset + 1) - 1;
    return offset_of(schedule, fragment) == offset ? fragment : -1;
}

int64_t fragment_last_due(const struct fragment_schedule *schedule, int64_t t)
{
    if (t < 1)
        return 0;
    int64_t offset = t % schedule->inner_steps;
    int64_t fragment = fragments_before(schedule, offset + 1) - 1; /* at least 0: offset 0 has fragment 0 */
    return t - offset + offset_of(schedule, fragment);
}

int64_t fragment_next_due(const struct fragment_schedule *schedule, int64_t t)
{
    int64_t offset = t % schedule->inner_steps;
    int64_t fragment = fragments_before(schedule, offset + 1);
    if (fragment >= schedule->fragments)
        return t - offset + schedule->inner_steps;
    return t - offset + offset_of(schedule, fragment);
}
