#include "models/learning/categorical.h"
#include <math.h>
#include <stdlib.h>

bool categorical_create(struct categorical *laws, size_t rows, size_t columns)
{
    *laws = (struct categorical){.rows = rows, .columns = columns};
    laws->cumulative = calloc(rows * columns, sizeof *laws->cumulative);
    return laws->cumulative != NULL;
}

void categorical_free(struct categorical *laws)
{
    free(laws->cumulative);
    *laws = (struct categorical){0};
}

void categorical_set_zipf(struct categorical *laws, size_t row, double zipf, double contrast,
                          struct sim_stream *stream)
{
    double *cumulative = laws->cumulative + row * laws->columns, sum = 0;
    for (size_t x = 0; x < laws->columns; x++) {
        sum += exp(contrast * sim_stream_normal(stream) - zipf * log((double)x + 1));
        cumulative[x] = sum;
    }
    for (size_t x = 0; x < laws->columns; x++)
        cumulative[x] /= sum;
}

/* The first column whose cumulative sum is above a uniform draw, found by halving. */
int32_t categorical_draw(const struct categorical *laws, size_t row, struct sim_stream *stream)
{
    const double *cumulative = laws->cumulative + row * laws->columns;
    double u = sim_stream_uniform(stream);
    size_t low = 0, high = laws->columns - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u < cumulative[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (int32_t)low;
}
