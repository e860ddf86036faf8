#include "models/hardware/slow_units.h"

#include <stdlib.h>

bool slow_units_add(struct slow_units *slow, const struct slow_unit *unit)
{
    if (slow->count == slow->room) {
        size_t room = slow->room ? 2 * slow->room : 4;
        struct slow_unit *units = realloc(slow->units, room * sizeof *units);
        if (!units)
            return false;
        slow->units = units;
        slow->room = room;
    }
    slow->units[slow->count++] = *unit;
    return true;
}

static bool is_same(const struct slow_unit *one, const struct slow_unit *other)
{
    return one->factor == other->factor && one->chips == other->chips && one->cause == other->cause;
}

/* Those behind it move up, so that who is first among equals does not change. */
void slow_units_remove(struct slow_units *slow, const struct slow_unit *unit)
{
    size_t i = 0;
    while (i < slow->count && !is_same(&slow->units[i], unit))
        i++;
    if (i == slow->count)
        return;
    slow->count--;
    for (; i < slow->count; i++)
        slow->units[i] = slow->units[i + 1];
}

struct slow_unit slow_units_worst(const struct slow_units *slow)
{
    struct slow_unit worst = {.factor = 1};
    for (size_t i = 0; i < slow->count; i++)
        if (slow->units[i].factor > worst.factor)
            worst = slow->units[i];
    return worst;
}

void slow_units_free(struct slow_units *slow)
{
    free(slow->units);
}
