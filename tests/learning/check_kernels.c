/*
 * The builds of the kernels compute the same: each against the compiler's own target, on sizes that fill no
 * vector. (What they should compute is check_transformer's matter.)
 */
#include "models/learning/kernels.h"
#include "sim/stream.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

#ifdef LEARNING_DOUBLE
static const double tolerance = 1e-13;
#else
static const double tolerance = 2e-5;
#endif

enum { ROWS = 38, WIDTH = 21, MOST = ROWS * 3 * WIDTH };
static const struct attention_shape shape = {.sequences = 2, .length = 19, .width = WIDTH, .heads = 3};

/* What a build is given and what it makes of it, at the same places for every build. */
struct work {
    real x[MOST], y[MOST], weight[MOST], bias[MOST], out[MOST], mean[ROWS], scale[ROWS];
    real sum1[MOST], sum2[MOST], sum3[MOST];
    double losses[ROWS];
    int32_t targets[ROWS];
    real *scratch;
};

static void fill(real *values, size_t count, uint64_t entity)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 1000, entity);
    for (size_t i = 0; i < count; i++)
        values[i] = (real)sim_stream_normal(&stream);
}

static struct work *create_work(const struct kernels *kernels)
{
    struct work *work = calloc(1, sizeof *work);
    real *const arrays[] = {work->x,   work->y,    work->weight, work->bias,
                            work->out, work->sum1, work->sum2,   work->sum3};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        fill(arrays[i], MOST, i);
    for (int32_t i = 0; i < ROWS; i++)
        work->targets[i] = i * i % WIDTH;
    size_t bytes = kernels->attention_scratch(&shape) * sizeof(real);
    ck_assert_int_eq(posix_memalign((void **)&work->scratch, KERNEL_ALIGNMENT, bytes), 0);
    return work;
}

static void free_work(struct work *work)
{
    free(work->scratch);
    free(work);
}

static void check_same(const real *one, const real *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_double_eq_tol((double)one[i], (double)other[i], tolerance);
}

static void check_same_work(const struct work *one, const struct work *other)
{
    check_same(one->x, other->x, MOST);
    check_same(one->out, other->out, MOST);
    check_same(one->mean, other->mean, ROWS);
    check_same(one->scale, other->scale, ROWS);
    check_same(one->sum1, other->sum1, MOST);
    check_same(one->sum2, other->sum2, MOST);
    check_same(one->sum3, other->sum3, MOST);
    for (size_t i = 0; i < ROWS; i++)
        ck_assert_double_eq_tol(one->losses[i], other->losses[i], tolerance);
}

typedef void operation(const struct kernels *kernels, struct work *work);

/* What RUN makes by the chosen build, against the plain one. */
static void compare(operation *run)
{
    struct work *chosen = create_work(kernels_choose()), *plain = create_work(&kernels_plain);
    run(kernels_choose(), chosen);
    run(&kernels_plain, plain);
    check_same_work(chosen, plain);
    free_work(chosen);
    free_work(plain);
}

static void norm(const struct kernels *kernels, struct work *work)
{
    kernels->norm_forward(ROWS, WIDTH, work->x, work->weight, work->bias, work->out, work->mean, work->scale);
    kernels->norm_backward(ROWS, WIDTH, work->x, work->mean, work->scale, work->weight, work->y, work->out,
                           work->sum1, work->sum2, work->sum3);
}

static void bias(const struct kernels *kernels, struct work *work)
{
    kernels->add_bias(ROWS, WIDTH, work->x, work->bias, work->out);
}

static void gelu(const struct kernels *kernels, struct work *work)
{
    kernels->gelu_forward(ROWS, WIDTH, work->bias, work->x, work->out);
    kernels->gelu_backward(ROWS, WIDTH, work->x, work->out, work->sum1);
}

static void cross_entropy(const struct kernels *kernels, struct work *work)
{
    kernels->cross_entropy(ROWS, WIDTH, work->targets, (real)0.5, work->x, work->losses);
}

static void attention(const struct kernels *kernels, struct work *work)
{
    kernels->attention_forward(&shape, work->x, work->bias, work->out, work->scratch);
    kernels->attention_backward(&shape, work->x, work->bias, work->y, work->sum1, work->sum2, work->scratch);
}

START_TEST(all_builds_compute_the_same)
{
    static operation *const operations[] = {norm, bias, gelu, cross_entropy, attention};
    compare(operations[_i]);
}
END_TEST

/* Rows are sums of exactly what is seen: the first token attends to itself alone. */
START_TEST(the_first_token_takes_its_own_value)
{
    const struct kernels *builds[] = {&kernels_plain, kernels_choose()};
    for (size_t b = 0; b < 2; b++) {
        struct work *work = create_work(builds[b]);
        builds[b]->attention_forward(&shape, work->x, work->bias, work->out, work->scratch);
        for (size_t sequence = 0; sequence < shape.sequences; sequence++)
            for (size_t i = 0; i < WIDTH; i++) {
                size_t row = sequence * shape.length;
                ck_assert_double_eq_tol((double)work->out[row * WIDTH + i],
                                        (double)work->x[row * 3 * WIDTH + 2 * WIDTH + i] +
                                            (double)work->bias[2 * WIDTH + i],
                                        tolerance);
            }
        free_work(work);
    }
}
END_TEST

static Suite *kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *cases = tcase_create("kernels");
    tcase_add_loop_test(cases, all_builds_compute_the_same, 0, 5);
    tcase_add_test(cases, the_first_token_takes_its_own_value);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(kernels_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
