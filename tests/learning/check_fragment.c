/*
 * Fragmentation: against packings worked out by hand, and against the best of all packings.
 */
#include "models/learning/outer.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>

enum { MOST = 8 };

static void sized(size_t count, const size_t *sizes, struct tensor *tensors)
{
    for (size_t i = 0; i < count; i++)
        tensors[i] = (struct tensor){"t", TENSOR_MATRIX, 0, sizes[i], 1};
}

static void packs_to(size_t count, const size_t *sizes, int64_t fragments, const int32_t *wanted)
{
    struct tensor tensors[MOST] = {0};
    int32_t fragment_of[MOST];
    sized(count, sizes, tensors);
    fragment_tensors(tensors, count, fragments, fragment_of);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(fragment_of[i], wanted[i]);
}

/* 7 to fragment 0, 5 to 1, 4 to 1 (9), 3 to 0 (10), 1 to 1 (10). */
START_TEST(the_largest_goes_first_into_the_emptiest)
{
    packs_to(5, (size_t[]){3, 7, 1, 4, 5}, 2, (int32_t[]){0, 0, 1, 1, 1});
}
END_TEST

START_TEST(among_equals_the_first_goes_first)
{
    packs_to(5, (size_t[]){2, 2, 2, 2, 2}, 3, (int32_t[]){0, 1, 2, 0, 1});
}
END_TEST

START_TEST(one_fragment_holds_all)
{
    packs_to(3, (size_t[]){1, 5, 2}, 1, (int32_t[]){0, 0, 0});
}
END_TEST

START_TEST(spare_fragments_stay_empty)
{
    packs_to(3, (size_t[]){1, 5, 2}, 6, (int32_t[]){2, 0, 1});
    packs_to(0, NULL, 6, NULL);
}
END_TEST

START_TEST(a_size_is_rows_times_columns)
{
    const struct tensor tensors[] = {{"long", TENSOR_VECTOR, 0, 11, 1},
                                     {"square", TENSOR_MATRIX, 11, 4, 4},
                                     {"wide", TENSOR_EMBEDDING, 27, 2, 7}};
    int32_t fragment_of[3];
    fragment_tensors(tensors, 3, 3, fragment_of);
    ck_assert_int_eq(fragment_of[0], 2);
    ck_assert_int_eq(fragment_of[1], 0);
    ck_assert_int_eq(fragment_of[2], 1);
}
END_TEST

static size_t fullest(size_t count, const struct tensor *tensors, int64_t fragments,
                      const int32_t *fragment_of)
{
    size_t loads[MOST] = {0}, most = 0;
    for (size_t i = 0; i < count; i++) {
        ck_assert(fragment_of[i] >= 0 && fragment_of[i] < fragments);
        loads[fragment_of[i]] += tensors[i].rows * tensors[i].columns;
    }
    for (int64_t fragment = 0; fragment < fragments; fragment++)
        if (loads[fragment] > most)
            most = loads[fragment];
    return most;
}

/* Tries every packing. */
static size_t optimum(size_t count, const struct tensor *tensors, int64_t fragments)
{
    size_t best = SIZE_MAX, packings = 1;
    for (size_t i = 0; i < count; i++)
        packings *= (size_t)fragments;
    for (size_t packing = 0; packing < packings; packing++) {
        int32_t fragment_of[MOST];
        size_t rest = packing;
        for (size_t i = 0; i < count; i++, rest /= (size_t)fragments)
            fragment_of[i] = (int32_t)(rest % (size_t)fragments);
        const size_t most = fullest(count, tensors, fragments, fragment_of);
        best = most < best ? most : best;
    }
    return best;
}

/* Graham's bound: 4/3 − 1/(3·fragments) of the optimum. */
START_TEST(packings_are_near_the_best)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 9, 0, 0, 0);
    for (int trial = 0; trial < 200; trial++) {
        const size_t count = 1 + sim_stream_below(&stream, MOST);
        const int64_t fragments = 1 + (int64_t)sim_stream_below(&stream, 3);
        size_t sizes[MOST];
        struct tensor tensors[MOST];
        int32_t fragment_of[MOST];
        for (size_t i = 0; i < count; i++)
            sizes[i] = 1 + sim_stream_below(&stream, 30);
        sized(count, sizes, tensors);
        fragment_tensors(tensors, count, fragments, fragment_of);
        const size_t got = fullest(count, tensors, fragments, fragment_of);
        const size_t best = optimum(count, tensors, fragments);
        ck_assert_uint_ge(got, best);
        ck_assert_uint_le(got * 3 * (size_t)fragments, best * (4 * (size_t)fragments - 1));
    }
}
END_TEST

static Suite *fragment_suite(void)
{
    Suite *suite = suite_create("fragment");
    TCase *packings = tcase_create("packings");
    tcase_add_test(packings, the_largest_goes_first_into_the_emptiest);
    tcase_add_test(packings, among_equals_the_first_goes_first);
    tcase_add_test(packings, one_fragment_holds_all);
    tcase_add_test(packings, spare_fragments_stay_empty);
    tcase_add_test(packings, a_size_is_rows_times_columns);
    tcase_add_test(packings, packings_are_near_the_best);
    suite_add_tcase(suite, packings);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(fragment_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
