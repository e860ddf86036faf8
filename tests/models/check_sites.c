/*
 * Where learners are: counts, shares with largest remainders, and learners that span sites.
 */
#include "models/network/fluid.h"
#include "sim/stream.h"
#include "tests/models/sites_fixture.h"
#include <check.h>
#include <stdlib.h>

static struct network_config network_of(struct network_site *sites, size_t count)
{
    struct network_config network = NETWORK(.sites = {sites, count});
    return network;
}

static struct placement *place(const struct network_config *network, int64_t learners)
{
    struct error error = {0};
    struct placement *placement = placement_create(network, learners, &error);
    ck_assert_msg(placement != NULL, "%s", error.message);
    ck_assert_int_eq(placement->first[0], 0);
    ck_assert_int_eq(placement->first[learners], placement->part_count);
    return placement;
}

/* Whole learners, as many at each site as WANTED says. */
static void expect_counts(const struct network_config *network, int64_t learners, const int64_t *wanted)
{
    struct placement *placement = place(network, learners);
    int64_t counts[20] = {0}, told[20], last = 0;
    ck_assert_int_eq(placement->part_count, learners);
    for (int64_t i = 0; i < learners; i++) {
        ck_assert_int_eq(placement->parts[i].learner, i);
        ck_assert_double_eq(placement->parts[i].share, 1);
        ck_assert_int_ge(placement->parts[i].site, last);
        last = placement->parts[i].site;
        counts[last]++;
    }
    sites_count_learners(network, learners, told);
    for (size_t i = 0; i < network->sites.count; i++) {
        ck_assert_int_eq(counts[i], wanted[i]);
        ck_assert_int_eq(told[i], wanted[i]);
    }
    placement_destroy(placement);
}

START_TEST(counts_that_fit_are_taken)
{
    struct network_site sites[] = {SITE("a", .learners = 1), SITE("b", .learners = 0),
                                   SITE("c", .learners = 5), SITE("d")};
    struct network_config network = network_of(sites, 4);
    expect_counts(&network, 6, (int64_t[]){1, 0, 5, 0});
}
END_TEST

START_TEST(other_numbers_are_divided_in_proportion)
{
    struct network_site sites[] = {SITE("a", .learners = 1), SITE("b", .learners = 2),
                                   SITE("c", .learners = 3), SITE("d", .learners = 2)};
    struct network_config network = network_of(sites, 4);
    expect_counts(&network, 8, (int64_t[]){1, 2, 3, 2});
    expect_counts(&network, 16, (int64_t[]){2, 4, 6, 4});
    expect_counts(&network, 4, (int64_t[]){1, 1, 1, 1});  /* quotas ½, 1, 1½, 1: the earlier half */
    expect_counts(&network, 9, (int64_t[]){1, 2, 4, 2});  /* 1.125, 2.25, 3.375, 2.25 */
    expect_counts(&network, 10, (int64_t[]){1, 3, 4, 2}); /* 1.25, 2.5, 3.75, 2.5 */
}
END_TEST

START_TEST(shares_are_divided_with_largest_remainders)
{
    struct network_site sites[] = {SITE("a", .share = 0.5), SITE("b", .share = 0.3), SITE("c", .share = 0.2),
                                   SITE("d")};
    struct network_config network = network_of(sites, 4);
    expect_counts(&network, 10, (int64_t[]){5, 3, 2, 0});
    expect_counts(&network, 7, (int64_t[]){4, 2, 1, 0}); /* 3.5, 2.1, 1.4 */
    expect_counts(&network, 1000, (int64_t[]){500, 300, 200, 0});
}
END_TEST

START_TEST(sites_that_say_nothing_are_equal)
{
    struct network_site sites[] = {SITE("a"), SITE("b"), SITE("c")};
    struct network_config network = network_of(sites, 3);
    expect_counts(&network, 3, (int64_t[]){1, 1, 1});
    expect_counts(&network, 8, (int64_t[]){3, 3, 2});
}
END_TEST

START_TEST(without_sites_each_learner_is_a_place)
{
    struct network_config network = network_of(NULL, 0);
    struct placement *placement = place(&network, 3);
    ck_assert_int_eq(placement->part_count, 3);
    ck_assert_int_eq(placement->parts[2].site, -1);
    ck_assert_int_eq(placement_home(placement, 2), 2);
    placement_destroy(placement);
}
END_TEST

static void expect_part(const struct placement *placement, int64_t part, int64_t learner, int64_t site,
                        double share)
{
    ck_assert_int_eq(placement->parts[part].learner, learner);
    ck_assert_int_eq(placement->parts[part].site, site);
    ck_assert_double_eq_tol(placement->parts[part].share, share, 1e-12);
}

START_TEST(one_learner_spans_all_sites)
{
    struct network_site sites[] = {SITE("a", .learners = 1), SITE("b", .learners = 2),
                                   SITE("z", .learners = 0), SITE("c", .learners = 3),
                                   SITE("d", .learners = 2)};
    struct network_config network = network_of(sites, 5);
    struct placement *placement = place(&network, 1);
    ck_assert_int_eq(placement->part_count, 4);
    expect_part(placement, 0, 0, 0, 1.0 / 8);
    expect_part(placement, 1, 0, 1, 2.0 / 8);
    expect_part(placement, 2, 0, 3, 3.0 / 8);
    expect_part(placement, 3, 0, 4, 2.0 / 8);
    ck_assert_int_eq(placement_home(placement, 0), 2);
    placement_destroy(placement);
}
END_TEST

START_TEST(few_learners_cut_the_sites)
{
    struct network_site sites[] = {SITE("a"), SITE("b"), SITE("c")};
    struct network_config network = network_of(sites, 3);
    struct placement *placement = place(&network, 2);
    ck_assert_int_eq(placement->part_count, 4);
    expect_part(placement, 0, 0, 0, 2.0 / 3);
    expect_part(placement, 1, 0, 1, 1.0 / 3);
    expect_part(placement, 2, 1, 1, 1.0 / 3);
    expect_part(placement, 3, 1, 2, 2.0 / 3);
    ck_assert_int_eq(placement->first[1], 2);
    ck_assert_int_eq(placement_home(placement, 1), 3);
    placement_destroy(placement);
}
END_TEST

/* Whatever the weights: all learners are placed, whole or in parts that sum to one, and every site has its
 * due to less than one learner. */
START_TEST(nobody_is_lost)
{
    struct sim_stream stream;
    sim_stream_open(&stream, 5, 0, 1, (uint64_t)_i);
    struct network_site sites[20];
    size_t count = 1 + sim_stream_below(&stream, 20);
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        double share = sim_stream_below(&stream, 4) || i == 0 ? sim_stream_uniform(&stream) : 0;
        sites[i] = (struct network_site)SITE("s", .share = share);
        total += share;
    }
    struct network_config network = network_of(sites, count);
    int64_t learners = 1 + (int64_t)sim_stream_below(&stream, 30);
    struct placement *placement = place(&network, learners);
    double due[20] = {0};
    for (int64_t learner = 0; learner < learners; learner++) {
        double sum = 0;
        ck_assert_int_lt(placement->first[learner], placement->first[learner + 1]);
        for (int64_t part = placement->first[learner]; part < placement->first[learner + 1]; part++) {
            ck_assert_double_gt(placement->parts[part].share, 0);
            sum += placement->parts[part].share;
            due[placement->parts[part].site] += placement->parts[part].share;
        }
        ck_assert_double_eq_tol(sum, 1, 1e-7);
    }
    for (size_t i = 0; i < count; i++)
        ck_assert_double_lt(fabs(due[i] - sites[i].share / total * (double)learners), 1);
    placement_destroy(placement);
}
END_TEST

static void expect_limits(const struct parameter *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].dimension == DIMENSION_DATA_RATE)
            ck_assert_msg(rows[i].maximum <= FLUID_CAPACITY_LIMIT, "%s", rows[i].path);
}

START_TEST(no_bandwidth_is_more_than_flows_could_use)
{
    expect_limits(network_parameters.rows, network_parameters.count);
    expect_limits(network_sites.rows, network_sites.count);
    expect_limits(network_links.rows, network_links.count);
    expect_limits(network_backbones.rows, network_backbones.count);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sites");
    TCase *tests = tcase_create("sites");
    tcase_add_test(tests, counts_that_fit_are_taken);
    tcase_add_test(tests, other_numbers_are_divided_in_proportion);
    tcase_add_test(tests, shares_are_divided_with_largest_remainders);
    tcase_add_test(tests, sites_that_say_nothing_are_equal);
    tcase_add_test(tests, without_sites_each_learner_is_a_place);
    tcase_add_test(tests, one_learner_spans_all_sites);
    tcase_add_test(tests, few_learners_cut_the_sites);
    tcase_add_test(tests, no_bandwidth_is_more_than_flows_could_use);
    tcase_add_loop_test(tests, nobody_is_lost, 0, 200);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
