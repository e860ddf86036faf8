#include "models/training/matching.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, ROUNDS = 20000 };

static void draw(int64_t round, int64_t number, int64_t learners, int32_t *partner)
{
    int32_t scratch[MOST];
    matching_draw(5, 3, round, number, learners, partner, scratch);
}

START_TEST(test_everybody_has_one_partner)
{
    int32_t partner[MOST];
    for (int64_t learners = 1; learners <= MOST; learners++)
        for (int64_t round = 0; round < 20; round++) {
            int64_t alone = 0;
            draw(round, round % 2, learners, partner);
            for (int32_t i = 0; i < learners; i++) {
                alone += partner[i] == -1;
                if (partner[i] == -1)
                    continue;
                ck_assert(partner[i] >= 0 && partner[i] < learners && partner[i] != i &&
                          partner[partner[i]] == i);
            }
            ck_assert_int_eq(alone, learners % 2);
        }
}
END_TEST

/* Pairs of eight learners, and of seven with the eighth place for being alone. */
START_TEST(test_all_pairs_are_as_likely)
{
    int32_t partner[MOST];
    int64_t learners = 7 + _i;
    uint64_t counts[28] = {0};
    for (int64_t round = 0; round < ROUNDS; round++) {
        draw(round, 0, learners, partner);
        size_t pair = 0;
        for (int32_t i = 0; i < 8; i++)
            for (int32_t j = i + 1; j < 8; j++, pair++)
                counts[pair] += j < learners ? partner[i] == j : partner[i] == -1;
    }
    /* Pairs of a matching exclude one another, which leaves less spread than independent counts have. */
    ck_assert_double_lt(fabs(chi_square_sigmas(counts, 28)), SIGMAS);
    for (size_t pair = 0; pair < 28; pair++)
        ck_assert_double_eq_tol((double)counts[pair], ROUNDS / 7.0, SIGMAS * sqrt(ROUNDS * 6.0 / 49));
}
END_TEST

/* A round's two matchings are two draws: the same pair with the chance of any, 1/(n−1). */
START_TEST(test_two_matchings_are_independent)
{
    int32_t first[MOST], second[MOST];
    int64_t same = 0;
    for (int64_t round = 0; round < ROUNDS; round++) {
        draw(round, 0, 8, first);
        draw(round, 1, 8, second);
        same += first[0] == second[0];
        draw(round + 1, 0, 8, second);
        same += first[0] == second[0];
    }
    double n = 2 * ROUNDS, p = 1.0 / 7;
    ck_assert_double_eq_tol((double)same, n * p, SIGMAS * sqrt(n * p * (1 - p)));
}
END_TEST

static void assert_differs(const int32_t *partner, uint64_t seed, uint32_t replication, int64_t round)
{
    int32_t other[MOST], scratch[MOST];
    matching_draw(seed, replication, round, 0, MOST, other, scratch);
    ck_assert_int_ne(memcmp(partner, other, sizeof other), 0);
}

/* It depends on seed, replication and round, and not on what was drawn before. */
START_TEST(test_a_function_of_the_round)
{
    int32_t partner[MOST], again[MOST], other[MOST];
    draw(1000, 0, MOST, partner);
    for (int64_t round = 0; round < 10; round++)
        draw(round, 1, MOST, other);
    draw(1000, 0, MOST, again);
    ck_assert_int_eq(memcmp(partner, again, sizeof again), 0);
    assert_differs(partner, 6, 3, 1000);
    assert_differs(partner, 5, 4, 1000);
    assert_differs(partner, 5, 3, 1001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matching");
    TCase *tests = tcase_create("matching");
    tcase_add_test(tests, test_everybody_has_one_partner);
    tcase_add_loop_test(tests, test_all_pairs_are_as_likely, 0, 2);
    tcase_add_test(tests, test_two_matchings_are_independent);
    tcase_add_test(tests, test_a_function_of_the_round);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
