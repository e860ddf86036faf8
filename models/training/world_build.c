#include "models/training/world_build.h"

#include "models/failures/process.h"
#include "models/purpose.h"
#include "models/training/cost.h"
#include "models/training/domains.h"
#include "models/training/impact.h"
#include "models/training/warm_up.h"
#include <stdlib.h>

static bool create_engine(struct world *world, struct error *error)
{
    world->engine = sim_engine_create(error);
    if (world->engine)
        sim_engine_heed(world->engine, world->stop);
    return world->engine != NULL;
}

/* Leaves *FACTOR at NULL for the law that is constantly 1, so that the common case draws nothing. */
static bool create_factor(const struct sim_law_spec *spec, struct sim_distribution **factor,
                          struct error *error)
{
    if (spec->law == SIM_LAW_CONSTANT && spec->mean == 1)
        return true;
    *factor = sim_distribution_create(spec, error);
    return *factor != NULL;
}

static bool create_step_factor(struct world *world, struct error *error)
{
    const struct straggler_config *stragglers = &world->config->stragglers;
    if (!create_factor(&stragglers->step, &world->step_factor, error))
        return false;
    if (world->step_factor && stragglers->step_order != STRAGGLERS_DRAWN)
        world->played_scale = straggler_scale(stragglers, world->step_factor);
    return true;
}

static bool create_ledgers(struct world *world, struct error *error)
{
    world->ledger_count = cost_class_count(&world->config->cluster);
    world->ledgers = calloc(world->ledger_count, sizeof *world->ledgers);
    if (!world->ledgers)
        error_out_of_memory(error, "the ledgers");
    return world->ledgers != NULL;
}

/* A learner that is not elastic stops as a whole anyway. */
static bool create_replicas(struct world *world, const struct learner_options *options, struct error *error)
{
    const struct cluster_config *cluster = &world->config->cluster;
    int64_t slices = parallel_replica_slices(&cluster->parallel, cluster->chips_per_slice);
    if (cluster->parallel.blast_radius != BLAST_REPLICA || slices == 1 || !options->elastic)
        return true;
    world->replicas = replicas_create(&world->layout, slices, error);
    return world->replicas != NULL;
}

static bool create_learners(struct world *world, const struct learner_options *options, struct error *error)
{
    struct sim_distribution *lasting = NULL;
    if (!create_factor(&world->config->stragglers.learner, &lasting, error))
        return false;
    world->learners = calloc((size_t)world->layout.learners, sizeof *world->learners);
    bool built = world->learners != NULL;
    for (uint32_t i = 0; built && i < world->layout.learners; i++) {
        struct sim_stream stream;
        sim_stream_open(&stream, world->seed, world->replication, PURPOSE_LEARNER_SPEED, i);
        double factor = lasting ? sim_distribution_sample(lasting, &stream) : 1;
        built = learner_init(&world->learners[i], world, i, options, factor);
    }
    sim_distribution_destroy(lasting);
    if (!built)
        error_out_of_memory(error, "the learners");
    else if (world->overlap.failed)
        error_out_of_memory(error, "a GPU");
    return built && !world->overlap.failed;
}

/* Who is to be told of outages of slices: with spares, slots stand in between. */
static bool choose_observer(struct world *world, struct outages_observer *observer, struct error *error)
{
    *observer = impact_observer(world);
    if (world->layout.spares == 0)
        return true;
    world->slots = slots_create(world, *observer, error);
    if (world->slots)
        *observer = slots_observer(world->slots);
    return world->slots != NULL;
}

/* What fails by the scenario's laws, and what a trace says. */
static bool create_outages(struct world *world, struct error *error)
{
    const struct simulation_config *config = world->config;
    struct outages_observer observer;
    if (!choose_observer(world, &observer, error))
        return false;
    world->failures = config->failures;
    world->failures.enabled &= !config->trace.file || !config->trace.alone;
    world->outages = outages_create(world->engine, &world->failures, &world->units, world->seed,
                                    world->replication, config->duration, observer, error);
    if (world->outages && config->trace.file)
        world->traced =
            traced_faults_create(world->engine, world->outages, &config->trace, config->duration, error);
    return world->outages && (!config->trace.file || world->traced);
}

static bool create_traffic(struct world *world, struct error *error)
{
    world->traffic = traffic_create(world->engine, &world->config->network, world->layout.learners,
                                    world->seed, world->replication, error);
    return world->traffic != NULL;
}

static bool add_availability(struct world *world, struct error *error)
{
    const struct cluster_config *cluster = &world->config->cluster;
    int64_t first = 0;
    for (size_t i = 0; i < cluster_group_count(cluster); i++) {
        struct cluster_group group = cluster_group(cluster, i);
        int64_t next = layout_group_end(&world->layout, cluster, i);
        if (availability_is_limited(&group.available) &&
            !outages_add_availability(world->outages, first, next, &group.available, error))
            return false;
        first = next;
    }
    return true;
}

static bool processes_may_strike_links(const struct failure_config *failures)
{
    const struct failure_process *processes = failures->processes.items;
    bool any = false;
    for (size_t i = 0; i < failures->processes.count; i++)
        any |= chaos_strikes_links((enum fault_kind)processes[i].kind);
    return any;
}

/* What comes and goes, and what is done on purpose. */
static bool plan_outages(struct world *world, struct error *error)
{
    const struct simulation_config *config = world->config;
    if (!add_availability(world, error) || !injection_create(world, &world->injection, error))
        return false;
    if (chaos_may_strike_links(&config->chaos) || processes_may_strike_links(&config->failures))
        traffic_expect_faults(world->traffic);
    return true;
}

static bool create_strategy(struct world *world, const struct strategy_config *strategy, struct error *error)
{
    world->strategy_state = world->strategy->create(world, strategy->options, error);
    if (world->strategy->syncer_fault)
        outages_house_syncer(world->outages, traffic_syncer_site(world->traffic));
    return world->strategy_state != NULL;
}

/* The order is that in which the parts need each other, and in which they schedule their first events. */
static bool build(struct world *world, const struct strategy_config *strategy, struct error *error)
{
    const struct learner_options *options = strategy_learners(strategy);
    const struct straggler_config *stragglers = &world->config->stragglers;
    return create_engine(world, error) && create_step_factor(world, error) &&
           pace_laws_create(&world->pace, stragglers, error) && create_ledgers(world, error) &&
           create_replicas(world, options, error) &&
           domains_create(&world->units, world->config, &world->layout, error) &&
           create_learners(world, options, error) && create_outages(world, error) &&
           create_traffic(world, error) && plan_outages(world, error) &&
           create_strategy(world, strategy, error) && warm_up_schedule(world, error) &&
           waste_create(&world->waste, outages_causes(world->outages)->count, error);
}

struct world *world_create(const struct simulation_config *config, const struct strategy_config *strategy,
                           uint64_t seed, uint32_t replication, const atomic_bool *stop, struct error *error)
{
    struct world *world = malloc(sizeof *world);
    if (!world) {
        error_out_of_memory(error, "the run");
        return NULL;
    }
    *world = (struct world){.config = config,
                            .strategy = strategy_functions[strategy->kind],
                            .seed = seed,
                            .replication = replication,
                            .stop = stop,
                            .layout = layout_of(&config->cluster, strategy_learner_count(strategy))};
    world->layout.overlap = &world->overlap;
    sim_time_tally_start(&world->some_stepping, 0, 0);
    sim_time_tally_start(&world->learners_up, 0, 0);
    if (build(world, strategy, error))
        return world;
    world_destroy(world);
    return NULL;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    tape_writer_abandon(world->tape);
    observer_destroy(world->observer);
    injection_destroy(world->injection);
    if (world->strategy_state)
        world->strategy->destroy(world->strategy_state);
    traffic_destroy(world->traffic);
    traced_faults_destroy(world->traced);
    outages_destroy(world->outages);
    slots_destroy(world->slots);
    units_free(&world->units);
    waste_free(&world->waste);
    sim_distribution_destroy(world->step_factor);
    pace_laws_destroy(&world->pace);
    replicas_destroy(world->replicas);
    free(world->ledgers);
    for (int64_t i = 0; world->learners && i < world->layout.learners; i++)
        learner_free(&world->learners[i]);
    free(world->learners);
    sim_engine_destroy(world->engine);
    free(world);
}
