/*
 * What figures determine of the fields that they depend on, near a fit, where each is taken as linear.
 *
 * The Jacobian has a row for each figure, in its standard deviations, and a column for each field, in shares
 * of its range. The length of a column is what going through the whole range would change: a field whose
 * column is shorter than DETERMINATION_EFFECT has no effect that these figures could show. The others'
 * columns are brought to length 1; a singular value of these below DETERMINATION_INDEPENDENCE is a
 * combination of fields which the figures don't determine, since a change of one of them can be made up for
 * by the others to within that share. Its inverse is the collinearity index of Brun, Reichert and Kuensch
 * (Water Resources Research 37, 2001), who take 10 to 15 as critical.
 */
#ifndef STUDIES_DETERMINATION_H
#define STUDIES_DETERMINATION_H

#include "scenarios/question.h"
#include <gsl/gsl_matrix.h>

#define DETERMINATION_EFFECT 1.0
#define DETERMINATION_INDEPENDENCE 0.1
/* A field takes part in a combination if it has at least this share of the longest part in it. */
#define DETERMINATION_PART 0.2

struct determination_combination {
    double
        shares[SCENARIO_RANGES_MOST]; /* changes that make up for each other; the largest is 1, 0: no part */
    double independence;              /* the singular value */
};

struct determination {
    size_t count;                                 /* of fields */
    double effects[SCENARIO_RANGES_MOST];         /* lengths of the columns */
    double singular_values[SCENARIO_RANGES_MOST]; /* of the Jacobian as it is, the largest first */
    bool determined[SCENARIO_RANGES_MOST];        /* has an effect, and takes part in no combination below */
    struct determination_combination combinations[SCENARIO_RANGES_MOST]; /* that are not determined */
    size_t combination_count;
    /* A row for each field: by how much its share changes with each figure, as far as it is determined. */
    gsl_matrix *inverse;
    gsl_vector *leverages; /* of each figure: by how much of a change of its own the fit follows it, 0 … 1 */
};

/* Of as many fields as JACOBIAN has columns, at most SCENARIO_RANGES_MOST; there may be fewer figures. False
 * when out of memory. The caller frees DETERMINATION with determination_free in any case. */
bool determination_find(const gsl_matrix *jacobian, struct determination *determination, struct error *error);
void determination_free(struct determination *determination);

#endif
