#include "studies/determination.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

/* A matrix's singular value decomposition; MATRIX becomes its left vectors. */
struct decomposition {
    gsl_matrix *matrix, *right;
    gsl_vector *values;
};

static void free_decomposition(struct decomposition *decomposition)
{
    gsl_matrix_free(decomposition->matrix);
    gsl_matrix_free(decomposition->right);
    gsl_vector_free(decomposition->values);
}

/* Of the columns of JACOBIAN whose numbers are in FIELDS, each divided by its entry of LENGTHS (NULL: 1). GSL
 * wants no fewer rows than columns: rows of zeros change nothing. */
static bool decompose(const gsl_matrix *jacobian, const size_t *fields, size_t count, const double *lengths,
                      struct decomposition *decomposition)
{
    size_t rows = jacobian->size1 > count ? jacobian->size1 : count;
    *decomposition = (struct decomposition){gsl_matrix_calloc(rows, count), gsl_matrix_alloc(count, count),
                                            gsl_vector_alloc(count)};
    gsl_vector *work = gsl_vector_alloc(count);
    bool made = decomposition->matrix && decomposition->right && decomposition->values && work;
    for (size_t i = 0; i < jacobian->size1 && made; i++)
        for (size_t j = 0; j < count; j++)
            gsl_matrix_set(decomposition->matrix, i, j,
                           gsl_matrix_get(jacobian, i, fields[j]) / (lengths ? lengths[fields[j]] : 1));
    made = made && gsl_linalg_SV_decomp(decomposition->matrix, decomposition->right, decomposition->values,
                                        work) == GSL_SUCCESS;
    gsl_vector_free(work);
    return made;
}

static bool read_singular_values(const gsl_matrix *jacobian, struct determination *determination)
{
    size_t all[SCENARIO_RANGES_MOST];
    struct decomposition decomposition;
    for (size_t i = 0; i < determination->count; i++)
        all[i] = i;
    bool made = decompose(jacobian, all, determination->count, NULL, &decomposition);
    for (size_t i = 0; i < determination->count && made; i++)
        determination->singular_values[i] = gsl_vector_get(decomposition.values, i);
    free_decomposition(&decomposition);
    return made;
}

/* The fields with an effect, in FIELDS. */
static size_t find_effects(const gsl_matrix *jacobian, struct determination *determination, size_t *fields)
{
    size_t count = 0;
    for (size_t j = 0; j < determination->count; j++) {
        gsl_vector_const_view column = gsl_matrix_const_column(jacobian, j);
        determination->effects[j] = gsl_blas_dnrm2(&column.vector);
        determination->determined[j] = determination->effects[j] >= DETERMINATION_EFFECT;
        if (determination->determined[j])
            fields[count++] = j;
    }
    return count;
}

static void add_combination(struct determination *determination, const struct decomposition *decomposition,
                            size_t k, const size_t *fields)
{
    struct determination_combination *combination =
        &determination->combinations[determination->combination_count++];
    double longest = 0, largest = 0;
    combination->independence = gsl_vector_get(decomposition->values, k);
    for (size_t j = 0; j < decomposition->right->size1; j++)
        longest = fmax(longest, fabs(gsl_matrix_get(decomposition->right, j, k)));
    for (size_t j = 0; j < decomposition->right->size1; j++) {
        double part = gsl_matrix_get(decomposition->right, j, k);
        if (fabs(part) < DETERMINATION_PART * longest)
            continue;
        double share = part / determination->effects[fields[j]];
        combination->shares[fields[j]] = share;
        largest = fabs(share) > fabs(largest) ? share : largest;
        determination->determined[fields[j]] = false;
    }
    for (size_t j = 0; j < determination->count; j++)
        combination->shares[j] /= largest;
}

/* V / s Uᵀ over the singular values that are large enough, in shares again; and the diagonal of U Uᵀ. */
static void add_inverse(struct determination *determination, const struct decomposition *decomposition,
                        size_t k, const size_t *fields)
{
    double value = gsl_vector_get(decomposition->values, k);
    for (size_t j = 0; j < decomposition->right->size1; j++)
        for (size_t i = 0; i < determination->inverse->size2; i++)
            *gsl_matrix_ptr(determination->inverse, fields[j], i) +=
                gsl_matrix_get(decomposition->right, j, k) / value *
                gsl_matrix_get(decomposition->matrix, i, k) / determination->effects[fields[j]];
    for (size_t i = 0; i < determination->inverse->size2; i++)
        *gsl_vector_ptr(determination->leverages, i) += pow(gsl_matrix_get(decomposition->matrix, i, k), 2);
}

static bool take_apart(const gsl_matrix *jacobian, struct determination *determination, const size_t *fields,
                       size_t count)
{
    struct decomposition decomposition;
    bool made = decompose(jacobian, fields, count, determination->effects, &decomposition);
    for (size_t k = 0; k < count && made; k++)
        if (gsl_vector_get(decomposition.values, k) < DETERMINATION_INDEPENDENCE)
            add_combination(determination, &decomposition, k, fields);
        else
            add_inverse(determination, &decomposition, k, fields);
    free_decomposition(&decomposition);
    return made;
}

bool determination_find(const gsl_matrix *jacobian, struct determination *determination, struct error *error)
{
    size_t fields[SCENARIO_RANGES_MOST];
    *determination = (struct determination){.count = jacobian->size2,
                                            .inverse = gsl_matrix_calloc(jacobian->size2, jacobian->size1),
                                            .leverages = gsl_vector_calloc(jacobian->size1)};
    size_t count = find_effects(jacobian, determination, fields);
    bool done = determination->inverse && determination->leverages &&
                read_singular_values(jacobian, determination) &&
                (!count || take_apart(jacobian, determination, fields, count));
    if (!done)
        error_out_of_memory(error, "what is determined");
    return done;
}

void determination_free(struct determination *determination)
{
    gsl_matrix_free(determination->inverse);
    gsl_vector_free(determination->leverages);
    determination->inverse = NULL;
    determination->leverages = NULL;
}
