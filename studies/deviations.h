/*
 * How far a scenario, with some of its fields at other values, is from figures that were observed. Sets of
 * values are tried together, so that all workers have something to do; each is remembered, and tried once.
 *
 * A value is spoken of by its share of the range, 0 … 1 (search.h).
 */
#ifndef STUDIES_DEVIATIONS_H
#define STUDIES_DEVIATIONS_H

#include "scenarios/figures.h"
#include "scenarios/question.h"
#include "studies/trial.h"
#include <gsl/gsl_matrix.h>

/* How far from a value, as a share of its range, those lie whose difference tells the slope: simulations move
 * in steps (a failure more, a failure less), which a small distance would take for the slope. A whole number
 * is moved by 1 at least, and none leaves its range. */
#define DEVIATIONS_APART 0.05

enum deviations_purpose { DEVIATIONS_START, DEVIATIONS_STEP, DEVIATIONS_SLOPE };

struct deviations_try {
    double values[SCENARIO_RANGES_MOST];
    double *got;   /* one for each figure: the mean over the replications; NAN: none has one */
    double *noise; /* its standard error; NAN of one replication */
    double misfit; /* sum of the squares of what is off, in standard deviations; INFINITY where one has no
                      value */
    enum deviations_purpose purpose;
};

/* Everything that is pointed to stays the caller's, but for the tries. */
struct deviations {
    const struct trial_request *request;
    const struct scenario_text *text; /* trial_text's */
    const struct scenario_ranges *ranges;
    const struct scenario_figures *figures;
    struct deviations_try *tries; /* in the order in which they were made */
    size_t count;
    struct runner_outcome runs;
    bool interrupted;
};

struct deviations_set {
    double shares[SCENARIO_RANGES_MOST];
};

/* Tries COUNT sets of values; NUMBERS, unless NULL, gets which tries they are. When interrupted some may not
 * be there: look at deviations->interrupted first. Errors as trial_run's. */
bool deviations_try(struct deviations *deviations, const struct deviations_set *sets, size_t count,
                    enum deviations_purpose purpose, size_t *numbers, struct error *error);

/* Runs try NUMBER in other replications: TIMES as many as the scenario has, those that come after its own.
 * Its figures stay what they are. */
bool deviations_run_others(struct deviations *deviations, size_t number, int64_t times, struct error *error);

/* Tries the values beside AT that tell the slopes, as many shares APART as is said for each field (NULL:
 * DEVIATIONS_APART): 2 I and 2 I + 1 of NUMBERS are the tries below and above in field I, and the last,
 * behind those of all fields, is that of AT itself. */
bool deviations_neighbours(struct deviations *deviations, const struct deviations_set *at,
                           const double *apart, size_t *numbers, struct error *error);

/* The slopes at AT: a row for each figure, in its standard deviations, and a column for each field, over
 * its whole range. JACOBIAN has at least as many rows; the others are left alone. Where a figure has no value
 * on both sides its slope is 0. */
bool deviations_slopes(struct deviations *deviations, const struct deviations_set *at, const double *apart,
                       gsl_matrix *jacobian, struct error *error);

/* The first of FIGURES that is of the same strategy at the same point as this one: perhaps itself. */
size_t deviations_first_of(const struct scenario_figures *figures, size_t figure);

/* By how many standard deviations try NUMBER is above FIGURE; a large number where it has no value. */
double deviations_residual(const struct deviations *deviations, size_t number, size_t figure);

/* The shares of the values of try NUMBER. */
struct deviations_set deviations_set_of(const struct deviations *deviations, size_t number);

/* The point of the study, as JSON, at which try NUMBER has FIGURE. The caller frees; NULL when out of memory.
 */
char *deviations_point(const struct deviations *deviations, const double *values,
                       const struct scenario_figure *figure);

/* Whether both ends of all ranges can be run where the figures are, and no figure is at another value of what
 * is varied; ERROR_INPUT if not. */
bool deviations_check(const struct deviations *deviations, struct error *error);

/* Frees the tries. */
void deviations_free(struct deviations *deviations);

#endif
