#include "tests/models/fixture.h"

#include "sim/tally.h"
#include <check.h>
#include <math.h>

static void set_options(struct fixture *fixture)
{
    struct learner_options learners = {.learners = 4,
                                       .elastic = true,
                                       .slice_loss = LOSS_REPLACE,
                                       .rule = {.mixing = NAN, .compression_bits = PARAMETER_UNSET}};
    switch (fixture->kind) {
    case STRATEGY_ALL_REDUCE:
        fixture->options.all_reduce = (struct all_reduce_options){.learner = {.learners = 0}};
        break;
    case STRATEGY_DILOCO:
        fixture->options.diloco = (struct diloco_options){.learner = learners, .inner_steps = 4};
        break;
    case STRATEGY_DECOUPLED:
        fixture->options.decoupled =
            (struct decoupled_options){.learner = learners, .inner_steps = 4, .fragments = 4, .quorum = 4};
        break;
    case STRATEGY_STREAMING:
        fixture->options.streaming =
            (struct streaming_options){.learner = learners, .inner_steps = 4, .fragments = 4, .overlap = 1};
        break;
    case STRATEGY_GPU_OVERLAP:
        fixture->options.gpu_overlap = (struct gpu_overlap_options){.mode = GPU_BOTH};
        break;
    default:
        fixture->options.gossip = (struct gossip_options){.learner = learners, .inner_steps = 4, .peers = 1};
    }
}

struct fixture fixture_of(int64_t kind)
{
    struct fixture fixture = {.kind = kind,
                              .config = {
                                  .duration = 1000 * SIM_SECOND,
                                  .workload = {.parameters = 62.5e6,
                                               .tokens_per_step = 1e6,
                                               .step_time = 10 * SIM_SECOND,
                                               .bits_per_parameter = 16},
                                  .cluster = {.chips = 256,
                                              .chips_per_slice = 16,
                                              .chip = 2,
                                              .mfu = 0.4,
                                              .price_per_hour = NAN,
                                              .parallel = {1, 1, 1, 1, 1, 1, BLAST_SLICE},
                                              .scale_out_rate = 400e9},
                                  .stragglers = {.learner = fixture_law(SIM_LAW_CONSTANT, 1),
                                                 .step = fixture_law(SIM_LAW_CONSTANT, 1),
                                                 .chip = fixture_law(SIM_LAW_CONSTANT, 1),
                                                 .lasting = fixture_law(SIM_LAW_CONSTANT, 1),
                                                 .lemon_factor = 1,
                                                 .fail_slow_between = PARAMETER_UNSET,
                                                 .fail_slow_factor = 1,
                                                 .fail_slow_duration = fixture_law(SIM_LAW_EXPONENTIAL, 600),
                                                 .drift_period = 86400 * SIM_SECOND},
                                  .network = {.wan_bandwidth = 1e9},
                                  .failures = {.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e9),
                                               .repair = fixture_law(SIM_LAW_CONSTANT, 100),
                                               .during_restart = DURING_RESTART_ABSORB,
                                               .failed_step = FAILED_STEP_LOST},
                              }};
    set_options(&fixture);
    return fixture;
}

/* Laws. */

static const struct sim_law_spec unspecified = {.mean = NAN,
                                                .median = NAN,
                                                .low = NAN,
                                                .high = NAN,
                                                .deviation = NAN,
                                                .shape = NAN,
                                                .power = NAN,
                                                .sigma = NAN};

struct sim_law_spec fixture_law(enum sim_law law, double mean)
{
    struct sim_law_spec spec = unspecified;
    spec.law = law;
    spec.mean = mean;
    return spec;
}

struct sim_law_spec fixture_shaped(enum sim_law law, double mean, double shape)
{
    struct sim_law_spec spec = fixture_law(law, mean);
    spec.shape = shape;
    if (law == SIM_LAW_EXPONENTIATED_WEIBULL)
        spec.power = 2;
    return spec;
}

struct sim_law_spec fixture_spread(enum sim_law law, double mean, double sigma)
{
    struct sim_law_spec spec = fixture_law(law, mean);
    if (law == SIM_LAW_NORMAL)
        spec.deviation = sigma;
    else
        spec.sigma = sigma;
    return spec;
}

/* Runs. */

static struct strategy_config strategy_of(const struct fixture *fixture)
{
    return (struct strategy_config){.kind = fixture->kind, .options = (void *)&fixture->options};
}

static void assert_share(double share, double most)
{
    ck_assert_msg(isnan(share) || (share >= 0 && share <= most), "%.17g is no share of %g", share, most);
}

/* Energies by category sum to the whole, and each is within what all chips would take, busy or idle. */
static void assert_energy(const struct fixture *fixture, const struct run_result *result)
{
    const double *metrics = result->metrics;
    double sum = 0;
    if (isnan(metrics[METRIC_ENERGY]))
        return;
    for (int i = 0; i < BUDGET_WARM_UP; i++) {
        double hours = sim_amount_to_seconds(result->ledger.amount[i]) / 3600, most = 0;
        for (size_t k = 0; k < cluster_group_count(&fixture->config.cluster); k++)
            most = fmax(most, cluster_group(&fixture->config.cluster, k).chip.busy_watts);
        ck_assert(metrics[METRIC_ENERGY_OF + i] >= 0);
        ck_assert(metrics[METRIC_ENERGY_OF + i] <= hours * most / 1000 * (1 + 1e-12));
        sum += metrics[METRIC_ENERGY_OF + i];
    }
    ck_assert_double_eq_tol(sum, metrics[METRIC_ENERGY], 1e-12 * sum + 1e-300);
}

/* Exactly; and in so far as all of it counts, what counts is what is not lost. */
static void assert_tokens(const struct fixture *fixture, const struct run_result *result)
{
    const struct token_counts *tokens = &result->tokens;
    const double *metrics = result->metrics;
    ck_assert(fixture->kind != STRATEGY_DECOUPLED || tokens->fragments > 0);
    if (tokens->fragments == 0)
        return;
    ck_assert(tokens->trained == tokens->merged + tokens->lost + tokens->pending);
    ck_assert(tokens->merged >= 0 && tokens->lost >= 0 && tokens->pending >= 0);
    if (fixture->config.warm_up == 0)
        ck_assert_double_eq_tol(metrics[METRIC_TOKENS_MERGED] + metrics[METRIC_TOKENS_PENDING],
                                metrics[METRIC_TOKENS], 1 + 1e-9 * metrics[METRIC_TOKENS_TRAINED]);
}

static void assert_sound(const struct fixture *fixture, const struct run_result *result)
{
    const double *metrics = result->metrics;
    sim_amount total = (sim_amount)fixture->config.cluster.chips * result->simulated;
    bool negative = false;
    for (int i = 0; i < SIM_LEDGER_CATEGORIES; i++)
        negative |= result->ledger.amount[i] < 0;
    ck_assert(!negative && sim_ledger_total(&result->ledger) == total);
    double counted =
        (double)(total - result->ledger.amount[BUDGET_WARM_UP] - result->ledger.amount[BUDGET_AWAY]);
    if (counted > 0)
        ck_assert_double_eq(metrics[METRIC_GOODPUT], (double)result->ledger.amount[BUDGET_USEFUL] / counted);
    assert_share(metrics[METRIC_GOODPUT], 1);
    assert_energy(fixture, result);
    assert_tokens(fixture, result);
    assert_share(metrics[METRIC_UPTIME], 1 + 1e-12);
    assert_share(metrics[METRIC_COMPUTE_UTILIZATION], 1);
    assert_share(metrics[METRIC_ETTR], 1 + 1e-12);
    assert_share(metrics[METRIC_JOB_GOODPUT], 1 + 1e-12);
    struct strategy_config strategy = strategy_of(fixture);
    assert_share(metrics[METRIC_LEARNERS_UP], (double)strategy_learner_count(&strategy) * (1 + 1e-12));
}

struct run_result fixture_run(const struct fixture *fixture, uint64_t seed, uint32_t replication)
{
    struct strategy_config strategy = strategy_of(fixture);
    struct simulation_fault fault = {.path = ""};
    struct error error = {.kind = ERROR_NONE};
    struct run_result result;
    ck_assert_msg(simulation_check(&fixture->config, &strategy, &fault), "%s: %s", fault.path, fault.message);
    bool done = simulation_run(&fixture->config, &strategy, seed, replication, NULL, &result, NULL, &error);
    ck_assert_msg(done, "%s", error.message);
    if (goal_is_fixed(&fixture->config.until))
        ck_assert_int_le(result.simulated, fixture->config.duration);
    else
        ck_assert_int_eq(result.simulated, fixture->config.duration);
    assert_sound(fixture, &result);
    return result;
}

struct simulation_fault fixture_fault(const struct fixture *fixture)
{
    struct strategy_config strategy = strategy_of(fixture);
    struct simulation_fault fault = {.path = ""};
    ck_assert(!simulation_check(&fixture->config, &strategy, &fault));
    return fault;
}

/* Budgets. */

int64_t fixture_chip_seconds(const struct run_result *result, enum budget_category category)
{
    struct sim_unit_seconds split = sim_amount_split(result->ledger.amount[category]);
    ck_assert_msg(split.nanoseconds == 0, "%s: %lld.%09lld chip-seconds", budget_names[category],
                  (long long)split.seconds, (long long)split.nanoseconds);
    return split.seconds;
}

void fixture_assert_budget(const struct run_result *result, const struct fixture_share *shares, size_t count)
{
    int64_t wanted[BUDGET_CATEGORIES] = {0};
    for (size_t i = 0; i < count; i++)
        wanted[shares[i].category] += shares[i].chip_seconds;
    for (int i = 0; i < BUDGET_CATEGORIES; i++) {
        int64_t got = fixture_chip_seconds(result, (enum budget_category)i);
        ck_assert_msg(got == wanted[i], "%s: %lld chip-seconds, not %lld", budget_names[i], (long long)got,
                      (long long)wanted[i]);
    }
}

/* Means. */

struct fixture_mean fixture_mean_of(const struct fixture *fixture, enum run_metric metric, uint32_t count)
{
    struct sim_tally *tally = sim_tally_create();
    ck_assert_ptr_nonnull(tally);
    for (uint32_t i = 0; i < count; i++)
        sim_tally_add(tally, fixture_run(fixture, 1, i).metrics[metric]);
    struct fixture_mean mean = {sim_tally_mean(tally), sim_tally_deviation(tally) / sqrt(count)};
    sim_tally_destroy(tally);
    return mean;
}

void fixture_assert_near(struct fixture_mean got, double wanted, double tolerance)
{
    double allowed = fmax(5 * got.error, tolerance);
    ck_assert_msg(fabs(got.mean - wanted) <= allowed, "%.6f is not %.6f within %.6f", got.mean, wanted,
                  allowed);
}
