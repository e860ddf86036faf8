/*
 * Runs made up at random, as wild as the fields' bounds allow, for tests of what holds for every run.
 */
#ifndef TESTS_MODELS_RANDOM_RUN_H
#define TESTS_MODELS_RANDOM_RUN_H

#include "tests/models/fixture.h"

/* The same NUMBER gives the same run, which points into memory of the thread until its next call. About three
 * in four have failures, from one in several runs to several a step; a run has some hundreds of steps at
 * most, and is over in a few milliseconds. */
struct fixture random_run(uint64_t number);

/* A random strategy of KIND on the configuration of FIXTURE. */
void random_strategy(struct fixture *fixture, int64_t kind, uint64_t number);

/* Lets no chips come and go. */
void random_run_keep_all(struct fixture *fixture);

/* Lets no failure depend on what learners do, or on which slices are theirs. */
void random_run_leave_learners_out(struct fixture *fixture);

/* Takes slow chips and learners, and chip groups, out: every step of every learner lasts step_time. */
void random_run_even_out(struct fixture *fixture);

#endif
