/*
 * The life of outages, and what is asked of them; outages_internal.h tells where the rest is.
 */
#include "models/failures/outages_internal.h"

#include "models/priority.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct sim_handle outages_schedule(struct outages *outages, sim_time delay, uint32_t actor, uint32_t argument)
{
    sim_time time = sim_time_add(sim_engine_now(outages->engine), delay);
    if (time > outages->horizon)
        return (struct sim_handle){0};
    return sim_engine_schedule(outages->engine, time, PRIORITY_OUTAGE, actor, argument);
}

void outages_house_syncer(struct outages *outages, int64_t site)
{
    outages->houses_syncer = true;
    outages->syncer_site = site;
}

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

static bool build(struct outages *outages, const struct failure_config *config, struct error *error)
{
    const struct fault_cause chips = {"failures.chip", FAULT_STOP, FAULT_OF_CHIP, false};
    if (!create_laws(outages, config, error) ||
        causes_add(&outages->causes, &chips, error) == FAULT_NO_CAUSE ||
        !outages_open_shop(outages, config, error))
        return false;
    outages->spell_actor = sim_engine_add_actor(outages->engine, outages_on_spell, outages);
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
    outages_free_shifts(outages);
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
