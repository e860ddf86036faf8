#include "tests/studies/fixture.h"

#include <check.h>
#include <stdio.h>
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

START_TEST(nothing_happens_to_the_reference)
{
    struct plan *plan = fixture_plan("chaos: [{at: 1 h, fault: kill}]\n", false);
    const struct simulation_config *reference = &plan->points[0].failure_free;
    ck_assert(!reference->failures.enabled && chaos_is_empty(&reference->chaos));
    ck_assert(!chaos_is_empty(&plan->points[0].scenario->simulation.chaos));
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

/* What comes of a request for a sweep over MORE, with --axis TEXTS (up to NULL) and --where CONDITION. */
static struct plan *asked(const char *more, const char *const *texts, const char *condition,
                          struct error *error)
{
    struct scenario_axes axes = {0};
    *error = (struct error){.kind = ERROR_NONE};
    for (size_t i = 0; texts[i]; i++)
        ck_assert_msg(scenario_axes_parse(texts[i], &axes, error), "%s", error->message);
    char name[] = "fixture.yaml", *bytes = fixture_text(more);
    struct scenario_text text = {.name = name, .bytes = bytes, .length = strlen(bytes)};
    struct plan *plan = plan_create(&(struct plan_request){.text = &text,
                                                           .sweep = true,
                                                           .axes = axes.items,
                                                           .axis_count = axes.count,
                                                           .conditions = &condition,
                                                           .condition_count = condition != NULL},
                                    error);
    scenario_axes_free(&axes);
    free(bytes);
    return plan;
}

static struct plan *plan_of(const char *more, const char *const *texts, const char *condition)
{
    struct error error;
    struct plan *plan = asked(more, texts, condition, &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    return plan;
}

static void assert_refused(const char *more, const char *const *texts, const char *condition,
                           const char *message)
{
    struct error error;
    ck_assert_ptr_null(asked(more, texts, condition, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, message);
}

START_TEST(an_axis_replaces_the_one_of_its_path)
{
    struct plan *plan = plan_of(sweep, (const char *[]){"cluster.chips=64", NULL}, NULL);
    ck_assert_uint_eq(plan->point_count, 3);
    ck_assert_str_eq(plan->points[0].json, "{\"cluster.chips\":64,\"failures.chip.mtbi\":\"5 d\"}");
    plan_destroy(plan);
}
END_TEST

START_TEST(another_axis_comes_last)
{
    struct plan *plan = plan_of(sweep, (const char *[]){"duration=2 h,3 h", "seed=1,2", NULL}, NULL);
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
    struct scenario_axis axes[] = {{path, values, 1, false}, {path, others, 1, false}};
    struct error error =
        fixture_fault("", (struct plan_request){.sweep = true, .axes = axes, .axis_count = 2});
    ck_assert_str_eq(error.message, "--axis: duration is given twice; put all its values into one");
}
END_TEST

static const char lockstep[] = "sweep:\n"
                               "  - {cluster.chips: [1024, 2048], failures.chip.mtbi: [5 d, 20 d]}\n"
                               "  - seed: 1..2 step 1\n";
static const char *const none[] = {NULL};

static void assert_labels(const struct plan *plan, const char *const *labels, size_t count)
{
    ck_assert_uint_eq(plan->point_count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(plan->points[i].label, labels[i]);
}

START_TEST(axes_of_one_mapping_move_together)
{
    static const char *const labels[] = {"cluster.chips=1024, failures.chip.mtbi=5 d, seed=1",
                                         "cluster.chips=1024, failures.chip.mtbi=5 d, seed=2",
                                         "cluster.chips=2048, failures.chip.mtbi=20 d, seed=1",
                                         "cluster.chips=2048, failures.chip.mtbi=20 d, seed=2"};
    struct plan *plan = plan_of(lockstep, none, NULL);
    assert_labels(plan, labels, 4);
    ck_assert_str_eq(plan->points[3].heading, "cluster.chips=2048, seed=2");
    ck_assert_ptr_nonnull(strstr(plan->resolved, "\nsweep:\n"
                                                 "  - cluster.chips: [1024, 2048]\n"
                                                 "    failures.chip.mtbi: [5 d, 20 d]\n"
                                                 "  - seed: [1, 2]\n"));
    plan_destroy(plan);
}
END_TEST

START_TEST(axes_that_move_together_are_replaced_together)
{
    static const char *const labels[] = {"failures.chip.mtbi=1 d, cluster.chips=512, duration=1 h, seed=1",
                                         "failures.chip.mtbi=1 d, cluster.chips=512, duration=1 h, seed=2"};
    struct plan *plan = plan_of(
        lockstep, (const char *[]){"failures.chip.mtbi=1 d+cluster.chips=512+duration=1 h", NULL}, NULL);
    assert_labels(plan, labels, 2);
    plan_destroy(plan);
    assert_refused(lockstep, (const char *[]){"cluster.chips=512,1024", NULL}, NULL,
                   "--axis: cluster.chips moves with failures.chip.mtbi in the scenario's sweep; give values "
                   "to both, as in --axis 'cluster.chips=...+failures.chip.mtbi=...'");
}
END_TEST

START_TEST(one_request_may_replace_two_axes)
{
    static const char *const labels[] = {"cluster.chips=64, failures.chip.mtbi=1 d",
                                         "cluster.chips=128, failures.chip.mtbi=2 d"};
    struct plan *plan =
        plan_of(sweep, (const char *[]){"cluster.chips=64,128+failures.chip.mtbi=1 d,2 d", NULL}, NULL);
    assert_labels(plan, labels, 2);
    plan_destroy(plan);
}
END_TEST

START_TEST(conditions_leave_points_out)
{
    static const char *const labels[] = {"cluster.chips=1024, failures.chip.mtbi=20 d",
                                         "cluster.chips=2048, failures.chip.mtbi=20 d",
                                         "cluster.chips=2048, failures.chip.mtbi=80 d"};
    struct plan *plan = plan_of("sweep:\n"
                                "  cluster.chips: [1024, 2048]\n"
                                "  failures.chip.mtbi: [5 d, 20 d, 80 d]\n"
                                "  where: failures.chip.mtbi <= cluster.chips * 1 h\n",
                                none, "failures.chip.mtbi > 5 d");
    assert_labels(plan, labels, 3);
    ck_assert_uint_eq(plan->left_out, 3);
    ck_assert_ptr_nonnull(strstr(plan->resolved, "  where: [\"failures.chip.mtbi <= cluster.chips * 1 h\", "
                                                 "\"failures.chip.mtbi > 5 d\"]\n"));
    plan_destroy(plan);
}
END_TEST

/* Points that can't be simulated are no fault when they are left out. */
START_TEST(a_condition_spares_what_is_wrong)
{
    static const char more[] = "  - {name: diloco, kind: diloco, learners: 32}\n"
                               "sweep: [{cluster.chips: [4096, 1024]}, {where: %s}]\n";
    char text[300];
    snprintf(text, sizeof text, more, "strategies.diloco.learners <= cluster.chips / 64");
    struct plan *plan = plan_of(text, none, NULL);
    assert_labels(plan, (const char *const[]){"cluster.chips=4096"}, 1);
    plan_destroy(plan);
    snprintf(text, sizeof text, more, "strategies.2.learners < -(1 - 2) * 32");
    assert_refused(text, none, NULL, "fixture.yaml: none of the sweep's 2 points meets what \"where\" says");
}
END_TEST

static const struct {
    const char *condition, *message;
} undecided[] = {
    {"cluster.chips / (seed - 1) > 1", "--where: a field has no value, or something is divided by zero\n"
                                       "    cluster.chips / (seed - 1) > 1\n    ^\n    at the point seed=1"},
    {"cluster.chips", "--where: expected a comparison: <, <=, >, >=, == or !=\n"
                      "    cluster.chips\n                 ^\n    at the point seed=1"},
    {"cluster.chips > 1 h",
     "--where: the two sides are not of one kind, as a time and a pure number are not\n"
     "    cluster.chips > 1 h\n                  ^\n    at the point seed=1"},
    {"duration + seed > 1 h",
     "--where: the two sides are not of one kind, as a time and a pure number are not\n"
     "    duration + seed > 1 h\n             ^\n    at the point seed=1"},
    {"cluster.chip > 1", "--where: this field is no number\n"
                         "    cluster.chip > 1\n    ^\n    at the point seed=1"},
    {"strategies.*.learners > 1", "--where: name one item of the list; a star is a product here\n"
                                  "    strategies.*.learners > 1\n               ^\n    at the point seed=1"},
    {"seed > 1 parsec", "--where: this is no number with a unit that is known\n"
                        "    seed > 1 parsec\n           ^\n    at the point seed=1"},
    {"seed > 1 2", "--where: expected the end of the condition\n"
                   "    seed > 1 2\n             ^\n    at the point seed=1"},
    {"(seed > 1", "--where: expected a closing parenthesis\n"
                  "    (seed > 1\n          ^\n    at the point seed=1"},
    {"sed > 1", "--where: no field is called \"sed\"; did you mean \"seed\"?\n"
                "    sed > 1\n    ^\n    at the point seed=1"},
};

START_TEST(a_condition_that_says_nothing_is_refused)
{
    assert_refused("sweep: {seed: [1, 2]}\n", none, undecided[_i].condition, undecided[_i].message);
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
    struct plan *plan = plan_of(sweep, (const char *[]){"cluster.chips=64,128", NULL}, NULL);
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

static const char fragmented[] =
    "name: small\n"
    "duration: 4 h\n"
    "replications: 3\n"
    "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 6 s}\n"
    "cluster: {chips: 1024, chips_per_slice: 8}\n"
    "failures:\n"
    "  processes: [{name: n, unit: host, overall: {mtbf: 10 h, at_chips: 1024}}]\n"
    "strategies:\n"
    "  - {name: plain, kind: all-reduce}\n"
    "  - {name: d, kind: decoupled-diloco, learners: 4, inner_steps: 24, fragments: 24}\n"
    "sweep: {cluster.chips: [512, 1024]}\n"
    "expect: [{strategy: plain, metric: goodput, min: 0.5}]\n";

static struct plan *sensitivity_of(const char *const *strategies, size_t count, double share)
{
    char name[] = "small.yaml";
    struct error error = {.kind = ERROR_NONE};
    struct scenario_text text = {.name = name, .bytes = (char *)fragmented, .length = strlen(fragmented)};
    struct plan *plan = plan_create(&(struct plan_request){.text = &text,
                                                           .sweep = true,
                                                           .sensitivity = share,
                                                           .strategies = strategies,
                                                           .strategy_count = count},
                                    &error);
    ck_assert_msg(plan != NULL, "%s", error.message);
    return plan;
}

/* The base with all strategies, then a point per value; those of one strategy's fields run that one alone. */
START_TEST(numbers_change_one_at_a_time)
{
    struct plan *plan = sensitivity_of(NULL, 0, 0.1);
    ck_assert_str_eq(plan->points[0].json, "{}");
    ck_assert_uint_eq(plan->points[0].run_count, 6);
    ck_assert_uint_gt(plan->point_count, plan->variations.count * 9 / 10);
    ck_assert_uint_gt(plan->idle_defaults, 0); /* failures.processes.n.life.mtbi is one */
    size_t chips = 0, own = 0;
    for (size_t i = 1; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        bool of_one = strncmp(point->label, "strategies.d.", 13) == 0;
        ck_assert_uint_eq(point->settings->count, 1);
        ck_assert_uint_eq(point->run_count, of_one ? 3 : 6);
        chips += strcmp(point->json, "{\"cluster.chips\":922}") == 0;
        own += of_one;
    }
    ck_assert_uint_eq(chips, 1);
    ck_assert_uint_gt(own, 6);
    ck_assert_ptr_null(strstr(plan->resolved, "sweep:"));
    plan_destroy(plan);
}
END_TEST

START_TEST(what_the_scenario_refuses_is_named)
{
    struct plan *plan = sensitivity_of(NULL, 0, 0.1);
    ck_assert_uint_eq(plan->refusal_count, 2);
    ck_assert_str_eq(plan->refusals[0].variation->setting.path, "strategies.d.inner_steps");
    ck_assert_str_eq(plan->refusals[0].variation->setting.value, "22");
    ck_assert_str_eq(plan->refusals[1].variation->setting.path, "strategies.d.fragments");
    static const char more[] =
        "more fragments than inner steps"; /* of the field that was changed, or of another */
    ck_assert_ptr_eq(strstr(plan->refusals[0].message, more),
                     plan->refusals[0].message + strlen("strategies.d.fragments: "));
    ck_assert_ptr_eq(strstr(plan->refusals[1].message, more), plan->refusals[1].message);
    plan_destroy(plan);
}
END_TEST

START_TEST(fields_of_strategies_that_do_not_run_stay)
{
    static const char *const plain[] = {"plain"};
    struct plan *plan = sensitivity_of(plain, 1, 0.1);
    for (size_t i = 0; i < plan->point_count; i++) {
        ck_assert_uint_eq(plan->points[i].run_count, 3);
        ck_assert(strncmp(plan->points[i].label, "strategies.d.", 13) != 0);
    }
    ck_assert_uint_eq(plan->refusal_count, 0);
    plan_destroy(plan);
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
    tcase_add_test(plans, axes_of_one_mapping_move_together);
    tcase_add_test(plans, axes_that_move_together_are_replaced_together);
    tcase_add_test(plans, one_request_may_replace_two_axes);
    tcase_add_test(plans, conditions_leave_points_out);
    tcase_add_test(plans, a_condition_spares_what_is_wrong);
    tcase_add_loop_test(plans, a_condition_that_says_nothing_is_refused, 0,
                        (int)(sizeof undecided / sizeof *undecided));
    tcase_add_test(plans, the_base_point_is_one_point);
    tcase_add_test(plans, nothing_happens_to_the_reference);
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
    tcase_add_test(plans, numbers_change_one_at_a_time);
    tcase_add_test(plans, what_the_scenario_refuses_is_named);
    tcase_add_test(plans, fields_of_strategies_that_do_not_run_stay);
    suite_add_tcase(suite, plans);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
