/*
 * Strikes are drawn entry by entry, sorted by time, and then held against the limits in that order. Each
 * entry has its own stream of times, and each strike its own of units and of repairs, so that one entry more
 * changes nothing of the others.
 */
#include "models/failures/chaos_limits.h"
#include "models/failures/chaos_select.h"

#include "models/purpose.h"
#include "sim/distribution.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A schedule that grows. */
struct drawing {
    const struct chaos_config *config;
    const struct chaos_ground *ground;
    struct sim_distribution *repair;
    uint64_t seed;
    uint32_t replication;
    sim_time horizon;
    struct chaos_schedule *schedule;
    size_t room, cause_room;
    struct error *error;
};

static bool out_of_memory(const struct drawing *drawing)
{
    error_out_of_memory(drawing->error, "the chaos");
    return false;
}

static bool grow(void **items, size_t size, size_t count, size_t *room)
{
    if (count < *room)
        return true;
    size_t larger = *room ? 2 * *room : 16;
    void *moved = realloc(*items, larger * size);
    if (!moved)
        return false;
    *items = moved;
    *room = larger;
    return true;
}

static bool add_fault(struct drawing *drawing, struct chaos_fault fault)
{
    struct chaos_schedule *schedule = drawing->schedule;
    if (schedule->count == CHAOS_MOST) {
        error_set(drawing->error, ERROR_INPUT, "chaos: more than %d faults in one run", CHAOS_MOST);
        return false;
    }
    void *faults = schedule->faults;
    if (!grow(&faults, sizeof fault, schedule->count, &drawing->room))
        return out_of_memory(drawing);
    schedule->faults = faults;
    schedule->faults[schedule->count++] = fault;
    return true;
}

/* The number of a new cause; -1 with the error. */
static int32_t add_cause(struct drawing *drawing, const char *name, enum fault_kind kind,
                         enum fault_domain domain)
{
    struct chaos_schedule *schedule = drawing->schedule;
    void *causes = schedule->causes;
    if (!grow(&causes, sizeof *schedule->causes, schedule->cause_count, &drawing->cause_room)) {
        out_of_memory(drawing);
        return -1;
    }
    schedule->causes = causes;
    struct fault_cause *cause = &schedule->causes[schedule->cause_count];
    *cause = (struct fault_cause){.kind = kind, .domain = domain, .numbered = true};
    snprintf(cause->name, sizeof cause->name, "%s", name);
    return (int32_t)schedule->cause_count++;
}

/* Entries. */

static bool has_same_default(const struct chaos_entry *one, const struct chaos_entry *other)
{
    return !one->name && !other->name && one->action == other->action &&
           chaos_target(one) == chaos_target(other);
}

/* "NAME 3": the entry's, or its fault and target's, and the strike's number from 1. Of entries alike, all but
 * the first say which they are. */
static void name_strike(const struct chaos_config *config, size_t index, int64_t strike,
                        char name[FAULT_NAME])
{
    const struct chaos_entry *entries = config->entries.items, *entry = &entries[index];
    size_t alike = 0;
    for (size_t i = 0; i < index; i++)
        alike += has_same_default(&entries[i], entry);
    if (entry->name)
        snprintf(name, FAULT_NAME, "%s %lld", entry->name, (long long)strike);
    else if (alike == 0)
        snprintf(name, FAULT_NAME, "%s %s %lld", chaos_action_names[entry->action],
                 fault_domain_names[chaos_target(entry)], (long long)strike);
    else
        snprintf(name, FAULT_NAME, "%s %s (entry %zu) %lld", chaos_action_names[entry->action],
                 fault_domain_names[chaos_target(entry)], index + 1, (long long)strike);
}

static sim_time given(sim_time time)
{
    return time == PARAMETER_UNSET ? -1 : time;
}

static sim_time whole_milliseconds(double seconds)
{
    sim_time time = sim_time_from_seconds(seconds);
    return time == SIM_NEVER ? time : time - time % SIM_MILLISECOND;
}

/* How long a unit stays away that goes: drawn where the entry does not say it. */
static sim_time duration_of(const struct drawing *drawing, const struct chaos_entry *entry,
                            struct sim_stream *repairs)
{
    enum fault_kind kind = chaos_kind(entry->action);
    if (entry->action == CHAOS_RESTART)
        return 0;
    bool goes = kind == FAULT_STOP || kind == FAULT_PREEMPTION;
    if (!goes || entry->lasting != PARAMETER_UNSET)
        return given(entry->lasting);
    return whole_milliseconds(sim_distribution_sample(drawing->repair, repairs));
}

/* The STRIKE-th of the entry, counted from 1. */
static bool strike(struct drawing *drawing, size_t index, int64_t number, sim_time at)
{
    const struct chaos_entry *entry = (const struct chaos_entry *)drawing->config->entries.items + index;
    struct sim_stream choice, repairs;
    struct chaos_fault fault = {.at = at, .outcome = FAULT_IGNORED};
    char name[FAULT_NAME];
    int64_t *units;
    uint64_t entity = PURPOSE_NTH(index, number);
    sim_stream_open(&choice, drawing->seed, drawing->replication, PURPOSE_CHAOS_UNITS, entity);
    sim_stream_open(&repairs, drawing->seed, drawing->replication, PURPOSE_CHAOS_REPAIR, entity);
    name_strike(drawing->config, index, number, name);
    fault.fault = (struct fault){.kind = chaos_kind(entry->action),
                                 .domain = chaos_target(entry),
                                 .detection = given(entry->detection),
                                 .notice = given(entry->notice),
                                 .factor = isnan(entry->factor) ? 0 : entry->factor};
    int64_t count = chaos_select(drawing->ground, entry, &choice, &units);
    if (count < 0)
        return out_of_memory(drawing);
    fault.fault.cause = add_cause(drawing, name, fault.fault.kind, fault.fault.domain);
    bool good = fault.fault.cause >= 0;
    for (int64_t i = 0; good && i < count; i++) {
        fault.fault.unit = units[i];
        fault.fault.duration = duration_of(drawing, entry, &repairs);
        good = add_fault(drawing, fault);
    }
    free(units);
    return good;
}

/* Strikes at T unless that is outside the entry's window or the run. */
static bool strike_if_within(struct drawing *drawing, size_t index, int64_t *number, sim_time t)
{
    const struct chaos_entry *entry = (const struct chaos_entry *)drawing->config->entries.items + index;
    bool over = entry->until != PARAMETER_UNSET && t >= entry->until;
    if (t < entry->from || over || t >= drawing->horizon)
        return true;
    return strike(drawing, index, ++*number, t);
}

static bool draw_by_rate(struct drawing *drawing, size_t index)
{
    const struct chaos_entry *entry = (const struct chaos_entry *)drawing->config->entries.items + index;
    struct sim_distribution *law = sim_distribution_create(&entry->rate, drawing->error);
    struct sim_stream stream;
    sim_time t = entry->from;
    int64_t number = 0;
    bool good = law != NULL;
    sim_stream_open(&stream, drawing->seed, drawing->replication, PURPOSE_CHAOS_TIMES, index);
    while (good && t < drawing->horizon) {
        sim_time wait = whole_milliseconds(sim_distribution_sample(law, &stream));
        t = sim_time_add(t, wait > 0 ? wait : SIM_MILLISECOND);
        good = strike_if_within(drawing, index, &number, t);
    }
    sim_distribution_destroy(law);
    return good;
}

static bool draw_entry(struct drawing *drawing, size_t index)
{
    const struct chaos_entry *entry = (const struct chaos_entry *)drawing->config->entries.items + index;
    int64_t number = 0;
    bool good = true;
    if (entry->rate.law != PARAMETER_UNSET)
        return draw_by_rate(drawing, index);
    for (size_t i = 0; good && i < entry->at.count; i++)
        good = strike_if_within(drawing, index, &number, sim_time_from_seconds(entry->at.values[i]));
    if (entry->every == PARAMETER_UNSET)
        return good;
    for (sim_time t = sim_time_add(entry->from, entry->every); good && t < drawing->horizon;
         t = sim_time_add(t, entry->every))
        good = strike_if_within(drawing, index, &number, t);
    return good;
}

/* Schedules of old. */

static int32_t cause_called(struct drawing *drawing, const struct chaos_recorded *recorded)
{
    const struct chaos_schedule *schedule = drawing->schedule;
    for (size_t i = schedule->cause_count; i-- > 0;)
        if (strcmp(schedule->causes[i].name, recorded->cause) == 0)
            return (int32_t)i;
    return add_cause(drawing, recorded->cause, (enum fault_kind)recorded->kind,
                     (enum fault_domain)recorded->domain);
}

static bool take_recorded(struct drawing *drawing, const struct chaos_recorded *recorded)
{
    if (recorded->at >= drawing->horizon)
        return true;
    struct chaos_fault fault = {.at = recorded->at, .spared = recorded->spared, .outcome = FAULT_IGNORED};
    fault.fault = (struct fault){.kind = (enum fault_kind)recorded->kind,
                                 .domain = (enum fault_domain)recorded->domain,
                                 .unit = recorded->unit,
                                 .cause = cause_called(drawing, recorded),
                                 .duration = given(recorded->lasting),
                                 .detection = given(recorded->detection),
                                 .notice = given(recorded->notice),
                                 .factor = isnan(recorded->factor) ? 0 : recorded->factor};
    return fault.fault.cause >= 0 && add_fault(drawing, fault);
}

/* Order: entries make causes in their order, and strikes in that of time. */
static int compare_faults(const void *a, const void *b)
{
    const struct chaos_fault *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->fault.cause != y->fault.cause)
        return x->fault.cause < y->fault.cause ? -1 : 1;
    return (x->fault.unit > y->fault.unit) - (x->fault.unit < y->fault.unit);
}

/* Numbers causes in the order in which they strike, as whoever plays the schedule again will. */
static bool number_causes(struct drawing *drawing)
{
    struct chaos_schedule *schedule = drawing->schedule;
    size_t count = schedule->cause_count, next = 0;
    struct fault_cause *causes = calloc(count + 1, sizeof *causes);
    int32_t *numbers = calloc(count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = FAULT_NO_CAUSE;
    for (size_t i = 0; causes && numbers && i < schedule->count; i++) {
        int32_t *cause = &schedule->faults[i].fault.cause;
        if (numbers[*cause] == FAULT_NO_CAUSE) {
            causes[next] = schedule->causes[*cause];
            numbers[*cause] = (int32_t)next++;
        }
        *cause = numbers[*cause];
    }
    bool good = causes && numbers;
    free(numbers);
    if (!good) {
        free(causes);
        return out_of_memory(drawing);
    }
    free(schedule->causes);
    schedule->causes = causes;
    schedule->cause_count = next;
    return true;
}

static bool draw(struct drawing *drawing)
{
    const struct chaos_config *config = drawing->config;
    const struct chaos_recorded *recorded = config->schedule.items;
    struct chaos_schedule *schedule = drawing->schedule;
    for (size_t i = 0; i < config->schedule.count; i++)
        if (!take_recorded(drawing, &recorded[i]))
            return false;
    for (size_t i = 0; config->schedule.count == 0 && i < config->entries.count; i++)
        if (!draw_entry(drawing, i))
            return false;
    if (schedule->count > 0)
        qsort(schedule->faults, schedule->count, sizeof *schedule->faults, compare_faults);
    if (!number_causes(drawing))
        return false;
    return config->schedule.count > 0 || chaos_spare(schedule, config, drawing->ground, drawing->error);
}

struct chaos_schedule *chaos_draw(const struct chaos_config *config, const struct chaos_ground *ground,
                                  const struct sim_law_spec *repair, uint64_t seed, uint32_t replication,
                                  sim_time horizon, struct error *error)
{
    struct drawing drawing = {.config = config,
                              .ground = ground,
                              .seed = seed,
                              .replication = replication,
                              .horizon = horizon,
                              .error = error};
    drawing.schedule = calloc(1, sizeof *drawing.schedule);
    drawing.repair = drawing.schedule ? sim_distribution_create(repair, error) : NULL;
    bool drawn = drawing.repair && draw(&drawing);
    sim_distribution_destroy(drawing.repair);
    if (drawn)
        return drawing.schedule;
    chaos_destroy(drawing.schedule);
    if (error && error->kind == ERROR_NONE)
        out_of_memory(&drawing);
    return NULL;
}

void chaos_destroy(struct chaos_schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->faults);
    free(schedule->causes);
    free(schedule);
}
