#include "studies/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 2 * SCENARIO_RANGES_MOST + 1 };

/* The tries around a fit, at one strategy and point. */
struct view {
    struct deviations *deviations;
    size_t numbers[MOST_TRIES]; /* of the tries, as deviations_neighbours gives them */
    char *points[MOST_TRIES];   /* JSON; NULL: it is not needed */
    const double *direction;
    size_t figure;
};

static bool is_needed(const struct view *view, size_t i)
{
    size_t fields = view->deviations->ranges->count;
    return i == 2 * fields || view->direction[i / 2] != 0;
}

static bool view_open(struct view *view)
{
    const struct scenario_figure *figure = &view->deviations->figures->items[view->figure];
    bool good = true;
    for (size_t i = 0; i <= 2 * view->deviations->ranges->count && good; i++) {
        const struct deviations_try *attempt = &view->deviations->tries[view->numbers[i]];
        view->points[i] =
            is_needed(view, i) ? deviations_point(view->deviations, attempt->values, figure) : NULL;
        good = view->points[i] || !is_needed(view, i);
    }
    return good;
}

static void view_close(struct view *view)
{
    for (size_t i = 0; i < MOST_TRIES; i++) {
        free(view->points[i]);
        view->points[i] = NULL;
    }
}

/* The mean of METRIC in the I-th try; NAN: none. */
static struct store_mean mean_of(const struct view *view, const char *metric, size_t i)
{
    const struct trial_request *request = view->deviations->request;
    struct store_mean mean = {.mean = NAN, .deviation = NAN};
    if (!store_mean(request->store, request->study, view->deviations->figures->items[view->figure].strategy,
                    view->points[i], metric, &mean))
        mean.mean = NAN;
    return mean;
}

/* By how much METRIC moves with field I for each share of its range. */
static double slope_of(const struct view *view, const char *metric, size_t i)
{
    double run = deviations_set_of(view->deviations, view->numbers[2 * i + 1]).shares[i] -
                 deviations_set_of(view->deviations, view->numbers[2 * i]).shares[i];
    return (mean_of(view, metric, 2 * i + 1).mean - mean_of(view, metric, 2 * i).mean) / run;
}

static void consider(const struct view *view, const char *metric, struct suggestion *best)
{
    struct store_mean here = mean_of(view, metric, 2 * view->deviations->ranges->count);
    double change = 0, noise = isnan(here.deviation) ? 0 : here.deviation / sqrt((double)here.count);
    if (isnan(here.mean))
        return;
    for (size_t i = 0; i < view->deviations->ranges->count; i++)
        if (view->direction[i] != 0)
            change += SUGGEST_MOVE * view->direction[i] * slope_of(view, metric, i);
    double clarity = fabs(change) / hypot(SCENARIO_FIGURE_SHARE * here.mean, noise);
    if (!(clarity >= 1) || isinf(clarity) || clarity <= best->clarity)
        return;
    *best = (struct suggestion){
        .figure = view->figure, .from = here.mean, .to = here.mean + change, .clarity = clarity};
    snprintf(best->metric, sizeof best->metric, "%s", metric);
}

/* Of the same strategy at the same point as the view. */
static bool is_figure(const struct view *view, const char *metric)
{
    const struct scenario_figures *figures = view->deviations->figures;
    for (size_t i = 0; i < figures->count; i++)
        if (strcmp(figures->items[i].metric, metric) == 0 && deviations_first_of(figures, i) == view->figure)
            return true;
    return false;
}

/* Energies are those shares again, and few jobs tell of them. */
static void consider_all(const struct view *view, struct suggestion *best)
{
    for (size_t i = 0; i < METRIC_ENERGY; i++)
        if (!is_figure(view, run_metrics[i].name))
            consider(view, run_metrics[i].name, best);
    for (size_t i = 0; i < BUDGET_CATEGORIES; i++)
        if (!is_figure(view, budget_metrics[i]))
            consider(view, budget_metrics[i], best);
}

bool suggest(struct deviations *deviations, size_t number, const double direction[SCENARIO_RANGES_MOST],
             struct suggestion *suggestion, struct error *error)
{
    struct view view = {.deviations = deviations, .direction = direction};
    const struct deviations_set set = deviations_set_of(deviations, number);
    size_t places = 0;
    *suggestion = (struct suggestion){.clarity = 0};
    if (!deviations_neighbours(deviations, &set, NULL, view.numbers, error))
        return false;
    for (size_t i = 0; i < deviations->figures->count && places < SUGGEST_PLACES; i++) {
        if (deviations->interrupted || deviations_first_of(deviations->figures, i) != i)
            continue;
        view.figure = i;
        places++;
        bool opened = view_open(&view);
        if (opened)
            consider_all(&view, suggestion);
        else
            error_out_of_memory(error, "what else to observe");
        view_close(&view);
        if (!opened)
            return false;
    }
    return true;
}
