/*
 * Searches against functions whose roots are known, without a simulation: a table of tries is filled by what
 * the search asks for.
 */
#include "studies/search.h"

#include "scenarios/question.h"
#include <check.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double metric_function(double);

/* Steps of 5 s, a round of ten, 80 Gbit to send: utilisation of blocking DiLoCo over the bandwidth. */
static double utilisation(double bandwidth)
{
    return 50 / (50 + 8e10 / bandwidth);
}

static double falling(double value)
{
    return 1 / (1 + value);
}

static double stairs(double value)
{
    return floor(value / 100);
}

static double flat(double value)
{
    return value < 7.5 ? 0 : 1;
}

static double with_a_hole(double value)
{
    return value < 2 ? NAN : value;
}

static double straight(double value)
{
    return value;
}

static char share_metric[] = "goodput", other_metric[] = "steps";

static struct scenario_target at_least(double value)
{
    return (struct scenario_target){.metric = share_metric, .at_least = true, .value = value};
}

enum { MOST = 100 };

/* Lets the search ask FUNCTION until it ends; intervals are HALF wide either way, unless NAN. */
static struct search_state run(const struct scenario_search *search, const struct scenario_target *target,
                               double tolerance, metric_function *function, double half,
                               struct search_tries *tries)
{
    struct search_state state;
    *tries = (struct search_tries){0};
    while ((state = search_step(search, target, tolerance, tries)).status == SEARCH_GOES_ON) {
        ck_assert_uint_ge(state.next_count, 1);
        ck_assert_uint_lt(tries->count, MOST);
        for (size_t i = 0; i < state.next_count; i++) {
            double metric = function(search_value(search, state.next[i]));
            const struct search_try attempt = {state.next[i], metric, metric - half, metric + half};
            for (size_t j = 0; j < tries->count; j++)
                ck_assert_msg(tries->items[j].position != attempt.position, "%g is asked for twice",
                              attempt.position);
            ck_assert(search_add(tries, &attempt));
        }
    }
    return state;
}

static const struct {
    const char *name;
    struct scenario_search search;
    bool at_most;
    double target, tolerance;
    metric_function *function;
    double root;
    size_t most; /* tries */
} roots[] = {
    {"half", {.low = 1e6, .high = 1e14}, false, 0.5, 1e-3, utilisation, 1.6e9, 16},
    {"nearly all", {.low = 1e6, .high = 1e14}, false, 0.99, 1e-3, utilisation, 158.4e9, 24},
    {"finer", {.low = 1e8, .high = 1e12}, false, 0.95, 1e-5, utilisation, 30.4e9, 16},
    {"without a logarithm", {.low = 0, .high = 1e10}, false, 0.5, 1e-3, utilisation, 1.6e9, 16},
    {"falling", {.low = 0.01, .high = 100}, false, 0.2, 1e-3, falling, 4, 16},
    {"at most", {.low = 0.01, .high = 100}, true, 0.2, 1e-3, falling, 4, 16},
    {"a stair", {.low = 1, .high = 1e4}, false, 42, 1e-3, stairs, 4200, 60},
    {"a jump", {.low = 1, .high = 9}, false, 0.5, 1e-3, flat, 7.5, 40},
    {"an edge of what has a value", {.low = 1, .high = 9}, false, 0.5, 1e-3, with_a_hole, 2, 40},
    {"at an end's value", {.low = 1, .high = 9}, false, 1.001, 1e-2, straight, 1.001, 16},
};

START_TEST(a_known_root_is_found)
{
    const struct scenario_search *search = &roots[_i].search;
    struct scenario_target target = {
        .metric = share_metric, .at_least = !roots[_i].at_most, .value = roots[_i].target};
    struct search_tries tries;
    struct search_state state = run(search, &target, roots[_i].tolerance, roots[_i].function, NAN, &tries);
    ck_assert_msg(state.status == SEARCH_FOUND, "%s", roots[_i].name);
    double meets = search_value(search, state.meets->position);
    double misses = search_value(search, state.misses->position);
    double near = 1.1 * roots[_i].tolerance * roots[_i].root;
    ck_assert_msg(fabs(meets - roots[_i].root) <= near, "%s: %.9g for %.9g", roots[_i].name, meets,
                  roots[_i].root);
    ck_assert_msg(fabs(misses - roots[_i].root) <= near, "%s: %.9g for %.9g", roots[_i].name, misses,
                  roots[_i].root);
    ck_assert(search_meets(&target, roots[_i].function(meets)));
    ck_assert(!search_meets(&target, roots[_i].function(misses)));
    ck_assert(state.monotone);
    ck_assert_double_nan(state.between[0]);
    ck_assert_msg(tries.count <= roots[_i].most, "%s: %zu tries", roots[_i].name, tries.count);
    search_free(&tries);
}
END_TEST

START_TEST(the_answer_is_the_least_or_where_the_metric_falls_the_greatest)
{
    const struct scenario_search search = {.low = 1, .high = 1000, .type = PARAMETER_INTEGER};
    struct scenario_target target = at_least(3);
    struct search_tries tries;
    struct search_state state = run(&search, &target, 1e-3, stairs, NAN, &tries);
    ck_assert(!state.falling);
    ck_assert_double_eq(search_value(&search, state.meets->position), 300);
    ck_assert_double_eq(search_value(&search, state.misses->position), 299);
    ck_assert_uint_le(tries.count, 13);
    search_free(&tries);
    target = at_least(0.01); /* 1 / (1 + 99) */
    state = run(&search, &target, 1e-3, falling, NAN, &tries);
    ck_assert(state.falling);
    ck_assert_double_eq(search_value(&search, state.meets->position), 99);
    ck_assert_double_eq(search_value(&search, state.misses->position), 100);
    search_free(&tries);
}
END_TEST

/* What all values would have shown, from few of them. */
START_TEST(a_grid_is_bisected)
{
    const struct scenario_search search = {.low = 1e8, .high = 1e12, .points = 50, .logarithmic = true};
    for (int percent = 1; percent < 99; percent++) {
        struct scenario_target target = at_least(percent / 100.0);
        struct search_tries tries;
        struct search_state state = run(&search, &target, 1e-3, utilisation, NAN, &tries);
        int64_t first = 0;
        while (!search_meets(&target, utilisation(scenario_search_point(&search, first))))
            first++;
        if (first == 0) {
            ck_assert_int_eq(state.status, SEARCH_ALL_MEET);
        } else {
            ck_assert_int_eq(state.status, SEARCH_FOUND);
            ck_assert_double_eq(state.meets->position, (double)first);
            ck_assert_double_eq(state.misses->position, (double)(first - 1));
        }
        ck_assert_uint_le(tries.count, 8);
        search_free(&tries);
    }
}
END_TEST

START_TEST(ends_on_one_side_end_the_search)
{
    const struct scenario_search search = {.low = 1e9, .high = 1e11};
    struct scenario_target high = at_least(0.999), low = at_least(0.1);
    struct search_tries tries;
    struct search_state state = run(&search, &high, 1e-3, utilisation, NAN, &tries);
    ck_assert_int_eq(state.status, SEARCH_NONE_MEETS);
    ck_assert_double_eq(state.high->metric, utilisation(1e11));
    ck_assert_uint_eq(tries.count, 2);
    search_free(&tries);
    state = run(&search, &low, 1e-3, utilisation, NAN, &tries);
    ck_assert_int_eq(state.status, SEARCH_ALL_MEET);
    ck_assert_double_eq(state.low->metric, utilisation(1e9));
    search_free(&tries);
}
END_TEST

/* A straight line with intervals of 5 either way crosses the target 5 to either side of it. */
START_TEST(intervals_say_between_what_the_answer_lies)
{
    const struct scenario_search search = {.low = 1, .high = 1000, .type = PARAMETER_INTEGER};
    const struct scenario_search real = {.low = 0, .high = 1000};
    struct scenario_target target = at_least(499);
    struct search_tries tries;
    struct search_state state = run(&search, &target, 1e-3, straight, 5, &tries);
    ck_assert_double_eq(state.meets->position, 499);
    ck_assert_double_eq(state.between[0], 494);
    ck_assert_double_eq(state.between[1], 504);
    search_free(&tries);
    state = run(&search, &target, 1e-3, straight, 600, &tries);
    ck_assert_double_nan(state.between[0]); /* neither end is sure */
    ck_assert_double_nan(state.between[1]);
    search_free(&tries);
    target = (struct scenario_target){.metric = other_metric, .value = 499};
    state = run(&real, &target, 1e-3, straight, 5, &tries);
    ck_assert(state.falling);
    ck_assert_double_eq_tol(state.between[0], 494, 1e-9);
    ck_assert_double_eq_tol(state.between[1], 504, 1e-9);
    search_free(&tries);
}
END_TEST

/* Intervals far narrower than the tolerance: the answer is the value that meets the target, none before it.
 */
START_TEST(the_answer_is_among_those_it_lies_between)
{
    const struct scenario_search search = {.low = 0, .high = 1000};
    struct scenario_target target = at_least(300.3);
    struct search_tries tries;
    struct search_state state = run(&search, &target, 0.01, straight, 1e-6, &tries);
    ck_assert_double_ge(state.between[1], state.meets->position);
    ck_assert_double_le(state.between[0], state.meets->position);
    search_free(&tries);
    target = (struct scenario_target){.metric = other_metric, .value = 300.3};
    state = run(&search, &target, 0.01, straight, 1e-6, &tries);
    ck_assert(state.falling);
    ck_assert_double_le(state.between[0], state.meets->position);
    ck_assert_double_ge(state.between[1], state.meets->position);
    search_free(&tries);
}
END_TEST

static double with_a_dip(double value)
{
    return value > 400 && value < 600 ? 0 : value;
}

START_TEST(what_is_not_monotone_is_seen_where_it_was_tried)
{
    const struct scenario_search search = {.low = 0, .high = 1000, .points = 11};
    struct scenario_target target = at_least(300);
    struct search_tries tries;
    struct search_state state = run(&search, &target, 1e-3, with_a_dip, NAN, &tries);
    ck_assert_int_eq(state.status, SEARCH_FOUND);
    ck_assert_double_eq(state.meets->position, 6); /* 500 in the middle misses */
    ck_assert(state.monotone);
    ck_assert(search_add(&tries, &(struct search_try){3, 300, NAN, NAN}));
    ck_assert(search_add(&tries, &(struct search_try){2, 200, NAN, NAN}));
    state = search_step(&search, &target, 1e-3, &tries);
    ck_assert_double_eq(state.meets->position, 3); /* the least that is known to meet */
    ck_assert(!state.monotone);
    search_free(&tries);
}
END_TEST

static double with_a_bump(double value)
{
    return value > 750 && value < 850 ? 1000 : 1000 - value;
}

START_TEST(the_greatest_value_is_greater_than_all_that_are_known_to_meet)
{
    const struct scenario_search search = {.low = 0, .high = 1000, .points = 11};
    struct scenario_target target = at_least(500);
    struct search_tries tries;
    struct search_state state = run(&search, &target, 1e-3, with_a_bump, NAN, &tries);
    ck_assert_double_eq(state.meets->position, 5); /* 600 and 700 miss, and 800 was not tried */
    ck_assert(search_add(&tries, &(struct search_try){8, 1000, NAN, NAN}));
    ck_assert(search_add(&tries, &(struct search_try){9, 100, NAN, NAN}));
    state = search_step(&search, &target, 1e-3, &tries);
    ck_assert_double_eq(state.meets->position, 8);
    ck_assert(!state.monotone);
    search_free(&tries);
}
END_TEST

START_TEST(values_that_are_tried_can_be_read)
{
    const struct scenario_search search = {.low = 1.0 / 3, .high = 1e9};
    ck_assert_double_eq(search_value(&search, log(1.23456789e9 / 10)), 123457000);
    ck_assert_double_eq(search_value(&search, log(1.0 / 3)), 1.0 / 3); /* not below the range */
}
END_TEST

int main(void)
{
    gsl_set_error_handler_off();
    Suite *suite = suite_create("search");
    TCase *search = tcase_create("search");
    tcase_add_loop_test(search, a_known_root_is_found, 0, sizeof roots / sizeof *roots);
    tcase_add_test(search, the_answer_is_the_least_or_where_the_metric_falls_the_greatest);
    tcase_add_test(search, a_grid_is_bisected);
    tcase_add_test(search, ends_on_one_side_end_the_search);
    tcase_add_test(search, intervals_say_between_what_the_answer_lies);
    tcase_add_test(search, the_answer_is_among_those_it_lies_between);
    tcase_add_test(search, what_is_not_monotone_is_seen_where_it_was_tried);
    tcase_add_test(search, the_greatest_value_is_greater_than_all_that_are_known_to_meet);
    tcase_add_test(search, values_that_are_tried_can_be_read);
    suite_add_tcase(suite, search);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
