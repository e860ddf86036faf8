#include "models/training/fragments.h"
#include <check.h>
#include <stdlib.h>

enum { LONGEST = 30 };

/* Fragment p is due at the steps floor(p·H/P) + k·H, from 1 on. */
static int64_t due_by_search(const struct fragment_schedule *schedule, int64_t t)
{
    for (int64_t p = 0; p < schedule->fragments; p++)
        if ((t - p * schedule->inner_steps / schedule->fragments) % schedule->inner_steps == 0)
            return p;
    return -1;
}

static void assert_like_search(const struct fragment_schedule *schedule, int64_t steps)
{
    int64_t last = 0;
    for (int64_t t = 1; t <= steps; t++) {
        int64_t next = t + 1;
        while (due_by_search(schedule, next) < 0)
            next++;
        if (due_by_search(schedule, t) >= 0)
            last = t;
        ck_assert_msg(fragment_due(schedule, t) == due_by_search(schedule, t) &&
                          fragment_last_due(schedule, t) == last && fragment_next_due(schedule, t) == next,
                      "step %d of H = %d, P = %d", (int)t, (int)schedule->inner_steps,
                      (int)schedule->fragments);
    }
}

START_TEST(test_like_a_search)
{
    for (int64_t inner_steps = 1; inner_steps <= LONGEST; inner_steps++)
        for (int64_t fragments = 1; fragments <= inner_steps; fragments++) {
            struct fragment_schedule schedule = {inner_steps, fragments};
            assert_like_search(&schedule, 3 * inner_steps + 2);
        }
}
END_TEST

/* In any H steps each fragment is due once, evenly spread; fragment 0 ends the round, so that one fragment
 * alone is synchronised every H steps, as in DiLoCo. */
START_TEST(test_each_fragment_once_in_h_steps)
{
    for (int64_t inner_steps = 1; inner_steps <= LONGEST; inner_steps++)
        for (int64_t fragments = 1; fragments <= inner_steps; fragments++) {
            struct fragment_schedule schedule = {inner_steps, fragments};
            int64_t expected = 1, t = fragment_next_due(&schedule, 0);
            for (; t <= 2 * inner_steps; t = fragment_next_due(&schedule, t)) {
                int64_t gap = fragment_next_due(&schedule, t) - t, least = inner_steps / fragments;
                ck_assert_int_eq(fragment_due(&schedule, t), expected % fragments);
                ck_assert(gap == least || gap == least + 1);
                expected++;
            }
            ck_assert_int_eq(expected, 2 * fragments + 1);
            ck_assert_int_eq(fragment_due(&schedule, inner_steps), 0);
        }
}
END_TEST

START_TEST(test_before_the_first_step)
{
    struct fragment_schedule schedule = {24, 24};
    ck_assert_int_eq(fragment_last_due(&schedule, 0), 0);
    ck_assert_int_eq(fragment_last_due(&schedule, -100), 0);
    ck_assert_int_eq(fragment_next_due(&schedule, 0), 1);
    schedule.fragments = 1;
    ck_assert_int_eq(fragment_last_due(&schedule, 23), 0);
    ck_assert_int_eq(fragment_next_due(&schedule, 0), 24);
}
END_TEST

START_TEST(test_largest_bounds)
{
    struct fragment_schedule schedule = {1000000000, 1000000};
    int64_t t = INT64_C(4000000000) + 999999000; /* the last fragment's */
    ck_assert_int_eq(fragment_due(&schedule, t), 999999);
    ck_assert_int_eq(fragment_due(&schedule, t + 1), -1);
    ck_assert_int_eq(fragment_last_due(&schedule, t + 999), t);
    ck_assert_int_eq(fragment_next_due(&schedule, t), INT64_C(5000000000));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fragments");
    TCase *tests = tcase_create("fragments");
    tcase_add_test(tests, test_like_a_search);
    tcase_add_test(tests, test_each_fragment_once_in_h_steps);
    tcase_add_test(tests, test_before_the_first_step);
    tcase_add_test(tests, test_largest_bounds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
