/*
 * Whether a study met what its scenario expects: published or agreed figures against the means over the
 * replications.
 */
#ifndef STUDIES_EXPECTATIONS_H
#define STUDIES_EXPECTATIONS_H

#include "results/store.h"
#include "studies/plan.h"

/* One expectation at one point. */
struct expectation_result {
    const struct scenario_expectation *expectation; /* of the plan's base */
    size_t point;                                   /* of the plan */
    double wanted,
        tolerance;     /* of a bound alone: the bound and NAN; of two: their middle and half distance */
    double got;        /* NAN: the metric has no value */
    double half_width; /* of the mean's 95 % interval; NAN or infinite where there is none */
    bool met;
};

struct expectation_results {
    struct expectation_result *items;
    size_t count, missed;
    size_t skipped; /* of the scenario, those whose strategy or point did not run */
};

/* Judges the expectations of PLAN by the summary of STUDY and adds a row for each to the database. One
 * that names no point holds at every point, one that does at each point that agrees with it; where its
 * strategy did not run it is skipped. The caller frees RESULTS with expectations_free, also when false is
 * returned (ERROR_SYSTEM). */
bool expectations_judge(const struct plan *plan, struct store *store, int64_t study,
                        struct expectation_results *results, struct error *error);
void expectations_free(struct expectation_results *results);

#endif
