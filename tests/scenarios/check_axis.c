/*
 * Axes and points: what --axis takes, the points that axes span, and their JSON.
 */
#include "scenarios/axis.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *path;
    size_t count;
    const char *values[4];
} axes[] = {
    {"cluster.chips=150000,3e5,600000", "cluster.chips", 3, {"150000", "300000", "600000"}},
    {"failures.chip.mtbi=24 h, 365 d", "failures.chip.mtbi", 2, {"1 d", "1 year"}},
    {"network.wan.bandwidth=250 MB/s", "network.wan.bandwidth", 1, {"2 Gbit/s"}},
    {"strategies.decoupled.quorum=1,2", "strategies.decoupled.quorum", 2, {"1", "2"}},
    {"strategies.v1.5.grace=50 %", "strategies.v1.5.grace", 1, {"0.5"}},
    {"strategies.a.elastic=true,false", "strategies.a.elastic", 2, {"true", "false"}},
    {"cluster.chip=a40 , h100", "cluster.chip", 2, {"a40", "h100"}},
    {"cluster.chips=1..16 step 5", "cluster.chips", 4, {"1", "6", "11", "16"}},
    {"cluster.chips=1..16 step 6, 20", "cluster.chips", 4, {"1", "7", "13", "20"}},
    {"cluster.chips=1, log 1e3..1e5, 3 points", "cluster.chips", 4, {"1", "1000", "10000", "100000"}},
    {"cluster.chips=log 1..4, 9 points", "cluster.chips", 4, {"1", "2", "3", "4"}},
    {"cluster.mfu=0.1..0.4, 4 points", "cluster.mfu", 4, {"0.1", "0.2", "0.3", "0.4"}},
    {"cluster.mfu=10..40 % step 10", "cluster.mfu", 4, {"0.1", "0.2", "0.3", "0.4"}},
    {"cluster.mfu=0.1..0.3 step 0.1,1", "cluster.mfu", 4, {"0.1", "0.2", "0.3", "1"}},
    {"network.wan.bandwidth=log 1..10 Gbit/s, 3 points",
     "network.wan.bandwidth",
     3,
     {"1 Gbit/s", "3.16228 Gbit/s", "10 Gbit/s"}},
    {"failures.chip.mtbi=12 h..2 d step 12 h", "failures.chip.mtbi", 4, {"12 h", "1 d", "36 h", "2 d"}},
};

START_TEST(an_axis_is_read_in_canonical_form)
{
    struct scenario_axes list = {0};
    struct error error = {0};
    ck_assert_msg(scenario_axes_parse(axes[_i].text, &list, &error), "%s", error.message);
    ck_assert_uint_eq(list.count, 1);
    const struct scenario_axis *axis = &list.items[0];
    ck_assert(!axis->locked);
    ck_assert_str_eq(axis->path, axes[_i].path);
    ck_assert_uint_eq(axis->count, axes[_i].count);
    for (size_t i = 0; i < axis->count; i++)
        ck_assert_str_eq(axis->values[i], axes[_i].values[i]);
    scenario_axes_free(&list);
}
END_TEST

/* The plus of an exponent begins no axis. */
START_TEST(axes_joined_by_a_plus_move_together)
{
    struct scenario_axes list = {0};
    struct error error = {0};
    ck_assert_msg(
        scenario_axes_parse("cluster.chips=1e+3, 2e+3 + duration=1 d,1 d+seed=4..5 step 1", &list, &error),
        "%s", error.message);
    ck_assert_msg(scenario_axes_parse("replications=1,2", &list, &error), "%s", error.message);
    static const struct {
        const char *path, *values[2];
        bool locked;
    } wanted[] = {{"cluster.chips", {"1000", "2000"}, false},
                  {"duration", {"1 d", "1 d"}, true},
                  {"seed", {"4", "5"}, true},
                  {"replications", {"1", "2"}, false}};
    ck_assert_uint_eq(list.count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(list.items[i].path, wanted[i].path);
        ck_assert_int_eq(list.items[i].locked, wanted[i].locked);
        ck_assert_uint_eq(list.items[i].count, 2);
        for (size_t j = 0; j < 2; j++)
            ck_assert_str_eq(list.items[i].values[j], wanted[i].values[j]);
    }
    ck_assert_uint_eq(scenario_axes_together(list.items, 4, 0), 3);
    ck_assert_uint_eq(scenario_axes_together(list.items, 4, 3), 1);
    scenario_axes_free(&list);
}
END_TEST

static const struct {
    const char *text, *message;
} refusals[] = {
    {"cluster.chips", "--axis: expected PATH=V1,V2,...\n    cluster.chips\n    ^"},
    {"=1", "--axis: expected PATH=V1,V2,...\n    =1\n    ^"},
    {"clster.chips=1", "--axis: no field is called \"clster.chips\"; did you mean \"cluster.chips\"?\n"
                       "    clster.chips=1\n    ^"},
    {"strategies.a.quorm=1", "--axis: no field is called \"strategies.a.quorm\"; did you mean "
                             "\"strategies.a.quorum\"?\n    strategies.a.quorm=1\n    ^"},
    {"strategies=1",
     "--axis: \"strategies\" is a list of mappings; name a field in it\n    strategies=1\n    ^"},
    {"cluster=1", "--axis: \"cluster\" is a section; name a field in it\n    cluster=1\n    ^"},
    {"cluster.chips=1,,2", "--axis: cluster.chips: has no value; expected a whole number\n"
                           "    cluster.chips=1,,2\n                    ^"},
    {"cluster.chips=", "--axis: cluster.chips: has no value; expected a whole number\n"
                       "    cluster.chips=\n                  ^"},
    {"cluster.chips=1,x", "--axis: cluster.chips: expected a whole number, not \"x\"\n"
                          "    cluster.chips=1,x\n                    ^"},
    {"cluster.chips=1000,1e3", "--axis: cluster.chips is given the value 1000 twice\n"
                               "    cluster.chips=1000,1e3\n                       ^"},
    {"cluster.chips=1, 3,1 , 3", "--axis: cluster.chips is given the value 1 twice\n"
                                 "    cluster.chips=1, 3,1 , 3\n                       ^"},
    {"failures.chip.mean=1 d", "--axis: no field is called \"failures.chip.mean\"; did you mean "
                               "\"failures.chip.mtbi\"?\n    failures.chip.mean=1 d\n    ^"},
    {"duration=1 d,5", "--axis: duration: 5 has no unit; expected a time such as \"30 s\"\n"
                       "    duration=1 d,5\n                 ^"},
    {"failures.chip.values=1 d", "--axis: failures.chip.values: expected a list, [ … ], not a single value\n"
                                 "    failures.chip.values=1 d\n                         ^"},
    {"cluster.chips=1,4..2 step 1", "--axis: cluster.chips: the lower end is not below the upper one\n"
                                    "    cluster.chips=1,4..2 step 1\n                    ^"},
    {"cluster.chips=1..4 step 9", "--axis: cluster.chips: the step is longer than the range\n"
                                  "    cluster.chips=1..4 step 9\n                  ^"},
    {"cluster.chips=1..4 step 0", "--axis: cluster.chips: the step is not above 0\n"
                                  "    cluster.chips=1..4 step 0\n                  ^"},
    {"cluster.chips=1..1e6 step 1", "--axis: cluster.chips: a range has at most 10000 values\n"
                                    "    cluster.chips=1..1e6 step 1\n                  ^"},
    {"cluster.chips=1..4", "--axis: cluster.chips: expected \"1..16 step 5\", \"0..1, 11 points\" or "
                           "\"log 0.1..1000 Gbit/s, 50 points\", with the field's unit\n"
                           "    cluster.chips=1..4\n                  ^"},
    {"cluster.mfu=log 0..1, 3 points", "--axis: cluster.mfu: must be above 0 and at most 1, not \"0\"\n"
                                       "    cluster.mfu=log 0..1, 3 points\n                ^"},
    {"cluster.chips=log 1..9 step 2", "--axis: cluster.chips: a logarithmic grid has points, not steps\n"
                                      "    cluster.chips=log 1..9 step 2\n                  ^"},
    {"duration=1..4 d step 1 GB",
     "--axis: duration: \"1 GB\" is an amount of data; expected a time such as \"30 s\"\n"
     "    duration=1..4 d step 1 GB\n             ^"},
    {"seed=1,2+duration=1 d", "--axis: duration has 1 value, but seed, which it moves with, has 2\n"
                              "    seed=1,2+duration=1 d\n             ^"},
    {"seed=1,2+durations=1 d", "--axis: no field is called \"durations\"; did you mean \"duration\"?\n"
                               "    seed=1,2+durations=1 d\n             ^"},
};

START_TEST(a_wrong_axis_is_refused_at_its_place)
{
    struct scenario_axes list = {0};
    struct error error = {0};
    ck_assert(!scenario_axes_parse(refusals[_i].text, &list, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, refusals[_i].message);
    scenario_axes_free(&list);
}
END_TEST

START_TEST(no_axes_span_one_empty_point)
{
    struct scenario_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(scenario_points_create(NULL, 0, &points, &count, &error));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(points[0].count, 0);
    char *json = scenario_point_json(&points[0]);
    ck_assert_str_eq(json, "{}");
    free(json);
    scenario_points_free(points, count);
}
END_TEST

START_TEST(the_last_axis_is_the_fastest)
{
    char *chips[] = {(char[]){"1"}, (char[]){"2"}},
         *times[] = {(char[]){"1 d"}, (char[]){"24 h"}, (char[]){"2 d"}};
    const struct scenario_axis both[] = {{(char[]){"cluster.chips"}, chips, 2, false},
                                         {(char[]){"duration"}, times, 3, false}};
    static const char *const wanted[] = {
        "{\"cluster.chips\":1,\"duration\":\"1 d\"}", "{\"cluster.chips\":1,\"duration\":\"1 d\"}",
        "{\"cluster.chips\":1,\"duration\":\"2 d\"}", "{\"cluster.chips\":2,\"duration\":\"1 d\"}",
        "{\"cluster.chips\":2,\"duration\":\"1 d\"}", "{\"cluster.chips\":2,\"duration\":\"2 d\"}"};
    struct scenario_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(scenario_points_create(both, 2, &points, &count, &error));
    ck_assert_uint_eq(count, 6);
    for (size_t i = 0; i < count; i++) {
        char *json = scenario_point_json(&points[i]);
        ck_assert_str_eq(json, wanted[i]);
        free(json);
    }
    ck_assert_str_eq(points[1].settings[1].value, "24 h");
    scenario_points_free(points, count);
}
END_TEST

START_TEST(locked_axes_move_with_the_one_before)
{
    char *chips[] = {(char[]){"1"}, (char[]){"2"}}, *seeds[] = {(char[]){"7"}, (char[]){"8"}},
         *times[] = {(char[]){"1 d"}, (char[]){"2 d"}};
    const struct scenario_axis three[] = {{(char[]){"cluster.chips"}, chips, 2, false},
                                          {(char[]){"seed"}, seeds, 2, true},
                                          {(char[]){"duration"}, times, 2, false}};
    static const char *const wanted[] = {"{\"cluster.chips\":1,\"duration\":\"1 d\",\"seed\":7}",
                                         "{\"cluster.chips\":1,\"duration\":\"2 d\",\"seed\":7}",
                                         "{\"cluster.chips\":2,\"duration\":\"1 d\",\"seed\":8}",
                                         "{\"cluster.chips\":2,\"duration\":\"2 d\",\"seed\":8}"};
    struct scenario_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(scenario_points_create(three, 3, &points, &count, &error));
    ck_assert_uint_eq(count, 4);
    for (size_t i = 0; i < count; i++) {
        char *json = scenario_point_json(&points[i]);
        ck_assert_str_eq(json, wanted[i]);
        free(json);
    }
    scenario_points_free(points, count);
}
END_TEST

START_TEST(too_many_points_are_refused)
{
    enum { VALUES = 200 };
    char *values[VALUES], value[] = "1";
    for (int i = 0; i < VALUES; i++)
        values[i] = value;
    struct scenario_axis many[9];
    for (int i = 0; i < 9; i++)
        many[i] = (struct scenario_axis){(char[]){"seed"}, values, VALUES, false};
    struct scenario_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(!scenario_points_create(many, 9, &points, &count, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_str_eq(error.message, "the axes span more than 1000000 points");
}
END_TEST

static const struct {
    const char *path, *value, *json;
} settings[] = {
    {"cluster.chips", "1.2e6", "{\"cluster.chips\":1200000}"},
    {"workload.parameters", "5000000000", "{\"workload.parameters\":5e9}"},
    {"cluster.mfu", "40 %", "{\"cluster.mfu\":0.4}"},
    {"cluster.chip", "a40", "{\"cluster.chip\":\"a40\"}"},
    {"strategies.0.elastic", "true", "{\"strategies.0.elastic\":true}"},
    {"network.wan.bandwidth", "250 MB/s", "{\"network.wan.bandwidth\":\"2 Gbit/s\"}"},
    {"failures.chip.mtbi", "8760 h", "{\"failures.chip.mtbi\":\"1 year\"}"},
    {"description", "'say \"hi\"'", "{\"description\":\"say \\\"hi\\\"\"}"},
    {"failures.chip.values", "[24 h, 60 s]", "{\"failures.chip.values\":\"[1 d, 1 min]\"}"},
};

START_TEST(a_setting_is_kept_as_a_number_or_with_its_unit)
{
    char path[64], value[64];
    strcpy(path, settings[_i].path);
    strcpy(value, settings[_i].value);
    struct scenario_setting setting = {path, value};
    char *json = scenario_point_json(&(struct scenario_point){&setting, 1});
    ck_assert_str_eq(json, settings[_i].json);
    free(json);
}
END_TEST

START_TEST(keys_are_sorted)
{
    struct scenario_setting unsorted[] = {{(char[]){"seed"}, (char[]){"3"}},
                                          {(char[]){"cluster.chips"}, (char[]){"1"}},
                                          {(char[]){"duration"}, (char[]){"1 d"}}};
    char *json = scenario_point_json(&(struct scenario_point){unsorted, 3});
    ck_assert_str_eq(json, "{\"cluster.chips\":1,\"duration\":\"1 d\",\"seed\":3}");
    free(json);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

static Suite *axis_suite(void)
{
    Suite *suite = suite_create("axis");
    TCase *reading = tcase_create("reading");
    tcase_add_loop_test(reading, an_axis_is_read_in_canonical_form, 0, COUNT(axes));
    tcase_add_test(reading, axes_joined_by_a_plus_move_together);
    tcase_add_loop_test(reading, a_wrong_axis_is_refused_at_its_place, 0, COUNT(refusals));
    suite_add_tcase(suite, reading);

    TCase *points = tcase_create("points");
    tcase_add_test(points, no_axes_span_one_empty_point);
    tcase_add_test(points, the_last_axis_is_the_fastest);
    tcase_add_test(points, locked_axes_move_with_the_one_before);
    tcase_add_test(points, too_many_points_are_refused);
    tcase_add_loop_test(points, a_setting_is_kept_as_a_number_or_with_its_unit, 0, COUNT(settings));
    tcase_add_test(points, keys_are_sorted);
    suite_add_tcase(suite, points);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(axis_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
