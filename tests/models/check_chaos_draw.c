/*
 * What chaos entries are drawn into: on a ground of 100 slices of 4 hosts of 4 chips in 5 racks at 2 sites,
 * the first of 40 slices.
 */
#include "models/failures/chaos.h"
#include "models/network/sites.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(...)                                                                                           \
    {                                                                                                        \
        .every = PARAMETER_UNSET, .rate.law = PARAMETER_UNSET, .until = PARAMETER_UNSET,                     \
        .target = PARAMETER_UNSET, .count = PARAMETER_UNSET, .share = NAN, .up_to = NAN,                     \
        .lasting = PARAMETER_UNSET, .factor = NAN, .detection = PARAMETER_UNSET, .notice = PARAMETER_UNSET,  \
        __VA_ARGS__                                                                                          \
    }
#define VALUES(...)                                                                                          \
    {                                                                                                        \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)                \
    }

static struct network_site sites[] = {SITE("A", .uplink = 1e9), SITE("B", .uplink = 1e9),
                                      SITE("C", .uplink = 1e9)};
static struct network_link links[] = {LINK("A", "B", .bandwidth = 1e9)};
static struct network_backbone backbones[] = {{.name = (char[]){"sea"}, .bandwidth = 1e9}};
static const struct network_config network =
    NETWORK(.sites = ITEMS(sites), .links = ITEMS(links), .backbones = ITEMS(backbones),
            .between.latency = SIM_MILLISECOND);
static const struct network_config no_sites = NETWORK(.wan_bandwidth = 1e9);

static void slices_of(const void *context, enum fault_domain domain, int64_t unit, int64_t *first,
                      int64_t *end)
{
    static const int64_t site_ends[] = {0, 40, 100, 100};
    (void)context;
    *first = domain == FAULT_OF_CHIP    ? unit / 16
             : domain == FAULT_OF_HOST  ? unit / 4
             : domain == FAULT_OF_SLICE ? unit
             : domain == FAULT_OF_RACK  ? unit * 20
                                        : 0;
    *end = *first + (domain == FAULT_OF_RACK ? 20 : 1);
    if (domain == FAULT_OF_SITE) {
        *first = site_ends[unit];
        *end = site_ends[unit + 1];
    } else if (domain == FAULT_OF_CLUSTER) {
        *end = 100;
    }
}

static const struct chaos_ground ground = {
    .network = &network, .slices = 100, .units = {1600, 400, 100, 5, 3, 1, 2, 1}, .slices_of = slices_of};
static const struct sim_law_spec repair = {.law = SIM_LAW_EXPONENTIAL,
                                           .mean = 300,
                                           .median = NAN,
                                           .low = NAN,
                                           .high = NAN,
                                           .deviation = NAN,
                                           .shape = NAN,
                                           .power = NAN,
                                           .sigma = NAN};

static struct sim_law_spec every_mean(double mean)
{
    struct sim_law_spec law = repair;
    law.mean = mean;
    return law;
}

static struct chaos_config config_of(struct chaos_entry *entries, size_t count)
{
    return (struct chaos_config){.entries = {entries, count}, .learners = 1};
}

static struct chaos_schedule *draw_seed(const struct chaos_config *config, uint64_t seed, double seconds)
{
    struct chaos_fault_report report;
    struct error error = {.kind = ERROR_NONE};
    ck_assert_msg(chaos_check(config, &ground, &report), "%s: %s", report.field, report.message);
    struct chaos_schedule *schedule =
        chaos_draw(config, &ground, &repair, seed, 0, sim_time_from_seconds(seconds), &error);
    ck_assert_msg(schedule != NULL, "%s", error.message);
    for (size_t i = 1; i < schedule->count; i++)
        ck_assert(schedule->faults[i - 1].at <= schedule->faults[i].at);
    return schedule;
}

static struct chaos_schedule *draw(struct chaos_entry *entries, size_t count, double seconds)
{
    struct chaos_config config = config_of(entries, count);
    return draw_seed(&config, 1, seconds);
}

START_TEST(test_times)
{
    struct chaos_entry entries[] = {ENTRY(.at = VALUES(500, 100, 2000), .action = CHAOS_KILL,
                                          .lasting = 60 * SIM_SECOND, .name = (char[]){"early"}),
                                    ENTRY(.every = 300 * SIM_SECOND, .from = 100 * SIM_SECOND,
                                          .until = 1000 * SIM_SECOND, .action = CHAOS_RESTART)};
    static const double at[] = {100, 400, 500, 700};
    static const char *const names[] = {"early 2", "restart slice 1", "early 1", "restart slice 2"};
    struct chaos_schedule *schedule = draw(entries, 2, 1000);
    ck_assert_uint_eq(schedule->count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct chaos_fault *fault = &schedule->faults[i];
        ck_assert_int_eq(fault->at, sim_time_from_seconds(at[i]));
        ck_assert_str_eq(schedule->causes[fault->fault.cause].name, names[i]);
        ck_assert_int_eq(fault->fault.kind, FAULT_STOP);
        ck_assert_int_eq(fault->fault.domain, FAULT_OF_SLICE);
        ck_assert_int_eq(fault->fault.duration, i % 2 ? 0 : 60 * SIM_SECOND);
        ck_assert(fault->fault.detection < 0 && fault->fault.notice < 0 && !fault->spared);
    }
    chaos_destroy(schedule);
}
END_TEST

/* Strikes of a rate of 100 s in 10⁶ s: 10⁴ give or take 5 times 100; the units are spread evenly. */
START_TEST(test_rate)
{
    struct chaos_entry entries[] = {
        ENTRY(.rate = every_mean(100), .action = CHAOS_KILL, .target = FAULT_OF_RACK)};
    struct chaos_schedule *schedule = draw(entries, 1, 1e6);
    double counts[5] = {0}, square = 0, repairs = 0;
    ck_assert_double_eq_tol((double)schedule->count, 1e4, 500);
    for (size_t i = 0; i < schedule->count; i++) {
        counts[schedule->faults[i].fault.unit]++;
        repairs += sim_time_to_seconds(schedule->faults[i].fault.duration);
        ck_assert_int_eq(schedule->faults[i].at % SIM_MILLISECOND, 0);
    }
    double even = (double)schedule->count / 5;
    for (size_t i = 0; i < 5; i++)
        square += (counts[i] - even) * (counts[i] - even) / even;
    ck_assert_double_lt(square, 27); /* chi-square of 4 degrees: one in 50,000 */
    ck_assert_double_eq_tol(repairs / (double)schedule->count, 300, 5 * 3);
    chaos_destroy(schedule);
}
END_TEST

static size_t strike_once(struct chaos_entry entry, uint64_t seed, int64_t *units)
{
    entry.at = (struct sim_values)VALUES(10);
    struct chaos_config config = config_of(&entry, 1);
    struct chaos_schedule *schedule = draw_seed(&config, seed, 100);
    size_t count = schedule->count;
    for (size_t i = 0; i < count; i++) {
        units[i] = schedule->faults[i].fault.unit;
        ck_assert(i == 0 || units[i] > units[i - 1]);
        ck_assert_int_eq(schedule->faults[i].fault.cause, 0);
    }
    ck_assert_uint_eq(schedule->cause_count, 1);
    chaos_destroy(schedule);
    return count;
}

START_TEST(test_selectors)
{
    int64_t units[1600];
    bool most = false;
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.action = CHAOS_KILL), 1, units), 1);
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.all = true), 1, units), 100);
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.count = 7), 1, units), 7);
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.share = 0.251), 1, units), 26);
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.count = 3, .target = FAULT_OF_CHIP), 1, units),
                      3);
    for (uint64_t seed = 0; seed < 200; seed++) {
        size_t count = strike_once((struct chaos_entry)ENTRY(.up_to = 0.05), seed, units);
        ck_assert(count >= 1 && count <= 5);
        most |= count == 5;
    }
    ck_assert(most);
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.units = VALUES(9, 3, 9)), 1, units), 2);
    ck_assert_int_eq(units[0], 3);
    ck_assert_uint_eq(
        strike_once((struct chaos_entry)ENTRY(.target = FAULT_OF_SITE, .named = (char[]){"B, A"}), 1, units),
        2);
    ck_assert_int_eq(units[1], 1);
}
END_TEST

START_TEST(test_within_a_site)
{
    int64_t units[1600];
    ck_assert_uint_eq(strike_once((struct chaos_entry)ENTRY(.all = true, .within = (char[]){"A"}), 1, units),
                      40);
    ck_assert_int_eq(units[39], 39);
    ck_assert_uint_eq(
        strike_once((struct chaos_entry)ENTRY(.share = 0.5, .within = (char[]){"B"}, .target = FAULT_OF_HOST),
                    1, units),
        120);
    ck_assert_int_ge(units[0], 160);
    ck_assert_uint_eq(
        strike_once((struct chaos_entry)ENTRY(.all = true, .within = (char[]){"A"}, .target = FAULT_OF_RACK),
                    1, units),
        2);
}
END_TEST

START_TEST(test_links)
{
    static const struct chaos_entry partition =
        ENTRY(.action = CHAOS_PARTITION, .target = FAULT_OF_LINK, .lasting = SIM_SECOND);
    struct chaos_entry entry = partition;
    int64_t units[1600], number;
    entry.named = (char[]){"B to A, sea,C to A"};
    ck_assert_uint_eq(strike_once(entry, 1, units), 3);
    ck_assert_int_eq(units[0], 0);
    ck_assert_int_eq(chaos_link_of(&network, units[0], &number), CHAOS_LINK_ENTRY);
    ck_assert_int_eq(chaos_link_of(&network, units[1], &number), CHAOS_LINK_BACKBONE);
    ck_assert_int_eq(chaos_link_of(&network, units[2], &number), CHAOS_LINK_BETWEEN);
    ck_assert_int_eq(number, 2);
    entry = partition;
    entry.all = true;
    ck_assert_uint_eq(strike_once(entry, 1, units), 2);
}
END_TEST

/* One entry more changes nothing of those before it; another seed changes everything. */
START_TEST(test_streams)
{
    struct chaos_entry entries[] = {
        ENTRY(.rate = every_mean(100), .action = CHAOS_KILL, .count = 3),
        ENTRY(.rate = every_mean(70), .action = CHAOS_HANG),
    };
    struct chaos_schedule *one = draw(entries, 1, 1e4), *both = draw(entries, 2, 1e4);
    size_t place = 0;
    for (size_t i = 0; i < both->count; i++) {
        if (both->faults[i].fault.kind != FAULT_STOP)
            continue;
        ck_assert_int_eq(both->faults[i].at, one->faults[place].at);
        ck_assert_int_eq(both->faults[i].fault.unit, one->faults[place].fault.unit);
        ck_assert_int_eq(both->faults[i].fault.duration, one->faults[place++].fault.duration);
    }
    ck_assert_uint_eq(place, one->count);
    struct chaos_config config = config_of(entries, 1);
    struct chaos_schedule *other = draw_seed(&config, 2, 1e4);
    ck_assert_int_ne(one->faults[0].at, other->faults[0].at);
    chaos_destroy(one);
    chaos_destroy(both);
    chaos_destroy(other);
}
END_TEST

/* The slices that SCHEDULE has down at the moment of its fault LAST, counted slice by slice. */
static int64_t count_down(const struct chaos_schedule *schedule, size_t last, int64_t *runs_up)
{
    bool down[100] = {false};
    int64_t count = 0, up[4] = {0};
    for (size_t i = 0; i <= last; i++) {
        const struct chaos_fault *fault = &schedule->faults[i];
        int64_t first, end;
        slices_of(NULL, fault->fault.domain, fault->fault.unit, &first, &end);
        bool holds = !fault->spared && fault->at + fault->fault.duration > schedule->faults[last].at;
        for (int64_t slice = first; holds && slice < end; slice++)
            down[slice] = true;
    }
    for (int64_t i = 0; i < 100; i++) {
        count += down[i];
        up[i / 25] += !down[i];
    }
    *runs_up = (up[0] > 0) + (up[1] > 0) + (up[2] > 0) + (up[3] > 0);
    return count;
}

/* Never more down than allowed; and whatever was spared would have been too much. */
START_TEST(test_limits)
{
    struct chaos_entry entries[] = {
        ENTRY(.rate = every_mean(100), .action = CHAOS_KILL, .target = FAULT_OF_RACK),
        ENTRY(.rate = every_mean(20), .action = CHAOS_KILL, .count = 2),
        ENTRY(.rate = every_mean(1000), .action = CHAOS_KILL, .target = FAULT_OF_SITE),
    };
    struct chaos_config config = config_of(entries, 3);
    config.slices_up = 0.35;
    config.learners = 4;
    config.learners_up = 3;
    struct chaos_schedule *schedule = draw_seed(&config, 1, 3e4);
    size_t spared = 0, by_runs = 0;
    int64_t runs_up;
    for (size_t i = 0; i < schedule->count; i++) {
        ck_assert_int_le(count_down(schedule, i, &runs_up), 65);
        ck_assert_int_ge(runs_up, 3);
        if (!schedule->faults[i].spared)
            continue;
        schedule->faults[i].spared = false;
        int64_t down = count_down(schedule, i, &runs_up);
        ck_assert(down > 65 || runs_up < 3);
        by_runs += down <= 65;
        schedule->faults[i].spared = true;
        spared++;
    }
    ck_assert_uint_gt(spared, 10);
    ck_assert_uint_gt(by_runs, 0);
    ck_assert_uint_lt(spared, schedule->count);
    chaos_destroy(schedule);
}
END_TEST

/* A schedule of old is taken as it is, and nothing is drawn. */
START_TEST(test_recorded)
{
    struct chaos_recorded recorded[] = {
        {.at = 20 * SIM_SECOND,
         .cause = (char[]){"b 1"},
         .kind = FAULT_SLOW,
         .domain = FAULT_OF_HOST,
         .unit = 5,
         .lasting = SIM_SECOND,
         .detection = PARAMETER_UNSET,
         .notice = PARAMETER_UNSET,
         .factor = 2},
        {.at = 10 * SIM_SECOND,
         .cause = (char[]){"a 1"},
         .kind = FAULT_STOP,
         .domain = FAULT_OF_SITE,
         .unit = 1,
         .lasting = 30,
         .detection = 40,
         .notice = 50,
         .factor = NAN,
         .spared = true},
        {.at = 10 * SIM_SECOND,
         .cause = (char[]){"a 1"},
         .kind = FAULT_STOP,
         .domain = FAULT_OF_SITE,
         .unit = 0,
         .lasting = 30,
         .detection = 40,
         .notice = 50,
         .factor = NAN},
    };
    struct chaos_entry entries[] = {ENTRY(.every = SIM_SECOND, .action = CHAOS_KILL)};
    struct chaos_config config = config_of(entries, 1);
    config.schedule = (struct parameter_items)ITEMS(recorded);
    config.slices_up = 0.9;
    struct chaos_schedule *schedule = draw_seed(&config, 1, 100);
    ck_assert_uint_eq(schedule->count, 3);
    ck_assert_uint_eq(schedule->cause_count, 2);
    const struct chaos_fault *fault = schedule->faults;
    ck_assert(fault[0].fault.unit == 0 && !fault[0].spared && fault[1].spared);
    ck_assert(fault[0].fault.duration == 30 && fault[0].fault.detection == 40 && fault[0].fault.notice == 50);
    ck_assert(fault[2].fault.duration == SIM_SECOND && fault[2].fault.detection < 0);
    ck_assert_double_eq(fault[2].fault.factor, 2);
    ck_assert_str_eq(schedule->causes[fault[2].fault.cause].name, "b 1");
    chaos_destroy(schedule);
}
END_TEST

static void assert_refused(struct chaos_entry entry, const char *field, const char *message)
{
    struct chaos_config config = config_of(&entry, 1);
    struct chaos_fault_report report;
    ck_assert(!chaos_check(&config, &ground, &report));
    ck_assert_str_eq(report.field, field);
    ck_assert_msg(strstr(report.message, message), "%s", report.message);
}

#define REFUSED(FIELD, MESSAGE, ...)                                                                         \
    assert_refused((struct chaos_entry)ENTRY(.at = VALUES(1), __VA_ARGS__), FIELD, MESSAGE)

START_TEST(test_refusals)
{
    assert_refused((struct chaos_entry)ENTRY(.action = CHAOS_KILL), "at", "when does it strike?");
    REFUSED("every", "one of", .every = 1);
    REFUSED("until", "before it begins", .from = 5, .until = 5);
    REFUSED("target", "uplink", .action = CHAOS_PARTITION, .target = FAULT_OF_SLICE, .lasting = 1);
    REFUSED("target", "links can be", .target = FAULT_OF_LINK);
    REFUSED("target", "killed or restarted", .target = FAULT_OF_SYNCER, .action = CHAOS_SLOW);
    REFUSED("factor", "at least 1", .action = CHAOS_SLOW, .lasting = 1, .factor = 0.5);
    REFUSED("factor", "at least 1; and how long does it last (\"for\")?", .action = CHAOS_SLOW);
    REFUSED("factor", "share of the bandwidth", .action = CHAOS_THROTTLE, .lasting = 1);
    REFUSED("factor", "below 1", .action = CHAOS_LOSE_PACKETS, .lasting = 1, .factor = 1);
    REFUSED("factor", "only slow", .factor = 1);
    REFUSED("for", "how long does it last", .action = CHAOS_STALL);
    REFUSED("for", "follows from", .action = CHAOS_HANG, .lasting = 1);
    REFUSED("notice", "only preempt", .notice = 1);
    REFUSED("share", "give one of", .count = 1, .share = 0.5);
    REFUSED("named", "sites and links", .named = (char[]){"A"});
    REFUSED("named", "no site \"D\"", .target = FAULT_OF_SITE, .named = (char[]){"A, D"});
    REFUSED("named", "no link", .action = CHAOS_PARTITION, .target = FAULT_OF_LINK, .lasting = 1,
            .named = (char[]){"A to D"});
    REFUSED("units", "no slice 100", .units = VALUES(100));
    REFUSED("units", "numbered", .units = VALUES(0.5));
    REFUSED("within", "no site", .within = (char[]){"D"});
    REFUSED("within", "by \"named\"", .target = FAULT_OF_SITE, .within = (char[]){"A"});
    REFUSED("within", "no slice at that site", .within = (char[]){"C"});
    REFUSED("count", "only 3", .target = FAULT_OF_SITE, .count = 4);
}
END_TEST

START_TEST(test_no_sites)
{
    struct chaos_ground bare = ground;
    struct chaos_entry entry =
        ENTRY(.at = VALUES(1), .action = CHAOS_PARTITION, .target = FAULT_OF_LINK, .lasting = 1);
    struct chaos_config config = config_of(&entry, 1);
    struct chaos_fault_report report;
    bare.network = &no_sites;
    bare.units[FAULT_OF_SITE] = bare.units[FAULT_OF_LINK] = 0;
    ck_assert(!chaos_check(&config, &bare, &report));
    ck_assert_str_eq(report.message, "there is no link in the scenario");
    entry.units = (struct sim_values)VALUES(5);
    ck_assert(chaos_check(&config, &bare, &report));
    entry.target = FAULT_OF_SITE;
    ck_assert(!chaos_check(&config, &bare, &report));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chaos drawn");
    TCase *tests = tcase_create("chaos");
    tcase_add_test(tests, test_times);
    tcase_add_test(tests, test_rate);
    tcase_add_test(tests, test_selectors);
    tcase_add_test(tests, test_within_a_site);
    tcase_add_test(tests, test_links);
    tcase_add_test(tests, test_streams);
    tcase_add_test(tests, test_limits);
    tcase_add_test(tests, test_recorded);
    tcase_add_test(tests, test_refusals);
    tcase_add_test(tests, test_no_sites);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
