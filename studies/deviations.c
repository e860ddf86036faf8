#include "studies/deviations.h"

#include "studies/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_VALUE 1e3 /* standard deviations: GSL wants numbers */

/* What has to run for some tries. */
struct batch {
    struct scenario_point *points;
    struct plan_choice *choices;
    size_t point_count, choice_count;
};

static size_t figure_count(const struct deviations *deviations)
{
    return deviations->figures->count;
}

static void values_of(const struct deviations *deviations, const struct deviations_set *set,
                      double values[SCENARIO_RANGES_MOST])
{
    memset(values, 0, SCENARIO_RANGES_MOST * sizeof *values);
    for (size_t i = 0; i < deviations->ranges->count; i++)
        values[i] = search_value_at_share(&deviations->ranges->searches[i], set->shares[i]);
}

struct deviations_set deviations_set_of(const struct deviations *deviations, size_t number)
{
    struct deviations_set set = {{0}};
    for (size_t i = 0; i < deviations->ranges->count; i++)
        set.shares[i] =
            search_share_of_value(&deviations->ranges->searches[i], deviations->tries[number].values[i]);
    return set;
}

static size_t find_try(const struct deviations *deviations, const double *values)
{
    size_t i = 0;
    while (i < deviations->count &&
           memcmp(deviations->tries[i].values, values, sizeof deviations->tries[i].values) != 0)
        i++;
    return i;
}

static bool same_point(const struct scenario_point *a, const struct scenario_point *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = strcmp(a->settings[i].path, b->settings[i].path) == 0 &&
               strcmp(a->settings[i].value, b->settings[i].value) == 0;
    return same;
}

size_t deviations_first_of(const struct scenario_figures *figures, size_t figure)
{
    size_t i = 0;
    while (strcmp(figures->items[i].strategy, figures->items[figure].strategy) != 0 ||
           !same_point(&figures->items[i].at, &figures->items[figure].at))
        i++;
    return i;
}

char *deviations_point(const struct deviations *deviations, const double *values,
                       const struct scenario_figure *figure)
{
    struct scenario_point point;
    if (!trial_point(&figure->at, deviations->ranges->searches, deviations->ranges->count, values, &point))
        return NULL;
    char *json = scenario_point_json(&point);
    scenario_point_free(&point);
    return json;
}

/* Batches */

static bool batch_open(const struct deviations *deviations, size_t tries, struct batch *batch)
{
    size_t most = tries * figure_count(deviations);
    *batch = (struct batch){.points = calloc(most + 1, sizeof *batch->points),
                            .choices = calloc(2 * most + 1, sizeof *batch->choices)};
    return batch->points && batch->choices;
}

static void batch_close(struct batch *batch)
{
    for (size_t i = 0; i < batch->point_count; i++)
        scenario_point_free(&batch->points[i]);
    free(batch->points);
    free(batch->choices);
}

/* What the try of VALUES needs, in the replications that AFRESH says (plan.h). */
static bool batch_add(const struct deviations *deviations, const double *values, int64_t afresh,
                      struct batch *batch)
{
    const struct scenario_figures *figures = deviations->figures;
    bool learns = scenario_learns(deviations->request->plan->base);
    for (size_t i = 0; i < figures->count; i++) {
        if (deviations_first_of(figures, i) != i)
            continue;
        struct scenario_point *point = &batch->points[batch->point_count];
        if (!trial_point(&figures->items[i].at, deviations->ranges->searches, deviations->ranges->count,
                         values, point))
            return false;
        batch->point_count++;
        batch->choices[batch->choice_count++] =
            (struct plan_choice){point, figures->items[i].strategy, afresh};
        if (learns)
            batch->choices[batch->choice_count++] = (struct plan_choice){point, SCENARIO_REFERENCE, afresh};
    }
    return true;
}

/* Tries */

/* What came of FIGURE at VALUES. */
static bool read_figure(const struct deviations *deviations, const double *values, size_t figure,
                        struct deviations_try *attempt)
{
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    char *point = deviations_point(deviations, values, wanted);
    struct store_mean mean;
    attempt->got[figure] = attempt->noise[figure] = NAN;
    if (point && store_mean(deviations->request->store, deviations->request->study, wanted->strategy, point,
                            wanted->metric, &mean)) {
        attempt->got[figure] = mean.mean;
        attempt->noise[figure] = mean.deviation / sqrt((double)mean.count);
    }
    free(point);
    return point != NULL;
}

double deviations_residual(const struct deviations *deviations, size_t number, size_t figure)
{
    const struct scenario_figure *wanted = &deviations->figures->items[figure];
    double got = deviations->tries[number].got[figure];
    return isnan(got) ? NO_VALUE : (got - wanted->value) / wanted->deviation;
}

static void sum_up(struct deviations *deviations, size_t number)
{
    struct deviations_try *attempt = &deviations->tries[number];
    for (size_t i = 0; i < figure_count(deviations); i++) {
        double residual = deviations_residual(deviations, number, i);
        attempt->misfit += isnan(attempt->got[i]) ? INFINITY : residual * residual;
    }
}

static bool add_try(struct deviations *deviations, const double *values, enum deviations_purpose purpose)
{
    size_t count = figure_count(deviations), number = deviations->count;
    struct deviations_try *grown = reallocarray(deviations->tries, number + 1, sizeof *grown);
    if (!grown)
        return false;
    deviations->tries = grown;
    grown[number] = (struct deviations_try){.got = calloc(2 * count + 1, sizeof(double)), .purpose = purpose};
    memcpy(grown[number].values, values, sizeof grown[number].values);
    if (!grown[number].got)
        return false;
    grown[number].noise = grown[number].got + count;
    deviations->count++;
    for (size_t i = 0; i < count; i++)
        if (!read_figure(deviations, values, i, &grown[number]))
            return false;
    sum_up(deviations, number);
    return true;
}

/* Runs BATCH, if memory sufficed for it (GOOD), and closes it. */
static bool run_batch(struct deviations *deviations, bool good, struct batch *batch, struct error *error)
{
    if (!good)
        error_out_of_memory(error, "what to try next");
    else if (batch->choice_count)
        good = trial_run(deviations->request, deviations->text, batch->choices, batch->choice_count,
                         &deviations->runs, &deviations->interrupted, error);
    batch_close(batch);
    return good;
}

/* Runs what of COUNT sets has not been tried. */
static bool run_new(struct deviations *deviations, double (*values)[SCENARIO_RANGES_MOST], size_t count,
                    struct error *error)
{
    struct batch batch;
    bool good = batch_open(deviations, count, &batch);
    for (size_t i = 0; i < count && good; i++) {
        bool again = find_try(deviations, values[i]) < deviations->count;
        for (size_t j = 0; j < i && !again; j++)
            again = memcmp(values[i], values[j], sizeof values[i]) == 0;
        good = again || batch_add(deviations, values[i], 0, &batch);
    }
    return run_batch(deviations, good, &batch, error);
}

bool deviations_try(struct deviations *deviations, const struct deviations_set *sets, size_t count,
                    enum deviations_purpose purpose, size_t *numbers, struct error *error)
{
    double(*values)[SCENARIO_RANGES_MOST] = calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count && values; i++)
        values_of(deviations, &sets[i], values[i]);
    if (!values)
        error_out_of_memory(error, "what to try next");
    bool good = values && run_new(deviations, values, count, error);
    for (size_t i = 0; i < count && good && !deviations->interrupted; i++) {
        size_t number = find_try(deviations, values[i]);
        if (number == deviations->count && !add_try(deviations, values[i], purpose)) {
            error_out_of_memory(error, "what was tried");
            good = false;
        }
        if (numbers)
            numbers[i] = number;
    }
    free(values);
    return good;
}

bool deviations_run_others(struct deviations *deviations, size_t number, int64_t times, struct error *error)
{
    struct batch batch;
    bool good = batch_open(deviations, (size_t)times, &batch);
    for (int64_t i = 1; i <= times && good; i++)
        good = batch_add(deviations, deviations->tries[number].values, i, &batch);
    return run_batch(deviations, good, &batch, error);
}

/* Slopes */

/* The share of field I that lies APART beside that of AT, on the side of SIGN. */
static double beside(const struct deviations *deviations, const struct deviations_set *at, size_t i,
                     double apart, int sign)
{
    const struct scenario_search *search = &deviations->ranges->searches[i];
    double share = fmin(fmax(at->shares[i] + sign * apart, 0), 1);
    double here = search_value_at_share(search, at->shares[i]), there = search_value_at_share(search, share);
    if (there == here && search->type == PARAMETER_INTEGER)
        there = fmin(fmax(here + sign, search->low), search->high);
    return search_share_of_value(search, there);
}

/* From try BEFORE to try AFTER, for which field I moves; from HERE where only one of them has a value. */
static double slope(const struct deviations *deviations, size_t figure, size_t i, size_t before, size_t here,
                    size_t after)
{
    if (isnan(deviations->tries[before].got[figure]))
        before = here;
    if (isnan(deviations->tries[after].got[figure]))
        after = here;
    double run =
        deviations_set_of(deviations, after).shares[i] - deviations_set_of(deviations, before).shares[i];
    double rise = deviations->tries[after].got[figure] - deviations->tries[before].got[figure];
    return run > 0 && !isnan(rise) ? rise / run / deviations->figures->items[figure].deviation : 0;
}

bool deviations_neighbours(struct deviations *deviations, const struct deviations_set *at,
                           const double *apart, size_t *numbers, struct error *error)
{
    struct deviations_set sets[2 * SCENARIO_RANGES_MOST + 1];
    size_t fields = deviations->ranges->count;
    for (size_t i = 0; i < 2 * fields + 1; i++)
        sets[i] = *at;
    for (size_t i = 0; i < fields; i++) {
        double distance = apart ? apart[i] : DEVIATIONS_APART;
        sets[2 * i].shares[i] = beside(deviations, at, i, distance, -1);
        sets[2 * i + 1].shares[i] = beside(deviations, at, i, distance, 1);
    }
    return deviations_try(deviations, sets, 2 * fields + 1, DEVIATIONS_SLOPE, numbers, error);
}

bool deviations_slopes(struct deviations *deviations, const struct deviations_set *at, const double *apart,
                       gsl_matrix *jacobian, struct error *error)
{
    size_t numbers[2 * SCENARIO_RANGES_MOST + 1], fields = deviations->ranges->count;
    if (!deviations_neighbours(deviations, at, apart, numbers, error))
        return false;
    for (size_t figure = 0; figure < figure_count(deviations) && !deviations->interrupted; figure++)
        for (size_t i = 0; i < fields; i++)
            gsl_matrix_set(
                jacobian, figure, i,
                slope(deviations, figure, i, numbers[2 * i], numbers[2 * fields], numbers[2 * i + 1]));
    return true;
}

/* Checks */

/* Why a figure can't be at a value of the field PATH; NULL: it can. Replications that differ in number or
 * seed are no common random numbers. */
static const char *find_objection(const struct deviations *deviations, const char *path)
{
    if (strcmp(path, "seed") == 0 || strcmp(path, "replications") == 0)
        return "is the same for all figures";
    for (size_t k = 0; k < deviations->ranges->count; k++)
        if (strcmp(path, deviations->ranges->searches[k].path) == 0)
            return "is varied";
    return NULL;
}

static bool check_figures(const struct deviations *deviations, struct error *error)
{
    for (size_t i = 0; i < figure_count(deviations); i++) {
        const struct scenario_figure *figure = &deviations->figures->items[i];
        for (size_t j = 0; j < figure->at.count; j++) {
            const char *path = figure->at.settings[j].path, *why = find_objection(deviations, path);
            if (!why)
                continue;
            error_set(error, ERROR_INPUT, "%s: sets %s, which %s", figure->origin, path, why);
            return false;
        }
    }
    return true;
}

bool deviations_check(const struct deviations *deviations, struct error *error)
{
    struct batch batch;
    double ends[2][SCENARIO_RANGES_MOST] = {{0}};
    if (!check_figures(deviations, error))
        return false;
    for (size_t i = 0; i < deviations->ranges->count; i++) {
        ends[0][i] = deviations->ranges->searches[i].low;
        ends[1][i] = deviations->ranges->searches[i].high;
    }
    bool good = batch_open(deviations, 2, &batch);
    good = good && batch_add(deviations, ends[0], 0, &batch) && batch_add(deviations, ends[1], 0, &batch);
    if (good)
        good = trial_check(deviations->text, batch.choices, batch.choice_count, error);
    else
        error_out_of_memory(error, "the ends of the ranges");
    batch_close(&batch);
    return good;
}

void deviations_free(struct deviations *deviations)
{
    for (size_t i = 0; i < deviations->count; i++)
        free(deviations->tries[i].got);
    free(deviations->tries);
    deviations->tries = NULL;
    deviations->count = 0;
}
