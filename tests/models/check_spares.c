/*
 * The reserve alone: units go down and up by a script, and a log notes which slots do.
 */
#include "models/failures/spares.h"
#include "models/priority.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000
#define SLOTS 4
#define CAUSES 3

struct note {
    sim_time time;
    int64_t slot;
    bool down;
};

struct bench {
    struct sim_engine *engine;
    struct spares *spares;
    struct reserve_config config;
    struct note *notes;
    size_t count;
    bool down[SLOTS];
    int64_t down_slots;
    int32_t cause[SLOTS];        /* that slots are empty for */
    sim_time idle, all_failed;   /* unit time charged */
    sim_time failed[CAUSES + 1]; /* by cause + 1; units stand in it from a moment on */
    int64_t standing[CAUSES + 1];
    uint32_t down_actor, up_actor;
};

static void note(struct bench *bench, int64_t slot, bool down)
{
    ck_assert(bench->down[slot] != down);
    bench->down[slot] = down;
    bench->down_slots += down ? 1 : -1;
    bench->notes[bench->count++] = (struct note){sim_engine_now(bench->engine), slot, down};
}

static void on_slot_down(void *context, int64_t slot, const struct fault *fault, uint64_t *mark)
{
    ck_assert(*mark == 0 || *mark == (uint64_t)slot + 1);
    *mark = (uint64_t)slot + 1;
    ((struct bench *)context)->cause[slot] = fault->cause;
    note(context, slot, true);
}

static void on_slot_up(void *context, int64_t slot, int32_t cause, uint64_t *mark)
{
    ck_assert_uint_eq(*mark, (uint64_t)slot + 1);
    ck_assert_int_eq(((struct bench *)context)->cause[slot], cause);
    note(context, slot, false);
}

static void on_slot_cause(void *context, int64_t slot, int32_t from, int32_t to)
{
    ck_assert_int_eq(((struct bench *)context)->cause[slot], from);
    ((struct bench *)context)->cause[slot] = to;
}

static void on_reserve_cause(void *context, int32_t cause, int by)
{
    struct bench *bench = context;
    bench->standing[cause + 1] += by;
    bench->failed[cause + 1] -= by * sim_engine_now(bench->engine);
    ck_assert_int_ge(bench->standing[cause + 1], 0);
}

static void on_charge(void *context, int64_t idle, int64_t failed, sim_time elapsed)
{
    ((struct bench *)context)->idle += idle * elapsed;
    ((struct bench *)context)->all_failed += failed * elapsed;
}

/* Unit N goes down for cause N modulo the number of causes, less one. */
static int32_t cause_of(uint32_t unit)
{
    return (int32_t)(unit % (CAUSES + 1)) - 1;
}

static void on_down(struct sim_engine *engine, void *actor, uint32_t unit)
{
    (void)engine;
    const struct fault fault = {.kind = FAULT_STOP, .domain = FAULT_OF_SLICE, .cause = cause_of(unit)};
    spares_unit_down(((struct bench *)actor)->spares, unit, &fault);
}

static void on_up(struct sim_engine *engine, void *actor, uint32_t unit)
{
    (void)engine;
    spares_unit_up(((struct bench *)actor)->spares, unit, cause_of(unit));
}

static struct bench *bench_of(struct reserve_config config)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->config = config;
    bench->notes = calloc(MOST, sizeof *bench->notes);
    bench->engine = sim_engine_create(NULL);
    bench->down_actor = sim_engine_add_actor(bench->engine, on_down, bench);
    bench->up_actor = sim_engine_add_actor(bench->engine, on_up, bench);
    bench->spares = spares_create(
        bench->engine, &bench->config, SLOTS,
        (struct spares_observer){bench, on_slot_down, on_slot_up, on_slot_cause, on_reserve_cause, on_charge},
        NULL);
    ck_assert_ptr_nonnull(bench->spares);
    return bench;
}

static void schedule(struct bench *bench, double seconds, uint32_t actor, uint32_t unit)
{
    sim_engine_schedule(bench->engine, sim_time_from_seconds(seconds), PRIORITY_OUTAGE, actor, unit);
}

/* UNIT is down from DOWN to UP. */
static void take_down(struct bench *bench, uint32_t unit, double down, double up)
{
    schedule(bench, down, bench->down_actor, unit);
    schedule(bench, up, bench->up_actor, unit);
}

static void run(struct bench *bench, double seconds)
{
    ck_assert(sim_engine_run(bench->engine, sim_time_from_seconds(seconds), NULL));
    spares_book(bench->spares);
    for (int i = 0; i <= CAUSES; i++)
        bench->failed[i] += bench->standing[i] * sim_engine_now(bench->engine);
}

static void close_bench(struct bench *bench)
{
    spares_destroy(bench->spares);
    sim_engine_destroy(bench->engine);
    free(bench->notes);
    free(bench);
}

struct line {
    double seconds;
    int64_t slot;
    bool down;
};

static void assert_notes(const struct bench *bench, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count && i < bench->count; i++) {
        const struct note *got = &bench->notes[i];
        ck_assert_msg(got->time == sim_time_from_seconds(lines[i].seconds) && got->slot == lines[i].slot &&
                          got->down == lines[i].down,
                      "note %zu: slot %lld is %s at %.9g s", i, (long long)got->slot,
                      got->down ? "down" : "up", sim_time_to_seconds(got->time));
    }
    ck_assert_uint_eq(bench->count, count);
}

#define NOTES(bench, ...)                                                                                    \
    assert_notes(bench, (const struct line[]){__VA_ARGS__},                                                  \
                 sizeof((const struct line[]){__VA_ARGS__}) / sizeof(struct line))

static void assert_counts(const struct bench *bench, uint64_t swaps, uint64_t starts, uint64_t draws)
{
    const struct spares_counts *counts = spares_counts(bench->spares);
    ck_assert_uint_eq(counts->swaps, swaps);
    ck_assert_uint_eq(counts->starts, starts);
    ck_assert_uint_eq(counts->draws, draws);
}

/* Standbys. */

START_TEST(test_a_standby_takes_the_place)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1, .swap_time = 5 * SIM_SECOND});
    take_down(bench, 2, 100, 300);
    run(bench, 1000);
    NOTES(bench, {100, 2, true}, {105, 2, false});
    ck_assert_int_eq(spares_slot_of(bench->spares, 4), 2);
    ck_assert_int_eq(spares_slot_of(bench->spares, 2), SPARES_NO_SLOT);
    ck_assert_int_eq(spares_unit_of(bench->spares, 2), 4);
    assert_counts(bench, 1, 0, 0);
    ck_assert_int_eq(bench->idle, (105 + 700) * SIM_SECOND); /* the standby, then the repaired one */
    ck_assert_int_eq(bench->failed[2], 195 * SIM_SECOND);
    close_bench(bench);
}
END_TEST

START_TEST(test_the_repaired_unit_is_the_next_standby)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1});
    take_down(bench, 2, 100, 300);
    take_down(bench, 0, 400, 900);
    run(bench, 1000);
    NOTES(bench, {100, 2, true}, {100, 2, false}, {400, 0, true}, {400, 0, false});
    ck_assert_int_eq(spares_slot_of(bench->spares, 2), 0);
    close_bench(bench);
}
END_TEST

START_TEST(test_without_a_standby_the_slot_waits_for_any_repair)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1});
    take_down(bench, 2, 100, 300);
    take_down(bench, 0, 200, 900);
    run(bench, 1000);
    NOTES(bench, {100, 2, true}, {100, 2, false}, {200, 0, true}, {300, 0, false});
    ck_assert_int_eq(spares_slot_of(bench->spares, 2), 0);
    ck_assert_int_eq(bench->idle, 200 * SIM_SECOND);
    ck_assert_int_eq(bench->failed[2], 200 * SIM_SECOND);
    ck_assert_int_eq(bench->failed[0], 600 * SIM_SECOND); /* from the moment at which unit 2 took its slot */
    close_bench(bench);
}
END_TEST

START_TEST(test_who_returns_in_time_takes_its_own_slot)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1, .swap_time = 50 * SIM_SECOND});
    take_down(bench, 2, 100, 120);
    run(bench, 1000);
    NOTES(bench, {100, 2, true}, {150, 2, false});
    ck_assert_int_eq(spares_slot_of(bench->spares, 2), 2);
    assert_counts(bench, 0, 0, 0);
    ck_assert_int_eq(bench->idle, 1000 * SIM_SECOND);
    close_bench(bench);
}
END_TEST

START_TEST(test_slots_wait_in_their_order)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1});
    take_down(bench, 0, 100, 2000);
    take_down(bench, 1, 200, 2000);
    take_down(bench, 2, 300, 2000);
    take_down(bench, 3, 400, 450);
    take_down(bench, 4, 150, 500);
    run(bench, 1000); /* unit 4 is in slot 0, and goes back there */
    NOTES(bench, {100, 0, true}, {100, 0, false}, {150, 0, true}, {200, 1, true}, {300, 2, true},
          {400, 3, true}, {450, 3, false}, {500, 0, false});
    close_bench(bench);
}
END_TEST

START_TEST(test_a_standby_that_fails_is_not_there)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1});
    take_down(bench, 4, 50, 200);
    take_down(bench, 1, 100, 900);
    run(bench, 1000);
    NOTES(bench, {100, 1, true}, {200, 1, false});
    ck_assert_int_eq(bench->idle, (50 + 100) * SIM_SECOND);
    ck_assert_int_eq(bench->failed[0], 150 * SIM_SECOND); /* unit 4 */
    ck_assert_int_eq(bench->failed[1], 700 * SIM_SECOND); /* unit 1 */
    close_bench(bench);
}
END_TEST

/* Cold ones and the pool. */

#define TIMES .start_time = 10 * SIM_SECOND, .draw_time = 100 * SIM_SECOND

START_TEST(test_cold_units_are_started)
{
    struct bench *bench = bench_of((struct reserve_config){.cold = 3, TIMES});
    take_down(bench, 0, 100, 2000);
    take_down(bench, 1, 105, 2000);
    take_down(bench, 2, 300, 2000);
    run(bench, 1000);
    NOTES(bench, {100, 0, true}, {105, 1, true}, {110, 0, false}, {110, 1, false}, {300, 2, true},
          {310, 2, false});
    assert_counts(bench, 3, 2, 0);
    close_bench(bench);
}
END_TEST

START_TEST(test_ahead_standbys_are_replaced)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1, .pool = 2, TIMES});
    take_down(bench, 0, 100, 2000);
    take_down(bench, 1, 205, 2000); /* 100 + 100 + 10 is when the next standby is ready */
    take_down(bench, 2, 400, 2000); /* 205 + … : the second one from the pool */
    run(bench, 1000);
    NOTES(bench, {100, 0, true}, {100, 0, false}, {205, 1, true}, {210, 1, false}, {400, 2, true},
          {400, 2, false});
    assert_counts(bench, 3, 2, 2);
    close_bench(bench);
}
END_TEST

START_TEST(test_when_empty_all_are_drawn_first)
{
    struct bench *bench =
        bench_of((struct reserve_config){.standbys = 2, .pool = 9, .refill = RESERVE_WHEN_EMPTY, TIMES});
    take_down(bench, 0, 100, 5000);
    take_down(bench, 1, 200, 5000);
    take_down(bench, 2, 300, 5000);
    take_down(bench, 3, 350, 5000);
    run(bench, 2000); /* two slots and two standbys: four draws, one start */
    NOTES(bench, {100, 0, true}, {100, 0, false}, {200, 1, true}, {200, 1, false}, {300, 2, true},
          {350, 3, true}, {710, 2, false}, {710, 3, false});
    assert_counts(bench, 4, 1, 4);
    close_bench(bench);
}
END_TEST

START_TEST(test_when_empty_cold_ones_suffice)
{
    struct bench *bench = bench_of(
        (struct reserve_config){.standbys = 1, .cold = 1, .pool = 9, .refill = RESERVE_WHEN_EMPTY, TIMES});
    take_down(bench, 0, 100, 5000);
    take_down(bench, 1, 200, 5000);
    run(bench, 2000);
    NOTES(bench, {100, 0, true}, {100, 0, false}, {200, 1, true}, {210, 1, false});
    assert_counts(bench, 2, 1, 0);
    close_bench(bench);
}
END_TEST

START_TEST(test_when_empty_and_a_pool_that_runs_dry)
{
    struct bench *bench =
        bench_of((struct reserve_config){.standbys = 3, .pool = 1, .refill = RESERVE_WHEN_EMPTY, TIMES});
    for (uint32_t unit = 0; unit < 3; unit++)
        take_down(bench, unit, 100, unit == 2 ? 900 : 5000);
    take_down(bench, 3, 300, 5000);
    take_down(bench, 4, 500, 5000);
    run(bench, 2000); /* a draw and a start at 300; unit 2, collected at 900, is started */
    NOTES(bench, {100, 0, true}, {100, 1, true}, {100, 2, true}, {100, 0, false}, {100, 1, false},
          {100, 2, false}, {300, 3, true}, {410, 3, false}, {500, 0, true}, {910, 0, false});
    close_bench(bench);
}
END_TEST

START_TEST(test_what_fails_in_the_pool_stays_there)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1, .pool = 1, TIMES});
    take_down(bench, 5, 50, 150);
    take_down(bench, 0, 100, 5000);
    run(bench, 1000);
    NOTES(bench, {100, 0, true}, {100, 0, false});
    assert_counts(bench, 1, 1, 1); /* at 150 + 100 + 10 it stands by */
    ck_assert_int_eq(bench->idle, (2 * 50 + 50 + 850) * SIM_SECOND);
    close_bench(bench);
}
END_TEST

/* What concerns whom. */

START_TEST(test_faults_go_to_the_slot)
{
    uint64_t *mark = NULL;
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1});
    struct spares *spares = bench->spares;
    const struct fault fault = {.kind = FAULT_STOP, .cause = 0};
    ck_assert_int_eq(spares_unit_fault(spares, 2, true, &mark), 2);
    ck_assert_int_eq(spares_unit_fault(spares, 4, true, &mark), SPARES_NO_SLOT);
    spares_unit_down(spares, 2, &fault);
    ck_assert_int_eq(spares_unit_fault(spares, 2, false, &mark), 2);
    ck_assert_uint_eq(*mark, 3);
    run(bench, 0);
    ck_assert_int_eq(spares_slot_of(spares, 4), 2);
    ck_assert_int_eq(spares_unit_fault(spares, 4, false, &mark),
                     SPARES_NO_SLOT); /* it has not begun for it */
    ck_assert_int_eq(spares_unit_fault(spares, 4, true, &mark), 2);
    ck_assert_int_eq(spares_unit_fault(spares, 4, false, &mark), 2);
    close_bench(bench);
}
END_TEST

START_TEST(test_causes_change)
{
    struct bench *bench = bench_of((struct reserve_config){.standbys = 1, .swap_time = 10 * SIM_SECOND});
    const struct fault fault = {.kind = FAULT_STOP, .cause = 0};
    spares_unit_down(bench->spares, 2, &fault);
    spares_unit_cause(bench->spares, 2, 0, 1);
    run(bench, 10);
    ck_assert_int_eq(bench->standing[2], 1);
    spares_unit_cause(bench->spares, 2, 1, -1);
    ck_assert(bench->standing[2] == 0 && bench->standing[0] == 1);
    spares_unit_up(bench->spares, 2, -1);
    ck_assert_int_eq(bench->standing[0], 0);
    NOTES(bench, {0, 2, true}, {10, 2, false});
    close_bench(bench);
}
END_TEST

/* Whatever happens. */

static uint32_t below(struct sim_stream *stream, uint32_t n)
{
    return (uint32_t)sim_stream_below(stream, n);
}

static struct reserve_config some_config(struct sim_stream *stream)
{
    return (struct reserve_config){.standbys = 1 + below(stream, 3),
                                   .cold = below(stream, 3),
                                   .pool = below(stream, 3),
                                   .swap_time = below(stream, 3) * SIM_SECOND,
                                   .start_time = below(stream, 20) * SIM_SECOND,
                                   .draw_time = below(stream, 20) * SIM_SECOND,
                                   .refill = below(stream, 2)};
}

/* Units fail and return now and then, some for good; returns the unit time that they are down until END. */
static sim_time script(struct bench *bench, struct sim_stream *stream, double end)
{
    sim_time down = 0;
    uint32_t units = SLOTS + (uint32_t)reserve_slices(&bench->config);
    double between = 1 + below(stream, 100);
    for (uint32_t unit = 0; unit < units; unit++)
        for (double now = 0; now < end;) {
            double fails = now + below(stream, 2 + 2 * (uint32_t)between),
                   returns = fails + 1 + below(stream, 50);
            if (below(stream, 20) == 0)
                returns = 2 * end;
            take_down(bench, unit, fails, returns);
            down += sim_time_from_seconds(returns < end ? returns : end) -
                    sim_time_from_seconds(fails < end ? fails : end);
            now = returns + 1;
        }
    return down;
}

/* The unit time that slots were empty until END. */
static sim_time empty_time(const struct bench *bench, double end)
{
    sim_time sum = bench->down_slots * sim_time_from_seconds(end);
    for (size_t i = 0; i < bench->count; i++)
        sum += bench->notes[i].down ? -bench->notes[i].time : bench->notes[i].time;
    return sum;
}

START_TEST(test_all_units_are_charged)
{
    for (uint64_t number = 0; number < 200; number++) {
        struct sim_stream stream;
        sim_stream_open(&stream, number, 0, 1000, 0);
        struct bench *bench = bench_of(some_config(&stream));
        sim_time down = script(bench, &stream, 500), failed = 0;
        run(bench, 500);
        int64_t units = SLOTS + reserve_slices(&bench->config);
        sim_time empty = empty_time(bench, 500), filled = SLOTS * 500 * SIM_SECOND - empty;
        for (int i = 0; i <= CAUSES; i++)
            failed += bench->failed[i];
        ck_assert_int_eq(failed, bench->all_failed);
        ck_assert_int_eq(filled + bench->idle + empty + failed, units * 500 * SIM_SECOND);
        ck_assert_int_ge(empty + failed, down); /* who is back too soon has to wait for its slot */
        if (bench->config.swap_time == 0)
            ck_assert_int_eq(empty + failed, down);
        close_bench(bench);
    }
}
END_TEST

/* Once all repairs have come to their end and enough units are whole, every slot is filled. */
START_TEST(test_nothing_hangs)
{
    for (uint64_t number = 0; number < 200; number++) {
        struct sim_stream stream;
        sim_stream_open(&stream, number, 0, 1001, 0);
        struct bench *bench = bench_of(some_config(&stream));
        uint32_t units = SLOTS + (uint32_t)reserve_slices(&bench->config);
        for (uint32_t unit = 0; unit < units; unit++)
            for (double now = below(&stream, 50); now < 900;) {
                double returns = now + 1 + below(&stream, 90);
                take_down(bench, unit, now, returns);
                now = returns + 1 + below(&stream, 50);
            }
        run(bench, 2000);
        ck_assert_int_eq(bench->down_slots, 0);
        close_bench(bench);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spares");
    TCase *tests = tcase_create("spares");
    tcase_add_test(tests, test_a_standby_takes_the_place);
    tcase_add_test(tests, test_the_repaired_unit_is_the_next_standby);
    tcase_add_test(tests, test_without_a_standby_the_slot_waits_for_any_repair);
    tcase_add_test(tests, test_who_returns_in_time_takes_its_own_slot);
    tcase_add_test(tests, test_slots_wait_in_their_order);
    tcase_add_test(tests, test_a_standby_that_fails_is_not_there);
    tcase_add_test(tests, test_cold_units_are_started);
    tcase_add_test(tests, test_ahead_standbys_are_replaced);
    tcase_add_test(tests, test_when_empty_all_are_drawn_first);
    tcase_add_test(tests, test_when_empty_cold_ones_suffice);
    tcase_add_test(tests, test_when_empty_and_a_pool_that_runs_dry);
    tcase_add_test(tests, test_what_fails_in_the_pool_stays_there);
    tcase_add_test(tests, test_faults_go_to_the_slot);
    tcase_add_test(tests, test_causes_change);
    tcase_add_test(tests, test_all_units_are_charged);
    tcase_add_test(tests, test_nothing_hangs);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
