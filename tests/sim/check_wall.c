#include "sim/wall.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

START_TEST(it_never_goes_back)
{
    double before = sim_wall_seconds();
    for (int i = 0; i < 1000; i++) {
        double now = sim_wall_seconds();
        ck_assert_double_ge(now, before);
        before = now;
    }
}
END_TEST

static double seconds_of(struct timespec time)
{
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

START_TEST(what_is_to_come_lies_as_far_ahead_as_asked)
{
    static const long ahead[] = {0, 1, 999, 1000, 86400000};
    for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        double before = sim_wall_seconds();
        struct timespec then = sim_wall_in(ahead[i]);
        double after = sim_wall_seconds();
        ck_assert_int_ge(then.tv_nsec, 0);
        ck_assert_int_lt(then.tv_nsec, 1000000000);
        ck_assert_double_ge(seconds_of(then), before + 1e-3 * (double)ahead[i] - 1e-6);
        ck_assert_double_le(seconds_of(then), after + 1e-3 * (double)ahead[i] + 1e-6);
    }
}
END_TEST

START_TEST(a_condition_waits_by_this_clock)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    sim_wall_condition(&condition);
    double before = sim_wall_seconds();
    struct timespec then = sim_wall_in(20);
    int came = 0; /* unless it woke up for nothing */
    pthread_mutex_lock(&lock);
    while (came == 0)
        came = pthread_cond_timedwait(&condition, &lock, &then);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&condition);
    ck_assert_int_eq(came, ETIMEDOUT);
    ck_assert_double_ge(sim_wall_seconds() - before, 0.02 - 1e-6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wall time");
    TCase *tests = tcase_create("wall time");
    tcase_add_test(tests, it_never_goes_back);
    tcase_add_test(tests, what_is_to_come_lies_as_far_ahead_as_asked);
    tcase_add_test(tests, a_condition_waits_by_this_clock);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
