/*
 * Traces of a plan's runs, read again as JSON by SQLite.
 */
#include "studies/tracing.h"
#include "tests/studies/fixture.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *connection;
static size_t notes;

static void set_up(void)
{
    ck_assert_int_eq(sqlite3_open(":memory:", &connection), SQLITE_OK);
    notes = 0;
}

static void tear_down(void)
{
    sqlite3_close(connection);
}

static void count_note(void *context, const char *text)
{
    (void)context;
    ck_assert_uint_gt(strlen(text), 10);
    notes++;
}

/* The events as rows: ph, pid, tid, name, ts and dur in nanoseconds. */
static void load(const char *json)
{
    static const char sql[] =
        "create table event as select value ->> 'ph' ph, value ->> 'pid' pid, value ->> 'tid' tid,"
        " value ->> 'name' name, cast(round(1000 * (value ->> 'ts')) as integer) ts,"
        " cast(round(1000 * (value ->> 'dur')) as integer) dur, value ->> '$.args.cause' cause, key"
        " from json_each(?1, '$.traceEvents')";
    sqlite3_stmt *statement;
    ck_assert_msg(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(connection));
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    ck_assert_msg(sqlite3_step(statement) == SQLITE_DONE, "%s", sqlite3_errmsg(connection));
    sqlite3_finalize(statement);
    ck_assert(sqlite3_exec(connection, "create index event_by_thread on event (ph, pid, tid)", NULL, NULL,
                           NULL) == SQLITE_OK);
}

static int64_t number(const char *sql)
{
    sqlite3_stmt *statement;
    ck_assert_msg(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(connection));
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    int64_t found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return found;
}

static char *write_trace(const char *more, const atomic_bool *stop, bool *interrupted)
{
    struct plan *plan = fixture_plan(more, true);
    const struct tracing_options options = {.stop = stop, .note = count_note};
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool written = tracing_write(plan, &options, out, interrupted, &error);
    ck_assert_msg(written, "%s", error.message);
    fclose(out);
    plan_destroy(plan);
    return text;
}

static const char failing[] = "  - {name: decoupled, kind: decoupled-diloco, learners: 4}\n"
                              "sweep: {failures.chip.mtbi: [30 d, 60 d]}\n";

START_TEST(lanes_are_threads_without_gaps)
{
    bool interrupted;
    char *text = write_trace(failing, NULL, &interrupted);
    load(text);
    free(text);
    ck_assert(!interrupted);
    ck_assert_uint_eq(notes, 0);
    ck_assert_int_eq(number("select count(*) from event where name = 'process_name'"),
                     number("select max(pid) from event"));
    ck_assert_int_gt(number("select max(pid) from event"), 1);
    ck_assert_int_eq(
        number("select count(*) from (select ts - lag(ts + dur, 1, 0) over (partition by pid, tid"
               " order by key) gap from event where ph = 'X') where gap <> 0"),
        0);
    ck_assert_int_eq(number("select min(dur) > 0 from event where ph = 'X'"), 1);
    ck_assert_int_eq(number("select count(*) from (select sum(dur) whole from event where ph = 'X'"
                            " group by pid, tid) where whole <> 6 * 3600 * 1000000000"),
                     0);
    ck_assert_int_eq(
        number("select count(*) from event e where ph in ('X', 'i') and not exists (select 1 from"
               " event n where n.ph = 'M' and n.pid = e.pid and n.tid = e.tid)"),
        0);
    ck_assert_int_gt(number("select count(*) from event where ph = 'i' and cause = 'failures.chip'"), 3);
    ck_assert_int_gt(number("select count(*) from event where ph = 'i' and name = 'merge'"), 10);
    ck_assert_int_gt(number("select count(*) from event where ph = 'X' and cause = 'failures.chip'"), 3);
    ck_assert_int_gt(number("select count(*) from event where ph = 'C' and name = 'learners up'"), 1);
}
END_TEST

/* Those of 64 learners in 6 h are. */
START_TEST(too_many_steps_are_joined)
{
    bool interrupted;
    char *text =
        write_trace("  - {name: decoupled, kind: decoupled-diloco, learners: 64}\n", NULL, &interrupted);
    ck_assert_uint_ge(notes, 1);
    ck_assert_ptr_nonnull(strstr(text, "\"notes\": [\"decoupled: there are too many steps"));
    load(text);
    free(text);
    ck_assert_int_lt(number("select count(*) from event where ph = 'X'"), 2 * TRACING_SPANS);
    ck_assert_int_eq(number("select count(*) from (select sum(dur) whole from event where ph = 'X'"
                            " group by pid, tid) where whole <> 6 * 3600 * 1000000000"),
                     0);
}
END_TEST

/* 200 bytes. */
#define TEN "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
#define LONG "d" TEN TEN TEN TEN TEN TEN TEN TEN TEN "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"

START_TEST(long_names_stay_whole)
{
    bool interrupted;
    char *text = write_trace("  - {name: " LONG ", kind: diloco, learners: 2}\n", NULL, &interrupted);
    ck_assert_ptr_nonnull(strstr(text, "\"" LONG "\""));
    free(text);
}
END_TEST

START_TEST(a_trace_that_is_told_to_stop_is_whole)
{
    atomic_bool stop = true;
    bool interrupted;
    char *text = write_trace(failing, &stop, &interrupted);
    ck_assert(interrupted);
    ck_assert_ptr_nonnull(strstr(text, "interrupted"));
    load(text);
    free(text);
    ck_assert_int_eq(number("select count(*) from event"), 0);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
    struct plan *plan = fixture_plan(failing, true);
    const struct tracing_options options = {.note = count_note, .output = "full.json"};
    struct error error = {0};
    bool interrupted;
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        ck_assert(!tracing_write(plan, &options, full, &interrupted, &error));
        ck_assert_int_eq(error.kind, ERROR_SYSTEM);
        ck_assert_ptr_nonnull(
            strstr(error.message, "full.json: the trace can not be written: No space left on device"));
        ck_assert(!interrupted);
        fclose(full);
    }
    plan_destroy(plan);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tracing");
    TCase *tests = tcase_create("tracing");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, lanes_are_threads_without_gaps);
    tcase_add_test(tests, too_many_steps_are_joined);
    tcase_add_test(tests, long_names_stay_whole);
    tcase_add_test(tests, a_trace_that_is_told_to_stop_is_whole);
    tcase_add_test(tests, a_full_disk_is_an_error);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
