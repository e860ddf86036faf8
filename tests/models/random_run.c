#include "tests/models/random_run.h"

#include "models/hardware/chip.h"
#include "models/network/collective.h"
#include "models/training/layout.h"
#include "sim/stream.h"
#include "tests/models/fixture.h"
#include "tests/models/sites_fixture.h"
#include <math.h>

enum { PURPOSE_CONFIGURATION = 1000, PURPOSE_STRATEGY, PURPOSE_SPARES, PURPOSE_PIPELINE };

static int64_t below(struct sim_stream *stream, int64_t n)
{
    return (int64_t)sim_stream_below(stream, (uint64_t)n);
}

static bool chance(struct sim_stream *stream, double p)
{
    return sim_stream_uniform(stream) < p;
}

/* LOW … HIGH, every factor of two as likely as another. */
static double log_uniform(struct sim_stream *stream, double low, double high)
{
    return low * exp(sim_stream_uniform(stream) * log(high / low));
}

static int64_t log_integer(struct sim_stream *stream, int64_t high)
{
    return (int64_t)floor(log_uniform(stream, 1, (double)high + 1));
}

/* Nothing, or anything from a hundredth of a step to ten steps. */
static sim_time some_time(struct sim_stream *stream, sim_time step)
{
    if (chance(stream, 0.3))
        return 0;
    return (sim_time)(log_uniform(stream, 0.01, 10) * (double)step);
}

/* Any law of times with this mean. */
static struct sim_law_spec some_law(struct sim_stream *stream, double mean)
{
    static const double values[] = {0, 0.3, 1, 1, 4};
    double shape = log_uniform(stream, 0.5, 4);
    struct sim_law_spec law;
    switch (below(stream, SIM_LAW_COUNT)) {
    case SIM_LAW_CONSTANT:
        return fixture_law(SIM_LAW_CONSTANT, mean);
    case SIM_LAW_WEIBULL:
        return fixture_shaped(SIM_LAW_WEIBULL, mean, shape);
    case SIM_LAW_EXPONENTIATED_WEIBULL:
        return fixture_shaped(SIM_LAW_EXPONENTIATED_WEIBULL, mean, shape);
    case SIM_LAW_NORMAL:
        return fixture_spread(SIM_LAW_NORMAL, mean, mean / 2);
    case SIM_LAW_LOG_NORMAL:
        return fixture_spread(SIM_LAW_LOG_NORMAL, mean, shape / 2);
    case SIM_LAW_GAMMA:
        return fixture_shaped(SIM_LAW_GAMMA, mean, shape);
    case SIM_LAW_UNIFORM:
        law = fixture_law(SIM_LAW_UNIFORM, NAN);
        law.low = 0;
        law.high = 2 * mean;
        return law;
    case SIM_LAW_EMPIRICAL:
        law = fixture_law(SIM_LAW_EMPIRICAL, mean);
        law.values = (struct sim_values){values, sizeof values / sizeof *values};
        return law;
    default:
        return fixture_law(SIM_LAW_EXPONENTIAL, mean);
    }
}

/* A factor that is 1, or spread about it. */
static struct sim_law_spec some_factor(struct sim_stream *stream)
{
    if (chance(stream, 0.6))
        return fixture_law(SIM_LAW_CONSTANT, 1);
    if (chance(stream, 0.5))
        return fixture_spread(SIM_LAW_NORMAL, 1, 0.1);
    return fixture_spread(SIM_LAW_LOG_NORMAL, 1, log_uniform(stream, 0.01, 0.5));
}

/* Chips that are slow for good, hosts that are, episodes, a day's drift; each now and then. */
static struct straggler_config some_stragglers(struct sim_stream *stream, const struct fixture *fixture)
{
    struct straggler_config stragglers = fixture->config.stragglers;
    double duration = sim_time_to_seconds(fixture->config.duration);
    stragglers.learner = some_factor(stream);
    stragglers.step = some_factor(stream);
    if (chance(stream, 0.5))
        stragglers.chip = some_factor(stream);
    else
        stragglers.lasting = some_factor(stream);
    if (chance(stream, 0.3)) {
        stragglers.lemon_share = sim_stream_uniform(stream);
        stragglers.lemon_factor = log_uniform(stream, 1, 3);
    }
    if (chance(stream, 0.3)) {
        stragglers.fail_slow_between = sim_time_from_seconds(log_uniform(stream, 0.1, 100) * duration);
        stragglers.fail_slow_factor = log_uniform(stream, 1, 3);
        stragglers.fail_slow_duration = some_law(stream, log_uniform(stream, 0.01, 1) * duration);
    }
    if (chance(stream, 0.2)) {
        stragglers.drift_amplitude = sim_stream_uniform(stream);
        stragglers.drift_period = sim_time_from_seconds(log_uniform(stream, 0.01, 10) * duration) + 1;
    }
    return stragglers;
}

/* A copy of the model that fits into a slice or takes several. */
static void some_parallel(struct sim_stream *stream, struct cluster_config *cluster)
{
    int64_t slices = (cluster->chips - 1) / cluster->chips_per_slice + 1;
    if (chance(stream, 0.6) || slices < 80)
        return;
    cluster->parallel.pipeline = cluster->chips_per_slice * log_integer(stream, slices / 80);
    cluster->parallel.blast_radius = BLAST_REPLICA;
}

/* The latter two are the former with groups that come and go. */
static const struct chip_group groups[][3] = {
    {{1, 3, NAN, NAN, {0}}, {1, 2, 0.5, 3, {0}}},
    {{0.2, 6, 0.3, 1, {0}}, {3, 7, NAN, 2, {0}}, {1, 2, 0.6, 0, {0}}},
    {{1, 3, NAN, NAN, {0}}, {1, 2, 0.5, 3, {7 * SIM_SECOND, 40 * SIM_SECOND, 90 * SIM_SECOND}}},
    {{0.2, 6, 0.3, 1, {20 * SIM_SECOND, SIM_SECOND, 30 * SIM_SECOND}},
     {3, 7, NAN, 2, {0}},
     {1, 2, 0.6, 0, {0}}},
};

void random_run_keep_all(struct fixture *fixture)
{
    struct parameter_items *items = &fixture->config.cluster.groups;
    for (size_t i = 0; i < 2; i++)
        if (items->items == (void *)groups[i + 2])
            items->items = (void *)groups[i];
}

static void some_cluster(struct sim_stream *stream, struct cluster_config *cluster)
{
    cluster->chips = log_integer(stream, 5000);
    cluster->chips_per_slice = chance(stream, 0.1) ? cluster->chips + 7 : log_integer(stream, cluster->chips);
    cluster->chip = below(stream, (int64_t)chip_catalogue_count);
    if (chance(stream, 0.2)) {
        int64_t which = below(stream, 2);
        cluster->groups = (struct parameter_items){(void *)groups[which + 2], (size_t)which + 2};
        cluster->batch = chance(stream, 0.3) ? BATCH_PROPORTIONAL : BATCH_EQUAL;
    }
    if (chance(stream, 0.3))
        cluster->price_per_hour = log_uniform(stream, 0.1, 10);
    some_parallel(stream, cluster);
}

static void some_failures(struct sim_stream *stream, struct fixture *fixture)
{
    struct failure_config *failures = &fixture->config.failures;
    sim_time step = fixture->config.workload.step_time;
    double seconds = sim_time_to_seconds(step);
    double between = log_uniform(stream, 0.2, 1000) * seconds; /* failures of any chip */
    failures->enabled = chance(stream, 0.75);
    failures->chip = some_law(stream, between * (double)fixture->config.cluster.chips);
    if (chance(stream, 0.3))
        failures->initial_age = (sim_time)(log_uniform(stream, 0.1, 10) * 1e9 * between);
    failures->repair = some_law(stream, log_uniform(stream, 0.01, 100) * seconds);
    failures->downscale_time = some_time(stream, step);
    failures->upscale_time = some_time(stream, step);
    failures->restart_time = some_time(stream, step);
    failures->during_restart = below(stream, 3);
    failures->failed_step = below(stream, 2);
    fixture->config.checkpoints = (struct checkpoint_config){.interval = some_time(stream, step),
                                                             .write_time = some_time(stream, step),
                                                             .load_time = some_time(stream, step)};
}

/* Checkpoints of all sorts now and then: on a clock, in the background, in memory, by a rule. */
static void some_saving(struct sim_stream *stream, struct simulation_config *config)
{
    struct checkpoint_config *checkpoints = &config->checkpoints;
    sim_time step = config->workload.step_time;
    bool alone = layout_of(&config->cluster, 1).slices < 2;
    if (chance(stream, 0.4))
        return;
    checkpoints->rule = below(stream, 4);
    checkpoints->measure = below(stream, 2);
    checkpoints->mode = below(stream, 2);
    checkpoints->blocking_time = some_time(stream, step);
    checkpoints->kept = 1 + below(stream, 3);
    checkpoints->memory = (struct memory_checkpoints){.copies = below(stream, alone ? 2 : 3),
                                                      .write_time = some_time(stream, step),
                                                      .load_time = some_time(stream, step),
                                                      .storage_every = below(stream, 4)};
}

/* Work that is done early, late or never, and failures that are noticed at once; from a stream of its own. */
static void some_end(uint64_t number, struct simulation_config *config)
{
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_CONFIGURATION, 1);
    double steps = (double)config->duration / (double)config->workload.step_time;
    if (chance(&stream, 0.4)) {
        config->failures.noticed = NOTICED_AT_ONCE;
        config->failures.failed_step = FAILED_STEP_LOST;
    }
    some_saving(&stream, config);
    if (chance(&stream, 0.15))
        config->until.steps = log_uniform(&stream, 0.01, 1) * steps;
    else if (chance(&stream, 0.15))
        config->until.tokens = log_uniform(&stream, 0.01, 1) * steps * config->workload.tokens_per_step;
}

/* Mostly such that a model crosses in about a step; now and then hopelessly thin. */
static void some_network(struct sim_stream *stream, struct fixture *fixture)
{
    struct workload_config *workload = &fixture->config.workload;
    double steps = chance(stream, 0.1) ? 1e9 : log_uniform(stream, 1e-4, 30);
    workload->parameters = log_uniform(stream, 1, 1e12);
    workload->bits_per_parameter = 1 + below(stream, 64);
    workload->tokens_per_step = log_uniform(stream, 1, 1e9);
    double bits = workload->parameters * (double)workload->bits_per_parameter;
    fixture->config.network.wan_bandwidth = bits / (steps * sim_time_to_seconds(workload->step_time));
    fixture->config.network.wan_latency = some_time(stream, workload->step_time / 3);
}

/* One to three sites with uplinks or without, alike or not, now and then cut off for a while or for good.
 * What is given out holds until the thread asks for the next run. */
static void some_sites(struct sim_stream *stream, struct fixture *fixture)
{
    const struct network_site plain = SITE("");
    const struct network_profile cut = PROFILE("cut");
    static _Thread_local struct network_site sites[3];
    static _Thread_local struct network_profile profile;
    static _Thread_local double at[2], factor[2] = {0, 1};
    static char names[][2] = {"a", "b", "c"}, cut_name[] = "cut";
    struct network_config *network = &fixture->config.network;
    double typical = network->wan_bandwidth, duration = sim_time_to_seconds(fixture->config.duration);
    size_t count = 1 + (size_t)below(stream, 3);
    sim_time latency = network->wan_latency;
    *network = (struct network_config)NETWORK(.between.latency = latency);
    if (chance(stream, 0.4))
        network->between.bandwidth = typical * log_uniform(stream, 0.1, 10);
    if (chance(stream, 0.2))
        network->wan_bandwidth = typical * log_uniform(stream, 0.1, 10);
    if (chance(stream, 0.2))
        network->between.jitter = some_time(stream, fixture->config.workload.step_time / 3);
    at[0] = sim_stream_uniform(stream) * duration;
    at[1] = at[0] + sim_stream_uniform(stream) * duration / 3;
    profile = cut;
    profile.name = cut_name;
    profile.schedule_at = (struct sim_values){at, chance(stream, 0.3) ? 1 : 2};
    profile.schedule_factor = (struct sim_values){factor, profile.schedule_at.count};
    network->profiles = (struct parameter_items){&profile, 1};
    for (size_t i = 0; i < count; i++) {
        sites[i] = plain;
        sites[i].name = names[i];
        sites[i].share = log_uniform(stream, 0.1, 1);
        if (chance(stream, 0.7)) {
            sites[i].uplink = typical * log_uniform(stream, 0.1, 10);
            sites[i].profile = chance(stream, 0.3) ? cut_name : NULL;
            sites[i].duplex = below(stream, 2);
        }
    }
    network->sites = (struct parameter_items){sites, count};
}

/* Beside the chips that are there already; a stream of its own leaves all else as it is. */
static void some_spares(struct fixture *fixture, uint64_t number)
{
    struct cluster_config *cluster = &fixture->config.cluster;
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_SPARES, 0);
    if (cluster->groups.count > 0 || chance(&stream, 0.6))
        return;
    sim_time step = fixture->config.workload.step_time;
    cluster->spares = (struct reserve_config){.standbys = log_integer(&stream, 10) - 1,
                                              .cold = log_integer(&stream, 10) - 1,
                                              .pool = log_integer(&stream, 10) - 1,
                                              .swap_time = some_time(&stream, step),
                                              .start_time = some_time(&stream, step),
                                              .draw_time = some_time(&stream, step),
                                              .refill = below(&stream, 2)};
    int64_t slices = (cluster->chips - 1) / cluster->chips_per_slice + 1;
    cluster->chips = (slices + reserve_slices(&cluster->spares)) * cluster->chips_per_slice;
}

/* Everything that can happen to a repair, each now and then. */
static void some_pipeline(struct fixture *fixture, uint64_t number)
{
    struct failure_config *failures = &fixture->config.failures;
    struct repair_config *pipeline = &failures->pipeline;
    double seconds = sim_time_to_seconds(fixture->config.workload.step_time);
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_PIPELINE, 0);
    failures->only_in_steps = chance(&stream, 0.2);
    if (chance(&stream, 0.5))
        return;
    pipeline->crews = log_integer(&stream, 10) - 1;
    pipeline->broken = chance(&stream, 0.5) ? sim_stream_uniform(&stream) : 0;
    pipeline->escalation = chance(&stream, 0.5) ? sim_stream_uniform(&stream) : 0;
    pipeline->manual = some_law(&stream, log_uniform(&stream, 0.01, 100) * seconds);
    pipeline->manual_crews = log_integer(&stream, 10) - 1;
    pipeline->manual_broken = chance(&stream, 0.5) ? sim_stream_uniform(&stream) : 0;
    pipeline->undiagnosed = chance(&stream, 0.3) ? sim_stream_uniform(&stream) : 0;
    pipeline->misdiagnosis = chance(&stream, 0.3) ? sim_stream_uniform(&stream) : 0;
    pipeline->relapse = some_law(&stream, log_uniform(&stream, 0.1, 100) * seconds);
    pipeline->retire_after = chance(&stream, 0.3) ? log_integer(&stream, 10) : 0;
    pipeline->retire_within = some_time(&stream, 100 * fixture->config.workload.step_time);
}

void random_run_leave_learners_out(struct fixture *fixture)
{
    fixture->config.failures.only_in_steps = false;
    fixture->config.failures.pipeline.misdiagnosis = 0;
}

struct fixture random_run(uint64_t number)
{
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_CONFIGURATION, 0);
    struct fixture fixture = fixture_of(STRATEGY_ALL_REDUCE);
    struct simulation_config *config = &fixture.config;
    config->workload.step_time = (sim_time)log_uniform(&stream, 1e3, 1e11);
    config->duration = (sim_time)(log_uniform(&stream, 0.1, 300) * (double)config->workload.step_time);
    if (chance(&stream, 0.3))
        config->warm_up = (sim_time)(sim_stream_uniform(&stream) * (double)config->duration);
    some_cluster(&stream, &config->cluster);
    some_failures(&stream, &fixture);
    some_spares(&fixture, number);
    some_pipeline(&fixture, number);
    some_network(&stream, &fixture);
    if (chance(&stream, 0.4))
        some_sites(&stream, &fixture);
    if (chance(&stream, 0.5))
        config->workload.layers = log_integer(&stream, 8);
    config->stragglers = some_stragglers(&stream, &fixture);
    some_end(number, config);
    random_strategy(&fixture, below(&stream, STRATEGY_TRAINING_KINDS), number);
    return fixture;
}

static struct learner_options some_learners(struct sim_stream *stream, const struct fixture *fixture)
{
    const struct cluster_config *cluster = &fixture->config.cluster;
    int64_t slices = (cluster->chips - 1) / cluster->chips_per_slice + 1 - reserve_slices(&cluster->spares);
    int64_t most = slices < 40 ? slices : 40;
    struct learner_options options = {.learners = log_integer(stream, most),
                                      .elastic = chance(stream, 0.6),
                                      .slice_loss = below(stream, 2)};
    if (cluster->groups.count > 0) /* some of them come and go, and nothing replaces those */
        options.slice_loss = LOSS_WAIT;
    if (chance(stream, 0.1))
        options.learners = most;
    return options;
}

static void some_decoupled(struct sim_stream *stream, struct decoupled_options *options)
{
    options->inner_steps = log_integer(stream, 40);
    options->fragments = log_integer(stream, options->inner_steps);
    options->overlap = chance(stream, 0.3) ? 0 : log_integer(stream, 100) - 1;
    options->quorum =
        chance(stream, 0.3) ? options->learner.learners : log_integer(stream, options->learner.learners);
    options->grace = chance(stream, 0.3) ? 0 : sim_stream_uniform(stream);
}

static void some_streaming(struct sim_stream *stream, struct streaming_options *options)
{
    options->inner_steps = log_integer(stream, 40);
    options->fragments = log_integer(stream, options->inner_steps);
    options->overlap = below(stream, options->inner_steps);
    options->collective = below(stream, COLLECTIVE_HIERARCHICAL + 1);
    options->release = below(stream, 2);
}

static void some_all_reduce(struct sim_stream *stream, struct all_reduce_options *options)
{
    options->learner.learners = 0;
    options->collective = below(stream, COLLECTIVE_HIERARCHICAL + 1);
    options->reduction = below(stream, 2);
    options->upscaling = below(stream, 2);
}

static void some_diloco(struct sim_stream *stream, struct diloco_options *options)
{
    options->inner_steps = log_integer(stream, 40);
    options->learner_loss = below(stream, 2);
    options->collective = below(stream, COLLECTIVE_HIERARCHICAL + 1);
    options->release = below(stream, 2);
}

void random_strategy(struct fixture *fixture, int64_t kind, uint64_t number)
{
    struct sim_stream stream;
    sim_stream_open(&stream, number, 0, PURPOSE_STRATEGY, (uint64_t)kind);
    struct fixture standard = fixture_of(kind);
    fixture->kind = kind;
    fixture->options = standard.options;
    fixture->options.learner = some_learners(&stream, fixture);
    fixture->options.learner.rule.compression_bits =
        chance(&stream, 0.5) ? PARAMETER_UNSET : 1 + below(&stream, 16);
    switch (kind) {
    case STRATEGY_DILOCO:
        some_diloco(&stream, &fixture->options.diloco);
        break;
    case STRATEGY_DECOUPLED:
        some_decoupled(&stream, &fixture->options.decoupled);
        break;
    case STRATEGY_STREAMING:
        some_streaming(&stream, &fixture->options.streaming);
        break;
    case STRATEGY_GOSSIP:
        fixture->options.gossip.inner_steps = log_integer(&stream, 40);
        fixture->options.gossip.peers = 1 + below(&stream, 2);
        fixture->options.gossip.topology = below(&stream, 4);
        if (chance(&stream, 0.2))
            fixture->options.learner.rule.algorithm = MIXING_AD_PSGD;
        break;
    default:
        some_all_reduce(&stream, &fixture->options.all_reduce);
    }
}

void random_run_even_out(struct fixture *fixture)
{
    fixture->config.stragglers = fixture_of(STRATEGY_ALL_REDUCE).config.stragglers;
    fixture->config.cluster.groups = (struct parameter_items){NULL, 0};
}
