/*
 * What the tests of studies/ share: a small scenario, a plan of it, and a database in a folder of its own.
 */
#ifndef TESTS_STUDIES_FIXTURE_H
#define TESTS_STUDIES_FIXTURE_H

#include "results/store.h"
#include "studies/plan.h"

/* Six hours of 4,096 chips under two strategies, "plain" and "elastic", three replications each. */
extern const char fixture_scenario[];

/* The scenario with MORE lines after it. The caller frees. */
char *fixture_text(const char *more);

/* The plan of FIXTURE_SCENARIO with MORE lines after it; the test fails when there is a fault. NULL axes: the
 * base point alone. */
struct plan *fixture_plan(const char *more, bool sweep);

/* What plan_create says against REQUEST, whose text is set to the scenario with MORE lines after it; the test
 * fails when it says nothing. */
struct error fixture_fault(const char *more, struct plan_request request);

/* A new database, and the end of it. */
struct fixture_store {
    char path[64];
    struct store *store;
};
void fixture_open(struct fixture_store *fixture);
void fixture_close(struct fixture_store *fixture);

/* The first column of the first row that QUERY finds, as text. The caller frees. */
char *fixture_query(struct fixture_store *fixture, const char *query);

#endif
