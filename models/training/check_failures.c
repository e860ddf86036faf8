#include "models/training/check_failures.h"

#include "models/failures/process.h"
#include "models/training/domains.h"
#include "models/training/fault.h"
#include <stdio.h>
#include <string.h>

#define MOST_UNITS UINT32_MAX /* that age or fail in bursts: they are numbered in 32 bits */

/* 2∫F/∫(1−F) up to END, by Wald's identity for lives cut off there. A law with many early failures has far
 * more of them than its mean says. */
double failures_of_a_unit(const struct sim_law_spec *spec, double end)
{
    struct sim_distribution *law = sim_distribution_create(spec, NULL);
    const double ratio = exp(-0.05);
    double failed = 0, lived = 0, x = end * exp(-0.025);
    for (int i = 0; law && i < 1000; i++, x *= ratio) {
        double survival = sim_distribution_survival(law, x);
        failed += x * (1 - survival);
        lived += x * survival;
    }
    sim_distribution_destroy(law);
    return 2 * failed / fmax(lived, end * 1e-20);
}

static bool check_chips(const struct simulation_config *config, double most_events,
                        struct simulation_fault *fault)
{
    double duration = sim_time_to_seconds(config->duration), chips = (double)config->cluster.chips;
    double events = 2 * chips * failures_of_a_unit(&config->failures.chip, duration);
    if (config->failures.chip.law != SIM_LAW_EXPONENTIAL && config->cluster.chips > MOST_UNITS)
        return fault_set(
            fault, "failures.chip.law",
            "chips that age are simulated one by one, at most %lld of them; exponential has no such limit",
            (long long)MOST_UNITS);
    if (events > most_events)
        return fault_set(fault, "failures.chip.mtbi",
                         "%lld chips failing that often for %.3g s make about %.2g events; the limit is %.0g",
                         (long long)config->cluster.chips, duration, events, most_events);
    return true;
}

/* Slices that a failure of a process takes down, each an event for its learner. */
static double slices_of(const struct failure_process *process, const struct units *units)
{
    double count = (double)units_count(units, (enum fault_domain)process->domain);
    bool network = process->domain == FAULT_OF_LINK || process->domain == FAULT_OF_SYNCER;
    return network ? 1 : 1 + (double)units->slices / count;
}

static double events_of(const struct failure_process *process, const struct units *units, double duration)
{
    double count = (double)units_count(units, (enum fault_domain)process->domain);
    double each = 2 * slices_of(process, units) * (1 + process->burst_chance * (double)process->burst_units);
    if (process_is_planned(process))
        return each * count * duration / sim_time_to_seconds(process->every);
    struct sim_law_spec life = process_life(process, units);
    double factor = process->lemon_share > 0 ? process->lemon_factor : 1;
    bool thinned = life.law == SIM_LAW_EXPONENTIAL;
    double share = process->lemon_share, drawn = thinned ? factor : 0;
    return count * failures_of_a_unit(&life, duration) * (drawn + each * (1 - share + share * factor));
}

static bool numbers_units(const struct failure_process *process)
{
    bool ages = !process_is_planned(process) && process->life.law != SIM_LAW_EXPONENTIAL;
    return ages || process->burst_chance > 0;
}

static bool has_same_name(const struct failure_config *failures, size_t index)
{
    const struct failure_process *processes = failures->processes.items;
    bool same = strcmp(processes[index].name, "failures.chip") == 0;
    for (size_t i = 0; i < index; i++)
        same |= strcmp(processes[i].name, processes[index].name) == 0;
    return same;
}

static bool check_process(const struct simulation_config *config, const struct units *units, size_t index,
                          double most_events, struct simulation_fault *fault)
{
    const struct failure_process *process =
        (const struct failure_process *)config->failures.processes.items + index;
    double duration = sim_time_to_seconds(config->duration);
    const char *reason, *wrong = process_fault(process, units, &reason);
    char path[sizeof fault->path];
    if (strlen(process->name) >= FAULT_NAME)
        return fault_set(fault, "failures.processes", "\"%s\": names are at most %d bytes long",
                         process->name, FAULT_NAME - 1);
    snprintf(path, sizeof path, "failures.processes.%s.%s", process->name, wrong ? wrong : "name");
    if (wrong)
        return fault_set(fault, path, "%s", reason);
    if (has_same_name(&config->failures, index))
        return fault_set(fault, path, "another process is called \"%s\", too", process->name);
    if (numbers_units(process) && units_count(units, (enum fault_domain)process->domain) > MOST_UNITS)
        return fault_set(fault, path, "units that age, or fail in bursts, are at most %lld",
                         (long long)MOST_UNITS);
    double events = events_of(process, units, duration);
    if (events > most_events)
        return fault_set(fault, path,
                         "\"%s\" strikes that often for %.3g s that it makes about %.2g events; the limit "
                         "is %.0g",
                         process->name, duration, events, most_events);
    return true;
}

bool failures_check(const struct simulation_config *config, const struct layout *layout, double most_events,
                    struct simulation_fault *fault)
{
    struct units units;
    if (!config->failures.enabled)
        return true;
    if (!check_chips(config, most_events, fault))
        return false;
    if (config->failures.processes.count == 0)
        return true;
    bool good = domains_create(&units, config, layout, NULL) ||
                fault_set(fault, "failures.processes", "out of memory");
    for (size_t i = 0; good && i < config->failures.processes.count; i++)
        good = check_process(config, &units, i, most_events, fault);
    units_free(&units);
    return good;
}
