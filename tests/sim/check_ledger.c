/*
 * The ledger: nothing is lost, whatever is charged and moved, up to 10⁹ units for a century.
 */
#include "sim/ledger.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>

static const int64_t units = 1000000000;
static const sim_time century = INT64_C(36500) * 86400 * SIM_SECOND;

START_TEST(an_empty_ledger_has_no_shares)
{
    struct sim_ledger ledger;
    sim_ledger_reset(&ledger);
    ck_assert(sim_ledger_total(&ledger) == 0);
    ck_assert_double_eq(sim_ledger_share(&ledger, 0), 0);
}
END_TEST

START_TEST(charges_beyond_64_bits_are_exact)
{
    struct sim_ledger ledger;
    sim_ledger_reset(&ledger);
    sim_ledger_charge(&ledger, 3, units, century);
    sim_ledger_charge(&ledger, 3, 1, 1);
    struct sim_unit_seconds split = sim_amount_split(ledger.amount[3]);
    ck_assert_int_eq(split.seconds, units * 36500 * 86400);
    ck_assert_int_eq(split.nanoseconds, 1);
    ck_assert_double_eq(sim_amount_to_seconds(ledger.amount[3]), 3.1536e18);
}
END_TEST

/* The century is cut into pieces of any length, each charged to any category unit group by unit group,
 * and amounts are moved about between. */
START_TEST(categories_sum_to_units_times_elapsed)
{
    struct sim_ledger ledger;
    struct sim_stream stream;
    sim_ledger_reset(&ledger);
    sim_stream_open(&stream, (uint64_t)_i, 0, 0, 0);
    for (sim_time now = 0, next; now < century; now = next) {
        next = now + 1 + (sim_time)sim_stream_below(&stream, century / 1000);
        next = next < century ? next : century;
        for (int64_t charged = 0, some; charged < units; charged += some) {
            some = 1 + (int64_t)sim_stream_below(&stream, (uint64_t)(units - charged));
            sim_ledger_charge(&ledger, (int)sim_stream_below(&stream, SIM_LEDGER_CATEGORIES), some,
                              next - now);
        }
        int from = (int)sim_stream_below(&stream, SIM_LEDGER_CATEGORIES);
        sim_amount part = ledger.amount[from] / (sim_amount)(1 + sim_stream_below(&stream, 10));
        sim_ledger_move(&ledger, from, (int)sim_stream_below(&stream, SIM_LEDGER_CATEGORIES), part);
    }
    ck_assert(sim_ledger_total(&ledger) == (sim_amount)units * century);
    double shares = 0;
    for (int i = 0; i < SIM_LEDGER_CATEGORIES; i++) {
        ck_assert(ledger.amount[i] >= 0);
        shares += sim_ledger_share(&ledger, i);
    }
    ck_assert_double_eq_tol(shares, 1, 1e-14);
}
END_TEST

START_TEST(a_move_takes_what_it_gives)
{
    struct sim_ledger ledger;
    sim_ledger_reset(&ledger);
    sim_ledger_charge(&ledger, 0, 4, 10);
    sim_ledger_move(&ledger, 0, 31, 30);
    sim_ledger_move(&ledger, 31, 31, 30);
    ck_assert(ledger.amount[0] == 10 && ledger.amount[31] == 30);
    ck_assert_double_eq(sim_ledger_share(&ledger, 31), 0.75);
    sim_ledger_reset(&ledger);
    ck_assert(sim_ledger_total(&ledger) == 0);
}
END_TEST

START_TEST(amounts_split_into_seconds_and_the_rest)
{
    static const struct {
        int64_t amount, seconds, nanoseconds;
    } splits[] = {
        {0, 0, 0}, {999999999, 0, 999999999}, {1000000000, 1, 0}, {INT64_MAX, 9223372036, 854775807}};
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        struct sim_unit_seconds split = sim_amount_split(splits[i].amount);
        ck_assert_int_eq(split.seconds, splits[i].seconds);
        ck_assert_int_eq(split.nanoseconds, splits[i].nanoseconds);
    }
}
END_TEST

static Suite *ledger_suite(void)
{
    Suite *suite = suite_create("ledger");
    TCase *sums = tcase_create("sums");
    tcase_add_test(sums, an_empty_ledger_has_no_shares);
    tcase_add_test(sums, charges_beyond_64_bits_are_exact);
    tcase_add_loop_test(sums, categories_sum_to_units_times_elapsed, 0, 5);
    tcase_add_test(sums, a_move_takes_what_it_gives);
    tcase_add_test(sums, amounts_split_into_seconds_and_the_rest);
    suite_add_tcase(suite, sums);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(ledger_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
