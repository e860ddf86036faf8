/*
 * A small transformer and symbols for it, for the tests of models/learning.
 */
#ifndef TESTS_LEARNING_LANGUAGE_FIXTURE_H
#define TESTS_LEARNING_LANGUAGE_FIXTURE_H

#include "models/learning/model.h"

struct fixture {
    struct learning_config config;
    struct data *data;
    struct model *model;
    size_t size; /* parameters */
    real *parameters, *gradient;
};

/* A transformer of this shape on a Markov language. Its parameters are drawn at random, with a deviation of
 * 0.3 about 0 (norms' weights about 1), so that no gradient is small and no bias is 0. */
#define fixture_create REAL(fixture_create)
#define fixture_destroy REAL(fixture_destroy)
struct fixture *fixture_create(struct transformer_config shape, int64_t symbols);
void fixture_destroy(struct fixture *fixture);

#endif
