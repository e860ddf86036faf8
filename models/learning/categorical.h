/*
 * A table of categorical laws, one a row: column x has the probability by which the row's cumulative sum
 * rises there. That one sum serves both drawing and probabilities, so that what is drawn has exactly the
 * probability that is told, and a row's probabilities sum to 1.
 */
#ifndef MODELS_LEARNING_CATEGORICAL_H
#define MODELS_LEARNING_CATEGORICAL_H

#include "sim/stream.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct categorical {
    size_t rows, columns;
    double *cumulative; /* [rows][columns]; a row's last is 1 */
};

bool categorical_create(struct categorical *laws, size_t rows, size_t columns); /* false: no memory */
void categorical_free(struct categorical *laws);

/* Sets ROW to the column's weight (column + 1)^−ZIPF times exp(CONTRAST × a standard normal draw). */
void categorical_set_zipf(struct categorical *laws, size_t row, double zipf, double contrast,
                          struct sim_stream *stream);

int32_t categorical_draw(const struct categorical *laws, size_t row, struct sim_stream *stream);

static inline double categorical_probability(const struct categorical *laws, size_t row, size_t column)
{
    const double *cumulative = laws->cumulative + row * laws->columns;
    return column ? cumulative[column] - cumulative[column - 1] : cumulative[0];
}

#endif
