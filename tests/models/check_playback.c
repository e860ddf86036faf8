/*
 * What playing a trace back strikes and when: rows by hand, and random traces against an outage-by-outage
 * reckoning that knows no cursors and no laps.
 */
#include "models/failures/playback.h"
#include "sim/engine.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND

enum { MOST = 4000 };

struct event {
    sim_time time, duration;
    int64_t unit;
    int32_t kind;
};

struct log {
    struct sim_engine *engine;
    struct event events[MOST];
    size_t count;
};

static void on_outage(void *context, int64_t unit, int32_t kind, sim_time duration)
{
    struct log *log = context;
    ck_assert_uint_lt(log->count, MOST);
    log->events[log->count++] = (struct event){sim_engine_now(log->engine), duration, unit, kind};
}

static void play(const struct playback_config *config, int64_t units, sim_time horizon, struct log *log)
{
    log->count = 0;
    log->engine = sim_engine_create(NULL);
    struct playback *playback = playback_create(log->engine, config, units, horizon, on_outage, log, NULL);
    ck_assert(playback && sim_engine_run(log->engine, horizon, NULL));
    playback_destroy(playback);
    sim_engine_destroy(log->engine);
}

static const struct playback_outage outages[] = {
    {10 * S, 20 * S, 0, 0}, {30 * S, SIM_NEVER, 1, 1}, {60 * S, 65 * S, 0, 0}, {90 * S, 100 * S, 2, 1}};

static struct playback_config config;

static void set_up(void)
{
    config = (struct playback_config){
        .trace = {.outages = outages, .count = 4, .units = 3, .length = 100 * S, .kind_count = 2}};
}

static void assert_event(const struct event *event, sim_time time, int64_t unit, sim_time duration)
{
    ck_assert_int_eq(event->time, time);
    ck_assert_int_eq(event->unit, unit);
    ck_assert_int_eq(event->duration, duration);
}

START_TEST(test_as_it_was)
{
    struct log log;
    play(&config, 3, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 4);
    assert_event(&log.events[0], 10 * S, 0, 10 * S);
    assert_event(&log.events[1], 30 * S, 1, SIM_NEVER);
    assert_event(&log.events[2], 60 * S, 0, 5 * S);
    assert_event(&log.events[3], 90 * S, 2, 10 * S);
    ck_assert_int_eq(log.events[3].kind, 1);
}
END_TEST

/* What lasts at the offset strikes at once, and ends when it would have ended. */
START_TEST(test_offset)
{
    struct log log;
    config.offset = 15 * S;
    play(&config, 3, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 4);
    assert_event(&log.events[0], 0, 0, 5 * S);
    assert_event(&log.events[1], 15 * S, 1, SIM_NEVER);
    assert_event(&log.events[3], 75 * S, 2, 10 * S);
}
END_TEST

START_TEST(test_laps)
{
    struct log log;
    config.repeat = true;
    play(&config, 3, 200 * S, &log);
    ck_assert_uint_eq(log.count, 8);
    assert_event(&log.events[1], 30 * S, 1, 70 * S);
    assert_event(&log.events[4], 110 * S, 0, 10 * S);
    assert_event(&log.events[7], 190 * S, 2, 10 * S);
}
END_TEST

START_TEST(test_fewer_units)
{
    struct log log;
    play(&config, 2, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 3);
    config.mapping = PLAYBACK_WHOLE;
    play(&config, 2, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 4);
    assert_event(&log.events[3], 90 * S, 0, 10 * S);
}
END_TEST

/* A second copy begins half a trace later in it: one outage lasts there, which comes again after its lap. */
START_TEST(test_more_units)
{
    struct log log;
    play(&config, 6, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 9);
    assert_event(&log.events[0], 0, 4, 50 * S); /* unit 1 of the trace has not come back */
    assert_event(&log.events[1], 10 * S, 0, 10 * S);
    assert_event(&log.events[2], 10 * S, 3, 5 * S);
    config.mapping = PLAYBACK_WHOLE;
    play(&config, 6, 1000 * S, &log);
    ck_assert_uint_eq(log.count, 4);
}
END_TEST

/* The reckoning. */

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->duration != y->duration)
        return x->duration < y->duration ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static void reckon_outage(const struct playback_outage *outage, sim_time begin, int64_t unit, bool wraps,
                          sim_time stop, struct log *log)
{
    sim_time until = wraps && outage->until > config.trace.length ? config.trace.length : outage->until;
    sim_time end = until == SIM_NEVER ? SIM_NEVER : begin + until - outage->from;
    sim_time time = begin > 0 ? begin : 0;
    if (end > time && time < stop)
        log->events[log->count++] =
            (struct event){time, end == SIM_NEVER ? SIM_NEVER : end - time, unit, outage->kind};
}

static void reckon(int64_t units, sim_time horizon, struct log *log)
{
    const struct playback_trace *trace = &config.trace;
    bool whole = config.mapping == PLAYBACK_WHOLE;
    int64_t copies = whole ? 1 : (units + trace->units - 1) / trace->units;
    sim_time stop = config.repeat ? horizon + 1 : trace->length - config.offset;
    if (stop > horizon + 1)
        stop = horizon + 1;
    log->count = 0;
    for (int64_t c = 0; c < copies; c++)
        for (sim_time lap = 0; lap * trace->length < horizon + 2 * trace->length; lap++)
            for (size_t i = 0; i < trace->count; i++) {
                const struct playback_outage *outage = &trace->outages[i];
                int64_t unit = whole ? outage->unit % units : c * trace->units + outage->unit;
                sim_time offset = (config.offset + trace->length * c / copies) % trace->length;
                if (unit < units)
                    reckon_outage(outage, lap * trace->length + outage->from - offset, unit,
                                  config.repeat || c > 0, stop, log);
            }
    qsort(log->events, log->count, sizeof *log->events, by_time);
}

static int by_from(const void *a, const void *b)
{
    const struct playback_outage *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

START_TEST(test_against_reckoning)
{
    struct sim_stream stream;
    struct playback_outage random[20];
    struct log played, reckoned;
    sim_stream_open(&stream, (uint64_t)_i, 0, 1, 0);
    size_t count = 1 + sim_stream_below(&stream, 20);
    for (size_t i = 0; i < count; i++) {
        sim_time from = (sim_time)sim_stream_below(&stream, 1000);
        sim_time until = from + (sim_time)sim_stream_below(&stream, 300);
        bool lost = sim_stream_below(&stream, 10) == 0;
        random[i] = (struct playback_outage){from, lost ? SIM_NEVER : until,
                                             (int64_t)sim_stream_below(&stream, 5), 0};
    }
    qsort(random, count, sizeof *random, by_from);
    config.trace = (struct playback_trace){.outages = random, .count = count, .units = 5, .length = 1300};
    config.offset = (sim_time)sim_stream_below(&stream, 1300);
    config.mapping = (int64_t)sim_stream_below(&stream, 2);
    config.repeat = sim_stream_below(&stream, 2) == 1;
    int64_t units = 1 + (int64_t)sim_stream_below(&stream, 17);
    sim_time horizon = 1 + (sim_time)sim_stream_below(&stream, 5000);
    play(&config, units, horizon, &played);
    reckon(units, horizon, &reckoned);
    qsort(played.events, played.count, sizeof *played.events, by_time);
    ck_assert_uint_eq(played.count, reckoned.count);
    for (size_t i = 0; i < played.count; i++)
        ck_assert_int_eq(by_time(&played.events[i], &reckoned.events[i]), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("playback");
    TCase *cases = tcase_create("playback");
    tcase_add_checked_fixture(cases, set_up, NULL);
    tcase_add_test(cases, test_as_it_was);
    tcase_add_test(cases, test_offset);
    tcase_add_test(cases, test_laps);
    tcase_add_test(cases, test_fewer_units);
    tcase_add_test(cases, test_more_units);
    tcase_add_loop_test(cases, test_against_reckoning, 0, 300);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
