/*
 * Invariant: a unit fills a slot, is in the list of its state in the reserve, is out, or is back and has
 * its slot settle. As many units are out or back as slots are empty and failed units are charged here, so
 * that all units are charged at every moment. An empty slot is settling (its timer is pending) or in the list
 * of those that wait.
 */
#include "models/failures/spares.h"

#include "models/priority.h"
#include <assert.h>
#include <stdlib.h>

#define NOBODY (-1)

/* First in, first out, and any member can leave. Links are by number in an array of LINKs. */
struct link {
    int32_t next, previous;
};

struct list {
    int32_t first, last;
    int64_t count;
};

enum place { READY, COLD, POOL, RESERVE_PLACES, IN_SLOT = RESERVE_PLACES, OUT, BACK };

struct spare_unit {
    int32_t slot;   /* that it fills or has filled last; NOBODY: none yet */
    int32_t faults; /* that have begun for the learner of its slot and not ended */
    uint8_t place;
    bool pooled; /* has not been drawn from the pool yet */
};

struct slot {
    int32_t unit;
    int32_t cause; /* that it is empty for */
    bool empty, waits;
    uint64_t mark;
    struct sim_handle settles;
};

struct spares {
    struct sim_engine *engine;
    const struct reserve_config *config;
    struct spares_observer observer;
    struct spare_unit *units;
    struct link *unit_links;
    struct slot *slots;
    struct link *slot_links;
    struct list reserve[RESERVE_PLACES], waiting;
    uint32_t settle_actor, start_actor, draw_actor;
    bool starting, drawing;
    bool refilling;  /* when-empty only: from the first slot without a ready unit to the end of the start */
    bool drawing_up; /* of that: the cold ones did not suffice */
    int64_t failed;  /* units charged here */
    sim_time since;  /* charged up to here */
    struct spares_counts counts;
};

/* Lists. */

static void append(struct list *list, struct link *links, int32_t member)
{
    links[member] = (struct link){NOBODY, list->last};
    if (list->last == NOBODY)
        list->first = member;
    else
        links[list->last].next = member;
    list->last = member;
    list->count++;
}

static void take_off(struct list *list, struct link *links, int32_t member)
{
    struct link link = links[member];
    if (link.previous == NOBODY)
        list->first = link.next;
    else
        links[link.previous].next = link.next;
    if (link.next == NOBODY)
        list->last = link.previous;
    else
        links[link.next].previous = link.previous;
    list->count--;
}

/* Charging. */

static int64_t idle_units(const struct spares *spares)
{
    return spares->reserve[READY].count + spares->reserve[COLD].count + spares->reserve[POOL].count;
}

void spares_book(struct spares *spares)
{
    sim_time now = sim_engine_now(spares->engine), elapsed = now - spares->since;
    spares->since = now;
    if (elapsed > 0)
        spares->observer.charge(spares->observer.context, idle_units(spares), spares->failed, elapsed);
}

/* One more (+1) or less (-1) failed unit is charged here. */
static void change_failed(struct spares *spares, int32_t cause, int by)
{
    spares_book(spares);
    spares->failed += by;
    assert(spares->failed >= 0);
    spares->observer.reserve_cause(spares->observer.context, cause, by);
}

/* Places. */

static void enter_reserve(struct spares *spares, int32_t unit, enum place place)
{
    spares_book(spares);
    append(&spares->reserve[place], spares->unit_links, unit);
    spares->units[unit].place = (uint8_t)place;
}

static void leave_reserve(struct spares *spares, int32_t unit)
{
    spares_book(spares);
    take_off(&spares->reserve[spares->units[unit].place], spares->unit_links, unit);
}

/* The one that has been in PLACE longest moves to another. */
static void move_first(struct spares *spares, enum place from, enum place to)
{
    int32_t unit = spares->reserve[from].first;
    leave_reserve(spares, unit);
    enter_reserve(spares, unit, to);
}

static void fill(struct spares *spares, int32_t number, int32_t unit)
{
    struct slot *slot = &spares->slots[number];
    if (slot->waits)
        take_off(&spares->waiting, spares->slot_links, number);
    sim_engine_cancel(spares->engine, slot->settles);
    slot->settles = (struct sim_handle){0};
    slot->empty = slot->waits = false;
    slot->unit = unit;
    spares->units[unit].slot = number;
    spares->units[unit].place = IN_SLOT;
    spares->observer.slot_up(spares->observer.context, number, slot->cause, &slot->mark);
}

/* Whoever filled the slot before is charged here from now on. */
static void swap(struct spares *spares, int32_t number, int32_t unit)
{
    leave_reserve(spares, unit);
    change_failed(spares, spares->slots[number].cause, 1);
    spares->counts.swaps++;
    fill(spares, number, unit);
}

/* Making good what is missing. */

/* Units that slots and standbys are short of. */
static int64_t lack(const struct spares *spares)
{
    return spares->waiting.count + spares->config->standbys - spares->reserve[READY].count;
}

static bool is_wanted(struct spares *spares)
{
    if (spares->config->refill == RESERVE_AHEAD)
        return lack(spares) > 0;
    if (!spares->refilling && spares->waiting.count > 0) {
        spares->refilling = true;
        spares->drawing_up = spares->reserve[COLD].count < spares->waiting.count;
    }
    return spares->refilling;
}

static void after(struct spares *spares, sim_time delay, uint32_t actor)
{
    sim_engine_schedule(spares->engine, sim_time_add(sim_engine_now(spares->engine), delay), PRIORITY_OUTAGE,
                        actor, 0);
}

static void make_good(struct spares *spares)
{
    int64_t cold = spares->reserve[COLD].count;
    bool ahead = spares->config->refill == RESERVE_AHEAD;
    bool draws = spares->reserve[POOL].count > 0 && cold < lack(spares) && (ahead || spares->drawing_up);
    if (draws && !spares->drawing) {
        spares->drawing = true;
        after(spares, spares->config->draw_time, spares->draw_actor);
    }
    if (cold > 0 && !spares->starting && (ahead || !draws)) {
        spares->starting = true;
        after(spares, spares->config->start_time, spares->start_actor);
    }
}

static void serve(struct spares *spares)
{
    while (spares->waiting.count > 0 && spares->reserve[READY].count > 0)
        swap(spares, spares->waiting.first, spares->reserve[READY].first);
    if (is_wanted(spares))
        make_good(spares);
}

static void on_start_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct spares *spares = actor;
    spares->starting = spares->refilling = false;
    spares->counts.starts += spares->reserve[COLD].count > 0;
    while (spares->reserve[COLD].count > 0 && lack(spares) > 0)
        move_first(spares, COLD, READY);
    serve(spares);
}

static void on_draw_end(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)argument;
    struct spares *spares = actor;
    spares->drawing = false;
    if (spares->reserve[POOL].count > 0) {
        spares->units[spares->reserve[POOL].first].pooled = false;
        move_first(spares, POOL, COLD);
        spares->counts.draws++;
    }
    serve(spares);
}

static void on_settled(struct sim_engine *engine, void *actor, uint32_t number)
{
    (void)engine;
    struct spares *spares = actor;
    struct slot *slot = &spares->slots[number];
    slot->settles = (struct sim_handle){0};
    if (spares->units[slot->unit].place == BACK) {
        fill(spares, (int32_t)number, slot->unit);
        return;
    }
    slot->waits = true;
    append(&spares->waiting, spares->slot_links, (int32_t)number);
    serve(spares);
}

/* Units that come and go. */

static void empty(struct spares *spares, int32_t number, const struct fault *fault)
{
    struct slot *slot = &spares->slots[number];
    sim_time settled = sim_time_add(sim_engine_now(spares->engine), spares->config->swap_time);
    slot->empty = true;
    slot->cause = fault->cause;
    slot->settles =
        sim_engine_schedule(spares->engine, settled, PRIORITY_OUTAGE, spares->settle_actor, (uint32_t)number);
    spares->observer.slot_down(spares->observer.context, number, fault, &slot->mark);
}

void spares_unit_down(struct spares *spares, int64_t number, const struct fault *fault)
{
    struct spare_unit *unit = &spares->units[number];
    assert(unit->place != OUT);
    if (unit->place == BACK) {
        unit->place = OUT;
        spares_unit_cause(spares, number, spares->slots[unit->slot].cause, fault->cause);
        return;
    }
    bool in_slot = unit->place == IN_SLOT;
    if (!in_slot)
        leave_reserve(spares, (int32_t)number);
    unit->place = OUT;
    if (in_slot) {
        empty(spares, unit->slot, fault);
    } else {
        change_failed(spares, fault->cause, 1);
        serve(spares);
    }
}

/* Where units are being collected, it waits to be started with the others. */
static enum place place_of_return(const struct spares *spares, const struct spare_unit *unit)
{
    if (unit->pooled)
        return POOL;
    return lack(spares) > 0 && !spares->refilling ? READY : COLD;
}

/* Whether UNIT, which is out, has left its slot empty. */
static bool left_slot_empty(const struct spares *spares, int64_t number)
{
    int32_t slot = spares->units[number].slot;
    return slot != NOBODY && spares->slots[slot].unit == number;
}

void spares_unit_up(struct spares *spares, int64_t number, int32_t cause)
{
    struct spare_unit *unit = &spares->units[number];
    assert(unit->place == OUT);
    if (left_slot_empty(spares, number) && !spares->slots[unit->slot].waits) {
        unit->place = BACK;
    } else if (left_slot_empty(spares, number)) {
        fill(spares, unit->slot, (int32_t)number);
    } else {
        change_failed(spares, cause, -1);
        enter_reserve(spares, (int32_t)number, place_of_return(spares, unit));
    }
    serve(spares);
}

void spares_unit_cause(struct spares *spares, int64_t number, int32_t from, int32_t to)
{
    if (left_slot_empty(spares, number)) {
        int32_t slot = spares->units[number].slot;
        spares->slots[slot].cause = to;
        spares->observer.slot_cause(spares->observer.context, slot, from, to);
    } else {
        spares->observer.reserve_cause(spares->observer.context, from, -1);
        spares->observer.reserve_cause(spares->observer.context, to, 1);
    }
}

/* What ends with a unit's going down ends before another takes its slot. */
int64_t spares_unit_fault(struct spares *spares, int64_t number, bool begins, uint64_t **mark)
{
    struct spare_unit *unit = &spares->units[number];
    bool concerns = begins ? unit->place == IN_SLOT : unit->faults > 0;
    if (!concerns)
        return SPARES_NO_SLOT;
    unit->faults += begins ? 1 : -1;
    *mark = &spares->slots[unit->slot].mark;
    return unit->slot;
}

int64_t spares_slot_of(const struct spares *spares, int64_t unit)
{
    return spares->units[unit].place == IN_SLOT ? spares->units[unit].slot : SPARES_NO_SLOT;
}

int64_t spares_unit_of(const struct spares *spares, int64_t slot)
{
    return spares->slots[slot].unit;
}

const struct spares_counts *spares_counts(const struct spares *spares)
{
    return &spares->counts;
}

/* Building. */

static void put_units(struct spares *spares, int64_t slots)
{
    const struct reserve_config *config = spares->config;
    int64_t counts[RESERVE_PLACES] = {config->standbys, config->cold, config->pool};
    int32_t unit = 0;
    for (; unit < slots; unit++) {
        spares->units[unit] = (struct spare_unit){.slot = unit, .place = IN_SLOT};
        spares->slots[unit].unit = unit;
    }
    for (int place = READY; place < RESERVE_PLACES; place++)
        for (int64_t i = 0; i < counts[place]; i++, unit++) {
            spares->units[unit] = (struct spare_unit){.slot = NOBODY, .pooled = place == POOL};
            enter_reserve(spares, unit, (enum place)place);
        }
}

static bool build(struct spares *spares, int64_t slots)
{
    size_t units = (size_t)(slots + reserve_slices(spares->config));
    spares->units = calloc(units, sizeof *spares->units);
    spares->unit_links = calloc(units, sizeof *spares->unit_links);
    spares->slots = calloc((size_t)slots, sizeof *spares->slots);
    spares->slot_links = calloc((size_t)slots, sizeof *spares->slot_links);
    spares->settle_actor = sim_engine_add_actor(spares->engine, on_settled, spares);
    spares->start_actor = sim_engine_add_actor(spares->engine, on_start_end, spares);
    spares->draw_actor = sim_engine_add_actor(spares->engine, on_draw_end, spares);
    return spares->units && spares->unit_links && spares->slots && spares->slot_links &&
           spares->draw_actor != UINT32_MAX;
}

struct spares *spares_create(struct sim_engine *engine, const struct reserve_config *config, int64_t slots,
                             struct spares_observer observer, struct error *error)
{
    struct spares *spares = calloc(1, sizeof *spares);
    if (!spares) {
        error_out_of_memory(error, "the spares");
        return NULL;
    }
    spares->engine = engine;
    spares->config = config;
    spares->observer = observer;
    spares->since = sim_engine_now(engine);
    spares->waiting = (struct list){NOBODY, NOBODY, 0};
    for (int place = READY; place < RESERVE_PLACES; place++)
        spares->reserve[place] = spares->waiting;
    if (!build(spares, slots)) {
        error_out_of_memory(error, "the spares");
        spares_destroy(spares);
        return NULL;
    }
    put_units(spares, slots);
    return spares;
}

void spares_destroy(struct spares *spares)
{
    if (!spares)
        return;
    free(spares->units);
    free(spares->unit_links);
    free(spares->slots);
    free(spares->slot_links);
    free(spares);
}
