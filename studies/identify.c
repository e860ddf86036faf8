#include "studies/identify.h"

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

static bool read_singular_values(const gsl_matrix *jacobian, struct identify_result *result)
{
    size_t all[SCENARIO_RANGES_MOST];
    struct decomposition decomposition;
    for (size_t i = 0; i < result->count; i++)
        all[i] = i;
    bool made = decompose(jacobian, all, result->count, NULL, &decomposition);
    for (size_t i = 0; i < result->count && made; i++)
        result->singular_values[i] = gsl_vector_get(decomposition.values, i);
    free_decomposition(&decomposition);
    return made;
}

/* The fields with an effect, in FIELDS. */
static size_t find_effects(const gsl_matrix *jacobian, struct identify_result *result, size_t *fields)
{
    size_t count = 0;
    for (size_t j = 0; j < result->count; j++) {
        gsl_vector_const_view column = gsl_matrix_const_column(jacobian, j);
        result->effects[j] = gsl_blas_dnrm2(&column.vector);
        result->determined[j] = result->effects[j] >= IDENTIFY_EFFECT;
        if (result->determined[j])
            fields[count++] = j;
    }
    return count;
}

static void add_combination(struct identify_result *result, const struct decomposition *decomposition,
                            size_t k, const size_t *fields)
{
    struct identify_combination *combination = &result->combinations[result->combination_count++];
    double longest = 0, largest = 0;
    combination->independence = gsl_vector_get(decomposition->values, k);
    for (size_t j = 0; j < decomposition->right->size1; j++)
        longest = fmax(longest, fabs(gsl_matrix_get(decomposition->right, j, k)));
    for (size_t j = 0; j < decomposition->right->size1; j++) {
        double part = gsl_matrix_get(decomposition->right, j, k);
        if (fabs(part) < IDENTIFY_PART * longest)
            continue;
        double share = part / result->effects[fields[j]];
        combination->shares[fields[j]] = share;
        largest = fabs(share) > fabs(largest) ? share : largest;
        result->determined[fields[j]] = false;
    }
    for (size_t j = 0; j < result->count; j++)
        combination->shares[j] /= largest;
}

/* V / s Uᵀ over the singular values that are large enough, in shares again. */
static void add_inverse(struct identify_result *result, const struct decomposition *decomposition, size_t k,
                        const size_t *fields)
{
    double value = gsl_vector_get(decomposition->values, k);
    for (size_t j = 0; j < decomposition->right->size1; j++)
        for (size_t i = 0; i < result->inverse->size2; i++)
            *gsl_matrix_ptr(result->inverse, fields[j], i) +=
                gsl_matrix_get(decomposition->right, j, k) / value *
                gsl_matrix_get(decomposition->matrix, i, k) / result->effects[fields[j]];
}

static bool take_apart(const gsl_matrix *jacobian, struct identify_result *result, const size_t *fields,
                       size_t count)
{
    struct decomposition decomposition;
    bool made = decompose(jacobian, fields, count, result->effects, &decomposition);
    for (size_t k = 0; k < count && made; k++)
        if (gsl_vector_get(decomposition.values, k) < IDENTIFY_INDEPENDENCE)
            add_combination(result, &decomposition, k, fields);
        else
            add_inverse(result, &decomposition, k, fields);
    free_decomposition(&decomposition);
    return made;
}

bool identify(const gsl_matrix *jacobian, struct identify_result *result, struct error *error)
{
    size_t fields[SCENARIO_RANGES_MOST];
    *result = (struct identify_result){.count = jacobian->size2,
                                       .inverse = gsl_matrix_calloc(jacobian->size2, jacobian->size1)};
    size_t count = find_effects(jacobian, result, fields);
    bool done = result->inverse && read_singular_values(jacobian, result) &&
                (!count || take_apart(jacobian, result, fields, count));
    if (!done)
        error_out_of_memory(error, "what is determined");
    return done;
}

void identify_free(struct identify_result *result)
{
    gsl_matrix_free(result->inverse);
    result->inverse = NULL;
}
