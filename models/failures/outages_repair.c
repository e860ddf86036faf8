/*
 * Repairs: how long they take, and those in stages, at whose end it is the shop (repair.h) that says so.
 */
#include "models/failures/outages_internal.h"

#include "models/purpose.h"

/* The n-th repair of a slice with a failed chip is its own, the n-th of a cause is the cause's. */
static struct sim_stream open_repair(struct outages *outages, const struct fault *fault, struct units_run run)
{
    struct sim_stream stream;
    uint64_t struck = outages->causes.records[fault->cause].struck;
    if (fault->cause == FAULT_CAUSE_CHIP && run.end - run.first == 1) {
        struct unit *slice = outages_slice(outages, run.first);
        sim_stream_open(&stream, outages->seed, outages->replication, PURPOSE_REPAIR,
                        PURPOSE_NTH(slice->number, ++slice->events));
    } else {
        sim_stream_open(&stream, outages->seed, outages->replication, PURPOSE_FAULT_REPAIR,
                        (uint64_t)fault->cause << 32 | struck);
    }
    return stream;
}

sim_time outages_draw_repair(struct outages *outages, const struct fault *fault, struct units_run run)
{
    struct sim_stream stream = open_repair(outages, fault, run);
    return sim_time_from_seconds(sim_distribution_sample(outages->repair, &stream));
}

/* Repairs in stages. */

/* Whether FAULT, as it was given, goes through them. */
bool outages_is_for_the_shop(const struct outages *outages, const struct fault *fault)
{
    return outages->shop && fault->kind == FAULT_STOP && fault->duration < 0 && fault->notice <= 0 &&
           !outages_strikes_network(fault);
}

/* A slice that works with the one in RUN and is there; -1 if none is found. */
static int64_t find_bystander(struct outages *outages, struct units_run run, struct sim_stream *draws)
{
    const struct outages_observer *observer = &outages->observer;
    for (int i = 0; observer->bystander && run.end - run.first == 1 && i < 20; i++) {
        int64_t number = observer->bystander(observer->context, run.first, draws);
        const struct unit *slice = number < 0 || number == run.first ? NULL : outages_slice(outages, number);
        if (slice && outages_is_there(slice))
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
struct repair_course outages_diagnose(struct outages *outages, struct fault *fault, struct units_run *run)
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
void outages_bring_in(struct outages *outages, uint32_t number, const struct repair_course *course)
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
    outages_let_up(outages, &spell);
    if (!spell.bystander)
        renew(outages, &spell.fault, !broken);
}

static void on_relapse(void *context, const struct fault *fault)
{
    outages_strike(context, fault);
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

bool outages_open_shop(struct outages *outages, const struct failure_config *config, struct error *error)
{
    struct repair_observer observer = {on_repaired, on_relapse, outages};
    if (!needs_shop(config))
        return true;
    outages->shop =
        repair_create(outages->engine, &config->repair, &config->pipeline, outages->horizon, observer, error);
    return outages->shop != NULL;
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
