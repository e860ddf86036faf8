/*
 * A study from its plan to its judgement: the runs, the summary over replications, the expectations.
 */
#ifndef STUDIES_STUDY_H
#define STUDIES_STUDY_H

#include "studies/calibrate.h"
#include "studies/expectations.h"
#include "studies/learning.h"
#include "studies/rounds.h"
#include "studies/solve.h"
#include "studies/tune.h"

struct study_request {
    const struct plan *plan;
    const char *version;              /* of the program */
    const char *command_line;         /* as the user gave it */
    struct runner_options runner;     /* its version is the one above */
    struct rounds_options rounds;     /* of all runs, or a share of them */
    struct learning_options learning; /* of replays, where the scenario learns */
    bool solve; /* look for the values of fields that the scenario expects, too; they are judged last */
};

struct study_outcome {
    int64_t study; /* its id in the database */
    struct runner_outcome runs;
    size_t figures, wide; /* of replications until a precision, see rounds.h */
    struct learning_outcome learning;
    struct expectation_results expectations; /* none when interrupted, or of a shard */
    bool interrupted;                        /* while runs, replays or searches went on */
};

/* Carries the study out in STORE. An interrupted study, and a shard of one, is summarised as far as it got,
 * but not judged. False (ERROR_SYSTEM): the database or the threads failed. The caller frees OUTCOME with
 * study_outcome_free in any case. */
bool study_run(const struct study_request *request, struct store *store, struct study_outcome *outcome,
               struct error *error);
/* Solves COUNT questions about the scenario of the request's plan as a study of its own, *STUDY: what they
 * want tried is run, and nothing else. Errors as solve_check's, before there is a study, and solve_all's. The
 * caller frees RESULTS with solve_free in any case. */
bool study_solve(const struct study_request *request, struct store *store,
                 const struct solve_question *questions, size_t count, int64_t *study,
                 struct solve_results *results, struct error *error);

/* Tunes each of COUNT strategies of the request's plan as a study of its own, *STUDY. Errors as tune_check's,
 * before there is a study, and tune_all's. The caller frees RESULTS with tune_free in any case. */
bool study_tune(const struct study_request *request, struct store *store, const struct scenario_goal *goal,
                const char *const *strategies, size_t count, int64_t *study, struct tune_results *results,
                struct error *error);

/* Fits the fields of RANGES to FIGURES, as far as they are of strategies of the request's plan, as a study of
 * its own, *STUDY. Errors as deviations_check's, before there is a study, and calibrate's. The caller frees
 * RESULTS with calibrate_free in any case. */
bool study_calibrate(const struct study_request *request, struct store *store,
                     const struct scenario_ranges *ranges, const struct scenario_figures *figures,
                     int64_t *study, struct calibrate_results *results, struct error *error);
void study_outcome_free(struct study_outcome *outcome);

#endif
