#include "models/failures/spells.h"

#include <stdlib.h>

static bool make_room(struct spells *spells)
{
    uint32_t room = spells->room ? 2 * spells->room : 64;
    struct spell *all;
    if (spells->used < spells->room)
        return true;
    if (spells->room > UINT32_MAX / 4)
        return false;
    all = realloc(spells->all, room * sizeof *all);
    if (!all)
        return false;
    spells->all = all;
    spells->room = room;
    return true;
}

uint32_t spells_add(struct spells *spells, const struct fault *fault, struct units_run run, uint64_t order)
{
    uint32_t number = spells->free - 1;
    if (spells->free)
        spells->free = spells->all[number].next_free;
    else if (make_room(spells))
        number = spells->used++;
    else
        return SPELLS_NONE;
    spells->all[number] = (struct spell){.fault = *fault, .run = run, .order = order};
    return number;
}

void spells_remove(struct spells *spells, uint32_t number)
{
    spells->all[number].phase = SPELL_OVER;
    spells->all[number].next_free = spells->free;
    spells->free = number + 1;
}

void spells_free(struct spells *spells)
{
    free(spells->all);
}
