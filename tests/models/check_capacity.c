/*
 * Capacity over time: schedules and daily patterns at their times, random pieces and outages against the
 * means of renewal theory, and that asking often or seldom gives the same.
 */
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

#define LAW(LAW_NUMBER, ...)                                                                                 \
    {                                                                                                        \
        .law = LAW_NUMBER, .mean = NAN, .median = NAN, .low = NAN, .high = NAN, .deviation = NAN,            \
        .shape = NAN, .power = NAN, .sigma = NAN, __VA_ARGS__                                                \
    }
#define EXPONENTIAL(MEAN) LAW(SIM_LAW_EXPONENTIAL, .mean = MEAN)

static struct capacity *open_capacity(const struct network_profile *profile, uint64_t link)
{
    struct error error = {0};
    struct capacity *capacity = capacity_create(profile, 1, 0, link, &error);
    ck_assert_msg(capacity != NULL, "%s", error.message);
    return capacity;
}

static double at(struct capacity *capacity, double seconds)
{
    return capacity_at(capacity, sim_time_from_seconds(seconds));
}

static double next(const struct capacity *capacity)
{
    return sim_time_to_seconds(capacity_next(capacity));
}

START_TEST(a_profile_of_nothing_changes_nothing)
{
    struct network_profile profile = PROFILE("p");
    struct capacity *capacity = open_capacity(&profile, 0);
    ck_assert_double_eq(at(capacity, 1e6), 1);
    ck_assert_int_eq(capacity_next(capacity), SIM_NEVER);
    ck_assert_double_eq(profile_changes(&profile, 1e9), 0);
    capacity_destroy(capacity);
}
END_TEST

START_TEST(a_schedule_is_kept)
{
    double times[] = {10, 20, 40}, factors[] = {0.5, 0, 2};
    struct network_profile profile = PROFILE("p", .schedule_at = {times, 3}, .schedule_factor = {factors, 3});
    struct capacity *capacity = open_capacity(&profile, 0);
    ck_assert_double_eq(at(capacity, 0), 1);
    ck_assert_double_eq(next(capacity), 10);
    ck_assert_double_eq(capacity_at(capacity, 10 * SIM_SECOND - 1), 1);
    ck_assert_double_eq(at(capacity, 10), 0.5);
    ck_assert_double_eq(next(capacity), 20);
    ck_assert_double_eq(at(capacity, 39), 0);
    ck_assert_double_eq(next(capacity), 40);
    ck_assert_double_eq(at(capacity, 1e6), 2);
    ck_assert_int_eq(capacity_next(capacity), SIM_NEVER);
    capacity_destroy(capacity);
}
END_TEST

START_TEST(a_schedule_repeats)
{
    double times[] = {8, 20}, factors[] = {0.25, 0.75};
    struct network_profile profile = PROFILE("p", .schedule_at = {times, 2}, .schedule_factor = {factors, 2},
                                             .schedule_every = 24 * SIM_SECOND);
    struct capacity *capacity = open_capacity(&profile, 0);
    for (int day = 0; day < 10; day++) {
        double start = 24 * day;
        ck_assert_double_eq(at(capacity, start), 0.75);
        ck_assert_double_eq(next(capacity), start + 8);
        ck_assert_double_eq(at(capacity, start + 8), 0.25);
        ck_assert_double_eq(next(capacity), start + 20);
        ck_assert_double_eq(at(capacity, start + 20), 0.75);
        ck_assert_double_eq(next(capacity), start + 32);
    }
    ck_assert_double_eq(profile_changes(&profile, 240), 20);
    capacity_destroy(capacity);
}
END_TEST

START_TEST(a_day_has_its_lowest_hour)
{
    struct network_profile profile = PROFILE("p", .daily_lowest = 0.4, .daily_at = 20 * 3600 * SIM_SECOND);
    struct capacity *capacity = open_capacity(&profile, 0);
    double sum = 0, least = 2, most = 0;
    for (int quarter = 0; quarter < 96; quarter++) {
        double factor = at(capacity, 900 * quarter);
        ck_assert_double_eq(at(capacity, 900 * quarter + 899), factor);
        ck_assert_double_eq(next(capacity), 900 * (quarter + 1));
        ck_assert(factor >= 0.4 && (quarter != 80 || factor == 0.4) && (quarter != 32 || factor == 1));
        least = fmin(least, factor);
        most = fmax(most, factor);
        sum += factor;
    }
    ck_assert_double_eq(least, 0.4);
    ck_assert_double_eq(most, 1);
    ck_assert_double_eq_tol(sum / 96, 0.7, 1e-12);
    ck_assert_double_eq(at(capacity, 10 * 86400 + 80 * 900), 0.4);
    capacity_destroy(capacity);
}
END_TEST

/* Mean of the factor over SECONDS, walking from change to change. */
static double walk(struct capacity *capacity, double seconds, double *changes)
{
    double sum = 0;
    sim_time t = 0, end = sim_time_from_seconds(seconds);
    *changes = 0;
    while (t < end) {
        double factor = capacity_at(capacity, t);
        sim_time change = capacity_next(capacity) < end ? capacity_next(capacity) : end;
        ck_assert_int_gt(change, t);
        sum += factor * sim_time_to_seconds(change - t);
        t = change;
        ++*changes;
    }
    return sum / seconds;
}

/* Pieces of 60 s, factor uniform on 0.2 … 1: after n pieces the mean is normal, relative variance of lengths
 * 1, so that its deviation is √(2/n)·deviation of the factor. */
START_TEST(random_pieces_have_their_means)
{
    struct network_profile profile = PROFILE(
        "p", .random_factor = LAW(SIM_LAW_UNIFORM, .low = 0.2, .high = 1), .random_lasting = EXPONENTIAL(60));
    struct capacity *capacity = open_capacity(&profile, 3);
    double changes, mean = walk(capacity, 60 * 40000.0, &changes);
    ck_assert_double_eq_tol(mean, 0.6, 5 * sqrt(2.0 / 40000) * 0.8 / sqrt(12));
    ck_assert_double_eq_tol(changes, 40000, 5 * 200);
    ck_assert_double_eq(profile_changes(&profile, 6000), 100);
    capacity_destroy(capacity);
}
END_TEST

/* Availability up/(up + down) of an alternating renewal process; its deviation is √(2·u²·d²/((u+d)³·T)) for
 * exponential times. */
START_TEST(outages_have_their_availability)
{
    const double up = 3600, down = 400, seconds = 4000 * 20000.0;
    struct network_profile profile =
        PROFILE("p", .outage_after = EXPONENTIAL(up), .outage_lasting = EXPONENTIAL(down));
    struct capacity *capacity = open_capacity(&profile, 3);
    ck_assert_double_eq(at(capacity, 0), 1);
    double changes, mean = walk(capacity, seconds, &changes);
    double deviation = sqrt(2 * up * up * down * down / (pow(up + down, 3) * seconds));
    ck_assert_double_eq_tol(mean, 0.9, 5 * deviation);
    ck_assert_double_eq_tol(changes, 40000, 5 * 200);
    capacity_destroy(capacity);
}
END_TEST

static struct network_profile everything(double *times, double *factors)
{
    struct network_profile profile = PROFILE(
        "p", .schedule_at = {times, 2}, .schedule_factor = {factors, 2}, .schedule_every = 7000 * SIM_SECOND,
        .daily_lowest = 0.1, .random_factor = LAW(SIM_LAW_LOG_NORMAL, .median = 1, .sigma = 0.5),
        .random_lasting = EXPONENTIAL(300), .outage_after = EXPONENTIAL(5000),
        .outage_lasting = LAW(SIM_LAW_LOG_NORMAL, .median = 60, .sigma = 1));
    return profile;
}

/* Who looks seldom sees what he sees who looks at every change; nothing changes before it was foretold. */
START_TEST(it_does_not_matter_how_often_one_looks)
{
    double times[] = {1000, 5000}, factors[] = {0.5, 1};
    struct network_profile profile = everything(times, factors);
    struct capacity *often = open_capacity(&profile, 8), *seldom = open_capacity(&profile, 8);
    struct sim_stream stream;
    sim_stream_open(&stream, 1, 0, 9, 0);
    for (sim_time t = 0, look = 0; t < 10 * 86400 * SIM_SECOND; t = capacity_next(often)) {
        double factor = capacity_at(often, t);
        while (look < capacity_next(often)) {
            if (look >= t)
                ck_assert_double_eq(capacity_at(seldom, look), factor);
            look += (sim_time)(sim_stream_uniform(&stream) * 5e11);
        }
    }
    capacity_destroy(often);
    capacity_destroy(seldom);
}
END_TEST

START_TEST(links_replications_and_seeds_differ)
{
    double times[] = {1000, 5000}, factors[] = {0.5, 1};
    struct network_profile profile = everything(times, factors);
    struct capacity *capacities[] = {
        capacity_create(&profile, 1, 0, 1, NULL), capacity_create(&profile, 1, 0, 2, NULL),
        capacity_create(&profile, 1, 1, 1, NULL), capacity_create(&profile, 2, 0, 1, NULL),
        capacity_create(&profile, 1, 0, 1, NULL)};
    double first[5];
    for (size_t i = 0; i < 5; i++) {
        first[i] = sim_time_to_seconds(capacity_next(capacities[i]));
        for (size_t j = 0; j < i; j++)
            ck_assert((first[i] == first[j]) == (i == 4 && j == 0));
        capacity_destroy(capacities[i]);
    }
}
END_TEST

/* Lengths of 0 go on all the same, a millisecond at a time; an outage without end has none. */
START_TEST(extremes_make_no_endless_loop)
{
    double zeros[] = {0, 0, 0, 1};
    struct network_profile profile = PROFILE("p", .random_factor = LAW(SIM_LAW_CONSTANT, .mean = 0.5),
                                             .random_lasting = LAW(SIM_LAW_EMPIRICAL, .values = {zeros, 4}));
    struct capacity *capacity = open_capacity(&profile, 1);
    ck_assert_double_eq(at(capacity, 100), 0.5);
    ck_assert_int_gt(capacity_next(capacity), 100 * SIM_SECOND);
    capacity_destroy(capacity);
    profile.random_lasting = (struct sim_law_spec)LAW(SIM_LAW_CONSTANT, .mean = 1e-9);
    capacity = open_capacity(&profile, 1);
    ck_assert_int_eq(capacity_next(capacity), SIM_MILLISECOND);
    capacity_destroy(capacity);
    struct network_profile gone = PROFILE("p", .outage_after = LAW(SIM_LAW_CONSTANT, .mean = 5),
                                          .outage_lasting = LAW(SIM_LAW_CONSTANT, .mean = 1e300));
    capacity = open_capacity(&gone, 1);
    ck_assert_double_eq(at(capacity, 5), 0);
    ck_assert_int_eq(capacity_next(capacity), SIM_NEVER);
    ck_assert_double_eq(capacity_at(capacity, SIM_NEVER - 1), 0);
    capacity_destroy(capacity);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("capacity");
    TCase *tests = tcase_create("capacity");
    tcase_add_test(tests, a_profile_of_nothing_changes_nothing);
    tcase_add_test(tests, a_schedule_is_kept);
    tcase_add_test(tests, a_schedule_repeats);
    tcase_add_test(tests, a_day_has_its_lowest_hour);
    tcase_add_test(tests, random_pieces_have_their_means);
    tcase_add_test(tests, outages_have_their_availability);
    tcase_add_test(tests, it_does_not_matter_how_often_one_looks);
    tcase_add_test(tests, links_replications_and_seeds_differ);
    tcase_add_test(tests, extremes_make_no_endless_loop);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
