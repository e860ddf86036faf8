#include "models/network/flows.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static struct sim_engine *engine;
static struct flows *flows;

/* What a transfer told of itself. */
struct witness {
    sim_time left, arrived;
    int order;
    flows_name cancels; /* when it has left */
};

static int arrivals;

static void setup(void)
{
    engine = sim_engine_create(NULL);
    flows = flows_create(engine, 20, NULL);
    arrivals = 0;
    ck_assert(engine && flows);
}

static void teardown(void)
{
    ck_assert(!flows_failed(flows));
    flows_destroy(flows);
    sim_engine_destroy(engine);
}

static void note_left(struct sim_engine *at, void *context)
{
    struct witness *witness = context;
    witness->left = sim_engine_now(at);
    flows_cancel(flows, witness->cancels);
}

static void note_arrived(struct sim_engine *at, void *context)
{
    struct witness *witness = context;
    witness->arrived = sim_engine_now(at);
    witness->order = ++arrivals;
}

static flows_name send(const uint32_t *links, uint32_t count, uint64_t bits, sim_time latency,
                       struct witness *witness)
{
    *witness = (struct witness){.left = -1, .arrived = -1};
    flows_name name = flows_start(flows, &(struct flows_transfer){.links = links,
                                                                  .links_count = count,
                                                                  .bits = bits,
                                                                  .latency = latency,
                                                                  .left = note_left,
                                                                  .arrived = note_arrived,
                                                                  .context = witness});
    ck_assert_uint_ne(name, 0);
    return name;
}

static void run(sim_time end)
{
    ck_assert(sim_engine_run(engine, end, NULL));
}

START_TEST(test_latency_comes_after_the_last_bit)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, 1e9);
    send(&link, 1, 1000, 50, &witness);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.left, 1000);
    ck_assert_int_eq(witness.arrived, 1050);
    ck_assert_uint_eq(flows_count(flows), 0);
}
END_TEST

START_TEST(test_times_are_rounded_up)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, 3e9);
    send(&link, 1, 4, 0, &witness);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.arrived, 2);
}
END_TEST

START_TEST(test_latency_takes_no_capacity)
{
    struct witness first, second;
    uint32_t link = flows_add_link(flows, 1e9);
    send(&link, 1, 1000, SIM_SECOND, &first);
    run(1000);
    send(&link, 1, 1000, 0, &second);
    run(SIM_NEVER);
    ck_assert_int_eq(second.arrived, 2000);
    ck_assert_int_eq(first.arrived, SIM_SECOND + 1000);
}
END_TEST

START_TEST(test_nothing_to_send_or_nowhere_to_pass)
{
    struct witness empty, linkless;
    uint32_t link = flows_add_link(flows, 0);
    send(&link, 1, 0, 7, &empty);
    send(NULL, 0, 1000000, 9, &linkless);
    run(SIM_NEVER);
    ck_assert_int_eq(empty.left, 0);
    ck_assert_int_eq(empty.arrived, 7);
    ck_assert_int_eq(linkless.left, 0);
    ck_assert_int_eq(linkless.arrived, 9);
}
END_TEST

START_TEST(test_weights)
{
    struct witness witness[2];
    uint32_t link = flows_add_link(flows, 4e9);
    send(&link, 1, 4000, 0, &witness[0]);
    flows_start(flows, &(struct flows_transfer){.links = &link,
                                                .links_count = 1,
                                                .weight = 3,
                                                .bits = 3000,
                                                .arrived = note_arrived,
                                                .context = &witness[1]});
    run(SIM_NEVER);
    ck_assert_int_eq(witness[1].arrived, 1000);
    ck_assert_int_eq(witness[0].arrived, 1750);
}
END_TEST

START_TEST(test_a_stalled_transfer_has_no_event)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, 1e9);
    flows_name name = send(&link, 1, 1000, 5, &witness);
    run(400);
    flows_set_capacity(flows, link, 0);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.arrived, -1);
    ck_assert_int_eq(sim_engine_now(engine), 400);
    ck_assert_uint_eq(flows_sent(flows, name), 400);
    run(SIM_SECOND);
    ck_assert_double_eq(flows_rate(flows, name), 0);
    flows_set_capacity(flows, link, 2e9);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.left, SIM_SECOND + 300);
    ck_assert_int_eq(witness.arrived, SIM_SECOND + 305);
}
END_TEST

START_TEST(test_cancelled_bits_stay_in_the_traffic)
{
    struct witness gone, other;
    uint32_t link = flows_add_link(flows, 1e9);
    flows_name name = send(&link, 1, 1000, 5, &gone);
    send(&link, 1, 1000, 5, &other);
    run(601);
    ck_assert_uint_eq(flows_cancel(flows, name), 300);
    ck_assert_uint_eq(flows_cancel(flows, name), 0);
    run(SIM_NEVER);
    ck_assert_int_eq(gone.left, -1);
    ck_assert_int_eq(gone.arrived, -1);
    ck_assert_int_eq(other.arrived, 1301 + 5);
    ck_assert(flows_traffic(flows, link).bits == 1300);
    ck_assert_double_eq_tol(flows_traffic(flows, link).peak, 1e9, 1e-3);
}
END_TEST

START_TEST(test_cancel_on_the_way)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, 1e9);
    flows_name name = send(&link, 1, 1000, 500, &witness);
    run(1200);
    ck_assert_int_eq(witness.left, 1000);
    ck_assert_uint_eq(flows_sent(flows, name), 1000);
    ck_assert_uint_eq(flows_cancel(flows, name), 1000);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.arrived, -1);
    ck_assert_uint_eq(flows_count(flows), 0);
}
END_TEST

/* One that leaves takes back another that has left at the same instant, and whose turn has not come. */
START_TEST(test_cancel_among_those_that_leave_together)
{
    struct witness first, second;
    uint32_t link = flows_add_link(flows, 1e9);
    send(&link, 1, 1000, 0, &first);
    first.cancels = send(&link, 1, 1000, 0, &second);
    run(SIM_NEVER);
    ck_assert_int_eq(first.arrived, 2000);
    ck_assert_int_eq(second.left, -1);
    ck_assert(flows_traffic(flows, link).bits == 2000);
}
END_TEST

START_TEST(test_those_that_leave_together_do_so_in_order)
{
    struct witness witness[20];
    uint32_t link[2] = {flows_add_link(flows, 1e9), flows_add_link(flows, 1e9)};
    for (int i = 0; i < 20; i++)
        send(&link[i % 2], 1, 1000, 0, &witness[i]);
    run(SIM_NEVER);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(witness[i].arrived, 10000);
        ck_assert_int_eq(witness[i].order, i + 1);
    }
}
END_TEST

static void start_another(struct sim_engine *at, void *context)
{
    uint32_t link = 0;
    (void)at;
    if (++arrivals < 1000)
        flows_start(flows, &(struct flows_transfer){.links = &link,
                                                    .links_count = 1,
                                                    .bits = 100,
                                                    .latency = 10,
                                                    .arrived = start_another,
                                                    .context = context});
}

START_TEST(test_one_after_another)
{
    uint32_t link = flows_add_link(flows, 1e9);
    ck_assert_uint_eq(link, 0);
    start_another(engine, NULL);
    run(SIM_NEVER);
    ck_assert_int_eq(sim_engine_now(engine), 999 * 110);
    ck_assert(flows_traffic(flows, link).bits == 99900);
}
END_TEST

/* A millionth of a nanosecond is one, also on a link whose rate has not changed for long. */
START_TEST(test_less_than_a_nanosecond)
{
    struct witness first, second;
    uint32_t link = flows_add_link(flows, 1e15);
    send(&link, 1, 1, 0, &first);
    run(100);
    send(&link, 1, 1, 0, &second);
    run(SIM_NEVER);
    ck_assert_int_eq(first.arrived, 1);
    ck_assert_int_eq(second.arrived, 101);
}
END_TEST

/* A cap is no share: what it leaves goes to others. */
START_TEST(test_rate_cap)
{
    struct witness capped, other;
    uint32_t link = flows_add_link(flows, 10e9);
    flows_start(flows, &(struct flows_transfer){.links = &link,
                                                .links_count = 1,
                                                .bits = 1000,
                                                .rate_cap = 1e9,
                                                .arrived = note_arrived,
                                                .context = &capped});
    send(&link, 1, 9000, 0, &other);
    run(SIM_NEVER);
    ck_assert_int_eq(capped.arrived, 1000);
    ck_assert_int_eq(other.arrived, 1000);
}
END_TEST

/* An hour of changes, ten a second, of a link that shows nothing of them on average. */
START_TEST(test_a_capacity_that_changes_all_the_time)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, 1e9);
    send(&link, 1, UINT64_C(3600000000000), 0, &witness);
    for (int i = 0; i < 36000; i++) {
        run(i * SIM_SECOND / 10);
        flows_set_capacity(flows, link, i % 2 ? 1.7e9 : 0.3e9);
    }
    run(SIM_NEVER);
    ck_assert_int_eq(witness.arrived, 3600 * SIM_SECOND);
}
END_TEST

START_TEST(test_without_limit)
{
    struct witness witness;
    uint32_t link = flows_add_link(flows, HUGE_VAL);
    send(&link, 1, 1000, 3, &witness);
    run(SIM_NEVER);
    ck_assert_int_eq(witness.arrived, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flows");
    TCase *tests = tcase_create("flows");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_latency_comes_after_the_last_bit);
    tcase_add_test(tests, test_times_are_rounded_up);
    tcase_add_test(tests, test_latency_takes_no_capacity);
    tcase_add_test(tests, test_nothing_to_send_or_nowhere_to_pass);
    tcase_add_test(tests, test_weights);
    tcase_add_test(tests, test_a_stalled_transfer_has_no_event);
    tcase_add_test(tests, test_cancelled_bits_stay_in_the_traffic);
    tcase_add_test(tests, test_cancel_on_the_way);
    tcase_add_test(tests, test_cancel_among_those_that_leave_together);
    tcase_add_test(tests, test_those_that_leave_together_do_so_in_order);
    tcase_add_test(tests, test_one_after_another);
    tcase_add_test(tests, test_less_than_a_nanosecond);
    tcase_add_test(tests, test_rate_cap);
    tcase_add_test(tests, test_a_capacity_that_changes_all_the_time);
    tcase_add_test(tests, test_without_limit);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
