/*
 * Invariant: a slice's REASONS are the spells in phase DOWN that cover it, its CONDITIONS those before that;
 * the observer takes it for down while it has reasons or is away.
 *
 * A spell says nothing of single slices. Whether it still bears on one follows from ORDER, which counts every
 * change: the slice is there, and has neither gone nor come since the spell struck.
 */
#include "models/failures/outages.h"

#include "models/failures/chip_failures.h"
#include "models/failures/source.h"
#include "models/failures/spells.h"
#include "models/failures/unit_table.h"
#include "models/priority.h"
#include "models/purpose.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Slices that come and go together. */
struct shift {
    struct shift *next;
    struct outages *outages;
    int64_t first, end; /* slices */
    struct availability available;
    uint32_t actor;
};

struct outages {
    struct sim_engine *engine;
    struct outages_observer observer;
    const struct units *units;
    struct sim_distribution *repair;     /* seconds */
    struct repair_shop *shop;            /* NULL where there is no more to a repair than its time */
    struct repair_counts repairs_before; /* counting began */
    bool only_in_steps;
    struct sim_distribution *detection[FAULT_KINDS]; /* NULL: at once */
    uint64_t seed;
    uint32_t replication;
    sim_time horizon;
    struct causes causes;
    struct unit_table slices;
    struct spells spells;
    struct chip_failures *chips;
    struct source **sources; /* of the other processes */
    size_t source_count;
    struct shift *shifts;
    bool houses_syncer;
    int64_t syncer_site; /* -1: at none */
    uint64_t order;      /* changes so far */
    uint64_t count;
    uint64_t returns; /* of failures, and the seconds that they took */
    double seconds_down;
    uint32_t spell_actor;
    bool failed;
};

/* What a slice is down for that comes and goes. */
static const struct fault going_away = {.kind = FAULT_MAINTENANCE, .cause = FAULT_NO_CAUSE};

static struct sim_handle schedule(struct outages *outages, sim_time delay, uint32_t actor, uint32_t argument)
{
    sim_time time = sim_time_add(sim_engine_now(outages->engine), delay);
    if (time > outages->horizon)
        return (struct sim_handle){0};
    return sim_engine_schedule(outages->engine, time, PRIORITY_OUTAGE, actor, argument);
}

static struct unit *slice_of(struct outages *outages, int64_t number)
{
    struct unit *slice = unit_table_get(&outages->slices, number);
    outages->failed |= !slice;
    return slice;
}

static bool is_there(const struct unit *slice)
{
    return slice->reasons == 0 && !slice->away;
}

static bool bears_on(const struct spell *spell, const struct unit *slice)
{
    return is_there(slice) && slice->changed < spell->order;
}

static bool covers(const struct spell *spell, int64_t slice)
{
    return slice >= spell->run.first && slice < spell->run.end;
}

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
        if (ends_with_its_slice(spell) && covers(spell, slice->number) && since < spell->order)
            tell_fault(outages, spell, slice, false);
    }
}

/* SLICE, which was there, is not any more. */
static void tell_down(struct outages *outages, struct unit *slice, const struct fault *fault)
{
    uint64_t since = slice->changed;
    slice->changed = ++outages->order;
    outages->observer.slice_down(outages->observer.context, slice->number, fault, &slice->mark);
    end_conditions(outages, slice, since);
}

static void tell_up(struct outages *outages, struct unit *slice, int32_t cause)
{
    slice->changed = ++outages->order;
    outages->observer.slice_up(outages->observer.context, slice->number, cause, &slice->mark);
}

/* Slices of a spell. */

static void take_down(struct outages *outages, struct spell *spell)
{
    spell->since = sim_engine_now(outages->engine);
    const struct fault fault = spell->fault;
    const struct units_run run = spell->run;
    for (int64_t number = run.first; number < run.end; number++) {
        struct unit *slice = slice_of(outages, number);
        if (!slice)
            return;
        bool was_there = is_there(slice);
        if (slice->reasons++ == 0)
            slice->cause = fault.cause;
        if (was_there)
            tell_down(outages, slice, &fault);
    }
}

/* The earliest of the faults that keep SLICE down; there is one. */
static int32_t first_cause(const struct outages *outages, const struct unit *slice)
{
    const struct spell *first = NULL;
    for (uint32_t i = 0; i < outages->spells.used; i++) {
        const struct spell *spell = &outages->spells.all[i];
        if (spell->phase == SPELL_DOWN && covers(spell, slice->number) &&
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

static bool is_failure(const struct fault *fault);

/* SPELL is over. */
static void let_up(struct outages *outages, const struct spell *spell)
{
    if (is_failure(&spell->fault)) {
        outages->returns++;
        outages->seconds_down += sim_time_to_seconds(sim_engine_now(outages->engine) - spell->since);
    }
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = slice_of(outages, number);
        if (!slice)
            return;
        slice->reasons--;
        if (is_there(slice))
            tell_up(outages, slice, slice->cause);
        else if (slice->reasons > 0 && slice->cause == spell->fault.cause)
            pass_on(outages, slice);
    }
}

/* What SPELL does short of taking slices down begins or ends. */
static void begin_condition(struct outages *outages, const struct spell *spell)
{
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = slice_of(outages, number);
        if (!slice)
            return;
        slice->conditions++;
        if (bears_on(spell, slice))
            tell_fault(outages, spell, slice, true);
    }
}

static void end_condition(struct outages *outages, const struct spell *spell)
{
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        struct unit *slice = slice_of(outages, number);
        if (!slice)
            return;
        slice->conditions--;
        if (bears_on(spell, slice))
            tell_fault(outages, spell, slice, false);
    }
}

static bool tell_network(const struct outages *outages, const struct fault *fault, bool begins)
{
    const struct outages_observer *observer = &outages->observer;
    bool syncer = fault->domain == FAULT_OF_SYNCER;
    return (syncer ? observer->syncer_fault : observer->link_fault)(observer->context, fault, begins);
}

/* The course of a fault. */

static bool strikes_links(const struct fault *fault)
{
    return fault->kind == FAULT_LOSS || fault->kind == FAULT_THROTTLE || fault->kind == FAULT_PARTITION;
}

static bool strikes_network(const struct fault *fault)
{
    return fault->domain == FAULT_OF_SYNCER || fault->domain == FAULT_OF_LINK || strikes_links(fault);
}

static struct sim_handle set_phase(struct outages *outages, uint32_t number, enum spell_phase phase,
                                   sim_time length)
{
    outages->spells.all[number].phase = phase;
    return schedule(outages, length, outages->spell_actor, number);
}

static bool brings_down(const struct fault *fault)
{
    return fault->kind == FAULT_STOP || fault->kind == FAULT_PREEMPTION || fault->kind == FAULT_MAINTENANCE;
}

static bool strike(struct outages *outages, struct fault *fault);

/* A syncer that is at a site which goes, or with the whole cluster, goes with it, and is back when that is
 * (where that is repaired in stages, after a time of its own). True where it does. */
static bool take_syncer(struct outages *outages, const struct fault *fault)
{
    bool there = fault->domain == FAULT_OF_CLUSTER ||
                 (fault->domain == FAULT_OF_SITE && fault->unit == outages->syncer_site);
    struct fault syncer = *fault;
    if (!outages->houses_syncer || !there || !brings_down(fault))
        return false;
    syncer.kind = FAULT_STOP;
    syncer.domain = FAULT_OF_SYNCER;
    syncer.unit = 0;
    syncer.duration = fault->duration == SIM_NEVER ? -1 : fault->duration;
    return strike(outages, &syncer);
}

/* The return is scheduled before whatever the observer schedules. */
static void lie_down(struct outages *outages, uint32_t number)
{
    struct spell *spell = &outages->spells.all[number];
    set_phase(outages, number, SPELL_DOWN, spell->fault.duration);
    take_down(outages, spell);
}

/* It is found out, or its notice is up. Still pending while its slices go down, it ends with them, so that
 * nobody goes on without knowing. */
static void come_to_light(struct outages *outages, uint32_t number)
{
    struct spell *spell = &outages->spells.all[number];
    schedule(outages, spell->fault.duration, outages->spell_actor, number);
    take_down(outages, spell);
    end_condition(outages, spell);
    spell->phase = SPELL_DOWN;
    const struct fault fault = spell->fault;
    take_syncer(outages, &fault);
}

/* Whether SPELL, which is found out, is over: slices take with them what was the matter with them. */
static bool has_gone(struct outages *outages, const struct spell *spell)
{
    if (!fault_is_hidden(spell->fault.kind))
        return false;
    for (int64_t number = spell->run.first; number < spell->run.end; number++) {
        const struct unit *slice = slice_of(outages, number);
        if (!slice || bears_on(spell, slice))
            return false;
    }
    return true;
}

/* False where those that it would strike have nothing to do with it; it is over then. */
static bool begin(struct outages *outages, uint32_t number)
{
    struct spell *spell = &outages->spells.all[number];
    const struct fault *fault = &spell->fault;
    bool slices = !strikes_network(fault), lasts = fault->kind == FAULT_SLOW || fault->kind == FAULT_STALL;
    bool found_out = fault_is_hidden(fault->kind);
    if (!slices) {
        struct sim_handle end = set_phase(outages, number, SPELL_LASTING, fault->duration);
        if (!tell_network(outages, fault, true)) {
            sim_engine_cancel(outages->engine, end);
            spells_remove(&outages->spells, number);
            return false;
        }
    } else if (!lasts && !found_out && fault->notice == 0) {
        lie_down(outages, number);
    } else {
        sim_time pending = found_out ? fault->detection : fault->notice;
        set_phase(outages, number, lasts ? SPELL_LASTING : SPELL_PENDING, lasts ? fault->duration : pending);
        begin_condition(outages, spell);
    }
    return true;
}

static void on_spell(struct sim_engine *engine, void *actor, uint32_t number)
{
    (void)engine;
    struct outages *outages = actor;
    const struct spell spell = outages->spells.all[number];
    if (spell.phase == SPELL_PENDING && !has_gone(outages, &spell)) {
        come_to_light(outages, number);
        return;
    }
    spells_remove(&outages->spells, number);
    if (spell.phase == SPELL_DOWN)
        let_up(outages, &spell);
    else if (strikes_network(&spell.fault))
        tell_network(outages, &spell.fault, false);
    else
        end_condition(outages, &spell);
}

/* Striking. */

/* Something of the same cause is the matter with the same unit already. */
static bool lasts_already(const struct outages *outages, const struct fault *fault)
{
    for (uint32_t i = 0; i < outages->spells.used; i++) {
        const struct spell *spell = &outages->spells.all[i];
        bool lasts = spell->phase == SPELL_LASTING || spell->phase == SPELL_PENDING;
        if (lasts && spell->fault.cause == fault->cause && spell->fault.domain == fault->domain &&
            spell->fault.unit == fault->unit)
            return true;
    }
    return false;
}

static bool is_down_through(const struct outages *outages, const struct unit *slice, int32_t cause)
{
    if (slice->reasons == 0 || slice->cause == cause)
        return slice->reasons > 0;
    for (uint32_t i = 0; slice->reasons > 1 && i < outages->spells.used; i++) {
        const struct spell *spell = &outages->spells.all[i];
        if (spell->phase == SPELL_DOWN && spell->fault.cause == cause && covers(spell, slice->number))
            return true;
    }
    return false;
}

static bool is_met(const struct outages *outages, const struct unit *slice, const struct fault *fault)
{
    if (brings_down(fault))
        return !slice->away && !is_down_through(outages, slice, fault->cause);
    return is_there(slice);
}

static bool meets_something(struct outages *outages, const struct fault *fault, struct units_run run)
{
    for (int64_t number = run.first; number < run.end; number++) {
        const struct unit *slice = slice_of(outages, number);
        if (slice && is_met(outages, slice, fault))
            return slice->conditions == 0 || !lasts_already(outages, fault);
    }
    return false;
}

static bool exists(const struct outages *outages, const struct fault *fault)
{
    bool counted = fault->domain != FAULT_OF_LINK; /* of links, more can be named than are counted */
    if (fault->unit < 0 || (counted && fault->unit >= units_count(outages->units, fault->domain)))
        return false;
    if (!strikes_network(fault))
        return true;
    return fault->domain == FAULT_OF_SYNCER ? outages->observer.syncer_fault != NULL
                                            : outages->observer.link_fault != NULL;
}

/* The n-th repair of a slice with a failed chip is its own, the n-th of a cause is the cause's. */
static struct sim_stream open_repair(struct outages *outages, const struct fault *fault, struct units_run run)
{
    struct sim_stream stream;
    uint64_t struck = outages->causes.records[fault->cause].struck;
    if (fault->cause == FAULT_CAUSE_CHIP && run.end - run.first == 1) {
        struct unit *slice = slice_of(outages, run.first);
        sim_stream_open(&stream, outages->seed, outages->replication, PURPOSE_REPAIR,
                        PURPOSE_NTH(slice->number, ++slice->events));
    } else {
        sim_stream_open(&stream, outages->seed, outages->replication, PURPOSE_FAULT_REPAIR,
                        (uint64_t)fault->cause << 32 | struck);
    }
    return stream;
}

static sim_time draw_repair(struct outages *outages, const struct fault *fault, struct units_run run)
{
    struct sim_stream stream = open_repair(outages, fault, run);
    return sim_time_from_seconds(sim_distribution_sample(outages->repair, &stream));
}

static sim_time draw_detection(const struct outages *outages, const struct fault *fault)
{
    const struct sim_distribution *law = outages->detection[fault->kind];
    struct sim_stream stream;
    if (!law)
        return 0;
    sim_stream_open(&stream, outages->seed, outages->replication, PURPOSE_DETECTION,
                    (uint64_t)fault->cause << 32 | outages->causes.records[fault->cause].struck);
    return sim_time_from_seconds(sim_distribution_sample(law, &stream));
}

static bool has_notice(const struct fault *fault)
{
    return fault->kind == FAULT_PREEMPTION || fault->kind == FAULT_MAINTENANCE;
}

static void fill_in(struct outages *outages, struct fault *fault, struct units_run run)
{
    if (fault->duration < 0)
        fault->duration = draw_repair(outages, fault, run);
    if (fault->detection < 0)
        fault->detection = draw_detection(outages, fault);
    if (fault->notice < 0 || !has_notice(fault))
        fault->notice = 0;
}

static bool is_failure(const struct fault *fault)
{
    return !strikes_network(fault) && fault_is_failure(fault->kind);
}

/* What it takes until the unit is whole again. */
static sim_time time_of(const struct fault *fault)
{
    bool found_out = fault_is_hidden(fault->kind);
    return sim_time_add(fault->duration, found_out ? fault->detection : fault->notice);
}

/* Repairs in stages. */

/* Whether FAULT, as it was given, goes through them. */
static bool is_for_the_shop(const struct outages *outages, const struct fault *fault)
{
    return outages->shop && fault->kind == FAULT_STOP && fault->duration < 0 && fault->notice <= 0 &&
           !strikes_network(fault);
}

/* A slice that works with the one in RUN and is there; -1 if none is found. */
static int64_t find_bystander(struct outages *outages, struct units_run run, struct sim_stream *draws)
{
    const struct outages_observer *observer = &outages->observer;
    for (int i = 0; observer->bystander && run.end - run.first == 1 && i < 20; i++) {
        int64_t number = observer->bystander(observer->context, run.first, draws);
        const struct unit *slice = number < 0 || number == run.first ? NULL : slice_of(outages, number);
        if (slice && is_there(slice))
            return number;
    }
    return -1;
}

/* What strikes where the fault is still in the unit: of a single slice, the slice, since a failed chip is as
 * good as new with its slice's return. */
static struct fault fault_again(const struct fault *fault, struct units_run run)
{
    struct fault again = *fault;
    if (run.end - run.first == 1) {
        again.domain = FAULT_OF_SLICE;
        again.unit = run.first;
    }
    return again;
}

/* Who is taken out for FAULT, in *FAULT and *RUN, and until when. */
static struct repair_course diagnose(struct outages *outages, struct fault *fault, struct units_run *run)
{
    struct sim_stream draws = open_repair(outages, fault, *run);
    struct repair_course course = repair_draw(outages->shop, &draws);
    const struct fault again = fault_again(fault, *run);
    int64_t bystander = course.diagnosis == REPAIR_MISDIAGNOSED ? find_bystander(outages, *run, &draws) : -1;
    if (course.diagnosis == REPAIR_MISDIAGNOSED && bystander < 0)
        course.diagnosis = REPAIR_FOUND;
    if (course.diagnosis != REPAIR_FOUND)
        repair_leave(outages->shop, &again, &course);
    if (bystander >= 0) {
        *run = (struct units_run){bystander, bystander + 1};
        *fault = fault_again(fault, *run);
        course.broken = false;
    }
    fault->duration = course.diagnosis == REPAIR_UNDIAGNOSED ? 0 : SIM_NEVER;
    return course;
}

/* Spell NUMBER ends with the repair. */
static void bring_in(struct outages *outages, uint32_t number, const struct repair_course *course)
{
    const struct spell *spell = &outages->spells.all[number];
    struct fault again = fault_again(&spell->fault, spell->run);
    again.duration = -1;
    bool single = spell->run.end - spell->run.first == 1;
    outages->spells.all[number].bystander = course->diagnosis == REPAIR_MISDIAGNOSED;
    if (spell->fault.duration == SIM_NEVER)
        repair_begin(outages->shop, number, single ? spell->run.first : -1, &again, course);
}

/* Whoever made FAULT hears of the unit's return. */
static void renew(struct outages *outages, const struct fault *fault, bool whole)
{
    if (fault->cause == FAULT_CAUSE_CHIP && fault->domain == FAULT_OF_CHIP)
        chip_failures_renew(outages->chips, fault->unit);
    for (size_t i = 0; i < outages->source_count; i++)
        source_hears(outages->sources[i], fault, whole);
}

static void on_repaired(void *context, uint32_t number, const struct fault *again, bool broken)
{
    (void)again;
    struct outages *outages = context;
    const struct spell spell = outages->spells.all[number];
    spells_remove(&outages->spells, number);
    let_up(outages, &spell);
    if (!spell.bystander)
        renew(outages, &spell.fault, !broken);
}

static void on_relapse(void *context, const struct fault *fault)
{
    outages_strike(context, fault);
}

static bool strike(struct outages *outages, struct fault *fault)
{
    struct units_run run = {0, 0};
    struct repair_course course;
    bool for_the_shop = is_for_the_shop(outages, fault);
    if (!exists(outages, fault))
        return false;
    if (strikes_network(fault)) {
        if (lasts_already(outages, fault))
            return false;
    } else {
        run = units_slices(outages->units, fault->domain, fault->unit);
        if (!meets_something(outages, fault, run))
            return false;
    }
    if (for_the_shop)
        course = diagnose(outages, fault, &run);
    fill_in(outages, fault, run);
    uint32_t number = spells_add(&outages->spells, fault, run, ++outages->order);
    outages->failed |= number == SPELLS_NONE;
    if (number == SPELLS_NONE)
        return false;
    outages->spells.all[number].struck = sim_engine_now(outages->engine);
    outages->count += is_failure(fault);
    if (for_the_shop)
        bring_in(outages, number, &course);
    return begin(outages, number);
}

/* Whoever is told of at once goes at once. */
static bool strike_all(struct outages *outages, struct fault *fault)
{
    bool struck = strike(outages, fault), waits = struck && fault->notice > 0;
    return (!waits && take_syncer(outages, fault)) || struck;
}

enum fault_outcome outages_strike_until(struct outages *outages, const struct fault *given,
                                        sim_time *returns_in)
{
    struct fault fault = *given;
    enum fault_outcome outcome = strike_all(outages, &fault) ? FAULT_STRUCK : FAULT_IGNORED;
    causes_count(&outages->causes, fault.cause, outcome, sim_engine_now(outages->engine));
    bool another = fault.domain != given->domain || fault.unit != given->unit; /* was taken out */
    *returns_in = outcome == FAULT_STRUCK && !another ? time_of(&fault) : 0;
    return outcome;
}

void outages_house_syncer(struct outages *outages, int64_t site)
{
    outages->houses_syncer = true;
    outages->syncer_site = site;
}

enum fault_outcome outages_strike(struct outages *outages, const struct fault *fault)
{
    sim_time returns_in;
    return outages_strike_until(outages, fault, &returns_in);
}

void outages_put_behind(struct outages *outages, int64_t number)
{
    bool any = false;
    for (uint32_t i = 0; i < outages->spells.used; i++)
        any |= ends_with_its_slice(&outages->spells.all[i]) && covers(&outages->spells.all[i], number);
    struct unit *slice = any ? slice_of(outages, number) : NULL;
    if (slice)
        slice->changed = ++outages->order;
}

bool outages_is_down(struct outages *outages, enum fault_domain domain, int64_t unit)
{
    struct units_run run = units_slices(outages->units, domain, unit);
    for (int64_t number = run.first; number < run.end; number++) {
        const struct unit *slice = slice_of(outages, number);
        if (!slice || is_there(slice))
            return false;
    }
    return run.end > run.first;
}

/* Slices that come and go. */

static int32_t cause_of(const struct unit *slice)
{
    return slice->reasons > 0 ? slice->cause : FAULT_NO_CAUSE;
}

static void go(struct outages *outages, struct unit *slice)
{
    bool was_there = is_there(slice);
    slice->away = true;
    if (was_there)
        tell_down(outages, slice, &going_away);
    outages->observer.slice_away(outages->observer.context, slice->number, true, cause_of(slice));
}

static void come(struct outages *outages, struct unit *slice)
{
    slice->away = false;
    outages->observer.slice_away(outages->observer.context, slice->number, false, cause_of(slice));
    if (slice->reasons == 0)
        tell_up(outages, slice, FAULT_NO_CAUSE);
}

static void schedule_change(struct shift *shift)
{
    struct outages *outages = shift->outages;
    sim_time now = sim_engine_now(outages->engine), next = availability_next(&shift->available, now);
    if (next < SIM_NEVER)
        schedule(outages, next - now, shift->actor, 0);
}

static void on_change(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)argument;
    struct shift *shift = actor;
    struct outages *outages = shift->outages;
    bool here = availability_at(&shift->available, sim_engine_now(engine));
    for (int64_t number = shift->first; number < shift->end; number++) {
        struct unit *slice = slice_of(outages, number);
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
        schedule(outages, 0, actor, 0);
    return true;
}

/* Life. */

int32_t outages_add_cause(struct outages *outages, const struct fault_cause *cause, struct error *error)
{
    return causes_add(&outages->causes, cause, error);
}

static bool create_detection(struct outages *outages, enum fault_kind kind, const struct sim_law_spec *spec,
                             struct error *error)
{
    if (process_law_is_given(spec))
        outages->detection[kind] = sim_distribution_create(spec, error);
    return !process_law_is_given(spec) || outages->detection[kind];
}

static bool create_laws(struct outages *outages, const struct failure_config *config, struct error *error)
{
    const struct detection_config *detection = &config->detection;
    outages->repair = sim_distribution_create(&config->repair, error);
    return outages->repair && create_detection(outages, FAULT_STOP, &detection->stop, error) &&
           create_detection(outages, FAULT_HANG, &detection->hang, error) &&
           create_detection(outages, FAULT_CORRUPTION, &detection->corruption, error);
}

/* The process with that NUMBER gets a cause, and begins if anything fails at all. */
static bool add_source(struct outages *outages, const struct failure_config *config, size_t number,
                       struct error *error)
{
    const struct failure_process *process = (const struct failure_process *)config->processes.items + number;
    struct fault_cause cause = {.kind = (enum fault_kind)process->kind,
                                .domain = (enum fault_domain)process->domain};
    snprintf(cause.name, sizeof cause.name, "%s", process->name);
    struct source_setting setting = {.seed = outages->seed,
                                     .replication = outages->replication,
                                     .horizon = outages->horizon,
                                     .number = (uint32_t)number,
                                     .cause = causes_add(&outages->causes, &cause, error)};
    if (setting.cause == FAULT_NO_CAUSE)
        return false;
    if (!config->enabled)
        return true;
    struct source *source = source_create(outages->engine, outages, process, &setting, error);
    if (source)
        outages->sources[outages->source_count++] = source;
    return source != NULL;
}

static bool add_sources(struct outages *outages, const struct failure_config *config, struct error *error)
{
    size_t count = config->processes.count;
    outages->sources = calloc(count + 1, sizeof(struct source *));
    if (!outages->sources) {
        error_out_of_memory(error, "the failure processes");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!add_source(outages, config, i, error))
            return false;
    return true;
}

/* Whether there is more to a repair than its time. */
static bool needs_shop(const struct failure_config *config)
{
    const struct failure_process *processes = config->processes.items;
    bool needed = !repair_is_plain(&config->pipeline);
    for (size_t i = 0; config->enabled && i < config->processes.count; i++)
        needed |= process_cures_lemons(&processes[i]);
    return needed;
}

static bool build(struct outages *outages, const struct failure_config *config, struct error *error)
{
    const struct fault_cause chips = {"failures.chip", FAULT_STOP, FAULT_OF_CHIP, false};
    if (!create_laws(outages, config, error) || causes_add(&outages->causes, &chips, error) == FAULT_NO_CAUSE)
        return false;
    if (needs_shop(config)) {
        struct repair_observer observer = {on_repaired, on_relapse, outages};
        outages->shop = repair_create(outages->engine, &config->repair, &config->pipeline, outages->horizon,
                                      observer, error);
        if (!outages->shop)
            return false;
    }
    outages->spell_actor = sim_engine_add_actor(outages->engine, on_spell, outages);
    outages->chips = chip_failures_create(outages->engine, outages, config, outages->seed,
                                          outages->replication, outages->horizon, error);
    return outages->chips && add_sources(outages, config, error);
}

struct outages *outages_create(struct sim_engine *engine, const struct failure_config *config,
                               const struct units *units, uint64_t seed, uint32_t replication,
                               sim_time horizon, struct outages_observer observer, struct error *error)
{
    struct outages *outages = calloc(1, sizeof *outages);
    if (!outages) {
        error_out_of_memory(error, "the failure process");
        return NULL;
    }
    outages->engine = engine;
    outages->observer = observer;
    outages->units = units;
    outages->seed = seed;
    outages->replication = replication;
    outages->horizon = horizon;
    outages->only_in_steps = config->only_in_steps;
    if (build(outages, config, error))
        return outages;
    outages_destroy(outages);
    return NULL;
}

void outages_destroy(struct outages *outages)
{
    if (!outages)
        return;
    chip_failures_destroy(outages->chips);
    repair_destroy(outages->shop);
    for (size_t i = 0; i < outages->source_count; i++)
        source_destroy(outages->sources[i]);
    free(outages->sources);
    sim_distribution_destroy(outages->repair);
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        sim_distribution_destroy(outages->detection[kind]);
    while (outages->shifts) {
        struct shift *shift = outages->shifts;
        outages->shifts = shift->next;
        free(shift);
    }
    unit_table_free(&outages->slices);
    spells_free(&outages->spells);
    causes_free(&outages->causes);
    free(outages);
}

bool outages_is_exposed(const struct outages *outages, enum fault_domain domain, int64_t unit)
{
    const struct outages_observer *observer = &outages->observer;
    if (!outages->only_in_steps || !observer->is_at_work)
        return true;
    struct units_run run = units_slices(outages->units, domain, unit);
    for (int64_t slice = run.first; slice < run.end; slice++)
        if (observer->is_at_work(observer->context, slice))
            return true;
    return run.end == run.first;
}

struct repair_counts outages_repairs(const struct outages *outages)
{
    if (!outages->shop)
        return (struct repair_counts){0};
    const struct repair_counts *now = repair_counts(outages->shop), *before = &outages->repairs_before;
    return (struct repair_counts){.repairs = now->repairs - before->repairs,
                                  .manual = now->manual - before->manual,
                                  .broken = now->broken - before->broken,
                                  .retired = now->retired - before->retired,
                                  .undiagnosed = now->undiagnosed - before->undiagnosed,
                                  .misdiagnosed = now->misdiagnosed - before->misdiagnosed};
}

const struct units *outages_units(const struct outages *outages)
{
    return outages->units;
}

const struct causes *outages_causes(const struct outages *outages)
{
    return &outages->causes;
}

void outages_begin_counting(struct outages *outages)
{
    outages->count = outages->returns = 0;
    outages->seconds_down = 0;
    if (outages->shop)
        outages->repairs_before = *repair_counts(outages->shop);
    causes_begin_counting(&outages->causes);
}

uint64_t outages_count(const struct outages *outages)
{
    return outages->count;
}

double outages_mean_repair(const struct outages *outages)
{
    return outages->returns > 0 ? outages->seconds_down / (double)outages->returns : NAN;
}

bool outages_failed(const struct outages *outages)
{
    bool failed = outages->failed || chip_failures_failed(outages->chips) ||
                  (outages->shop && repair_failed(outages->shop));
    for (size_t i = 0; i < outages->source_count; i++)
        failed |= source_failed(outages->sources[i]);
    return failed;
}
