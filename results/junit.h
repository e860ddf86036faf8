/*
 * A study as a JUnit report, which CI systems read: by the rules of Jenkins' junit-10.xsd (xunit-plugin).
 *
 * One testsuite, and a testcase for each strategy at each point (an error where runs failed), for each
 * expectation and for each figure that was held against a baseline (a failure that says what was wanted and
 * what was got). What kept the study as a whole from being judged is an error of its own. No two cases have
 * one name: of expectations that differ in nothing else it has the source, and else a number.
 */
#ifndef RESULTS_JUNIT_H
#define RESULTS_JUNIT_H

#include "results/store.h"

/* TROUBLE says in words what came between ("interrupted; 3 of 10 runs were finished"), NULL if nothing did.
 * The caller frees; NULL: no such study, or the database or memory failed. */
char *junit_report(struct store *store, int64_t study, const char *trouble, struct error *error);

#endif
