#include "models/failures/causes.h"

#include <assert.h>
#include <stdlib.h>

static bool make_room(struct causes *causes)
{
    size_t room = causes->room ? 2 * causes->room : 8;
    struct cause_record *records;
    if (causes->count < causes->room)
        return true;
    records = realloc(causes->records, room * sizeof *records);
    if (!records)
        return false;
    causes->records = records;
    causes->room = room;
    return true;
}

int32_t causes_add(struct causes *causes, const struct fault_cause *cause, struct error *error)
{
    if (causes->count >= INT32_MAX || !make_room(causes)) {
        error_out_of_memory(error, "the causes of failures");
        return FAULT_NO_CAUSE;
    }
    causes->records[causes->count] = (struct cause_record){.cause = *cause};
    return (int32_t)causes->count++;
}

void causes_count(struct causes *causes, int32_t cause, enum fault_outcome outcome, sim_time now)
{
    assert(cause >= 0 && (size_t)cause < causes->count);
    struct cause_record *record = &causes->records[cause];
    if (outcome != FAULT_STRUCK) {
        record->ignored++;
        return;
    }
    if (record->struck++ == 0)
        record->first = now;
    record->last = now;
}

void causes_begin_counting(struct causes *causes)
{
    for (size_t i = 0; i < causes->count; i++)
        causes->records[i] = (struct cause_record){.cause = causes->records[i].cause};
}

void causes_free(struct causes *causes)
{
    free(causes->records);
}
