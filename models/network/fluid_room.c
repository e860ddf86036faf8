/*
 * Room in arrays that grow.
 */
#include "models/network/fluid_internal.h"

#include <stdlib.h>
#include <string.h>

static void *reallocate_lines(void *old, uint32_t room, uint32_t more, size_t size)
{
    void *grown = aligned_alloc(FLUID_LINE, more * size);
    if (grown && room)
        memcpy(grown, old, room * size);
    if (grown)
        free(old);
    return grown;
}

/* Twice the room, or a first one; what is as large as a line of the cache, or two, fills whole ones. */
static bool enlarge(struct fluid *fluid, void *array, uint32_t *room, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    uint32_t more = *room ? 2 * *room : 8;
    void *grown = size % FLUID_LINE ? realloc(old, more * size) : reallocate_lines(old, *room, more, size);
    if (!grown)
        return !(fluid->failed = true);
    memcpy(array, &grown, sizeof grown);
    *room = more;
    return true;
}

static inline bool fluid_grow(struct fluid *fluid, void *array, uint32_t *room, uint32_t count, size_t size)
{
    return count <= *room || enlarge(fluid, array, room, size);
}

static bool fluid_list_add(struct fluid *fluid, struct fluid_list *list, uint32_t item)
{
    if (!fluid_grow(fluid, &list->item, &list->room, list->count + 1, sizeof *list->item))
        return false;
    list->item[list->count++] = item;
    return true;
}
