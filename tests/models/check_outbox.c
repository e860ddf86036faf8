/*
 * Messages of an outbox over a link of 1 Gbit/s with a latency of half a second, without sites.
 */
#include "models/training/outbox.h"
#include <check.h>
#include <stdlib.h>

enum { MOST = 16 };

static struct sim_engine *engine;
static struct traffic *traffic;
static struct outbox *outbox;
static int64_t numbers[MOST];
static double times[MOST];
static size_t count;

static void note(void *context, int64_t number)
{
    ck_assert_ptr_eq(context, numbers);
    numbers[count] = number;
    times[count++] = sim_time_to_seconds(sim_engine_now(engine));
}

static void set_up(void)
{
    static struct network_config network;
    network = (struct network_config){
        .wan_bandwidth = 1e9, .wan_latency = SIM_SECOND / 2, .connections = 1, .between.bandwidth = NAN};
    engine = sim_engine_create(NULL);
    traffic = traffic_create(engine, &network, 3, 1, 0, NULL);
    outbox = outbox_create(traffic, note, numbers);
    count = 0;
    ck_assert_ptr_nonnull(outbox);
}

static void tear_down(void)
{
    outbox_destroy(outbox);
    traffic_destroy(traffic);
    sim_engine_destroy(engine);
}

static void run(double until)
{
    ck_assert(sim_engine_run(engine, sim_time_from_seconds(until), NULL));
}

static void assert_next(size_t i, int64_t number, double time)
{
    ck_assert_uint_gt(count, i);
    ck_assert_int_eq(numbers[i], number);
    ck_assert_double_eq_tol(times[i], time, 1e-8);
}

START_TEST(test_one_after_another)
{
    outbox_send(outbox, 0, 1, 2e9, 7);
    outbox_send(outbox, 0, 2, 1e9, 8);
    outbox_send(outbox, 0, TRAFFIC_SYNCER, 0, 9);
    ck_assert_uint_eq(outbox_count(outbox), 3);
    run(100);
    assert_next(0, 7, 2.5);
    assert_next(1, 8, 3.5);
    assert_next(2, 9, 3.5);
    ck_assert_uint_eq(outbox_count(outbox), 0);
    ck_assert_double_eq(traffic_bits(traffic), 3e9);
}
END_TEST

/* What needs no sending waits for what was sent before it. */
START_TEST(test_what_came_otherwise_keeps_its_turn)
{
    outbox_note(outbox, 1);
    assert_next(0, 1, 0);
    outbox_send(outbox, 0, 1, 1e9, 2);
    outbox_note(outbox, 3);
    outbox_send(outbox, 0, 1, 1e9, 4);
    ck_assert_uint_eq(count, 1);
    run(100);
    assert_next(1, 2, 1.5);
    assert_next(2, 3, 1.5);
    assert_next(3, 4, 2.5);
}
END_TEST

/* The one that is leaving is taken back after a second; the next leaves in its place. */
START_TEST(test_withdrawn)
{
    outbox_send(outbox, 0, 1, 4e9, 1);
    outbox_note(outbox, 2);
    outbox_send(outbox, 0, 1, 1e9, 3);
    outbox_send(outbox, 0, 1, 1e9, 4);
    run(1);
    outbox_withdraw(outbox, 1);
    assert_next(0, 2, 1);
    outbox_withdraw(outbox, 4);
    outbox_withdraw(outbox, 99);
    run(100);
    assert_next(1, 3, 2.5);
    ck_assert_uint_eq(count, 2);
    ck_assert_double_eq(traffic_bits(traffic), 2e9);
}
END_TEST

START_TEST(test_superseded)
{
    outbox_send(outbox, 0, 1, 1e9, 1);
    outbox_send(outbox, 0, 1, 1e9, 2);
    outbox_send(outbox, 0, 1, 1e9, 3);
    outbox_supersede(outbox, 1); /* on its way */
    outbox_supersede(outbox, 2);
    run(100);
    assert_next(0, 1, 1.5);
    assert_next(1, 3, 2.5);
    ck_assert_uint_eq(count, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outbox");
    TCase *tests = tcase_create("outbox");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_one_after_another);
    tcase_add_test(tests, test_what_came_otherwise_keeps_its_turn);
    tcase_add_test(tests, test_withdrawn);
    tcase_add_test(tests, test_superseded);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
