/*
 * Invariant: a slice's REASONS are the spells in phase DOWN that cover it, its CONDITIONS those before that;
 * the observer takes it for down while it has reasons or is away.
 *
 * A spell says nothing of single slices. Whether it still bears on one follows from ORDER, which counts every
 * change: the slice is there, and has neither gone nor come since the spell struck.
 */
#include "models/failures/outages_internal.h"

/* Telling the observer. */

static void tell_fault(const struct outages *outages, const struct spell *spell, struct unit *slice,
                       bool begins)
{
    const struct outages_observer *observer = &outages->observer;
    struct fault fault = spell->fault;
    if (!begins && fault.kind == FAULT_CORRUPTION)
        fault.detection = sim_engine_now(outages->engine) - spell->struck;
    if (observer->slice_fault)
        observer->slice_fault(observer->context, slice->number,
                              units_chips_in(outages->units, fault.domain, fault.unit, slice->number), &fault,
                              begins, &slice->mark);
}

static bool ends_with_its_slice(const struct spell *spell)
{
    return spell->phase == SPELL_LASTING ||
           (spell->phase == SPELL_PENDING && fault_is_hidden(spell->fault.kind));
}

/* SLICE has been there up to this moment; SINCE is its last change before. */
static void end_conditions(struct outages *outages, struct unit *slice, uint64_t since)
{
    for (uint32_t i = 0; slice->conditions > 0 && i < outages->spells.used; i++) {
        const struct spell *spell = &outages->spells.all[i];
        if (ends_with_its_slice(spell) && outages_covers(spell, slice->number) && since < spell->order)
            tell_fault(outages, spell, slice, false);
    }
}

/* SLICE, which was there, is not any more. */
void outages_tell_down(struct outages *outages, struct unit *slice, const struct fault *fault)
{
    uint64_t since = slice->changed;
    slice->changed = ++outages->order;
    outages->observer.slice_down(outages->observer.context, slice->number, fault, &slice->mark);
    end_conditions(outages, slice, since);
}

void outages_tell_up(struct outages *outages, struct unit *slice, int32_t cause)
{
    slice->changed = ++outages->order;
    outages->observer.slice_up(outages->observer.context, slice->number, cause, &slice->mark);
}

/* Slices of a spell. */

struct unit *outages_slice(struct outages *outages, int64_t number)
{
    struct unit *slice = unit_table_get(&outages->slices, number);
    outages->failed |= !slice;
    return slice;
}

void outages_take_down(struct outages *outages, struct spell *spell)
{
    spell->since = sim_engine_now(outages->engine);
    const struct fault fault = spell->fault;
    const struct units_run run = spell->run;
    for (int64_t number = run.first; number < run.end; number++) {
        struct unit *slice = outages_slice(outages, number);
        if (!slice)
            return;
        bool was_there = outages_is_there(slice);
        if (slice->reasons++ == 0)
            slice->cause = fault.cause;
        if (was_there)
            outages_tell_down(outages, slice, &fault);
    }
}

/* The earliest of the faults that keep SLICE down; there is one. */
static int32_t first_cause(const struct outages *outages, const struct unit *slice)
{
    const struct spell *first = NULL;
    for (uint32_t i = 0; i < outages->spells.used; i++) {
        const struct spell *spell = &outages->spells.all[i];
        if (spell->phase == SPELL_DOWN && outages_covers(spell, slice->number) &&
            (!first || spell->order < first->order))
            first = spell;
    }
    return first->fault.cause;
}

static void pass_on(struct outages *outages, struct unit *slice)
{
    int32_t from = slice->cause;
    slice->cause = first_cause(outages, slice);
    if (slice->cause != from && !slice->away && outages->observer.slice_cause)
        outages->observer.slice_cause(outages->observer.context, slice->number, from, slice->cause);
}

/* SPELL is over. */
void outages_let_up(struct outages *outages, const struct spell *spell)
{
    if (outages_is_failure(&spell->fault)) {
        outages->returns++;
        outages->seconds_down += sim_time_to_seconds(sim_engine_now(outages->engine) - spell->since);
    }
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = outages_slice(outages, number);
        if (!slice)
            return;
        slice->reasons--;
        if (outages_is_there(slice))
            outages_tell_up(outages, slice, slice->cause);
        else if (slice->reasons > 0 && slice->cause == spell->fault.cause)
            pass_on(outages, slice);
    }
}

/* What SPELL does short of taking slices down begins or ends. */
void outages_begin_condition(struct outages *outages, const struct spell *spell)
{
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = outages_slice(outages, number);
        if (!slice)
            return;
        slice->conditions++;
        if (outages_bears_on(spell, slice))
            tell_fault(outages, spell, slice, true);
    }
}

void outages_end_condition(struct outages *outages, const struct spell *spell)
{
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = outages_slice(outages, number);
        if (!slice)
            return;
        slice->conditions--;
        if (outages_bears_on(spell, slice))
            tell_fault(outages, spell, slice, false);
    }
}

void outages_put_behind(struct outages *outages, int64_t number)
{
    bool any = false;
    for (uint32_t i = 0; i < outages->spells.used; i++)
        any |=
            ends_with_its_slice(&outages->spells.all[i]) && outages_covers(&outages->spells.all[i], number);
    struct unit *slice = any ? outages_slice(outages, number) : NULL;
    if (slice)
        slice->changed = ++outages->order;
}

bool outages_is_down(struct outages *outages, enum fault_domain domain, int64_t unit)
{
    struct units_run run = units_slices(outages->units, domain, unit);
    for (int64_t number = run.first; number < run.end; number++) {
        const struct unit *slice = outages_slice(outages, number);
        if (!slice || outages_is_there(slice))
            return false;
    }
    return run.end > run.first;
}
