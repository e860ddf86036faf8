#include "models/training/topology.h"

#include <check.h>
#include <stdlib.h>

enum { MOST = 40 };

/* How often OTHER is among the partners of LEARNER. */
static int times_met(int64_t topology, int64_t learners, int64_t learner, int64_t other)
{
    int times = 0;
    for (int64_t k = 0; k < topology_degree(topology, learners, 1); k++)
        times += topology_partner(topology, learners, learner, k) == other;
    return times;
}

START_TEST(test_partners_are_others_met_once_and_meet_back)
{
    for (int64_t learners = 1; learners <= MOST; learners++)
        for (int64_t i = 0; i < learners; i++)
            for (int64_t k = 0; k < topology_degree(_i, learners, 1); k++) {
                int64_t partner = topology_partner(_i, learners, i, k);
                ck_assert(partner >= 0 && partner < learners && partner != i);
                ck_assert_int_eq(times_met(_i, learners, i, partner), 1);
                ck_assert_int_eq(times_met(_i, learners, partner, i), 1);
                int64_t mirror = topology_mirror(_i, learners, i, k);
                ck_assert_int_eq(topology_partner(_i, learners, partner, mirror), i);
                ck_assert(mirror >= 0 && mirror < topology_degree(_i, learners, 1));
            }
}
END_TEST

START_TEST(test_degrees)
{
    ck_assert_int_eq(topology_degree(TOPOLOGY_MATCHING, 8, 2), 2);
    ck_assert_int_eq(topology_degree(TOPOLOGY_RING, 1, 1), 0);
    ck_assert_int_eq(topology_degree(TOPOLOGY_RING, 2, 1), 1);
    ck_assert_int_eq(topology_degree(TOPOLOGY_RING, 8, 1), 2);
    ck_assert_int_eq(topology_degree(TOPOLOGY_EXPONENTIAL, 8, 1), 5); /* ±1, ±2, 4 */
    ck_assert_int_eq(topology_degree(TOPOLOGY_EXPONENTIAL, 9, 1), 6); /* ±1, ±2, ±4 */
    ck_assert_int_eq(topology_degree(TOPOLOGY_COMPLETE, 8, 1), 7);
}
END_TEST

START_TEST(test_neighbours_on_a_ring_and_far_ones)
{
    ck_assert_int_eq(times_met(TOPOLOGY_RING, 8, 0, 1), 1);
    ck_assert_int_eq(times_met(TOPOLOGY_RING, 8, 0, 7), 1);
    ck_assert_int_eq(times_met(TOPOLOGY_EXPONENTIAL, 8, 0, 4), 1);
    ck_assert_int_eq(times_met(TOPOLOGY_EXPONENTIAL, 8, 0, 3), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology");
    TCase *tests = tcase_create("graphs");
    tcase_add_loop_test(tests, test_partners_are_others_met_once_and_meet_back, TOPOLOGY_RING,
                        TOPOLOGY_COMPLETE + 1);
    tcase_add_test(tests, test_degrees);
    tcase_add_test(tests, test_neighbours_on_a_ring_and_far_ones);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
