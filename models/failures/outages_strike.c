/*
 * A fault from when it strikes to when it is over. What it leaves open is drawn then, and it becomes a spell,
 * which goes from one phase to the next.
 */
#include "models/failures/outages_internal.h"

#include "models/purpose.h"

/* The course of a fault. */

static bool tell_network(const struct outages *outages, const struct fault *fault, bool begins)
{
    const struct outages_observer *observer = &outages->observer;
    bool syncer = fault->domain == FAULT_OF_SYNCER;
    return (syncer ? observer->syncer_fault : observer->link_fault)(observer->context, fault, begins);
}

static struct sim_handle set_phase(struct outages *outages, uint32_t number, enum spell_phase phase,
                                   sim_time length)
{
    outages->spells.all[number].phase = phase;
    return outages_schedule(outages, length, outages->spell_actor, number);
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
    outages_take_down(outages, spell);
}

/* It is found out, or its notice is up. Still pending while its slices go down, it ends with them, so that
 * nobody goes on without knowing. */
static void come_to_light(struct outages *outages, uint32_t number)
{
    struct spell *spell = &outages->spells.all[number];
    outages_schedule(outages, spell->fault.duration, outages->spell_actor, number);
    outages_take_down(outages, spell);
    outages_end_condition(outages, spell);
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
        const struct unit *slice = outages_slice(outages, number);
        if (!slice || outages_bears_on(spell, slice))
            return false;
    }
    return true;
}

/* False where those that it would strike have nothing to do with it; it is over then. */
static bool begin(struct outages *outages, uint32_t number)
{
    struct spell *spell = &outages->spells.all[number];
    const struct fault *fault = &spell->fault;
    bool slices = !outages_strikes_network(fault),
         lasts = fault->kind == FAULT_SLOW || fault->kind == FAULT_STALL;
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
        outages_begin_condition(outages, spell);
    }
    return true;
}

void outages_on_spell(struct sim_engine *engine, void *actor, uint32_t number)
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
        outages_let_up(outages, &spell);
    else if (outages_strikes_network(&spell.fault))
        tell_network(outages, &spell.fault, false);
    else
        outages_end_condition(outages, &spell);
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
        if (spell->phase == SPELL_DOWN && spell->fault.cause == cause && outages_covers(spell, slice->number))
            return true;
    }
    return false;
}

static bool is_met(const struct outages *outages, const struct unit *slice, const struct fault *fault)
{
    if (brings_down(fault))
        return !slice->away && !is_down_through(outages, slice, fault->cause);
    return outages_is_there(slice);
}

static bool meets_something(struct outages *outages, const struct fault *fault, struct units_run run)
{
    for (int64_t number = run.first; number < run.end; number++) {
        const struct unit *slice = outages_slice(outages, number);
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
    if (!outages_strikes_network(fault))
        return true;
    return fault->domain == FAULT_OF_SYNCER ? outages->observer.syncer_fault != NULL
                                            : outages->observer.link_fault != NULL;
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
        fault->duration = outages_draw_repair(outages, fault, run);
    if (fault->detection < 0)
        fault->detection = draw_detection(outages, fault);
    if (fault->notice < 0 || !has_notice(fault))
        fault->notice = 0;
}

/* What it takes until the unit is whole again. */
static sim_time time_of(const struct fault *fault)
{
    bool found_out = fault_is_hidden(fault->kind);
    return sim_time_add(fault->duration, found_out ? fault->detection : fault->notice);
}

static bool strike(struct outages *outages, struct fault *fault)
{
    struct units_run run = {0, 0};
    struct repair_course course;
    bool for_the_shop = outages_is_for_the_shop(outages, fault);
    if (!exists(outages, fault))
        return false;
    if (outages_strikes_network(fault)) {
        if (lasts_already(outages, fault))
            return false;
    } else {
        run = units_slices(outages->units, fault->domain, fault->unit);
        if (!meets_something(outages, fault, run))
            return false;
    }
    if (for_the_shop)
        course = outages_diagnose(outages, fault, &run);
    fill_in(outages, fault, run);
    uint32_t number = spells_add(&outages->spells, fault, run, ++outages->order);
    outages->failed |= number == SPELLS_NONE;
    if (number == SPELLS_NONE)
        return false;
    outages->spells.all[number].struck = sim_engine_now(outages->engine);
    outages->count += outages_is_failure(fault);
    if (for_the_shop)
        outages_bring_in(outages, number, &course);
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

enum fault_outcome outages_strike(struct outages *outages, const struct fault *fault)
{
    sim_time returns_in;
    return outages_strike_until(outages, fault, &returns_in);
}
