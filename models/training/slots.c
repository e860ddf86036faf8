#include "models/training/slots.h"

#include "models/training/world.h"
#include <stdlib.h>

struct slots {
    struct world *world;
    struct outages_observer of_slots;
    struct spares *spares;
};

/* From slices to slots. */

static void on_slice_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    (void)mark;
    spares_unit_down(((struct slots *)context)->spares, slice, fault);
}

static void on_slice_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    (void)mark;
    spares_unit_up(((struct slots *)context)->spares, slice, cause);
}

static void on_slice_cause(void *context, int64_t slice, int32_t from, int32_t to)
{
    spares_unit_cause(((struct slots *)context)->spares, slice, from, to);
}

static void on_slice_fault(void *context, int64_t slice, int64_t chips, const struct fault *fault,
                           bool begins, uint64_t *mark)
{
    const struct slots *slots = context;
    int64_t slot = spares_unit_fault(slots->spares, slice, begins, &mark);
    if (slot != SPARES_NO_SLOT)
        slots->of_slots.slice_fault(slots->of_slots.context, slot, chips, fault, begins, mark);
}

/* The slice of another slot of the same learner. */
static int64_t on_bystander(void *context, int64_t slice, struct sim_stream *draws)
{
    const struct slots *slots = context;
    int64_t slot = spares_slot_of(slots->spares, slice);
    if (slot == SPARES_NO_SLOT)
        return -1;
    slot = slots->of_slots.bystander(slots->of_slots.context, slot, draws);
    return slot < 0 ? -1 : spares_unit_of(slots->spares, slot);
}

static bool is_at_work(void *context, int64_t slice)
{
    const struct slots *slots = context;
    int64_t slot = spares_slot_of(slots->spares, slice);
    return slot != SPARES_NO_SLOT && slots->of_slots.is_at_work(slots->of_slots.context, slot);
}

static bool on_link_fault(void *context, const struct fault *fault, bool begins)
{
    const struct slots *slots = context;
    return slots->of_slots.link_fault(slots->of_slots.context, fault, begins);
}

static bool on_syncer_fault(void *context, const struct fault *fault, bool begins)
{
    const struct slots *slots = context;
    return slots->of_slots.syncer_fault(slots->of_slots.context, fault, begins);
}

struct outages_observer slots_observer(struct slots *slots)
{
    const struct outages_observer *of_slots = &slots->of_slots;
    return (struct outages_observer){.context = slots,
                                     .slice_down = on_slice_down,
                                     .slice_up = on_slice_up,
                                     .slice_cause = on_slice_cause,
                                     .slice_fault = of_slots->slice_fault ? on_slice_fault : NULL,
                                     .bystander = on_bystander,
                                     .is_at_work = is_at_work,
                                     .link_fault = of_slots->link_fault ? on_link_fault : NULL,
                                     .syncer_fault = of_slots->syncer_fault ? on_syncer_fault : NULL};
}

/* From slots to learners, and what the spares cost: there is one class of chips where there are any. */

static void on_slot_down(void *context, int64_t slot, const struct fault *fault, uint64_t *mark)
{
    const struct slots *slots = context;
    slots->of_slots.slice_down(slots->of_slots.context, slot, fault, mark);
}

static void on_slot_up(void *context, int64_t slot, int32_t cause, uint64_t *mark)
{
    const struct slots *slots = context;
    outages_put_behind(slots->world->outages, spares_unit_of(slots->spares, slot));
    slots->of_slots.slice_up(slots->of_slots.context, slot, cause, mark);
}

static void on_slot_cause(void *context, int64_t slot, int32_t from, int32_t to)
{
    const struct slots *slots = context;
    slots->of_slots.slice_cause(slots->of_slots.context, slot, from, to);
}

static void on_reserve_cause(void *context, int32_t cause, int by)
{
    struct world *world = ((struct slots *)context)->world;
    waste_stand(&world->waste, cause, BUDGET_DOWN, by * world->layout.chips_per_slice,
                sim_engine_now(world->engine));
}

static void on_charge(void *context, int64_t idle, int64_t failed, sim_time elapsed)
{
    const struct world *world = ((struct slots *)context)->world;
    int64_t chips = world->layout.chips_per_slice;
    sim_ledger_charge(&world->ledgers[0], BUDGET_IDLE_SPARE, idle * chips, elapsed);
    sim_ledger_charge(&world->ledgers[0], BUDGET_DOWN, failed * chips, elapsed);
}

struct slots *slots_create(struct world *world, struct outages_observer of_slots, struct error *error)
{
    struct slots *slots = malloc(sizeof *slots);
    if (!slots) {
        error_out_of_memory(error, "the spares");
        return NULL;
    }
    struct spares_observer observer = {slots,         on_slot_down,     on_slot_up,
                                       on_slot_cause, on_reserve_cause, on_charge};
    *slots = (struct slots){.world = world, .of_slots = of_slots};
    slots->spares =
        spares_create(world->engine, &world->config->cluster.spares, world->layout.slices, observer, error);
    if (slots->spares)
        return slots;
    free(slots);
    return NULL;
}

void slots_destroy(struct slots *slots)
{
    if (!slots)
        return;
    spares_destroy(slots->spares);
    free(slots);
}

void slots_book(struct slots *slots)
{
    if (slots)
        spares_book(slots->spares);
}

struct spares_counts slots_counts(const struct slots *slots)
{
    return slots ? *spares_counts(slots->spares) : (struct spares_counts){0};
}
