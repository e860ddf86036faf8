#include "models/failures/unit_table.h"

#include <stdlib.h>

/* Multiplicative hashing (Knuth): the high bits are the well mixed ones. */
static size_t home(const struct unit_table *table, int64_t number)
{
    return (size_t)(((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->capacity - 1);
}

static struct unit *find(const struct unit_table *table, int64_t number)
{
    size_t i = home(table, number);
    while (table->places[i].number != number && table->places[i].number != -1)
        i = (i + 1) & (table->capacity - 1);
    return &table->places[i];
}

static bool grow(struct unit_table *table)
{
    struct unit_table larger = {.capacity = table->capacity ? 2 * table->capacity : 256, .used = table->used};
    larger.places = malloc(larger.capacity * sizeof *larger.places);
    if (!larger.places)
        return false;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.places[i].number = -1;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->places[i].number != -1)
            *find(&larger, table->places[i].number) = table->places[i];
    free(table->places);
    *table = larger;
    return true;
}

struct unit *unit_table_get(struct unit_table *table, int64_t number)
{
    struct unit *unit = table->capacity ? find(table, number) : NULL;
    if (unit && unit->number == number)
        return unit;
    if (2 * (table->used + 1) > table->capacity && !grow(table))
        return NULL;
    unit = find(table, number);
    *unit = (struct unit){.number = number};
    table->used++;
    return unit;
}

void unit_table_free(struct unit_table *table)
{
    free(table->places);
    *table = (struct unit_table){0};
}
