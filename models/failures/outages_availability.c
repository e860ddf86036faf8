/*
 * Slices that come and go: a shift of them changes by its schedule, whatever fails meanwhile.
 */
#include "models/failures/outages_internal.h"

#include <stdlib.h>

/* Slices that come and go together. */
struct shift {
    struct shift *next;
    struct outages *outages;
    int64_t first, end; /* slices */
    struct availability available;
    uint32_t actor;
};

/* What a slice is down for that comes and goes. */
static const struct fault going_away = {.kind = FAULT_MAINTENANCE, .cause = FAULT_NO_CAUSE};

static int32_t cause_of(const struct unit *slice)
{
    return slice->reasons > 0 ? slice->cause : FAULT_NO_CAUSE;
}

static void go(struct outages *outages, struct unit *slice)
{
    bool was_there = outages_is_there(slice);
    slice->away = true;
    if (was_there)
        outages_tell_down(outages, slice, &going_away);
    outages->observer.slice_away(outages->observer.context, slice->number, true, cause_of(slice));
}

static void come(struct outages *outages, struct unit *slice)
{
    slice->away = false;
    outages->observer.slice_away(outages->observer.context, slice->number, false, cause_of(slice));
    if (slice->reasons == 0)
        outages_tell_up(outages, slice, FAULT_NO_CAUSE);
}

static void schedule_change(struct shift *shift)
{
    struct outages *outages = shift->outages;
    sim_time now = sim_engine_now(outages->engine), next = availability_next(&shift->available, now);
    if (next < SIM_NEVER)
        outages_schedule(outages, next - now, shift->actor, 0);
}

static void on_change(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)argument;
    struct shift *shift = actor;
    struct outages *outages = shift->outages;
    bool here = availability_at(&shift->available, sim_engine_now(engine));
    for (int64_t number = shift->first; number < shift->end; number++) {
        struct unit *slice = outages_slice(outages, number);
        if (!slice)
            return;
        if (slice->away == here)
            (here ? come : go)(outages, slice);
    }
    schedule_change(shift);
}

bool outages_add_availability(struct outages *outages, int64_t first, int64_t next,
                              const struct availability *available, struct error *error)
{
    struct shift *shift = calloc(1, sizeof *shift);
    uint32_t actor = shift ? sim_engine_add_actor(outages->engine, on_change, shift) : UINT32_MAX;
    if (actor == UINT32_MAX) {
        free(shift);
        error_out_of_memory(error, "chips that come and go");
        return false;
    }
    *shift = (struct shift){outages->shifts, outages, first, next, *available, actor};
    outages->shifts = shift;
    if (availability_at(available, sim_engine_now(outages->engine)))
        schedule_change(shift);
    else
        outages_schedule(outages, 0, actor, 0);
    return true;
}

void outages_free_shifts(struct outages *outages)
{
    while (outages->shifts) {
        struct shift *shift = outages->shifts;
        outages->shifts = shift->next;
        free(shift);
    }
}
