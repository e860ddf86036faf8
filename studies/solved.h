/*
 * Expectations about the value of a field that meets a target: solved, then judged like the others.
 */
#ifndef STUDIES_SOLVED_H
#define STUDIES_SOLVED_H

#include "studies/expectations.h"
#include "studies/solve.h"

/* Solves the expectations about fields of the plan's scenario, each to a tenth of the tolerance that it
 * allows and to SOLVE_USUAL_TOLERANCE at the coarsest, adds their results to RESULTS and a row for each to
 * the database. Figures are in the unit that such figures are published in (scenario_published_unit). What is
 * got is, on a grid, the value before the first that meets the target; else the value found, which meets it;
 * NAN where no value does, or all do. Those whose strategy is not in the plan are skipped. *INTERRUPTED: the
 * request's wish to stop came first, and nothing was judged. What came of the runs that it took is added to
 * RUNS. */
bool solved_judge(const struct trial_request *request, struct expectation_results *results,
                  struct runner_outcome *runs, bool *interrupted, struct error *error);

/* Whether the expectations about fields of PLAN's scenario can be tried; ERROR_INPUT if not. */
bool solved_check(const struct plan *plan, struct error *error);

#endif
