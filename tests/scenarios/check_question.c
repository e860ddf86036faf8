/*
 * Questions of the command line, and the values that a search tries.
 */
#include "scenarios/question.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *vary, *until, *grid;
    struct scenario_search search;
    struct scenario_target target;
} questions[] = {
    {"network.wan.bandwidth=0.1..1000 Gbit/s",
     "compute_utilization>=0.95",
     NULL,
     {(char[]){"network.wan.bandwidth"}, PARAMETER_REAL, DIMENSION_DATA_RATE, 1e8, 1e12, 0, false},
     {(char[]){"compute_utilization"}, true, 0.95}},
    {"network.sites.*.uplink=100 Mbit/s .. 1 Gbit/s",
     " goodput <= 5 %",
     NULL,
     {(char[]){"network.sites.*.uplink"}, PARAMETER_REAL, DIMENSION_DATA_RATE, 1e8, 1e9, 0, false},
     {(char[]){"goodput"}, false, 0.05}},
    {"cluster.chips=64..1e6",
     "mtbf>=2 h",
     NULL,
     {(char[]){"cluster.chips"}, PARAMETER_INTEGER, DIMENSION_NONE, 64, 1e6, 0, false},
     {(char[]){"mtbf"}, true, 7200}},
    {"strategies.a.timeout",
     "share:down<=0.1",
     "1..9 s, 5 points",
     {(char[]){"strategies.a.timeout"}, PARAMETER_TIME, DIMENSION_TIME, 1, 9, 5, false},
     {(char[]){"share:down"}, false, 0.1}},
    {"cluster.chips",
     "goodput>=0.1",
     "1..18 step 4",
     {(char[]){"cluster.chips"}, PARAMETER_INTEGER, DIMENSION_NONE, 1, 17, 5, false},
     {(char[]){"goodput"}, true, 0.1}},
};

START_TEST(a_question_is_read)
{
    struct error error = {.kind = ERROR_NONE};
    struct scenario_question *question =
        scenario_question_create(questions[_i].vary, questions[_i].until, questions[_i].grid, &error);
    ck_assert_msg(question != NULL, "%s", error.message);
    const struct scenario_search *wanted = &questions[_i].search, *search = &question->search;
    ck_assert_str_eq(search->path, wanted->path);
    ck_assert_int_eq(search->type, wanted->type);
    ck_assert_int_eq(search->dimension, wanted->dimension);
    ck_assert_double_eq(search->low, wanted->low);
    ck_assert_double_eq(search->high, wanted->high);
    ck_assert_int_eq(search->points, wanted->points);
    ck_assert_int_eq(search->logarithmic, wanted->logarithmic);
    ck_assert_str_eq(question->target.metric, questions[_i].target.metric);
    ck_assert_int_eq(question->target.at_least, questions[_i].target.at_least);
    ck_assert_double_eq(question->target.value, questions[_i].target.value);
    scenario_question_destroy(question);
}
END_TEST

static const struct {
    const char *vary, *until, *grid, *message;
} refusals[] = {
    {"duration", "goodput>=1", NULL, "--vary: expected PATH=LO..HI\n    duration\n    ^"},
    {"duration=1 d", "goodput>=1", NULL,
     "--vary: expected LO..HI, such as \"1..100\", with the field's unit\n    duration=1 d\n             ^"},
    {"duration=1..2", "goodput>=1", NULL,
     "--vary: 1 has no unit; expected a time such as \"30 s\"\n    duration=1..2\n             ^"},
    {"duration=2..1 d", "goodput>=1", NULL,
     "--vary: the lower end is not below the upper one\n    duration=2..1 d\n             ^"},
    {"durations=1..2 d", "goodput>=1", NULL,
     "--vary: no field is called \"durations\"; did you mean \"duration\"?\n    durations=1..2 d\n    ^"},
    {"duration=1..2 d", "goodput", NULL,
     "--until: expected METRIC>=VALUE or METRIC<=VALUE, such as \"goodput>=0.9\"\n    goodput\n    ^"},
    {"duration=1..2 d", "goodput>=", NULL, "--until: has no value; expected a number\n"},
    {"duration=1..2 d", "uptime<=95", NULL,
     "--until: must be at least 0 and at most 1, not \"95\"; did you mean \"95 %\"?\n    uptime<=95\n    ^"},
    {"duration", "goodput>=1", "1..2 d",
     "--grid: expected \"1..16 step 5\", \"0..1, 11 points\" or \"log 0.1..1000 Gbit/s, 50 points\", with "
     "the "
     "field's unit\n    1..2 d\n    ^"},
    {"duration", "goodput>=1", "1..2 d, 5 point",
     "--grid: expected \"1..16 step 5\", \"0..1, 11 points\" or \"log 0.1..1000 Gbit/s, 50 points\""},
    {"duration=1..2 d", "goodput>=1", "1..2 d, 5 points",
     "--vary: a grid and a range exclude each other; leave the range out\n"},
};

START_TEST(a_wrong_question_is_refused_at_its_place)
{
    struct error error = {.kind = ERROR_NONE};
    ck_assert_ptr_null(
        scenario_question_create(refusals[_i].vary, refusals[_i].until, refusals[_i].grid, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strncmp(error.message, refusals[_i].message, strlen(refusals[_i].message)) == 0, "%s",
                  error.message);
}
END_TEST

static void expect_text(const struct scenario_search *search, double value, const char *wanted)
{
    char *text = scenario_search_text(search, value);
    ck_assert_str_eq(text, wanted);
    free(text);
}

START_TEST(values_are_written_as_scenarios_have_them)
{
    expect_text(&(struct scenario_search){.dimension = DIMENSION_DATA_RATE}, 1.9e9, "1.9 Gbit/s");
    expect_text(&(struct scenario_search){.type = PARAMETER_INTEGER}, 1200000, "1200000");
    expect_text(&(struct scenario_search){.type = PARAMETER_TIME, .dimension = DIMENSION_TIME}, 5400,
                "90 min");
    expect_text(&(struct scenario_search){.dimension = DIMENSION_NONE}, 0.5, "0.5");
}
END_TEST

START_TEST(grids_are_even_or_logarithmic)
{
    const struct scenario_search even = {.low = 1, .high = 9, .points = 5};
    const struct scenario_search logarithmic = {.low = 1e8, .high = 1e12, .points = 50, .logarithmic = true};
    const struct scenario_search whole = {.low = 1, .high = 4, .points = 3, .type = PARAMETER_INTEGER};
    ck_assert_double_eq(scenario_search_point(&even, 1), 3);
    ck_assert_double_eq(scenario_search_point(&logarithmic, 0), 1e8);
    ck_assert_double_eq_tol(scenario_search_point(&logarithmic, 18), 2.9470517e9, 100);
    ck_assert_double_eq_tol(scenario_search_point(&logarithmic, 49), 1e12, 1);
    ck_assert_double_eq(scenario_search_point(&whole, 1), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("question");
    TCase *question = tcase_create("question");
    tcase_add_loop_test(question, a_question_is_read, 0, sizeof questions / sizeof *questions);
    tcase_add_loop_test(question, a_wrong_question_is_refused_at_its_place, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_test(question, values_are_written_as_scenarios_have_them);
    tcase_add_test(question, grids_are_even_or_logarithmic);
    suite_add_tcase(suite, question);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
