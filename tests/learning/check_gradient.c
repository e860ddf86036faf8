/*
 * Every gradient of the transformer against finite differences, in double precision. A central difference of
 * step h errs by h²f‴/6 and by rounding, ε/h: Richardson's extrapolation of two steps takes the first away,
 * and leaves some 1e-10 at h = 1e-3.
 */
#include "models/learning/exponential.h"
#include "models/learning/kernels.h"
#include "models/learning/transformer.h"
#include "tests/learning/language_fixture.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static const double step = 1e-3, tolerance = 1e-9;

static double loss_at(struct fixture *fixture, size_t parameter, double value)
{
    double before = fixture->parameters[parameter];
    real *unused = calloc(fixture->size, sizeof(real));
    fixture->parameters[parameter] = value;
    double loss = model_gradient(fixture->model, fixture->parameters, (struct batch){0, 0, 2}, unused);
    fixture->parameters[parameter] = before;
    free(unused);
    return loss;
}

static double central_difference(struct fixture *fixture, size_t parameter, double h)
{
    double value = fixture->parameters[parameter];
    return (loss_at(fixture, parameter, value + h) - loss_at(fixture, parameter, value - h)) / (2 * h);
}

static double difference(struct fixture *fixture, size_t parameter)
{
    return (4 * central_difference(fixture, parameter, step / 2) -
            central_difference(fixture, parameter, step)) /
           3;
}

/* The error of TENSOR's whole gradient, relative to its length. */
static double error_of(struct fixture *fixture, const struct tensor *tensor)
{
    double error = 0, length = 0;
    for (size_t i = 0; i < tensor->rows * tensor->columns; i++) {
        double expected = difference(fixture, tensor->offset + i);
        double got = fixture->gradient[tensor->offset + i];
        error += (got - expected) * (got - expected);
        length += expected * expected;
    }
    return sqrt(error / length);
}

static bool is_key_bias(const struct tensor *tensor)
{
    const char *name = strstr(tensor->name, "key.bias");
    return name != NULL;
}

static void check_shape(struct transformer_config shape, int64_t symbols)
{
    struct fixture *fixture = fixture_create(shape, symbols);
    size_t count;
    const struct tensor *tensors = model_tensors(fixture->model, &count);
    model_gradient(fixture->model, fixture->parameters, (struct batch){0, 0, 2}, fixture->gradient);
    for (size_t i = 0; i < count; i++) {
        if (is_key_bias(&tensors[i])) /* adds the same to a whole row of scores: its gradient is 0 */
            for (size_t j = 0; j < tensors[i].rows; j++)
                ck_assert_double_eq_tol(fixture->gradient[tensors[i].offset + j], 0, 1e-15);
        else {
            double error = error_of(fixture, &tensors[i]);
            ck_assert_msg(error < tolerance, "%s: relative error %g", tensors[i].name, error);
        }
    }
    fixture_destroy(fixture);
}

START_TEST(gradients_are_the_slopes_of_the_loss)
{
    check_shape((struct transformer_config){.layers = 2, .width = 8, .heads = 2, .context = 8}, 11);
}
END_TEST

START_TEST(gradients_are_right_where_no_size_fills_a_vector)
{
    check_shape((struct transformer_config){.layers = 1, .width = 9, .heads = 3, .context = 7}, 5);
    check_shape((struct transformer_config){.layers = 3, .width = 5, .heads = 1, .context = 13}, 3);
    check_shape((struct transformer_config){.layers = 1, .width = 3, .heads = 1, .context = 2}, 2);
}
END_TEST

START_TEST(the_exponential_is_right_to_the_last_places)
{
    for (double x = -700; x < 700; x += 0.0137)
        ck_assert_double_eq_tol(exponential(x) / exp(x), 1, 4e-16);
    ck_assert_double_eq(exponential(0), 1);
    ck_assert_double_eq(exponential(-INFINITY), 0);
    ck_assert_double_eq(exponential(-1000), 0);
    ck_assert(exponential(1000) > 1e307);
    ck_assert(isnan(exponential(NAN)));
}
END_TEST

static Suite *gradient_suite(void)
{
    Suite *suite = suite_create("gradient");
    TCase *cases = tcase_create("gradient");
    tcase_add_test(cases, gradients_are_the_slopes_of_the_loss);
    tcase_add_test(cases, gradients_are_right_where_no_size_fills_a_vector);
    tcase_add_test(cases, the_exponential_is_right_to_the_last_places);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(gradient_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
