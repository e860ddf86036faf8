#include "tests/studies/fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char sweep[] = "sweep:\n"
                            "  cluster.chips: [1024, 2048]\n"
                            "  failures.chip.mtbi: [5 d, 20 d, 80 d]\n";

START_TEST(the_base_point_is_one_point)
{
    struct plan *plan = fixture_plan(sweep, false);
    ck_assert_uint_eq(plan->point_count, 1);
    ck_assert_str_eq(plan->points[0].json, "{}");
    ck_assert_str_eq(plan->points[0].label, "");
    ck_assert_int_eq(plan->points[0].scenario->simulation.cluster.chips, 4096);
    ck_assert_uint_eq(plan->run_count, 2 * 3);
    ck_assert_uint_eq(plan->base->axis_count, 2);
    plan_destroy(plan);
}
END_TEST

START_TEST(a_sweep_spans_its_axes)
{
    struct plan *plan = fixture_plan(sweep, true);
    ck_assert_uint_eq(plan->point_count, 6);
    ck_assert_uint_eq(plan->run_count, 6 * 2 * 3);
    ck_assert_str_eq(plan->points[1].json, "{\"cluster.chips\":1024,\"failures.chip.mtbi\":\"20 d\"}");
    ck_assert_str_eq(plan->points[5].label, "cluster.chips=2048, failures.chip.mtbi=80 d");
    ck_assert_int_eq(plan->points[2].scenario->simulation.cluster.chips, 1024);
    ck_assert_int_eq(plan->points[3].scenario->simulation.cluster.chips, 2048);
    plan_destroy(plan);
}
END_TEST

START_TEST(runs_come_by_point_strategy_and_replication)
{
    struct plan *plan = fixture_plan(sweep, true);
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct plan_run *run = &plan->runs[i];
        ck_assert_uint_eq(run->point, i / 6);
        ck_assert_str_eq(run->strategy->name, i / 3 % 2 ? "elastic" : "plain");
        ck_assert_uint_eq(run->replication, i % 3);
        ck_assert_uint_eq(plan->points[run->point].first_run, run->point * 6);
        ck_assert_uint_eq(plan->points[run->point].run_count, 6);
    }
    ck_assert_double_gt(plan->runs[18].work, plan->runs[0].work); /* twice the chips */
    ck_assert_double_gt(plan->runs[0].work, plan->runs[6].work);  /* a quarter of the failures */
    plan_destroy(plan);
}
END_TEST

/* A plan of the sweep above with --axis TEXTS. */
static struct plan *plan_with_axes(const char *const *texts, size_t count)
{
    struct scenario_axis axes[4];
    struct error error = {.kind = ERROR_NONE};
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(scenario_axis_parse(texts[i], &axes[i], &error), "%s", error.message);
    char name[] = "fixture.yaml", *bytes = fixture_text(sweep);
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    struct plan *plan = plan_create(
        &(struct plan_request){.text = &text, .sweep = true, .axes = axes, .axis_count = count}, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    for (size_t i = 0; i < count; i++)
        scenario_axis_free(&axes[i]);
    free(bytes);
    return plan;
}

START_TEST(an_axis_replaces_the_one_of_its_path)
{
    struct plan *plan = plan_with_axes((const char *[]){"cluster.chips=64"}, 1);
    ck_assert_uint_eq(plan->point_count, 3);
    ck_assert_str_eq(plan->points[0].json, "{\"cluster.chips\":64,\"failures.chip.mtbi\":\"5 d\"}");
    plan_destroy(plan);
}
END_TEST

START_TEST(another_axis_comes_last)
{
    struct plan *plan = plan_with_axes((const char *[]){"duration=2 h,3 h", "seed=1,2"}, 2);
    ck_assert_uint_eq(plan->point_count, 6 * 2 * 2);
    ck_assert_str_eq(plan->points[1].label,
                     "cluster.chips=1024, failures.chip.mtbi=5 d, duration=2 h, seed=2");
    plan_destroy(plan);
}
END_TEST

START_TEST(two_axes_of_one_path_are_refused)
{
    static char path[] = "duration", value[] = "1 h", other[] = "2 h";
    char *values[] = {value}, *others[] = {other};
    struct scenario_axis axes[] = {{path, values, 1}, {path, others, 1}};
    struct error error =
        fixture_fault("", (struct plan_request){.sweep = true, .axes = axes, .axis_count = 2});
    ck_assert_str_eq(error.message, "--axis: duration is given twice; put all its values into one");
}
END_TEST

/* More learners than slices: no single field is wrong, and so the place alone doesn't tell the point. */
START_TEST(a_fault_at_a_point_names_it)
{
    struct error error = fixture_fault("  - {name: diloco, kind: diloco, learners: 32}\n"
                                       "sweep: {cluster.chips: [4096, 1024]}\n",
                                       (struct plan_request){.sweep = true});
    ck_assert_msg(strstr(error.message, "\n    at the point cluster.chips=1024") != NULL, "%s",
                  error.message);
    ck_assert_int_eq(error.kind, ERROR_INPUT);
}
END_TEST

START_TEST(the_record_has_the_axes_that_are_swept)
{
    struct plan *plan = plan_with_axes((const char *[]){"cluster.chips=64,128"}, 1);
    char digest[65];
    ck_assert_ptr_nonnull(strstr(plan->resolved, "128"));
    ck_assert_ptr_null(strstr(plan->resolved, "2048"));
    scenario_digest(plan->resolved, digest);
    ck_assert_str_eq(plan->digest, digest);
    plan_destroy(plan);
}
END_TEST

START_TEST(only_the_named_strategies_run)
{
    struct error error = {.kind = ERROR_NONE};
    char name[] = "fixture.yaml", *bytes = fixture_text("");
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    struct scenario_override overrides[] = {{"replications", "5", "--replications"}};
    const char *names[] = {"elastic"};
    struct plan *plan = plan_create(&(struct plan_request){.text = &text,
                                                           .overrides = overrides,
                                                           .override_count = 1,
                                                           .strategies = names,
                                                           .strategy_count = 1},
                                    &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    ck_assert_uint_eq(plan->run_count, 5);
    ck_assert_str_eq(plan->runs[4].strategy->name, "elastic");
    ck_assert(plan_has(plan, 0, "elastic"));
    ck_assert(!plan_has(plan, 0, "plain"));
    plan_destroy(plan);
    free(bytes);
}
END_TEST

START_TEST(an_unknown_strategy_is_refused_with_the_nearest_name)
{
    const char *names[] = {"plain", "elastik"};
    struct error error = fixture_fault("", (struct plan_request){.strategies = names, .strategy_count = 2});
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "elastik"));
    ck_assert_ptr_nonnull(strstr(error.message, "\"elastic\""));
}
END_TEST

START_TEST(a_point_that_comes_twice_is_refused)
{
    struct error error =
        fixture_fault("sweep: {duration: [1 d, 2 d, 24 h]}\n", (struct plan_request){.sweep = true});
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "twice"));
}
END_TEST

START_TEST(a_point_that_is_wrong_is_refused_before_anything_runs)
{
    struct error error = fixture_fault(
        "sweep: {cluster.chips: [1024, 32]}\n",
        (struct plan_request){.sweep = true,
                              .overrides =
                                  (struct scenario_override[]){{"strategies.elastic.learners", "2", "--set"}},
                              .override_count = 1});
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "learners"));
}
END_TEST

/* Before anything runs, at the base and at a point that learns otherwise. */
START_TEST(learning_that_cannot_be_is_refused)
{
    static const char *const wrong[][2] = {
        {"learning: {model: transformer, transformer: {width: 10, heads: 3}}\n", "width: 10 is no multiple"},
        {"learning: {model: transformer, data: {source: text, file: /nowhere/at/all}}\n", "/nowhere/at/all"},
        {"learning: {model: transformer}\nsweep: {learning.transformer.heads: [4, 7]}\n", "heads: 7"},
        {"sweep: {learning.model: [quadratic, transformer]}\nlearning: {transformer: {heads: 5}}\n",
         "heads: 5"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error = fixture_fault(wrong[i][0], (struct plan_request){.sweep = true});
        ck_assert_int_eq(error.kind, ERROR_INPUT);
        ck_assert_msg(strstr(error.message, wrong[i][1]), "%s", error.message);
    }
    plan_destroy(
        fixture_plan("learning: {model: transformer}\nsweep: {learning.model: [quadratic]}\n", true));
}
END_TEST

START_TEST(a_study_of_too_many_runs_is_refused)
{
    struct scenario_override overrides[] = {{"replications", "1000000", "--replications"}};
    struct error error =
        fixture_fault("sweep: {seed: [1, 2, 3, 4, 5, 6]}\n",
                      (struct plan_request){.sweep = true, .overrides = overrides, .override_count = 1});
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "more than 10000000 runs"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *plans = tcase_create("plans");
    tcase_add_test(plans, the_base_point_is_one_point);
    tcase_add_test(plans, a_sweep_spans_its_axes);
    tcase_add_test(plans, runs_come_by_point_strategy_and_replication);
    tcase_add_test(plans, an_axis_replaces_the_one_of_its_path);
    tcase_add_test(plans, another_axis_comes_last);
    tcase_add_test(plans, two_axes_of_one_path_are_refused);
    tcase_add_test(plans, a_fault_at_a_point_names_it);
    tcase_add_test(plans, the_record_has_the_axes_that_are_swept);
    tcase_add_test(plans, only_the_named_strategies_run);
    tcase_add_test(plans, an_unknown_strategy_is_refused_with_the_nearest_name);
    tcase_add_test(plans, a_point_that_comes_twice_is_refused);
    tcase_add_test(plans, a_point_that_is_wrong_is_refused_before_anything_runs);
    tcase_add_test(plans, learning_that_cannot_be_is_refused);
    tcase_add_test(plans, a_study_of_too_many_runs_is_refused);
    suite_add_tcase(suite, plans);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
