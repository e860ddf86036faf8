/*
 * Runs found again, and databases merged: neither loses a run nor counts one twice.
 */
#include "results/database.h"
#include "results/learning.h"
#include "results/merge.h"
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
    study = fixture_add_study(store, "sweep");
}

static void tear_down(void)
{
    store_close(store);
    fixture_remove(&fixture);
}

struct known {
    const char *identity, *version, *strategy, *tape;
    int64_t replication;
    enum run_status status;
    bool series;
};

/* Adds a run; its id. */
static int64_t add(struct store *into, int64_t to, const struct known *known)
{
    const struct fixture_run run = {.chips = 64,
                                    .seconds = 600,
                                    .goodput = 0.5 + 0.01 * (double)known->replication,
                                    .status = known->status};
    struct run_result result = fixture_result(&run);
    struct observation *seen = fixture_observation("uplink of a", 600, 0.5);
    const struct run_record record = {.strategy = known->strategy ? known->strategy : "a",
                                      .point = "{}",
                                      .replication = known->replication,
                                      .seed = 7,
                                      .result = &result,
                                      .observation = seen,
                                      .series = known->series,
                                      .tape = known->tape,
                                      .tape_length = known->tape ? strlen(known->tape) : 0,
                                      .identity = known->identity,
                                      .version = known->version};
    struct error error = {0};
    ck_assert_msg(store_add_runs(into, to, &record, 1, &error), "%s", error.message);
    observation_destroy(seen);
    return fixture_integer(into, "select max(id) from run");
}

static int64_t find(const struct run_wanted *wanted, size_t *others)
{
    int64_t id = -2;
    struct error error = {0};
    ck_assert_msg(store_find_runs(store, "1", wanted, 1, &id, others, &error), "%s", error.message);
    return id;
}

START_TEST(a_run_is_found_by_all_that_it_is_known_by)
{
    size_t others;
    int64_t first = add(store, study, &(struct known){.identity = "x", .version = "1", .replication = 2});
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x", .replication = 2}, &others), first);
    ck_assert_uint_eq(others, 0);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x", .replication = 3}, &others), -1);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "y", .replication = 2}, &others), -1);
    ck_assert_uint_eq(others, 0);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x", .replication = 2, .tape = true}, &others),
                     -1);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x", .replication = 2, .series = true}, &others),
                     -1);
    int64_t again = fixture_add_study(store, "again");
    int64_t second =
        add(store, again,
            &(struct known){.identity = "x", .version = "1", .replication = 2, .tape = "t", .series = true});
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x", .replication = 2}, &others), second);
    ck_assert_int_eq(
        find(&(struct run_wanted){.identity = "x", .replication = 2, .tape = true, .series = true}, &others),
        second);
}
END_TEST

START_TEST(what_came_to_no_end_is_not_found_and_other_versions_are_counted)
{
    size_t others;
    struct known known = {.identity = "x", .version = "1", .status = RUN_FAILED};
    add(store, study, &known);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x"}, &others), -1);
    known = (struct known){.identity = "x", .version = "0", .status = RUN_STALLED};
    add(store, fixture_add_study(store, "older"), &known);
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x"}, &others), -1);
    ck_assert_uint_eq(others, 1);
    known.version = "1";
    int64_t own = add(store, fixture_add_study(store, "own"), &known);
    add(store, fixture_add_study(store, "newer"), &(struct known){.identity = "x", .version = "2"});
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "x"}, &others), own);
    ck_assert_uint_eq(others, 0);
    add(store, fixture_add_study(store, "before that"), &(struct known){.replication = 5});
    ck_assert_int_eq(find(&(struct run_wanted){.identity = "", .replication = 5}, &others), -1);
}
END_TEST

START_TEST(a_study_uses_runs_of_others)
{
    struct error error = {0};
    int64_t ids[] = {add(store, study, &(struct known){.identity = "x", .version = "1"}), -1,
                     add(store, study, &(struct known){.identity = "x", .version = "1", .replication = 1})};
    int64_t user = fixture_add_study(store, "user");
    ck_assert(store_use_runs(store, user, ids, 3, &error));
    ck_assert(store_use_runs(store, user, ids, 3, &error));
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study_run where study = 2"), 2);
    ck_assert(store_summarise(store, user, &error));
    struct store_mean mean;
    ck_assert(store_mean(store, user, "a", "{}", "goodput", &mean));
    ck_assert_int_eq(mean.count, 2);
    ck_assert(!store_use_runs(store, 99, ids, 3, &error)); /* no such study */
    struct stored_run run;
    ck_assert(store_read_run(store, ids[0], &run, &(struct error){0}));
    ck_assert_int_eq(run.study, user);
    stored_run_free(&run);
}
END_TEST

/* Merging */

/* A database NAME beside the fixture's with a study, of SHARDS one if there are any; the caller closes it. */
static struct store *open_source(const char *name, const char *called, int64_t shard, int64_t shards,
                                 char path[128], int64_t *added)
{
    struct fixture source = fixture;
    struct error error = {0};
    snprintf(source.path, sizeof source.path, "%s/%s", fixture.folder, name);
    snprintf(path, 128, "%s", source.path);
    struct store *opened = fixture_open(&source);
    const struct study_record record = {.name = called,
                                        .scenario = "name: made-up\n",
                                        .scenario_sha256 = "abc",
                                        .version = "1",
                                        .command_line = name,
                                        .host = "there",
                                        .strategies = "[\"a\",\"b\"]",
                                        .shard = shard,
                                        .shards = shards};
    *added = store_add_study(opened, &record, &error);
    ck_assert_msg(*added > 0, "%s", error.message);
    return opened;
}

static struct merge_outcome merge(const char *path)
{
    struct merge_outcome outcome;
    struct error error = {0};
    ck_assert_msg(store_merge(store, path, &outcome, &error), "%s", error.message);
    return outcome;
}

START_TEST(shards_become_one_study)
{
    for (int64_t shard = 1; shard <= 3; shard++) {
        char name[20], path[128];
        int64_t id;
        snprintf(name, sizeof name, "s%d.sqlite", (int)shard);
        struct store *source = open_source(name, "sharded", shard, 3, path, &id);
        add(source, id,
            &(struct known){.identity = "x", .version = "1", .replication = shard, .series = true});
        add(source, id,
            &(struct known){.identity = "y", .strategy = "b", .version = "1", .replication = shard});
        struct known failed = {.identity = "z", .version = "1", .status = RUN_FAILED, .replication = 9};
        add(source, id, &failed);
        store_close(source);
        for (int i = 0; i < 2; i++) {
            struct merge_outcome outcome = merge(path);
            ck_assert_int_eq(outcome.studies, 1);
            ck_assert_int_eq(outcome.runs, i ? 0 : 2);
            ck_assert_int_eq(outcome.known, i ? 2 : 0);
            ck_assert_int_eq(outcome.left, 1);
        }
    }
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study"), 2); /* set_up's is the other */
    ck_assert_int_eq(fixture_integer(store, "select shards from study where shard is null and id = 2"), 3);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study_run where study = 2"), 6);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from link"), 6 * 3);
    ck_assert_int_eq(fixture_integer(store, "select count(distinct run) from series"), 3);
    ck_assert_int_eq(fixture_integer(store, "select n from summary where study = 2 and strategy = 'b'"
                                            " and metric = 'goodput'"),
                     3);
    ck_assert_double_eq_tol(fixture_real(store, "select mean from summary where study = 2 and strategy = 'a'"
                                                " and metric = 'goodput'"),
                            0.52, 1e-12);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from pragma_foreign_key_check"), 0);
}
END_TEST

START_TEST(what_failed_here_comes_whole_from_there)
{
    char path[128];
    int64_t id;
    struct store *source = open_source("one.sqlite", "sharded", 1, 2, path, &id);
    add(source, id, &(struct known){.identity = "x", .version = "1"});
    store_close(source);
    store_close(store);
    struct fixture other = fixture;
    snprintf(other.path, sizeof other.path, "%s/two.sqlite", fixture.folder);
    store = open_source("two.sqlite", "sharded", 2, 2, other.path, &id);
    add(store, id, &(struct known){.identity = "x", .version = "1", .status = RUN_FAILED});
    ck_assert_int_eq(merge(path).runs, 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from run"), 1);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from run where status = 'done' and study = 1"),
                     1);
}
END_TEST

START_TEST(whole_studies_stay_themselves_with_what_was_learned_and_judged)
{
    char path[128];
    int64_t id;
    struct error error = {0};
    struct store *source = open_source("whole.sqlite", "whole", 0, 0, path, &id);
    struct known known = {.identity = "x", .version = "1", .tape = "tape"};
    int64_t run = add(source, id, &known);
    fixture_add_replay(source,
                       &(struct fixture_replay){.strategy = "a", .start = 4, .final = 2, .tokens = 9});
    ck_assert(store_keep_replay_state(source, run, "half", "state", 5, &error));
    const struct expectation_record judged = {
        .strategy = "a", .point = "{}", .metric = "goodput", .wanted = 0.5, .tolerance = 0.1, .met = true};
    ck_assert(store_add_expectation(source, id, &judged, &error));
    int64_t counts[5];
    static const char *const queries[] = {
        "select count(*) from metric", "select count(*) from series where replay is not null",
        "select count(*) from expectation", "select sum(length(bytes)) from tape",
        "select sum(length(state)) from replay_state"};
    for (size_t i = 0; i < 5; i++)
        counts[i] = fixture_integer(source, queries[i]);
    store_close(source);
    /* The run is here already, by another study and without its tape. */
    known.tape = NULL;
    add(store, study, &known);
    int64_t metrics = fixture_integer(store, queries[0]);
    for (int i = 0; i < 2; i++) {
        struct merge_outcome outcome = merge(path);
        ck_assert_int_eq(outcome.runs, 0);
        ck_assert_int_eq(outcome.known, 1);
    }
    ck_assert_int_eq(fixture_integer(store, queries[0]), counts[0]);
    ck_assert_int_gt(counts[0], metrics);
    for (size_t i = 1; i < 5; i++)
        ck_assert_int_eq(fixture_integer(store, queries[i]), counts[i]);
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study"), 2);
    ck_assert_int_eq(
        fixture_integer(store, "select count(*) from summary where study = 2 and metric = 'final_loss'"), 1);
}
END_TEST

static long root_page(struct store *source, const char *table)
{
    char query[128];
    snprintf(query, sizeof query, "select rootpage from sqlite_master where name = '%s'", table);
    return (long)fixture_integer(source, query);
}

static void damage(const char *path, long offset)
{
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, offset, SEEK_SET), 0);
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(fputc(0xff, file), 0xff);
    ck_assert_int_eq(fclose(file), 0);
}

/* Where the damage is seen only once its rows are read. */
START_TEST(a_damaged_database_is_blamed_itself)
{
    char path[128];
    int64_t id;
    struct merge_outcome outcome;
    struct error error = {0};
    struct store *source = open_source("damaged.sqlite", "damaged", 0, 0, path, &id);
    add(source, id, &(struct known){.identity = "x", .version = "1"});
    long offset = (root_page(source, "metric") - 1) * (long)fixture_integer(source, "pragma page_size");
    store_close(source);
    damage(path, offset);
    ck_assert(!store_merge(store, path, &outcome, &error));
    ck_assert_msg(strncmp(error.message, path, strlen(path)) == 0, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(error.message, "damaged"));
    ck_assert_int_eq(fixture_integer(store, "select count(*) from study where name = 'damaged'"), 0);
}
END_TEST

START_TEST(a_database_is_not_merged_into_itself_nor_is_a_missing_one)
{
    struct merge_outcome outcome;
    struct error error = {0};
    ck_assert(!store_merge(store, fixture.path, &outcome, &error));
    ck_assert_msg(strstr(error.message, "merged into") != NULL, "%s", error.message);
    error = (struct error){0};
    ck_assert(!store_merge(store, "/no/such/file", &outcome, &error));
    ck_assert_int_eq(error.kind, ERROR_INPUT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reuse");
    TCase *found = tcase_create("found"), *merged = tcase_create("merged");
    tcase_add_checked_fixture(found, set_up, tear_down);
    tcase_add_test(found, a_run_is_found_by_all_that_it_is_known_by);
    tcase_add_test(found, what_came_to_no_end_is_not_found_and_other_versions_are_counted);
    tcase_add_test(found, a_study_uses_runs_of_others);
    suite_add_tcase(suite, found);
    tcase_add_checked_fixture(merged, set_up, tear_down);
    tcase_add_test(merged, shards_become_one_study);
    tcase_add_test(merged, what_failed_here_comes_whole_from_there);
    tcase_add_test(merged, whole_studies_stay_themselves_with_what_was_learned_and_judged);
    tcase_add_test(merged, a_damaged_database_is_blamed_itself);
    tcase_add_test(merged, a_database_is_not_merged_into_itself_nor_is_a_missing_one);
    suite_add_tcase(suite, merged);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
