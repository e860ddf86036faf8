/*
 * Links and series over time: kept with a run, exported, and told after it.
 */
#include "results/comparison.h"
#include "results/export.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "made-up");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

static void add(const char *strategy, const char *point, int64_t replication, const char *link, double share)
{
    const struct fixture_run run = {.strategy = strategy,
                                    .point = point,
                                    .replication = replication,
                                    .chips = 8,
                                    .seconds = 1000,
                                    .goodput = 0.5,
                                    .steps = 10};
    struct observation *observation = fixture_observation(link, 1000, share);
    fixture_add_observed(store, study, &run, observation);
    observation_destroy(observation);
}

static void summarise(void)
{
    struct error error = {0};
    ck_assert_msg(store_summarise(store, study, &error), "%s", error.message);
}

static void assert_has(const char *text, const char *words)
{
    ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
}

START_TEST(links_are_rows)
{
    add("plain", "{}", 0, "uplink of a", 0.8);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from link where run = 1"), 3);
    ck_assert_double_eq(fixture_real(store, "select bytes from link where name = 'uplink of a'"), 5e10);
    ck_assert_double_eq(fixture_real(store, "select mean_bit_s from link where name = 'uplink of a'"), 4e8);
    ck_assert_double_eq(fixture_real(store, "select peak_bit_s from link where name = 'uplink of a'"), 8e8);
    ck_assert_double_eq(fixture_real(store, "select price from link where name = 'uplink of a'"), 12.5);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from link where capacity_bit_s is null and "
                                            "price is null and kind = 'backbone'"),
                     1);
}
END_TEST

START_TEST(series_are_of_the_first_replication)
{
    add("plain", "{}", 0, "uplink of a", 0.8);
    add("plain", "{}", 1, "uplink of a", 0.8);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from link where run = 2"), 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series where run = 2"), 0);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series where run = 1"), 600);
    ck_assert_double_eq(
        fixture_real(store, "select sum(value) * 5 / 8 from series where name = 'link:uplink of a'"), 5e10);
    ck_assert_double_eq(fixture_real(store, "select max(t_s) from series"), 1000);
}
END_TEST

static char *export_text(enum export_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct error error = {0};
    ck_assert_msg(export_write(store, EXPORT_ALL_STUDIES, format, out, &error), "%s", error.message);
    fclose(out);
    return text;
}

START_TEST(links_are_exported)
{
    add("plain", "{}", 0, "uplink of a", 0.8);
    char *csv = export_text(EXPORT_CSV), *json = export_text(EXPORT_JSON);
    assert_has(csv, ",,link_bytes,uplink of a,50000000000,B,,,\r\n");
    assert_has(csv, ",,link_mean,uplink of a,400000000,bit/s,,,\r\n");
    assert_has(csv, ",,link_peak,uplink of a,800000000,bit/s,,,\r\n");
    assert_has(csv, ",,link_capacity,uplink of a,1000000000,bit/s,,,\r\n");
    assert_has(csv, ",,link_price,uplink of a,12.5,1,,,\r\n");
    ck_assert_ptr_null(strstr(csv, "link_price,uplink of z"));
    assert_has(json, "\"links\":[{\"name\":\"uplink of a\",\"kind\":\"uplink\",\"bytes\":50000000000,"
                     "\"mean_bit_s\":400000000,\"peak_bit_s\":800000000,\"capacity_bit_s\":1000000000,"
                     "\"price\":12.5},");
    assert_has(json,
               "{\"name\":\"link:backbone x\",\"t_s\":5,\"step\":null,\"tokens\":null,\"value\":400000000,"
               "\"learning\":null}");
    free(csv);
    free(json);
}
END_TEST

static char *table_text(void)
{
    struct error error = {0};
    char *text = comparison_table(store, study, &error);
    ck_assert_msg(text != NULL, "%s", error.message);
    return text;
}

/* A link that one of two runs used carried half in the mean; its peak is that of the run that used it. */
START_TEST(the_busiest_are_told)
{
    add("plain", "{}", 0, "uplink of a", 0.8);
    add("plain", "{}", 1, "uplink of b", 0.4);
    add("other", "{}", 0, "uplink of a", 0.2);
    summarise();
    char *text = table_text();
    assert_has(text, "strategy  busiest links    bytes         mean        peak    bandwidth    used\n");
    assert_has(text, "plain     uplink of a    25.0 GB   200 Mbit/s  800 Mbit/s  1.00 Gbit/s  20.0 %\n"
                     "          uplink of b    12.5 GB   100 Mbit/s  400 Mbit/s  1.00 Gbit/s  10.0 %\n"
                     "          uplink of z    37.5 GB   300 Mbit/s  800 Mbit/s  10.0 Gbit/s   3.0 %\n"
                     "other     uplink of a    12.5 GB");
    free(text);
}
END_TEST

START_TEST(a_study_of_points_or_without_sites_has_no_table)
{
    add("plain", "{\"x\":1}", 0, "uplink of a", 0.8);
    add("plain", "{\"x\":2}", 0, "uplink of a", 0.8);
    summarise();
    char *text = table_text();
    ck_assert_ptr_null(strstr(text, "busiest"));
    free(text);
    study = fixture_add_study(store, "made-up");
    add("plain", "{}", 0, "uplink of learner 0", 0.8);
    sqlite3_exec(store_connection(store), "update link set kind = 'access'", NULL, NULL, NULL);
    summarise();
    text = table_text();
    ck_assert_ptr_null(strstr(text, "busiest"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("links");
    TCase *tests = tcase_create("links");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, links_are_rows);
    tcase_add_test(tests, series_are_of_the_first_replication);
    tcase_add_test(tests, links_are_exported);
    tcase_add_test(tests, the_busiest_are_told);
    tcase_add_test(tests, a_study_of_points_or_without_sites_has_no_table);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
