/*
 * The domain tree: units of every domain cover the cluster's chips, each once, and lie in the slices that
 * they say.
 */
#include "models/failures/units.h"
#include "sim/stream.h"
#include <check.h>
#include <stdlib.h>

static int64_t below(struct sim_stream *stream, int64_t n)
{
    return (int64_t)sim_stream_below(stream, (uint64_t)n);
}

/* Up to three kinds of hosts and three sites, the latter perhaps without slices. */
static void make(struct units *units, struct sim_stream *stream)
{
    int64_t chips = 1 + below(stream, 300);
    units_init(units, chips, 1 + below(stream, chips));
    units->rack_chips = 1 + below(stream, chips);
    int64_t end = 0, kinds = 1 + below(stream, 3), sites = 1 + below(stream, 3);
    for (int64_t i = 1; i <= kinds; i++) {
        end = i == kinds ? units->slices : end + below(stream, units->slices - end + 1);
        ck_assert(units_add_hosts(units, 1 + below(stream, 20), end, NULL));
    }
    end = 0;
    for (int64_t i = 1; i <= sites; i++) {
        end = i == sites ? units->slices : end + below(stream, units->slices - end + 1);
        ck_assert(units_add_site(units, end, NULL));
    }
}

/* Chips of a unit, slice by slice; -1 where some are outside of its slices, or none in one of them. */
static int64_t chips_by_slice(const struct units *units, enum fault_domain domain, int64_t unit)
{
    struct units_run run = units_slices(units, domain, unit);
    int64_t chips = 0;
    bool sound = true;
    for (int64_t slice = 0; slice < units->slices; slice++) {
        int64_t here = units_chips_in(units, domain, unit, slice);
        sound &= (here > 0) == (slice >= run.first && slice < run.end);
        chips += here;
    }
    return sound ? chips : -1;
}

static bool covers(const struct units *units, enum fault_domain domain)
{
    int64_t chips = 0, count = units_count(units, domain);
    bool sound = true;
    for (int64_t unit = 0; unit < count; unit++) {
        sound &= units_chips(units, domain, unit) == chips_by_slice(units, domain, unit);
        chips += units_chips(units, domain, unit);
    }
    return sound && chips == units->chips;
}

START_TEST(test_units_cover_the_cluster)
{
    for (uint64_t i = 0; i < 300; i++) {
        struct units units;
        struct sim_stream stream;
        sim_stream_open(&stream, i, 0, 1, 0);
        make(&units, &stream);
        for (int domain = FAULT_OF_CHIP; domain <= FAULT_OF_CLUSTER; domain++)
            ck_assert_msg(covers(&units, (enum fault_domain)domain), "%s in tree %d",
                          fault_domain_names[domain], (int)i);
        units_free(&units);
    }
}
END_TEST

/* 20 chips in slices of 8: racks of 6 lie across slices, and hosts begin anew with each kind. */
START_TEST(test_by_hand)
{
    struct units units;
    units_init(&units, 20, 8);
    units.rack_chips = 6;
    ck_assert(units_add_hosts(&units, 3, 1, NULL) && units_add_hosts(&units, 16, 3, NULL));
    ck_assert_int_eq(units.slices, 3);
    ck_assert_int_eq(units_count(&units, FAULT_OF_RACK), 4);
    struct units_run rack = units_slices(&units, FAULT_OF_RACK, 1);
    ck_assert(rack.first == 0 && rack.end == 2);
    ck_assert_int_eq(units_chips_in(&units, FAULT_OF_RACK, 1, 0), 2);
    ck_assert_int_eq(units_chips_in(&units, FAULT_OF_RACK, 1, 1), 4);
    ck_assert_int_eq(units_count(&units, FAULT_OF_HOST), 3 + 1);
    ck_assert_int_eq(units_chips(&units, FAULT_OF_HOST, 2), 2);
    struct units_run host = units_slices(&units, FAULT_OF_HOST, 3);
    ck_assert(host.first == 1 && host.end == 3);
    ck_assert_int_eq(units_count(&units, FAULT_OF_SITE), 0);
    units_free(&units);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("domains");
    TCase *tests = tcase_create("domains");
    tcase_add_test(tests, test_units_cover_the_cluster);
    tcase_add_test(tests, test_by_hand);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
