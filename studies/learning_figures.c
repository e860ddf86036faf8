#include "studies/learning_figures.h"

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

/* The time of the reference to LOSS over TIME. Of the reference itself it is 1. */
static bool statistical_goodput(struct store *store, const struct stored_run *run,
                                const char *reference_sha256, double loss, double time, double *goodput,
                                struct error *error)
{
    int64_t reference;
    struct replay_point *points;
    size_t count;
    bool itself = strcmp(run->strategy, PLAN_REFERENCE) == 0;
    *goodput = itself && isfinite(loss) ? 1 : NAN;
    if (itself || !(time > 0))
        return true;
    if (!store_find_taped_run(store, run->study, PLAN_REFERENCE, run->point, run->replication, &reference,
                              error))
        return false;
    if (reference < 0)
        return true;
    if (!store_read_curve(store, reference, reference_sha256, &points, &count, error))
        return false;
    *goodput = learning_time_to_loss(points, count, loss) / time;
    free(points);
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

static void add(struct learning_figures *figures, const char *name, const char *unit, double value)
{
    figures->metrics[figures->metric_count++] =
        (struct replay_metric){.name = name, .unit = unit, .value = value};
}

bool learning_figures_create(struct learning_figures *figures, struct store *store,
                             const struct stored_run *run, const struct learning_config *learning,
                             const char *reference_sha256, const struct curve *curve, struct error *error)
{
    *figures = (struct learning_figures){.points = curve_points(curve)};
    if (!figures->points) {
        error_out_of_memory(error, "a learning curve");
        return false;
    }
    bool ends = curve->count > 0 && !curve->diverged;
    const struct replay_point *last = ends ? &figures->points[curve->count - 1] : NULL;
    double loss = last ? last->value : NAN, goodput;
    if (!statistical_goodput(store, run, reference_sha256, loss, last ? last->time_s : NAN, &goodput,
                             error)) {
        learning_figures_free(figures);
        return false;
    }
    add(figures, "final_loss", "nat", loss);
    add(figures, "excess_loss", "nat", loss - curve->floor);
    add(figures, "floor_loss", "nat", curve->floor);
    add(figures, "time_to_loss", "s",
        learning_time_to_loss(figures->points, curve->count, learning->target_loss));
    add(figures, "statistical_goodput", "1", goodput);
    add(figures, "tokens_trained", "1", curve->tokens_trained);
    add(figures, "tokens_merged", "1", curve->tokens_merged);
    add(figures, "tokens_lost", "1", curve->tokens_lost);
    add(figures, "tokens_pending", "1", curve->tokens_pending);
    return true;
}

void learning_figures_free(struct learning_figures *figures)
{
    free(figures->points);
}
