/*
 * Tapes, replays and their figures in the database, from rows made up by hand.
 */
#include "results/database.h"
#include "results/learning.h"
#include "results/schema.h"
#include "tests/results/fixture.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
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

#define SHA "aaaa"
#define OTHER_SHA "bbbb"

/* Adds a run with TAPE (NULL: none); its id. */
static int64_t add_run(const char *strategy, int64_t replication, const char *tape)
{
    const struct fixture_run run = {.strategy = strategy, .chips = 64, .seconds = 600, .goodput = 0.5};
    struct run_result result = fixture_result(&run);
    const struct run_record record = {
        .strategy = strategy,
        .point = "{}",
        .replication = replication,
        .seed = 7,
        .result = &result,
        .tape = tape,
        .tape_length = tape ? strlen(tape) : 0,
    };
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
    return fixture_integer(store, "select max(id) from run");
}

/* A curve that falls from FINAL + 1 to FINAL in three points. */
static void add_replay(int64_t run, const char *sha, double final)
{
    const struct replay_point points[] = {
        {.time_s = 0, .step = 0, .tokens = 0, .value = final + 1},
        {.time_s = 300, .step = 2.5, .tokens = 1000, .value = final + 0.25},
        {.time_s = 600, .step = 5, .tokens = 2000, .value = final},
    };
    const struct replay_metric metrics[] = {
        {.name = "final_loss", .unit = "nats", .value = final},
        {.name = "time_to_loss", .unit = "s", .value = NAN},
    };
    const struct replay_record record = {.run = run,
                                         .learning = "learning",
                                         .learning_sha256 = sha,
                                         .status = isfinite(final) ? "done" : "diverged",
                                         .loss = points,
                                         .point_count = 3,
                                         .metrics = metrics,
                                         .metric_count = 2};
    struct error error = {0};
    ck_assert_msg(store_add_replay(store, &record, &error), "%s", error.message);
}

START_TEST(a_tape_is_kept_to_the_byte)
{
    static const char bytes[] = "\0\1\2 a tape \377";
    int64_t without = add_run("a", 0, NULL);
    struct run_result result = {0};
    const struct run_record record = {.strategy = "b",
                                      .point = "{}",
                                      .seed = 7,
                                      .result = &result,
                                      .tape = bytes,
                                      .tape_length = sizeof bytes};
    struct error error = {0};
    ck_assert_msg(store_add_runs(store, study, &record, 1, &error), "%s", error.message);
    void *tape = NULL;
    size_t length = 0;
    ck_assert_msg(store_read_tape(store, without + 1, &tape, &length, &error), "%s", error.message);
    ck_assert_uint_eq(length, sizeof bytes);
    ck_assert_mem_eq(tape, bytes, length);
    free(tape);
    ck_assert(!store_read_tape(store, without, &tape, &length, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
    ck_assert_msg(strstr(error.message, "run 1 (a, replication 0)") != NULL, "%s", error.message);
    error = (struct error){0};
    ck_assert(!store_read_tape(store, 99, &tape, &length, &error));
    ck_assert_msg(strstr(error.message, "no run 99") != NULL, "%s", error.message);
}
END_TEST

START_TEST(a_run_is_read_again)
{
    int64_t id = add_run("a", 3, NULL);
    struct stored_run run;
    struct error error = {0};
    ck_assert_msg(store_read_run(store, id, &run, &error), "%s", error.message);
    ck_assert_int_eq(run.id, id);
    ck_assert_int_eq(run.study, study);
    ck_assert_str_eq(run.strategy, "a");
    ck_assert_str_eq(run.point, "{}");
    ck_assert_int_eq(run.replication, 3);
    ck_assert_uint_eq(run.seed, 7);
    ck_assert_str_eq(run.scenario, "name: made-up\n");
    stored_run_free(&run);
    ck_assert(!store_read_run(store, id + 1, &run, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
}
END_TEST

START_TEST(runs_to_replay_are_those_with_a_tape_and_no_replay)
{
    struct error error = {0};
    int64_t *ids;
    size_t count;
    int64_t second = add_run("b", 1, "tape"), none = add_run("a", 1, NULL);
    int64_t first = add_run("a", 0, "tape"), third = add_run("b", 2, "tape");
    ck_assert(none > 0 && store_taped_runs(store, study, NULL, &ids, &count, &error));
    ck_assert_uint_eq(count, 3);
    ck_assert(ids[0] == first && ids[1] == second && ids[2] == third);
    free(ids);
    add_replay(second, SHA, 2);
    ck_assert(store_taped_runs(store, -1, SHA, &ids, &count, &error));
    ck_assert_uint_eq(count, 2);
    ck_assert(ids[0] == first && ids[1] == third);
    free(ids);
    ck_assert(store_taped_runs(store, study, OTHER_SHA, &ids, &count, &error));
    ck_assert_uint_eq(count, 3);
    free(ids);
    ck_assert(store_taped_runs(store, study + 1, NULL, &ids, &count, &error));
    ck_assert_uint_eq(count, 0);
    free(ids);
}
END_TEST

START_TEST(a_replay_is_kept_with_its_curve)
{
    int64_t run = add_run("a", 0, "tape");
    struct replay_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(store_read_curve(store, run, NULL, &points, &count, &error));
    ck_assert_uint_eq(count, 0);
    free(points);
    add_replay(run, SHA, 2);
    add_replay(run, OTHER_SHA, 3);
    ck_assert(store_read_curve(store, run, SHA, &points, &count, &error));
    ck_assert_uint_eq(count, 3);
    ck_assert(points[1].time_s == 300 && points[1].step == 2.5 && points[1].tokens == 1000 &&
              points[1].value == 2.25);
    ck_assert_double_eq(points[2].value, 2);
    free(points);
    ck_assert(store_read_curve(store, run, NULL, &points, &count, &error));
    ck_assert_double_eq(points[2].value, 3);
    free(points);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric where replay is not null"), 2);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric where unit = 'nats'"), 2);
}
END_TEST

START_TEST(the_same_learning_again_replaces)
{
    int64_t run = add_run("a", 0, "tape"), other = add_run("a", 1, "tape");
    add_replay(run, SHA, 2);
    add_replay(other, SHA, 5);
    add_replay(run, OTHER_SHA, 6);
    add_replay(run, SHA, 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from replay"), 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series"), 9);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric where name = 'final_loss'"), 3);
    ck_assert_double_eq(fixture_real(store, "select sum(value) from metric where name = 'final_loss'"), 14);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from pragma_foreign_key_check"), 0);
}
END_TEST

START_TEST(what_is_no_number_is_null)
{
    int64_t run = add_run("a", 0, "tape");
    add_replay(run, SHA, INFINITY);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series where value is null"), 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from metric where name = 'final_loss'"), 0);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from replay where status = 'diverged'"), 1);
    struct replay_point *points;
    size_t count;
    struct error error = {0};
    ck_assert(store_read_curve(store, run, SHA, &points, &count, &error));
    ck_assert_uint_eq(count, 3);
    ck_assert(isnan(points[0].value));
    free(points);
}
END_TEST

/* The second metric has the name of the first. */
START_TEST(a_replay_that_fails_to_be_added_leaves_the_older_one)
{
    int64_t run = add_run("a", 0, "tape");
    add_replay(run, SHA, 2);
    const struct replay_metric metrics[] = {{.name = "m", .unit = "1", .value = 1},
                                            {.name = "m", .unit = "1", .value = 2}};
    struct replay_record record = {.run = run,
                                   .learning = "learning",
                                   .learning_sha256 = SHA,
                                   .status = "done",
                                   .metrics = metrics,
                                   .metric_count = 2};
    struct error error = {0};
    ck_assert(!store_add_replay(store, &record, &error));
    ck_assert_int_eq(error.kind, ERROR_SYSTEM);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series"), 3);
    ck_assert_double_eq(fixture_real(store, "select value from metric where name = 'final_loss'"), 2);
    record.run = 99;
    ck_assert(!store_add_replay(store, &record, &error));
    ck_assert_int_eq(fixture_integer(store, "select count(*) from replay"), 1);
    add_replay(run, SHA, 4);
}
END_TEST

START_TEST(a_state_is_kept_until_the_replay_is_done)
{
    int64_t run = add_run("a", 0, "tape");
    void *bytes;
    size_t length;
    struct error error = {0};
    ck_assert(store_read_replay_state(store, run, SHA, &bytes, &length, &error));
    ck_assert_ptr_null(bytes);
    ck_assert(store_keep_replay_state(store, run, SHA, "older", 5, &error));
    ck_assert(store_keep_replay_state(store, run, SHA, "ne\0er!", 6, &error));
    ck_assert(store_keep_replay_state(store, run, OTHER_SHA, "other", 5, &error));
    ck_assert(store_read_replay_state(store, run, SHA, &bytes, &length, &error));
    ck_assert_uint_eq(length, 6);
    ck_assert_mem_eq(bytes, "ne\0er!", 6);
    free(bytes);
    add_replay(run, SHA, 2);
    ck_assert(store_read_replay_state(store, run, SHA, &bytes, &length, &error));
    ck_assert_ptr_null(bytes);
    ck_assert(store_read_replay_state(store, run, OTHER_SHA, &bytes, &length, &error));
    ck_assert_uint_eq(length, 5);
    free(bytes);
    ck_assert(!store_keep_replay_state(store, 99, SHA, "x", 1, &error));
}
END_TEST

/* A database of the first format, with a study, a run, its figures and a series. */
static void make_first_format(const char *path)
{
    const struct schema first = {.application_id = results_schema.application_id,
                                 .version = 1,
                                 .migrations = results_schema.migrations};
    struct database database = {.path = (char *)path};
    struct error error = {0};
    ck_assert_int_eq(sqlite3_open(path, &database.connection), SQLITE_OK);
    ck_assert_msg(schema_upgrade(&database, &first, &error), "%s", error.message);
    ck_assert_msg(database_execute(
                      &database,
                      "insert into study values (1, 'old', '', '', '', '', '', '2026-01-01T00:00:00Z', '[]');"
                      "insert into run values (1, 1, 'a', '{}', 0, 7, 'done', 60.0, 1.0, 10);"
                      "insert into study_run values (1, 1);"
                      "insert into metric values (1, null, 'goodput', 0.5, '1');"
                      "insert into budget values (1, 'useful', 60, 0);"
                      "insert into series values (1, null, 'learners_up', 2.0, 20, null, 7.0);"
                      "insert into series values (1, null, 'learners_up', 1.0, 10, 5.0, 8.0)",
                      &error),
                  "%s", error.message);
    sqlite3_close(database.connection);
}

START_TEST(a_database_of_the_first_format_is_brought_up_to_date)
{
    struct fixture old = fixture_create("old.sqlite");
    make_first_format(old.path);
    struct error error = {0};
    ck_assert_ptr_null(store_open_read_only(old.path, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "older format 1"));
    struct store *first = store;
    store = fixture_open(&old);
    ck_assert_int_eq(fixture_integer(store, "pragma user_version"), results_schema.version);
    ck_assert_int_eq(fixture_integer(store, "select integrity_check = 'ok' from pragma_integrity_check"), 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from series where step = 10 and tokens = 5"), 1);
    ck_assert_double_eq(fixture_real(store, "select value from series order by rowid limit 1"), 7);
    ck_assert_double_eq(fixture_real(store, "select value from run_figure where name = 'share:useful'"), 1);
    study = 1;
    int64_t run = add_run("b", 0, "tape");
    add_replay(run, SHA, 2);
    add_replay(run, SHA, 3);
    ck_assert_msg(store_summarise(store, 1, &error), "%s", error.message);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from pragma_foreign_key_check"), 0);
    store_close(store);
    store = first;
    fixture_remove(&old);
}
END_TEST

/* 600 s of which none is warm-up. */
START_TEST(what_grows_with_time_has_a_rate)
{
    struct error error = {0};
    double rate;
    int64_t run = add_run("a", 0, NULL);
    ck_assert(store_run_rate(store, run, "goodput", &rate, &error));
    ck_assert_double_eq_tol(rate, 0.5 / 600, 1e-12);
    ck_assert(store_run_rate(store, run, "nothing", &rate, &error));
    ck_assert_double_nan(rate);
    ck_assert(!store_run_rate(store, run + 1, "goodput", &rate, &error) && error.kind == ERROR_INPUT);
}
END_TEST

static Suite *learning_suite(void)
{
    Suite *suite = suite_create("learning");
    TCase *tests = tcase_create("learning");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_tape_is_kept_to_the_byte);
    tcase_add_test(tests, a_run_is_read_again);
    tcase_add_test(tests, runs_to_replay_are_those_with_a_tape_and_no_replay);
    tcase_add_test(tests, a_replay_is_kept_with_its_curve);
    tcase_add_test(tests, the_same_learning_again_replaces);
    tcase_add_test(tests, what_is_no_number_is_null);
    tcase_add_test(tests, a_replay_that_fails_to_be_added_leaves_the_older_one);
    tcase_add_test(tests, a_state_is_kept_until_the_replay_is_done);
    tcase_add_test(tests, a_database_of_the_first_format_is_brought_up_to_date);
    tcase_add_test(tests, what_grows_with_time_has_a_rate);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(learning_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
