/*
 * Combinations of fields that are each within their bounds and yet can't be run.
 */
#include "models/failures/fault.h"
#include "models/failures/initialisation.h"
#include "models/failures/process.h"
#include "models/network/fluid.h"
#include "models/network/route.h"
#include "models/training/chaos_ground.h"
#include "models/training/check_failures.h"
#include "models/training/check_hardware.h"
#include "models/training/fault.h"
#include "models/training/kind.h"
#include "models/training/layout.h"
#include "models/training/learner.h"
#include "models/training/recovery.h"
#include "models/training/simulation.h"
#include <math.h>
#include <string.h>

#define MOST_EVENTS 1e10        /* ten minutes to half an hour of computing */
#define EVENTS_OF_A_REDUCTION 5 /* for each that takes part */
#define MOST_UNITS UINT32_MAX   /* slices are numbered in 32 bits */

/* One unit is as good as another, and each is on its own. */
static bool check_spares(const struct simulation_config *config, const struct layout *layout,
                         struct simulation_fault *fault)
{
    const struct cluster_config *cluster = &config->cluster;
    if (layout->spares == 0)
        return true;
    if (layout->chips <= 0)
        return fault_set(fault, "cluster.spares",
                         "%lld spare slices of %lld chips leave none of the cluster's %lld for training",
                         (long long)layout->spares, (long long)layout->chips_per_slice,
                         (long long)cluster->chips);
    if (cluster->groups.count > 0)
        return fault_set(fault, "cluster.spares",
                         "spares can't take the place of chips of another kind: leave out cluster.groups");
    if (cluster->chips % cluster->chips_per_slice != 0)
        return fault_set(fault, "cluster.chips",
                         "spares can't take the place of a smaller slice: make the chips a multiple of %lld",
                         (long long)cluster->chips_per_slice);
    if (layout->slices + layout->spares > INT32_MAX)
        return fault_set(fault, "cluster.spares", "with spares, at most %d slices can be simulated",
                         INT32_MAX);
    return true;
}

static bool check_cluster(const struct layout *layout, struct simulation_fault *fault)
{
    if (layout->slices > MOST_UNITS)
        return fault_set(fault, "cluster.chips_per_slice",
                         "%lld chips in slices of %lld are %lld slices; at most %lld can be simulated",
                         (long long)layout->chips, (long long)layout->chips_per_slice,
                         (long long)layout->slices, (long long)MOST_UNITS);
    if (layout->learners > layout->slices)
        return fault_set(fault, "learners",
                         "%lld learners need at least one slice each, and the cluster has %lld",
                         (long long)layout->learners, (long long)layout->slices);
    return true;
}

static double fastest_step(const struct simulation_config *config, const struct layout *layout)
{
    double seconds = layout_nominal_step(config, layout, 0).seconds;
    for (int64_t i = 1; i < layout->learners && config->cluster.groups.count > 0; i++)
        seconds = fmin(seconds, layout_nominal_step(config, layout, i).seconds);
    return seconds;
}

static double mean_of(const struct sim_law_spec *spec)
{
    struct sim_distribution *law = sim_distribution_create(spec, NULL);
    double mean = law ? sim_distribution_mean(law) : NAN;
    sim_distribution_destroy(law);
    return mean;
}

static bool cures_lemons(const struct failure_config *failures)
{
    const struct failure_process *processes = failures->processes.items;
    for (size_t i = 0; i < failures->processes.count; i++)
        if (process_cures_lemons(&processes[i]))
            return true;
    return false;
}

/* Repairs that nothing came of are of consequence only where something fails again. */
static bool check_repair(const struct simulation_config *config, struct simulation_fault *fault)
{
    const struct failure_config *failures = &config->failures;
    const struct repair_config *pipeline = &failures->pipeline;
    double share = repair_broken_share(pipeline), duration = sim_time_to_seconds(config->duration);
    if (share <= 0)
        return true;
    if (!repair_relapses(pipeline) && cures_lemons(failures))
        return true;
    if (!repair_relapses(pipeline))
        return fault_set(fault, "failures.repair.relapse",
                         "nothing comes of failures that are not mended unless they strike again: say when");
    double cycle = mean_of(&failures->repair) + mean_of(&pipeline->relapse);
    double slices = ceil((double)config->cluster.chips / (double)config->cluster.chips_per_slice);
    double relapses = fmin(slices * duration / cycle, share / (1 - share) * (double)config->cluster.chips *
                                                          failures_of_a_unit(&failures->chip, duration));
    if (failures->enabled && relapses > MOST_EVENTS / 4)
        return fault_set(fault, "failures.repair.relapse.mean",
                         "failing again that soon makes about %.2g events; the limit is %.0g", 4 * relapses,
                         MOST_EVENTS);
    return true;
}

/* Fixed work may take as long as the duration says, but hardly ten times as long as its steps alone. */
static double likely_duration(const struct simulation_config *config, double step)
{
    double duration = sim_time_to_seconds(config->duration);
    if (!goal_is_fixed(&config->until))
        return duration;
    double steps = 1 / goal_share_of_step(&config->until, config->workload.tokens_per_step);
    return fmin(duration, 10 * step * steps);
}

/* Refuses what would compute for hours: the user most likely mistyped a unit. */
static bool check_length(const struct simulation_config *config, const struct strategy_config *strategy,
                         const struct layout *layout, struct simulation_fault *fault)
{
    const struct strategy_functions *kind = strategy_functions[strategy->kind];
    const struct straggler_config *factors = &config->stragglers;
    double step = fastest_step(config, layout), duration = likely_duration(config, step);
    double factor = mean_of(&factors->learner) * mean_of(&factors->step) * mean_of(&factors->chip) *
                    mean_of(&factors->lasting);
    step *= fmax(factor, LEARNER_LEAST_STEP);
    double reductions = kind->reductions ? kind->reductions(strategy->options, &config->workload) : 0;
    double step_events =
        (3 + EVENTS_OF_A_REDUCTION * reductions) * (double)layout->learners * duration / step;
    if (step_events > MOST_EVENTS)
        return fault_set(
            fault, "duration",
            "%lld learners stepping every %.3g s for %.3g s make about %.2g events; the limit is %.0g",
            (long long)layout->learners, step, duration, step_events, MOST_EVENTS);
    return true;
}

static double capacity_changes(const struct routes *routes, double seconds)
{
    double changes = 0;
    for (size_t i = 0; i < routes_link_count(routes); i++) {
        struct route_link link = routes_link(routes, i);
        changes += link.profile ? profile_changes(link.profile, seconds) : 0;
    }
    return changes;
}

static bool check_routes(const struct simulation_config *config, const struct routes *routes,
                         struct simulation_fault *fault)
{
    const struct network_site *sites = sites_of(&config->network);
    double duration = sim_time_to_seconds(config->duration), changes = 0;
    int64_t from, to;
    if (!routes_complete(routes, &from, &to))
        return fault_set(fault, "network.links",
                         "no route from \"%.60s\" to \"%.60s\"; give that pair a link, or "
                         "network.between a latency or bandwidth for all pairs without one",
                         sites[from].name, sites[to].name);
    if (config->network.profiles.count)
        changes = capacity_changes(routes, duration);
    if (changes > MOST_EVENTS)
        return fault_set(fault, "network.profiles",
                         "bandwidths change about %.2g times in %.3g s; the limit is %.0g", changes, duration,
                         MOST_EVENTS);
    return true;
}

static bool check_network(const struct simulation_config *config, int64_t learners,
                          struct simulation_fault *fault)
{
    struct placement *placement = placement_create(&config->network, learners, NULL);
    struct routes *routes = placement ? routes_create(&config->network, placement, NULL) : NULL;
    bool good =
        routes ? check_routes(config, routes, fault) : fault_set(fault, "network.sites", "out of memory");
    routes_destroy(routes);
    placement_destroy(placement);
    return good;
}

/* A message is of whole bits, as many as the network can count. */
static bool check_messages(const struct simulation_config *config, const struct learner_options *options,
                           struct simulation_fault *fault)
{
    const struct workload_config *workload = &config->workload;
    int64_t drift = strategy_drift_bits(&options->rule), bits = workload->bits_per_parameter;
    double state = RECOVERY_COPIES * workload->parameters * (double)bits,
           sent = workload->parameters * (double)(drift == PARAMETER_UNSET ? bits : drift);
    if (fmax(state, sent) <= (double)FLUID_BITS_LIMIT)
        return true;
    return fault_set(
        fault, "workload.parameters",
        "%.3g parameters are messages of %.3g bits (a learner's state, or what it sends of it); at "
        "most %.3g can be sent at once",
        workload->parameters, fmax(state, sent), (double)FLUID_BITS_LIMIT);
}

/* Who goes is not a failure that a spare makes good. */
static bool check_availability(const struct simulation_config *config, const struct learner_options *options,
                               struct simulation_fault *fault)
{
    if (options->elastic || options->slice_loss == LOSS_WAIT)
        return true;
    for (size_t i = 0; i < cluster_group_count(&config->cluster); i++) {
        struct cluster_group group = cluster_group(&config->cluster, i);
        if (availability_is_limited(&group.available))
            return fault_set(fault, "slice_loss",
                             "nothing replaces chips that come and go (cluster.groups, available): make the "
                             "strategy elastic, or let it wait");
    }
    return true;
}

/* What a trace's units stand for has to exist. */
static bool check_trace(const struct simulation_config *config, struct simulation_fault *fault)
{
    if (!config->trace.file)
        return true;
    if (config->trace.unit == FAULT_OF_SITE && config->network.sites.count == 0)
        return fault_set(fault, "failures.trace_unit", "the network has no sites");
    if (config->trace.unit == FAULT_OF_RACK && config->cluster.rack_chips < 1)
        return fault_set(fault, "failures.trace_unit", "how large a rack is, cluster.rack_chips says");
    for (size_t i = 0; i < config->trace.trace.kind_count; i++)
        if (strlen(config->trace.trace.kinds[i]) + strlen("trace ") >= FAULT_NAME)
            return fault_set(fault, "failures.trace", "kinds are at most %zu bytes long; not \"%s\"",
                             FAULT_NAME - 1 - strlen("trace "), config->trace.trace.kinds[i]);
    return true;
}

static bool check_chaos(const struct simulation_config *config, struct simulation_fault *fault)
{
    struct chaos_fault_report report = {.message = "out of memory"};
    struct chaos_ground_owner ground;
    if (chaos_is_empty(&config->chaos))
        return true;
    bool good =
        chaos_ground_create(&ground, config, NULL) && chaos_check(&config->chaos, &ground.ground, &report);
    chaos_ground_destroy(&ground);
    return good ||
           fault_set(fault, report.list ? report.list->section : "chaos_limits", "%s", report.message);
}

/* Nobody has a copy of what a slice saves where there is no other slice, and rules need rates. */
static bool check_checkpoints(const struct simulation_config *config, const struct strategy_config *strategy,
                              const struct layout *layout, struct simulation_fault *fault)
{
    bool peers = config->checkpoints.memory.copies == COPIES_PEER;
    bool unknown = config->trace.file && config->trace.alone;
    if (config->checkpoints.rule != CHECKPOINTS_GIVEN && unknown)
        return fault_set(fault, "checkpoints.rule",
                         "rules go by how often things fail, which nobody says where a trace is played: give "
                         "the interval");
    if (strategy_functions[strategy->kind]->checkpoints && peers && layout->slices < 2 * layout->learners)
        return fault_set(fault, "checkpoints.memory.copies",
                         "a learner of one slice has no peer to keep copies for it");
    return true;
}

bool simulation_check(const struct simulation_config *config, const struct strategy_config *strategy,
                      struct simulation_fault *fault)
{
    struct layout layout = layout_of(&config->cluster, strategy_learner_count(strategy));
    const char *path, *reason;
    if ((config->until.tokens > 0) + (config->until.steps > 0) + (config->until.loss > 0) > 1)
        return fault_set(fault, config->until.loss > 0 ? "until.loss" : "until.steps",
                         "one of tokens, steps and loss fixes the work, not several");
    reason = initialisation_fault(&config->failures.initialisation);
    if (reason)
        return fault_set(fault, "failures.initialisation.chips", "%s", reason);
    if (config->failures.noticed == NOTICED_AT_ONCE && config->failures.failed_step == FAILED_STEP_COUNTS &&
        (!strategy_functions[strategy->kind]->checkpoints || workload_parts(&config->workload) > 1))
        return fault_set(
            fault, "failures.failed_step",
            "a step that is broken off (failures.noticed is at_once) can count only where "
            "nothing is sent before its end (all-reduce, without workload.layers): let it be lost");
    if (config->warm_up >= config->duration)
        return fault_set(fault, "warm_up", "the warm-up lasts as long as the run or longer");
    if (strategy_functions[strategy->kind]->check_alone)
        return strategy_functions[strategy->kind]->check_alone(config, fault);
    if (!check_spares(config, &layout, fault) || !check_cluster(&layout, fault) ||
        !hardware_check(config, &layout, fault) || !check_repair(config, fault) ||
        !check_length(config, strategy, &layout, fault) ||
        !failures_check(config, &layout, MOST_EVENTS, fault) ||
        !check_checkpoints(config, strategy, &layout, fault) ||
        !check_availability(config, strategy_learners(strategy), fault))
        return false;
    if (!check_messages(config, strategy_learners(strategy), fault) ||
        !check_network(config, layout.learners, fault) || !check_trace(config, fault) ||
        !check_chaos(config, fault))
        return false;
    if (!strategy_check_format(&strategy_learners(strategy)->rule))
        return fault_set(fault, "bits", "e3m0 has 4 bits and sign has 1; leave the bits out or set these");
    const struct strategy_functions *functions = strategy_functions[strategy->kind];
    if (!functions->check(strategy->options, &path, &reason) ||
        (functions->check_network &&
         !functions->check_network(strategy->options, &config->network, &path, &reason)))
        return fault_set(fault, path, "%s", reason);
    return true;
}
