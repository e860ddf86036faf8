#include "scenarios/sensitivity.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char scenario[] = "name: small\n"
                               "seed: 7\n"
                               "duration: 1 d\n"
                               "replications: 20\n"
                               "workload: {parameters: 5e9, tokens_per_step: 4194304, step_time: 6 s}\n"
                               "cluster: {chips: 1000, chips_per_slice: 8, chip: h100, mfu: 0.95}\n"
                               "stragglers: {lemon: {share: 0}}\n"
                               "failures: {chip: {mtbi: 365 d}}\n"
                               "network: {wan: {bandwidth: 2 Gbit/s}}\n"
                               "strategies:\n"
                               "  - {name: plain, kind: all-reduce}\n"
                               "  - {name: a.b, kind: decoupled-diloco, learners: 3, inner_steps: 24}\n"
                               "expect: [{strategy: plain, metric: goodput, min: 0.5}]\n";

static struct scenario_variations variations;

static struct scenario_text text_of(const char *bytes)
{
    static char name[] = "small.yaml";
    return (struct scenario_text){.name = name, .bytes = (char *)bytes, .length = strlen(bytes)};
}

static void vary(const char *path, const char *value, double share)
{
    struct error error = {.kind = ERROR_NONE};
    const struct scenario_text text = text_of(scenario);
    const struct scenario_override override = {path, value, "--set"};
    ck_assert_msg(scenario_vary(&text, &override, path != NULL, share, &variations, &error), "%s",
                  error.message);
}

static void tear_down(void)
{
    scenario_variations_free(&variations);
}

/* The N-th variation of PATH, or NULL. */
static const struct scenario_variation *find(const char *path, size_t n)
{
    for (size_t i = 0; i < variations.count; i++)
        if (strcmp(variations.items[i].setting.path, path) == 0 && n-- == 0)
            return &variations.items[i];
    return NULL;
}

static void assert_values(const char *path, const char *base, const char *lower, const char *higher)
{
    const char *const values[] = {lower, higher};
    for (size_t i = 0; i < 2; i++) {
        const struct scenario_variation *variation = find(path, i);
        ck_assert_msg(variation != NULL, "%s", path);
        ck_assert_str_eq(variation->setting.value, values[i]);
        ck_assert_str_eq(variation->base, base);
    }
    ck_assert_ptr_null(find(path, 2));
}

START_TEST(each_number_is_once_lower_and_once_higher)
{
    vary(NULL, NULL, 0.1);
    assert_values("cluster.chips", "1000", "900", "1100");
    assert_values("workload.step_time", "6 s", "5.4 s", "6.6 s");
    assert_values("failures.chip.mtbi", "1 year", "0.9 year", "1.1 year");
    assert_values("network.wan.bandwidth", "2 Gbit/s", "1.8 Gbit/s", "2.2 Gbit/s");
    assert_values("failures.repair.mean", find("failures.repair.mean", 0)->base,
                  find("failures.repair.mean", 0)->setting.value,
                  find("failures.repair.mean", 1)->setting.value);
    ck_assert_ptr_null(find("cluster.chips", 0)->strategy);
    size_t fields = 0;
    for (size_t i = 0; i < variations.count; i++)
        fields +=
            i == 0 || strcmp(variations.items[i].setting.path, variations.items[i - 1].setting.path) != 0;
    ck_assert_uint_eq(variations.fields, fields);
    ck_assert_uint_gt(fields, 30);
}
END_TEST

START_TEST(whole_numbers_move_by_one_at_least)
{
    vary(NULL, NULL, 0.1);
    assert_values("strategies.a.b.learners", "3", "2", "4");
    assert_values("strategies.a.b.inner_steps", "24", "22", "26");
    ck_assert_str_eq(find("strategies.a.b.learners", 0)->strategy, "a.b");
    assert_values("cluster.chips_per_slice", "8", "7", "9");
}
END_TEST

START_TEST(what_would_leave_its_bounds_ends_there)
{
    vary(NULL, NULL, 0.1);
    assert_values("cluster.mfu", "0.95", "0.855", "1");
    ck_assert(!find("cluster.mfu", 0)->clamped);
    ck_assert(find("cluster.mfu", 1)->clamped);
    const struct scenario_variation *quorum = find("strategies.a.b.quorum", 0);
    ck_assert_str_eq(quorum->base, "1"); /* nothing below */
    ck_assert_str_eq(quorum->setting.value, "2");
    ck_assert_ptr_null(find("strategies.a.b.quorum", 1));
}
END_TEST

START_TEST(what_says_how_runs_are_made_stays)
{
    static const char *const paths[] = {"seed",
                                        "duration",
                                        "replications",
                                        "warm_up",
                                        "expect.0.min",
                                        "stragglers.lemon.share",
                                        "network.between.bandwidth",
                                        "learning.inner.rate"};
    vary(NULL, NULL, 0.1);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        ck_assert_msg(!find(paths[i], 0), "%s", paths[i]);
    ck_assert_uint_gt(variations.zeros, 3);
    for (size_t i = 0; i < variations.count; i++)
        ck_assert(strncmp(variations.items[i].setting.path, "learning.", 9) != 0);
}
END_TEST

/* Each value is what the scenario then has, or the scenario says why it can't. */
START_TEST(values_are_read_back)
{
    vary(NULL, NULL, 0.07);
    size_t taken = 0;
    for (size_t i = 0; i < variations.count; i++) {
        struct error error = {.kind = ERROR_NONE};
        const struct scenario_text text = text_of(scenario);
        const struct scenario_override override = {variations.items[i].setting.path,
                                                   variations.items[i].setting.value, "test"};
        struct scenario *changed = scenario_create(&text, &override, 1, &error);
        ck_assert(changed || error.kind == ERROR_INPUT);
        char *printed = changed ? scenario_print(changed) : NULL;
        ck_assert(!printed || strstr(printed, override.value));
        taken += changed != NULL;
        free(printed);
        scenario_destroy(changed);
    }
    ck_assert_uint_gt(10 * taken, 8 * variations.count);
}
END_TEST

START_TEST(overrides_count)
{
    vary("cluster.chips", "64", 0.25);
    assert_values("cluster.chips", "64", "48", "80");
}
END_TEST

START_TEST(a_wrong_scenario_is_refused)
{
    struct error error = {.kind = ERROR_NONE};
    const struct scenario_text text = text_of(scenario);
    const struct scenario_override override = {"cluster.chips", "many", "--set"};
    ck_assert(!scenario_vary(&text, &override, 1, 0.1, &variations, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "cluster.chips"));
}
END_TEST

static Suite *sensitivity_suite(void)
{
    Suite *suite = suite_create("sensitivity");
    TCase *points = tcase_create("variations");
    tcase_add_checked_fixture(points, NULL, tear_down);
    tcase_add_test(points, each_number_is_once_lower_and_once_higher);
    tcase_add_test(points, whole_numbers_move_by_one_at_least);
    tcase_add_test(points, what_would_leave_its_bounds_ends_there);
    tcase_add_test(points, what_says_how_runs_are_made_stays);
    tcase_add_test(points, values_are_read_back);
    tcase_add_test(points, overrides_count);
    tcase_add_test(points, a_wrong_scenario_is_refused);
    suite_add_tcase(suite, points);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(sensitivity_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
