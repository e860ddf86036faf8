/*
 * Trying values of fields by simulation: what solving, tuning and calibrating have in common. A try is a
 * point of a study, at which some strategies run with the scenario's seeds (common random numbers), so that
 * tries differ in the values alone; its runs are kept like those of a sweep.
 */
#ifndef STUDIES_TRIAL_H
#define STUDIES_TRIAL_H

#include "studies/learning.h"
#include "studies/runner.h"

struct trial_request {
    const struct plan *plan; /* whose base scenario is asked about */
    struct store *store;     /* NULL: nothing is run, only checked */
    int64_t study;
    struct runner_options runner;
    struct learning_options learning; /* of replays, where the scenario learns */
};

/* What every try is resolved from: the scenario with all that was laid over it, without axes, and with
 * nothing to judge. False when out of memory; the caller frees the bytes of TEXT, and nothing else of it. */
bool trial_text(const struct scenario *base, struct scenario_text *text, struct error *error);

/* The settings of BESIDE (NULL: none), and the COUNT fields of SEARCHES at VALUES. The caller frees POINT
 * with scenario_point_free; false when out of memory, and then there is nothing to free. */
bool trial_point(const struct scenario_point *beside, const struct scenario_search *searches, size_t count,
                 const double *values, struct scenario_point *point);

/* Whether STRATEGY has been run at the point that JSON tells. */
bool trial_has_run(const struct trial_request *request, const char *strategy, const char *json);

/* Whether CHOICES can be run; ERROR_INPUT if not. */
bool trial_check(const struct scenario_text *text, const struct plan_choice *choices, size_t count,
                 struct error *error);

/* Runs CHOICES of TEXT, replays them where the scenario learns, and summarises the study; what came of the
 * runs is added to RUNS. False: a value is refused by the scenario (ERROR_INPUT), a run failed, or the
 * database or memory did (ERROR_SYSTEM). */
bool trial_run(const struct trial_request *request, const struct scenario_text *text,
               const struct plan_choice *choices, size_t count, struct runner_outcome *runs,
               bool *interrupted, struct error *error);

#endif
