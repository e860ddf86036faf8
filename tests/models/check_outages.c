/*
 * Outages against the laws of renewal processes. A diary notes who goes down and up when.
 */
#include "models/failures/outages.h"
#include "models/priority.h"
#include "tests/models/fixture.h"
#include "tests/sim/statistics.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    sim_time time;
    int64_t slice;
    bool down;
};

struct diary {
    struct sim_engine *engine;
    struct entry *entries;
    size_t count, downs, capacity;
    bool marks_kept;
};

static void note(struct diary *diary, int64_t slice, bool down)
{
    if (diary->count == diary->capacity) {
        diary->capacity = diary->capacity ? 2 * diary->capacity : 1024;
        diary->entries = realloc(diary->entries, diary->capacity * sizeof *diary->entries);
    }
    diary->entries[diary->count++] = (struct entry){sim_engine_now(diary->engine), slice, down};
    diary->downs += down;
}

/* The mark is 0 until it is written, and then the slice's own. */
static void on_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    (void)fault;
    ((struct diary *)context)->marks_kept &= *mark == 0 || *mark == (uint64_t)slice + 1;
    *mark = (uint64_t)slice + 1;
    note(context, slice, true);
}

static void on_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    (void)cause;
    ((struct diary *)context)->marks_kept &= *mark == (uint64_t)slice + 1;
    note(context, slice, false);
}

struct setting {
    struct failure_config failures;
    int64_t chips, chips_per_slice;
    double horizon; /* seconds */
    uint64_t seed;
};

static struct setting setting_of(struct sim_law_spec chip, struct sim_law_spec repair)
{
    return (struct setting){.failures = {.enabled = true, .chip = chip, .repair = repair},
                            .chips = 1000,
                            .chips_per_slice = 10,
                            .horizon = 1e6,
                            .seed = 1};
}

static struct diary record(const struct setting *setting)
{
    struct error error = {.kind = ERROR_NONE};
    struct diary diary = {.engine = sim_engine_create(&error), .marks_kept = true};
    struct outages_observer observer = {.context = &diary, .slice_down = on_down, .slice_up = on_up};
    struct units units;
    sim_time horizon = sim_time_from_seconds(setting->horizon);
    units_init(&units, setting->chips, setting->chips_per_slice);
    struct outages *outages =
        outages_create(diary.engine, &setting->failures, &units, setting->seed, 0, horizon, observer, &error);
    ck_assert_msg(outages != NULL, "%s", error.message);
    ck_assert(sim_engine_run(diary.engine, SIM_NEVER, &error));
    ck_assert(!outages_failed(outages) && diary.marks_kept);
    ck_assert_uint_eq(outages_count(outages), diary.downs);
    outages_destroy(outages);
    sim_engine_destroy(diary.engine);
    return diary;
}

static bool is_equal(const struct diary *a, const struct diary *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->entries[i].time != b->entries[i].time || a->entries[i].slice != b->entries[i].slice ||
            a->entries[i].down != b->entries[i].down)
            return false;
    return true;
}

/* Downs and ups of a slice take turns, and none is later than the horizon. */
static void assert_alternate(const struct diary *diary, const struct setting *setting)
{
    int64_t slices = (setting->chips - 1) / setting->chips_per_slice + 1;
    bool *down = calloc((size_t)slices, sizeof *down);
    bool alternate = true;
    for (size_t i = 0; i < diary->count; i++) {
        const struct entry *entry = &diary->entries[i];
        alternate &= entry->slice >= 0 && entry->slice < slices && down[entry->slice] != entry->down;
        down[entry->slice] = entry->down;
    }
    ck_assert(alternate);
    ck_assert(diary->count == 0 ||
              diary->entries[diary->count - 1].time <= sim_time_from_seconds(setting->horizon));
    free(down);
}

static void assert_count(double got, double mean, double variance)
{
    ck_assert_msg(fabs(got - mean) <= SIGMAS * sqrt(variance) + 1e-9, "%g is not %g within %g", got, mean,
                  SIGMAS * sqrt(variance));
}

/* Without memory. */

static const double day = 86400, no_time = 1e-6;

START_TEST(test_exponential_chips_are_one_poisson_process)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1e6), fixture_law(SIM_LAW_CONSTANT, no_time));
    setting.chips = 10000;
    setting.chips_per_slice = 100;
    struct diary diary = record(&setting);
    assert_alternate(&diary, &setting);
    assert_count((double)diary.downs, 1e4, 1e4);
    uint64_t counts[100] = {0};
    for (size_t i = 0; i < diary.count; i++)
        counts[diary.entries[i].slice] += diary.entries[i].down;
    ck_assert_double_lt(fabs(chi_square_sigmas(counts, 100)), SIGMAS);
    free(diary.entries);
}
END_TEST

static double exponential_survival(const void *mean, double x)
{
    return exp(-fmax(x, 0) / *(const double *)mean);
}

/* By superposition, or by a life for each chip under a Weibull law that has no memory either. */
START_TEST(test_both_roads_give_the_same_law)
{
    struct sim_law_spec laws[] = {fixture_law(SIM_LAW_EXPONENTIAL, 1e6),
                                  fixture_shaped(SIM_LAW_WEIBULL, 1e6, 1)};
    struct setting setting = setting_of(laws[_i], fixture_law(SIM_LAW_CONSTANT, no_time));
    setting.horizon = 1e7;
    struct diary diary = record(&setting);
    double between = 1e6 / 1000, *gaps = calloc(diary.downs, sizeof *gaps);
    size_t count = 0;
    double last = 0;
    for (size_t i = 0; i < diary.count; i++)
        if (diary.entries[i].down) {
            double now = sim_time_to_seconds(diary.entries[i].time);
            gaps[count++] = now - last;
            last = now;
        }
    assert_count((double)count, 1e4, 1e4);
    ck_assert_double_lt(kolmogorov_smirnov(gaps, count, exponential_survival, &between), KS_LIMIT);
    free(gaps);
    free(diary.entries);
}
END_TEST

/* The last slice has half the chips. */
START_TEST(test_a_smaller_slice_fails_less)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1e6), fixture_law(SIM_LAW_CONSTANT, no_time));
    setting.chips = 1500;
    setting.chips_per_slice = 1000;
    setting.horizon = 1e7;
    struct diary diary = record(&setting);
    double last = 0;
    for (size_t i = 0; i < diary.count; i++)
        last += diary.entries[i].down && diary.entries[i].slice == 1;
    assert_count(last, 5000, 5000);
    assert_count((double)diary.downs - last, 10000, 10000);
    free(diary.entries);
}
END_TEST

/* A slice is up for an exponential time of mean 1000 s and down for 500 s: a renewal process of variance
 * t·σ²/μ³. */
START_TEST(test_a_slice_that_is_down_ignores_failures)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1e4), fixture_law(SIM_LAW_CONSTANT, 500));
    struct diary diary = record(&setting);
    assert_alternate(&diary, &setting);
    double cycles = 1e6 / 1500, slices = 100;
    assert_count((double)diary.downs, slices * cycles, slices * cycles * 1e6 / (1500.0 * 1500));
    free(diary.entries);
}
END_TEST

/* With memory. */

/* Slices of one chip that do not return: how many have failed is binomial. */
static void assert_failed_by(struct setting setting, double chance)
{
    setting.chips_per_slice = 1;
    setting.chips = 20000;
    setting.failures.repair = fixture_law(SIM_LAW_CONSTANT, 1e9);
    struct diary diary = record(&setting);
    double n = (double)setting.chips;
    assert_count((double)diary.downs, n * chance, n * chance * (1 - chance));
    free(diary.entries);
}

/* The scale of a Weibull law of mean 1. */
static double weibull_scale(double shape)
{
    return 1 / tgamma(1 + 1 / shape);
}

START_TEST(test_a_fresh_fleet)
{
    static const double shapes[] = {0.5, 0.8, 2};
    double shape = shapes[_i], scale = 100 * day * weibull_scale(shape);
    struct setting setting =
        setting_of(fixture_shaped(SIM_LAW_WEIBULL, 100 * day, shape), fixture_law(SIM_LAW_CONSTANT, 1));
    setting.horizon = 10 * day;
    assert_failed_by(setting, -expm1(-pow(setting.horizon / scale, shape)));
}
END_TEST

START_TEST(test_an_aged_fleet)
{
    static const double shapes[] = {0.5, 0.8, 2};
    double shape = shapes[_i], scale = 100 * day * weibull_scale(shape), age = 50 * day;
    struct setting setting =
        setting_of(fixture_shaped(SIM_LAW_WEIBULL, 100 * day, shape), fixture_law(SIM_LAW_CONSTANT, 1));
    setting.horizon = 10 * day;
    setting.failures.initial_age = sim_time_from_seconds(age);
    double hazard = pow((age + setting.horizon) / scale, shape) - pow(age / scale, shape);
    assert_failed_by(setting, -expm1(-hazard));
}
END_TEST

/* The first of 64 chips: Weibull again, its scale divided by 64^(1/k). */
START_TEST(test_the_weakest_chip_of_a_slice)
{
    double shape = 0.7, scale = 100 * day * weibull_scale(shape) * pow(64, -1 / shape);
    struct setting setting =
        setting_of(fixture_shaped(SIM_LAW_WEIBULL, 100 * day, shape), fixture_law(SIM_LAW_CONSTANT, 1e9));
    setting.chips = 64000;
    setting.chips_per_slice = 64;
    setting.horizon = 0.5 * day;
    struct diary diary = record(&setting);
    double chance = -expm1(-pow(setting.horizon / scale, shape));
    assert_count((double)diary.downs, 1000 * chance, 1000 * chance * (1 - chance));
    free(diary.entries);
}
END_TEST

/* In the long run a slice of one chip fails once in a mean life and a mean repair. */
START_TEST(test_the_long_run)
{
    struct setting setting =
        setting_of(fixture_shaped(SIM_LAW_WEIBULL, 1000, 2), fixture_law(SIM_LAW_CONSTANT, 200));
    setting.chips_per_slice = 1;
    setting.horizon = 3e5;
    struct diary diary = record(&setting);
    assert_alternate(&diary, &setting);
    double life_variance = 1e6 * (tgamma(2) / (tgamma(1.5) * tgamma(1.5)) - 1), cycles = 3e5 / 1200;
    double start = life_variance / (2 * 1200 * 1200.0) - 0.5 + 200.0 / 1200; /* of a new one, up at first */
    assert_count((double)diary.downs, 1000 * (cycles + start),
                 1000 * cycles * life_variance / (1200 * 1200.0));
    free(diary.entries);
}
END_TEST

/* All chips fail at 1000 s, and every slice goes down just once. At 2000 s those fail that were replaced
 * unnoticed; the chip whose failure was noticed began again with its slice's return at 1100 s. */
START_TEST(test_constant_lives)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_CONSTANT, 1000), fixture_law(SIM_LAW_CONSTANT, 100));
    setting.horizon = 2100;
    struct diary diary = record(&setting);
    assert_alternate(&diary, &setting);
    ck_assert_uint_eq(diary.count, 400);
    for (size_t i = 0; i < diary.count; i++) {
        static const int64_t seconds[] = {1000, 1100, 2000, 2100};
        ck_assert(diary.entries[i].time == seconds[i / 100] * SIM_SECOND &&
                  diary.entries[i].down == (i / 100 % 2 == 0));
    }
    free(diary.entries);
}
END_TEST

START_TEST(test_constant_lives_of_single_chips)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_CONSTANT, 1000), fixture_law(SIM_LAW_CONSTANT, 100));
    setting.chips_per_slice = 1;
    setting.failures.initial_age = 300 * SIM_SECOND;
    setting.horizon = 1800; /* down at 700 and at 800 + 1000 */
    struct diary diary = record(&setting);
    ck_assert_uint_eq(diary.downs, 2000);
    ck_assert_int_eq(diary.entries[0].time, 700 * SIM_SECOND);
    ck_assert_int_eq(diary.entries[diary.count - 1].time, 1800 * SIM_SECOND);
    free(diary.entries);
}
END_TEST

/* Repairs. */

struct tested_law {
    struct sim_distribution *distribution;
};

static double repair_survival(const void *law, double x)
{
    return sim_distribution_survival(((const struct tested_law *)law)->distribution, fmax(x, 0));
}

START_TEST(test_repair_times)
{
    struct sim_law_spec repair = fixture_shaped(SIM_LAW_EXPONENTIATED_WEIBULL, 300, 0.7);
    struct setting setting = setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1e6), repair);
    setting.horizon = 1e7;
    struct diary diary = record(&setting);
    double *times = calloc(diary.downs, sizeof *times), since[100] = {0};
    size_t count = 0;
    for (size_t i = 0; i < diary.count; i++) {
        double now = sim_time_to_seconds(diary.entries[i].time);
        if (diary.entries[i].down)
            since[diary.entries[i].slice] = now;
        else
            times[count++] = now - since[diary.entries[i].slice];
    }
    struct tested_law law = {sim_distribution_create(&repair, NULL)};
    ck_assert_uint_gt(count, 9000);
    ck_assert_double_lt(kolmogorov_smirnov(times, count, repair_survival, &law), KS_LIMIT);
    sim_distribution_destroy(law.distribution);
    free(times);
    free(diary.entries);
}
END_TEST

/* How long SLICE is down the first time; -1 if it never is. */
static sim_time first_repair(const struct diary *diary, int64_t slice)
{
    sim_time since = -1;
    for (size_t i = 0; i < diary->count; i++)
        if (diary->entries[i].slice == slice) {
            if (since >= 0)
                return diary->entries[i].time - since;
            since = diary->entries[i].time;
        }
    return -1;
}

static sim_time first_failure(const struct diary *diary, int64_t slice)
{
    for (size_t i = 0; i < diary->count; i++)
        if (diary->entries[i].slice == slice)
            return diary->entries[i].time;
    return -1;
}

/* The n-th repair of a slice is its own, whatever made the chips fail. */
START_TEST(test_repairs_do_not_depend_on_failures)
{
    struct sim_law_spec repair = fixture_shaped(SIM_LAW_EXPONENTIATED_WEIBULL, 300, 0.7);
    struct setting setting = setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1e6), repair);
    struct setting other = setting_of(fixture_shaped(SIM_LAW_WEIBULL, 2e5, 0.8), repair);
    struct diary a = record(&setting), b = record(&other);
    size_t compared = 0;
    for (int64_t slice = 0; slice < 100; slice++) {
        sim_time one = first_repair(&a, slice), two = first_repair(&b, slice);
        ck_assert(one < 0 || two < 0 || one == two);
        compared += one >= 0 && two >= 0;
    }
    ck_assert_uint_gt(compared, 90);
    free(a.entries);
    free(b.entries);
}
END_TEST

/* Common random numbers. */

START_TEST(test_repairs_do_not_move_first_failures)
{
    struct sim_law_spec laws[] = {fixture_law(SIM_LAW_EXPONENTIAL, 1e6),
                                  fixture_shaped(SIM_LAW_WEIBULL, 1e6, 0.8)};
    struct setting setting = setting_of(laws[_i], fixture_law(SIM_LAW_CONSTANT, 10));
    struct diary quick = record(&setting);
    setting.failures.repair = fixture_law(SIM_LAW_EXPONENTIAL, 1e5);
    struct diary slow = record(&setting);
    ck_assert_uint_gt(quick.downs, slow.downs);
    for (int64_t slice = 0; slice < 100; slice++)
        ck_assert_int_eq(first_failure(&quick, slice), first_failure(&slow, slice));
    free(quick.entries);
    free(slow.entries);
}
END_TEST

START_TEST(test_a_longer_run_begins_like_a_shorter_one)
{
    struct sim_law_spec laws[] = {fixture_law(SIM_LAW_EXPONENTIAL, 1e6),
                                  fixture_shaped(SIM_LAW_WEIBULL, 1e6, 0.8)};
    struct setting setting = setting_of(laws[_i], fixture_law(SIM_LAW_EXPONENTIAL, 1e4));
    struct diary shorter = record(&setting);
    setting.horizon *= 2;
    struct diary longer = record(&setting);
    ck_assert_uint_gt(longer.count, shorter.count);
    longer.count = shorter.count;
    ck_assert(is_equal(&shorter, &longer));
    free(shorter.entries);
    free(longer.entries);
}
END_TEST

START_TEST(test_a_seed_names_its_outages)
{
    struct sim_law_spec laws[] = {fixture_law(SIM_LAW_EXPONENTIAL, 1e6),
                                  fixture_shaped(SIM_LAW_WEIBULL, 1e6, 0.8)};
    struct setting setting = setting_of(laws[_i], fixture_law(SIM_LAW_EXPONENTIAL, 1e4));
    struct diary one = record(&setting), again = record(&setting);
    setting.seed = 2;
    struct diary other = record(&setting);
    ck_assert(is_equal(&one, &again));
    ck_assert(!is_equal(&one, &other));
    free(one.entries);
    free(again.entries);
    free(other.entries);
}
END_TEST

/* Another listener, who also keeps the engine busy at the same instants. */
struct busy {
    struct diary diary;
    uint32_t actor;
};

static void do_nothing(struct sim_engine *engine, void *actor, uint32_t argument)
{
    (void)engine, (void)actor, (void)argument;
}

static void on_busy_down(void *context, int64_t slice, const struct fault *fault, uint64_t *mark)
{
    (void)fault;
    struct busy *busy = context;
    *mark = ~UINT64_C(0);
    sim_engine_schedule(busy->diary.engine, sim_engine_now(busy->diary.engine), PRIORITY_LEARNER, busy->actor,
                        0);
    note(&busy->diary, slice, true);
}

static void on_busy_up(void *context, int64_t slice, int32_t cause, uint64_t *mark)
{
    (void)cause, (void)mark;
    note(&((struct busy *)context)->diary, slice, false);
}

START_TEST(test_listeners_change_nothing)
{
    struct setting setting =
        setting_of(fixture_shaped(SIM_LAW_WEIBULL, 1e6, 0.8), fixture_law(SIM_LAW_EXPONENTIAL, 1e4));
    struct diary quiet = record(&setting);
    struct busy busy = {.diary = {.engine = sim_engine_create(NULL)}};
    busy.actor = sim_engine_add_actor(busy.diary.engine, do_nothing, NULL);
    struct outages_observer observer = {.context = &busy, .slice_down = on_busy_down, .slice_up = on_busy_up};
    struct units units;
    units_init(&units, setting.chips, setting.chips_per_slice);
    struct outages *outages = outages_create(busy.diary.engine, &setting.failures, &units, 1, 0,
                                             sim_time_from_seconds(setting.horizon), observer, NULL);
    ck_assert(sim_engine_run(busy.diary.engine, SIM_NEVER, NULL));
    ck_assert(is_equal(&quiet, &busy.diary));
    outages_destroy(outages);
    sim_engine_destroy(busy.diary.engine);
    free(busy.diary.entries);
    free(quiet.entries);
}
END_TEST

START_TEST(test_switched_off)
{
    struct setting setting =
        setting_of(fixture_law(SIM_LAW_EXPONENTIAL, 1), fixture_law(SIM_LAW_CONSTANT, 1));
    setting.failures.enabled = false;
    struct diary diary = record(&setting);
    ck_assert_uint_eq(diary.count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outages");
    TCase *tests = tcase_create("outages");
    tcase_add_test(tests, test_exponential_chips_are_one_poisson_process);
    tcase_add_loop_test(tests, test_both_roads_give_the_same_law, 0, 2);
    tcase_add_test(tests, test_a_smaller_slice_fails_less);
    tcase_add_test(tests, test_a_slice_that_is_down_ignores_failures);
    tcase_add_loop_test(tests, test_a_fresh_fleet, 0, 3);
    tcase_add_loop_test(tests, test_an_aged_fleet, 0, 3);
    tcase_add_test(tests, test_the_weakest_chip_of_a_slice);
    tcase_add_test(tests, test_the_long_run);
    tcase_add_test(tests, test_constant_lives);
    tcase_add_test(tests, test_constant_lives_of_single_chips);
    tcase_add_test(tests, test_repair_times);
    tcase_add_test(tests, test_repairs_do_not_depend_on_failures);
    tcase_add_loop_test(tests, test_repairs_do_not_move_first_failures, 0, 2);
    tcase_add_loop_test(tests, test_a_longer_run_begins_like_a_shorter_one, 0, 2);
    tcase_add_loop_test(tests, test_a_seed_names_its_outages, 0, 2);
    tcase_add_test(tests, test_listeners_change_nothing);
    tcase_add_test(tests, test_switched_off);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
