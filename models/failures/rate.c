/* Each process strikes count / mean times a second, whatever its law; ages and the beginning are of no
 * matter. */
#include "models/failures/rate.h"

#include "models/failures/process.h"

static double mean_of(const struct sim_law_spec *spec)
{
    struct sim_distribution *law = sim_distribution_create(spec, NULL);
    double mean = law ? sim_distribution_mean(law) : NAN;
    sim_distribution_destroy(law);
    return mean;
}

static bool stops_jobs(const struct failure_process *process)
{
    bool of_slices = process->domain != FAULT_OF_LINK && process->domain != FAULT_OF_SYNCER;
    return fault_is_failure((enum fault_kind)process->kind) && of_slices && !process_is_planned(process);
}

static double rate_of(const struct failure_process *process, const struct units *units)
{
    struct sim_law_spec life = process_life(process, units);
    double lemons = process->lemon_share > 0 ? 1 + process->lemon_share * (process->lemon_factor - 1) : 1;
    double count = (double)units_count(units, (enum fault_domain)process->domain);
    return count / mean_of(&life) * lemons;
}

double failures_rate(const struct failure_config *config, const struct units *units, double share)
{
    const struct failure_process *processes = config->processes.items;
    if (!config->enabled)
        return 0;
    double rate = (double)units->chips / mean_of(&config->chip);
    for (size_t i = 0; i < config->processes.count; i++)
        if (stops_jobs(&processes[i]))
            rate += rate_of(&processes[i], units);
    return share * rate;
}
