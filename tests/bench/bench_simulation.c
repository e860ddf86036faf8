/*
 * Simulated days of 1.2 million chips under each strategy: time, events, and what chips cost that do not
 * fail; and a month of them with ages in four domains.
 *
 *     bench_simulation [REPLICATIONS]
 */
#include "models/failures/process.h"
#include "models/training/simulation.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const double day = 86400;

static const struct sim_law_spec unspecified = {.mean = NAN,
                                                .median = NAN,
                                                .low = NAN,
                                                .high = NAN,
                                                .deviation = NAN,
                                                .shape = NAN,
                                                .power = NAN,
                                                .sigma = NAN};

static struct sim_law_spec law_of(enum sim_law law, double mean)
{
    struct sim_law_spec spec = unspecified;
    spec.law = law;
    spec.mean = mean;
    return spec;
}

/* As in scenarios/million-chips.yaml. */
static struct simulation_config million_chips(void)
{
    struct simulation_config config = {
        .duration = sim_time_from_seconds(day),
        .workload = {.parameters = 5e9,
                     .tokens_per_step = 4194304,
                     .step_time = 6 * SIM_SECOND,
                     .bits_per_parameter = 16},
        .cluster = {.chips = 1200000,
                    .chips_per_slice = 64,
                    .chip = 2,
                    .mfu = 0.4,
                    .price_per_hour = NAN,
                    .parallel = {1, 1, 1, 1, 1, 1, BLAST_SLICE}},
        .stragglers = {.learner = law_of(SIM_LAW_CONSTANT, 1),
                       .step = law_of(SIM_LAW_CONSTANT, 1),
                       .chip = law_of(SIM_LAW_CONSTANT, 1),
                       .lasting = law_of(SIM_LAW_CONSTANT, 1),
                       .fail_slow_between = PARAMETER_UNSET},
        .network = {.wan_bandwidth = 400e9, .wan_latency = 30 * SIM_MILLISECOND},
        .failures = {.enabled = true,
                     .chip = law_of(SIM_LAW_EXPONENTIAL, 365 * day),
                     .repair = law_of(SIM_LAW_EXPONENTIATED_WEIBULL, 3600),
                     .downscale_time = 14 * SIM_SECOND,
                     .upscale_time = 12 * SIM_SECOND,
                     .restart_time = 84 * SIM_SECOND,
                     .during_restart = DURING_RESTART_ABSORB,
                     .failed_step = FAILED_STEP_COUNTS},
    };
    config.failures.repair.shape = 0.7;
    config.failures.repair.power = 2;
    return config;
}

static struct all_reduce_options plain = {.learner = {.elastic = false}},
                                 elastic = {.learner = {.elastic = true}};
#define EIGHT_LEARNERS                                                                                       \
    {                                                                                                        \
        .learners = 8, .elastic = true, .rule = {.mixing = NAN, .compression_bits = PARAMETER_UNSET }        \
    }
static struct diloco_options diloco = {.learner = EIGHT_LEARNERS, .inner_steps = 24};
static struct decoupled_options decoupled = {
    .learner = EIGHT_LEARNERS, .inner_steps = 24, .fragments = 24, .overlap = 2, .quorum = 1, .grace = 0.5};
static struct gossip_options gossip = {.learner = EIGHT_LEARNERS, .inner_steps = 24, .peers = 1};

static const struct strategy_config strategies[] = {{"all-reduce", STRATEGY_ALL_REDUCE, &plain},
                                                    {"elastic", STRATEGY_ALL_REDUCE, &elastic},
                                                    {"diloco", STRATEGY_DILOCO, &diloco},
                                                    {"decoupled", STRATEGY_DECOUPLED, &decoupled},
                                                    {"gossip", STRATEGY_GOSSIP, &gossip}};

struct cost {
    double seconds, goodput;
    uint64_t events;
};

static struct cost run(const struct simulation_config *config, const struct strategy_config *strategy,
                       uint32_t replications)
{
    struct cost cost = {0};
    for (uint32_t i = 0; i < replications; i++) {
        struct run_result result;
        struct error error = {.kind = ERROR_NONE};
        if (!simulation_run(config, strategy, 1, i, NULL, &result, NULL, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(EXIT_FAILURE);
        }
        cost.seconds += result.wall_seconds;
        cost.goodput += result.metrics[METRIC_GOODPUT] / replications;
        cost.events += result.events;
    }
    return cost;
}

static double run_all(uint32_t replications)
{
    struct simulation_config config = million_chips();
    double total = 0;
    printf("%-12s %12s %12s %14s %10s\n", "strategy", "ms a run", "events", "million/s", "goodput");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        struct cost cost = run(&config, &strategies[i], replications);
        printf("%-12s %12.2f %12" PRIu64 " %14.2f %10.3f\n", strategies[i].name,
               1e3 * cost.seconds / replications, cost.events / replications,
               (double)cost.events / cost.seconds * 1e-6, cost.goodput);
        total += cost.seconds;
    }
    return total;
}

/* A thousand times the chips, each failing a thousand times less often. */
static double cost_of_more_chips(uint32_t replications)
{
    struct simulation_config config = million_chips();
    double few = run(&config, &strategies[1], replications).seconds;
    config.cluster.chips *= 1000;
    config.cluster.chips_per_slice *= 1000;
    config.failures.chip.mean *= 1000;
    return run(&config, &strategies[1], replications).seconds / few;
}

static struct failure_process ageing(char *name, enum fault_domain domain, double days)
{
    struct sim_law_spec life = law_of(SIM_LAW_WEIBULL, days * day);
    life.shape = 0.8;
    return (struct failure_process){.name = name,
                                    .domain = domain,
                                    .kind = FAULT_STOP,
                                    .life = life,
                                    .node_rate = NAN,
                                    .overall_mtbf = PARAMETER_UNSET,
                                    .every = PARAMETER_UNSET,
                                    .duration = {.law = PARAMETER_UNSET},
                                    .detection = {.law = PARAMETER_UNSET},
                                    .factor = NAN};
}

/* Chips, hosts, slices and racks that age, for 30 days, under the elastic strategy. */
static struct cost run_domains(void)
{
    struct simulation_config config = million_chips();
    struct failure_process processes[] = {ageing((char[]){"hosts"}, FAULT_OF_HOST, 2000),
                                          ageing((char[]){"slices"}, FAULT_OF_SLICE, 2000),
                                          ageing((char[]){"racks"}, FAULT_OF_RACK, 1000)};
    config.duration = sim_time_from_seconds(30 * day);
    config.cluster.rack_chips = 512;
    config.failures.chip = law_of(SIM_LAW_WEIBULL, 365 * day);
    config.failures.chip.shape = 0.8;
    config.failures.processes = (struct parameter_items){processes, sizeof processes / sizeof *processes};
    return run(&config, &strategies[1], 1);
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
    uint32_t replications = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
    double total = run_all(replications);
    printf("all: %.3f s of one core, %.1f MB at most\n", total, peak_megabytes());
    printf("a thousand times the chips at as many failures: %.2f times the time\n",
           cost_of_more_chips(replications));
    struct simulation_config config = million_chips();
    config.failures.chip = law_of(SIM_LAW_WEIBULL, 365 * day);
    config.failures.chip.shape = 0.8;
    struct cost cost = run(&config, &strategies[1], 1);
    printf("elastic with 1.2 million ages (Weibull): %.3f s a run, %" PRIu64 " events, %.1f MB at most\n",
           cost.seconds, cost.events, peak_megabytes());
    cost = run_domains();
    printf("elastic with ages in four domains, 30 days: %.3f s a run, %" PRIu64 " events, %.1f MB at most\n",
           cost.seconds, cost.events, peak_megabytes());
    return EXIT_SUCCESS;
}
