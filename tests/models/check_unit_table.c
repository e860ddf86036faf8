#include "models/failures/unit_table.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>

enum { UNITS = 3000 };

/* Against a plain array, through many growths; numbers as far apart as they come. */
START_TEST(test_like_an_array)
{
    static const int64_t strides[] = {1, 64, 65536, 4294967296, 1000003};
    struct unit_table table = {0};
    uint64_t *marks = calloc(UNITS, sizeof *marks);
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 0, (uint64_t)_i);
    for (int i = 0; i < 10 * UNITS; i++) {
        int64_t k = (int64_t)sim_stream_below(&stream, UNITS);
        struct unit *unit = unit_table_get(&table, k * strides[_i]);
        ck_assert(unit->number == k * strides[_i] && unit->mark == marks[k] &&
                  unit->events == (uint32_t)marks[k] && unit->away == (marks[k] % 2 == 1));
        marks[k]++;
        unit->mark++;
        unit->events++;
        unit->away = !unit->away;
    }
    size_t used = 0;
    for (int64_t k = 0; k < UNITS; k++)
        used += marks[k] > 0;
    ck_assert_uint_eq(table.used, used);
    ck_assert_uint_le(table.capacity, 8 * used);
    unit_table_free(&table);
    free(marks);
}
END_TEST

/* A record that is there is found without a growth, and so never fails. */
START_TEST(test_finding_does_not_grow)
{
    struct unit_table table = {0};
    int64_t units = 0;
    do
        unit_table_get(&table, units++);
    while (2 * (table.used + 1) <= table.capacity);
    size_t capacity = table.capacity;
    for (int64_t i = 0; i < units; i++)
        ck_assert_int_eq(unit_table_get(&table, i)->number, i);
    ck_assert_uint_eq(table.capacity, capacity);
    unit_table_get(&table, units);
    ck_assert_uint_gt(table.capacity, capacity);
    unit_table_free(&table);
}
END_TEST

START_TEST(test_freed_is_empty)
{
    struct unit_table table = {0};
    unit_table_get(&table, 7)->mark = 5;
    unit_table_free(&table);
    ck_assert_uint_eq(table.used, 0);
    ck_assert_uint_eq(unit_table_get(&table, 7)->mark, 0);
    unit_table_free(&table);
    unit_table_free(&table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unit table");
    TCase *tests = tcase_create("unit table");
    tcase_add_loop_test(tests, test_like_an_array, 0, 5);
    tcase_add_test(tests, test_finding_does_not_grow);
    tcase_add_test(tests, test_freed_is_empty);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
