/*
 * GPU overlap: nothing is trained. Every chip of the cluster is a GPU that runs the pairs of workload.overlap
 * in one mode, over and over for the run's duration; learners, failures and the network have no part in it.
 * Of the chips' time as much is useful as the products take alone, and the rest waits for communication.
 */
#include "models/training/fault.h"
#include "models/training/kind.h"
#include "models/training/observation.h"
#include "models/training/simulation.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct parameter rows[] = {
    {.path = "mode",
     .type = PARAMETER_CHOICE,
     .choices = gpu_mode_names,
     .fallback = "",
     .sentence = "How collectives run: after the products they follow, beside the next ones on a stream of "
                 "their own, "
                 "with priority for collectives, with shaped occupancy of the products, or with both; "
                 "workload.overlap.mode where left out.",
     .offset = offsetof(struct gpu_overlap_options, mode)},
};

const struct parameter_variant gpu_overlap_variant = {
    .name = "gpu-overlap",
    .sentence = "no training: matrix products and collectives on one GPU (workload.overlap)",
    .rows = rows,
    .count = PARAMETER_COUNT(rows),
    .size = sizeof(struct gpu_overlap_options),
};

static struct gpu_pairs pairs_of(const struct simulation_config *config, struct gpu *gpu)
{
    const struct workload_config *workload = &config->workload;
    return overlap_pairs(&workload->overlap, workload->parameters * (double)workload->bits_per_parameter,
                         gpu);
}

/* The field that says how much a part is. */
static const char *path_of(const struct overlap_config *overlap, enum gpu_pairs_part part)
{
    const char *data = isnan(overlap->data) ? "workload.parameters" : "workload.overlap.data";
    switch (part) {
    case GPU_PAIRS_DATA:
        return data;
    case GPU_PAIRS_MATRICES:
        return "workload.overlap.product";
    case GPU_PAIRS_BLOCK:
        return "workload.overlap.tile";
    case GPU_PAIRS_FLOPS:
        return "workload.overlap.efficiency";
    case GPU_PAIRS_LINK_RATE:
        return isnan(overlap->link_rate) ? data : "workload.overlap.link_rate";
    case GPU_PAIRS_BLOCK_RATE:
        return "workload.overlap.block_link_rate";
    }
    return "workload.overlap.gpu";
}

static bool check(const struct simulation_config *config, struct simulation_fault *fault)
{
    struct gpu gpu;
    if (!overlap_is_given(&config->workload.overlap))
        return fault_set(fault, "workload.overlap.gpu", "needed for a strategy of kind gpu-overlap");
    const char *block = overlap_refusal(&config->workload.overlap);
    if (block)
        return fault_set(fault, "workload.overlap.tile", "%s: a block %s",
                         gpu_choices[config->workload.overlap.gpu], block);
    struct gpu_pairs pairs = pairs_of(config, &gpu);
    enum gpu_pairs_part part;
    const char *refusal = gpu_pairs_refusal(&pairs, &part);
    if (refusal)
        return fault_set(fault, path_of(&config->workload.overlap, part), "%s: %s", gpu.name, refusal);
    return true;
}

/* Figures. */

static double ratio(sim_time part, sim_time whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void measure_pairs(const struct gpu_pairs *pairs, const struct gpu_pairs_times *times, double *metrics)
{
    double count = (double)pairs->count;
    sim_time longer = times->product > times->collective ? times->product : times->collective;
    metrics[METRIC_PAIR_TIME] = sim_time_to_seconds(times->time) / count;
    metrics[METRIC_PRODUCT_TIME] = sim_time_to_seconds(times->product) / count;
    metrics[METRIC_COLLECTIVE_TIME] = sim_time_to_seconds(times->collective) / count;
    metrics[METRIC_TIME_RATIO] = ratio(times->time, times->sequential);
    metrics[METRIC_TIME_BOUND] = ratio(longer, times->sequential);
    metrics[METRIC_TIME_RATIO_TO_BASELINE] = ratio(times->time, times->baseline);
    metrics[METRIC_TIME_SAVED] = 1 - ratio(times->time, times->baseline);
    metrics[METRIC_OVERLAP_RATE] = gpu_pairs_overlap_rate(times);
    metrics[METRIC_OCCUPANCY] = times->occupancy;
    metrics[METRIC_BLOCKS_PER_SM] = (double)times->resident;
}

static void share_out(const struct simulation_config *config, const struct gpu_pairs_times *times,
                      struct run_result *result)
{
    sim_amount all = (sim_amount)config->cluster.chips * (config->duration - config->warm_up);
    double share = fmin(1, ratio(times->unshaped, times->time));
    sim_amount useful = (sim_amount)((double)all * share);
    result->ledger.amount[BUDGET_USEFUL] = useful < all ? useful : all;
    result->ledger.amount[BUDGET_COMMUNICATION_WAIT] = all - result->ledger.amount[BUDGET_USEFUL];
    result->ledger.amount[BUDGET_WARM_UP] = (sim_amount)config->cluster.chips * config->warm_up;
    result->metrics[METRIC_GOODPUT] = result->metrics[METRIC_COMPUTE_UTILIZATION] =
        (double)result->ledger.amount[BUDGET_USEFUL] / (double)all;
}

static void measure(const struct simulation_config *config, const struct gpu_pairs *pairs,
                    const struct gpu_pairs_times *times, struct run_result *result)
{
    double rounds = (double)(config->duration - config->warm_up) / (double)times->time;
    measure_pairs(pairs, times, result->metrics);
    share_out(config, times, result);
    result->metrics[METRIC_STEPS] = rounds * (double)pairs->count;
    result->metrics[METRIC_TOKENS] = result->metrics[METRIC_STEPS] * config->workload.tokens_per_step;
    result->simulated = config->duration;
    result->events = times->events;
    result->status = RUN_DONE;
}

/* What was seen. */

/* Adds what STATE, which lasts until END, has to the intervals of SERIES, each an equal part of TIME. */
static void add_state(struct observed_series *series, const struct gpu_state *state, sim_time end,
                      sim_time time, enum gpu_kernel_kind kind)
{
    double length = (double)time / OBSERVATION_INTERVALS;
    size_t i = (size_t)((double)state->since / length);
    for (; i < OBSERVATION_INTERVALS && (double)i * length < (double)end; i++) {
        double from = fmax((double)state->since, (double)i * length),
               to = fmin((double)end, (double)(i + 1) * length);
        series->values[i] += (double)state->sms[kind] * fmax(0, to - from) / length;
    }
}

static void fill_series(struct observation *observation, const struct gpu_history *history, sim_time time)
{
    static const char *const names[GPU_KERNEL_KINDS] = {"sms:product", "sms:collective"};
    for (size_t kind = 0; kind < GPU_KERNEL_KINDS; kind++) {
        struct observed_series *series = &observation->series[kind];
        snprintf(series->name, sizeof series->name, "%s", names[kind]);
        for (size_t i = 0; i < history->count; i++)
            add_state(series, &history->states[i],
                      i + 1 < history->count ? history->states[i + 1].since : time, time,
                      (enum gpu_kernel_kind)kind);
    }
    observation->series_count = GPU_KERNEL_KINDS;
    for (size_t i = 0; i < OBSERVATION_INTERVALS; i++)
        observation->ends[i] = (sim_time)((__int128)time * (__int128)(i + 1) / OBSERVATION_INTERVALS);
    observation->interval_count = OBSERVATION_INTERVALS;
}

static void fill_spans(struct observation *observation, const struct gpu_span *spans, int64_t pairs)
{
    static const char *const names[GPU_KERNEL_KINDS] = {"kernel:product", "kernel:collective"};
    for (int64_t i = 0; i < 2 * pairs; i++)
        observation->spans[i] = (struct observed_span){
            .name = names[i % 2], .number = i / 2 + 1, .begin = spans[i].begin, .end = spans[i].end};
    observation->span_count = (size_t)(2 * pairs);
}

static struct observation *observe(const struct gpu_pairs *pairs, const struct gpu_history *history,
                                   const struct gpu_span *spans, sim_time time, struct error *error)
{
    struct observation *observation = calloc(1, sizeof *observation);
    if (observation) {
        observation->series = calloc(GPU_KERNEL_KINDS, sizeof *observation->series);
        observation->spans = calloc((size_t)(2 * pairs->count), sizeof *observation->spans);
    }
    if (!observation || !observation->series || !observation->spans) {
        observation_destroy(observation);
        error_out_of_memory(error, "what was seen of a run");
        return NULL;
    }
    fill_series(observation, history, time);
    fill_spans(observation, spans, pairs->count);
    return observation;
}

static bool run(const struct simulation_config *config, const void *options, struct run_result *result,
                struct observation **observation, struct error *error)
{
    const struct gpu_overlap_options *wanted = options;
    struct gpu gpu;
    struct gpu_pairs pairs = pairs_of(config, &gpu);
    struct gpu_span spans[2 * GPU_MOST_PAIRS];
    struct gpu_history history = {0};
    struct gpu_pairs_times times;
    int64_t mode = wanted->mode == PARAMETER_UNSET ? config->workload.overlap.mode : wanted->mode;
    bool done = gpu_pairs_run(&pairs, (enum gpu_mode)mode, observation ? &history : NULL,
                              observation ? spans : NULL, &times, error);
    if (done)
        measure(config, &pairs, &times, result);
    if (done && observation) {
        *observation = observe(&pairs, &history, spans, times.time, error);
        done = *observation != NULL;
    }
    free(history.states);
    return done;
}

const struct strategy_functions gpu_overlap_functions = {.check_alone = check, .run_alone = run};
