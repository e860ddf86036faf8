/*
 * Fields of a scenario fitted to figures that were observed: nonlinear least squares by simulation, on the
 * same seeds at every try (common random numbers).
 *
 * Residuals are in the figures' standard deviations. GSL's trust region (Levenberg and Marquardt) moves the
 * fields through the sine that maps all numbers to a range, as MINUIT does, so that no range is left; ranges
 * above 0 that are wider than a factor of 10 are gone through by their logarithm. Slopes are differences over
 * DEVIATIONS_APART of the range on both sides. Steps of Gauss and Newton within the ranges end the search,
 * until such a step promises less than CALIBRATE_GAIN. It begins at the scenario's own values; where a range
 * is wide, also at the best of as many sets of a Sobol sequence as there are fields times CALIBRATE_STARTS,
 * and from up to CALIBRATE_SEARCHES of these in turn until a fit is good.
 *
 * What is told of the fit takes it as linear. The error of a field has a part from the figures' standard
 * deviations, which count as known, but are widened where the figures that move are farther from the fit than
 * they and the simulation's noise allow (by the root of the squares of calibrate_apart over their degrees of
 * freedom, if above 1, as the Particle Data Group does; and where they were told from few observations see
 * below), and a part from the simulation, whose replications
 * each have their own effect on the fit: they share failures, so that their figures err together. So do the
 * observed figures of one strategy at one point, which are taken to be of one job: they are correlated as the
 * simulation's are. A few replications tell little of either, and so the fit alone is run in others, until
 * there are CALIBRATE_REPLICATIONS. The slopes are taken anew over the fields' intervals, where these are
 * longer than DEVIATIONS_APART to both sides. Intervals are Student's at 95 %, with the degrees of freedom of
 * Welch and Satterthwaite, and cut at the ends of the range.
 *
 * A standard deviation from n observations has n - 1 degrees of freedom in that. Such deviations of one job
 * err together as the squares of the figures' correlations. They weigh the figures, too, and weights that are
 * off by chance make a fit worse and look better than it is: for each figure the field's variance grows by
 * four times its part in it, times what the fit leaves free of the figure (1 less its leverage), over n - 1
 * (Meier, Biometrics 9, 1953, has this for a weighted mean). It is a first term: intervals hold what they
 * should from three observations on, and somewhat less from two.
 */
#ifndef STUDIES_CALIBRATE_H
#define STUDIES_CALIBRATE_H

#include "studies/determination.h"
#include "studies/deviations.h"
#include "studies/suggest.h"

/* Of the misfit of the figures that move, in units of its mean per degree of freedom where that is above 1: a
 * step that promises less
 * is shorter than a third of a standard error. */
#define CALIBRATE_GAIN 0.1
enum { CALIBRATE_STARTS = 4, CALIBRATE_SEARCHES = 3 };
/* Of the fit, at least, the scenario's own included: Student's 97.5 % are 2.13 then, 1.96 if there were no
 * end of them and 3.18 of four. */
enum { CALIBRATE_REPLICATIONS = 16 };
/* A figure that is farther from the fit than this is missed, in standard deviations of figure and simulation
 * together. */
#define CALIBRATE_MISSED 3.0

enum calibrate_border { CALIBRATE_INSIDE, CALIBRATE_AT_LOW, CALIBRATE_AT_HIGH };

struct calibrate_field {
    double start; /* the scenario's own value; NAN: it has none */
    double fitted;
    bool determined; /* else ERROR is NAN, and the interval is the range */
    double error, low, high;
    double half; /* of the interval before it is cut, in shares of the range; NAN: not determined */
    enum calibrate_border border; /* of the fitted value */
};

struct calibrate_results {
    struct deviations
        deviations; /* its tries; the first is the scenario as it is, if its values are in range */
    size_t best;
    struct calibrate_field fields[SCENARIO_RANGES_MOST];
    struct determination determination;
    /* What to observe, too: of each combination that is not determined, and of each field without an effect.
     */
    struct suggestion for_combinations[SCENARIO_RANGES_MOST], for_fields[SCENARIO_RANGES_MOST];
    int64_t freedom; /* figures less fields, or less what is determined of them */
    double widened;  /* what the figures' standard deviations are taken times; at least 1 */
    bool converged;
    size_t missed;    /* figures */
    bool interrupted; /* what is not a try may be missing then */
};

/* Fits the fields of RANGES to FIGURES as a study of REQUEST. TEXT is trial_text's. False, beside what
 * trial_run's errors are: a figure has no value wherever the search begins (ERROR_INPUT). The caller frees
 * RESULTS with calibrate_free in any case. */
bool calibrate(const struct trial_request *request, const struct scenario_text *text,
               const struct scenario_ranges *ranges, const struct scenario_figures *figures,
               struct calibrate_results *results, struct error *error);
void calibrate_free(struct calibrate_results *results);

static inline size_t calibrate_field_count(const struct calibrate_results *results)
{
    return results->deviations.ranges->count;
}

/* The range of FIELD. */
static inline const struct scenario_search *calibrate_range(const struct calibrate_results *results,
                                                            size_t field)
{
    return &results->deviations.ranges->searches[field];
}

/* The try that the fields are fitted at; there has been one. */
static inline const struct deviations_try *calibrate_best(const struct calibrate_results *results)
{
    return &results->deviations.tries[results->best];
}

/* Whether some try changed FIGURE. What none did has no part in how surely the fields are told. */
bool calibrate_moves(const struct calibrate_results *results, size_t figure);

/* By how many of CALIBRATE_MISSED's standard deviations the fit is above FIGURE; and whether it is missed: by
 * more of them, or, where they are from few observations, by so many that it is as unlikely. */
double calibrate_apart(const struct calibrate_results *results, size_t figure);
bool calibrate_misses(const struct calibrate_results *results, size_t figure);

#endif
