#include "results/database.h"
#include "results/timeline.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct store *store;
static int64_t study;

static void set_up(void)
{
    fixture = fixture_create("a.sqlite");
    store = fixture_open(&fixture);
    study = fixture_add_study(store, "kernels");
    fixture_add_kernels(store, study, "bo\"th", "{\"workload.overlap.grid\":64}", 0.75, 0.5, 0.1);
    const struct fixture_run run = {
        .strategy = "plain", .point = "{}", .chips = 4, .seconds = 10, .goodput = 0.5};
    fixture_add_runs(store, study, &run, 1);
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

static bool export(int64_t run, char **text, struct error *error)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    bool done = timeline_export(store, run, out, error);
    fclose(out);
    return done;
}

/* What SQLite's JSON functions find at PATH of the document; fails if it is none. */
static double number_at(const char *text, const char *path)
{
    const struct database_value key[] = {database_text(text), database_text(path)};
    struct error error = {0};
    sqlite3_stmt *query =
        database_query(store_database(store), "select json_extract(?1, ?2)", 2, key, &error);
    ck_assert_msg(query && database_next(store_database(store), query, &error) == DATABASE_ROW, "%s",
                  error.message);
    double number = database_column_real(query, 0);
    sqlite3_finalize(query);
    return number;
}

/* Names of a process and two threads, four kernels, three intervals and their end. */
START_TEST(a_trace_is_what_viewers_read)
{
    char *text = NULL;
    struct error error = {0};
    ck_assert_msg(export(1, &text, &error), "%s", error.message);
    ck_assert_double_eq(number_at(text, "$.traceEvents[10].ts"), 3000);
    ck_assert_double_eq(number_at(text, "$.traceEvents[10].args.product"), 0);
    ck_assert_double_eq(number_at(text, "$.traceEvents[8].ts"), 1000);
    ck_assert_double_eq(number_at(text, "$.traceEvents[8].args.product"), 80);
    ck_assert_double_eq(number_at(text, "$.traceEvents[8].args.collective"), 4);
    ck_assert_double_eq(number_at(text, "$.traceEvents[3].dur"), 1000);
    ck_assert_double_eq(number_at(text, "$.traceEvents[6].tid"), 2);
    ck_assert_double_eq(number_at(text, "$.traceEvents[6].ts"), 2000);
    ck_assert_ptr_nonnull(strstr(text, "bo\\\"th at {"));
    ck_assert_ptr_nonnull(strstr(text, "\"product 2\""));
    ck_assert_ptr_nonnull(strstr(text, "\"collective 1\""));
    free(text);
}
END_TEST

START_TEST(a_run_without_kernels_has_none)
{
    char *text = NULL;
    struct error error = {0};
    ck_assert(!export(2, &text, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.message, "run 2 is not there or has no timeline"));
    free(text);
    error = (struct error){0};
    ck_assert(!export(99, &text, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("timeline");
    TCase *tests = tcase_create("timeline");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_trace_is_what_viewers_read);
    tcase_add_test(tests, a_run_without_kernels_has_none);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
