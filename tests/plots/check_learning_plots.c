/*
 * What the figures of learning are made of: mean curves by hand, axes, and names that don't hide one another.
 */
#include "plots/axis.h"
#include "plots/labels.h"
#include "plots/mean_curve.h"
#include "results/learning.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;
static struct mean_curve curve;

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "made-up");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

/* Adds a run of strategy a and a replay with this curve. */
static void add_curve(int64_t replication, const char *status, const struct replay_point *points,
                      size_t count)
{
    const struct fixture_run run = {
        .strategy = "a", .replication = replication, .chips = 1, .seconds = 100, .steps = 10};
    fixture_add_runs(store, study, &run, 1);
    const struct replay_record record = {.run = fixture_integer(store, "select max(id) from run"),
                                         .learning = "learning",
                                         .learning_sha256 = "abcd",
                                         .status = status,
                                         .loss = points,
                                         .point_count = count};
    struct error error = {0};
    ck_assert_msg(store_add_replay(store, &record, &error), "%s", error.message);
}

static void read_curve(enum curve_axis axis)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
    ck_assert_msg(mean_curve_read(store, study, "a", "{}", axis, &curve, &error), "%s", error.message);
}

/* The curve's place in the grid where x is nearest to X. */
static size_t nearest(double x)
{
    size_t best = 0;
    for (size_t i = 1; i < curve.count; i++)
        if (fabs(curve.x[i] - x) < fabs(curve.x[best] - x))
            best = i;
    return best;
}

/* Two lines, evaluated at other places: 10 − x / 10 and 8 − x / 20. */
START_TEST(a_mean_curve_is_the_mean_of_lines)
{
    const struct replay_point one[] = {{0, 0, 0, 10}, {30, 3, 300, 7}, {100, 10, 1000, 0}};
    const struct replay_point other[] = {{5, 0.5, 50, 7.75}, {80, 8, 800, 4}, {90, 9, 900, 3.5}};
    add_curve(0, "done", one, 3);
    add_curve(1, "done", other, 3);
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.replications, 2);
    ck_assert_uint_eq(curve.count, CURVE_GRID);
    ck_assert_double_eq(curve.x[0], 5);
    ck_assert_double_eq(curve.x[CURVE_GRID - 1], 90);
    for (size_t i = 0; i < curve.count; i++) {
        double x = curve.x[i], a = 10 - x / 10, b = 8 - x / 20;
        ck_assert_double_eq_tol(curve.mean[i], (a + b) / 2, 1e-12);
        /* Student's t of one degree of freedom is Cauchy's: tan(0.475 π). */
        double half = tan(0.475 * M_PI) * fabs(a - b) / 2;
        ck_assert_double_eq_tol(curve.high[i] - curve.mean[i], half, 1e-9);
        ck_assert_double_eq_tol(curve.mean[i] - curve.low[i], half, 1e-9);
    }
    read_curve(CURVE_OVER_TOKENS);
    ck_assert_double_eq(curve.x[CURVE_GRID - 1], 900);
    read_curve(CURVE_OVER_STEPS);
    ck_assert_double_eq(curve.x[0], 0.5);
}
END_TEST

/* At 60 s the run goes back to token 200; what it had learned after that is no part of its curve over tokens.
 */
START_TEST(what_was_rolled_back_is_left_out)
{
    const struct replay_point points[] = {{0, 0, 0, 10},   {20, 2, 200, 8}, {40, 4, 400, 2},
                                          {60, 3, 300, 7}, {80, 5, 500, 5}, {100, 6, 600, 4}};
    add_curve(0, "done", points, 6);
    read_curve(CURVE_OVER_TOKENS);
    ck_assert_double_eq_tol(curve.mean[nearest(400)], 6, 0.02);
    ck_assert(isnan(curve.low[0]) && isnan(curve.high[0]));
    read_curve(CURVE_OVER_TIME);
    ck_assert_double_eq_tol(curve.mean[nearest(40)], 2, 0.05);
}
END_TEST

START_TEST(diverged_curves_count_only_where_all_diverge)
{
    const struct replay_point good[] = {{0, 0, 0, 4}, {100, 10, 1000, 2}};
    const struct replay_point bad[] = {{0, 0, 0, 4}, {20, 2, 200, 1e9}, {30, 3, 300, NAN}};
    add_curve(0, "diverged", bad, 3);
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.replications, 1);
    ck_assert_double_eq(curve.x[curve.count - 1], 20);
    add_curve(1, "done", good, 2);
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.replications, 1);
    ck_assert_double_eq(curve.mean[curve.count - 1], 2);
}
END_TEST

/* The second source's own loss is 1 higher, and so is the curve: as excess losses they are the same. */
START_TEST(sources_that_differ_are_levelled)
{
    for (int64_t i = 0; i < 2; i++) {
        const struct fixture_run run = {
            .strategy = "a", .replication = i, .chips = 1, .seconds = 100, .steps = 10};
        fixture_add_runs(store, study, &run, 1);
        fixture_add_replay(store, &(struct fixture_replay){.strategy = "a",
                                                           .replication = i,
                                                           .start = 5 + (double)i,
                                                           .final = 3 + (double)i,
                                                           .floor = 2 + (double)i});
    }
    read_curve(CURVE_OVER_TIME);
    ck_assert_double_eq_tol(curve.floor, 2.5, 1e-12);
    ck_assert_double_eq_tol(curve.mean[0], 5.5, 1e-12);
    ck_assert_double_eq_tol(curve.mean[CURVE_GRID - 1], 3.5, 1e-12);
    ck_assert_double_eq_tol(curve.high[0] - curve.low[0], 0, 1e-9);
}
END_TEST

START_TEST(curves_without_a_line)
{
    const struct replay_point start = {0, 0, 0, 4};
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.count, 0);
    add_curve(0, "done", NULL, 0);
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.count, 0);
    add_curve(1, "done", &start, 1);
    read_curve(CURVE_OVER_TIME);
    ck_assert_uint_eq(curve.count, 1);
    ck_assert_double_eq(curve.mean[0], 4);
}
END_TEST

START_TEST(steps_are_round)
{
    static const struct {
        double span;
        size_t most;
        bool dozen;
        double step;
    } samples[] = {{1, 10, false, 0.1}, {0.9, 8, false, 0.2},   {24, 10, true, 3},     {24, 5, true, 6},
                   {100, 5, false, 20}, {47e9, 10, false, 5e9}, {0.003, 8, true, 5e-4}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        ck_assert_double_eq_tol(
            axis_step(samples[i].span, samples[i].most, samples[i].dozen) / samples[i].step, 1, 1e-12);
}
END_TEST

START_TEST(axes_reach_what_they_include)
{
    struct axis axis = axis_empty();
    axis_include(&axis, 2);
    axis_include(&axis, NAN);
    axis_include(&axis, 4);
    axis_choose_scale(&axis, 40);
    ck_assert(!axis.logarithmic);
    axis_pad(&axis, 0.1);
    ck_assert_double_eq_tol(axis_place(&axis, 2), 0.1, 1e-12);
    ck_assert_double_eq_tol(axis_place(&axis, 4), 0.9, 1e-12);
    ck_assert_double_eq_tol(axis_value(&axis, 0.9), 4, 1e-12);
    axis = axis_empty();
    axis_include(&axis, 0.01);
    axis_include(&axis, 1000);
    axis_choose_scale(&axis, 40);
    ck_assert(axis.logarithmic);
    axis_pad(&axis, 0.1);
    ck_assert_double_eq_tol(axis_place(&axis, 0.01), 0.1, 1e-12);
    ck_assert_double_eq_tol(axis_place(&axis, 1000), 0.9, 1e-12);
    ck_assert_double_eq_tol(axis_value(&axis, axis_place(&axis, 7)), 7, 1e-12);
}
END_TEST

/* Of nothing or of one value too, so that gnuplot has a range. */
START_TEST(axes_always_have_a_width)
{
    static const double values[] = {NAN, 0, 3, -3};
    for (size_t i = 0; i < 4; i++) {
        struct axis axis = axis_empty();
        axis_include(&axis, values[i]);
        axis_choose_scale(&axis, 40);
        axis_pad(&axis, 0.1);
        ck_assert_double_gt(axis.high, axis.low);
    }
}
END_TEST

static void assert_ticks(struct axis axis, size_t most, bool dozen, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    axis_write(&axis, 'x', most, dozen, out);
    fclose(out);
    ck_assert_ptr_nonnull(strchr(text, '\n'));
    ck_assert_str_eq(strchr(text, '\n') + 1, expected);
    free(text);
}

START_TEST(ticks_are_labelled_as_people_write)
{
    assert_ticks((struct axis){-0.1, 0.42, false}, 5, false,
                 "set xtics (\"0.0\" 0, \"0.2\" 0.2, \"0.4\" 0.4)\n");
    assert_ticks((struct axis){0, 24, false}, 5, true,
                 "set xtics (\"0\" 0, \"6\" 6, \"12\" 12, \"18\" 18, \"24\" 24)\n");
    assert_ticks((struct axis){-1e9, 4.8e10, false}, 5, false,
                 "set xtics (\"0\" 0, \"10G\" 1e+10, \"20G\" 2e+10, \"30G\" 3e+10, "
                 "\"40G\" 4e+10)\n");
    assert_ticks((struct axis){0.1, 100, true}, 5, false, "set logscale x\nset format x '%g'\n");
}
END_TEST

static bool touch(const struct rectangle *a, const struct rectangle *b)
{
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static void assert_apart(struct label *labels, size_t count)
{
    static const struct rectangle room = {0, 0, 540, 336};
    ck_assert(labels_place(labels, count, NULL, 0, &room));
    for (size_t i = 0; i < count; i++) {
        struct rectangle name = labels_extent(&labels[i]);
        ck_assert(name.left >= 0 && name.bottom >= 0 && name.right <= 540 && name.top <= 336);
        for (size_t j = 0; j < count; j++) {
            struct rectangle other = labels_extent(&labels[j]);
            const struct rectangle mark = {labels[j].x - 6, labels[j].y - 6, labels[j].x + 6,
                                           labels[j].y + 6};
            ck_assert_msg(j == i || !touch(&name, &other), "names %zu and %zu", i, j);
            ck_assert_msg(!touch(&name, &mark), "name %zu and mark %zu", i, j);
        }
    }
}

START_TEST(names_keep_apart)
{
    struct label corners[] = {
        {.x = 2, .y = 2, .width = 90, .height = 17},
        {.x = 538, .y = 334, .width = 90, .height = 17},
        {.x = 270, .y = 168, .width = 90, .height = 17},
    };
    assert_apart(corners, 3);
    ck_assert_int_eq(corners[2].alignment, 1);
    ck_assert(!corners[2].far);
    struct label same[6], row[8];
    for (size_t i = 0; i < 6; i++)
        same[i] = (struct label){.x = 500, .y = 100, .width = 100, .height = 17};
    assert_apart(same, 6);
    for (size_t i = 0; i < 8; i++)
        row[i] = (struct label){.x = 250 + 8 * (double)i, .y = 160, .width = 80, .height = 17};
    assert_apart(row, 8);
}
END_TEST

START_TEST(names_keep_off_what_is_in_the_way)
{
    static const struct rectangle room = {0, 0, 540, 336}, bar = {200, 90, 540, 110};
    struct label label = {.x = 200, .y = 100, .width = 90, .height = 17};
    ck_assert(labels_place(&label, 1, &bar, 1, &room));
    struct rectangle name = labels_extent(&label);
    ck_assert(!touch(&name, &bar));
}
END_TEST

static Suite *learning_suite(void)
{
    Suite *suite = suite_create("learning plots");
    TCase *tests = tcase_create("learning plots");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_mean_curve_is_the_mean_of_lines);
    tcase_add_test(tests, what_was_rolled_back_is_left_out);
    tcase_add_test(tests, diverged_curves_count_only_where_all_diverge);
    tcase_add_test(tests, sources_that_differ_are_levelled);
    tcase_add_test(tests, curves_without_a_line);
    tcase_add_test(tests, steps_are_round);
    tcase_add_test(tests, axes_reach_what_they_include);
    tcase_add_test(tests, axes_always_have_a_width);
    tcase_add_test(tests, ticks_are_labelled_as_people_write);
    tcase_add_test(tests, names_keep_apart);
    tcase_add_test(tests, names_keep_off_what_is_in_the_way);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(learning_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
