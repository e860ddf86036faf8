#include "models/training/check_hardware.h"

#include "models/hardware/pace.h"
#include "models/training/fault.h"

static bool check_model(const struct workload_config *workload, struct simulation_fault *fault)
{
    if (workload->active_parameters > workload->parameters)
        return fault_set(fault, "workload.active_parameters", "more than all parameters");
    if (workload->expert_parameters > workload->parameters)
        return fault_set(fault, "workload.expert_parameters", "more than all parameters");
    return true;
}

/* Learners differ by one slice at most, and the last one's may be smaller. */
static int64_t fewest_chips(const struct layout *layout)
{
    int64_t first = layout_learner_chips(layout, 0),
            last = layout_learner_chips(layout, layout->learners - 1);
    return first < last ? first : last;
}

static bool check_links(const struct cluster_config *cluster, struct simulation_fault *fault)
{
    for (size_t i = 0; i < cluster_group_count(cluster); i++) {
        struct chip chip = cluster_group(cluster, i).chip;
        if (isnan(chip.scale_up_rate) && cluster_links(cluster, &chip).domain_chips > 1)
            return fault_set(fault, "cluster.catalogue",
                             "%s needs a scale_up_rate for a step time from the layout in cluster.parallel",
                             chip.name);
    }
    return true;
}

static bool check_tile(const struct overlap_config *overlap, struct simulation_fault *fault)
{
    const char *refusal = overlap_refusal(overlap);
    return !refusal ||
           fault_set(fault, "workload.overlap.tile", "%s: a block %s", gpu_choices[overlap->gpu], refusal);
}

/* What a step time needs to know. */
static bool check_step(const struct simulation_config *config, struct simulation_fault *fault)
{
    const struct workload_config *workload = &config->workload;
    const struct parallel_config *parallel = &config->cluster.parallel;
    bool overlap = overlap_is_given(&workload->overlap);
    if (overlap && workload->step_time != PARAMETER_UNSET)
        return fault_set(
            fault, "workload.step_time",
            "includes all communication, of which workload.overlap says how much shows; leave one out");
    if (workload->step_time != PARAMETER_UNSET || !(overlap || parallel_is_given(parallel)))
        return true;
    if (parallel_replica_chips(parallel) > 1 && workload->width < 1)
        return fault_set(fault, "workload.width",
                         "needed for the step time of the layout in cluster.parallel");
    if (parallel->tensor * parallel->expert > 1 && workload->layers < 1)
        return fault_set(fault, "workload.layers",
                         "needed for the step time of the layout in cluster.parallel");
    return check_links(&config->cluster, fault) && (!overlap || check_tile(&workload->overlap, fault));
}

static const char *largest_part(const struct parallel_config *parallel)
{
    if (parallel->tensor >= parallel->pipeline && parallel->tensor >= parallel->expert)
        return "cluster.parallel.tensor";
    return parallel->pipeline >= parallel->expert ? "cluster.parallel.pipeline" : "cluster.parallel.expert";
}

static bool check_replica(const struct simulation_config *config, const struct layout *layout,
                          struct simulation_fault *fault)
{
    const struct parallel_config *parallel = &config->cluster.parallel;
    double replica = (double)parallel->tensor * (double)parallel->pipeline * (double)parallel->expert;
    if (replica > (double)fewest_chips(layout))
        return fault_set(fault, largest_part(parallel),
                         "a copy of the model on %.0f chips does not fit a learner of %lld", replica,
                         (long long)fewest_chips(layout));
    return true;
}

/* Episodes are drawn one by one. */
#define MOST_EPISODES 1e9
#define MOST_CHIPS UINT32_MAX /* the library draws how many hosts are lemons in 32 bits */

static bool check_stragglers(const struct simulation_config *config, const struct layout *layout,
                             struct simulation_fault *fault)
{
    const struct straggler_config *stragglers = &config->stragglers;
    bool jitter = stragglers->chip.law != SIM_LAW_CONSTANT,
         lasting = stragglers->lasting.law != SIM_LAW_CONSTANT;
    double episodes =
        pace_episodes(stragglers, layout->chips, cluster_group(&config->cluster, 0).chip.host_chips,
                      sim_time_to_seconds(config->duration));
    if (jitter && lasting)
        return fault_set(
            fault, "stragglers.lasting_chip.law",
            "either chips are slow for good or they vary from step to step: the slowest of both at once "
            "is not known without a state for each chip; let \"step\" vary instead");
    if (stragglers->step_order != STRAGGLERS_DRAWN && stragglers->step.law != SIM_LAW_EMPIRICAL)
        return fault_set(fault, "stragglers.step_order",
                         "only the values of an empirical law can be played, not what is drawn from another");
    if (stragglers->lemon_share > 0 && layout->chips > MOST_CHIPS)
        return fault_set(fault, "stragglers.lemon.share", "lemons are drawn among at most %lld chips",
                         (long long)MOST_CHIPS);
    if (episodes > MOST_EPISODES)
        return fault_set(fault, "stragglers.fail_slow.between", "about %.2g episodes; the limit is %.0g",
                         episodes, MOST_EPISODES);
    return true;
}

bool hardware_check(const struct simulation_config *config, const struct layout *layout,
                    struct simulation_fault *fault)
{
    return check_model(&config->workload, fault) && check_replica(config, layout, fault) &&
           check_step(config, fault) && check_stragglers(config, layout, fault);
}
