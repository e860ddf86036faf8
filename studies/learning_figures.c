#include "studies/learning_figures.h"

#include "models/training/result.h"
#include "studies/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double learning_time_to_loss(const struct replay_point *points, size_t count, double loss)
{
    for (size_t i = 0; i < count; i++) {
        if (!(points[i].value <= loss))
            continue;
        if (i == 0 || points[i - 1].value == points[i].value)
            return points[i].time_s;
        double share = (points[i - 1].value - loss) / (points[i - 1].value - points[i].value);
        return points[i - 1].time_s + share * (points[i].time_s - points[i - 1].time_s);
    }
    return NAN;
}

/* The last two evaluations may be of as many tokens; the later one counts. */
double learning_loss_at(const struct replay_point *points, size_t count, double tokens)
{
    if (count == 0 || !(tokens >= points[0].tokens && tokens <= points[count - 1].tokens))
        return NAN;
    size_t after = count - 1;
    while (after > 0 && points[after - 1].tokens >= tokens && points[after].tokens > tokens)
        after--;
    if (after == 0 || points[after].tokens == tokens)
        return points[after].value;
    double share = (tokens - points[after - 1].tokens) / (points[after].tokens - points[after - 1].tokens);
    return points[after - 1].value + share * (points[after].value - points[after - 1].value);
}

/* The figures that are held against the reference's. Those of the reference itself are known: 1 and 0. */
static bool hold_against_reference(struct store *store, const struct stored_run *run,
                                   const char *reference_sha256, const struct replay_point *last,
                                   double values[LEARNING_METRICS], struct error *error)
{
    int64_t reference;
    struct replay_point *points;
    size_t count;
    double *goodput = &values[LEARNING_STATISTICAL_GOODPUT], *over = &values[LEARNING_LOSS_OVER_REFERENCE];
    if (strcmp(run->strategy, PLAN_REFERENCE) == 0) {
        *goodput = isfinite(last->value) ? 1 : NAN;
        *over = isfinite(last->value) ? 0 : NAN;
        return true;
    }
    if (!store_find_taped_run(store, run->study, PLAN_REFERENCE, run->point, run->replication, &reference,
                              error))
        return false;
    if (reference < 0)
        return true;
    if (!store_read_curve(store, reference, reference_sha256, &points, &count, error))
        return false;
    if (last->time_s > 0)
        *goodput = learning_time_to_loss(points, count, last->value) / last->time_s;
    *over = last->value / learning_loss_at(points, count, last->tokens) - 1;
    free(points);
    return true;
}

/* Money and energy are spent evenly over a run. */
static bool price_progress(struct store *store, int64_t run, double values[LEARNING_METRICS],
                           struct error *error)
{
    double cost, energy, time = values[LEARNING_TIME_TO_LOSS];
    if (!store_run_rate(store, run, "cost", &cost, error) ||
        !store_run_rate(store, run, "energy", &energy, error))
        return false;
    values[LEARNING_COST_TO_LOSS] = cost * time;
    values[LEARNING_ENERGY_TO_LOSS] = energy * time;
    return true;
}

static struct replay_point *curve_points(const struct curve *curve)
{
    struct replay_point *points = calloc(curve->count + 1, sizeof *points);
    for (size_t i = 0; points && i < curve->count; i++)
        points[i] = (struct replay_point){.time_s = sim_time_to_seconds(curve->points[i].time),
                                          .step = curve->points[i].steps,
                                          .tokens = curve->points[i].tokens,
                                          .value = curve->points[i].loss};
    return points;
}

/* Figures of the curve alone. */
static void fill_values(double values[LEARNING_METRICS], const struct learning_config *learning,
                        const struct curve *curve, const struct learning_figures *figures)
{
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        values[i] = NAN;
    if (curve->count > 0 && !curve->diverged)
        values[LEARNING_FINAL_LOSS] = figures->points[curve->count - 1].value;
    values[LEARNING_FLOOR_LOSS] = curve->floor;
    values[LEARNING_EXCESS_LOSS] = values[LEARNING_FINAL_LOSS] - curve->floor;
    values[LEARNING_TIME_TO_LOSS] =
        learning_time_to_loss(figures->points, curve->count, learning->target_loss);
    values[LEARNING_TOKENS_TRAINED] = curve->tokens_trained;
    values[LEARNING_TOKENS_MERGED] = curve->tokens_merged;
    values[LEARNING_TOKENS_LOST] = curve->tokens_lost;
    values[LEARNING_TOKENS_PENDING] = curve->tokens_pending;
    values[LEARNING_MERGED_SHARE] = curve->tokens_merged / curve->tokens_trained;
}

bool learning_figures_create(struct learning_figures *figures, struct store *store,
                             const struct stored_run *run, const struct learning_config *learning,
                             const char *reference_sha256, const struct curve *curve, struct error *error)
{
    double values[LEARNING_METRICS];
    *figures = (struct learning_figures){.points = curve_points(curve)};
    if (!figures->points) {
        error_out_of_memory(error, "a learning curve");
        return false;
    }
    fill_values(values, learning, curve, figures);
    bool ends = curve->count > 0 && !curve->diverged;
    if (!price_progress(store, run->id, values, error) ||
        (ends && !hold_against_reference(store, run, reference_sha256, &figures->points[curve->count - 1],
                                         values, error))) {
        learning_figures_free(figures);
        return false;
    }
    figures->metric_count = LEARNING_METRICS;
    for (size_t i = 0; i < LEARNING_METRICS; i++)
        figures->metrics[i] = (struct replay_metric){
            .name = learning_metrics[i].name, .unit = learning_metrics[i].unit, .value = values[i]};
    return true;
}

bool learning_figures_finish(struct learning_figures *figures)
{
    const struct metric_description *metric = &run_metrics[METRIC_TIME_TO_FINISH];
    double time = figures->metrics[LEARNING_TIME_TO_LOSS].value;
    figures->metrics[figures->metric_count++] =
        (struct replay_metric){.name = metric->name, .unit = metric->unit, .value = time};
    return !isnan(time);
}

void learning_figures_free(struct learning_figures *figures)
{
    free(figures->points);
}
