#include "sim/engine.h"
#include "sim/tally.h"
#include "tests/bench/station.h"
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

/* An actor that writes down when it was called, and with what. */
enum { DIARY = 16 };

struct diary {
    size_t count;
    sim_time time[DIARY];
    uint32_t argument[DIARY];
};

static void note(struct sim_engine *engine, void *actor, uint32_t argument)
{
    struct diary *diary = actor;
    ck_assert_uint_lt(diary->count, DIARY);
    diary->time[diary->count] = sim_engine_now(engine);
    diary->argument[diary->count++] = argument;
}

static struct sim_engine *engine;
static struct diary diary;
static uint32_t writer;

static void set_up(void)
{
    engine = sim_engine_create(NULL);
    ck_assert_ptr_nonnull(engine);
    diary.count = 0;
    writer = sim_engine_add_actor(engine, note, &diary);
    ck_assert_uint_eq(writer, 0);
}

static void tear_down(void)
{
    sim_engine_destroy(engine);
}

START_TEST(test_handlers_are_called_in_order)
{
    sim_engine_schedule(engine, 30, 0, writer, 1);
    sim_engine_schedule(engine, 10, 5, writer, 2);
    sim_engine_schedule(engine, 10, 4, writer, 3);
    ck_assert(sim_engine_run(engine, SIM_NEVER, NULL));
    ck_assert_uint_eq(diary.count, 3);
    ck_assert_uint_eq(diary.argument[0], 3);
    ck_assert_uint_eq(diary.argument[1], 2);
    ck_assert_uint_eq(diary.argument[2], 1);
    ck_assert_int_eq(diary.time[1], 10);
    ck_assert_int_eq(diary.time[2], 30);
    ck_assert_int_eq(sim_engine_now(engine), 30);
    ck_assert_uint_eq(sim_engine_events(engine), 3);
}
END_TEST

START_TEST(test_run_ends_at_its_end)
{
    sim_engine_schedule(engine, 10, 0, writer, 1);
    sim_engine_schedule(engine, 20, 0, writer, 2);
    sim_engine_schedule(engine, 21, 0, writer, 3);
    ck_assert(sim_engine_run(engine, 20, NULL));
    ck_assert_uint_eq(diary.count, 2);
    ck_assert_int_eq(sim_engine_now(engine), 20);
    ck_assert(sim_engine_run(engine, 100, NULL));
    ck_assert_uint_eq(diary.count, 3);
    ck_assert_int_eq(diary.time[2], 21);
    ck_assert_int_eq(sim_engine_now(engine), 100);
}
END_TEST

START_TEST(test_never_is_not_scheduled)
{
    struct sim_handle handle = sim_engine_schedule(engine, SIM_NEVER, 0, writer, 1);
    ck_assert(handle.time == 0 && handle.order == 0);
    ck_assert(!sim_engine_cancel(engine, handle));
    ck_assert(sim_engine_run(engine, SIM_NEVER, NULL));
    ck_assert_uint_eq(diary.count, 0);
    ck_assert_int_eq(sim_engine_now(engine), 0);
}
END_TEST

static void stop(struct sim_engine *stopped, void *actor, uint32_t argument)
{
    note(stopped, actor, argument);
    sim_engine_stop(stopped);
}

START_TEST(test_stop)
{
    uint32_t stopper = sim_engine_add_actor(engine, stop, &diary);
    sim_engine_schedule(engine, 10, 0, stopper, 1);
    sim_engine_schedule(engine, 10, 0, writer, 2);
    ck_assert(sim_engine_run(engine, 1000, NULL));
    ck_assert_uint_eq(diary.count, 1);
    ck_assert_int_eq(sim_engine_now(engine), 10);
    ck_assert(sim_engine_run(engine, 1000, NULL));
    ck_assert_uint_eq(diary.count, 2);
    ck_assert_int_eq(sim_engine_now(engine), 1000);
}
END_TEST

static atomic_bool told;

static void tell(struct sim_engine *told_engine, void *actor, uint32_t argument)
{
    note(told_engine, actor, argument);
    atomic_store(&told, true);
}

/* Whoever tells it so, the engine handles nothing more, and none at all once it runs again. */
START_TEST(test_heed)
{
    uint32_t teller = sim_engine_add_actor(engine, tell, &diary);
    atomic_store(&told, false);
    sim_engine_heed(engine, &told);
    sim_engine_schedule(engine, 10, 0, teller, 1);
    sim_engine_schedule(engine, 20, 0, writer, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert(sim_engine_run(engine, 1000, NULL));
        ck_assert(sim_engine_is_told(engine));
        ck_assert_uint_eq(diary.count, 1);
        ck_assert_int_eq(sim_engine_now(engine), 10);
    }
    atomic_store(&told, false);
    ck_assert(sim_engine_run(engine, 1000, NULL));
    ck_assert_uint_eq(diary.count, 2);
    ck_assert_int_eq(sim_engine_now(engine), 1000);
}
END_TEST

START_TEST(test_cancel_and_reschedule)
{
    struct sim_handle first = sim_engine_schedule(engine, 10, 0, writer, 1);
    struct sim_handle second = sim_engine_schedule(engine, 20, 0, writer, 2);
    ck_assert(sim_engine_cancel(engine, first));
    ck_assert(!sim_engine_cancel(engine, first));
    second = sim_engine_reschedule(engine, second, 5, 0, writer, 3);
    first = sim_engine_reschedule(engine, first, 5, 0, writer, 4);
    ck_assert(sim_engine_run(engine, 7, NULL));
    ck_assert_uint_eq(diary.count, 2);
    ck_assert_uint_eq(diary.argument[0], 3);
    ck_assert_uint_eq(diary.argument[1], 4);
    second = sim_engine_reschedule(engine, second, 9, 0, writer, 5);
    second = sim_engine_reschedule(engine, second, SIM_NEVER, 0, writer, 6);
    ck_assert(sim_engine_run(engine, SIM_NEVER, NULL));
    ck_assert_uint_eq(diary.count, 2);
}
END_TEST

/* What a handler schedules at the present time with a lower priority number comes next; with the same, after
 * what was there before. */
static void wake(struct sim_engine *waking, void *actor, uint32_t argument)
{
    (void)actor;
    (void)argument;
    sim_engine_schedule(waking, sim_engine_now(waking), 7, writer, 3);
    sim_engine_schedule(waking, sim_engine_now(waking), 1, writer, 1);
}

START_TEST(test_events_at_the_present_time)
{
    uint32_t waker = sim_engine_add_actor(engine, wake, NULL);
    sim_engine_schedule(engine, 50, 7, waker, 0);
    sim_engine_schedule(engine, 50, 7, writer, 2);
    ck_assert(sim_engine_run(engine, SIM_NEVER, NULL));
    ck_assert_uint_eq(diary.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(diary.argument[i], i + 1);
        ck_assert_int_eq(diary.time[i], 50);
    }
}
END_TEST

START_TEST(test_many_actors)
{
    enum { ACTORS = 1000 };
    static struct diary other[ACTORS];
    for (uint32_t i = 0; i < ACTORS; i++) {
        other[i].count = 0;
        ck_assert_uint_eq(sim_engine_add_actor(engine, note, &other[i]), i + 1);
        sim_engine_schedule(engine, ACTORS - i, 0, i + 1, i);
    }
    ck_assert(sim_engine_run(engine, SIM_NEVER, NULL));
    for (uint32_t i = 0; i < ACTORS; i++)
        ck_assert(other[i].count == 1 && other[i].argument[0] == i && other[i].time[0] == ACTORS - i);
}
END_TEST

static void flood(struct sim_engine *flooded, void *actor, uint32_t argument)
{
    (void)actor;
    for (sim_time i = 0; i < 1000; i++)
        sim_engine_schedule(flooded, sim_engine_now(flooded) + 1 + i % 2, 0, 1, argument);
}

/* Events without end meet the end of memory: the run says so and nothing breaks. */
START_TEST(test_out_of_memory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* they need more address space than is left here */
#endif
    struct rlimit before, limit;
    struct error error = {0};
    uint32_t flooder = sim_engine_add_actor(engine, flood, NULL);
    ck_assert_uint_eq(flooder, 1);
    sim_engine_schedule(engine, 1, 0, flooder, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = 256 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    bool done = sim_engine_run(engine, SIM_NEVER, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
    ck_assert(!done);
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_str_eq(error.message, "out of memory for pending events");
}
END_TEST

/* Mean times in the system of independent replications of one station. */
enum { REPLICATIONS = 20 };

struct experiment {
    sim_time between;
    bool constant_service;
    double mean_time[REPLICATIONS];
};

static void *replicate(void *context)
{
    struct experiment *experiment = context;
    for (uint32_t i = 0; i < REPLICATIONS; i++) {
        struct station station = {.between = experiment->between,
                                  .service = SIM_SECOND,
                                  .constant_service = experiment->constant_service,
                                  .customers = 40000,
                                  .warm_up = 2000};
        struct sim_engine *own = sim_engine_create(NULL);
        if (own && station_open(&station, own, 11, i) && sim_engine_run(own, SIM_NEVER, NULL))
            experiment->mean_time[i] = station_mean_time(&station);
        station_close(&station);
        sim_engine_destroy(own);
    }
    return NULL;
}

static void assert_mean_is(const struct experiment *experiment, double expected)
{
    struct sim_tally *tally = sim_tally_create();
    for (size_t i = 0; i < REPLICATIONS; i++)
        sim_tally_add(tally, experiment->mean_time[i]);
    double half_width = sim_tally_half_width(tally, 0.99);
    ck_assert_double_lt(half_width, 0.05 * expected); /* narrow enough to mean something */
    ck_assert_double_le(fabs(sim_tally_mean(tally) - expected), half_width);
    sim_tally_destroy(tally);
}

static const double loads[] = {0.3, 0.5, 0.7, 0.8};

/* Time in the system 1 / (mu - lambda). */
START_TEST(test_exponential_service)
{
    struct experiment experiment = {.between = sim_time_from_seconds(1 / loads[_i])};
    replicate(&experiment);
    assert_mean_is(&experiment, 1 / (1 - loads[_i]));
}
END_TEST

/* Wait rho / (2 mu (1 - rho)), and then the service. */
START_TEST(test_constant_service)
{
    struct experiment experiment = {.between = sim_time_from_seconds(1 / loads[_i]),
                                    .constant_service = true};
    replicate(&experiment);
    assert_mean_is(&experiment, 1 + loads[_i] / (2 * (1 - loads[_i])));
}
END_TEST

/* Engines side by side share nothing: each gives what it gives alone, to the bit. */
START_TEST(test_threads)
{
    struct experiment alone = {.between = SIM_SECOND * 3 / 2}, side[2] = {alone, alone};
    pthread_t thread[2];
    replicate(&alone);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, replicate, &side[i]), 0);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (size_t i = 0; i < REPLICATIONS; i++) {
        ck_assert(side[0].mean_time[i] == alone.mean_time[i]);
        ck_assert(side[1].mean_time[i] == alone.mean_time[i]);
    }
}
END_TEST

START_TEST(test_time_from_seconds)
{
    ck_assert_int_eq(sim_time_from_seconds(1.5), 1500000000);
    ck_assert_int_eq(sim_time_from_seconds(0.5e-9), 0);
    ck_assert_int_eq(sim_time_from_seconds(1.5e-9), 2);
    ck_assert_int_eq(sim_time_from_seconds(-3), 0);
    ck_assert_int_eq(sim_time_from_seconds(NAN), 0);
    ck_assert_int_eq(sim_time_from_seconds(INFINITY), SIM_NEVER);
    ck_assert_int_eq(sim_time_from_seconds(9223372036.854775807), SIM_NEVER);
    ck_assert_int_eq(sim_time_from_seconds(9223372036.0), INT64_C(9223372036000000000));
    ck_assert_double_eq(sim_time_to_seconds(2500000000), 2.5);
    ck_assert_double_eq(sim_time_to_seconds(SIM_NEVER), INFINITY);
    ck_assert_int_eq(sim_time_add(SIM_NEVER - 1, 1), SIM_NEVER);
    ck_assert_int_eq(sim_time_add(SIM_NEVER, SIM_NEVER), SIM_NEVER);
    ck_assert_int_eq(sim_time_add(3, 4), 7);
}
END_TEST

static Suite *engine_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *contract = tcase_create("contract");
    tcase_add_checked_fixture(contract, set_up, tear_down);
    tcase_add_test(contract, test_handlers_are_called_in_order);
    tcase_add_test(contract, test_run_ends_at_its_end);
    tcase_add_test(contract, test_never_is_not_scheduled);
    tcase_add_test(contract, test_stop);
    tcase_add_test(contract, test_heed);
    tcase_add_test(contract, test_cancel_and_reschedule);
    tcase_add_test(contract, test_events_at_the_present_time);
    tcase_add_test(contract, test_many_actors);
    tcase_add_test(contract, test_out_of_memory);
    suite_add_tcase(suite, contract);
    TCase *closed_forms = tcase_create("closed forms");
    int count = sizeof loads / sizeof *loads;
    tcase_add_loop_test(closed_forms, test_exponential_service, 0, count);
    tcase_add_loop_test(closed_forms, test_constant_service, 0, count);
    tcase_add_test(closed_forms, test_threads);
    tcase_add_test(closed_forms, test_time_from_seconds);
    suite_add_tcase(suite, closed_forms);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(engine_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
