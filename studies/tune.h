/*
 * Fields of a scenario set so that a metric is as large, or as small, as it gets, found by simulating. The
 * seeds are the same at every try (common random numbers), so that what is minimised is a function without
 * noise, if not a smooth one, and tries are compared pair by pair. Every try is kept as a point of the study.
 *
 * One field: seven values from end to end, then golden section (GSL) between the neighbours of the best.
 * Several: Nelder and Mead's simplex (GSL) from the middle of all ranges, whose borders are not left. Both go
 * by the logarithm of a range above 0 that is wider than a factor of 10, and end at TUNE_TOLERANCE of the
 * range. Whole numbers are rounded, and the neighbours of the best are tried in the end.
 *
 * The best is the best on the seeds it was looked for on, by chance too. So the gain is measured on others:
 * the scenario as it is and the best run as many replications again, and these pairs alone tell what it is
 * worth.
 */
#ifndef STUDIES_TUNE_H
#define STUDIES_TUNE_H

#include "results/paired.h"
#include "scenarios/question.h"
#include "studies/solve.h"

#define TUNE_TOLERANCE 2e-3

struct tune_try {
    double values[SCENARIO_RANGES_MOST]; /* of the goal's fields; of the start none */
    char *point;                         /* JSON */
    /* Of the metric over the replications, and its interval at 95 %. NAN: not every replication has a value,
     * which is worse than any. */
    double mean, low, high;
};

struct tune_answer {
    const char *strategy;
    struct tune_try *tries; /* in the order in which they were made; the first is the scenario as it is */
    size_t count;
    size_t best; /* of those after the first; 0: none has a value yet */
    /* The best less the start, pair by pair, in replications of which the search knew nothing; where the
     * scenario has one alone, in that. Of no pair NAN. */
    struct paired_point against;
    double
        confidence; /* that the best is better than the start, by Student's t; NAN: of less than two pairs */
};

struct tune_results {
    struct tune_answer *answers; /* one a strategy */
    size_t count;
    struct runner_outcome runs; /* that were done for them */
    bool interrupted;
};

/* Whether both ends of all ranges can be run on the scenario of PLAN; ERROR_INPUT if not. */
bool tune_check(const struct plan *plan, const struct scenario_goal *goal, struct error *error);

/* Tunes each of COUNT STRATEGIES by itself. Errors as solve_all's. The caller frees RESULTS with tune_free in
 * any case. */
bool tune_all(const struct trial_request *request, const struct scenario_goal *goal,
              const char *const *strategies, size_t count, struct tune_results *results, struct error *error);
void tune_free(struct tune_results *results);

#endif
