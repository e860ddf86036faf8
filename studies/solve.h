/*
 * Questions solved by simulation: many searches (search.h) at once. In every round each search that goes on
 * says what it wants tried; the runs of all of them are done together on all workers, and kept in the study
 * like those of a sweep. The seed is the same everywhere, so that tries differ in the field alone (common
 * random numbers). The same strategy at the same point runs once, whoever asks.
 */
#ifndef STUDIES_SOLVE_H
#define STUDIES_SOLVE_H

#include "studies/search.h"
#include "studies/trial.h"

/* Everything stays the caller's. */
struct solve_question {
    const char *strategy;
    const struct scenario_point *at; /* fields set beside the one that is searched; NULL: none */
    const struct scenario_search *search;
    const struct scenario_target *target;
    double tolerance; /* a share of the value; of no matter on a grid and for whole numbers */
};

/* Most digits of values are cut at the sixth: a tolerance below this is none. */
#define SOLVE_LEAST_TOLERANCE 1e-5
#define SOLVE_USUAL_TOLERANCE 1e-3

struct solve_answer {
    struct search_tries tries;
    struct search_state state; /* points into the tries; of an interrupted search SEARCH_GOES_ON */
};

struct solve_results {
    struct solve_answer *answers; /* one a question */
    size_t count;
    struct runner_outcome runs; /* that were done for them */
    bool interrupted;
};

/* Solves COUNT questions. False: a value that is tried is refused by the scenario (ERROR_INPUT), a run
 * failed, or the database or memory did (ERROR_SYSTEM). The caller frees RESULTS with solve_free in any case.
 */
bool solve_all(const struct trial_request *request, const struct solve_question *questions, size_t count,
               struct solve_results *results, struct error *error);
/* Whether both ends of every question's range can be run on the scenario of PLAN; ERROR_INPUT if not. */
bool solve_check(const struct plan *plan, const struct solve_question *questions, size_t count,
                 struct error *error);

void solve_free(struct solve_results *results);

/* The point of QUESTION with the field at VALUE, or (NAN) the fields set beside it alone, as the database
 * keeps points. The caller frees; NULL when out of memory. */
char *solve_point_json(const struct solve_question *question, double value);

#endif
