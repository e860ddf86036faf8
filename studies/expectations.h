/*
 * Whether a study met what its scenario expects: published or agreed figures against the means over the
 * replications, or against the mean differences of two strategies over the same replications.
 */
#ifndef STUDIES_EXPECTATIONS_H
#define STUDIES_EXPECTATIONS_H

#include "results/store.h"
#include "studies/plan.h"
#include "studies/search.h"

/* One expectation at one point. */
struct expectation_result {
    const struct scenario_expectation *expectation; /* of the plan's base */
    size_t point;                                   /* of the plan */
    double wanted,
        tolerance; /* of a bound alone: the bound and NAN; of two: their middle and half distance */
    double got;    /* the mean, or the mean difference as a share of the other's mean; NAN: there is none */
    double low, high; /* its interval, at 95 % if no confidence is asked for; NAN where there is none */
    bool met;
    const char *unit; /* of the figures, where they are of a field and POINT is of no matter; else NULL */
    enum search_status status; /* how the search for a field's value ended */
};

struct expectation_results {
    struct expectation_result *items;
    size_t count, missed;
    size_t skipped;  /* of the scenario, those whose strategy or point did not run, or that ask for a
                      * confidence of one replication */
    size_t solvable; /* of the scenario, those about the value of a field */
};

/* Judges the expectations of PLAN by the summary of STUDY and adds a row for each to the database. One
 * that names no point holds at every point, one that does at each point that agrees with it; where its
 * strategy, or the one that it is held against, did not run it is skipped. Those about the value of a field
 * are left aside.
 *
 * A difference is the mean of a - b over replications over the mean of b, its interval that of the mean of a
 * - b (Student) with the mean of b taken as known. An expectation with a confidence is decided by the
 * interval. Of M values with a confidence C in one study each has its interval at C^(1/M), so that all M hold
 * together with probability C at least (Sidak 1967). The caller frees RESULTS with expectations_free, also
 * when false is returned (ERROR_SYSTEM). */
bool expectations_judge(const struct plan *plan, struct store *store, int64_t study,
                        struct expectation_results *results, struct error *error);
void expectations_free(struct expectation_results *results);

/* Decides RESULT, whose expectation and figures got, low and high are set: what was wanted, and whether it is
 * met. */
void expectations_decide(struct expectation_result *result);

/* Whether an expectation has a value, or which bound. */
enum expectation_bound expectations_bound(const struct scenario_expectation *expectation);

/* Adds a result. False when out of memory. */
bool expectations_append(struct expectation_results *results, const struct expectation_result *result,
                         struct error *error);

#endif
