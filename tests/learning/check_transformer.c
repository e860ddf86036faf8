/*
 * The transformer against its definition (reference.h), in the precision that it is built in; and what must
 * hold of any causal model and any batch.
 */
#include "models/learning/inner.h"
#include "models/learning/transformer.h"
#include "tests/learning/language_fixture.h"
#include "tests/learning/reference.h"
#include <check.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef LEARNING_DOUBLE
static const double loss_tolerance = 1e-13, gradient_tolerance = 1e-13;
#else
static const double loss_tolerance = 1e-6, gradient_tolerance = 1e-6;
#endif

static const struct transformer_config small = {.layers = 2, .width = 8, .heads = 2, .context = 8};
enum { SYMBOLS = 7, SEQUENCES = 3, CONTEXT = 8 };

/* θ_i = sin(i + 1)/2, and 1 + that in the norms' weights. */
static void set_known_parameters(struct fixture *fixture)
{
    size_t count;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tensors[i].rows * tensors[i].columns; j++) {
            size_t at = tensors[i].offset + j;
            bool scales = strstr(tensors[i].name, "norm") && strstr(tensors[i].name, "weight");
            fixture->parameters[at] = (real)((scales ? 1 : 0) + sin((double)at + 1) / 2);
        }
}

/* Symbol T of sequence B is (3 b + t² + 1) mod symbols. */
static void set_known_symbols(int32_t symbols[SEQUENCES][CONTEXT + 1])
{
    for (int32_t b = 0; b < SEQUENCES; b++)
        for (int32_t t = 0; t <= CONTEXT; t++)
            symbols[b][t] = (3 * b + t * t + 1) % SYMBOLS;
}

static double complex reference_mean(const struct reference *reference,
                                     int32_t symbols[SEQUENCES][CONTEXT + 1])
{
    double complex losses[REFERENCE_CONTEXT], sum = 0;
    for (size_t b = 0; b < SEQUENCES; b++) {
        reference_losses(reference, symbols[b], losses);
        for (size_t t = 0; t < CONTEXT; t++)
            sum += losses[t];
    }
    return sum / (double)(SEQUENCES * CONTEXT);
}

static struct reference reference_of(const struct fixture *fixture, const double complex *parameters)
{
    struct reference reference = {.shape = small, .symbols = SYMBOLS, .parameters = parameters};
    reference.tensors = model_tensors(fixture->model, &reference.tensor_count);
    return reference;
}

static double complex *complex_parameters(const struct fixture *fixture)
{
    double complex *parameters = calloc(fixture->size, sizeof *parameters);
    for (size_t i = 0; i < fixture->size; i++)
        parameters[i] = (double)fixture->parameters[i];
    return parameters;
}

START_TEST(loss_and_gradient_are_those_of_the_definition)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    int32_t symbols[SEQUENCES][CONTEXT + 1];
    set_known_parameters(fixture);
    set_known_symbols(symbols);
    double complex *parameters = complex_parameters(fixture);
    struct reference reference = reference_of(fixture, parameters);
    double loss =
        transformer_gradient(fixture->model, fixture->parameters, symbols[0], SEQUENCES, fixture->gradient);
    ck_assert_double_eq_tol(loss / creal(reference_mean(&reference, symbols)), 1, loss_tolerance);
    double error = 0, length = 0;
    for (size_t i = 0; i < fixture->size; i++) {
        parameters[i] += 1e-100 * I;
        double expected = cimag(reference_mean(&reference, symbols)) / 1e-100;
        parameters[i] = creal(parameters[i]);
        error += pow((double)fixture->gradient[i] - expected, 2);
        length += expected * expected;
    }
    ck_assert_double_lt(sqrt(error / length), gradient_tolerance);
    free(parameters);
    fixture_destroy(fixture);
}
END_TEST

struct known {
    const char *tensor;
    size_t element;
    double gradient;
};

/* Computed by reference.c in double precision from the known parameters and symbols, and again by a program
 * in another language. */
static const double known_loss = 4.68240586547748;
static const struct known known_gradients[] = {
    {"token.embedding", 37, -0.0717001128847318},
    {"position.embedding", 42, 0.0133883916253546},
    {"layer.0.norm1.weight", 5, -0.0339942911962304},
    {"layer.0.norm1.bias", 5, 0.0404574707253638},
    {"layer.0.attention.query.weight", 42, -0.006799453308606},
    {"layer.0.attention.key.weight", 42, -0.00553941564084157},
    {"layer.0.attention.value.weight", 42, -0.000174371164014615},
    {"layer.0.attention.query.bias", 5, -0.0133300154594035},
    {"layer.0.attention.key.bias", 5, 0},
    {"layer.0.attention.value.bias", 5, 0.0906806978411618},
    {"layer.0.attention.projection.weight", 42, -0.0571643164718649},
    {"layer.0.attention.projection.bias", 5, -0.0293174623329195},
    {"layer.0.norm2.weight", 5, -0.0553322526880106},
    {"layer.0.norm2.bias", 5, -0.0103567587760513},
    {"layer.0.mlp.up.weight", 170, 0.0251326337107505},
    {"layer.0.mlp.up.bias", 21, 0.0219702334790503},
    {"layer.0.mlp.down.weight", 170, 0.0135662966635619},
    {"layer.0.mlp.down.bias", 5, -0.0744784378205502},
    {"layer.1.attention.query.weight", 42, -0.00752460899335942},
    {"layer.1.attention.value.bias", 5, -0.0172934535386448},
    {"layer.1.mlp.up.weight", 170, -0.0153585437541978},
    {"layer.1.mlp.down.bias", 5, -0.0432790578913975},
    {"norm.weight", 5, 0.11927149970964},
    {"norm.bias", 5, -0.286059349561554},
};

static double known_gradient(const struct fixture *fixture, const struct known *known)
{
    size_t count;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tensors[i].name, known->tensor) == 0)
            return (double)fixture->gradient[tensors[i].offset + known->element];
    return (double)NAN;
}

START_TEST(known_parameters_have_known_gradients)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    int32_t symbols[SEQUENCES][CONTEXT + 1];
    set_known_parameters(fixture);
    set_known_symbols(symbols);
    double loss =
        transformer_gradient(fixture->model, fixture->parameters, symbols[0], SEQUENCES, fixture->gradient);
    ck_assert_double_eq_tol(loss, known_loss, known_loss * loss_tolerance);
    for (size_t i = 0; i < sizeof known_gradients / sizeof *known_gradients; i++)
        ck_assert_double_eq_tol(known_gradient(fixture, &known_gradients[i]), known_gradients[i].gradient,
                                gradient_tolerance);
    fixture_destroy(fixture);
}
END_TEST

/* Losses of one sequence after its symbol PLACE has become another. */
static void losses_with(struct fixture *fixture, const int32_t *sequence, size_t place, double *losses)
{
    int32_t changed[CONTEXT + 1];
    memcpy(changed, sequence, sizeof changed);
    changed[place] = (changed[place] + 1) % SYMBOLS;
    transformer_losses(fixture->model, fixture->parameters, changed, 1, losses);
}

START_TEST(a_later_symbol_changes_no_earlier_loss)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    int32_t symbols[SEQUENCES][CONTEXT + 1];
    double before[CONTEXT], after[CONTEXT];
    set_known_symbols(symbols);
    transformer_losses(fixture->model, fixture->parameters, symbols[0], 1, before);
    for (size_t place = 1; place <= CONTEXT; place++) {
        losses_with(fixture, symbols[0], place, after);
        for (size_t t = 0; t + 1 < place; t++)
            ck_assert_double_eq(before[t], after[t]);
        for (size_t t = place - 1; t < CONTEXT; t++) /* as a target, then as context */
            ck_assert_double_ne(before[t], after[t]);
    }
    fixture_destroy(fixture);
}
END_TEST

START_TEST(sequences_of_a_batch_know_nothing_of_each_other)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    int32_t symbols[SEQUENCES][CONTEXT + 1];
    double together[SEQUENCES][CONTEXT], alone[CONTEXT];
    set_known_symbols(symbols);
    transformer_losses(fixture->model, fixture->parameters, symbols[0], SEQUENCES, together[0]);
    for (size_t b = 0; b < SEQUENCES; b++) {
        transformer_losses(fixture->model, fixture->parameters, symbols[b], 1, alone);
        for (size_t t = 0; t < CONTEXT; t++)
            ck_assert_double_eq_tol(together[b][t], alone[t], 4 * loss_tolerance);
    }
    fixture_destroy(fixture);
}
END_TEST

/* The batches of COUNT sequences at 0 … N−1 together weigh like one of N × COUNT: so do their gradients,
 * however many passes they take. */
START_TEST(a_batch_s_gradient_is_the_mean_of_its_parts)
{
    enum { MANY = 150 }; /* more than a pass holds */
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    int32_t *symbols = calloc(MANY * (CONTEXT + 1), sizeof *symbols);
    real *part = calloc(fixture->size, sizeof *part);
    double *sum = calloc(fixture->size, sizeof *sum), loss = 0, error = 0, length = 0;
    for (int64_t i = 0; i < MANY; i++) {
        data_training(fixture->data, 0, 3, i, CONTEXT + 1, symbols + i * (CONTEXT + 1));
        loss +=
            transformer_gradient(fixture->model, fixture->parameters, symbols + i * (CONTEXT + 1), 1, part);
        for (size_t j = 0; j < fixture->size; j++)
            sum[j] += (double)part[j];
    }
    double whole =
        model_gradient(fixture->model, fixture->parameters, (struct batch){0, 3, MANY}, fixture->gradient);
    ck_assert_double_eq_tol(whole, loss / MANY, 4 * loss_tolerance);
    for (size_t j = 0; j < fixture->size; j++) {
        error += pow((double)fixture->gradient[j] - sum[j] / MANY, 2);
        length += pow(sum[j] / MANY, 2);
    }
    ck_assert_double_lt(sqrt(error / length), gradient_tolerance);
    free(symbols);
    free(part);
    free(sum);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(the_same_batch_gives_the_same_bits)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    real *again = calloc(fixture->size, sizeof *again);
    struct batch batch = {0, 1, 70}, other = {0, 2, 5};
    double first = model_gradient(fixture->model, fixture->parameters, batch, fixture->gradient);
    model_gradient(fixture->model, fixture->parameters, other, again);
    double second = model_gradient(fixture->model, fixture->parameters, batch, again);
    ck_assert_double_eq(first, second);
    ck_assert_mem_eq(fixture->gradient, again, fixture->size * sizeof *again);
    free(again);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(starting_values_are_a_function_of_the_seed)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    struct error error = {0};
    struct model *other = model_create(&fixture->config, fixture->data, 4, 6, &error);
    real *again = calloc(fixture->size, sizeof *again);
    model_initialise(fixture->model, fixture->parameters);
    model_initialise(fixture->model, again);
    ck_assert_mem_eq(fixture->parameters, again, fixture->size * sizeof *again);
    model_initialise(other, again);
    ck_assert_mem_ne(fixture->parameters, again, fixture->size * sizeof *again);
    double loss = model_held_out_loss(fixture->model, fixture->parameters, 20);
    ck_assert_double_eq_tol(loss, log(SYMBOLS), 0.02); /* it knows nothing yet */
    model_destroy(other);
    free(again);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(tensors_cover_the_parameters)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    size_t count, next = 0;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(tensors[i].offset, next);
        next += tensors[i].rows * tensors[i].columns;
    }
    ck_assert_uint_eq(next, fixture->size);
    ck_assert_uint_eq(fixture->size, 15 * 8 + 2 * (12 * 64 + 13 * 8) + 2 * 8);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(heads_must_divide_the_width)
{
    struct error error = {0};
    struct learning_config config = {
        .model = LEARNING_TRANSFORMER,
        .transformer = {.layers = 1, .width = 10, .heads = 3, .context = 4},
        .data = {.source = SOURCE_MARKOV, .symbols = 3, .order = 1, .shards = 1}};
    struct data *data = data_create(&config.data, 1, 5, 1, &error);
    ck_assert_ptr_null(model_create(&config, data, 1, 1, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "10 is no multiple of learning.transformer.heads: 3"));
    data_destroy(data);
}
END_TEST

/* The least loss is the source's: AdamW comes down to it, and not below. */
START_TEST(the_language_is_learned_down_to_its_floor)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    const struct inner_config adamw = {.optimiser = INNER_ADAMW,
                                       .rate = 0.01,
                                       .adamw_rate = NAN,
                                       .decay_steps = 1000,
                                       .beta1 = 0.9,
                                       .beta2 = 0.99,
                                       .epsilon = 1e-8,
                                       .clip = 1};
    size_t count;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    real *state = calloc(inner_state_size(&adamw, fixture->size), sizeof *state);
    model_initialise(fixture->model, fixture->parameters);
    for (int64_t step = 0; step < 1000; step++) {
        model_gradient(fixture->model, fixture->parameters, (struct batch){0, step, 32}, fixture->gradient);
        inner_step(&adamw, tensors, count, step + 1, step + 1, fixture->parameters, fixture->gradient, state,
                   NULL);
    }
    double loss = model_held_out_loss(fixture->model, fixture->parameters, 500);
    double least = model_floor_loss(fixture->model, 500);
    ck_assert_double_gt(loss, least);
    ck_assert_double_lt(loss, 1.04 * least);
    free(state);
    fixture_destroy(fixture);
}
END_TEST

/* OpenBLAS's own function, where that is the BLAS that is linked. */
extern int openblas_get_num_threads(void) __attribute__((weak));

START_TEST(matrix_products_keep_to_their_thread)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    if (openblas_get_num_threads)
        ck_assert_int_eq(openblas_get_num_threads(), 1);
    fixture_destroy(fixture);
}
END_TEST

/* A gradient of its own model; the caller frees it. */
static void *gradient_in_a_thread(void *unused)
{
    (void)unused;
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    real *gradient = calloc(fixture->size, sizeof *gradient);
    for (int64_t position = 0; position < 20; position++)
        model_gradient(fixture->model, fixture->parameters, (struct batch){0, position, 16}, gradient);
    fixture_destroy(fixture);
    return gradient;
}

START_TEST(models_run_side_by_side)
{
    enum { THREADS = 4 };
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    pthread_t threads[THREADS];
    void *alone = gradient_in_a_thread(NULL), *gradient;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, gradient_in_a_thread, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &gradient), 0);
        ck_assert_mem_eq(gradient, alone, fixture->size * sizeof(real));
        free(gradient);
    }
    free(alone);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(one_symbol_has_no_loss)
{
    struct fixture *fixture = fixture_create(small, 1);
    ck_assert_double_eq(
        model_gradient(fixture->model, fixture->parameters, (struct batch){0, 0, 3}, fixture->gradient), 0);
    for (size_t i = 0; i < fixture->size; i++)
        ck_assert_double_eq((double)fixture->gradient[i], 0);
    fixture_destroy(fixture);
}
END_TEST

START_TEST(what_diverges_is_not_a_number)
{
    struct fixture *fixture = fixture_create(small, SYMBOLS);
    for (size_t i = 0; i < fixture->size; i++)
        fixture->parameters[i] *= (real)1e30;
    double loss =
        model_gradient(fixture->model, fixture->parameters, (struct batch){0, 0, 2}, fixture->gradient);
    fixture->parameters[3] = (real)NAN;
    ck_assert(isnan(model_held_out_loss(fixture->model, fixture->parameters, 20)));
    ck_assert(sizeof(real) == sizeof(double) || !isfinite(loss));
    fixture_destroy(fixture);
}
END_TEST

static Suite *transformer_suite(void)
{
    Suite *suite = suite_create("transformer");
    TCase *cases = tcase_create("transformer");
    tcase_add_test(cases, loss_and_gradient_are_those_of_the_definition);
    tcase_add_test(cases, known_parameters_have_known_gradients);
    tcase_add_test(cases, a_later_symbol_changes_no_earlier_loss);
    tcase_add_test(cases, sequences_of_a_batch_know_nothing_of_each_other);
    tcase_add_test(cases, a_batch_s_gradient_is_the_mean_of_its_parts);
    tcase_add_test(cases, the_same_batch_gives_the_same_bits);
    tcase_add_test(cases, starting_values_are_a_function_of_the_seed);
    tcase_add_test(cases, tensors_cover_the_parameters);
    tcase_add_test(cases, heads_must_divide_the_width);
    tcase_add_test(cases, the_language_is_learned_down_to_its_floor);
    tcase_add_test(cases, matrix_products_keep_to_their_thread);
    tcase_add_test(cases, models_run_side_by_side);
    tcase_add_test(cases, one_symbol_has_no_loss);
    tcase_add_test(cases, what_diverges_is_not_a_number);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(transformer_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
