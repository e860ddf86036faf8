/*
 * Outages with more to a repair than its time: stages, crews, wrong diagnoses, relapses. A diary notes which
 * slices go down and up when.
 */
#include "models/failures/outages.h"
#include "models/failures/process.h"
#include "tests/models/fixture.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

#define SLICES 100
#define MOST 200000

struct entry {
    sim_time time;
    int64_t slice;
    bool down;
};

static struct diary {
    struct failure_config failures;
    int64_t slices;
    double horizon; /* seconds */
    bool at_work;
    struct sim_engine *engine;
    struct entry *entries;
    size_t count, downs;
    struct repair_counts repairs;
} diary;

static void note(int64_t slice, bool down)
{
    ck_assert_uint_lt(diary.count, MOST);
    diary.entries[diary.count++] = (struct entry){sim_engine_now(diary.engine), slice, down};
    diary.downs += down;
}

static void on_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    (void)context, (void)fault, (void)mark;
    note(slice, true);
}

static void on_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    (void)context, (void)cause, (void)mark;
    note(slice, false);
}

static int64_t on_bystander(void *context, int64_t slice, struct sim_stream *draws)
{
    (void)context, (void)slice;
    return (int64_t)sim_stream_below(draws, (uint64_t)diary.slices);
}

static bool is_at_work(void *context, int64_t slice)
{
    (void)context, (void)slice;
    return diary.at_work;
}

/* Slices of one chip each, which fail every 1000 s and are repaired in 100 s; 10⁵ s. */
static void set_up(void)
{
    diary = (struct diary){.failures = {.enabled = true,
                                        .chip = fixture_law(SIM_LAW_EXPONENTIAL, 1000),
                                        .repair = fixture_law(SIM_LAW_EXPONENTIAL, 100),
                                        .pipeline = {.relapse = {.law = PARAMETER_UNSET}}},
                           .slices = SLICES,
                           .horizon = 1e5,
                           .entries = calloc(MOST, sizeof *diary.entries)};
}

static void tear_down(void)
{
    free(diary.entries);
}

static void record(void)
{
    struct error error = {.kind = ERROR_NONE};
    struct outages_observer observer = {
        .slice_down = on_down, .slice_up = on_up, .bystander = on_bystander, .is_at_work = is_at_work};
    struct units units;
    sim_time horizon = sim_time_from_seconds(diary.horizon);
    diary.count = diary.downs = 0;
    diary.engine = sim_engine_create(&error);
    units_init(&units, diary.slices, 1);
    struct outages *outages =
        outages_create(diary.engine, &diary.failures, &units, 1, 0, horizon, observer, &error);
    ck_assert_msg(outages != NULL, "%s", error.message);
    ck_assert(sim_engine_run(diary.engine, horizon, &error));
    ck_assert(!outages_failed(outages));
    diary.repairs = outages_repairs(outages);
    outages_destroy(outages);
    units_free(&units);
    sim_engine_destroy(diary.engine);
}

/* Time for which slices are down, in seconds. */
static double down_time(void)
{
    double sum = 0;
    size_t down = 0;
    for (size_t i = 0; i < diary.count; i++) {
        double now = sim_time_to_seconds(diary.entries[i].time);
        sum += diary.entries[i].down ? -now : now;
        down += diary.entries[i].down ? 1 : (size_t)-1;
    }
    return sum + (double)down * diary.horizon;
}

static void assert_count(double got, double mean, double variance)
{
    ck_assert_msg(fabs(got - mean) <= SIGMAS * sqrt(variance), "%g is not %g within %g", got, mean,
                  SIGMAS * sqrt(variance));
}

/* A slice is up for 1000 s and down for a mean D of variance V: a renewal process. */
static void assert_renewals(double down, double variance)
{
    double cycle = 1000 + down, cycles = SLICES * diary.horizon / cycle;
    assert_count((double)diary.downs, cycles, cycles * (1e6 + variance) / (cycle * cycle) + SLICES);
}

/* Nothing of it changes what is there without it. */
START_TEST(test_a_limit_that_is_never_reached)
{
    record();
    struct entry *before = diary.entries;
    size_t count = diary.count;
    diary.entries = calloc(MOST, sizeof *diary.entries);
    diary.failures.pipeline.crews = 2 * SLICES;
    record();
    ck_assert_uint_gt(count, 10000);
    ck_assert_uint_eq(count, diary.count);
    for (size_t i = 0; i < count; i++)
        ck_assert(before[i].time == diary.entries[i].time && before[i].slice == diary.entries[i].slice &&
                  before[i].down == diary.entries[i].down);
    free(before);
}
END_TEST

START_TEST(test_two_stages)
{
    diary.failures.pipeline.escalation = 0.5;
    diary.failures.pipeline.manual = fixture_law(SIM_LAW_EXPONENTIAL, 600);
    record();
    assert_renewals(100 + 0.5 * 600, 1e4 + 0.5 * 2 * 36e4 - 9e4);
    assert_count((double)diary.repairs.manual, 0.5 * (double)diary.repairs.repairs,
                 0.25 * (double)diary.repairs.repairs);
    ck_assert_uint_le(diary.downs - diary.repairs.repairs, SLICES);
}
END_TEST

/* What a crew repairs is all that ever comes back. */
START_TEST(test_one_crew)
{
    diary.failures.repair = fixture_law(SIM_LAW_CONSTANT, 100);
    diary.failures.pipeline.crews = 1;
    record();
    ck_assert_uint_ge(diary.repairs.repairs, 990);
    ck_assert_uint_le(diary.repairs.repairs, 1000);
    assert_count(down_time(), diary.horizon * (SLICES - 10), 100 * diary.horizon * 100);
}
END_TEST

/* Every repair is in vain: ten seconds after its return a slice is down again. */
START_TEST(test_relapses)
{
    diary.failures.repair = fixture_law(SIM_LAW_CONSTANT, 100);
    diary.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e6);
    diary.failures.pipeline.broken = 1;
    diary.failures.pipeline.relapse = fixture_law(SIM_LAW_CONSTANT, 10);
    diary.slices = 1;
    diary.horizon = 1e7;
    record();
    sim_time first = diary.entries[0].time;
    ck_assert_uint_gt(diary.count, 2);
    for (size_t i = 0; i < diary.count && i < 20; i++)
        ck_assert_int_eq(diary.entries[i].time, first + (sim_time)(i / 2) * (110 * SIM_SECOND + 1) +
                                                    (sim_time)(i % 2) * 100 * SIM_SECOND);
}
END_TEST

/* A third of the failures is put down to another slice, and fails again after 50 s. */
START_TEST(test_wrong_diagnoses)
{
    diary.failures.pipeline.misdiagnosis = 1.0 / 3;
    diary.failures.pipeline.relapse = fixture_law(SIM_LAW_CONSTANT, 50);
    record();
    assert_count((double)diary.repairs.misdiagnosed, (double)diary.downs / 3, 2.0 / 9 * (double)diary.downs);
    double chips = SLICES * (diary.horizon - down_time() / SLICES) / 1000; /* failures of chips that are up */
    ck_assert_double_lt(fabs((double)(diary.downs - diary.repairs.misdiagnosed) / chips - 1), 0.1);
    ck_assert_uint_eq(diary.repairs.broken, 0);
}
END_TEST

START_TEST(test_nobody_is_found)
{
    diary.failures.pipeline.undiagnosed = 1;
    record();
    ck_assert_double_eq(down_time(), 0);
    ck_assert_uint_eq(diary.repairs.undiagnosed, diary.downs);
    assert_renewals(0, 0);
}
END_TEST

START_TEST(test_slices_retire)
{
    diary.failures.pipeline.retire_after = 3;
    record();
    ck_assert_uint_eq(diary.downs, 3 * SLICES);
    ck_assert_uint_eq(diary.repairs.retired, SLICES);
}
END_TEST

/* All chips fail at 1000 s. One crew returns one every 100 s; each lives for 1000 s from its return. */
START_TEST(test_lives_begin_with_the_return)
{
    diary.failures.chip = fixture_law(SIM_LAW_CONSTANT, 1000);
    diary.failures.repair = fixture_law(SIM_LAW_CONSTANT, 100);
    diary.failures.pipeline.crews = 1;
    diary.slices = 5;
    diary.horizon = 2600;
    record();
    static const int64_t seconds[] = {1000, 1000, 1000, 1000, 1000, 1100, 1200, 1300, 1400, 1500,
                                      2100, 2200, 2200, 2300, 2300, 2400, 2400, 2500, 2500, 2600};
    ck_assert_uint_eq(diary.count, 20);
    for (size_t i = 0; i < 20; i++)
        ck_assert_int_eq(diary.entries[i].time, seconds[i] * SIM_SECOND);
}
END_TEST

START_TEST(test_chips_at_rest_do_not_fail)
{
    diary.failures.only_in_steps = true;
    record();
    ck_assert_uint_eq(diary.count, 0);
    diary.at_work = true;
    record();
    assert_renewals(100, 1e4);
}
END_TEST

/* Slices that are all lemons and fail a hundred times as often as others, once in 1000 s. */
static struct failure_process lemons(void)
{
    static char name[] = "lemons";
    return (struct failure_process){.name = name,
                                    .domain = FAULT_OF_SLICE,
                                    .kind = FAULT_STOP,
                                    .node_rate = NAN,
                                    .overall_mtbf = PARAMETER_UNSET,
                                    .every = PARAMETER_UNSET,
                                    .duration = {.law = PARAMETER_UNSET},
                                    .detection = {.law = PARAMETER_UNSET},
                                    .lemon_share = 1,
                                    .lemon_factor = 100,
                                    .lemon_cured = true};
}

/* By one Poisson process, and by a life for each. Every repair is a success, or in vain. */
START_TEST(test_lemons_are_cured)
{
    struct failure_process process = lemons();
    process.life = fixture_shaped(SIM_LAW_WEIBULL, 1e5, 1);
    if (_i % 2)
        process.life = fixture_law(SIM_LAW_EXPONENTIAL, 1e5);
    diary.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e12);
    diary.failures.processes = (struct parameter_items){&process, 1};
    diary.failures.pipeline.crews = SLICES;
    diary.failures.pipeline.broken = _i / 2;
    record();
    if (_i / 2)
        assert_renewals(100, 1e4);
    else
        assert_count((double)diary.downs, SLICES + SLICES * (diary.horizon - 1100) / 1e5, SLICES);
    ck_assert_uint_eq(diary.repairs.broken, _i / 2 ? diary.repairs.repairs : 0);
}
END_TEST

/* Slices that live for 1000 s and are back after 100 s, by themselves or in pairs, or that nobody finds: each
 * has one life at a time, be it struck by others or again. */
START_TEST(test_a_unit_has_one_life)
{
    struct failure_process process = lemons();
    process.lemon_share = 0;
    process.life = fixture_law(SIM_LAW_CONSTANT, 1000);
    process.burst_chance = _i == 1;
    process.burst_units = 2;
    process.burst_neighbourhood = PARAMETER_UNSET;
    process.burst_within = 500 * SIM_SECOND;
    diary.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e12);
    diary.failures.processes = (struct parameter_items){&process, 1};
    diary.failures.pipeline.crews = SLICES;
    diary.failures.pipeline.undiagnosed = _i == 2 ? 0.5 : 0;
    diary.failures.pipeline.relapse = fixture_law(SIM_LAW_CONSTANT, 10);
    record();
    double lives = SLICES * diary.horizon / 1000, most = lives * (_i == 0 ? 1 : 2);
    ck_assert_double_ge((double)diary.downs, 0.8 * lives);
    ck_assert_double_le((double)diary.downs, most);
}
END_TEST

START_TEST(test_processes_at_rest)
{
    struct failure_process process = lemons();
    process.life = fixture_law(SIM_LAW_EXPONENTIAL, 1e5);
    diary.failures.chip = fixture_law(SIM_LAW_EXPONENTIAL, 1e12);
    diary.failures.processes = (struct parameter_items){&process, 1};
    diary.failures.only_in_steps = true;
    record();
    ck_assert_uint_eq(diary.count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pipeline");
    TCase *tests = tcase_create("pipeline");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_a_limit_that_is_never_reached);
    tcase_add_test(tests, test_two_stages);
    tcase_add_test(tests, test_one_crew);
    tcase_add_test(tests, test_relapses);
    tcase_add_test(tests, test_wrong_diagnoses);
    tcase_add_test(tests, test_nobody_is_found);
    tcase_add_test(tests, test_slices_retire);
    tcase_add_test(tests, test_lives_begin_with_the_return);
    tcase_add_test(tests, test_chips_at_rest_do_not_fail);
    tcase_add_loop_test(tests, test_lemons_are_cured, 0, 4);
    tcase_add_loop_test(tests, test_a_unit_has_one_life, 0, 3);
    tcase_add_test(tests, test_processes_at_rest);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
