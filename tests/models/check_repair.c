/*
 * Repairs alone, without anything that trains: units are brought in at given times, and a log notes what
 * comes of them.
 */
#include "models/failures/repair.h"
#include "models/priority.h"
#include "tests/models/fixture.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

#define MOST 100000

struct note {
    sim_time time;
    int64_t unit;
    bool broken;
};

struct yard {
    struct sim_engine *engine;
    struct repair_shop *shop;
    struct repair_config config;
    struct sim_law_spec automatic;
    struct note *returns, *relapses;
    size_t returned, relapsed, retired;
    uint32_t nth[MOST]; /* failures of a unit so far */
    uint32_t arrival_actor;
};

static void on_return(void *context, uint32_t who, const struct fault *fault, bool broken)
{
    struct yard *yard = context;
    int64_t unit = fault->unit;
    ck_assert_int_eq(unit, who);
    yard->returns[yard->returned++] = (struct note){sim_engine_now(yard->engine), unit, broken};
}

static void on_relapse(void *context, const struct fault *fault)
{
    struct yard *yard = context;
    yard->relapses[yard->relapsed++] = (struct note){sim_engine_now(yard->engine), fault->unit, true};
}

static struct repair_course course_of(const struct yard *yard, uint32_t unit, uint32_t nth)
{
    struct sim_stream draws;
    sim_stream_open(&draws, 1, 0, 3, (uint64_t)unit << 24 | nth);
    return repair_draw(yard->shop, &draws);
}

static void on_arrival(struct sim_engine *engine, void *actor, uint32_t unit)
{
    (void)engine;
    struct yard *yard = actor;
    const struct fault fault = {.kind = FAULT_STOP, .domain = FAULT_OF_SLICE, .unit = unit};
    struct repair_course course = course_of(yard, unit, ++yard->nth[unit]);
    yard->retired += !repair_begin(yard->shop, unit, unit, &fault, &course);
}

/* The law of automatic repairs is set; all else is free to be changed before it opens. */
static struct yard *yard_of(struct sim_law_spec automatic)
{
    struct yard *yard = calloc(1, sizeof *yard);
    yard->automatic = automatic;
    yard->config.relapse.law = PARAMETER_UNSET;
    yard->returns = calloc(MOST, sizeof *yard->returns);
    yard->relapses = calloc(MOST, sizeof *yard->relapses);
    yard->engine = sim_engine_create(NULL);
    return yard;
}

static void open_yard(struct yard *yard)
{
    struct error error = {.kind = ERROR_NONE};
    yard->shop = repair_create(yard->engine, &yard->automatic, &yard->config, SIM_NEVER - 1,
                               (struct repair_observer){on_return, on_relapse, yard}, &error);
    ck_assert_msg(yard->shop != NULL, "%s", error.message);
    yard->arrival_actor = sim_engine_add_actor(yard->engine, on_arrival, yard);
}

static void bring(struct yard *yard, double seconds, uint32_t unit)
{
    sim_engine_schedule(yard->engine, sim_time_from_seconds(seconds), PRIORITY_OUTAGE, yard->arrival_actor,
                        unit);
}

static void run(struct yard *yard)
{
    ck_assert(sim_engine_run(yard->engine, SIM_NEVER, NULL));
    ck_assert(!repair_failed(yard->shop));
}

static void close_yard(struct yard *yard)
{
    repair_destroy(yard->shop);
    sim_engine_destroy(yard->engine);
    free(yard->returns);
    free(yard->relapses);
    free(yard);
}

static void assert_note(const struct note *note, double seconds, int64_t unit)
{
    ck_assert_int_eq(note->unit, unit);
    ck_assert_int_eq(note->time, sim_time_from_seconds(seconds));
}

/* A relapse is never at the very moment of the return. */
static void assert_relapse(const struct note *note, double seconds, int64_t unit)
{
    const struct note before = {note->time - 1, note->unit, true};
    assert_note(&before, seconds, unit);
}

static void assert_share(double count, double of, double share)
{
    double sigma = sqrt(of * share * (1 - share));
    ck_assert_msg(fabs(count - of * share) <= SIGMAS * sigma, "%g of %g is not a share of %g", count, of,
                  share);
}

/* One stage. */

/* The first draw is the time of the automatic stage, as if there were nothing else. */
START_TEST(test_one_repair_time)
{
    struct yard *yard = yard_of(fixture_shaped(SIM_LAW_WEIBULL, 100, 0.7));
    struct sim_distribution *law = sim_distribution_create(&yard->automatic, NULL);
    open_yard(yard);
    for (uint32_t n = 0; n < 10; n++)
        bring(yard, 1e6 * n, 3);
    run(yard);
    ck_assert_uint_eq(yard->returned, 10);
    for (uint32_t n = 0; n < 10; n++) {
        struct sim_stream stream;
        sim_stream_open(&stream, 1, 0, 3, 3 << 24 | (n + 1));
        sim_time length = sim_time_from_seconds(sim_distribution_sample(law, &stream));
        ck_assert_int_eq(yard->returns[n].time - sim_time_from_seconds(1e6 * n), length);
        ck_assert(!yard->returns[n].broken);
    }
    ck_assert(repair_is_plain(&yard->config));
    sim_distribution_destroy(law);
    close_yard(yard);
}
END_TEST

START_TEST(test_one_crew_takes_units_in_their_order)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.crews = 1;
    open_yard(yard);
    for (uint32_t unit = 0; unit < 100; unit++)
        bring(yard, 0, 99 - unit);
    bring(yard, 5000, 100);
    run(yard);
    ck_assert_uint_eq(yard->returned, 101);
    for (uint32_t i = 0; i < 100; i++)
        assert_note(&yard->returns[i], 10 * (i + 1), 99 - i);
    assert_note(&yard->returns[100], 5010, 100);
    close_yard(yard);
}
END_TEST

START_TEST(test_some_crews)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.crews = 3;
    open_yard(yard);
    for (uint32_t unit = 0; unit < 7; unit++)
        bring(yard, unit, unit);
    run(yard);
    static const double seconds[] = {10, 11, 12, 20, 21, 22, 30};
    for (uint32_t unit = 0; unit < 7; unit++)
        assert_note(&yard->returns[unit], seconds[unit], unit);
    close_yard(yard);
}
END_TEST

/* Erlang's C: the mean wait in M/M/c is C/(c·µ − λ). */
static double erlang_wait(int servers, double arrivals, double service)
{
    double load = arrivals / service, term = 1, sum = 0;
    for (int k = 0; k < servers; k++) {
        sum += term;
        term *= load / (k + 1);
    }
    term *= servers / (servers - load);
    return term / (sum + term) / (servers * service - arrivals);
}

/* Means of a hundred batches, which hardly know of each other. */
START_TEST(test_crews_keep_units_waiting_as_erlang_says)
{
    enum { BATCHES = 100, UNITS = MOST / BATCHES };
    struct yard *yard = yard_of(fixture_law(SIM_LAW_EXPONENTIAL, 10));
    struct sim_stream stream;
    yard->config.crews = 3;
    open_yard(yard);
    sim_stream_open(&stream, 1, 0, 1000, 0);
    double *arrival = calloc(MOST, sizeof *arrival), means[BATCHES] = {0}, now = 0, mean = 0, square = 0;
    for (uint32_t unit = 0; unit < MOST; unit++)
        bring(yard, arrival[unit] = now += 5 * sim_stream_exponential(&stream), unit);
    run(yard);
    for (size_t i = 0; i < MOST; i++) {
        int64_t unit = yard->returns[i].unit;
        means[unit / UNITS] += (sim_time_to_seconds(yard->returns[i].time) - arrival[unit]) / UNITS;
    }
    for (int i = 0; i < BATCHES; i++)
        mean += means[i] / BATCHES;
    for (int i = 0; i < BATCHES; i++)
        square += (means[i] - mean) * (means[i] - mean) / (BATCHES - 1);
    double wanted = 10 + erlang_wait(3, 0.2, 0.1), error = sqrt(square / BATCHES);
    ck_assert_msg(fabs(mean - wanted) < SIGMAS * error, "%g is not %g within %g", mean, wanted,
                  SIGMAS * error);
    ck_assert_double_lt(error, 0.2);
    free(arrival);
    close_yard(yard);
}
END_TEST

/* Repair slower than failure: the queue grows, and all ends. */
START_TEST(test_a_crew_that_can_not_keep_up)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 100));
    yard->config.crews = 1;
    open_yard(yard);
    for (uint32_t unit = 0; unit < 1000; unit++)
        bring(yard, unit, unit);
    ck_assert(sim_engine_run(yard->engine, sim_time_from_seconds(1e4), NULL));
    ck_assert_uint_eq(yard->returned, 100);
    close_yard(yard);
}
END_TEST

/* Two stages. */

static struct yard *two_stages(void)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_EXPONENTIAL, 120));
    yard->config.escalation = 0.8;
    yard->config.broken = 0.4;
    yard->config.manual = fixture_law(SIM_LAW_EXPONENTIAL, 2880);
    yard->config.manual_broken = 0.2;
    return yard;
}

START_TEST(test_two_stages)
{
    const size_t n = 50000;
    struct yard *yard = two_stages();
    open_yard(yard);
    for (uint32_t unit = 0; unit < n; unit++)
        bring(yard, 0, unit);
    run(yard);
    const struct repair_counts *counts = repair_counts(yard->shop);
    ck_assert_uint_eq(yard->returned, n);
    ck_assert_uint_eq(counts->repairs, n);
    assert_share((double)counts->manual, (double)n, 0.8);
    assert_share((double)counts->broken, (double)n, 0.2 * 0.4 + 0.8 * 0.2);
    double sum = 0, mean = 120 + 0.8 * 2880,
           square = 2 * 120.0 * 120 + 0.8 * 2 * (120.0 * 2880 + 2880.0 * 2880);
    for (size_t i = 0; i < n; i++)
        sum += sim_time_to_seconds(yard->returns[i].time);
    ck_assert_double_lt(fabs(sum / (double)n - mean), SIGMAS * sqrt((square - mean * mean) / (double)n));
    close_yard(yard);
}
END_TEST

static bool *broken_units(int64_t crews)
{
    struct yard *yard = two_stages();
    bool *broken = calloc(1000, sizeof *broken);
    yard->config.crews = yard->config.manual_crews = crews;
    open_yard(yard);
    for (uint32_t unit = 0; unit < 1000; unit++)
        bring(yard, unit, unit);
    run(yard);
    ck_assert_uint_eq(yard->returned, 1000);
    for (size_t i = 0; i < yard->returned; i++)
        broken[yard->returns[i].unit] = yard->returns[i].broken;
    close_yard(yard);
    return broken;
}

START_TEST(test_crews_change_no_outcome)
{
    bool *one = broken_units(1), *any = broken_units(0);
    for (size_t i = 0; i < 1000; i++)
        ck_assert(one[i] == any[i]);
    free(one);
    free(any);
}
END_TEST

/* The automatic crew is free again while people are at work. */
START_TEST(test_crews_of_both_stages)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.crews = yard->config.manual_crews = 1;
    yard->config.escalation = 1;
    yard->config.manual = fixture_law(SIM_LAW_CONSTANT, 100);
    open_yard(yard);
    for (uint32_t unit = 0; unit < 3; unit++)
        bring(yard, 0, unit);
    run(yard);
    for (uint32_t unit = 0; unit < 3; unit++)
        assert_note(&yard->returns[unit], 10 + 100 * (unit + 1), unit);
    close_yard(yard);
}
END_TEST

/* What stays broken. */

START_TEST(test_broken_units_fail_again)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.broken = 1;
    yard->config.relapse = fixture_law(SIM_LAW_CONSTANT, 5);
    open_yard(yard);
    bring(yard, 0, 4);
    bring(yard, 100, 4);
    run(yard);
    ck_assert_uint_eq(yard->returned, 2);
    ck_assert_uint_eq(yard->relapsed, 2);
    assert_note(&yard->returns[1], 110, 4);
    assert_relapse(&yard->relapses[0], 15, 4);
    assert_relapse(&yard->relapses[1], 115, 4);
    ck_assert_uint_eq(repair_counts(yard->shop)->broken, 2);
    close_yard(yard);
}
END_TEST

START_TEST(test_broken_units_without_a_law_just_return)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.broken = 1;
    open_yard(yard);
    bring(yard, 0, 4);
    run(yard);
    ck_assert(yard->returned == 1 && yard->relapsed == 0 && yard->returns[0].broken);
    close_yard(yard);
}
END_TEST

/* It was not found, or another one was blamed. */
START_TEST(test_what_is_left_alone_relapses)
{
    const struct fault fault = {.kind = FAULT_STOP, .domain = FAULT_OF_CHIP, .unit = 2};
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.undiagnosed = 1;
    yard->config.relapse = fixture_law(SIM_LAW_CONSTANT, 5);
    open_yard(yard);
    struct repair_course course = course_of(yard, 2, 1);
    repair_leave(yard->shop, &fault, &course);
    run(yard);
    ck_assert(yard->returned == 0 && yard->relapsed == 1);
    assert_relapse(&yard->relapses[0], 5, 2);
    ck_assert_uint_eq(repair_counts(yard->shop)->undiagnosed, 1);
    ck_assert_uint_eq(repair_counts(yard->shop)->misdiagnosed, 0);
    close_yard(yard);
}
END_TEST

START_TEST(test_diagnosis)
{
    const size_t n = 50000;
    size_t got[3] = {0};
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 10));
    yard->config.undiagnosed = 0.1;
    yard->config.misdiagnosis = 0.3;
    open_yard(yard);
    for (uint32_t i = 0; i < n; i++)
        got[course_of(yard, i % 100, i / 100).diagnosis]++;
    assert_share((double)got[REPAIR_UNDIAGNOSED], (double)n, 0.1);
    assert_share((double)got[REPAIR_MISDIAGNOSED], (double)n, 0.9 * 0.3);
    ck_assert_double_eq_tol(repair_broken_share(&yard->config), 1 - 0.9 * 0.7, 1e-12);
    close_yard(yard);
}
END_TEST

/* Retirement. */

START_TEST(test_units_retire)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 1));
    yard->config.retire_after = 3;
    open_yard(yard);
    for (uint32_t unit = 0; unit < 50; unit++)
        for (uint32_t n = 0; n < 1 + unit % 3; n++)
            bring(yard, 100.0 * n, unit);
    run(yard);
    ck_assert_uint_eq(yard->returned, 17 + 2 * 17 + 2 * 16);
    ck_assert_uint_eq(repair_counts(yard->shop)->retired, 16);
    ck_assert_uint_eq(yard->retired, 16);
    close_yard(yard);
}
END_TEST

/* Three within 100 s: unit 0 fails every 51 s, unit 1 every 50 s, unit 2 late in its life. */
START_TEST(test_units_retire_within_a_time)
{
    static const double late[] = {0, 1000, 2000, 2060, 2100, 2101};
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 1));
    yard->config.retire_after = 3;
    yard->config.retire_within = 100 * SIM_SECOND;
    open_yard(yard);
    for (uint32_t n = 0; n < 5; n++)
        bring(yard, 51.0 * n, 0);
    for (uint32_t n = 0; n < 3; n++)
        bring(yard, 50.0 * n, 1);
    for (uint32_t n = 0; n < 6; n++)
        bring(yard, late[n], 2);
    run(yard);
    size_t returns[3] = {0};
    for (size_t i = 0; i < yard->returned; i++)
        returns[yard->returns[i].unit]++;
    ck_assert_uint_eq(returns[0], 5);
    ck_assert_uint_eq(returns[1], 2);
    ck_assert_uint_eq(returns[2], 4); /* the fifth is the third within 100 s, and so is the sixth */
    close_yard(yard);
}
END_TEST

/* Trouble. */

START_TEST(test_wrong_laws_are_told)
{
    struct yard *yard = yard_of(fixture_law(SIM_LAW_CONSTANT, 1));
    struct repair_observer observer = {on_return, on_relapse, yard};
    struct error error = {.kind = ERROR_NONE};
    if (_i == 0)
        yard->automatic.mean = -1;
    yard->config.escalation = 0.5;
    yard->config.manual = fixture_law(SIM_LAW_CONSTANT, _i == 1 ? -1 : 1);
    yard->config.broken = 0.5;
    yard->config.relapse = fixture_law(SIM_LAW_CONSTANT, _i == 2 ? -1 : 1);
    ck_assert_ptr_null(
        repair_create(yard->engine, &yard->automatic, &yard->config, SIM_NEVER - 1, observer, &error));
    ck_assert(error.kind == ERROR_INPUT);
    close_yard(yard);
}
END_TEST

static Suite *repair_suite(void)
{
    Suite *suite = suite_create("repair");
    TCase *stages = tcase_create("stages");
    tcase_add_test(stages, test_one_repair_time);
    tcase_add_test(stages, test_one_crew_takes_units_in_their_order);
    tcase_add_test(stages, test_some_crews);
    tcase_add_test(stages, test_crews_keep_units_waiting_as_erlang_says);
    tcase_add_test(stages, test_a_crew_that_can_not_keep_up);
    tcase_add_test(stages, test_two_stages);
    tcase_add_test(stages, test_crews_change_no_outcome);
    tcase_add_test(stages, test_crews_of_both_stages);
    suite_add_tcase(suite, stages);
    TCase *broken = tcase_create("broken");
    tcase_add_test(broken, test_broken_units_fail_again);
    tcase_add_test(broken, test_broken_units_without_a_law_just_return);
    tcase_add_test(broken, test_what_is_left_alone_relapses);
    tcase_add_test(broken, test_diagnosis);
    tcase_add_test(broken, test_units_retire);
    tcase_add_test(broken, test_units_retire_within_a_time);
    tcase_add_loop_test(broken, test_wrong_laws_are_told, 0, 3);
    suite_add_tcase(suite, broken);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(repair_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
