#include "models/training/measures.h"

#include "models/training/cost.h"
#include "models/training/world.h"
#include <math.h>

/* Of what counts. */
static double counted_seconds(const struct world *world)
{
    return sim_time_to_seconds(sim_engine_now(world->engine) - world->counting_since);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static struct learner_work total_work(const struct world *world)
{
    struct learner_work total = {0};
    for (int64_t i = 0; i < world->layout.learners; i++) {
        const struct learner *learner = &world->learners[i];
        total.useful += learner->work.useful - learner->warm_up.useful;
        total.steps += learner->work.steps - learner->warm_up.steps;
        total.tokens += learner->work.tokens - learner->warm_up.tokens;
        total.seconds += learner->work.seconds - learner->warm_up.seconds;
        total.squares += learner->work.squares - learner->warm_up.squares;
    }
    return total;
}

static void measure_steps(const struct world *world, const struct learner_work *work, double *metrics)
{
    sim_time now = sim_engine_now(world->engine);
    metrics[METRIC_UPTIME] = sim_time_tally_mean(&world->some_stepping, now);
    metrics[METRIC_LEARNERS_UP] = sim_time_tally_mean(&world->learners_up, now);
    metrics[METRIC_JOB_GOODPUT] = ratio(work->seconds, counted_seconds(world));
    metrics[METRIC_STEPS] = work->steps;
    metrics[METRIC_STEPS_LOST] = world->counts.steps_lost;
    metrics[METRIC_TOKENS] = work->tokens;
    metrics[METRIC_TIME_TO_FINISH] =
        world->goal.finished > 0 ? sim_time_to_seconds(world->goal.finished) : NAN;
    metrics[METRIC_MERGES] = (double)world->counts.merges;
    metrics[METRIC_RECONFIGURATIONS] = (double)world->counts.reconfigurations;
    metrics[METRIC_RESTARTS] = (double)world->counts.restarts;
}

/* Shares of the chip time that was allocated after the warm-up. */
static void measure_chip_time(const struct sim_ledger *ledger, double *metrics)
{
    double useful = (double)ledger->amount[BUDGET_USEFUL];
    double counted =
        (double)(sim_ledger_total(ledger) - ledger->amount[BUDGET_WARM_UP] - ledger->amount[BUDGET_AWAY]);
    double productive =
        useful + (double)(ledger->amount[BUDGET_STRAGGLER_WAIT] + ledger->amount[BUDGET_COMMUNICATION_WAIT]);
    metrics[METRIC_GOODPUT] = ratio(useful, counted);
    metrics[METRIC_COMPUTE_UTILIZATION] =
        ratio(useful, useful + (double)ledger->amount[BUDGET_COMMUNICATION_WAIT]);
    metrics[METRIC_ETTR] = ratio(productive, counted - (double)ledger->amount[BUDGET_IDLE_SPARE]);
    metrics[METRIC_LOST_CHIP_HOURS] = sim_amount_to_seconds(ledger->amount[BUDGET_REDONE]) / 3600;
}

#define SECONDS_PER_DAY 86400.0
#define ROUNDING 1e-12 /* a share of a square below which it is what rounding left */

/* Of observations by their mean and the mean of their squares. */
static double deviation(double mean, double square)
{
    double variance = square - mean * mean;
    return variance > ROUNDING * square || isnan(variance) ? sqrt(variance) : 0;
}

/* What a job's own log tells: the times of its steps, and of its interruptions. */
static void measure_log(const struct world *world, const struct learner_work *work, double *metrics)
{
    double elapsed = counted_seconds(world);
    double mean = ratio(work->seconds, work->steps);
    metrics[METRIC_TIME_PER_STEP] = ratio(elapsed, work->steps);
    metrics[METRIC_STEP_TIME] = mean;
    metrics[METRIC_STEP_TIME_DEVIATION] = deviation(mean, ratio(work->squares, work->steps));
    metrics[METRIC_INTERRUPTIONS] = (double)world->trouble.count;
    metrics[METRIC_INTERRUPTIONS_PER_DAY] = ratio((double)world->trouble.count * SECONDS_PER_DAY, elapsed);
    metrics[METRIC_INTERRUPTION_TIME] = ratio(world->trouble.seconds, (double)world->trouble.count);
}

static void measure_failures(const struct world *world, double *metrics)
{
    double failures = (double)outages_count(world->outages);
    metrics[METRIC_FAILURES] = failures;
    metrics[METRIC_MTBF] = ratio(counted_seconds(world), failures);
    metrics[METRIC_MTTR] = outages_mean_repair(world->outages);
}

/* NAN where a repair is but a time. */
static void measure_repairs(const struct world *world, double *metrics)
{
    struct repair_counts repairs = outages_repairs(world->outages);
    bool plain = repair_is_plain(&world->config->failures.pipeline);
    metrics[METRIC_REPAIRS] = plain ? NAN : (double)repairs.repairs;
    metrics[METRIC_MANUAL_REPAIRS] = plain ? NAN : (double)repairs.manual;
    metrics[METRIC_FAILED_REPAIRS] = plain ? NAN : (double)repairs.broken;
    metrics[METRIC_RETIRED] = plain ? NAN : (double)repairs.retired;
}

/* NAN where there are no spares. */
static void measure_spares(const struct world *world, double *metrics)
{
    struct spares_counts spares = slots_counts(world->slots), before = world->counts.spares;
    metrics[METRIC_SWAPS] = world->slots ? (double)(spares.swaps - before.swaps) : NAN;
    metrics[METRIC_COLD_STARTS] = world->slots ? (double)(spares.starts - before.starts) : NAN;
    metrics[METRIC_DRAWS] = world->slots ? (double)(spares.draws - before.draws) : NAN;
}

struct link_figures {
    double seconds; /* that count */
    double utilization, peak;
};

static void measure_link(void *context, const struct traffic_link *used)
{
    struct link_figures *figures = context;
    figures->utilization =
        fmax(figures->utilization, ratio(used->bits / used->link.bandwidth, figures->seconds));
    figures->peak = fmax(figures->peak, used->peak);
}

/* NAN where no link was used: fmax passes over it. */
static void measure_traffic(const struct world *world, double *metrics)
{
    struct link_figures figures = {.seconds = counted_seconds(world), .utilization = NAN, .peak = NAN};
    traffic_visit(world->traffic, measure_link, &figures);
    metrics[METRIC_WAN_BYTES] = traffic_bits(world->traffic) / 8;
    metrics[METRIC_LINK_UTILIZATION] = figures.utilization;
    metrics[METRIC_LINK_PEAK] = figures.peak;
}

static void measure_tokens(const struct world *world, struct run_result *result)
{
    double *metrics = result->metrics, unit = NAN;
    struct token_counts *tokens = &result->tokens;
    *tokens = (struct token_counts){0};
    if (world->strategy->count_tokens) {
        *tokens = world->strategy->count_tokens(world->strategy_state);
        unit = (double)TOKEN_GRAINS * (double)tokens->fragments;
    }
    metrics[METRIC_TOKENS_TRAINED] = (double)tokens->trained / unit;
    metrics[METRIC_TOKENS_MERGED] = (double)tokens->merged / unit;
    metrics[METRIC_TOKENS_LOST] = (double)tokens->lost / unit;
    metrics[METRIC_TOKENS_PENDING] = (double)tokens->pending / unit;
}

static void measure_cost(const struct world *world, struct run_result *result)
{
    const struct cost_usage usage = {
        .ledgers = world->ledgers,
        .since = world->counting_since,
        .until = sim_engine_now(world->engine),
        .tokens = result->metrics[METRIC_TOKENS],
        .network = cost_has_priced_links(&world->config->network) ? traffic_price(world->traffic) : NAN};
    cost_measure(world->config, &world->layout, &usage, result->metrics);
}

void measures_take(const struct world *world, struct run_result *result)
{
    struct learner_work work = total_work(world);
    double *metrics = result->metrics;
    result->ledger = cost_sum(world->ledgers, world->ledger_count);
    result->simulated = sim_engine_now(world->engine);
    result->events = sim_engine_events(world->engine) - observer_events(world->observer);
    measure_steps(world, &work, metrics);
    measure_chip_time(&result->ledger, metrics);
    measure_log(world, &work, metrics);
    measure_failures(world, metrics);
    measure_repairs(world, metrics);
    measure_spares(world, metrics);
    measure_traffic(world, metrics);
    measure_tokens(world, result);
    measure_cost(world, result);
}
